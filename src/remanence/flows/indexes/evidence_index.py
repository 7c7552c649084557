"""What speaks for the memories of a scope, kept in memory for frames: columns and links, patched by what has changed.

Knows numbers by row; how they are weighed is in `recall.frames`. Links whose ends have no row are none of a frame's.
"""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from remanence.core.model import CERTAIN_MIN, STANDING, UNCOUNTED, Link, Memory, Relation
from remanence.core.snapshot import Bools, Floats, Ints, LinkColumns, Snapshot, SnapshotRequest
from remanence.flows.indexes.arm import pad_rows
from remanence.store.base import Store

TIMES = ("learned_at", "used_at", "reinforced_at")
COUNTS = ("uses", "confirmations", "helped", "failed")
COLUMNS = (*TIMES, *COUNTS, "decay", "confidence", "importance", "lifecycle", "verification")
_COUNTED = np.array([relation not in UNCOUNTED for relation in sorted(Relation)], np.bool_)
_LINKS = frozenset({"resolved_at", "confidence"})
_REQUEST = SnapshotRequest(frozenset(COLUMNS), links=_LINKS)


@dataclass(frozen=True, eq=False, slots=True)
class EvidenceLinks:
    """Links as arrays; ends are rows, `open` tells which were not resolved, `certain` which are sure."""

    source: npt.NDArray[np.int32]
    target: npt.NDArray[np.int32]
    relation: npt.NDArray[np.int8]
    weight: Floats
    open: Bools
    certain: Bools

    @property
    def columns(self) -> tuple[npt.NDArray[Any], ...]:
        """All arrays, in order."""
        return self.source, self.target, self.relation, self.weight, self.open, self.certain

    def degrees(self, stands: Bools) -> Floats:
        """Sum the weights of each row's visible links: both ends stand, and no lineage or contradiction (elfmem)."""
        visible = np.flatnonzero(stands[self.source] & stands[self.target] & _COUNTED[self.relation])
        weight = self.weight[visible]
        ends = (np.bincount(rows[visible], weight, len(stands)) for rows in (self.source, self.target))
        sums: Floats = np.sum([*ends], axis=0)
        return sums

    def contradicting(self, stands: Bools) -> tuple[Ints, Ints, Bools]:
        """Return the links between rows that stand and contradict each other, and nobody resolved it.

        Both ends of each, and whether it is certain.
        """
        links = np.flatnonzero((self.relation == Relation.CONTRADICTS) & self.open)
        links = links[stands[self.source[links]] & stands[self.target[links]]]
        one, other = (rows[links].astype(np.int64) for rows in (self.source, self.target))
        return one, other, self.certain[links]


@dataclass(frozen=True, eq=False, slots=True)
class ScopeEvidence:
    """Columns by name and links of some memories by row; `seq` are their numbers, ascending."""

    seq: Ints
    columns: Mapping[str, npt.NDArray[Any]]
    links: EvidenceLinks


def columns_at(columns: Mapping[str, npt.NDArray[Any]], rows: Ints, here: Bools) -> dict[str, Floats]:
    """Return columns at some rows as numbers; what is not here knows nothing."""
    by_name = {name: np.full(len(rows), np.nan) for name in columns}
    for name, values in columns.items():
        by_name[name][here] = values[rows[here]]
    return by_name


def evidence_of(snapshot: Snapshot) -> ScopeEvidence:
    """Return what a snapshot says of its memories."""
    assert snapshot.links is not None
    columns = {name: snapshot.columns[name] for name in COLUMNS}
    return ScopeEvidence(snapshot.seq, columns, _links_of(snapshot.links))


def evidence_near(seqs: Ints, known: Mapping[str, npt.NDArray[Any]], links: Sequence[Link]) -> ScopeEvidence:
    """Return what is known of a few memories, and their links; of the other ends of these nothing is."""
    keys = np.array([(one.source, one.target, one.relation) for one in links], np.int64).reshape(-1, 3)
    seq = np.union1d(seqs, keys[:, :2])
    rows = np.searchsorted(seq, seqs)
    columns = {name: np.full(len(seq), np.nan) for name in COLUMNS}
    for name, values in columns.items():
        values[rows] = known[name]
    source, target = (np.searchsorted(seq, ends).astype(np.int32) for ends in keys.T[:2])
    weight = np.array([one.weight for one in links])
    is_open = np.array([one.resolved_at is None for one in links], np.bool_)
    certain = np.array([one.is_certain for one in links], np.bool_)
    return ScopeEvidence(
        seq, columns, EvidenceLinks(source, target, keys[:, 2].astype(np.int8), weight, is_open, certain)
    )


def columns_of(memories: Sequence[Memory]) -> dict[str, Floats]:
    """Return the columns of memories that were read whole."""
    return {name: np.array([getattr(one, name) for one in memories], np.float64) for name in COLUMNS}


class EvidenceIndex:
    """The evidence of one scope, read when it is first asked for, then brought up to date by what has changed."""

    def __init__(self, store: Store, scope: str) -> None:
        self._store = store
        self._scope = scope
        self._position = -1
        self._kept: ScopeEvidence | None = None
        self._leaves_archive = False
        self._turn = asyncio.Lock()

    async def read(self, now: int, *, leaves_archive: bool) -> ScopeEvidence:
        """Return the evidence as it stands now; where the archive is large, of no more of it than links lead to.

        It is good until the next call: one is made only while the index stays still.
        """
        async with self._turn:
            request = replace(_REQUEST, among=({"status": STANDING},)) if leaves_archive else _REQUEST
            evidence = self._kept if leaves_archive == self._leaves_archive else None
            since = None if evidence is None else self._position
            self._kept = None  # where this is cancelled half-way, it is read anew
            snapshot = await self._store.snapshot(self._scope, replace(request, since=since), now)
            if evidence is not None and snapshot.changed is not None:
                evidence = (
                    await asyncio.to_thread(patch_evidence, evidence, snapshot)
                    if len(snapshot.changed)
                    else evidence
                )
                if evidence is None:
                    snapshot = await self._store.snapshot(self._scope, request, now)
            else:
                evidence = None
            if evidence is None:
                evidence = await asyncio.to_thread(evidence_of, snapshot)
            self._kept, self._position, self._leaves_archive = evidence, snapshot.position, leaves_archive
            return evidence


def patch_evidence(kept: ScopeEvidence, found: Snapshot) -> ScopeEvidence | None:
    """Return evidence with what has changed since, None where that takes reading anew: a row is gone or comes between.

    Columns are changed in place.
    """
    assert found.changed is not None
    assert found.links is not None
    last = int(kept.seq[-1]) if len(kept.seq) else 0
    (_, is_known), (_, stays_here) = rows_of(kept.seq, found.seq), rows_of(found.seq, found.changed)
    (_, is_changed), (_, is_gone) = (
        rows_of(found.changed, found.seq),
        rows_of(kept.seq, found.changed[~stays_here]),
    )
    if is_gone.any() or (is_changed & ~is_known & (found.seq < last)).any():
        return None
    new = found.seq[found.seq > last]
    seq = np.concatenate([kept.seq, new]) if len(new) else kept.seq
    rows, is_placed = rows_of(seq, found.seq)
    columns = {name: pad_rows(values, len(seq)) for name, values in kept.columns.items()}
    for name, values in columns.items():
        values[rows[is_placed]] = found.columns[name][is_placed]
    stays = ~_find_touching(kept.links, rows[is_placed & is_changed], len(seq))
    fresh = _links_of(found.links)
    fits = (
        is_placed[fresh.source] & is_placed[fresh.target]
    )  # the other end may be in an archive that has no rows
    ends = (rows[each[fits]].astype(np.int32) for each in (fresh.source, fresh.target))
    fitting = [*ends, *(values[fits] for values in fresh.columns[2:])]
    link_columns = (
        np.concatenate([one[stays], other]) for one, other in zip(kept.links.columns, fitting, strict=True)
    )
    return ScopeEvidence(seq, columns, EvidenceLinks(*link_columns))


def _find_touching(links: EvidenceLinks, rows: Ints, count: int) -> Bools:
    """Tell which links have an end in some rows, of so many in all."""
    mask = np.zeros(count, np.bool_)
    mask[rows] = True
    return mask[links.source] | mask[links.target]


def rows_of(seq: Ints, seqs: Ints) -> tuple[Ints, Bools]:
    """Return the places of some numbers among others, ascending, and which are there; 0 stands for the rest."""
    if not len(seq):
        return np.zeros(len(seqs), np.int64), np.zeros(len(seqs), np.bool_)
    if np.array_equal(seq, seqs):
        return np.arange(len(seq)), np.ones(len(seq), np.bool_)
    rows = np.searchsorted(seq, seqs)
    rows[rows == len(seq)] = 0
    return rows, seq[rows] == seqs


def _links_of(links: LinkColumns) -> EvidenceLinks:
    assert links.resolved_at is not None
    every = np.arange(len(links))
    weight, sure = (links.read_column(name, every) for name in ("weight", "confidence"))
    certain = ~(sure < CERTAIN_MIN)  # who said nothing of it left no doubt
    return EvidenceLinks(
        links.source, links.target, links.relation, weight, np.isnan(links.resolved_at), certain
    )
