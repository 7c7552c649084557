"""What candidates for a frame are weighed by, read from the store: few one by one, many as columns of the scope.

Knows where the five parts of a score come from; how they are weighed is in `recall.frames`.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from remanence.clock import HOUR
from remanence.flows.core import Core
from remanence.model import UNCOUNTED, Link, Memory, Relation
from remanence.recall.fit import Told
from remanence.recall.frames import Evidence, Strength, strengths, stronger_than
from remanence.snapshot import Bools, Floats, Ints, Snapshot, SnapshotRequest
from remanence.store.base import Bookkeeping
from remanence.timescale import ClockName, Timescale, scales

FEW = 500  # above, a snapshot of the scope is the cheaper
TIMES = ("learned_at", "used_at", "reinforced_at")
_COLUMNS = (*TIMES, "decay", "confidence", "helped", "failed", "uses", "confirmations")


@dataclass(frozen=True, eq=False, slots=True)
class Links:
    """Links as arrays; ends are sequence numbers, `open` tells which were not resolved."""

    source: Ints
    target: Ints
    relation: npt.NDArray[np.int8]
    weight: Floats
    open: Bools


@dataclass(frozen=True, eq=False, slots=True)
class Facts:
    """Columns by name and links of some memories, aligned with how they were asked for; hours are on a clock."""

    columns: Mapping[str, Floats]
    links: Links
    hours: Floats

    @property
    def evidence(self) -> Evidence:
        """What speaks for each; of one that is gone, nothing."""
        known = {name: np.nan_to_num(self.columns[name]) for name in ("helped", "failed", "decay")}
        return Evidence(
            self.columns["confidence"],
            known["helped"],
            known["failed"],
            known["decay"].astype(np.int8),
            self.hours,
        )

    @property
    def counts(self) -> Floats:
        """How often each was used or confirmed."""
        return np.asarray(np.nan_to_num(self.columns["uses"] + self.columns["confirmations"]))


async def facts(core: Core, seqs: Ints, clock: ClockName, now: int) -> Facts:
    """Read what some memories are weighed by; one that is gone meanwhile knows nothing."""
    if len(seqs) > FEW:
        snapshot = await core.store.snapshot(
            core.scope, SnapshotRequest(frozenset(_COLUMNS), links=frozenset({"resolved_at"})), now
        )
        columns, links = _columns_of(snapshot, seqs, _COLUMNS), _links_of(snapshot)
    else:
        columns = _listed(await core.store.get(core.scope, seqs.tolist()))
        links = _linked(await core.store.neighbours(core.scope, seqs.tolist()))
    return Facts(columns, links, _hours(columns, await _scale(core, clock, now), now))


async def hours(core: Core, seqs: Ints, clock: ClockName, now: int) -> Floats:
    """Return the hours since memories were learned, used or reinforced, on a clock; those that are gone never were."""
    snapshot = await core.store.snapshot(core.scope, SnapshotRequest(frozenset(TIMES)), now)
    return _hours(_columns_of(snapshot, seqs, TIMES), await _scale(core, clock, now), now)


def fading_clock(core: Core) -> ClockName:
    """Return the clock that memories fade by: the policy's, else the one the memory was opened with."""
    return core.policy.clock if core.policy.clock != "wall" else core.fades_by


async def stronger(core: Core, links: Iterable[Link], seqs: Ints, now: int) -> dict[int, set[int]]:
    """Map each of some memories that stand to those of them that openly contradict it, by some links, more strongly."""
    contradicting = (one for one in links if one.relation is Relation.CONTRADICTS and one.resolved_at is None)
    pairs = [(link.source, link.target) for link in contradicting]
    if not pairs:
        return {}
    ordered = np.sort(seqs)
    read = await facts(core, ordered, fading_clock(core), now)
    return await above(core, pairs, ordered, read.evidence)


async def above(
    core: Core, pairs: Sequence[tuple[int, int]], seqs: Ints, evidence: Evidence
) -> dict[int, set[int]]:
    """Map the weaker ends of pairs that contradict each other to the stronger; `evidence` is of ascending `seqs`."""
    places = {seq: place for place, seq in enumerate(seqs.tolist())}
    ends = sorted({seq for pair in pairs for seq in pair if pair[0] in places and pair[1] in places})
    memories = await core.store.get(core.scope, ends) if ends else []
    parts = strengths(evidence)
    known = {
        one.seq: Strength(
            one.seq,
            one.trust,
            one.speaker,
            one.said_at,
            float(parts["confidence"][places[one.seq]]),
            float(parts["recency"][places[one.seq]]),
        )
        for one in memories
        if one is not None
    }
    return stronger_than(pairs, known)


def told(links: Iterable[Link]) -> Told:
    """Return what was learned from what, by some links: facts from turns, if no other."""
    turns: dict[int, set[int]] = {}
    facts: dict[int, set[int]] = {}
    for link in links:
        if link.relation is Relation.LEARNED_FROM:
            turns.setdefault(link.source, set()).add(link.target)
            facts.setdefault(link.target, set()).add(link.source)
    return Told(turns, facts)


def says_it(one: Memory, other: Memory) -> bool:
    """Tell whether one memory is a fact and the other a turn that it was extracted from: the same words, twice."""
    return one.id in other.sources or other.id in one.sources


def degrees(core: Core, links: Links, rows: Ints) -> Floats:
    """Sum the weights of the visible links of some rows: both ends stand, and no lineage or contradiction (elfmem)."""
    ends, seen = _standing(core, links)
    seen &= np.isin(links.relation, [int(relation) for relation in UNCOUNTED], invert=True)
    weights = np.concatenate([links.weight[seen]] * 2)
    summed = np.bincount(np.concatenate([end[seen] for end in ends]), weights, minlength=len(core.index))
    return np.asarray(summed[rows], np.float64)


def contradictions(core: Core, links: Links) -> list[tuple[int, int]]:
    """List the pairs that stand and contradict each other, as far as nobody resolved it."""
    _, seen = _standing(core, links)
    seen &= (links.relation == Relation.CONTRADICTS) & links.open
    return list(zip(links.source[seen].tolist(), links.target[seen].tolist(), strict=True))


def _standing(core: Core, links: Links) -> tuple[tuple[Ints, Ints], Bools]:
    """Return the rows of both ends, and which links have two that stand."""
    stands, seen, rows = core.index.stands, np.ones(len(links.source), np.bool_), []
    for seqs in (links.source, links.target):
        at, here = core.index.rows_among(seqs)
        row = np.zeros(len(seqs), np.int64)
        row[here] = at
        seen &= here
        seen[here] &= stands[at]
        rows.append(row)
    return (rows[0], rows[1]), seen


async def _scale(core: Core, clock: ClockName, now: int) -> Timescale | None:
    """Read a clock; the wall's needs no map."""
    if clock == "wall":
        return None
    booked = await core.store.bookkeep(core.scope, Bookkeeping(now, clocks=frozenset({clock})))
    return scales(booked, now)[clock]


def _hours(columns: Mapping[str, Floats], scale: Timescale | None, now: int) -> Floats:
    last = np.fmax(np.fmax(columns["learned_at"], columns["used_at"]), columns["reinforced_at"])
    passed = now - last if scale is None else scale.reading - scale.at(last)
    return np.asarray(np.nan_to_num(passed / HOUR, nan=np.inf), np.float64)


def _columns_of(snapshot: Snapshot, seqs: Ints, names: Sequence[str]) -> dict[str, Floats]:
    at = np.searchsorted(snapshot.seq, seqs)
    here = at < len(snapshot)
    here[here] = snapshot.seq[at[here]] == seqs[here]
    columns = {name: np.full(len(seqs), np.nan) for name in names}
    for name, values in columns.items():
        values[here] = snapshot.columns[name][at[here]]
    return columns


def _links_of(snapshot: Snapshot) -> Links:
    links = snapshot.links
    assert links is not None and links.resolved_at is not None
    source, target = snapshot.seq[links.source], snapshot.seq[links.target]
    weight = links.at("weight", np.arange(len(links)))
    return Links(source, target, links.relation, weight, np.isnan(links.resolved_at))


def _listed(memories: Sequence[Memory | None]) -> dict[str, Floats]:
    return {
        name: np.array(
            [np.nan if memory is None else _number(memory, name) for memory in memories], np.float64
        )
        for name in _COLUMNS
    }


def _number(memory: Memory, name: str) -> float:
    value = getattr(memory, name)
    return np.nan if value is None else float(value)


def _linked(links: Sequence[Link]) -> Links:
    return Links(
        source=np.array([link.source for link in links], np.int64),
        target=np.array([link.target for link in links], np.int64),
        relation=np.array([link.relation for link in links], np.int8),
        weight=np.array([link.weight for link in links], np.float64),
        open=np.array([link.resolved_at is None for link in links], np.bool_),
    )
