"""What a text may not bring in: secrets, personal data, orders to whoever reads it, and forbidden texts. Pure."""
