"""What a policy may say of a memory: the expressions of conditions, their words, and when they become true."""
