"""Where each memory stands in the picture of what links lead to: a tree from left to right, a column a hop.

Knows ways along links; must not know what a memory is about.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from remanence.core.recall_explanation import Hop
from remanence.flows.inspect.related import RelatedResult

NODES_MAX = 200


@dataclass(frozen=True, slots=True)
class GraphNode:
    """A memory in its column and row; `parent` is the place of the one that a link of a relation leads from to it."""

    seq: int
    column: int
    row: int
    parent: int | None = None
    relation: str = ""


def lay_out(related: RelatedResult) -> tuple[GraphNode, ...]:
    """Return a node for each memory that links lead to and for those on the way, at most `NODES_MAX`, top down."""
    steps: dict[int, tuple[int, str]] = {}  # from which memory a link leads to one, and its relation
    reached = dict.fromkeys(related.seeds)
    for one in related.memories:
        way = _follow(one.path, related.seeds)
        new = [seq for seq, *_ in way if seq not in reached]
        if len(reached) + len(new) > NODES_MAX:
            continue
        for seq, before, relation in way:
            steps.setdefault(seq, (before, relation))
            reached.setdefault(seq)
    children: dict[int, list[int]] = {seq: [] for seq in reached}
    for seq, (before, _) in steps.items():
        children[before].append(seq)
    return _place(related.seeds, steps, children)


def _follow(path: Sequence[Hop], seeds: Collection[int]) -> list[tuple[int, int, str]]:
    """Return each memory on a way from a seed with the one before it; a link may be stored either way round."""
    first = path[0]
    at = first.source if first.source in seeds else first.target
    way = []
    for hop in path:
        before, at = at, hop.target if hop.source == at else hop.source
        way.append((at, before, hop.relation))
    return way


def _place(
    seeds: Sequence[int], steps: Mapping[int, tuple[int, str]], children: Mapping[int, Sequence[int]]
) -> tuple[GraphNode, ...]:
    """Give each a row of its own, but for the first child of one, which stands beside it."""
    nodes: list[GraphNode] = []
    waiting: list[tuple[int, int | None]] = [(seq, None) for seq in reversed(seeds)]
    row = -1
    while waiting:
        seq, parent = waiting.pop()
        before = None if parent is None else nodes[parent]
        column = 0 if before is None else before.column + 1
        is_beside = before is not None and children[before.seq][0] == seq
        row += not is_beside
        nodes.append(GraphNode(seq, column, row, parent, steps[seq][1] if before is not None else ""))
        waiting += [(child, len(nodes) - 1) for child in reversed(children[seq])]
    return tuple(nodes)
