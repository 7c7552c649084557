"""What becomes of a link that is drawn, drawn again, or whose memories are used together.

Knows links as they were read; knows no store and no clock.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from remanence.core.change import Change
from remanence.core.errors import InvalidInput
from remanence.core.keywords import IfExists
from remanence.core.model import COUNT_MAX, UNCOUNTED, Link, OneMemory, Relation, link_values

WEIGHT_STEP = (
    0.10  # elfmem: what a link gains when it is seen again or its memories are used together, up to 1
)
LINK_CONFIDENCE_STEP = 0.05  # engram: what its confidence gains when it is drawn again, up to 1
# What a link drawn by hand weighs where nobody says (elfmem); any other relation as one of similarity.
LINKED_WEIGHTS = {
    Relation.SIMILAR: 0.65,
    Relation.CO_OCCURS: 0.55,
    Relation.ELABORATES: 0.70,
    Relation.SUPPORTS: 0.75,
    Relation.CONTRADICTS: 0.60,
}
Group = frozenset[int]


@dataclass(frozen=True, slots=True)
class Linking:
    """A link to draw, and what to do where it exists already."""

    source: OneMemory
    target: OneMemory
    relation: str | Relation
    weight: float | None = None
    confidence: float | None = None
    if_exists: IfExists = "reinforce"
    if_revision: int | None = None


def decide_link(held: Link | None, key: tuple[int, int, int], wish: Linking, now: int) -> Change | None:
    """Decide one link: drawn anew, strengthened, set, left alone or refused."""
    weight = None if wish.weight is None else round(wish.weight, 6)
    confidence = None if wish.confidence is None else round(wish.confidence, 6)
    if held is None:
        usual = LINKED_WEIGHTS.get(Relation(key[2]), LINKED_WEIGHTS[Relation.SIMILAR])
        return Change("links", key, None, link_values(now, usual if weight is None else weight, confidence))
    match wish.if_exists:
        case "skip":
            return None
        case "error":
            raise InvalidInput(f"the link {key} exists", recovery="use if_exists='reinforce' or 'update'")
        case "update":
            after = {"weight": held.weight if weight is None else weight, "confidence": confidence}
        case _:
            surer = held.confidence
            if surer is not None:
                surer = min(1.0, round(surer + LINK_CONFIDENCE_STEP, 6))
            after = {"weight": increase_link_weight(held.weight, 1), "confidence": surer}
    after = {**after, "count": increase_link_count(held.count, 1), "last_at": now}
    before = {name: getattr(held, name) for name in after}
    return Change("links", key, before, after)


def strengthen_links(links: Iterable[Link], groups: Mapping[Group, int], now: int) -> list[Change]:
    """Strengthen the links inside groups of standing memories, once for each time a group was used together."""
    changes = []
    for link in links:
        times = sum(n for group, n in groups.items() if link.source in group and link.target in group)
        if times and link.relation not in UNCOUNTED:
            after = {
                "weight": increase_link_weight(link.weight, times),
                "count": increase_link_count(link.count, times),
                "last_at": now,
            }
            changes.append(Change("links", link.key, {name: getattr(link, name) for name in after}, after))
    return changes


def increase_link_count(count: int, times: int) -> int:
    """Say how often a link has then been seen; the count stops where a store has no more room."""
    return min(count + times, COUNT_MAX)


def increase_link_weight(weight: float, times: int) -> float:
    """Say what a link's weight becomes when its memories are used together so many times."""
    return min(1.0, round(weight + WEIGHT_STEP * times, 6))
