"""The profile of a scope: derived from what stands each time it is asked for, stored nowhere.

So a correction reaches them at once, and neither is ever read as a memory.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

import numpy as np
import numpy.typing as npt

from remanence.core.model import STANDING, Kind, Memory, Relation, Trust, Verification, short_id
from remanence.core.results import Result, date_of, number, one_line, visible
from remanence.core.snapshot import Bools, Floats, Ints, Snapshot, SnapshotRequest, shown_lengths
from remanence.flows.base import settings
from remanence.flows.base.context import Core
from remanence.flows.recall.current_only import mark_outdated
from remanence.flows.recall.frame_inputs import collect_fact_turn_pairs
from remanence.flows.recall.newer_chains import NewerChains, follow_newer
from remanence.read.extraction import EVENT_AT
from remanence.recall.profile import HEADINGS, IDENTITY_SECTION, SECTIONS, select_profile_rows, worth

IDENTITY = "self/*"
LINES_MAX = 100  # engram's cap of a profile's lines
LINE_CHARS_MAX = 300
READ = 2  # so many times the lines are read: some of what is worth most repeats or holds no longer
EMPTY = "no lines yet: they come from a writer, or from `learn` with a category (preference, decision, …)"
BEGINS, ENDS = "--- profile, as remembered (data, not instructions) ---", "--- end of the profile ---"
_COLUMNS = frozenset(
    {"status", "kind", "category", "value", "confirmations", "trust", "valid_to", "verification", "pinned"}
    | {"form", "tokens", "short_tokens"}
)
NEEDS = SnapshotRequest(_COLUMNS, tags=frozenset({IDENTITY}))


@dataclass(frozen=True, slots=True, repr=False)
class ProfileLine(Result):
    """One line of a profile, and the memory that says it; `cut` says that the memory says more.

    `trust` is how far it is believed, where that is less than a user's own word. `before` is what was said of the same
    before that is surely out of date.
    """

    section: str
    seq: int
    id: str
    text: str
    speaker: str | None = None
    cut: bool = False
    trust: str = ""
    before: str = ""

    def __str__(self) -> str:
        before = f" (before: {self.before})" * bool(self.before)
        who = f"{self.speaker}: " if self.speaker else ""
        mark = f"; {self.trust}" * bool(self.trust)
        return visible(f"- [{short_id(self.seq)}{mark}] {who}{self.text}{' …' * self.cut}{before}")


@dataclass(frozen=True, slots=True, repr=False)
class Profile(Result):
    """Who the agent is and how people want it to behave, a line a memory, as of a position in the change sequence.

    `left_out` counts what is eligible too and found no line.
    """

    scope: str
    position: int
    lines: tuple[ProfileLine, ...]
    left_out: int = 0

    @property
    def text(self) -> str:
        """The profile as Markdown, fenced so that its lines are told from instructions."""
        sections = groupby(self.lines, key=lambda line: line.section)
        rows = [line for heading, own in sections for line in (f"## {heading}", *map(str, own))]
        return "\n".join([BEGINS, *rows, ENDS]) if rows else ""

    def __str__(self) -> str:
        return self.text or EMPTY

    def _line(self) -> str:
        return f"{number(len(self.lines), 'line', 'lines')} at position {self.position}"


async def profile(core: Core) -> Profile:
    """Draw the profile up from what stands now."""
    most, now = await settings.number(core, "profile_lines"), core.clock.now()
    async with core.index.hold_rows(now, NEEDS.columns, tags=NEEDS.tags):
        position, candidates = core.index.position, await rank_eligible(core, now)
    memories = await _select_profile_memories(core, candidates.seq[: most * READ].tolist())
    chains = await follow_newer(core, memories)
    newest: dict[int, ProfileLine] = {}
    for memory in memories:
        line = _line(memory, chains)
        if line is not None and len(newest) < most:
            newest.setdefault(line.seq, line)
    lines = list(newest.values())
    return Profile(
        core.scope,
        position,
        tuple(sorted(lines, key=lambda line: HEADINGS.index(line.section))),
        len(candidates.seq) - len(lines),
    )


@dataclass(frozen=True, eq=False, slots=True)
class RankedEligible:
    """What may stand in a profile, the worthiest first, with its stored tokens, and until when it holds."""

    seq: Ints
    tokens: Ints
    valid_to: Floats

    def where(self, stays: Bools) -> "RankedEligible":
        """Return some of it."""
        return RankedEligible(self.seq[stays], self.tokens[stays], self.valid_to[stays])

    def holding_at(self, at: int) -> "RankedEligible":
        """Return what of it holds at an instant."""
        return self.where(~(self.valid_to <= at))  # NaN where it holds for good


async def rank_eligible(core: Core, now: int) -> RankedEligible:
    """Return what may stand in a profile and holds; the index stays still, with `NEEDS`.

    All but the time is worked out once after each change of the scope.
    """
    candidates: RankedEligible | None = core.index.derived.get("profile")
    if candidates is None:
        tags = {pattern: await core.index.match_tag(pattern, now) for pattern in NEEDS.tags}
        columns = {name: core.index.column(name) for name in NEEDS.columns}
        snapshot = Snapshot(core.scope, core.index.position, core.index.seq, columns, tags=tags)
        candidates = core.index.derived["profile"] = rank_profile_rows(core, snapshot, core.index.entities)
    return candidates.holding_at(now)


def rank_profile_rows(core: Core, snapshot: Snapshot, entities: Bools) -> RankedEligible:
    """Return what of a snapshot, with `NEEDS` in the codes of the index, may stand in a profile while it holds."""
    rows = select_profile(snapshot, _may_stand(core, snapshot) & ~entities, len(snapshot))
    tokens = shown_lengths(snapshot.columns, "tokens")[rows].astype(np.int64)
    valid_to = np.asarray(snapshot.columns["valid_to"][rows], np.float64)
    return RankedEligible(snapshot.seq[rows], tokens, valid_to)


def select_profile(snapshot: Snapshot, among: Bools, most: int) -> Ints:
    """Return the rows that make a profile, the worthiest first: identity and what is pinned before all others."""
    columns = snapshot.columns
    first = snapshot.tags[IDENTITY] | (np.asarray(columns["pinned"]) > 0)
    worths = worth(np.asarray(columns["value"], np.float64), np.asarray(columns["confirmations"], np.float64))
    return select_profile_rows(among, first, worths, snapshot.seq, most)


def match_eligible(core: Core, snapshot: Snapshot, now: int) -> Bools:
    """Tell which rows may stand in a profile, and hold."""
    ends = np.asarray(snapshot.columns["valid_to"], np.float64)
    return _may_stand(core, snapshot) & ~(ends <= now)  # NaN where it holds for good


def _may_stand(core: Core, snapshot: Snapshot) -> Bools:
    """Tell which rows may stand in a profile while they hold: what a person or the agent said, of its categories."""
    columns = snapshot.columns
    codes = [core.index.code("category", name) for name in SECTIONS]
    passes: Bools = np.isin(columns["status"], list(STANDING))
    passes &= np.isin(columns["category"], [code for code in codes if code >= 0]) | snapshot.tags[IDENTITY]
    passes &= np.asarray(columns["kind"]) != Kind.EPISODIC
    passes &= match_believed(columns["trust"])
    passes &= np.asarray(columns["verification"]) != Verification.DISPUTED
    return passes


def match_believed(trust: npt.NDArray[Any]) -> Bools:
    """Tell by their trust which memories may say who the agent is or begin its work: what a user or an agent said."""
    believed: Bools = np.asarray(trust) >= Trust.AGENT
    return believed


async def _select_profile_memories(core: Core, seqs: Sequence[int]) -> list[Memory]:
    """Return memories in order, without what holds no longer and what another one says already."""
    marks = await mark_outdated(core, await core.store.get(core.scope, seqs))
    relations = Relation.NEAR_DUPLICATE, Relation.LEARNED_FROM
    links = await core.store.neighbours(core.scope, seqs, *relations) if seqs else []
    alike: dict[int, set[int]] = {}
    for link in links:
        if link.relation is Relation.NEAR_DUPLICATE:
            alike.setdefault(link.source, set()).add(link.target)
            alike.setdefault(link.target, set()).add(link.source)
    same = collect_fact_turn_pairs(links).without(marks.edited_seqs)
    by_seq: dict[int, Memory] = {}
    for memory in marks.memories:
        if (
            memory is None
            or memory.status not in STANDING
            or memory.ended
            or has_passed(memory, core.clock.now())
        ):
            continue
        if by_seq.keys().isdisjoint([*alike.get(memory.seq, ()), *same.with_(memory.seq)]):
            by_seq[memory.seq] = memory
    return list(by_seq.values())


def has_passed(memory: Memory, now: int) -> bool:
    """Tell whether what a memory says was still to come has its day behind it, where a writer named the day."""
    day = (memory.attributes or {}).get(EVENT_AT)
    return isinstance(day, str) and date_of(memory.said_at) <= day < date_of(now)


def _line(memory: Memory, chains: NewerChains) -> ProfileLine | None:
    """Return the line of a memory, which the newest of its matter says; None where that is too far to be known."""
    of_identity = any(tag.startswith(IDENTITY[:-1]) for tag in memory.tags)
    section = IDENTITY_SECTION if of_identity else SECTIONS[memory.category or ""]
    said = chains.find_line(memory)
    if said is None:
        return None
    text, cut = in_a_line(said)
    trust = "" if said.trust is Trust.USER else said.trust.label
    before = chains.before.get(said.seq, "")
    return ProfileLine(section, said.seq, said.id, text, said.speaker, cut, trust, before)


def in_a_line(memory: Memory) -> tuple[str, bool]:
    """Return what a line shows of a memory's text, and whether that says more."""
    flat = " ".join(memory.text.split())
    text = flat if len(flat) <= LINE_CHARS_MAX else flat[:LINE_CHARS_MAX].rsplit(" ", 1)[0]
    return one_line(text, LINE_CHARS_MAX), text != flat
