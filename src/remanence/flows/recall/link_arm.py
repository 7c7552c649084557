"""Links as an arm of recall, where a policy or a setting asks for it: what links of the best lead to joins and gains.

Knows a ranking and what a walk along links reaches; must not know how the ranking came about.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import prod

import numpy as np

from remanence.core.recall_explanation import FACTORS
from remanence.flows.base.context import Core
from remanence.flows.recall.archive_ranking import ArchiveRanking
from remanence.flows.recall.link_walk import LinkWalk, walk_links
from remanence.flows.recall.trace import RecallTrace
from remanence.recall.fuse import RankResult

LINKED = "linked"  # what the part of a score is called
SEEDS = 3  # the best, whose links are followed; they gain nothing


def find_seeds(ranked: RankResult, seqs: Sequence[int]) -> dict[int, float]:
    """Return the scores of the best, by number: those of which a word or a model says that they answer.

    Vectors of unrelated texts are never quite at right angles.
    """
    best = zip(seqs[:SEEDS], ranked.scores[:SEEDS].tolist(), ranked.parts[:SEEDS], strict=True)
    return {
        seq: score for seq, score, parts in best if score > 0 and (ranked.by_model or parts["lexical"] > 0)
    }


async def add_links(
    core: Core, found: ArchiveRanking, percent: int, pool: int, trace: RecallTrace
) -> ArchiveRanking:
    """Add what links from the best lead to, order all anew by what these lend, and return the best of `pool`.

    Rows of the index are held meanwhile. What passed no filter does not join. `linked` is `percent` of the best score,
    less as the walk is less often there.
    """
    seeds = find_seeds(found.ranked, found.seqs)
    if not seeds:
        return replace(found, ranked=found.ranked.first(pool), seqs=found.seqs[:pool])
    walk = await walk_links(core, seeds)
    reached = {walk.seqs[place]: place for place in walk.find_reached()}
    ranked = found.ranked.join_candidates([*reached])
    assert ranked.scoring is not None
    seqs = ranked.scoring.ground.corpus.seq[ranked.rows].tolist()
    gains = _measure_gains(walk, percent / 100 * float(found.ranked.scores.max()))
    parts = [_add_part(one, gains.get(seq, 0.0)) for seq, one in zip(seqs, ranked.parts, strict=True)]
    totals = np.array(
        [
            score + one.get(LINKED, 0.0) * _factor(one)
            for score, one in zip(ranked.scores.tolist(), parts, strict=True)
        ],
        ranked.scores.dtype,
    )
    order = np.argsort(-totals, kind="stable")
    ranked = replace(
        ranked, rows=ranked.rows[order], scores=totals[order], parts=[parts[at] for at in order.tolist()]
    )
    seqs = [seqs[at] for at in order.tolist()]
    trace.note_links(ranked, seqs, {seq: walk.describe_path(reached[seq]) for seq in seqs if seq in reached})
    return replace(found, ranked=ranked.first(pool), seqs=seqs[:pool])


def _measure_gains(walk: LinkWalk, most: float) -> dict[int, float]:
    """Return what each memory that was reached gains: the one at which the walk is most often, `most`."""
    places = [*walk.find_reached()]
    best = max((float(walk.shares[place]) for place in places), default=0.0)
    return {walk.seqs[place]: most * float(walk.shares[place]) / best for place in places if best > 0}


def _add_part(parts: Mapping[str, float], gain: float) -> Mapping[str, float]:
    return {**parts, LINKED: gain} if gain else parts


def _factor(parts: Mapping[str, float]) -> float:
    return prod(value for name, value in parts.items() if name in FACTORS)
