"""A benchmark of memories of agents: what is corrected, forgotten, erased and undone. It imports no memory system."""

VERSION = 1  # of worlds, checks and results: results of another version are refused
