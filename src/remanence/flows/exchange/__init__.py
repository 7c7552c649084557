"""A scope goes out as a file and comes in from one: reading it, deciding what is there already, writing the rest."""
