"""What the engine did by itself with memories that an undoing takes away: it goes with them, entities in use stay.

Rows that hang on them, facts and entities that are known from them alone, the place that they were given, their turns
in boxes. What anybody else has touched since stays, and stands in the way as it did; so does an entity that others
mention by now.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Any, cast

from remanence.core.box import FindBoxes
from remanence.core.change import Block, Change, Entry, inverse, rows_of
from remanence.core.model import Memory, Relation, Status
from remanence.flows.base.context import Core
from remanence.flows.undo.conflicts import Later
from remanence.read.entity import is_entity
from remanence.store.constraints import memories_of
from remanence.store.lineage import REPLACING

_Row = tuple[str, Any]
_KEPT = frozenset({"status", "reason", "tier", "key"})  # of a place that was given away


async def hung_on(core: Core, seqs: Collection[int]) -> dict[_Row, Change]:
    """Return the tags, sources and links of memories, each with the change that takes it away."""
    rows: list[Change] = [
        Change("links", link.key, link.values, None)
        for link in await core.store.neighbours(core.scope, sorted(seqs))
    ]
    for memory in await core.store.get(core.scope, sorted(seqs)):
        if memory is not None:
            rows += [Change("tags", (memory.seq, tag), {}, None) for tag in memory.tags]
            rows += [Change("sources", (memory.seq, source), {}, None) for source in memory.sources]
    return {(one.table, one.key): one for one in rows}


async def with_engine_work(core: Core, entries: Sequence[Entry], later: Later) -> list[Entry]:
    """Add to what takes memories, or a text away what the engine alone made of them since."""
    named_rows = {(one.table, one.key) for one in rows_of(one for one in entries if one.after is None)}
    gone = {cast("int", key) for table, key in named_rows if table == "memories"}
    edited = {cast("int", one.key) for one in entries if isinstance(one, Change) and _is_of_text(one)}
    hung = (await hung_on(core, gone) if gone else {}) | (await _heard_in(core, edited) if edited else {})
    if not hung.keys() - named_rows:
        return list(entries)
    await later.catch_up()
    work = _DependentRows(core, later, gone | edited)
    await work.follow(gone | edited, hung)
    more = [one for row, one in work.rows.items() if row not in named_rows]
    more += await _places_back(core, later, work.going - edited)
    return [*more, *await _out_of_boxes(core, gone, named_rows), *entries]


def _is_of_text(change: Change) -> bool:
    both = change.before, change.after
    return change.table == "memories" and all(side is not None and "text" in side for side in both)


async def _heard_in(core: Core, seqs: Collection[int]) -> dict[_Row, Change]:
    """Return the links of texts to what they mention, and of facts to the texts that they were learned from."""
    ends = {Relation.LEARNED_FROM: 1, Relation.MENTIONS: 0}
    links = await core.store.neighbours(core.scope, sorted(seqs), *ends)
    mine = [link for link in links if link.key[ends[link.relation]] in seqs]
    return {("links", link.key): Change("links", link.key, link.values, None) for link in mine}


class _DependentRows:
    """The rows that go along with some memories, and the memories that do."""

    def __init__(self, core: Core, later: Later, going: AbstractSet[int]) -> None:
        self._core, self._later = core, later
        self.going = set(going)
        self.rows: dict[_Row, Change] = {}
        self._born = {seq for part in later.by_engine() for seq in _born_in(part)}

    async def follow(self, fresh: AbstractSet[int], hung: dict[_Row, Change]) -> None:
        """Take along what the engine hung on memories, then the facts and entities that it made of them alone."""
        while fresh:
            mine = self._filter_engine_rows(hung)
            self.rows |= mine
            ends = {end for table, key in mine if table == "links" for end in key[:2]}
            fresh, hung = await self._find_derived(sorted(ends & self._born - self.going))
            self.going |= fresh

    async def _find_derived(self, seqs: Sequence[int]) -> tuple[set[int], dict[_Row, Change]]:
        """Return those that are known from what goes alone and were touched by nobody else, and what hangs on them."""
        if not seqs:
            return set(), {}
        hung = await hung_on(self._core, seqs)
        engine_rows, changed_seqs = self._filter_engine_rows(hung).keys(), self._later.columns(seqs).keys()
        other_seqs = {seq for row in hung.keys() - engine_rows for seq in memories_of(*row)}
        going, grounds = set[int](), _grounds(hung)
        for memory in await self._core.store.get(self._core.scope, seqs):
            if memory is None or memory.seq in changed_seqs | other_seqs:
                continue
            if grounds[memory.seq] and grounds[memory.seq] <= self.going:
                going.add(memory.seq)
                change = Change("memories", memory.seq, {"revision": memory.revision}, None)
                self.rows["memories", memory.seq] = change
        return going, {row: one for row, one in hung.items() if going & set(memories_of(*row))}

    def _filter_engine_rows(self, hung: dict[_Row, Change]) -> dict[_Row, Change]:
        """Return the rows that the engine made since, or a use: these are logged by nobody."""
        engine_rows = {row for part in self._later.by_engine() for row in _made_in(part, hung.keys())}
        used = {row for row in hung if row[0] == "links" and row[1][2] == Relation.CO_OCCURS}
        used -= self._later.changed_by_others(used)
        return {row: one for row, one in hung.items() if row in engine_rows | used}


def _grounds(rows: Iterable[_Row]) -> dict[int, set[int]]:
    """Return what memories are known from, by links: facts from what they were learned from, entities from mentions."""
    grounds: dict[int, set[int]] = defaultdict(set)
    for table, key in rows:
        if table == "links" and key[2] == Relation.LEARNED_FROM:
            grounds[key[0]].add(key[1])
        elif table == "links" and key[2] == Relation.MENTIONS:
            grounds[key[1]].add(key[0])
    return grounds


def _born_in(part: Sequence[Entry]) -> Iterator[int]:
    for one in part:
        if isinstance(one, Change) and one.table == "memories" and one.before is None:
            yield cast("int", one.key)


def _made_in(part: Sequence[Entry], wanted: AbstractSet[_Row]) -> Iterator[_Row]:
    """Yield those of some rows that a part made."""
    for one in part:
        if one.before is None and one.table != "memories":
            keys = one.row_keys() if isinstance(one, Block) else [one.key]
            yield from ((one.table, key) for key in keys if (one.table, key) in wanted)


async def _places_back(core: Core, later: Later, going: AbstractSet[int]) -> list[Change]:
    """Give back the places that the engine gave to memories that go, where nothing else has become of them since."""
    by_seq: dict[int, Change] = {}
    for part in later.by_engine():
        changes = [one for one in part if isinstance(one, Change)]
        new_links = [one.key for one in changes if one.table == "links" and one.before is None]
        olds = {key[1] for key in cast("list[tuple[int, int, int]]", new_links) if _gives_place(key, going)}
        for one in changes if olds else ():
            if one.table == "memories" and one.before and one.after and one.key in olds:
                by_seq.setdefault(one.key, inverse(one))
    stand = {one.seq: one for one in await core.store.get(core.scope, sorted(by_seq)) if one is not None}
    return [one for seq, one in by_seq.items() if _is_as_left(stand.get(seq), one)]


def _gives_place(key: tuple[int, int, int], going: AbstractSet[int]) -> bool:
    return Relation(key[2]) in REPLACING and key[0] in going and key[1] not in going


def _is_as_left(memory: Memory | None, back: Change) -> bool:
    """Tell whether a memory that gave up its place is still as that left it."""
    if memory is None or memory.status is not Status.SUPERSEDED:
        return False
    before = back.before or {}
    return all(getattr(memory, name) == value for name, value in before.items() if name in _KEPT)


async def _out_of_boxes(core: Core, going: AbstractSet[int], named: AbstractSet[_Row]) -> list[Change]:
    """Take turns that go out of their boxes; a box without turns goes, and its trace where it was the last."""
    memories = await core.store.get(core.scope, sorted(going))
    sessions = {memory.session for memory in memories if memory is not None and memory.session is not None}
    changes: list[Change] = []
    for session in sorted(sessions):
        for box in await core.store.boxes(core.scope, FindBoxes(session=session)):
            rest = [seq for seq in box.members if seq not in going]
            if len(rest) == len(box.members) or ("boxes", box.box) in named:
                continue
            before = {"members": list(box.members), "goal": box.goal}
            goal = box.goal if box.goal in rest else None
            after = {"members": rest, "goal": goal} if rest else None
            changes.append(Change("boxes", box.box, before, after))
            if not rest and box.trace is not None:
                changes.append(Change("traces", box.trace, {}, None))
    return changes


async def without_lasting(core: Core, entries: Sequence[Entry]) -> list[Entry]:
    """Leave entities out that stay, and let the mentions of what goes be those of now."""
    changes = [entry for entry in entries if isinstance(entry, Change)]
    about = [cast("int", one.key) for one in changes if one.table == "memories"]
    found = {one.seq: one for one in await core.store.get(core.scope, about) if one is not None}
    entities = {seq for seq, memory in found.items() if is_entity(memory)}
    going = {cast("int", one.key) for one in changes if one.table == "memories" and one.after is None}
    ends = sorted(entities | going)
    links = {link.key: link for link in await core.store.neighbours(core.scope, ends)} if ends else {}
    cut = {one.key for one in changes if one.table == "links" and one.after is None}
    cut |= {key for key in links if key[0] in going - entities}
    held = {end for key in links if key not in cut for end in key[:2]}
    lasting = {seq for seq in entities & going if seq in held}
    lasting |= {seq for seq in entities if _has_moved(found[seq], changes)}
    mentions = int(Relation.MENTIONS)
    kept = [
        one
        for one in entries
        if not isinstance(one, Change)
        or (
            not (one.table == "memories" and one.key in lasting)
            and not (_is_mention(one, mentions) and one.key not in links and _end(one) in entities | going)
        )
    ]
    named = {one.key for one in kept if isinstance(one, Change) and one.table == "links"}
    more = [
        Change("links", key, link.values, None)
        for key, link in links.items()
        if key[2] == mentions and key[0] in going - entities and key not in named
    ]
    return [*more, *kept]


def _has_moved(memory: Memory, changes: Sequence[Change]) -> bool:
    """Tell whether an entity is no longer as the run left it."""
    mine = next(one for one in changes if one.table == "memories" and one.key == memory.seq)
    before: Mapping[str, Any] = mine.before or {}
    return memory.status is not Status.ACTIVE or before.get("revision", memory.revision) != memory.revision


def _is_mention(change: Change, relation: int) -> bool:
    return (
        change.table == "links"
        and change.after is None
        and cast("tuple[int, ...]", change.key)[2] == relation
    )


def _end(change: Change) -> int:
    return cast("tuple[int, ...]", change.key)[1]
