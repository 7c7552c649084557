"""What a caller writes for each step of a memory's life: one file an engine, a function a step."""
