"""The memories that stand and the links between them, as numbers: what a picture of a scope is drawn from.

Knows snapshots; must not know where anything is drawn.
"""

from dataclasses import dataclass

import numpy as np

from remanence.core.model import STANDING
from remanence.core.snapshot import Floats, Ints, SnapshotRequest
from remanence.flows.base.context import Core


@dataclass(frozen=True, slots=True)
class Network:
    """Memories by number with their kind (−1: none) and how many links each has; links as pairs of places in `seq`.

    All arrays of memories are of one length, all of links of another. `memories` counts those that stand, `left_out`
    the links of which an end is not among `seq`.
    """

    position: int
    seq: Ints
    kind: Ints
    degree: Ints
    ends: Ints  # (links, 2)
    relation: Ints
    weight: Floats
    memories: int
    left_out: int


async def read_network(core: Core, limit: int) -> Network:
    """Read at most so many memories that stand, those with most links first, and the links between them."""
    request = SnapshotRequest(frozenset({"status", "kind"}), links=frozenset())
    snapshot = await core.store.snapshot(core.scope, request, core.clock.now())
    assert snapshot.links is not None  # they were asked for
    stands = np.isin(snapshot.columns["status"], [int(status) for status in STANDING])
    ends = np.stack([snapshot.links.source, snapshot.links.target], axis=1).astype(np.int64)
    places = np.searchsorted(snapshot.seq, ends)
    degree = np.bincount(places.ravel(), minlength=len(snapshot.seq))
    shown = np.flatnonzero(stands)
    if len(shown) > limit:  # of two with as many links the newer
        shown = np.sort(shown[np.lexsort((-snapshot.seq[shown], -degree[shown]))[:limit]])
    place_of = np.full(len(snapshot.seq), -1, np.int64)
    place_of[shown] = np.arange(len(shown))
    drawn_ends = place_of[places]
    drawn = (drawn_ends >= 0).all(axis=1)
    return Network(
        snapshot.position,
        snapshot.seq[shown],
        snapshot.columns["kind"][shown].astype(np.int64),
        degree[shown].astype(np.int64),
        drawn_ends[drawn],
        snapshot.links.relation[drawn].astype(np.int64),
        snapshot.links.weight[drawn].astype(np.float64),
        int(stands.sum()),
        int((~drawn).sum()),
    )
