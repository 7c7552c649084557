"""Conversations in the formats they come in, turned into turns: text in and `Turn`s out.

Knows which formats there are and how to tell them apart; must not know how files are read or turns stored.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NoReturn

from remanence.core.errors import IngestError, InvalidInput, suggest
from remanence.core.model import Turn
from remanence.write.transcripts import base
from remanence.write.transcripts.base import Importer
from remanence.write.transcripts.chatgpt import ChatGPT
from remanence.write.transcripts.jsonl import JsonLines
from remanence.write.transcripts.locomo import Locomo
from remanence.write.transcripts.notes import Notes
from remanence.write.transcripts.openai import OpenAI

# Asked in this order whether they recognise a text: the one that reads any object a line comes last.
IMPORTERS: Mapping[str, Importer] = {
    "chatgpt": ChatGPT(),
    "locomo": Locomo(),
    "openai": OpenAI(),
    "notes": Notes(),
    "jsonl": JsonLines(),
}
AUTO = "auto"
NOTES = (".md", ".markdown")  # how the names of notes end


@dataclass(frozen=True, slots=True)
class Transcript:
    """What a file held: its turns in order, its format and threads, and what was left out (reason → count)."""

    turns: list[Turn]
    format: str
    threads: tuple[str, ...]
    skipped: Mapping[str, int] = field(default_factory=dict)


def parse(
    data: str | bytes,
    format: str = AUTO,  # noqa: A002
    source: str = "-",
    others: Callable[[], Mapping[str, Importer]] = dict,
) -> Transcript:
    """Read a whole file; a flaw anywhere is an `IngestError` with its line, and no turn is returned.

    `others` are the importers that are not built in; they are asked for where no built-in one will do.
    """
    importers = IMPORTERS if format in IMPORTERS or format == AUTO else {**IMPORTERS, **others()}
    if format != AUTO and format not in importers:
        raise InvalidInput(f"unknown format {format!r}", recovery=suggest(format, (AUTO, *importers)))
    text = base.decode_utf8(data, source)
    if not text.strip():
        raise IngestError(
            "the file is empty", recovery="give a file that holds a conversation", source=source, line=1
        )
    name = format
    if format == AUTO:
        name = detect_importer(text, IMPORTERS) or ("notes" if source.lower().endswith(NOTES) else "")
        importers = IMPORTERS if name else others()
        name = (
            name
            or detect_importer(text, importers)
            or _refuse_unknown_format(text, source, (*IMPORTERS, *importers))
        )
    skip_counts: Counter[str] = Counter()
    turns = list(importers[name].turns(text, source, skip_counts))
    threads = dict.fromkeys(turn.thread for turn in turns if turn.thread is not None)
    return Transcript(turns, name, tuple(threads), dict(skip_counts))


def detect_importer(text: str, importers: Mapping[str, Importer]) -> str | None:
    """Name the first importer that recognises a text."""
    return next((name for name, importer in importers.items() if importer.recognises(text)), None)


def _refuse_unknown_format(text: str, source: str, known: Sequence[str]) -> NoReturn:
    if text.lstrip().startswith(("{", "[")):
        base.parse_json(text, source)  # a file cut off in its first object says so
    raise IngestError(
        "not a conversation in a known format",
        recovery=f"give one of {', '.join(known)}, and name it",
        source=source,
        line=1,
    )
