"""What a text may not bring in: secrets, personal data, and markup for a machine. Pure."""
