"""What a caller may pass, refused in the same words wherever it is passed.

Knows single values; must not know which verb takes them.
"""

from remanence.errors import InvalidInput
from remanence.model import NAME_CHARS_MAX


def check_name(what: str, name: object) -> None:
    """Refuse a name that is blank, too long or not plain text."""
    if not isinstance(name, str) or not name.strip() or len(name) > NAME_CHARS_MAX or not name.isprintable():
        raise InvalidInput(
            f"{what} must be 1 to {NAME_CHARS_MAX} printable characters, not {str(name)[:40]!r}",
            recovery=f"pass a shorter plain name for {what}",
        )


def check_memory(name: object) -> None:
    """Refuse what cannot name a memory."""
    if isinstance(name, bool) or not isinstance(name, int | str):
        raise InvalidInput(
            f"{name!r:.40} names no memory", recovery="pass its id, its key or its sequence number"
        )


def check_fraction(what: str, value: object) -> None:
    """Refuse what is no number from 0 to 1."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise InvalidInput(
            f"{what} {value!r:.40} is not between 0 and 1", recovery="pass a number from 0 to 1"
        )


def check_count(what: str, value: object, least: int, most: int) -> None:
    """Refuse what is no whole number within two bounds; True and False are none."""
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise InvalidInput(
            f"{what} cannot be {value!r:.40}", recovery=f"pass a whole number from {least:,} to {most:,}"
        )
