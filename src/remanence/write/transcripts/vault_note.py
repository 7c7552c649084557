"""One note as Obsidian and basic-memory write it: front matter, observations, relations, links, tags and fields.

Knows the text of one note; must not know which other notes there are.
"""

import re
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from remanence.core.errors import IngestError, InvalidInput
from remanence.write.transcripts import agent_notes, days, markdown, turn_fields
from remanence.write.transcripts.importer_source import NOTES, SkipCounts
from remanence.write.transcripts.markdown import MarkdownBlock
from remanence.write.transcripts.note_properties import KNOWN, FrontMatter, find_names, read_front_matter

DATES = ("date", "created", "created_at", "date created", "creation date", "day")  # the first of them counts
_OBSERVATION = re.compile(r"[-*+]\s+\[([^\[\]()]{2,100})\]\s+(?=\S)")
_RELATION = re.compile(r"[-*+]\s+(?:([\w-]{1,100})\s+)?\[\[([^\[\]]++)\]\]\s*(?:\([^()]*+\))?")
_CONTEXT = re.compile(r"\(([^()]++)\)\Z")
# Code between single signs is left as it is; a link says what it shows.
_LINK = re.compile(r"`[^`]*+`|(!?)\[\[([^\[\]]++)\]\]")
_TAG = re.compile(r"`[^`]*+`|(?<!\S)#([\w/-]++)")
_FIELD = re.compile(r"(?:[-*+]\s+)?[\w*][\w *-]{0,60}::(?:\s|\Z)")
_BLOCK_ID = re.compile(r"(?<!\S)\^([\w-]++)\Z")
_QUERY = re.compile(r"(?:```|~~~)\s*(?:dataview|dataviewjs|query|tasks|base)\b", re.IGNORECASE)
_RELATES: str = "relates_to"  # what basic-memory calls a relation without a name


@dataclass(frozen=True, slots=True)
class NoteLink:
    """A link: `target` as it is written, the note (empty for the same) and the heading or block in it."""

    target: str
    note: str
    place: str = ""


@dataclass(frozen=True, slots=True)
class NotePart:
    """A paragraph or an item of a list: as it is written, and what it says.

    `places` are the names by which a link may call it: the headings above and the id of the block, in small letters.
    One that `is_statement` is an observation with a `category`, or a `relation`.
    """

    written: str
    text: str
    heading: str = ""
    day: datetime | None = None
    places: frozenset[str] = frozenset()
    tags: tuple[str, ...] = ()
    links: tuple[NoteLink, ...] = ()
    category: str | None = None
    relation: str | None = None
    context: str | None = None

    @property
    def is_statement(self) -> bool:
        """Tell whether it says something of the note's subject."""
        return self.category is not None or self.relation is not None


@dataclass(frozen=True, slots=True)
class VaultNote:
    """A note: its path, what its front matter says, and its parts in order."""

    path: str
    title: str
    type: str | None
    permalink: str | None
    aliases: tuple[str, ...]
    tags: tuple[str, ...]
    parts: tuple[NotePart, ...]


def has_properties(text: str, names: AbstractSet[str]) -> bool:
    """Tell whether the front matter of a note has some properties."""
    return names <= find_names(text.splitlines()).keys()


def name_note(path: str) -> str:
    """Return the path of a note without the ending of its name."""
    whole, dot, ending = path.rpartition(".")
    return whole if f"{dot}{ending.lower()}" in NOTES else path


def read_note(path: str, text: str, skipped: SkipCounts) -> VaultNote:
    """Read a note; what has no place is counted."""
    lines = agent_notes.leave_out_lines(text.splitlines(), path, skipped)
    front = read_front_matter(lines, path, skipped)
    for name in front.properties:
        if name not in KNOWN:
            skipped.note("property of a note", f"{name}: {', '.join(front.list_values(name))}")
    title = _find_first(front, "title") or name_note(path).rpartition("/")[2]
    day = _find_day(path, front, skipped)
    return VaultNote(
        path,
        title,
        _find_first(front, "type"),
        _find_first(front, "permalink"),
        tuple(front.list_values("aliases", "alias")),
        tuple(front.list_tags("tags", "tag")),
        tuple(_read_parts(lines, front.end, title, day, skipped)),
    )


def _find_first(front: FrontMatter, name: str) -> str | None:
    return next(iter(front.list_values(name)), None)


def _find_day(path: str, front: FrontMatter, skipped: SkipCounts) -> datetime | None:
    """Return when a note was written: by its front matter, else by the beginning of its name."""
    for name in DATES:
        given = _find_first(front, name)
        day = None if given is None else _read_day(given, path, skipped)
        if day is not None:
            return day
    name = path.rpartition("/")[2]
    return _read_day(name, path, skipped) if name[:4].isdecimal() and days.is_dated(name) else None


def _read_day(given: str, path: str, skipped: SkipCounts) -> datetime | None:
    """Return a time, or noon of a day; what is none is counted. Without a zone it is the scope's, else UTC."""
    try:
        moment = datetime.fromisoformat(given)
        is_day = ":" not in given and moment.hour == moment.minute == 0
        moment = moment.replace(hour=days.NOON) if is_day and moment.tzinfo is None else moment
    except ValueError:
        try:
            read = days.read_day(given, path, 1)
        except IngestError:
            read = None
        if read is None:
            skipped.note("date that is not one day", f"{path}: {given}")
            return None
        moment = read
    try:
        return turn_fields.place_moment(moment, UTC)
    except InvalidInput:
        skipped.note("date that is out of range", f"{path}: {given}")
        return None


def _read_parts(
    lines: Sequence[str], begin: int, title: str, day: datetime | None, skipped: SkipCounts
) -> Iterator[NotePart]:
    """Yield the parts below their headings; a heading that begins with a day dates what is below it."""
    above: list[str] = []  # the headings since the last part, or the one that it stood under
    for block in markdown.read_blocks(lines, begin):
        if block.heading is None:
            part = _read_part(block, title, skipped)
            if part is not None:
                places = part.places.union(map(str.casefold, above))
                yield replace(part, heading=above[-1] if above else "", day=day, places=places)
                del above[:-1]
            continue
        above.append(block.heading)
        for match in _LINK.finditer(block.heading):
            skipped.note("link in a heading", match[0])
        if days.is_dated(block.heading):
            day = _read_day(block.heading, title, skipped) or day


def _read_part(block: MarkdownBlock, title: str, skipped: SkipCounts) -> NotePart | None:
    """Read a paragraph or an item; None where nothing of it is left to say."""
    written = "\n".join(block.lines)
    if any(map(markdown.is_fence, block.lines)):
        if _QUERY.match(written):
            skipped.note("query of a plugin", written)
            return None
        return NotePart(written, markdown.join_lines(block.lines))
    kept = [line for line in block.lines if not _FIELD.match(line.strip())]
    for line in block.lines:
        if _FIELD.match(line.strip()):
            skipped.note("field of Dataview", line)
    words = markdown.join_lines(kept)
    named = _BLOCK_ID.search(words)
    words = words[: named.start()].rstrip() if named else words
    places = frozenset({f"^{named[1].casefold()}"}) if named else frozenset[str]()
    part = NotePart(written, words, places=places, tags=tuple(_list_tags(words)))
    return _read_links(_read_statement(part, kept, title), skipped)


def _read_statement(part: NotePart, lines: Sequence[str], title: str) -> NotePart:
    """Return an item that is an observation or a relation as one, which says what it is of; else the part as it is."""
    line = lines[0].strip() if lines else ""
    observed, related = _OBSERVATION.match(line), _RELATION.fullmatch(line) if len(lines) == 1 else None
    context = _CONTEXT.search(part.text)
    if observed:
        category = observed[1].strip()
        said = part.text.removeprefix("[").partition("]")[2].strip()
        return replace(
            part,
            text=f"{title}: {said}",
            tags=(category, *part.tags),
            category=category,
            context=context[1] if context else None,
        )
    if related:
        relation = related[1] or _RELATES
        said = part.text.removeprefix(related[1] or "").strip()
        return replace(
            part,
            text=f"{title} {relation.replace('_', ' ')} {said}",
            relation=relation,
            context=context[1] if context else None,
        )
    return part


def _list_tags(words: str) -> Iterator[str]:
    """Yield the tags in a text; a number is none, and code has none."""
    for match in _TAG.finditer(words):
        tag = (match[1] or "").strip("/-")
        if tag and not tag.isdecimal():
            yield tag


def _read_links(part: NotePart, skipped: SkipCounts) -> NotePart | None:
    """Return a part with its links, each in the words that it shows; None for one of embeds alone."""
    links: list[NoteLink] = []
    rest = part.text

    def show(match: re.Match[str]) -> str:
        if match[2] is None:
            return match[0]
        if match[1]:
            skipped.note("embed", match[0])
        else:
            links.append(_read_link(match[2]))
        target, _, alias = match[2].partition("|")
        return (alias or target.replace("#", " > ").removeprefix(" > ")).strip()

    if not _LINK.sub(lambda match: "" if match[1] else match[0], rest).strip():
        for match in _LINK.finditer(rest):
            skipped.note("embed", match[0])
        return None
    return replace(part, text=_LINK.sub(show, rest).strip(), links=tuple(links))


def _read_link(written: str) -> NoteLink:
    target = written.partition("|")[0].rstrip("\\").strip()  # in a table the sign before an alias is escaped
    note, _, place = target.partition("#")
    return NoteLink(target, note.strip(), place.rpartition("#")[2].strip())
