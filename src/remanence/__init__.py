"""Remanence, a memory engine for AI agents."""
