"""One file for each engine, run by that engine's own Python; none but our own imports anything of ours."""
