"""Notes and diaries in Markdown: what stands under a heading with a date was said on that day.

Knows headings, front matter, paragraphs and list items; must not know other formats. A date is a day as people write
it; one whose day and month could be exchanged is refused.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import takewhile
from typing import NoReturn

from remanence.core.clock import SECOND, to_micros
from remanence.core.errors import IngestError
from remanence.core.model import NAME_CHARS_MAX, Kind, Role, Turn
from remanence.languages import MONTHS
from remanence.write.transcripts import fields

NOON = 12  # of a day without an hour: so it stays that day in most zones
RECOVERY = "write the day like 2026-01-14"

_HEADING = re.compile(r"#{1,6}(?=\s|$)")
_BULLET = re.compile(r"[-*+]\s+")
_NUMBERED = re.compile(
    r"\d{1,3}[.)]\s+"
)  # also a day such as "12. Mai", so it stays, and alone begins a list
_RULE = re.compile(r"([-*_])(?:\s*\1){2,}")
_UNSPACED = re.compile("[\u3000-\u9fff\uac00-\ud7af\uff00-\uffef]")
_FENCE = re.compile(r"```|~~~")
_FRONT = "---"
_DATED_KEY = re.compile(r"(?i)(?:date|day|created|datum|tag|fecha|data|jour)\s*:\s*(.*)")
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


@dataclass
class _NotesReader:
    """How far a file was read: the day that holds, the heading below it, and the lines of the paragraph so far."""

    source: str
    skipped: Counter[str]
    day: datetime | None = None
    heading: str = ""
    lines: list[str] = field(default_factory=list)
    seen: Counter[str] = field(default_factory=Counter)
    of_day: Counter[str] = field(default_factory=Counter)


class Notes:
    """A diary or notes: headings or front matter with a date, a turn for each paragraph and list item."""

    summary = "a diary in Markdown, with the day in headings, front matter or the name of the file"

    def recognises(self, text: str) -> bool:
        """Tell whether a heading or the front matter has a date."""
        lines = text.splitlines()
        rows = _front_matter(lines)
        if any(_DATED_KEY.fullmatch(row.strip()) for row in rows):
            return True
        return any(_is_dated(head) for head in map(_read_heading, lines) if head is not None)

    def turns(self, text: str, source: str, skipped: Counter[str]) -> list[Turn]:
        """Return each paragraph and list item in order, said on its day; code between fences is part of a paragraph."""
        lines = text.splitlines()
        front = _front_matter(lines)
        begin = len(front) + 2 if front else 0
        page = _NotesReader(source, skipped, _day_of_name(source))
        for number, row in enumerate(front, start=2):
            dated = _DATED_KEY.fullmatch(row.strip())
            if dated:
                page.day = _read_day(dated[1].strip("\"' "), source, number) or _refuse(
                    dated[1], source, number
                )
        return [*_read_body(page, lines, begin)]


def _front_matter(lines: Sequence[str]) -> list[str]:
    """Return the lines between the first two of three dashes; none where a file does not begin so."""
    if not lines or lines[0].strip() != _FRONT:
        return []
    rows = list(takewhile(lambda line: line.strip() != _FRONT, lines[1:]))
    return rows if len(rows) < len(lines) - 1 else []


def _read_body(page: _NotesReader, lines: Sequence[str], begin: int) -> Iterator[Turn]:
    in_code = False
    for number, line in enumerate(lines[begin:], start=begin + 1):
        in_code ^= _FENCE.match(line.strip()) is not None
        plain = "" if _RULE.fullmatch(line.strip()) else line.rstrip()
        head = _read_heading(plain)
        if not in_code and (head is not None or not plain or _begins_item(plain, page.lines)):
            yield from _finish(page)
        if in_code or head is None:
            page.lines += [plain] if plain or in_code else []
        else:
            _open(page, head, number)
    yield from _finish(page)


def _read_heading(line: str) -> str | None:
    """Return what a heading says, None where a line is none."""
    mark = _HEADING.match(line.strip())
    return None if mark is None else line.strip()[mark.end() :].strip().rstrip("#").rstrip()


def _begins_item(line: str, before: Sequence[str]) -> bool:
    """Tell whether a line begins an item of a list: a numbered one only after another, or a blank line."""
    if _NUMBERED.match(line):
        return not before or _NUMBERED.match(before[0]) is not None
    return _BULLET.match(line) is not None


def _open(page: _NotesReader, heading: str, number: int) -> None:
    """Go on below a heading: one with a date is a day, and what it says besides its heading."""
    day = _read_day(heading, page.source, number)
    page.heading = heading if day is None else _after_day(heading)
    page.day = page.day if day is None else day


def _finish(page: _NotesReader) -> Iterator[Turn]:
    """Yield the paragraph that ends here."""
    words, page.lines = _join(page.lines), []
    if not words:
        return
    problem = fields.problem_of(words)
    if problem:
        page.skipped[problem] += 1
        return
    day = "" if page.day is None else page.day.date().isoformat()
    place = page.of_day[day]
    page.of_day[day] += 1
    source = page.source[-NAME_CHARS_MAX:]
    yield Turn(
        text=words,
        kind=Kind.EPISODIC.label,
        role=Role.USER.label,
        said_at=None if page.day is None else to_micros(page.day) + place * SECOND,
        thread=source,
        session=f"{page.source} {day}".strip()[-NAME_CHARS_MAX:],
        source=source,
        attributes={"heading": page.heading} if page.heading else {},
        key=fields.content_key("note", page.source, f"{day}\0{words}", page.seen),
    )


def _join(lines: Sequence[str]) -> str:
    """Return a paragraph without its bullet, its lines joined as they were wrapped; code stays as it is."""
    if any(_FENCE.match(line.strip()) for line in lines):
        return "\n".join(lines).strip()
    words = ""
    for line in lines:
        glue = "" if _UNSPACED.search(words[-1:]) else " "
        words = f"{words}{glue}{line.strip()}" if words else _BULLET.sub("", line, count=1)
    return words.strip()


def _is_dated(heading: str) -> bool:
    return _AMBIGUOUS.match(heading) is not None or any(one.match(heading) for one in _DAYS)


def _read_day(text: str, source: str, line: int) -> datetime | None:
    """Return the day that a text begins with, None where it begins with none."""
    if _AMBIGUOUS.match(text):
        raise IngestError(f"{text!r} may be two days", recovery=RECOVERY, source=source, line=line)
    match = _match_day(text)
    if match is None:
        return None
    part = match.groupdict()
    month = MONTHS[part["name"].casefold()] if part.get("name") else int(part["month"])
    hour = NOON if part["hour"] is None else int(part["hour"])
    try:
        return datetime(
            int(part["year"]), month, int(part["day"]), hour, int(part["minute"] or 0), tzinfo=UTC
        )
    except ValueError:
        _refuse(text, source, line)


def _match_day(text: str) -> re.Match[str] | None:
    found = (one.match(text) for one in _DAYS)
    return next(
        (one for one in found if one and (one.groupdict().get("name") or "may").casefold() in MONTHS), None
    )


def _after_day(heading: str) -> str:
    match = _match_day(heading)
    return heading[match.end() :].strip(" :,;–—-.") if match else heading


def _day_of_name(source: str) -> datetime | None:
    """Return the day that the name of a file begins with, as of most diaries of one file a day."""
    name = source.rpartition("/")[2]
    return None if _DAYS[0].match(name) is None else _read_day(name, source, 1)


def _refuse(text: str, source: str, line: int) -> NoReturn:
    raise IngestError(f"{text!r} is no day", recovery=RECOVERY, source=source, line=line)
