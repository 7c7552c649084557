"""Notes and diaries in Markdown: what stands under a heading with a date was said on that day.

Knows what a diary looks like; must not know other formats.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from remanence.core.model import NAME_CHARS_MAX, Kind, Role, Turn
from remanence.write.transcripts import days, markdown, turn_fields

_DATED_KEY = re.compile(r"(?i)(?:date|day|created|datum|tag|fecha|data|jour)\s*:\s*(.*)")


@dataclass
class _NotesReader:
    """How far a file was read: the day that holds, and the heading below it."""

    source: str
    skipped: Counter[str]
    day: datetime | None = None
    heading: str = ""
    seen: Counter[str] = field(default_factory=Counter)
    of_day: Counter[str] = field(default_factory=Counter)


class Notes:
    """A diary or notes: headings or front matter with a date, a turn for each paragraph and list item."""

    summary = "a diary in Markdown, with the day in headings, front matter or the name of the file"

    def recognises(self, text: str) -> bool:
        """Tell whether a heading or the front matter has a date."""
        lines = text.splitlines()
        rows = markdown.read_front_matter(lines)
        if any(_DATED_KEY.fullmatch(row.strip()) for row in rows):
            return True
        return any(days.is_dated(head) for head in map(markdown.read_heading, lines) if head is not None)

    def turns(self, text: str, source: str, skipped: Counter[str]) -> list[Turn]:
        """Return each paragraph and list item in order, said on its day; code between fences is part of a paragraph."""
        lines = text.splitlines()
        front = markdown.read_front_matter(lines)
        begin = len(front) + 2 if front else 0
        page = _NotesReader(source, skipped, days.read_day_of_name(source))
        for number, row in enumerate(front, start=2):
            dated = _DATED_KEY.fullmatch(row.strip())
            if dated:
                page.day = days.read_day(dated[1].strip("\"' "), source, number) or days.refuse_day(
                    dated[1], source, number
                )
        return [*_read_body(page, lines, begin)]


def _read_body(page: _NotesReader, lines: Sequence[str], begin: int) -> Iterator[Turn]:
    for block in markdown.read_blocks(lines, begin):
        if block.heading is None:
            yield from _read_paragraph(page, block.lines)
        else:
            # A heading with a date is a day, and what it says besides is the heading.
            day = days.read_day(block.heading, page.source, block.number)
            page.heading = block.heading if day is None else days.after_day(block.heading)
            page.day = page.day if day is None else day


def _read_paragraph(page: _NotesReader, lines: Sequence[str]) -> Iterator[Turn]:
    """Yield a paragraph, on the day that holds."""
    words = markdown.join_lines(lines)
    if not words:
        return
    problem = turn_fields.problem_of(words)
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
        said_at=None
        if page.day is None
        else turn_fields.place_moment(page.day + timedelta(seconds=place), UTC),
        thread=source,
        session=f"{page.source} {day}".strip()[-NAME_CHARS_MAX:],
        source=source,
        attributes={"heading": page.heading} if page.heading else {},
        key=turn_fields.content_key("note", page.source, f"{day}\0{words}", page.seen),
    )
