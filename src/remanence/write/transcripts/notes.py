"""Notes and diaries in Markdown: what stands under a heading with a date was said on that day.

Knows what a diary looks like; must not know other formats.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from remanence.core.model import NAME_CHARS_MAX, Kind, Role, Turn
from remanence.write.imported import SkipCounts
from remanence.write.transcripts import agent_notes, days, item_fields, markdown, turn_fields
from remanence.write.transcripts.note_properties import find_names, read_front_matter

_DATES = frozenset({"date", "day", "created", "datum", "tag", "fecha", "data", "jour"})


@dataclass
class _NotesReader:
    """How far a file was read: the day that holds, and the heading below it."""

    source: str
    skipped: SkipCounts
    day: datetime | None = None
    tags: tuple[str, ...] = ()
    heading: str = ""
    above: dict[int, str] = field(default_factory=dict)  # the headings that hold, by their levels
    seen: Counter[str] = field(default_factory=Counter)
    of_day: Counter[str] = field(default_factory=Counter)


class Notes:
    """A diary or notes: headings or front matter with a date, a turn for each paragraph and list item."""

    summary = "a diary in Markdown, with the day in headings, front matter or the name of the file"

    def recognises(self, text: str) -> bool:
        """Tell whether a heading or the front matter has a date."""
        lines = text.splitlines()
        if _DATES & find_names(lines).keys():
            return True
        return any(days.is_dated(head) for head in map(markdown.read_heading, lines) if head is not None)

    def turns(self, text: str, source: str, skipped: SkipCounts) -> list[Turn]:
        """Return each paragraph and list item in order, said on its day; code between fences is part of a paragraph."""
        lines = agent_notes.leave_out_lines(text.splitlines(), source, skipped)
        front = read_front_matter(lines, source, skipped)
        page = _NotesReader(source, skipped, days.read_day_of_name(source))
        tags = front.list_tags("tags")
        for name in front.properties:
            given = next(iter(front.list_values(name)), "")
            # In German a day is called so, elsewhere it is a tag.
            if name == "tag" and not days.is_dated(given):
                tags += front.list_tags(name)
            elif name in _DATES:
                number = front.numbers.get(name, 1)
                page.day = days.read_day(given, source, number) or days.refuse_day(given, source, number)
            elif name != "tags":
                skipped.note("property of a note", f"{name}: {', '.join(front.list_values(name))}")
        page.tags = item_fields.keep_tags(tags, skipped)
        return [*_read_body(page, lines, front.end)]


def _read_body(page: _NotesReader, lines: Sequence[str], begin: int) -> Iterator[Turn]:
    for block in markdown.read_blocks(lines, begin):
        if block.heading is None:
            yield from _read_paragraph(page, block.lines)
        else:
            # A heading with a date is a day, and what it says besides is the heading.
            day = days.read_day(block.heading, page.source, block.number)
            page.heading = block.heading if day is None else days.after_day(block.heading)
            page.day = page.day if day is None else day
            page.above = {level: one for level, one in page.above.items() if level < block.level}
            page.above |= {block.level: page.heading} if page.heading else {}


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
        tags=page.tags,
        role=Role.USER.label,
        said_at=None
        if page.day is None
        else turn_fields.place_moment(page.day + timedelta(seconds=place), UTC),
        thread=source,
        session=f"{page.source} {day}".strip()[-NAME_CHARS_MAX:],
        source=source,
        attributes=_list_attributes(page),
        key=turn_fields.content_key("note", page.source, f"{day}\0{words}", page.seen),
    )


def _list_attributes(page: _NotesReader) -> dict[str, str]:
    """Return the heading that a paragraph stands under, and the path of headings where it is below others."""
    found = {"heading": page.heading} if page.heading else {}
    return found | (
        {"section": " > ".join(page.above.values())} if page.heading and len(page.above) > 1 else {}
    )
