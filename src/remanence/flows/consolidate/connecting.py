"""What memories that become active are linked to besides what is similar: what came before, and what both mention.

Knows where their neighbours are found, in their thread and in a short list that is kept for each entity, and which of
these are linked.
"""

import asyncio
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from remanence.core.change import Change
from remanence.core.model import Link, Memory, Relation, link_values
from remanence.core.segment import TURN
from remanence.edit.links import Linking, decide_link
from remanence.flows.base.context import Core
from remanence.store.base import Bookkeeping

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


MOVING = ("weight", "confidence", "count", "last_at")  # columns of a link that change when it is seen again
MENTIONED = "mentioned/"  # what the bookkeeping's names begin with; the number of an entity follows
_COLUMNS = frozenset({"status", "session", "thread"})


@dataclass(eq=False)
class LinkNeighbours:
    """What is known of the neighbours of some memories before they are linked.

    `before` names the memory before another in its thread, `entities` what it mentions, `mentioned` the latest memories
    that mention an entity; these change as memories are linked.
    """

    before: Mapping[int, int] = field(default_factory=dict)
    entities: Mapping[int, Sequence[int]] = field(default_factory=dict)
    mentioned: dict[int, list[int]] = field(default_factory=dict)

    def siblings(self, seq: int) -> list[int]:
        """Return the latest that mention what a memory mentions, once for each entity that both do."""
        return [one for entity in self.entities.get(seq, ()) for one in self.mentioned.get(entity, ())]

    def count_links(self, memory: Memory) -> Counter[Key]:
        """Return the links of a memory, each with how often it was seen."""
        return connections(memory, self.before.get(memory.seq), self.siblings(memory.seq))

    def mention(self, seq: int) -> set[int]:
        """Put a memory at the end of the lists of what it mentions; return which lists changed."""
        entities = self.entities.get(seq, ())
        for entity in entities:
            earlier = [one for one in self.mentioned.get(entity, ()) if one != seq]
            self.mentioned[entity] = [*earlier, seq][-LINKS_MAX:]
        return {*entities}

    def encode_mentions(self, entities: set[int]) -> dict[str, Any]:
        """Return what is kept of some lists."""
        return {f"{MENTIONED}{entity}": self.mentioned[entity] for entity in sorted(entities)}


async def beginnings(core: Core, memories: Sequence[Memory]) -> LinkNeighbours:
    """Find the neighbours of memories that become active."""
    # The last that stands before each memory in its session, or else in its thread.
    before: dict[int, int] = {}
    in_thread = [one for one in memories if one.session is not None or one.thread is not None]
    if in_thread:
        async with core.index.hold_rows(core.clock.now(), _COLUMNS, tags=frozenset({TURN})):
            turns = await core.index.match_tag(TURN, core.clock.now())
            before = await asyncio.to_thread(_looked_back, core, in_thread, turns)
    entities = await _read_mentions(core, [one.seq for one in memories if may_share(one)])
    mentions = await _read_latest_mentions(core, {entity for mine in entities.values() for entity in mine})
    return LinkNeighbours(before, entities, mentions)


def _looked_back(
    core: Core, memories: Sequence[Memory], turns: np.ndarray[tuple[int], np.dtype[np.bool_]]
) -> dict[int, int]:
    index, chains = core.index, dict[tuple[str, str, bool], Any]()
    rows = index.rows_of([one.seq for one in memories])
    neighbours: dict[int, int] = {}
    for memory, row in zip(memories, rows.tolist(), strict=True):
        column = "session" if memory.session is not None else "thread"
        name, is_spoken = getattr(memory, column), is_turn(memory)
        chain = chains.get((column, name, is_spoken))
        if chain is None:
            alike = (index.column(column) == index.code(column, name)) & (turns == is_spoken) & index.stands
            if column == "thread":
                alike &= index.column("session") == -1
            chain = chains[column, name, is_spoken] = np.flatnonzero(alike)
        if at := int(np.searchsorted(chain, row)):
            neighbours[memory.seq] = int(index.seq[chain[at - 1]])
    return neighbours


async def _read_mentions(core: Core, seqs: Sequence[int]) -> dict[int, list[int]]:
    """Return which entities some memories mention, by their numbers."""
    by_memory: dict[int, list[int]] = {}
    if seqs:
        own = set(seqs)
        for link in await core.store.neighbours(core.scope, seqs, Relation.MENTIONS):
            if link.source in own:
                by_memory.setdefault(link.source, []).append(link.target)
    return by_memory


async def _read_latest_mentions(core: Core, entities: set[int]) -> dict[int, list[int]]:
    """Return the latest memories that mention an entity, as far as they stand and still do."""
    if not entities:
        return {}
    names = {f"{MENTIONED}{entity}": entity for entity in sorted(entities)}
    request = Bookkeeping(core.clock.now(), get=tuple(names))
    rows = (await core.store.bookkeep(core.scope, request)).values
    seqs = sorted({seq for row in rows.values() for seq in row})
    still = await _read_mentions(core, seqs)
    async with core.index.hold_rows(core.clock.now()):
        standing = core.index.filter_standing(seqs)
    return {
        names[name]: [seq for seq in row if seq in standing and names[name] in still.get(seq, ())]
        for name, row in rows.items()
    }


@dataclass
class KnownLinks:
    """The links of the memories looked at so far, with those drawn since, and how many of each relation each has."""

    keys: set[Key] = field(default_factory=set)
    held: dict[Key, Link] = field(default_factory=dict)  # as they were read
    degrees: dict[tuple[int, int], int] = field(default_factory=dict)  # by memory and relation
    # Of whom all links were looked at, and of whom only those of one relation.
    looked_at: dict[tuple[Relation, ...], set[int]] = field(default_factory=lambda: defaultdict(set))
    seen: set[Key] = field(default_factory=set)  # drawn or strengthened since

    async def look(self, core: Core, seqs: set[int], others: Mapping[Relation, set[int]]) -> None:
        """Fetch the links of memories, and of the others those of a relation of which they take only so many.

        What was looked at before is not asked for again: hubs, that every chunk meets, only once.
        """
        whole = self.looked_at[()]
        requests = [((), seqs), *(((relation,), group) for relation, group in others.items())]
        for relations, group in requests:
            new = sorted(group - whole - self.looked_at[relations])
            for link in await core.store.neighbours(core.scope, new, *relations) if new else ():
                if link.relation in DRAWN:
                    self.held[link.key] = link
                self.add(link.key)
            self.looked_at[relations] |= group

    def forget(self) -> None:
        """Begin anew: what was drawn has not been written."""
        for collection in (self.keys, self.held, self.degrees, self.looked_at, self.seen):
            collection.clear()

    def room(self, relation: int, one: int, other: int) -> bool:
        """Tell whether both ends take another link; near duplicates always find room."""
        if relation == Relation.NEAR_DUPLICATE:
            return True
        degrees = self.degrees
        return max(degrees.get((one, relation), 0), degrees.get((other, relation), 0)) < LINKS_MAX

    def add(self, key: Key) -> None:
        """Count a link, once."""
        if key in self.keys:
            return
        self.keys.add(key)
        for end in ((key[0], key[2]), (key[1], key[2])):
            self.degrees[end] = self.degrees.get(end, 0) + 1

    def make_link_changes(self, wished: Mapping[Key, int], now: int) -> tuple[list[Change], Counter[str]]:
        """Draw links that were seen so many times, or strengthen those that are there; none beyond the limit."""
        changes: list[Change] = []
        counts: Counter[str] = Counter()
        for key, times in wished.items():
            link = self.held.get(key)
            if key in self.seen or (link is None and not self.room(key[2], *key[:2])):
                continue
            self.seen.add(key)
            self.add(key)
            changes.append(_make_link_change(link, key, times, now))
            counts[Relation(key[2]).label] += 1
        return changes, counts


def _make_link_change(held: Link | None, key: Key, times: int, now: int) -> Change:
    """Draw a link that was seen so many times, or strengthen it as often."""
    how = DRAWN[key[2]]
    if held is None and times == 1:
        return Change("links", key, None, link_values(now, how.weight, how.confidence))
    relation = Relation(key[2])
    wish, link = Linking(key[0], key[1], relation, how.weight, how.confidence), held
    for _ in range(times):
        change = decide_link(link, key, wish, now)
        assert change is not None and change.after is not None
        link = replace(link or Link(*key[:2], relation), **change.after)
    assert link is not None
    after = {name: getattr(link, name) for name in MOVING}
    if held is None:
        return Change("links", key, None, {**link_values(now), **after})
    return Change("links", key, {name: getattr(held, name) for name in MOVING}, after)
