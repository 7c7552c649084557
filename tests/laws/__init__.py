"""Laws: what must hold for every world, and for the shape of the code itself."""
