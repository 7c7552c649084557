"""What is found: recalls, frames, and the uses they count."""
