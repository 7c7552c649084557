"""Times as people write and read them: ISO 8601 in, the local zone with its offset out.

Knows the zone of this process; must not know what a time is for.
"""

from datetime import datetime

from remanence.core.clock import to_datetime
from remanence.core.errors import InvalidInput


def moment(text: str) -> datetime:
    """Read a time; one without a zone is local."""
    try:
        read = datetime.fromisoformat(text)
        return read if read.tzinfo is not None else read.astimezone()
    except (ValueError, OverflowError):
        raise InvalidInput(
            f"{text!r} is not a time", recovery="write it like 2026-03-01T09:30 or 2026-03-01"
        ) from None


def local(given: datetime | int) -> str:
    """Write a time in the local zone, to the minute, with the zone's offset."""
    at = to_datetime(given) if isinstance(given, int) else given
    return at.astimezone().isoformat(" ", "minutes")
