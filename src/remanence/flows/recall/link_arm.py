"""Links as an arm of recall, where a scope's setting asks for it: what links of the best lead to gains by them.

Knows a ranking and what a walk along links reaches; must not know how the ranking came about.
"""

from collections.abc import Mapping
from dataclasses import replace
from math import prod

import numpy as np

from remanence.core.recall_explanation import FACTORS
from remanence.flows.base.context import Core
from remanence.flows.recall.link_walk import LinkWalk, walk_links
from remanence.flows.recall.trace import RecallTrace
from remanence.recall.fuse import RankResult

LINKED = "linked"  # what the part of a score is called
LINKED_POOL = (
    200  # the best by words and vectors, which links order anew; what is further down they do not bring in
)
SEEDS = 3  # the best, whose links are followed; they gain nothing


async def add_links(
    core: Core, found: tuple[RankResult, list[int]], percent: int, pool: int, trace: RecallTrace
) -> tuple[RankResult, list[int]]:
    """Add to the scores what links from the best lend, order anew, and return the best of `pool` with their numbers.

    Rows of the index are held meanwhile. `linked` is `percent` of the best score, less as the walk is less often there.
    """
    ranked, seqs = found
    scores = ranked.scores.tolist()
    # Vectors of unrelated texts are never quite at right angles: without a word or a model nothing says it answers.
    seeds = {
        seq: score
        for seq, score, one in zip(seqs[:SEEDS], scores, ranked.parts, strict=False)
        if score > 0 and (ranked.by_model or one["lexical"] > 0)
    }
    if not seeds:
        return ranked.first(pool), seqs[:pool]
    walk = await walk_links(core, seeds)
    gains = _measure_gains(walk, percent / 100 * max(scores))
    parts = [_add_part(one, gains.get(seq, 0.0)) for seq, one in zip(seqs, ranked.parts, strict=True)]
    totals = np.array(
        [score + one.get(LINKED, 0.0) * _factor(one) for score, one in zip(scores, parts, strict=True)],
        ranked.scores.dtype,
    )
    order = np.argsort(-totals, kind="stable")
    ranked = replace(
        ranked, rows=ranked.rows[order], scores=totals[order], parts=[parts[at] for at in order.tolist()]
    )
    seqs = [seqs[at] for at in order.tolist()]
    paths = {walk.seqs[place]: walk.describe_path(place) for place in walk.find_reached()}
    trace.note_links(ranked, seqs, {seq: paths[seq] for seq in seqs if seq in paths})
    return ranked.first(pool), seqs[:pool]


def _measure_gains(walk: LinkWalk, most: float) -> dict[int, float]:
    """Return what each memory that was reached gains: the one at which the walk is most often, `most`."""
    places = [*walk.find_reached()]
    best = max((float(walk.shares[place]) for place in places), default=0.0)
    return {walk.seqs[place]: most * float(walk.shares[place]) / best for place in places if best > 0}


def _add_part(parts: Mapping[str, float], gain: float) -> Mapping[str, float]:
    return {**parts, LINKED: gain} if gain else parts


def _factor(parts: Mapping[str, float]) -> float:
    return prod(value for name, value in parts.items() if name in FACTORS)
