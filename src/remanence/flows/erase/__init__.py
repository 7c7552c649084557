"""Memories are erased for good with every copy that is known: shown first, then done, and proved."""
