"""What a process keeps of a scope in memory, brought up to date by the change feed. Knows no verb."""
