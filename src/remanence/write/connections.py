"""Which older memories one that becomes active is linked to: by time, by what both mention, by cause.

Knows memories as they were read; must not know how a link is kept.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from remanence.core.model import Memory, Relation
from remanence.core.segment import TURN
from remanence.read.causes import SHARED_MIN, shared_words, why_of

LINKS_MAX = 10  # of each of these relations, at both ends (engram: ten siblings)
SIBLINGS_MAX = 3  # that a newcomer is linked to; engram's ten, each with ten of its own, say no more
LOOKED_BACK = 3  # memories of a thread that may be a cause (engram)
ENTITY = "entity"


@dataclass(frozen=True, slots=True)
class Drawing:
    """How a relation is drawn: what a link weighs, and how sure it is."""

    weight: float
    confidence: float


DRAWN: Mapping[int, Drawing] = {
    Relation.FOLLOWS: Drawing(0.5, 1.0),
    Relation.CO_OCCURS: Drawing(0.55, 0.7),
    Relation.CAUSES: Drawing(0.7, 0.6),
}
Key = tuple[int, int, int]


def is_turn(memory: Memory) -> bool:
    """Tell whether a memory is what was said, and not a fact: those of one conversation are chains apart."""
    return TURN in memory.tags


def may_share(memory: Memory) -> bool:
    """Tell whether what a memory mentions links it to others: facts are, and turns that are one."""
    return memory.category != ENTITY and (not is_turn(memory) or memory.category is not None)


def connections(memory: Memory, before: Sequence[Memory], siblings: Sequence[int]) -> Counter[Key]:
    """Return the links of a memory, each with how often it was seen.

    `before` are the latest of its thread, the last one first; `siblings` the latest that mention what it mentions, once
    for each entity that both do: those with most in common are linked, the latest of equals.
    """
    links: Counter[Key] = Counter()
    if before:
        links[memory.seq, before[0].seq, int(Relation.FOLLOWS)] = 1
    links.update(_find_causal_links(memory, before))
    sibling_counts = Counter(one for one in siblings if one != memory.seq)
    for one in sorted(sibling_counts, key=lambda one: (-sibling_counts[one], -one))[:SIBLINGS_MAX]:
        links[min(memory.seq, one), max(memory.seq, one), int(Relation.CO_OCCURS)] = sibling_counts[one]
    return links


def _find_causal_links(memory: Memory, before: Sequence[Memory]) -> Iterator[Key]:
    """Yield links from cause to effect: which of those before it a text speaks of."""
    why = why_of(memory.text) if before else None
    if why is None:
        return
    if why.cause is None:
        yield before[0].seq, memory.seq, int(Relation.CAUSES)
    elif why.effect is None:
        yield memory.seq, before[0].seq, int(Relation.CAUSES)
    else:
        for one in before:
            cause, effect = shared_words(one.text, why.cause), shared_words(one.text, why.effect)
            if cause >= SHARED_MIN and cause > effect:
                yield one.seq, memory.seq, int(Relation.CAUSES)
            elif effect >= SHARED_MIN and effect > cause:
                yield memory.seq, one.seq, int(Relation.CAUSES)
