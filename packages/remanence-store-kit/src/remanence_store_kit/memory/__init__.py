"""The reference store: plain dicts, which state the semantics that every store must have."""
