"""What a text says: facts, names, days, how much it asks to be kept. Pure."""
