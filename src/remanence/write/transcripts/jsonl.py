"""One turn a line: objects with the fields of `Turn`, of which only `text` is needed.

Knows how lines get their keys; must not know other formats.
"""

from collections import Counter
from dataclasses import fields
from typing import Any

from remanence.core.errors import suggest
from remanence.core.model import NAME_CHARS_MAX, Turn
from remanence.write.imported import EXPORT, SkipCounts
from remanence.write.transcripts import base
from remanence.write.transcripts.base import LineValue
from remanence.write.transcripts.turn_fields import FlawError, content_key, value

# What a caller may change is for the caller to say, not for a file.
FIELDS = tuple(one.name for one in fields(Turn))


class JsonLines:
    """Objects with the fields of `Turn`, one a line."""

    summary = "one JSON object a line, with the fields of a turn"

    def recognises(self, text: str) -> bool:
        """Tell whether a text has objects on its lines, or begins with one that is never closed."""
        return base.holds_lines(text) or (text.lstrip().startswith("{") and not base.is_json(text))

    def turns(self, text: str, source: str, skipped: SkipCounts) -> list[Turn]:
        """Return the turns of a text, one a line; a line that is none is counted, empty ones are passed over."""
        return base.read_lines(text, source, "turn", _TurnReader(source).read, skipped)


class _TurnReader:
    """Makes turns of the lines of one file, and knows which keys these had."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.seen: Counter[str] = Counter()
        self.lines: dict[str, int] = {}

    def read(self, line: LineValue) -> Turn:
        """Return the turn of a line; raise FlawError for one that is none, or whose key was given before."""
        row = _check_row(line.value)
        row.setdefault("key", content_key("line", self.source, line.written, self.seen))
        row.setdefault("source", f"{self.source}:{line.number}"[-NAME_CHARS_MAX:])
        key = row["key"]
        if key in self.lines:
            raise FlawError(
                f"the key {key!r} was given on line {self.lines[key]} already",
                "give each turn a key of its own",
            )
        self.lines[key] = line.number
        return Turn(**row)


def _check_row(row: Any) -> dict[str, Any]:
    if not isinstance(row, dict):
        raise FlawError("not a JSON object", 'each line is one object such as {"text": "…"}')
    if row.get("format") == EXPORT:
        raise FlawError("it is an export of a memory", "import it: remanence import FILE")
    unknown = next((name for name in row if name not in FIELDS), None)
    if unknown is not None:
        raise FlawError(f"unknown field {unknown!r}", suggest(unknown, FIELDS))
    if "text" not in row:
        raise FlawError("no field 'text'", 'each line has at least {"text": "…"}')
    return {name: value(name, item) for name, item in row.items() if item is not None or name == "text"}
