"""What a format of conversation must answer, and JSON texts decoded so that the line of anything inside is known.

Knows JSON and nothing of conversations.
"""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple, Protocol, TypeVar

from remanence.core.errors import IngestError
from remanence.core.model import Turn
from remanence.write.imported import SkipCounts
from remanence.write.transcripts.turn_fields import FlawError, Path

T = TypeVar("T")


class Importer(Protocol):
    """Reads one format. Built-in ones are in `IMPORTERS`, those of other packages come in by an entry point."""

    @property
    def summary(self) -> str:
        """Which files it reads, in a few words for a list."""
        ...

    def recognises(self, text: str) -> bool:
        """Return True if a text has this format, by its beginning; used where nobody names one."""
        ...

    def turns(self, text: str, source: str, skipped: SkipCounts) -> Iterable[Turn]:
        """Return what was said, in order; what is left out is counted in `skipped` by its reason.

        `source` names the file. Give each turn a key that stays the same when the file grows, so that a second ingest
        takes in only what is new. Raise `IngestError` with the line of what is malformed.
        """
        ...


LINES_LOOKED_AT = 100  # to tell the format of a text that has an object on a line
WRAPPED_MAX = 4  # times that a text was encoded as JSON beyond the first
NOT_JSON = "line that is not JSON"
_SPACE = re.compile(r"[ \t\r\n]*")


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


_DECODER = json.JSONDecoder()
_STRICT = json.JSONDecoder(parse_constant=_no_constant)
_FOREIGN_BYTES = re.compile("[\udc80-\udcff]")
_SAVE_AS_UTF8 = "save the file as UTF-8"


def decode_utf8(data: str | bytes, source: str) -> str:
    """Return the text of UTF-8 bytes, without its byte order mark.

    Where most lines begin with an object, bytes that are no UTF-8 are kept as signs that `read_lines` knows: they
    spoil one line and not the others. Elsewhere they are an IngestError.
    """
    if isinstance(data, str):
        return data.removeprefix("\ufeff")
    try:
        # Halves of characters that somebody encoded are text, and mended with the turns.
        return data.decode("utf-8-sig", "surrogatepass")
    except UnicodeDecodeError as error:
        lines = [line for line in data.split(b"\n", LINES_LOOKED_AT)[:LINES_LOOKED_AT] if line.strip()]
        if len(lines) > 1 and 2 * sum(line.lstrip().startswith(b"{") for line in lines) >= len(lines):
            return data.decode("utf-8-sig", "surrogateescape")
        line = data.count(b"\n", 0, error.start) + 1
        raise IngestError("not UTF-8 text", recovery=_SAVE_AS_UTF8, source=source, line=line) from None


def unwrap_json(text: str, source: str) -> str:
    """Return the JSON text that is the string of a JSON text, as programs write it that encode twice; else the text.

    It is one line, as the string is, so that the line of a flaw is one of the file.
    """
    whole = text
    for _ in range(WRAPPED_MAX + 1):
        inner = _read_wrapped(text)
        if inner is None:
            return text if text is whole else text.replace("\n", " ")
        text = inner
    raise IngestError(
        f"JSON texts in one another, more than {WRAPPED_MAX}",
        recovery="decode it, and ingest what it holds",
        source=source,
        line=1,
    )


def _read_wrapped(text: str) -> str | None:
    """Return the string that a JSON text is, if it looks like a JSON text again."""
    if not text.startswith('"', _skip_value(text, 0)):
        return None
    try:
        inner = loads(text)
    except ValueError:
        return None
    return inner if inner.startswith(("{", "[", '"'), _skip_value(inner, 0)) else None


def parse_json(text: str, source: str) -> Any:
    """Return the value of a JSON text."""
    if (foreign := _find_foreign_byte(text)) is not None:
        line = text.count("\n", 0, foreign) + 1
        raise IngestError("not UTF-8 text", recovery=_SAVE_AS_UTF8, source=source, line=line)
    try:
        return loads(text)
    except ValueError as error:
        line = error.lineno if isinstance(error, json.JSONDecodeError) else 1
        recovery = "export the file again; it may be cut off"
        raise IngestError(f"not JSON: {reason(error)}", recovery=recovery, source=source, line=line) from None


def loads(text: str) -> Any:
    """Parse strict JSON: no NaN, no nesting beyond what Python can follow."""
    try:
        return _STRICT.decode(text)
    except RecursionError:
        raise ValueError("nested too deeply") from None


def read(
    text: str, source: str, read_whole: Callable[[Any, SkipCounts], Iterable[Turn]], skipped: SkipCounts
) -> list[Turn]:
    """Return the turns that a reader finds in the value of a JSON text; a flaw in it gets its line."""
    try:
        return list(read_whole(parse_json(text, source), skipped))
    except FlawError as flaw:
        line = line_of(text, flaw.path)
        raise IngestError(str(flaw), recovery=flaw.recovery, source=source, line=line) from None


class LineValue(NamedTuple):
    """A JSON value on a line: the number of the line, and the value as it is written."""

    value: Any
    number: int
    written: str


def read_lines(
    text: str, source: str, what: str, read_value: Callable[[LineValue], T], skipped: SkipCounts
) -> list[T]:
    """Return what a reader makes of each value of a text that has one on a line; values glued on a line are read each.

    A line that is not JSON, and one for which the reader raises a `FlawError`, is left out and counted with its
    number: the rest of a file that was cut or glued by a program is as good as before. Where nothing can be read
    the first flaw is an IngestError.
    """
    found: list[T] = []
    first: IngestError | None = None
    # Not splitlines: a JSON string may hold U+2028 and its like unescaped.
    for number, line in enumerate(text.split("\n"), start=1):
        values, problem = _split_values(line)
        flaws: list[tuple[str, FlawError]] = []
        for value, written in values:
            try:
                found.append(read_value(LineValue(value, number, written)))
            except FlawError as flaw:
                flaws.append((f"line that is no {what}", flaw))
        if problem is not None:
            flaws.append((NOT_JSON, FlawError(f"not JSON: {problem}", "each line is one JSON value")))
        for why, one in flaws:
            skipped.note_line(why, number, str(one), one.recovery)
            first = first or IngestError(str(one), recovery=one.recovery, source=source, line=number)
    if first is not None and not found:
        raise first
    return found


def _split_values(line: str) -> tuple[list[tuple[Any, str]], str | None]:
    """Return the JSON values on a line, each as it is written, and what is wrong behind them, None for nothing."""
    values: list[tuple[Any, str]] = []
    if _find_foreign_byte(line) is not None:
        return values, "bytes that are no UTF-8"
    place, length = _skip_value(line, 0), len(line.rstrip())
    while place < length:
        try:
            value, end = _STRICT.raw_decode(line, place)
        except RecursionError:
            return values, "nested too deeply"
        except ValueError as error:
            # Behind a value that is no object the rest is of no matter: the line is not of this sort.
            return [one for one in values if isinstance(one[0], dict)], reason(error)
        values.append((value, line[place:end]))
        place = _skip_value(line, end)
        place = _skip_value(line, place + 1) if line[place : place + 1] == "," else place
    return values, None


def _find_foreign_byte(text: str) -> int | None:
    """Return where a text has what was no UTF-8, None where it has nothing such."""
    match = None if text.isascii() else _FOREIGN_BYTES.search(text)
    return None if match is None else match.start()


def heads(text: str) -> Iterator[Mapping[str, Any]]:
    """Yield the objects by which the format of a text is known: its first, and those on its first lines."""
    first = head(text)
    if first is not None:
        yield first
    yield from _read_first_lines(text)


def holds_lines(text: str) -> bool:
    """Tell whether a text has an object on each line rather than being one value, also where lines are damaged."""
    first = text.lstrip().partition("\n")[0]
    return (first.startswith("{") and is_json(first)) or (bool(_read_first_lines(text)) and not is_json(text))


def _read_first_lines(text: str) -> list[Mapping[str, Any]]:
    """Return the objects on the first lines of a text; none where most of these hold something else, as in a note."""
    lines = [line for line in text.split("\n", LINES_LOOKED_AT)[:LINES_LOOKED_AT] if line.strip()]
    if len(lines) < 2:
        return []
    several = [_split_values(line)[0] for line in lines if line.lstrip().startswith("{")]
    found = [values[0][0] for values in several if values]
    return found if 2 * len(found) >= len(lines) else []


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
