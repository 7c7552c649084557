"""The scopes of a store: listed, one copied into another, one dropped."""
