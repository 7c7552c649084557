"""One turn a line: objects with the fields of `Turn`, of which only `text` is needed.

Knows how lines get their keys; must not know other formats.
"""

from collections import Counter
from dataclasses import fields
from typing import Any

from remanence.core.errors import IngestError, suggest
from remanence.core.model import NAME_CHARS_MAX, Turn
from remanence.write.imported import EXPORT
from remanence.write.transcripts import base
from remanence.write.transcripts.turn_fields import FlawError, content_key, value

# What a caller may change is for the caller to say, not for a file.
FIELDS = tuple(one.name for one in fields(Turn))


class JsonLines:
    """Objects with the fields of `Turn`, one a line."""

    summary = "one JSON object a line, with the fields of a turn"

    def recognises(self, text: str) -> bool:
        """Tell whether a text begins with an object on a line of its own, or with one that is never closed."""
        first = text.lstrip().partition("\n")[0]
        return first.startswith("{") and (base.is_json(first) or not base.is_json(text))

    def turns(self, text: str, source: str, skipped: Counter[str]) -> list[Turn]:  # noqa: ARG002 # it skips nothing
        """Return the turns of a text."""
        return rows(text, source)


def rows(text: str, source: str) -> list[Turn]:
    """Return the turns of a text, one a line; empty lines are passed over."""
    turns: list[Turn] = []
    seen: Counter[str] = Counter()
    lines: dict[str, int] = {}
    # Not splitlines: a JSON string may hold U+2028 and its like unescaped.
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            row = _parse_row(line)
            row.setdefault("key", content_key("line", source, line.strip(), seen))
            row.setdefault("source", f"{source}:{number}"[-NAME_CHARS_MAX:])
            _refuse_repeated_key(lines, row["key"], number)
        except FlawError as flaw:
            raise IngestError(str(flaw), recovery=flaw.recovery, source=source, line=number) from None
        turns.append(Turn(**row))
    return turns


def _parse_row(line: str) -> dict[str, Any]:
    try:
        row = base.loads(line)
    except ValueError as error:
        reason = base.reason(error)
        raise FlawError(
            f"not JSON: {reason}", "each line is one JSON object, without commas between lines"
        ) from None
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


def _refuse_repeated_key(lines: dict[str, int], key: str, number: int) -> None:
    if key in lines:
        raise FlawError(
            f"the key {key!r} was given on line {lines[key]} already", "give each turn a key of its own"
        )
    lines[key] = number
