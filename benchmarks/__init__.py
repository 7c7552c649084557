"""Measurements, run as `python -m benchmarks.NAME`; each prints one JSON object per line and its settings first."""
