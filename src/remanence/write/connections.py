"""Which older memories one that becomes active is linked to: by time, and by what both mention.

Knows memories as they were read; must not know how a link is kept.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from remanence.core.model import Memory, Relation
from remanence.core.segment import TURN

LINKS_MAX = 10  # of each of these relations, at both ends (engram: ten siblings)
SIBLINGS_MAX = 3  # that a newcomer is linked to; engram's ten, each with ten of its own, say no more
ENTITY = "entity"


@dataclass(frozen=True, slots=True)
class Drawing:
    """How a relation is drawn: what a link weighs, and how sure it is."""

    weight: float
    confidence: float


DRAWN: Mapping[int, Drawing] = {
    Relation.FOLLOWS: Drawing(0.5, 1.0),
    Relation.CO_OCCURS: Drawing(0.55, 0.7),
}
Key = tuple[int, int, int]


def is_turn(memory: Memory) -> bool:
    """Tell whether a memory is what was said, and not a fact: those of one conversation are chains apart."""
    return TURN in memory.tags


def may_share(memory: Memory) -> bool:
    """Tell whether what a memory mentions links it to others: facts are, and turns that are one."""
    return memory.category != ENTITY and (not is_turn(memory) or memory.category is not None)


def connections(memory: Memory, before: int | None, siblings: Sequence[int]) -> Counter[Key]:
    """Return the links of a memory, each with how often it was seen.

    `before` is the number of the memory before it in its thread, None where it is the first; `siblings` the latest that
    mention what it mentions, once for each entity that both do: those with most in common are linked, the latest of
    equals.
    """
    links: Counter[Key] = Counter()
    if before is not None:
        links[memory.seq, before, int(Relation.FOLLOWS)] = 1
    sibling_counts = Counter(one for one in siblings if one != memory.seq)
    for one in sorted(sibling_counts, key=lambda one: (-sibling_counts[one], -one))[:SIBLINGS_MAX]:
        links[min(memory.seq, one), max(memory.seq, one), int(Relation.CO_OCCURS)] = sibling_counts[one]
    return links
