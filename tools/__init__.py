"""What builds data of the package."""
