"""A policy as it is written: TOML text, each table and key with its line and column, and the presets that ship.

Knows TOML; knows nothing of what rules mean.
"""

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from typing import Any

from remanence.core.errors import NameUnknown, PolicyError, suggest
from remanence.core.toml import parse_toml
from remanence.curate.language.expression import SourcePosition

CHARS_MAX = 200_000
ALWAYS = "categories"  # the preset that every policy includes
# In the order in which they are offered; the last three are the designs that these come from, as they were written.
PRESETS = ("default", "janitor", "mvs", "engram", "episodic-cap", "elfmem", "mvs-seed", "autonomous")
# Presets that ship no more, and what took their place: a file that adopted one still follows it.
FORMER: Mapping[str, str] = {"tidy": "default"}

_HEADER = re.compile(r"^\s*(\[\[?)([^\]]+)\]\]?\s*(?:#.*)?$")
_KEY = re.compile(r"^(\s*)(\"[^\"]*\"|'[^']*'|[A-Za-z0-9_.-]+)(\s*=\s*)")
_TOML_PLACE = re.compile(
    r"^(?P<what>.*?) \(at (?:line (?P<line>\d+), column (?P<column>\d+)|end of document)\)$"
)
_TRIPLES = ('"""', "'''")


@dataclass(frozen=True, slots=True)
class Table:
    """One table of a document: its values, where it begins, and where each value begins."""

    values: Mapping[str, Any]
    place: SourcePosition
    places: Mapping[str, SourcePosition] = field(default_factory=dict)

    def find_position(self, key: str) -> SourcePosition:
        """Return where a key's value begins, or the table where the key is not written."""
        return self.places.get(key, self.place)

    def error(self, key: str, message: str, recovery: str) -> PolicyError:
        """Build the error that points at a key."""
        return self.find_position(key).error(message, recovery)

    def refuse_unknown(self, known: Sequence[str], what: str) -> None:
        """Refuse a key that no such table has."""
        for key in self.values:
            if key not in known:
                raise self.error(key, f"unknown key {key!r} in {what}", suggest(key, sorted(known)))

    def merge_values(self, by: "Table", without: str) -> "Table":
        """Return the table with the other's values put over its own, one key left out."""
        values = {key: value for key, value in by.values.items() if key != without}
        return Table({**self.values, **values}, self.place, {**self.places, **by.places})


@dataclass(frozen=True, slots=True)
class PolicyDocument:
    """A parsed policy text: its top level, and its tables by kind in the order written."""

    source: str
    top: Table
    lists: Mapping[str, Sequence[Table]]
    named: Mapping[str, Mapping[str, Table]]


def preset(name: str, *, stored: bool = False) -> str:
    """Return the text of a preset; where a file has stored its name, also of one that ships no more."""
    if name in FORMER and stored:
        return str((_find_presets_folder() / "former" / f"{name}.toml").read_text(encoding="utf-8"))
    if name in FORMER:
        raise PolicyError(
            f"the preset {name!r} ships no more: {FORMER[name]!r} has taken its place",
            recovery=f"name {FORMER[name]!r}; a file that has adopted {name!r} still follows it",
            source=name,
        )
    if name not in {*PRESETS, ALWAYS}:
        raise NameUnknown("preset", name, PRESETS)
    return str((_find_presets_folder() / f"{name}.toml").read_text(encoding="utf-8"))


@cache
def parse_preset(name: str, *, stored: bool = False) -> PolicyDocument:
    """Return a preset, parsed once: every memory that is opened reads one at least."""
    return parse(preset(name, stored=stored), name)


def _find_presets_folder() -> Any:
    return resources.files("remanence.curate") / "presets"


def parse(text: str, source: str) -> PolicyDocument:
    """Read a policy's TOML, or raise PolicyError where it is none."""
    here = SourcePosition(source)
    if len(text) > CHARS_MAX:
        raise here.error(f"has {len(text)} characters, more than {CHARS_MAX}", "shorten it")
    try:
        data = parse_toml(text)
    except tomllib.TOMLDecodeError as error:
        match = _TOML_PLACE.match(str(error))
        what = match["what"] if match else str(error)
        last = len(text.splitlines()) or 1
        line = int(match["line"] or last) if match else 1
        column = int(match["column"] or 1) if match else 1
        recovery = "mend the TOML; a condition goes in double quotes, with names in single quotes inside"
        raise PolicyError(
            f"is not TOML: {what}", recovery=recovery, source=source, line=line, column=column
        ) from error
    places = _find_places(text, source)
    top = {key: value for key, value in data.items() if not isinstance(value, dict | list)}
    lists = {
        key: _read_tables(key, value, places, here) for key, value in data.items() if isinstance(value, list)
    }
    tables = {
        key: _parse_named_tables(key, value, places, here)
        for key, value in data.items()
        if isinstance(value, dict)
    }
    return PolicyDocument(source, Table(top, here, places.get("", {})), lists, tables)


def _read_tables(
    key: str, values: Sequence[Any], places: Mapping[str, Mapping[str, SourcePosition]], here: SourcePosition
) -> list[Table]:
    tables = []
    for index, value in enumerate(values):
        positions = places.get(f"{key}#{index}", {})
        place = positions.get("", places.get("", {}).get(key, here))
        if not isinstance(value, dict):
            raise place.error(f"{key!r} must be tables", f"write [[{key}]] and its keys below")
        tables.append(Table(value, place, positions))
    return tables


def _parse_named_tables(
    key: str,
    value: Mapping[str, Any],
    places: Mapping[str, Mapping[str, SourcePosition]],
    here: SourcePosition,
) -> dict[str, Table]:
    """Tables such as [category.task] by name; plain keys of [alias] become tables of one value each."""
    tables = {}
    for name, inner in value.items():
        positions = places.get(f"{key}.{name}", {})
        outer = places.get(key, {})
        place = positions.get("", outer.get(name, outer.get("", here)))
        tables[name] = Table(inner if isinstance(inner, dict) else {"": inner}, place, positions)
    return tables


def _find_places(text: str, source: str) -> dict[str, dict[str, SourcePosition]]:
    """Find where tables and values begin: table ("rule#0", "category.task", "" for the top) → key → place."""
    places: dict[str, dict[str, SourcePosition]] = {"": {}}
    counts: dict[str, int] = {}
    table = ""
    for number, line in _number_outer_lines(text):
        header, key = _HEADER.match(line), _KEY.match(line)
        if header is not None:
            table = "".join(header[2].split()).replace('"', "")
            if header[1] == "[[":
                counts[table] = counts.get(table, -1) + 1
                table = f"{table}#{counts[table]}"
            places[table] = {"": SourcePosition(source, number, line.index("[") + 1)}
        elif key is not None:
            places[table][key[2].strip("\"'")] = _value_place(source, number, line, key.end())
    return places


def _value_place(source: str, number: int, line: str, column: int) -> SourcePosition:
    """Point at a value; inside the quotes where it is a text, below them where the text begins on the next line."""
    rest = line[column:]
    for quotes in (*_TRIPLES, '"', "'"):
        if rest.startswith(quotes):
            if quotes in _TRIPLES and not rest[len(quotes) :].strip():
                return SourcePosition(source, number + 1, 1)
            return SourcePosition(source, number, column + len(quotes) + 1)
    return SourcePosition(source, number, column + 1)


def _number_outer_lines(text: str) -> Iterator[tuple[int, str]]:
    """Number the lines that begin outside a text of several lines."""
    inside = ""
    for number, line in enumerate(text.splitlines(), 1):
        if not inside:
            yield number, line
        for quotes in (inside,) if inside else _TRIPLES:
            if quotes and line.count(quotes) % 2:
                inside = "" if inside else quotes
                break
