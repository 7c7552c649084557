"""The store on SQLite: one file, one thread that writes, a few that read."""
