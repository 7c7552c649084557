"""What was noted becomes facts, the inbox becomes active, near memories are joined; sessions and boxes."""
