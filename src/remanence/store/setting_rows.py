"""Where the bookkeeping keeps what a user set. Knows names alone, so that whatever reads one setting may import it."""

UNDER = "setting/"  # what the bookkeeping's names of settings begin with


def row_of(name: str) -> str:
    """Return the name under which a setting is kept."""
    return f"{UNDER}{name}"
