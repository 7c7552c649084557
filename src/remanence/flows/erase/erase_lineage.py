"""What was learned from memories that are erased: what goes with them, what stays, and what is to be made anew.

Follows links, those of purged memories in their images; must not know what was shown to whom.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from remanence.core.model import Memory, Relation
from remanence.flows.base.context import Core
from remanence.flows.erase.erase_changes import PURGED, chunks, get
from remanence.read.entity import is_entity
from remanence.write.reflecting import CATEGORY, CONSOLIDATED, DRAWN_TAG

_PARTS = 1_000  # of the audit that are read at once

Ends = tuple[int, int, int]


@dataclass(slots=True)
class Lineage:
    """What was learned from what goes: `alone` goes with it, `others` stay.

    `anew` has by the number of each text that was drawn together the reflections that are left of it.
    """

    alone: list[Memory] = field(default_factory=list)
    others: list[Memory] = field(default_factory=list)
    anew: dict[int, list[int]] = field(default_factory=dict)


class _Links:
    """The links of memories that say where something was learned, with those that went when one was purged."""

    def __init__(self, core: Core) -> None:
        self._core = core
        self._gone: dict[Relation, set[Ends]] = {Relation.LEARNED_FROM: set(), Relation.MENTIONS: set()}

    async def remember(self, purged: Sequence[int]) -> None:
        """Find in its images which links went with a purged memory."""
        for seq in purged:
            for relation, keys in self._gone.items():
                keys.update(key for key in await self._last_links(seq) if key[2] == relation)

    async def find_links(self, seqs: Sequence[int], relation: Relation) -> set[Ends]:
        """Return the ends of all links of these memories."""
        links = await self._core.store.neighbours(self._core.scope, seqs, relation) if seqs else []
        wanted_seqs = set(seqs)
        then = {key for key in self._gone.get(relation, ()) if not wanted_seqs.isdisjoint(key[:2])}
        return {link.key for link in links} | then

    async def _last_links(self, seq: int) -> set[Ends]:
        """Return the links that went together with a memory's row."""
        keys: set[Ends] = set()
        after = 0
        while parts := await self._core.store.history(
            self._core.scope, memory=seq, after=after, limit=_PARTS
        ):
            after = parts[-1].position
            for part in parts:
                went = [change for change in part.changes if change.after is None]
                if any((change.table, change.key) == ("memories", seq) for change in went):
                    keys = {change.key for change in went if change.table == "links"}  # type: ignore[misc]
        return keys


async def lineage(core: Core, named: Mapping[int, int]) -> Lineage:
    """Return what was learned from what goes alone, what from something else also, and what is to be drawn anew."""
    links = _Links(core)
    await links.remember([seq for seq, revision in named.items() if revision == PURGED])
    going, ahead = set(named), sorted(named)
    descendants: dict[int, Memory] = {}
    others: dict[int, Memory] = {}
    while ahead:
        pairs = await _learned_from(core, links, ahead, going)
        ahead = []
        for memory, alone in pairs:
            if alone:
                descendants[memory.seq] = memory
                others.pop(memory.seq, None)
                going.add(memory.seq)
                ahead.append(memory.seq)
            else:
                others[memory.seq] = memory
    return Lineage(
        [descendants[seq] for seq in sorted(descendants)],
        [others[seq] for seq in sorted(others)],
        await _drawn_anew(core, links, going),
    )


async def _learned_from(
    core: Core, links: _Links, seqs: Sequence[int], going: set[int]
) -> list[tuple[Memory, bool]]:
    """Return what was learned from some memories, and whether from nothing that stays."""
    pairs: list[tuple[Memory, bool]] = []
    for some in chunks(seqs):
        ends = await links.find_links(some, Relation.LEARNED_FROM)
        learner_seqs = sorted({source for source, target, _ in ends if target in going} - going)
        from_: dict[int, set[int]] = {}
        for source, target, _ in await links.find_links(learner_seqs, Relation.LEARNED_FROM):
            from_.setdefault(source, set()).add(target)
        for memory in await get(core, learner_seqs):
            is_drawn = DRAWN_TAG in memory.tags  # its words are those of all that it was drawn from
            pairs.append((memory, memory.key is None and (is_drawn or from_[memory.seq] <= going)))
        pairs += [(one, True) for one in await _named_by_these(core, links, some, going)]
    return pairs


async def _named_by_these(core: Core, links: _Links, seqs: Sequence[int], going: set[int]) -> list[Memory]:
    """Return the entities that some memories mention and nothing that stays does."""
    ends = await links.find_links(seqs, Relation.MENTIONS)
    entity_seqs = sorted({target for source, target, _ in ends if source in going} - going)
    by: dict[int, set[int]] = {}
    for source, target, _ in await links.find_links(entity_seqs, Relation.MENTIONS):
        by.setdefault(target, set()).add(source)
    return [one for one in await get(core, entity_seqs) if is_entity(one) and by[one.seq] <= going]


async def _drawn_anew(core: Core, links: _Links, going: set[int]) -> dict[int, list[int]]:
    """Return of each text that was drawn together from something that goes the reflections that are left of it.

    What says much the same as one that goes stands in for it: it had no line of its own then.
    """
    groups: dict[int, list[int]] = {}
    for some in chunks(sorted(going)):
        of: dict[int, set[int]] = {one.seq: set() for one in await get(core, some) if DRAWN_TAG in one.tags}
        for source, target, _ in await links.find_links(sorted(of), Relation.LEARNED_FROM):
            if source in of:
                of[source].add(target)
        for text_seq, targets in of.items():
            if targets.isdisjoint(going):
                continue
            near = await links.find_links(sorted(targets & going), Relation.NEAR_DUPLICATE)
            ends = targets.union(*(key[:2] for key in near)) - going
            if group := [one.seq for one in await get(core, sorted(ends)) if is_put_aside(one)]:
                groups[text_seq] = group
    return groups


def is_put_aside(memory: Memory) -> bool:
    """Tell whether a memory is a reflection that was drawn together with others."""
    return memory.category == CATEGORY and memory.state == CONSOLIDATED
