"""Folders of notes that are linked to each other: an Obsidian vault, or what basic-memory writes.

Knows which notes there are and how they find each other; must not know how one note is written.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Literal

from remanence.core.errors import IngestError
from remanence.core.keywords import RelationName
from remanence.core.model import Kind
from remanence.write.imported import ImportedTurn
from remanence.write.transcripts import item_fields, turn_fields, vault_note
from remanence.write.transcripts.importer_source import NO_NOTE, NOTES, SkipCounts, Source, find_notes
from remanence.write.transcripts.vault_note import NoteLink, NotePart, VaultNote

OBSIDIAN = ".obsidian"
OF_BASIC_MEMORY = frozenset({"title", "type", "permalink"})
LINKS_MAX = 256  # of one part of a note
_SUFFIX_PARTS = 8  # of a path, by which a link may call a note
_LINKED: RelationName = "refers"


class Vault:
    """Notes with tags, observations and links between them."""

    reads_sources: Literal[True] = True
    summary = "an Obsidian vault or a folder of basic-memory: notes with front matter, #tags and [[links]]"

    def recognises(self, source: Source) -> bool:
        """Tell whether Obsidian has its settings in a folder, or most notes have the front matter of basic-memory."""
        names = source.list_files(*NOTES)
        if OBSIDIAN in source.hidden:
            return bool(names)
        written = sum(vault_note.has_properties(source.text(name), OF_BASIC_MEMORY) for name in names)
        return 2 * written > len(names)

    def turns(self, source: Source, skipped: SkipCounts) -> Iterator[ImportedTurn]:
        """Yield each paragraph and item of a list, linked to what it links to."""
        if not source.list_files(*NOTES):
            raise IngestError(
                "it holds no notes",
                recovery=f"name a vault, or a file that ends in {' or '.join(NOTES)}",
                source=source.name,
                line=1,
            )
        names = find_notes(source)
        notes = [_read_note(name, source.text(name), skipped) for name in names]
        index = _Index(notes)
        for note in notes:
            yield from _read_turns(note, index, skipped)
        for name in source.files:
            if source.is_folder and not name.lower().endswith(NOTES):
                skipped.note(NO_NOTE, name)


@dataclass(frozen=True, slots=True)
class _KeyedNote:
    """A note, and under which key each of its parts comes in, None for one that does not.

    `by_place` has the key of the first part below each heading and of each named block; under "" that of the first.
    """

    note: VaultNote
    keys: Sequence[str | None]
    by_place: Mapping[str, str]


def _read_note(path: str, text: str, skipped: SkipCounts) -> _KeyedNote:
    note = vault_note.read_note(path, text, skipped)
    seen: Counter[str] = Counter()
    keys: list[str | None] = []
    by_place: dict[str, str] = {}
    for part in note.parts:
        block = next((place for place in part.places if place.startswith("^")), None)
        key = turn_fields.content_key("vault", path, block or part.written, seen)
        keys.append(key if item_fields.can_keep_text(part.text, path, skipped) else None)
        for place in ("", *part.places) if keys[-1] else ():
            by_place.setdefault(place, key)
    return _KeyedNote(note, keys, by_place)


@dataclass(slots=True)
class _Index:
    """By which names notes may be called: path, end of a path, title, permalink, alias; the first of these counts."""

    notes: Sequence[_KeyedNote]
    by_name: dict[str, _KeyedNote] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for number in range(5):
            for one in self.notes:
                for name in _list_names(one.note)[number]:
                    self.by_name.setdefault(name.casefold(), one)

    def find(self, name: str) -> _KeyedNote | None:
        """Return the note of a name, with or without the ending of its file."""
        wanted = name.casefold().lstrip("/")
        for ending in ("", *NOTES):
            found = self.by_name.get(wanted.removesuffix(ending))
            if found is not None:
                return found
        return None


def _list_names(note: VaultNote) -> tuple[Sequence[str], ...]:
    whole = vault_note.name_note(note.path)
    parts = whole.split("/")[-_SUFFIX_PARTS:]
    ends = ["/".join(parts[begin:]) for begin in range(len(parts) - 1, -1, -1)]
    return (whole,), ends, (note.title,), (note.permalink,) if note.permalink else (), note.aliases


def _read_turns(one: _KeyedNote, index: _Index, skipped: SkipCounts) -> Iterator[ImportedTurn]:
    note, of_day = one.note, Counter[datetime | None]()
    thread = item_fields.make_key(note.path)
    for part, key in zip(note.parts, one.keys, strict=True):
        if key is None:
            continue
        said_at = None if part.day is None else part.day + timedelta(seconds=of_day[part.day])
        of_day[part.day] += 1
        yield ImportedTurn(
            text=part.text,
            kind=Kind.SEMANTIC.label if part.is_statement else None,
            tags=item_fields.keep_tags((*note.tags, *part.tags), skipped),
            said_at=said_at,
            thread=thread,
            session=thread,
            source=thread,
            key=key,
            attributes=_list_attributes(note, part),
            source_category=part.category,
            is_part=True,
            links=tuple(_resolve_links(part.links, one, index, skipped)),
        )


def _list_attributes(note: VaultNote, part: NotePart) -> dict[str, Any] | None:
    return item_fields.keep_attributes(
        {
            "note": note.title,
            "type": note.type,
            "permalink": note.permalink,
            "heading": part.heading,
            "category": part.category,
            "relation": part.relation,
            "context": part.context,
            "links": [link.target for link in part.links[:LINKS_MAX]],
        }
    )


def _resolve_links(
    links: Sequence[NoteLink], one: _KeyedNote, index: _Index, skipped: SkipCounts
) -> Iterator[tuple[str, RelationName]]:
    """Yield the keys that the links of a part lead to, each once; those that lead nowhere are counted."""
    for link in links[LINKS_MAX:]:
        skipped.note(f"link beyond {LINKS_MAX} of a paragraph", link.target)
    keys: dict[str, None] = {}
    for link in links[:LINKS_MAX]:
        note = index.find(link.note) if link.note else one
        if note is None:
            skipped.note("link to a note that is not there", f"{one.note.path}: {link.target}")
            continue
        key = note.by_place.get(link.place.casefold())
        if key is None and link.place:
            skipped.note("link to a place that is not in its note", f"{one.note.path}: {link.target}")
            key = note.by_place.get("")
        if key is None:
            skipped.note("link to a note without text", f"{one.note.path}: {link.target}")
        else:
            keys[key] = None
    yield from ((key, _LINKED) for key in keys)
