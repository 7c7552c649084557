"""Examples that run: python -m examples.demo, python -m examples.agent."""
