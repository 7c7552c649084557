"""The engine's flows, one module each: gather from the store, let the pure folders decide, commit what they say."""
