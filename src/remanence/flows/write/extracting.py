"""Reads the turns of a file as a writer would be shown them, and says what that would cost; stores nothing.

Knows transcripts; must not know how a fact becomes a memory.
"""

from dataclasses import dataclass, replace
from datetime import tzinfo
from functools import partial
from pathlib import Path

from remanence.core.clock import to_datetime
from remanence.core.local_time import place_time
from remanence.core.model import Role, Turn
from remanence.core.results import Result, number, visible
from remanence.flows.base.extensions import importers
from remanence.flows.write.source_reading import open_source
from remanence.read.extraction import ExtractTurn
from remanence.write.roles import role_of_name
from remanence.write.transcripts.formats import IMPORTERS, Transcript, parse_source
from remanence.write.transcripts.importer_source import AnyImporter


@dataclass(frozen=True, slots=True, repr=False)
class ExtractEstimate(Result):
    """Estimate of an extraction from a file: how many calls of a model, and about how many tokens with the answers.

    `new` counts turns that are not known yet. `per_day` is the limit of tokens at which work waits. `writer` is None if
    no model is given that extracts. `cents` are 0 where no price is set.
    """

    source: str
    format: str
    turns: int
    new: int
    writer: str | None = None
    calls: int = 0
    tokens: int = 0
    per_day: int = 0
    cents: int = 0

    def __str__(self) -> str:
        whole = f"{number(self.turns, 'turn', 'turns')} of {self.source} ({self.format}), {self.new:,} new"
        if self.writer is None:
            return visible(f"{whole}: no writer is given, no facts are extracted")
        cost = f"{number(self.calls, 'call', 'calls')} of {self.writer}, about {self.tokens:,} tokens"
        cost += f", {number(self.cents, 'cent', 'cents')}" if self.cents else ""
        return visible(f"{whole}: {cost}; at most {self.per_day:,} a day")


def as_heard(turn: Turn, place: int, zone: tzinfo | None = None) -> ExtractTurn:
    """Return a turn as an extractor is shown it; one without a source or key is named by its place."""
    role = turn.role or role_of_name(turn.speaker) or Role.USER
    return ExtractTurn(
        id=turn.source or turn.key or str(place + 1),
        text=turn.text,
        speaker=turn.speaker or "",
        role=str(role),
        said_at="" if turn.said_at is None else to_datetime(*place_time(turn.said_at, zone)).isoformat(),
    )


def parse_transcript(
    path: Path,
    format: str | AnyImporter,  # noqa: A002
    zone: tzinfo | None = None,
    *,
    actions: bool = False,
) -> Transcript:
    """Read the turns of a file, a folder or a database, all of them before any is returned.

    Times without a zone are of `zone`. Of a coding session its `actions` come in where they are asked for.
    """
    with open_source(path) as opened:
        source = replace(opened, with_actions=actions)
        if isinstance(format, str):
            return parse_source(source, format, partial(importers, IMPORTERS), zone)
        own = type(format).__name__
        return parse_source(source, own, lambda: {own: format}, zone)
