"""The extractor that needs no model, and which facts a file states, with what each would be kept as; stores nothing.

Knows rules and transcripts; must not know how a fact becomes a memory.
"""

import asyncio
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import groupby
from pathlib import Path

from remanence.core.arguments import check_path
from remanence.core.clock import to_datetime
from remanence.core.errors import InvalidInput
from remanence.core.model import Kind, Role, Turn
from remanence.core.results import Result, number, visible
from remanence.flows.base.extensions import importers
from remanence.flows.write.source_reading import open_source
from remanence.read.assertion import tier
from remanence.read.extract import extract_facts
from remanence.read.extraction import (
    CATEGORIES,
    Entity,
    ExtractRequest,
    ExtractResult,
    ExtractTurn,
    Fact,
    Relationship,
    checked_turns,
)
from remanence.read.importance import importance, kind_of, level
from remanence.write.roles import role_of_name
from remanence.write.transcripts.formats import IMPORTERS, Transcript, parse_source
from remanence.write.transcripts.source import AnyImporter

BATCH_TURNS = 5  # of one session, looked at together under the limits of one extraction, which few reach


class OfflineExtractor:
    """Finds facts by rules: which sentences state something that lasts, in seven languages."""

    name = "offline-1"

    async def extract(self, turns: Sequence[ExtractTurn], wanted: ExtractRequest) -> ExtractResult:
        """Find facts in at most 100 turns; rules follow no instruction."""
        checked_turns(turns)
        if wanted.instruction:
            raise InvalidInput(
                "rules follow no instruction", recovery="leave it out, or give `open` a writer that extracts"
            )
        return extract_facts(turns, wanted.categories)


@dataclass(frozen=True, slots=True, repr=False)
class FoundFact(Result):
    """One statement worth keeping: who said it, from which characters of which turn, and what it would be kept as."""

    content: str
    category: str
    kind: Kind
    confidence: float
    tier: str
    importance: float
    level: str
    subject: str
    tags: tuple[str, ...]
    speaker: str
    turn: str
    span: tuple[int, int]

    def __str__(self) -> str:
        return visible(f"{self.category}, {self.tier}, {self.level}: {self.content} [{self.turn}]")


@dataclass(frozen=True, slots=True, repr=False)
class ExtractEstimate(Result):
    """What extracting from a file would ask of a writer: how often, and about how many tokens with the answers.

    `new` are the turns that are not known yet. `per_run` and `per_day` are the limits at which work waits, `writer` is
    None where rules extract, which ask nobody.
    """

    source: str
    format: str
    turns: int
    new: int
    writer: str | None = None
    calls: int = 0
    tokens: int = 0
    per_run: int = 0
    per_day: int = 0

    def __str__(self) -> str:
        whole = f"{number(self.turns, 'turn', 'turns')} of {self.source} ({self.format}), {self.new:,} new"
        if self.writer is None:
            return visible(f"{whole}: rules extract, no model is asked")
        cost = f"{number(self.calls, 'call', 'calls')} of {self.writer}, about {self.tokens:,} tokens"
        return visible(f"{whole}: {cost}; at most {self.per_run:,} a run and {self.per_day:,} a day")


@dataclass(frozen=True, slots=True, repr=False)
class Extraction(Result):
    """What a file states; `bearing` counts the turns with facts, `cut` what is beyond the limits of a batch.

    `estimate` says what a writer would be asked for them, and which turns are new; where no memory was asked all are.
    """

    source: str
    format: str
    turns: int
    bearing: int
    estimate: ExtractEstimate
    facts: tuple[FoundFact, ...] = ()
    entities: tuple[Entity, ...] = ()
    profile: tuple[str, ...] = ()
    relationships: tuple[Relationship, ...] = ()
    cut: Mapping[str, int] = field(default_factory=dict)

    def __str__(self) -> str:
        whole = number(self.turns, "turn", "turns")
        head = f"{number(len(self.facts), 'fact', 'facts')} in {self.bearing:,} of {whole} of {self.source}"
        omissions = ", ".join(f"{count:,} {name}" for name, count in self.cut.items())
        return "\n".join(
            [visible(head), *map(str, self.facts), *([f"left out: {omissions}"] if omissions else [])]
        )


async def extract(path: str | Path, format: str | AnyImporter) -> Extraction:  # noqa: A002
    """Find what a file of conversation states, by rules; nothing is stored and no model is asked."""
    check_path(path)
    transcript = await asyncio.to_thread(parse_transcript, Path(path), format)
    return await asyncio.to_thread(extraction_of, transcript, Path(path).name)


def extraction_of(transcript: Transcript, source: str) -> Extraction:
    """Find what the turns of a file state."""
    turns = [as_heard(turn, place) for place, turn in enumerate(transcript.turns)]
    by_batch = [(batch, extract_facts(batch, CATEGORIES)) for batch in batches(transcript.turns, turns)]
    facts = [fact for batch, one in by_batch for fact in _facts(batch, one.facts)]
    cut: Counter[str] = Counter()
    for _, one in by_batch:
        cut.update(one.cut)
    return Extraction(
        source=source,
        format=transcript.format,
        turns=len(turns),
        bearing=len({fact.turn for fact in facts}),
        estimate=ExtractEstimate(source, transcript.format, len(turns), len(turns)),
        facts=tuple(facts),
        entities=tuple(dict.fromkeys(entity for _, one in by_batch for entity in one.entities)),
        profile=tuple(dict.fromkeys(line for _, one in by_batch for line in one.profile)),
        relationships=tuple(dict.fromkeys(two for _, one in by_batch for two in one.relationships)),
        cut=dict(cut),
    )


def as_heard(turn: Turn, place: int) -> ExtractTurn:
    """Return a turn as an extractor is shown it; one without a source or key is named by its place."""
    role = turn.role or role_of_name(turn.speaker) or Role.USER
    return ExtractTurn(
        id=turn.source or turn.key or str(place + 1),
        text=turn.text,
        speaker=turn.speaker or "",
        role=str(role),
        said_at=to_datetime(turn.said_at).isoformat() if isinstance(turn.said_at, int) else "",
    )


def batches(turns: Sequence[Turn], heard: Sequence[ExtractTurn]) -> Iterator[Sequence[ExtractTurn]]:
    """Yield turns of one session after one another, so many at a time."""
    for _, group in groupby(
        zip(turns, heard, strict=True), key=lambda both: (both[0].thread, both[0].session)
    ):
        session_turns = [one for _, one in group]
        yield from (
            session_turns[begin : begin + BATCH_TURNS] for begin in range(0, len(session_turns), BATCH_TURNS)
        )


def _facts(batch: Sequence[ExtractTurn], facts: Sequence[Fact]) -> Iterator[FoundFact]:
    speakers = {turn.id: turn.speaker for turn in batch}
    for fact in facts:
        worth = importance(fact.content, fact.category)
        yield FoundFact(
            content=fact.content,
            category=fact.category,
            kind=kind_of(fact.content, fact.category),
            confidence=fact.confidence,
            tier=tier(fact.confidence),
            importance=worth,
            level=level(worth),
            subject=fact.subject,
            tags=fact.tags,
            speaker=speakers[fact.turn],
            turn=fact.turn,
            span=fact.span,
        )


def parse_transcript(path: Path, format: str | AnyImporter) -> Transcript:  # noqa: A002
    """Read the turns of a file, a folder or a database, all of them before any is returned."""
    with open_source(path) as source:
        if isinstance(format, str):
            return parse_source(source, format, partial(importers, IMPORTERS))
        own = type(format).__name__
        return parse_source(source, own, lambda: {own: format})
