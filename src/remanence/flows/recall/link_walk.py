"""What links lead to from some memories, and what that adds to an answer: as an arm of recall and in a frame.

Links are read hop by hop, and how far they lead is worked out on them. Knows links, who stands and a ranking; must not
know how the ranking came about.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import prod

import numpy as np

from remanence.core.model import UNCOUNTED, Link, Relation
from remanence.core.recall_explanation import FACTORS, Hop
from remanence.core.snapshot import Floats
from remanence.flows.base.context import Core
from remanence.flows.recall.trace import RecallTrace
from remanence.recall.activation import (
    CONFIDENCE_FLOOR,
    HOP_FACTOR,
    HOPS_MAX,
    Activation,
    Edges,
    build_edges,
    fade_confidence,
    spread_activation,
    trace_path,
    walk_from_seeds,
)
from remanence.recall.fuse import RankResult

# All that say that two memories have to do with each other; not what was learned from what, nor what is at odds.
FOLLOWED = tuple(one for one in Relation if one not in UNCOUNTED or one is Relation.MENTIONS)
ONE_WAY = frozenset({Relation.CAUSES})  # from the cause to the effect (engram)
EXPANDED_MOST = 200  # memories whose links are read for one hop: those reached by the strongest links
LINKED = "linked"  # what the part of a score is called
SEEDS = 3  # the best, whose links are followed; they gain nothing


@dataclass(frozen=True, slots=True, eq=False)
class LinkWalk:
    """What was reached from the seeds: memories by place, how often the walk is at each, and how it got there.

    `confidence` is that of each link now. `unfollowed` memories were reached whose own links were not read.
    """

    seqs: Sequence[int]
    shares: Floats
    activation: Activation
    unfollowed: int
    edges: Edges
    links: Sequence[Link]
    confidence: Floats

    def find_reached(self) -> Iterator[int]:
        """Yield the places that links led to, the seeds not among them."""
        yield from np.flatnonzero(self.activation.hops > 0).tolist()

    def describe_path(self, place: int) -> tuple[Hop, ...]:
        """Return the links by which a place was reached, from a seed on; each as it is stored, as sure as it is now."""
        path = self.edges.link[trace_path(self.edges, self.activation, place)].tolist()
        return tuple(_make_hop(self.links[at], float(self.confidence[at])) for at in path)


def _make_hop(link: Link, confidence: float) -> Hop:
    is_unknown = link.confidence is None and confidence == 1
    sure = None if is_unknown else confidence
    return Hop(link.source, link.target, link.relation.label, link.weight, sure)


async def walk_links(core: Core, seeds: Mapping[int, float], hops: int = HOPS_MAX) -> LinkWalk:
    """Follow links from seeds, which weigh so much each, over what stands; rows of the index are held meanwhile."""
    places = {seq: place for place, seq in enumerate(seeds)}
    links: dict[tuple[int, int, int], Link] = {}
    frontier, unfollowed = [*seeds], 0
    for hop in range(hops):
        read = await core.store.neighbours(core.scope, sorted(frontier), *FOLLOWED) if frontier else []
        links |= {link.key: link for link in read}
        reached = _find_new(read, _measure_confidence(read, core.clock.now()), frontier, places)
        standing = core.index.filter_followed(reached)
        order = sorted(standing, key=lambda seq: (-reached[seq], seq))
        places |= {seq: len(places) + at for at, seq in enumerate(order)}
        frontier = order[:EXPANDED_MOST]
        unfollowed += (len(order) - len(frontier)) if hop < hops - 1 else 0
    inside = [link for link in links.values() if link.source in places and link.target in places]
    return _measure_walk(
        inside, _measure_confidence(inside, core.clock.now()), places, seeds, hops, unfollowed
    )


def _find_new(
    links: Iterable[Link], confidence: Floats, frontier: Iterable[int], known: Mapping[int, int]
) -> dict[int, float]:
    """Return what links lead to from the frontier and is not known yet, with the strength of the strongest link."""
    begins, reached = set(frontier), dict[int, float]()
    for link, sure in zip(links, confidence.tolist(), strict=True):
        if sure < CONFIDENCE_FLOOR or not link.weight:
            continue
        for here, there in _list_directions(link):
            if here in begins and there not in known:
                reached[there] = max(reached.get(there, 0.0), link.weight * sure)
    return reached


def _list_directions(link: Link) -> Iterator[tuple[int, int]]:
    yield link.source, link.target
    if link.relation not in ONE_WAY:
        yield link.target, link.source


def _measure_confidence(links: Sequence[Link], now: int) -> Floats:
    """Return how sure each link is now."""
    said = np.array([np.nan if link.confidence is None else link.confidence for link in links], np.float64)
    return fade_confidence(said, now - np.array([link.last_at for link in links], np.int64))


def _measure_walk(
    links: Sequence[Link],
    confidence: Floats,
    places: Mapping[int, int],
    seeds: Mapping[int, float],
    hops: int,
    unfollowed: int,
) -> LinkWalk:
    edges = build_edges(
        np.array([places[link.source] for link in links], np.int64),
        np.array([places[link.target] for link in links], np.int64),
        np.array([link.weight for link in links], np.float64),
        confidence,
        np.array([link.relation in ONE_WAY for link in links], np.bool_),
    )
    activation = spread_activation(edges, np.arange(len(seeds)), len(places), hops)
    restart = np.zeros(len(places))
    restart[: len(seeds)] = [*seeds.values()]
    shares = walk_from_seeds(edges, restart / restart.sum())
    return LinkWalk([*places], shares, activation, unfollowed, edges, links, confidence)


def find_seeds(ranked: RankResult) -> dict[int, float]:
    """Return the scores of the best, by number: those of which a word or a model says that they answer.

    Vectors of unrelated texts are never quite at right angles.
    """
    best = ranked.first(SEEDS)
    return {
        seq: score
        for seq, score, parts in zip(best.seqs, best.scores.tolist(), best.parts, strict=True)
        if score > 0 and (ranked.by_model or parts["lexical"] > 0)
    }


async def find_linked(core: Core, seeds: Collection[int]) -> dict[int, float]:
    """Return what stands one link away from seeds, with 0.7 × weight × confidence of the strongest such link."""
    links = await core.store.neighbours(core.scope, sorted(seeds), *FOLLOWED)
    if not links:
        return {}
    known = dict.fromkeys(seeds, 0)
    reached = _find_new(links, _measure_confidence(links, core.clock.now()), seeds, known)
    return {seq: HOP_FACTOR * reached[seq] for seq in core.index.filter_followed(reached)}


async def add_links(
    core: Core, ranked: RankResult, percent: int, pool: int, trace: RecallTrace
) -> RankResult:
    """Add what links from the best lead to, order all anew by what these lend, and return the best of `pool`.

    Rows of the index are held meanwhile. What passed no filter does not join. `linked` is `percent` of the best score,
    less as the walk is less often there.
    """
    seeds = find_seeds(ranked)
    if not seeds:
        return ranked.first(pool)
    walk = await walk_links(core, seeds)
    reached = {walk.seqs[place]: place for place in walk.find_reached()}
    # The memory at which the walk is most often gains the given percent of the best score.
    most = percent / 100 * float(ranked.scores.max())
    places = [*walk.find_reached()]
    best = max((float(walk.shares[place]) for place in places), default=0.0)
    gains = {walk.seqs[place]: most * float(walk.shares[place]) / best for place in places if best > 0}
    ranked = ranked.join_candidates([*reached])
    parts = [_add_part(one, gains.get(seq, 0.0)) for seq, one in zip(ranked.seqs, ranked.parts, strict=True)]
    lent = [
        one.get(LINKED, 0.0) * prod(value for name, value in one.items() if name in FACTORS) for one in parts
    ]
    totals = (ranked.scores + np.array(lent)).astype(ranked.scores.dtype)
    order = np.argsort(-totals, kind="stable")
    ranked = replace(
        ranked, rows=ranked.rows[order], scores=totals[order], parts=[parts[at] for at in order.tolist()]
    )
    paths = {seq: walk.describe_path(reached[seq]) for seq in ranked.seqs if seq in reached}
    trace.note_links(ranked, paths)
    return ranked.first(pool)


def _add_part(parts: Mapping[str, float], gain: float) -> Mapping[str, float]:
    return {**parts, LINKED: gain} if gain else parts
