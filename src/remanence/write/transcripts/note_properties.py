"""What stands above the text of a note: properties in YAML, in one block or several, closed or not.

Knows lines and YAML, in which every value is text, a list or a mapping; must not know what a property means.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import Any

import yaml

from remanence.write.imported import SkipCounts

_LOADER = getattr(yaml, "CBaseLoader", yaml.BaseLoader)  # without libyaml the same, slower
CHARS_MAX = 65_536  # of one block
DEPTH_MAX = 20  # of lists and mappings in one another
FRONT = "---"
_ENDS = (FRONT, "...")
# A block that is not closed, or stands behind another, is told from text by having one of these.
KNOWN = frozenset(
    {
        *("title", "type", "permalink", "tags", "tag", "aliases", "alias"),
        *("date", "created", "created_at", "date created", "creation date", "day"),
    }
)
_PROPERTY = re.compile(r"([^\s:#\-][^:]{0,99}):(?:\s+(.*))?")
_WORD = re.compile(r"[\w-]+")
_BELOW = re.compile(r"\s+\S|- |-\Z|#")  # what belongs to the property above, or is a comment
_NULLS = frozenset({"", "~", "null", "Null", "NULL"})
_PIECES = " \t[]\"'"  # of a list in JSON that was cut into its items


STRAY_LINE = "line of front matter that is no property"


class YamlFlawError(ValueError):
    """A text that is no YAML, or YAML of a sort that no note needs."""


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """Properties by name in small letters, the lines on which they stand, and how many lines all of it takes."""

    properties: Mapping[str, Sequence[Any]]
    numbers: Mapping[str, int]
    end: int

    def list_values(self, *names: str) -> list[str]:
        """Return the texts of some properties: those of lists one by one, and of mappings as JSON."""
        values = [value for name in names for value in self.properties.get(name, ())]
        return [text for value in values for text in _flatten(value)]

    def list_tags(self, *names: str) -> list[str]:
        """Return the tags of some properties: lists in lists, in JSON, in pieces of it, or words in a line."""
        values = [value for name in names for value in self.properties.get(name, ())]
        return [tag for value in values for tag in _iterate_tags(value)]


def read_front_matter(lines: Sequence[str], path: str, skipped: SkipCounts) -> FrontMatter:
    """Read what stands above a note; a second block is read as one with the first. What cannot be read is counted."""
    properties: dict[str, list[Any]] = {}
    blocks, end = _find_blocks(lines)
    for number, block in enumerate(blocks):
        if number:
            skipped.note("second front matter of a note, read as one with the first", path)
        if not block.is_closed:
            skipped.note("front matter that is not closed, read as far as it goes", path)
        for name, value in _read_block(block.rows, path, skipped):
            several = properties.setdefault(name, [])
            several += [] if value is None else [value]
    return FrontMatter(properties, find_names(lines), end)


def find_names(lines: Sequence[str]) -> dict[str, int]:
    """Return the names of the properties above a note, without reading what these say, each with its line."""
    found: dict[str, int] = {}
    for block in _find_blocks(lines)[0]:
        for number, row in enumerate(block.rows, start=block.begin + 1):
            name = _read_name(row)
            if name is not None:
                found.setdefault(name, number)
    return found


@dataclass(frozen=True, slots=True)
class _FrontBlock:
    """The rows between two fences, or below one; `begin` counts the lines above the first row."""

    rows: Sequence[str]
    begin: int
    is_closed: bool


def _find_blocks(lines: Sequence[str]) -> tuple[list[_FrontBlock], int]:
    """Return the blocks above a note, and how many lines they take; blank lines may stand above each."""
    blocks: list[_FrontBlock] = []
    end = 0
    while True:
        begin = next((number for number in range(end, len(lines)) if lines[number].strip()), len(lines))
        if begin == len(lines) or lines[begin].strip() != FRONT:
            return blocks, end
        rows = list(takewhile(lambda line: line.strip() not in _ENDS, lines[begin + 1 :]))
        is_closed = begin + 1 + len(rows) < len(lines)
        if not is_closed or not _is_block(rows, is_first=not blocks):
            rows, is_closed = list(takewhile(_is_row, rows)), False
            if not _list_names(rows) & KNOWN:
                return blocks, end
        blocks.append(_FrontBlock(rows, begin + 1, is_closed))
        end = begin + 1 + len(rows) + is_closed


def _is_block(rows: Sequence[str], *, is_first: bool) -> bool:
    """Tell whether rows between two fences are properties and no text between two rules."""
    names = _list_names(rows)
    if not is_first and not names & KNOWN and not all(map(_WORD.fullmatch, names)):
        return False
    if not any(not row.strip() for row in rows) and is_first:
        # One that is damaged within stays what it is: its rows become no words.
        return not rows or (_read_name(rows[0]) is not None and 2 * sum(map(_is_row, rows)) >= len(rows))
    begins = [
        row for before, row in zip(["", *rows], rows, strict=False) if row.strip() and not before.strip()
    ]
    return (
        bool(names) and all(_read_name(row) for row in begins) and all(map(_is_row, filter(str.strip, rows)))
    )


def _is_row(row: str) -> bool:
    return _read_name(row) is not None or _BELOW.match(row) is not None


def _list_names(rows: Sequence[str]) -> set[str]:
    return {name for row in rows if (name := _read_name(row)) is not None}


def _read_name(row: str) -> str | None:
    match = _PROPERTY.fullmatch(row.rstrip())
    return None if match is None else match[1].strip().strip("\"'").lower()


def _read_block(rows: Sequence[str], path: str, skipped: SkipCounts) -> list[tuple[str, Any]]:
    """Return the properties of a block; where it is no YAML as a whole, each by itself, damaged ones as they stand."""
    try:
        return list(_read_mapping(rows))
    except YamlFlawError:
        pass
    found: list[tuple[str, Any]] = []
    begins = [number for number, row in enumerate(rows) if _read_name(row) is not None]
    if begins and begins[0]:
        skipped.note(STRAY_LINE, f"{path}: {rows[0]}")
    for begin, end in zip(begins, [*begins[1:], len(rows)], strict=True):
        try:
            found += _read_mapping(rows[begin:end])
        except YamlFlawError as flaw:
            name, _, given = rows[begin].partition(":")
            below = [row.strip() for row in rows[begin + 1 : end] if row.strip()]
            items = [row[2:] for row in below if row.startswith("- ")]
            if len(items) < len(below):
                skipped.note(STRAY_LINE, f"{path}: {below[0]} ({flaw})")
            found.append((str(_read_name(f"{name}:")), [one.strip().strip("\"'") for one in (given, *items)]))
    return found


def _read_mapping(rows: Sequence[str]) -> Iterator[tuple[str, Any]]:
    """Yield the properties of rows that are a mapping in YAML; raise YamlFlawError where they are none."""
    whole = parse_yaml("\n".join(rows) + "\n")
    if whole is not None and not isinstance(whole, dict):
        raise YamlFlawError("no mapping")
    for given, value in (whole or {}).items():
        name = given.strip().lower()
        if value is None and name in ("tags", "tag"):
            # What begins with a number sign is a comment in YAML, and a tag in a note.
            raw = (row.partition(":")[2].strip() for row in rows if row.startswith(f"{given}:"))
            yield name, next(raw, None)
        else:
            yield name, value


def parse_yaml(text: str) -> Any:
    """Return what a YAML text says, with every scalar as text; None for nothing.

    No tag makes an object and no alias a copy: an alias, a depth beyond `DEPTH_MAX`, and what is no YAML is a
    YamlFlawError. Events are read one by one, so that nothing is built of what is refused.
    """
    if len(text) > CHARS_MAX:
        raise YamlFlawError(f"longer than {CHARS_MAX:,} characters")
    open_: list[list[Any]] = [[]]
    for event in _iterate_events(text):
        if isinstance(event, yaml.ScalarEvent):
            is_plain = event.implicit[0] and event.style in (None, "")
            open_[-1].append(None if is_plain and event.value in _NULLS else event.value)
        elif isinstance(event, yaml.CollectionStartEvent):
            open_.append([])
        elif isinstance(event, yaml.CollectionEndEvent):
            items = open_.pop()
            open_[-1].append(items if isinstance(event, yaml.SequenceEndEvent) else _pair(items))
    if len(open_[0]) > 1:
        raise YamlFlawError("several documents")
    return open_[0][0] if open_[0] else None


def _iterate_events(text: str) -> Iterator[Any]:
    depth = 0
    try:
        for event in yaml.parse(text, Loader=_LOADER):
            depth += isinstance(event, yaml.CollectionStartEvent)
            depth -= isinstance(event, yaml.CollectionEndEvent)
            if depth > DEPTH_MAX or isinstance(event, yaml.AliasEvent):
                raise YamlFlawError("nested too deeply, or an alias, which is not followed")
            yield event
    except yaml.YAMLError as error:
        raise YamlFlawError(str(error).partition("\n")[0]) from None


def _pair(items: Sequence[Any]) -> dict[str, Any]:
    """Return a mapping of its keys and values in turn; of a key that is given twice both values are kept."""
    found: dict[str, Any] = {}
    for key, value in zip(items[::2], items[1::2], strict=True):
        name = key if isinstance(key, str) else "" if key is None else json.dumps(key, ensure_ascii=False)
        found[name] = value if found.get(name) is None else [found[name], value]
    return found


def _flatten(value: Any) -> Iterator[str]:
    if isinstance(value, list):
        for one in value:
            yield from _flatten(one)
    elif isinstance(value, dict):
        yield json.dumps(value, ensure_ascii=False)
    elif value is not None and value.strip():
        yield value.strip()


def _iterate_tags(value: Any, *, is_item: bool = False) -> Iterator[str]:
    if isinstance(value, list | dict):
        for one in value.values() if isinstance(value, dict) else value:
            yield from _iterate_tags(one, is_item=True)
    elif value is not None:
        is_piece = value.strip()[:1] in ("[", '"') or value.strip()[-1:] in ("]", '"')
        separator = "," if "," in value or is_item else None
        pieces = [value] if is_item and not is_piece else value.split(separator)
        yield from filter(None, (one.strip(_PIECES).lstrip("#").strip() for one in pieces))
