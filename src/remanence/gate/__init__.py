"""What a text may not bring in: secrets, personal data, markup for a machine, and forbidden texts. Pure."""
