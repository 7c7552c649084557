"""Days as people write them, at the beginning of a heading, of a value or of the name of a file.

Knows the ways to write a day in several languages; must not know what it dates. A day whose day and month could be
exchanged is refused.
"""

import re
from datetime import datetime
from typing import NoReturn

from remanence.core.errors import IngestError
from remanence.languages import MONTHS

NOON = 12  # of a day without an hour: so it stays that day in most zones
RECOVERY = "write the day like 2026-01-14"

_WEEKDAY = r"(?:[^\W\d_]{2,13}\.?,?\s+)?(?:(?:den|le|el|dia|día)\s+)?"
_HOUR = r"(?:[T,\s]\s*(?P<hour>\d{1,2}):(?P<minute>\d\d))?"
_MONTH = r"(?P<name>[^\W\d_]{3,12})\.?"
_DAYS = tuple(
    re.compile(_WEEKDAY + day + _HOUR)
    for day in (
        r"(?P<year>\d{4})[-/.](?P<month>\d{1,2})[-/.](?P<day>\d{1,2})(?!\d)",
        r"(?P<day>\d{1,2})\.\s?(?P<month>\d{1,2})\.\s?(?P<year>\d{4})(?!\d)",
        rf"(?P<day>\d{{1,2}})(?:st|nd|rd|th|er|\.|º)?\s+(?:de\s+|of\s+)?{_MONTH},?\s+(?:de\s+|del\s+)?(?P<year>\d{{4}})(?!\d)",
        rf"{_MONTH}\s+(?P<day>\d{{1,2}})(?:st|nd|rd|th)?,?\s+(?P<year>\d{{4}})(?!\d)",
        r"(?P<year>\d{4})年\s*(?P<month>\d{1,2})月\s*(?P<day>\d{1,2})日",
    )
)
_AMBIGUOUS = re.compile(_WEEKDAY + r"\d{1,2}/\d{1,2}/\d{2,4}(?!\d)")


def is_dated(heading: str) -> bool:
    """Tell whether a heading begins with a day, or with what may be two."""
    return _AMBIGUOUS.match(heading) is not None or any(one.match(heading) for one in _DAYS)


def read_day(text: str, source: str, line: int) -> datetime | None:
    """Return the day that a text begins with, without a zone; None where it begins with none."""
    if _AMBIGUOUS.match(text):
        raise IngestError(f"{text!r} may be two days", recovery=RECOVERY, source=source, line=line)
    match = _match_day(text)
    if match is None:
        return None
    part = match.groupdict()
    month = MONTHS[part["name"].casefold()] if part.get("name") else int(part["month"])
    hour = NOON if part["hour"] is None else int(part["hour"])
    try:
        return datetime(int(part["year"]), month, int(part["day"]), hour, int(part["minute"] or 0))  # noqa: DTZ001 # the scope's
    except ValueError:
        refuse_day(text, source, line)


def _match_day(text: str) -> re.Match[str] | None:
    found = (one.match(text) for one in _DAYS)
    return next(
        (one for one in found if one and (one.groupdict().get("name") or "may").casefold() in MONTHS), None
    )


def after_day(heading: str) -> str:
    """Return what a heading says after its day."""
    match = _match_day(heading)
    return heading[match.end() :].strip(" :,;–—-.") if match else heading


def read_day_of_name(source: str) -> datetime | None:
    """Return the day that the name of a file begins with, as of most diaries of one file a day."""
    name = source.rpartition("/")[2]
    return None if _DAYS[0].match(name) is None else read_day(name, source, 1)


def refuse_day(text: str, source: str, line: int) -> NoReturn:
    """Raise the error that a text is no day."""
    raise IngestError(f"{text!r} is no day", recovery=RECOVERY, source=source, line=line)
