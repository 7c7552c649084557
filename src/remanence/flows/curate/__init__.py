"""What curation does: plans made, compared and applied, and what is due of its own accord."""
