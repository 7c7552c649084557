"""What comes in: texts and turns, gated, embedded and stored, and the facts that are found in them."""
