"""Conversations in the formats they come in, turned into turns: text in and `Turn`s out.

Knows which formats there are and how to tell them apart; must not know how files are read or turns stored.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias, get_args

from remanence.errors import IngestError, InvalidInput, suggest
from remanence.model import Turn
from remanence.write.transcripts import jsonl, located
from remanence.write.transcripts.chatgpt import conversations
from remanence.write.transcripts.fields import FlawError
from remanence.write.transcripts.locomo import samples

Format: TypeAlias = Literal["auto", "locomo", "jsonl", "chatgpt"]
FORMATS: tuple[str, ...] = get_args(Format)

_READERS: Mapping[str, Callable[[Any, Counter[str]], Iterator[Turn]]] = {
    "locomo": samples,
    "chatgpt": conversations,
}


@dataclass(frozen=True, slots=True)
class Transcript:
    """What a file held: its turns in order, its format and threads, and what was left out (reason → count)."""

    turns: list[Turn]
    format: str
    threads: tuple[str, ...]
    skipped: Mapping[str, int] = field(default_factory=dict)


def parse(data: str | bytes, format: Format = "auto", source: str = "-") -> Transcript:  # noqa: A002
    """Read a whole file; a flaw anywhere is an `IngestError` with its line, and no turn is returned."""
    if format not in FORMATS:
        raise InvalidInput(f"unknown format {format!r}", recovery=suggest(format, FORMATS))
    text = located.decoded(data, source)
    if not text.strip():
        raise IngestError(
            "the file is empty", recovery="give a file that holds a conversation", source=source, line=1
        )
    name = detect(text, source) if format == "auto" else format
    if name == "jsonl":
        return _transcript(jsonl.rows(text, source), name, {})
    skipped: Counter[str] = Counter()
    try:
        turns = list(_READERS[name](located.loaded(text, source), skipped))
    except FlawError as flaw:
        line = located.line_of(text, flaw.path)
        raise IngestError(str(flaw), recovery=flaw.recovery, source=source, line=line) from None
    return _transcript(turns, name, skipped)


def detect(text: str, source: str = "-") -> str:
    """Name the format of a text by its first object; an unrecognised one is an `IngestError`."""
    first = text.lstrip().partition("\n")[0]
    if first.startswith("{") and located.is_json(first):
        return _shape(located.loaded(first, source)) or "jsonl"
    if first.startswith("{") and not located.is_json(text):
        return "jsonl"
    whole = located.loaded(text, source)
    head = whole[0] if isinstance(whole, list) and whole else whole
    name = _shape(head)
    if name is None:
        known = ", ".join(FORMATS[1:])
        raise IngestError(
            "not a conversation in a known format",
            recovery=f"give one of {known}, and name it",
            source=source,
            line=1,
        )
    return name


def _shape(head: Any) -> str | None:
    if not isinstance(head, dict):
        return None
    if "mapping" in head:
        return "chatgpt"
    return "locomo" if isinstance(head.get("conversation"), dict) else None


def _transcript(turns: Sequence[Turn], name: str, skipped: Mapping[str, int]) -> Transcript:
    threads = dict.fromkeys(turn.thread for turn in turns if turn.thread is not None)
    return Transcript(list(turns), name, tuple(threads), dict(skipped))
