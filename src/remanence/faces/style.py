"""How a terminal shows things: times in the local zone, lines with styles, and that a verb is still at work.

Knows terminals and the zone of this process; must not know what is written. In a pipe lines are plain, and nothing
else is seen.
"""

import os
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta, tzinfo
from shutil import get_terminal_size
from typing import TYPE_CHECKING, Any, ClassVar, TextIO
from unicodedata import category, east_asian_width

from remanence.core.clock import to_datetime
from remanence.core.errors import InvalidInput
from remanence.core.keywords import Progress
from remanence.core.later import import_later

if TYPE_CHECKING:
    from remanence.core.model import AffectedMemory, Memory
    from remanence.read import when

import_later(globals())


def moment(text: str) -> datetime:
    """Read a time in ISO 8601; one without a zone is local."""
    return in_local_zone(written_time(text))


def in_local_zone(given: datetime, zone: tzinfo | None = None) -> datetime:
    """Return a time that has a zone, or is of the scope's `zone`, as it is; another is of the local zone."""
    try:
        return given if given.tzinfo is not None or zone is not None else given.astimezone()
    except (ValueError, OverflowError):
        raise _make_time_error(str(given)) from None


def written_time(text: str) -> datetime:
    """Read a time in ISO 8601 as it is written, with a zone or without one."""
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        raise _make_time_error(text) from None


def _make_time_error(text: str) -> InvalidInput:
    return InvalidInput(f"{text!r} is not a time", recovery="write it like 2026-03-01T09:30 or 2026-03-01")


def span(text: str, now: int) -> tuple[datetime, datetime]:
    """Read a time as a person writes it when clocks show `now`: in ISO 8601, or as in a question, such as last week.

    Returns when it begins and when it ends, which for a day is its last microsecond. Without a zone both are of the
    clocks where something was said.
    """
    try:
        begins = written_time(text)
    except InvalidInput:
        spans = when.find_time_spans(text, now) or when.find_time_spans(f"in {text}", now)
        if not spans:
            raise InvalidInput(
                f"{text!r} is not a time", recovery="write it like 2026-03-01T09:30, 2026-03-01 or last week"
            ) from None
        first, last = (to_datetime(at).replace(tzinfo=None) for at in spans[0][:2])
        return first, last
    is_day = len(text.strip()) <= len("2026-03-01")
    try:
        return begins, begins + timedelta(days=1, microseconds=-1) * is_day
    except OverflowError:  # the last day that there is
        raise _make_time_error(text) from None


def interval(text: str, now: int) -> tuple[datetime, datetime]:
    """Read two times with a slash between, or one: a day that ends a span is a part of it."""
    first, _, last = text.partition("/")
    return span(first, now)[0], span(last or first, now)[1]


def said_time(one: "Memory | AffectedMemory") -> str:
    """Write when something was said, by the clocks there where they stood apart from UTC."""
    return local(one.said_at or 0) if not one.said_offset else _to_minutes(one.said_time or to_datetime(0))


def _to_minutes(at: datetime) -> str:
    return at.isoformat(" ", "minutes")


def local(given: datetime | int) -> str:
    """Write a time in the local zone, to the minute, with the zone's offset."""
    at = to_datetime(given) if isinstance(given, int) else given
    return _to_minutes(at.astimezone())


_INDENT = 4  # of what is wrapped, deeper than its line
_WORD = re.compile(r"\n| +|[^ \n]+")
_NO_CELL = frozenset({"Mn", "Me", "Cf"})  # marks on a letter, and signs that are not seen


@dataclass(frozen=True, slots=True)
class Undoable:
    """A result, and what to type to take it back."""

    result: Any
    back: str


class Fields(dict[str, Any]):
    """Some fields of a memory, by name: a line in which a tab stands between them."""


class Text:
    """A text in one style, or several parts of which each may have its own."""

    CODES: ClassVar[Mapping[str, str]] = {
        "bold": "1",
        "bold red": "1;31",
        "command": "2",  # is typed as it stands
        "cyan": "36",
        "dim": "2",
        "green": "32",
        "yellow": "33",
    }

    def __init__(self, text: str, style: str = "") -> None:
        self.parts: tuple[tuple[str, str], ...] = ((text, style),)

    @classmethod
    def assemble(cls, *parts: "str | tuple[str, str] | Text") -> "Text":
        """Join texts, pairs of text and style, and what was assembled before."""
        whole = cls("")
        for part in parts:
            more = part.parts if isinstance(part, Text) else ((part, "") if isinstance(part, str) else part,)
            whole.parts += more
        return whole

    @property
    def plain(self) -> str:
        """The text without its styles."""
        return "".join(text for text, _ in self.parts)

    def wrap_lines(self, width: int) -> "Text":
        """Break every line at the last space that lets it fit, and no command; what goes on is indented."""
        words = [
            (word, style)
            for text, style in self.parts
            for word in ([text] if style == "command" else _WORD.findall(text))
        ]
        return Text.assemble(*_wrap_words(words, width))

    def render_ansi(self) -> str:
        """The text with the codes that colour it on a terminal."""
        return "".join(
            f"\x1b[{self.CODES[style]}m{text}\x1b[0m" if style else text for text, style in self.parts
        )


def write_lines(lines: Iterable[Text], stream: TextIO | None = None) -> None:
    """Print lines: wrapped, and coloured unless NO_COLOR is set, where the stream is a terminal."""
    stream = stream or sys.stdout
    is_terminal = stream.isatty()
    is_coloured = is_terminal and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    for line in lines:
        output = line.wrap_lines(get_terminal_size().columns) if is_terminal else line
        print(output.render_ansi() if is_coloured else output.plain, file=stream)


def _wrap_words(words: Sequence[tuple[str, str]], width: int) -> Iterator[tuple[str, str]]:
    """Yield the words, and a new line in place of the spaces before each that would not fit."""
    column, deep, spaces = 0, _INDENT, ""
    for word, style in words:
        if word.isspace() and word != "\n":
            spaces += word
            deep = deep if column else min(len(spaces) + _INDENT, width // 2)
            continue
        if word == "\n":
            column, deep, spaces = 0, _INDENT, ""
        elif column > deep and column + len(spaces) + cells(word) > width:
            yield "\n" + " " * deep, ""
            column = deep + cells(word)
        else:
            yield spaces, style
            column += len(spaces) + cells(word)
        yield word, style
        spaces = ""


def cells(text: str) -> int:
    """Return how many columns of a terminal a text takes."""
    if text.isascii():
        return len(text)
    return sum(0 if category(one) in _NO_CELL else 1 + (east_asian_width(one) in "WF") for one in text)


@contextmanager
def counting(what: str) -> Iterator[Progress | None]:
    """Show how far a count has come; yield who is to be told, or None where stderr is no terminal."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn(what), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as shown:
        task = shown.add_task(what, total=None)
        yield lambda count, of: shown.update(task, completed=count, total=of)


@contextmanager
def waiting(what: str) -> Iterator[None]:
    """Show that something is going on whose length nobody knows."""
    with counting(what):
        yield
