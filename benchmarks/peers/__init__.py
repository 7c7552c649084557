"""Figures beside other memories, run as `python -m benchmarks.peers`: the same texts, vectors and questions for all."""
