"""What candidates for a frame are weighed by: few are read for it, many are kept in memory.

Knows where the five parts of a score come from; how they are weighed is in `recall.frames`.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from remanence.core.clock import HOUR
from remanence.core.model import Link, Memory, Relation, Verification
from remanence.core.score import Metadata
from remanence.core.snapshot import Bools, Floats, Ints, SnapshotRequest
from remanence.core.timescale import ClockName, Timescale, scales
from remanence.flows.base.context import Core
from remanence.flows.indexes.evidence_index import (
    COLUMNS,
    COUNTS,
    columns_at,
    columns_of,
    evidence_near,
    rows_of,
)
from remanence.recall.fit import FactTurnPairs
from remanence.recall.frames import FrameEvidence, Strength, strengths, stronger_than
from remanence.store.base import AnswerRequest, Bookkeeping

FEW = 500  # above, the evidence of the scope is read, and kept
PAGE = 128  # memories that are offered room together


@dataclass(frozen=True, eq=False, slots=True)
class Facts:
    """What some memories are weighed by, aligned with how they were asked for; hours are on a clock.

    `degree` is the weighted degree over what stands, `contradicting` the pairs that stand and openly contradict one
    another, each with whether that is certain. `links` are all of theirs where few were asked for, else None;
    `memories` are those that were read whole.
    """

    columns: Mapping[str, Floats]
    hours: Floats
    degree: Floats
    contradicting: Sequence[tuple[int, int, bool]]
    links: Sequence[Link] | None
    memories: Sequence[Memory]

    @property
    def evidence(self) -> FrameEvidence:
        """What speaks for each; of one that is gone, nothing."""
        return _build_evidence(self.columns, self.hours)


async def facts(core: Core, rows: Ints, standing: Bools, clock: ClockName, now: int) -> Facts:
    """Read what rows of the index, which stays still, are weighed by; one that is gone meanwhile knows nothing.

    `standing` tells of all rows which stand.
    """
    seqs, scale = core.index.seq[rows], await _read_scale(core, clock, now)
    links: Sequence[Link] | None = None
    memories: Sequence[Memory] = ()
    if len(seqs) > FEW:
        evidence = await core.evidence.read(now, leaves_archive=core.index.leaves_archive)
    else:
        memories, links, near_seqs, near_columns = await _read_near(core, seqs, now)
        evidence = evidence_near(near_seqs, near_columns, links)
    at, here = rows_of(evidence.seq, seqs)
    places, index_rows = core.index.rows_among(evidence.seq)
    stands = np.zeros(len(evidence.seq), np.bool_)
    stands[index_rows] = standing[places]
    columns = columns_at(evidence.columns, at, here)
    one, other, certain = evidence.links.contradicting(stands)
    ends = (evidence.seq[rows].tolist() for rows in (one, other))
    pairs = zip(*ends, certain.tolist(), strict=True)
    degree = np.where(here, evidence.links.degrees(stands)[at], 0.0) if len(stands) else np.zeros(len(seqs))
    return Facts(columns, _compute_hours(columns, scale, now), degree, list(pairs), links, memories)


async def _read_near(
    core: Core, seqs: Ints, now: int
) -> tuple[Sequence[Memory], Sequence[Link], Ints, Mapping[str, npt.NDArray[Any]]]:
    """Read some memories with their links, numbers and columns.

    They are read whole where all of them are looked at in the end, else as columns alone.
    """
    numbers = seqs.tolist()
    if len(seqs) > PAGE:
        snapshot = await core.store.snapshot(core.scope, _make_request(seqs), now)
        return (), await core.store.neighbours(core.scope, numbers), snapshot.seq, snapshot.columns
    read = await core.store.read_answer(core.scope, AnswerRequest(numbers))
    memories = [read.memories[seq] for seq in numbers if seq in read.memories]
    return memories, read.links, np.array([one.seq for one in memories], np.int64), columns_of(memories)


async def hours(core: Core, clock: ClockName, now: int) -> Floats:
    """Return the hours since each row of the index, which stays still, was learned, used or reinforced, on a clock."""
    evidence = await core.evidence.read(now, leaves_archive=core.index.leaves_archive)
    columns = columns_at(evidence.columns, *rows_of(evidence.seq, core.index.seq))
    return await count_hours(core, columns, clock, now)


async def count_hours(core: Core, columns: Mapping[str, Floats], clock: ClockName, at: int) -> Floats:
    """Return the hours from the last of some times to an instant, now or before, on a clock."""
    return _compute_hours(columns, await _read_scale(core, clock, core.clock.now()), at)


def _make_request(seqs: Ints) -> SnapshotRequest:
    return SnapshotRequest(frozenset(COLUMNS), only=tuple(seqs.tolist()))


def _build_evidence(columns: Mapping[str, Floats], hours: Floats) -> FrameEvidence:
    def read_codes(name: str) -> npt.NDArray[np.int8]:
        return np.nan_to_num(columns[name]).astype(np.int8)

    known = Metadata(
        **{name: np.nan_to_num(columns[name]) for name in COUNTS},
        importance=columns["importance"],
        lifecycle=read_codes("lifecycle"),
        disputed=read_codes("verification") == Verification.DISPUTED,
    )
    return FrameEvidence(columns["confidence"], read_codes("decay"), hours, known)


def fading_clock(core: Core) -> ClockName:
    """Return the clock that memories fade by: the policy's, else the one the memory was opened with."""
    return core.policy.clock if core.policy.clock != "wall" else core.fades_by


async def find_stronger(core: Core, links: Iterable[Link], seqs: Ints, now: int) -> dict[int, set[int]]:
    """Map each of some memories that stand to those of them that openly contradict it, by some links, more strongly.

    What rules alone see does so where one is believed more than the other; the rest waits for a person.
    """
    contradicting = (one for one in links if one.relation is Relation.CONTRADICTS and one.resolved_at is None)
    pairs = [(link.source, link.target, link.is_certain) for link in contradicting]
    if not pairs:
        return {}
    sorted_seqs = np.sort(seqs)
    snapshot = await core.store.snapshot(core.scope, _make_request(sorted_seqs), now)
    values = {name: snapshot.columns[name] for name in COLUMNS}
    columns = columns_at(values, *rows_of(snapshot.seq, sorted_seqs))
    scale = await _read_scale(core, fading_clock(core), now)
    return await map_stronger_ends(
        core, pairs, sorted_seqs, _build_evidence(columns, _compute_hours(columns, scale, now))
    )


async def map_stronger_ends(
    core: Core, pairs: Sequence[tuple[int, int, bool]], seqs: Ints, evidence: FrameEvidence
) -> dict[int, set[int]]:
    """Map the weaker ends of pairs that contradict each other to the stronger; `evidence` is of ascending `seqs`."""
    numbers = np.unique(np.array([pair[:2] for pair in pairs], np.int64))
    at, here = rows_of(seqs, numbers)
    places = dict(zip(numbers[here].tolist(), at[here].tolist(), strict=True))
    ends = sorted({seq for pair in pairs for seq in pair[:2] if pair[0] in places and pair[1] in places})
    if not ends:
        return {}
    memories = await core.store.get(core.scope, ends)
    parts = strengths(evidence)
    by_seq = {
        one.seq: Strength(
            one.seq,
            one.trust,
            one.speaker,
            one.said_at,
            float(parts["confidence"][places[one.seq]]),
            float(parts["recency"][places[one.seq]]),
            one.verification is Verification.DISPUTED,
        )
        for one in memories
        if one is not None
    }
    return stronger_than(pairs, by_seq)


def collect_fact_turn_pairs(links: Iterable[Link]) -> FactTurnPairs:
    """Return what was learned from what, by some links: facts from turns, if no other."""
    turns: dict[int, set[int]] = {}
    facts: dict[int, set[int]] = {}
    for link in links:
        if link.relation is Relation.LEARNED_FROM:
            turns.setdefault(link.source, set()).add(link.target)
            facts.setdefault(link.target, set()).add(link.source)
    return FactTurnPairs(turns, facts)


def says_it(one: Memory, other: Memory) -> bool:
    """Tell whether one memory is a fact and the other a turn that it was extracted from: the same words, twice."""
    return one.id in other.sources or other.id in one.sources


async def _read_scale(core: Core, clock: ClockName, now: int) -> Timescale | None:
    """Read a clock; the wall's needs no map."""
    if clock == "wall":
        return None
    answer = await core.store.bookkeep(core.scope, Bookkeeping(now, clocks=frozenset({clock})))
    return scales(answer, now)[clock]


def _compute_hours(columns: Mapping[str, Floats], scale: Timescale | None, at: int) -> Floats:
    last = np.fmax(np.fmax(columns["learned_at"], columns["used_at"]), columns["reinforced_at"])
    elapsed = at - last if scale is None else scale.at(at) - scale.at(last)
    return np.asarray(np.nan_to_num(elapsed / HOUR, nan=np.inf), np.float64)
