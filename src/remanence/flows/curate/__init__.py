"""What curation does: plans made and applied, runs undone, and what is due of its own accord."""
