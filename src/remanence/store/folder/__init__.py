"""The store on a folder: a file of SQLite for each scope."""
