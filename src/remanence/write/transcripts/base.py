"""What a format of conversation must answer, and JSON texts decoded so that the line of anything inside is known.

Knows JSON and nothing of conversations.
"""

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Protocol

from remanence.core.errors import IngestError
from remanence.core.model import Turn
from remanence.write.transcripts.turn_fields import FlawError, Path


class Importer(Protocol):
    """Reads one format. Built-in ones are in `IMPORTERS`, those of other packages come in by an entry point."""

    @property
    def summary(self) -> str:
        """Which files it reads, in a few words for a list."""
        ...

    def recognises(self, text: str) -> bool:
        """Return True if a text has this format, by its beginning; used where nobody names one."""
        ...

    def turns(self, text: str, source: str, skipped: Counter[str]) -> Iterable[Turn]:
        """Return what was said, in order; what is left out is counted in `skipped` by its reason.

        `source` names the file. Give each turn a key that stays the same when the file grows, so that a second ingest
        takes in only what is new. Raise `IngestError` with the line of what is malformed.
        """
        ...


_SPACE = re.compile(r"[ \t\r\n]*")
_DECODER = json.JSONDecoder()


def decode_utf8(data: str | bytes, source: str) -> str:
    """Return the text of UTF-8 bytes, without its byte order mark."""
    if isinstance(data, str):
        return data.removeprefix("\ufeff")
    try:
        # Halves of characters that somebody encoded are text, and mended with the turns.
        return data.decode("utf-8-sig", "surrogatepass")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise IngestError(
            "not UTF-8 text", recovery="save the file as UTF-8", source=source, line=line
        ) from None


def parse_json(text: str, source: str) -> Any:
    """Return the value of a JSON text."""
    try:
        return loads(text)
    except ValueError as error:
        line = error.lineno if isinstance(error, json.JSONDecodeError) else 1
        recovery = "export the file again; it may be cut off"
        raise IngestError(f"not JSON: {reason(error)}", recovery=recovery, source=source, line=line) from None


def loads(text: str) -> Any:
    """Parse strict JSON: no NaN, no nesting beyond what Python can follow."""
    try:
        return json.loads(text, parse_constant=_no_constant)
    except RecursionError:
        raise ValueError("nested too deeply") from None


def read(
    text: str, source: str, read_whole: Callable[[Any, Counter[str]], Iterable[Turn]], skipped: Counter[str]
) -> list[Turn]:
    """Return the turns that a reader finds in the value of a JSON text; a flaw in it gets its line."""
    try:
        return list(read_whole(parse_json(text, source), skipped))
    except FlawError as flaw:
        line = line_of(text, flaw.path)
        raise IngestError(str(flaw), recovery=flaw.recovery, source=source, line=line) from None


def read_lines(
    text: str, source: str, read_whole: Callable[[Any, Counter[str]], Iterable[Turn]], skipped: Counter[str]
) -> list[Turn]:
    """Return the turns that a reader finds in the values of a text that has one on each line."""
    lines = [(number, line) for number, line in enumerate(text.split("\n"), start=1) if line.strip()]
    values = []
    for number, line in lines:
        try:
            values.append(loads(line))
        except ValueError as error:
            recovery = "each line is one JSON value, without commas between lines"
            raise IngestError(
                f"not JSON: {reason(error)}", recovery=recovery, source=source, line=number
            ) from None
    try:
        return list(read_whole(values if len(values) > 1 else values[0], skipped))
    except FlawError as flaw:
        place = int(flaw.path[0]) if len(values) > 1 and flaw.path else 0
        number, _ = lines[place]
        raise IngestError(str(flaw), recovery=flaw.recovery, source=source, line=number) from None


def head(text: str) -> Any:
    """Return the first object of a JSON text or of a list in it; None where there is none."""
    start = _skip_value(text, 0)
    if text[start : start + 1] == "[":
        start = _skip_value(text, start + 1)
    try:
        value, _ = _DECODER.raw_decode(text, start)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def is_json(text: str) -> bool:
    """Tell whether a text is one JSON value."""
    try:
        loads(text)
    except ValueError:
        return False
    return True


def reason(error: ValueError) -> str:
    """Say what is wrong with a JSON text and in which column."""
    if isinstance(error, json.JSONDecodeError):
        return f"{error.msg.lower()} at column {error.colno}"
    return str(error)


def objects(whole: Any, shape: str) -> Iterator[tuple[Path, Mapping[str, Any]]]:
    """Yield (path, object) of a list of objects; a lone object counts as a list of one."""
    if isinstance(whole, dict):
        yield (), whole
        return
    if not isinstance(whole, list):
        raise FlawError(f"the file is not {shape}", "name the format that it has")
    for number, one in enumerate(whole):
        if not isinstance(one, dict):
            raise FlawError(f"the file is not {shape}", "name the format that it has", (number,))
        yield (number,), one


def child(parent: Mapping[str, Any], name: str, kind: type, path: Path) -> Any:
    """Return a part of an object that must be there and be of a kind."""
    value = parent.get(name)
    if not isinstance(value, kind):
        shape = "an object" if kind is dict else "a list"
        raise FlawError(
            f"{name!r} is missing or not {shape}", "name the format that it has, or export it again", path
        )
    return value


def line_of(text: str, path: Path) -> int:
    """Return the line on which the value at `path` begins, or the deepest one that is there."""
    place = _skip_value(text, 0)
    try:
        for step in path:
            place = _enter_part(text, place, step)
    except ValueError:
        # Where a name is given twice, the first is found here and the last was read: what is inside may not be there.
        pass
    return text.count("\n", 0, place) + 1


def _enter_part(text: str, place: int, step: str | int) -> int:
    """Return where a part of the object or list at `place` begins; raise ValueError where there is none."""
    number, end = 0, _skip_value(text, place + 1)
    while end < len(text) and text[end] not in "]}":
        name, end = _parse_key(text, end) if text[place] == "{" else (number, end)
        if name == step:
            return end
        _, end = _DECODER.raw_decode(text, end)
        end = _skip_value(text, end)
        end = _skip_value(text, end + 1) if text[end : end + 1] == "," else end
        number += 1
    raise ValueError(step)


def _parse_key(text: str, place: int) -> tuple[Any, int]:
    name, end = _DECODER.raw_decode(text, place)
    return name, _skip_value(text, _skip_value(text, end) + 1)


def _skip_value(text: str, place: int) -> int:
    match = _SPACE.match(text, place)
    return match.end() if match else place


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")
