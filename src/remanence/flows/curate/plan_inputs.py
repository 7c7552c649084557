"""What a plan needs beside its snapshot: pairs whose words are the same, and what was restored within the last day.

Reads texts again, so that no link decides by itself, and the audit where somebody restored; the planner decides.
"""

from collections.abc import Iterable, Mapping

import numpy as np

from remanence.core.change import MILLION
from remanence.core.guards import RESTORED_FOR
from remanence.core.model import Memory, Relation, Status
from remanence.core.snapshot import Snapshot
from remanence.flows.base.context import Core, aside
from remanence.flows.undo.runs import newest_first
from remanence.flows.undo.undoing import BROUGHT_BACK
from remanence.text.twins import SURE, same_words

PAIRS_MAX = 2_000  # are looked at for one plan, the surest; the rest wait for a later one, since what is merged leaves
PARTS_MAX = (
    200_000  # parts of a day that are looked through; of a scope in which more was written, the newest
)


async def same_words_of(core: Core, snapshot: Snapshot) -> frozenset[tuple[int, int]]:
    """Return the pairs that stand, linked as sure near duplicates, whose words are the same; the older first."""
    pairs = _pairs(snapshot)
    seqs = sorted({seq for pair in pairs for seq in pair})
    found = await core.store.get(core.scope, seqs) if seqs else []
    held = {one.seq: one for one in found if one is not None}
    compared = [(held[one], held[other]) for one, other in pairs if one in held and other in held]
    chars = sum(len(one.text) for one in held.values())
    return await aside(chars, _same_of, compared)


def _pairs(snapshot: Snapshot) -> list[tuple[int, int]]:
    links, status = snapshot.links, snapshot.columns["status"]
    if links is None or links.confidence is None:
        return []
    standing = (status == Status.INBOX) | (status == Status.ACTIVE)
    chosen = (links.relation == Relation.NEAR_DUPLICATE) & (links.confidence >= round(SURE * MILLION))
    edges = np.flatnonzero(chosen & standing[links.source] & standing[links.target])
    edges = edges[np.argsort(-links.confidence[edges], kind="stable")][:PAIRS_MAX]
    ends = snapshot.seq[np.sort([links.source[edges], links.target[edges]], axis=0)]
    return [(one, other) for one, other in ends.T.tolist()]


def _same_of(pairs: Iterable[tuple[Memory, Memory]]) -> frozenset[tuple[int, int]]:
    return frozenset(
        (one.seq, other.seq)
        for one, other in pairs
        if one.speaker == other.speaker and same_words(one.text, other.text)
    )


async def find_recently_restored(core: Core, snapshot: Snapshot, now: int) -> Mapping[int, int]:
    """Return the memories that were restored within the last day, with when; not those of a run that was undone."""
    last = snapshot.fired.get(BROUGHT_BACK)
    if last is None or last <= now - RESTORED_FOR:
        return {}
    found: dict[int, int] = {}
    undone: set[str] = set()
    seen = 0
    async for part in newest_first(core):
        cause, seen = part.cause, seen + 1
        if cause.at <= now - RESTORED_FOR or seen > PARTS_MAX:
            break
        if cause.verb == "undo" and cause.run not in undone:
            undone.add(cause.detail["undoes"])
        if cause.verb != "restore" or cause.run in undone:
            continue
        (whole,) = await core.store.history(core.scope, run=cause.run, after=part.position - 1, limit=1)
        for change in whole.changes:
            if change.table == "memories" and isinstance(change.key, int):
                found.setdefault(change.key, cause.at)
    return found
