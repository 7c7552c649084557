"""Which near duplicates say the same by their words: the texts are read again, so that no link decides by itself."""

from collections.abc import Iterable

import numpy as np

from remanence.core.change import MILLION
from remanence.core.model import Memory, Relation, Status
from remanence.core.snapshot import Snapshot
from remanence.flows.base.context import Core, aside
from remanence.text.twins import SURE, same_words

PAIRS_MAX = 2_000  # are looked at for one plan, the surest; the rest wait for a later one, since what is merged leaves


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
