"""What a text says: statements, names, claims, causes, how much it asks to be kept. Pure."""
