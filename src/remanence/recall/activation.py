"""How far links lead from some memories: activation that fades with each hop, and a walk that restarts where it began.

Knows places and edges between them, as arrays; must not know memories, stores or what time it is. The numbers are
engram's, without its echoes and its drift: what was reached is reached once, and the walk restarts at the seeds.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from remanence.core.clock import DAY
from remanence.core.snapshot import Bools, Floats, Ints

HOPS_MAX = 3
HOP_FACTOR = 0.7  # what each hop leaves of a link's strength
CONFIDENCE_FLOOR = 0.2  # of a confidence below this a link is not followed
ITERATIONS, DAMPING = 8, 0.85  # of the walk; what is not damped restarts at the seeds
# A confidence loses a tenth for each window that begins after the first, and never falls below a tenth for that.
FADE_WINDOW = 90 * DAY
_FADE_STEPS, _FADE_FLOOR = 10, 0.1
_DIGITS = 6  # of a confidence, as stores keep it


def fade_confidence(confidence: Floats, age: Ints) -> Floats:
    """Return how sure links are so many microseconds after their last event; NaN, where nobody said, counts as 1.

    It is a function of that event alone: nothing is written, so reading it twice fades nothing twice.
    """
    sure = np.where(np.isnan(confidence), 1.0, confidence)
    windows = np.maximum(-(-(age - FADE_WINDOW) // FADE_WINDOW), 0)
    faded = (_FADE_STEPS * sure - windows) / _FADE_STEPS
    return np.asarray(np.maximum(np.minimum(sure, _FADE_FLOOR), faded).round(_DIGITS), np.float64)


@dataclass(frozen=True, slots=True, eq=False)
class Edges:
    """Ways from place to place, as aligned arrays, at most one from one place to another.

    `strength` is weight × confidence, and above 0; `link` tells which of the links it was made of.
    """

    source: Ints
    target: Ints
    strength: Floats
    link: Ints


def build_edges(source: Ints, target: Ints, weight: Floats, confidence: Floats, one_way: Bools) -> Edges:
    """Make edges of links between places: there and back, but for what leads `one_way`.

    What is less sure than the floor leads nowhere. Of several from one place to another the strongest counts, the
    first of equals: a pair that is linked in many ways, or twice, is not nearer for that.
    """
    strength = weight * confidence
    followed = (confidence >= CONFIDENCE_FLOOR) & (strength > 0)
    there, back = np.flatnonzero(followed), np.flatnonzero(followed & ~one_way)
    link = np.concatenate([there, back])
    ends = np.stack(
        [np.concatenate([source[there], target[back]]), np.concatenate([target[there], source[back]])]
    )
    order = np.lexsort((link, -strength[link]))
    _, first = np.unique(ends[:, order], axis=1, return_index=True)
    best = order[first]
    return Edges(ends[0, best], ends[1, best], strength[link[best]], link[best])


@dataclass(frozen=True, slots=True, eq=False)
class Activation:
    """What reaches each place from the seeds: how much, after how many hops, and by which edge.

    Seeds have 0 hops and no score; a place that nothing reaches has −1 hops. `by_edge` is the strongest edge of the
    last hop, −1 where there is none.
    """

    scores: Floats
    hops: Ints
    by_edge: Ints


def spread_activation(edges: Edges, seeds: Ints, places: int, hops: int = HOPS_MAX) -> Activation:
    """Add up weight × confidence × 0.7^h over the edges by which a place is reached in h hops, the fewest there are.

    No edge leads back: what was reached on the way lends nothing to what it was reached from, nor to its like.
    """
    scores, depth = np.zeros(places), np.full(places, -1, np.int64)
    by_edge = np.full(places, -1, np.int64)
    depth[seeds] = 0
    for hop in range(1, hops + 1):
        leading = np.flatnonzero((depth[edges.source] == hop - 1) & (depth[edges.target] < 0))
        if not len(leading):
            break
        np.add.at(scores, edges.target[leading], edges.strength[leading] * HOP_FACTOR**hop)
        strongest = leading[np.argsort(-edges.strength[leading], kind="stable")]
        reached, first = np.unique(edges.target[strongest], return_index=True)
        by_edge[reached], depth[reached] = strongest[first], hop
    return Activation(scores, depth, by_edge)


def trace_path(edges: Edges, activation: Activation, place: int) -> list[int]:
    """Return the edges from a seed to a place, in this order: of the shortest ways the one with the strongest ends."""
    path: list[int] = []
    while (edge := int(activation.by_edge[place])) >= 0:
        path.append(edge)
        place = int(edges.source[edge])
    return path[::-1]


def walk_from_seeds(edges: Edges, restart: Floats) -> Floats:
    """Return how often a walk is at each place that goes along edges by their strength (personalised PageRank).

    `restart` are the shares, 1 in all, by which it begins and, at 15 of 100 steps, begins again; so it does where no
    edge leads on. 8 steps are taken.
    """
    places = len(restart)
    leaving = np.bincount(edges.source, edges.strength, places)
    share = edges.strength / leaving[edges.source]
    ends: npt.NDArray[np.bool_] = leaving == 0
    at = restart
    for _ in range(ITERATIONS):
        led = np.bincount(edges.target, at[edges.source] * share, places)
        at = (1 - DAMPING) * restart + DAMPING * (led + at[ends].sum() * restart)
    return np.asarray(at, np.float64)
