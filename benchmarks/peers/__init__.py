"""Figures beside another engine, run as `python -m benchmarks.peers`: the same texts, vectors, links and questions."""
