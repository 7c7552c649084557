"""A fleet of agents and its curation on a clock that jumps, and a checker of what its rows must say."""
