"""What a memory tells of itself: status, history, reasons, checks, and what waits for a person."""
