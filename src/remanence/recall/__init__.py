"""How memories are found: arms, fusion and the cut to a budget, all on arrays. Knows no store and no model."""
