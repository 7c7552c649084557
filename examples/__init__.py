"""An example that runs: python -m examples.agent."""
