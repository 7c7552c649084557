"""Which formats there are and how to tell them apart: a `Source` in and `Turn`s out.

Loads every importer, so only what reads a source imports it. Must not know how files are read or turns stored.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import tzinfo
from typing import NoReturn

from remanence.core.errors import IngestError, InvalidInput, NotFound, suggest
from remanence.core.half_characters import mend
from remanence.core.model import Turn
from remanence.write.transcripts import base, turn_fields
from remanence.write.transcripts.chatgpt import ChatGPT
from remanence.write.transcripts.citation_marks import take_marks_off
from remanence.write.transcripts.claude import Claude
from remanence.write.transcripts.claude_code import ClaudeCode
from remanence.write.transcripts.codex import Codex
from remanence.write.transcripts.cursor import CursorHistory
from remanence.write.transcripts.elfmem import Elfmem
from remanence.write.transcripts.graphiti import Graphiti
from remanence.write.transcripts.importer_source import (
    NOTES,
    AnyImporter,
    SkipCounts,
    Source,
    as_source_importer,
)
from remanence.write.transcripts.jsonl import JsonLines
from remanence.write.transcripts.langgraph_store import LangGraphStore
from remanence.write.transcripts.letta import Letta
from remanence.write.transcripts.locomo import Locomo
from remanence.write.transcripts.long_texts import cut_turn
from remanence.write.transcripts.mcp_memory import McpMemory
from remanence.write.transcripts.mem0 import Mem0
from remanence.write.transcripts.notes import Notes
from remanence.write.transcripts.openai import OpenAI
from remanence.write.transcripts.opencode import OpenCode
from remanence.write.transcripts.vault import Vault

# Asked in this order whether they recognise a source: the one that reads any object a line comes last.
IMPORTERS: Mapping[str, AnyImporter] = {
    "chatgpt": ChatGPT(),
    "claude": Claude(),
    "locomo": Locomo(),
    "mem0": Mem0(),
    "graphiti": Graphiti(),
    "letta": Letta(),
    "mcp-memory": McpMemory(),
    "langgraph": LangGraphStore(),
    "elfmem": Elfmem(),
    "claude-code": ClaudeCode(),
    "codex": Codex(),
    "opencode": OpenCode(),
    "cursor": CursorHistory(),
    "openai": OpenAI(),
    "vault": Vault(),
    "notes": Notes(),
    "jsonl": JsonLines(),
}
AUTO = "auto"


@dataclass(frozen=True, slots=True)
class Transcript:
    """What a source held: its turns in order, its format and threads, and what was left out (reason → count).

    `examples` shows the first of what was left out for a reason, where the importer named one. `halves` counts the
    halves of characters that were replaced.
    """

    turns: list[Turn]
    format: str
    threads: tuple[str, ...]
    skipped: Mapping[str, int] = field(default_factory=dict)
    examples: Mapping[str, str] = field(default_factory=dict)
    halves: int = 0


def parse(
    data: str | bytes,
    format: str = AUTO,  # noqa: A002
    source: str = "-",
    others: Callable[[], Mapping[str, AnyImporter]] = dict,
) -> Transcript:
    """Read one text as `parse_source` does."""
    held = data.encode("utf-8", "surrogatepass") if isinstance(data, str) else data
    return parse_source(Source(source, {source: held}), format, others)


def parse_source(
    source: Source,
    format: str = AUTO,  # noqa: A002
    others: Callable[[], Mapping[str, AnyImporter]] = dict,
    zone: tzinfo | None = None,
) -> Transcript:
    """Read a whole source; a flaw anywhere is an `IngestError` with its line, and no turn is returned.

    `others` are the importers that are not built in; they are asked for where no built-in one will do. Times without a
    zone are of `zone`.
    """
    importers = IMPORTERS if format in IMPORTERS or format == AUTO else {**IMPORTERS, **others()}
    if format != AUTO and format not in importers:
        raise InvalidInput(f"unknown format {format!r}", recovery=suggest(format, (AUTO, *importers)))
    text = source.only_text()
    if text is not None and not text.strip():
        raise IngestError(
            "the file is empty", recovery="give a file that holds a conversation", source=source.name, line=1
        )
    name = format
    if format == AUTO:
        flaws: list[InvalidInput] = []
        # A source that no importer recognises may be notes: by its name, or by what is in a folder.
        name = detect_importer(source, IMPORTERS, flaws) or ("notes" if source.list_files(*NOTES) else "")
        importers = IMPORTERS if name else others()
        name = (
            name
            or detect_importer(source, importers, flaws)
            or _refuse_unknown_format(source, (*IMPORTERS, *importers), flaws)
        )
    skips = SkipCounts()
    turns: list[Turn] = []
    halves = 0
    with turn_fields.reading_in(zone):
        for raw in as_source_importer(importers[name]).turns(source, skips):
            turn, count = mend(raw)
            turns += [part for clean in take_marks_off(turn, skips) for part in cut_turn(clean, skips)]
            halves += count
    threads = dict.fromkeys(turn.thread for turn in turns if turn.thread is not None)
    return Transcript(turns, name, tuple(threads), dict(skips), dict(skips.examples), halves)


def detect_importer(
    source: Source, importers: Mapping[str, AnyImporter], flaws: list[InvalidInput]
) -> str | None:
    """Name the first importer that recognises a source.

    What cannot be read of a folder goes to `flaws`: it may be of no matter to what the folder holds.
    """
    for name, one in importers.items():
        try:
            if as_source_importer(one).recognises(source):
                return name
        except InvalidInput as flaw:
            if not source.is_folder:
                raise
            flaws.append(flaw)
    return None


def _refuse_unknown_format(source: Source, known: Sequence[str], flaws: Sequence[InvalidInput]) -> NoReturn:
    if flaws:
        raise flaws[0]
    if source.is_folder:
        raise NotFound(
            f"no notes in {source.name}, and it is no memory in a known format",
            recovery=f"name a folder with files that end in {' or '.join(NOTES)}, or what {', '.join(known)} reads",
        )
    text = source.only_text()
    if text is not None and text.lstrip().startswith(("{", "[")):
        base.parse_json(text, source.name)  # a file cut off in its first object says so
    what = "a conversation" if text is not None else "a database"
    raise IngestError(
        f"not {what} in a known format",
        recovery=f"name its format: notes for plain text, or one of {', '.join(known)} (--format NAME)",
        source=source.name,
        line=1,
    )
