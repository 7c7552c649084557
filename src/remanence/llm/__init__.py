"""Models behind narrow protocols: what turns texts into vectors. Knows no store and no rules."""
