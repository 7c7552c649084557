"""What is left when a memory is cut to a share of itself."""
