"""Runs are described, undone and taken back in part; what the engine decided by itself is read from the audit."""
