"""One memory or a few are changed by a caller: update, correct, supersede, put, link, hold."""
