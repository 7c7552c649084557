"""The documentation, read and run."""
