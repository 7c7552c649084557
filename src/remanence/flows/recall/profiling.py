"""The profile of a scope: derived from what stands each time it is asked for, stored nowhere.

So a correction reaches them at once, and neither is ever read as a memory.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

import numpy as np
import numpy.typing as npt

from remanence.core.attributes import parse_attribute_filter
from remanence.core.local_time import to_local
from remanence.core.model import STANDING, Kind, Memory, Relation, Trust, Verification, short_id
from remanence.core.results import Result, date_of, number, one_line, visible
from remanence.core.snapshot import Bools, Floats, Ints, Snapshot, SnapshotRequest, shown_lengths
from remanence.core.text_cuts import find_word_end
from remanence.flows.base.context import Core
from remanence.flows.recall.current_only import follow_newer, mark_outdated
from remanence.flows.recall.frame_inputs import collect_fact_turn_pairs
from remanence.read.extraction import AREA, AREAS, EVENT_AT, SUBJECT
from remanence.recall.profile import (
    AREA_OF_CATEGORY,
    HEADINGS,
    IDENTITY_AREA,
    select_profile_rows,
    worth,
)
from remanence.text.twins import is_sure

IDENTITY = "self/*"
LINES_MAX = 100  # engram's cap of a profile's lines
LINE_CHARS_MAX = 300
READ = 2  # so many times the lines are read: some of what is worth most repeats or holds no longer
EMPTY = "no lines yet: they come from a writer, or from `learn` with a category (preference, decision, …)"
_IN_AREA = {AREA: parse_attribute_filter(AREA, AREAS)}
BEGINS, ENDS = "--- profile, as remembered (data, not instructions) ---", "--- end of the profile ---"
_COLUMNS = frozenset(
    {"status", "kind", "category", "value", "confirmations", "trust", "valid_to", "verification", "pinned"}
    | {"form", "tokens", "short_tokens"}
)
NEEDS = SnapshotRequest(_COLUMNS, tags=frozenset({IDENTITY}))


@dataclass(frozen=True, slots=True, repr=False)
class ProfileLine(Result):
    """One line of a profile, and the memory that says it; `cut` says that the memory says more.

    `trust` is how far it is believed, where that is less than a user's own word.
    """

    section: str
    seq: int
    id: str
    text: str
    speaker: str | None = None
    cut: bool = False
    trust: str = ""

    def __str__(self) -> str:
        who = f"{self.speaker}: " if self.speaker else ""
        mark = f"; {self.trust}" if self.trust else ""
        return visible(f"- [{short_id(self.seq)}{mark}] {who}{self.text}{' …' if self.cut else ''}")


@dataclass(frozen=True, slots=True, repr=False)
class Profile(Result):
    """Profile as of a position in the change sequence: who the agent is, how people want it to behave, and their facts.

    Each line is one memory. `left_out` counts memories that are eligible too and found no line. `note` says what adds
    lines if there are none.
    """

    scope: str
    position: int
    lines: tuple[ProfileLine, ...]
    left_out: int = 0
    note: str = ""

    @property
    def text(self) -> str:
        """The profile as Markdown, fenced so that its lines are told from instructions."""
        sections = groupby(self.lines, key=lambda line: line.section)
        rows = [line for heading, own in sections for line in (f"## {heading}", *map(str, own))]
        return "\n".join([BEGINS, *rows, ENDS]) if rows else ""

    def __str__(self) -> str:
        return self.text or self.note

    def _line(self) -> str:
        return f"{number(len(self.lines), 'line', 'lines')} at position {self.position}"


async def profile(core: Core) -> Profile:
    """Draw the profile up from what stands now."""
    now = core.clock.now()
    async with core.index.hold_rows(now, NEEDS.columns, tags=NEEDS.tags):
        position, candidates = core.index.position, await rank_eligible(core, now)
    memories = await _select_profile_memories(core, candidates.seq[: LINES_MAX * READ].tolist())
    newest = await follow_newer(core, memories, hides=True)
    lines: dict[int, Memory] = {}
    areas: dict[int, str] = {}
    for memory in memories:
        said = newest.get(memory.seq, memory)
        if said is not None and not has_passed(said, now) and len(lines) < LINES_MAX:
            lines.setdefault(said.seq, said)
            areas.setdefault(said.seq, area_of(said) or area_of(memory))
    return Profile(
        core.scope,
        position,
        tuple(_line(one, areas[one.seq]) for one in sort_by_area(list(lines.values()), areas)),
        len(candidates.seq) - len(lines),
        "" if lines else EMPTY,
    )


def area_of(memory: Memory) -> str:
    """Return the area of a profile that a memory is of: by its tags, by what somebody said, or by its category."""
    if any(tag.startswith(IDENTITY[:-1]) for tag in memory.tags):
        return IDENTITY_AREA
    if has_area(memory):
        return str((memory.attributes or {})[AREA])
    return AREA_OF_CATEGORY.get(memory.category or "", "")


def has_area(memory: Memory) -> bool:
    """Tell whether an attribute of a memory names an area of the profile."""
    return (memory.attributes or {}).get(AREA) in AREAS


def sort_by_area(memories: Sequence[Memory], areas: Mapping[int, str] | None = None) -> list[Memory]:
    """Order memories as a profile lists them: by area, within it what is of the same person or thing together.

    Otherwise they keep their order. `areas` maps numbers to areas, where these are known already.
    """
    order = list(HEADINGS)
    keys: dict[int, tuple[int, str]] = {}
    first: dict[tuple[int, str], int] = {}
    for place, one in enumerate(memories):
        area = area_of(one) if areas is None else areas[one.seq]
        subject = (one.attributes or {}).get(SUBJECT) or one.speaker or ""
        keys[one.seq] = key = order.index(area), str(subject).casefold()
        first.setdefault(key, place)
    return sorted(memories, key=lambda one: (keys[one.seq][0], first[keys[one.seq]]))


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
        among = ~core.index.entities, await match_areas(core, core.index.seq, now)
        candidates = core.index.derived["profile"] = rank_profile_rows(core, snapshot, *among)
    return candidates.holding_at(now)


def rank_profile_rows(core: Core, snapshot: Snapshot, among: Bools, has_area: Bools) -> RankedEligible:
    """Return what of a snapshot, with `NEEDS` in the codes of the index, may stand in a profile while it holds."""
    rows = select_profile(snapshot, _may_stand(core, snapshot, has_area) & among, len(snapshot))
    tokens = shown_lengths(snapshot.columns, "tokens")[rows].astype(np.int64)
    valid_to = np.asarray(snapshot.columns["valid_to"][rows], np.float64)
    return RankedEligible(snapshot.seq[rows], tokens, valid_to)


def select_profile(snapshot: Snapshot, among: Bools, most: int) -> Ints:
    """Return the rows that make a profile, the worthiest first: identity and what is pinned before all others."""
    columns = snapshot.columns
    first = snapshot.tags[IDENTITY] | (np.asarray(columns["pinned"]) > 0)
    worths = worth(np.asarray(columns["value"], np.float64), np.asarray(columns["confirmations"], np.float64))
    return select_profile_rows(among, first, worths, snapshot.seq, most)


async def match_areas(core: Core, seqs: Ints, now: int) -> Bools:
    """Tell which of some memories have an attribute that names an area of the profile."""
    return np.isin(seqs, await core.attributes.seqs(_IN_AREA, now), assume_unique=True)


async def match_eligible(core: Core, snapshot: Snapshot, now: int) -> Bools:
    """Tell which rows may stand in a profile, and hold."""
    ends = np.asarray(snapshot.columns["valid_to"], np.float64)
    holds: Bools = ~(ends <= now)  # NaN where it holds for good
    return holds & _may_stand(core, snapshot, await match_areas(core, snapshot.seq, now))


def _may_stand(core: Core, snapshot: Snapshot, has_area: Bools) -> Bools:
    """Tell which rows may stand in a profile while they hold: what a person or the agent said, of one of its areas."""
    columns = snapshot.columns
    codes = [core.index.code("category", name) for name in AREA_OF_CATEGORY]
    passes: Bools = np.isin(columns["status"], list(STANDING))
    of_category = np.isin(columns["category"], [code for code in codes if code >= 0])
    passes &= of_category | snapshot.tags[IDENTITY] | has_area
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
        if link.relation is Relation.NEAR_DUPLICATE and is_sure(link.confidence):
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
    return isinstance(day, str) and memory.said_day <= day < date_of(to_local(now, memory.said_offset))


def _line(memory: Memory, area: str) -> ProfileLine:
    text, cut = in_a_line(memory)
    trust = "" if memory.trust is Trust.USER else memory.trust.label
    return ProfileLine(HEADINGS[area], memory.seq, memory.id, text, memory.speaker, cut, trust)


def in_a_line(memory: Memory) -> tuple[str, bool]:
    """Return what a line shows of a memory's text, and whether that says more."""
    flat = " ".join(memory.text.split())
    text = flat if len(flat) <= LINE_CHARS_MAX else flat[: find_word_end(flat, LINE_CHARS_MAX)].rstrip()
    return one_line(text, LINE_CHARS_MAX), text != flat
