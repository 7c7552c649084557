"""Where each memory stands in the picture of the links: what is linked lies together, what is not keeps its distance.

Knows points and lines; must not know what they mean.
"""

import asyncio
from typing import Any

import numpy as np

from remanence.core.model import Kind, Relation
from remanence.core.snapshot import Floats, Ints
from remanence.engine import Engine
from remanence.flows.inspect.network import Network, read_network

STEPS = 60
OTHERS = 24  # points that each one keeps away from in a step, drawn anew
REACH = 1.5  # how far a point moves at first, in mean distances of two
_SEED = 1  # the same memory gives the same picture


async def draw_graph(memory: Engine, limit: int) -> dict[str, Any]:
    """Return points and lines of at most so many memories, as the page draws them."""
    network = await read_network(memory._core, limit)  # noqa: SLF001 # links of a whole scope are no verb's
    points = await asyncio.to_thread(lay_out, len(network.seq), network.ends, network.weight)
    return encode_graph(network, points)


def lay_out(count: int, ends: Ints, weights: Floats) -> Floats:
    """Return a point for each of `count` nodes, as (count, 2), by springs and a repulsion that is sampled.

    Fruchterman and Reingold 1991, with the sum over all other nodes estimated from a few that are drawn in each step.
    """
    random = np.random.default_rng(_SEED)
    points = random.normal(0, 1, (count, 2))
    if count < 2:
        return points
    apart = 1.0 / np.sqrt(count)
    points *= apart * np.sqrt(count) / 2
    source, target = ends[:, 0], ends[:, 1]
    pulls = np.clip(weights, 0.1, 1.0)[:, None]
    crowd = np.maximum(1, np.bincount(ends.ravel(), minlength=count))[:, None]
    for step in range(STEPS):
        others = points[random.integers(0, count, (OTHERS, count))]
        away = points[None] - others
        squares = np.maximum((away**2).sum(axis=2, keepdims=True), apart**2 * 1e-2)
        push = (away / squares).sum(axis=0) * (apart**2 * count / OTHERS) ** 0.5 * apart
        along = points[target] - points[source]
        pull = along * np.linalg.norm(along, axis=1, keepdims=True) * pulls / apart
        moves = push - points * 0.05
        for axis in (0, 1):
            moves[:, axis] += np.bincount(source, pull[:, axis], count) / crowd[:, 0]
            moves[:, axis] -= np.bincount(target, pull[:, axis], count) / crowd[:, 0]
        lengths = np.maximum(np.linalg.norm(moves, axis=1, keepdims=True), 1e-12)
        warmth = apart * REACH * (1 - step / STEPS)
        points += moves / lengths * np.minimum(lengths, warmth)
    return points


def encode_graph(network: Network, points: Floats) -> dict[str, Any]:
    """Return the picture as lists, each value in its place: short, as there may be many."""
    kinds = [kind.label for kind in Kind]
    used = np.unique(network.relation)
    place = {int(relation): at for at, relation in enumerate(used)}
    return {
        "memories": network.memories,
        "drawn": len(network.seq),
        "links": len(network.ends),
        "left_out": network.left_out,
        "kinds": kinds,
        "relations": [Relation(int(relation)).label for relation in used],
        "nodes": {
            "seq": network.seq.tolist(),
            "kind": network.kind.tolist(),
            "links": network.degree.tolist(),
            "x": points[:, 0].round(4).tolist(),
            "y": points[:, 1].round(4).tolist(),
        },
        "lines": {
            "source": network.ends[:, 0].tolist(),
            "target": network.ends[:, 1].tolist(),
            "relation": [place[int(relation)] for relation in network.relation],
        },
    }
