"""Runs are taken back, and fallen memories brought back."""
