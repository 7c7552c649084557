"""How a turn becomes a memory: drafts, values, transcripts; all decided on values. Knows no store and no model."""
