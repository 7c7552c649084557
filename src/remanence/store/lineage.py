"""Which superseded memories have no successor left: what replaced them, and what replaced that, is pruned or gone.

Nothing of such a memory is lost, so this is advice and no damage. Knows nothing of how a store finds its rows.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from remanence.core.model import Link, Reason, Relation, Status
from remanence.store.base import Check

# Links from a successor to what it took the place of.
REPLACING = frozenset({Relation.SUPERSEDES, Relation.MERGED_FROM})
# Of what a policy superseded, what is newer.
SUCCEEDING = REPLACING | {Relation.NEWER}
_FALLEN = frozenset({Status.SUPERSEDED, Status.PRUNED})
_SHOWN_MAX = 5


def find_successors(links: Iterable[Link], seq: int) -> list[int]:
    """Return by some links what took the place of a superseded memory: what replaced it, else what is surely newer."""
    mine = [link for link in links if link.target == seq]
    took = [link.source for link in mine if link.relation in REPLACING]
    return took or [link.source for link in mine if link.relation is Relation.NEWER and link.is_certain]


def find_without_successor(links: Iterable[tuple[int, int, int]], reasons: Mapping[int, int]) -> list[int]:
    """Return the superseded memories of which no successor is left.

    `links` are (successor, replaced, status of the successor), `reasons` those of the superseded memories.
    """
    by_successor = defaultdict(set)
    ahead = []
    for successor, old, status in links:
        by_successor[successor].add(old)
        if status not in _FALLEN:
            ahead.append(successor)
    reached: set[int] = set()
    while ahead:
        new_seqs = reasons.keys() & by_successor[ahead.pop()] - reached
        reached |= new_seqs
        ahead += new_seqs
    return sorted(seq for seq in reasons.keys() - reached if reasons[seq] == Reason.SUPERSEDED)


def lineage(lost: Sequence[int]) -> Check:
    """Tell what was found of superseded memories."""
    if not lost:
        return Check("lineage", ok=True, detail="what replaced a superseded memory is still there")
    more = f" and {len(lost) - _SHOWN_MAX} more" if len(lost) > _SHOWN_MAX else ""
    return Check(
        "lineage",
        ok=True,
        detail=f"{', '.join(map(str, lost[:_SHOWN_MAX]))}{more}: the memories that replaced these are deleted",
        advice="restore those that are still true (remanence restore NUMBER), forget the others",
    )
