"""One reorganisation of the package by tables: modules that move, names that change, in code and docs at once."""
