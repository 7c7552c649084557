"""What an undo takes away beside the changes of a run: read from the store, what the engine made of them is selected.

A memory whose place went to one that goes gets it back, and turns leave their boxes.
"""

from collections.abc import Collection, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Any, cast

from remanence.core.box import BoxRow, FindBoxes
from remanence.core.change import Cause, Change, Entry, Row, rows_of
from remanence.core.model import Memory, Relation, Status
from remanence.core.owner import BY_ENGINE, owner_of
from remanence.edit.box_changes import leave_turns
from remanence.edit.dependents import KNOWN_END, Dependents
from remanence.edit.later_runs import LaterRuns
from remanence.flows.base.audit_log import iterate_audit_log
from remanence.flows.base.context import Core
from remanence.read.entity import is_entity
from remanence.store.lineage import REPLACING

TURNS_ASKED = 1_000  # whose boxes are read at a time
_PLACE = frozenset({"status", "reason", "tier", "key"})  # of a place that was given away


async def catch_up(core: Core, later: LaterRuns) -> None:
    """Take in what was logged since the last look."""
    async for part in iterate_audit_log(core, None, None, later.position):
        later.take_in(part)


async def read_attached(core: Core, seqs: Collection[int]) -> tuple[dict[int, Memory], dict[Row, Change]]:
    """Return memories, and their tags, sources and links."""
    links = await core.store.neighbours(core.scope, sorted(seqs))
    rows = [Change("links", link.key, link.values, None) for link in links]
    memories = {one.seq: one for one in await core.store.get(core.scope, sorted(seqs)) if one is not None}
    for seq, memory in memories.items():
        rows += [Change("tags", (seq, tag), {}, None) for tag in memory.tags]
        rows += [Change("sources", (seq, source), {}, None) for source in memory.sources]
    return memories, {(one.table, one.key): one for one in rows}


async def find_dependents(
    core: Core, entries: Sequence[Entry], cause: Cause, later: LaterRuns
) -> tuple[list[Entry], list[Entry]]:
    """Return what the engine made of memories or texts that entries take away, and these without entities that stay."""
    named = {(one.table, one.key): one for one in rows_of(one for one in entries if one.after is None)}
    gone = {cast("int", key) for table, key in named if table == "memories"}
    edited: set[int] = {seq for one in entries if _is_of_text(one) for seq in one.row_keys()}
    memories, attached = await read_attached(core, gone) if gone else ({}, {})
    if edited:
        attached |= await _read_known_links(core, edited)
    is_engine = owner_of(cause) == BY_ENGINE
    entities = {seq for seq, memory in memories.items() if is_engine and is_entity(memory)}
    missing = {row for row in named.keys() - attached.keys() if is_engine and _is_mention_of(row, gone)}
    boxes: list[Entry] = [*await _leave_boxes(core, memories.values(), gone, named.keys())]
    if not entities and not missing and not attached.keys() - named.keys():
        return boxes, list(entries)
    await catch_up(core, later)
    work = Dependents(later, named.keys(), entities, is_engine=is_engine)
    others = entities | work.take_along((gone | edited) - entities, attached)
    while others:
        found, more_attached = await read_attached(core, others)
        others = work.take_along(work.select_unknown(found, more_attached), more_attached)
    staying = missing | {("memories", seq) for seq in entities - work.going}
    kept = [left for one in entries for left in (one.split(staying)[1] if one.after is None else (one,))]
    more: list[Entry] = [one for row, one in work.rows.items() if row not in named]
    more += await _give_places_back(core, later, work.going - edited)
    return [*more, *boxes], kept


def _is_of_text(entry: Entry) -> bool:
    stays = entry.before is not None and entry.after is not None
    return entry.table == "memories" and stays and "text" in entry.columns


def _is_mention_of(row: Row, seqs: AbstractSet[int]) -> bool:
    return row[0] == "links" and row[1][2] == Relation.MENTIONS and row[1][1] in seqs


async def _read_known_links(core: Core, seqs: Collection[int]) -> dict[Row, Change]:
    """Return the links of texts to what they mention, and of facts to the texts that they were learned from."""
    links = await core.store.neighbours(core.scope, sorted(seqs), *KNOWN_END)
    mine = [link for link in links if link.key[1 - KNOWN_END[link.relation]] in seqs]
    return {("links", link.key): Change("links", link.key, link.values, None) for link in mine}


async def _give_places_back(core: Core, later: LaterRuns, going: AbstractSet[int]) -> list[Change]:
    """Give back the places that the engine gave to memories that go, where nothing else has become of them since."""
    back: dict[int, Change] = {}
    for changes in later.engine_changes():
        olds = {one.key[1] for one in changes if one.before is None and _gives_place(one, going)}  # type: ignore[index]
        for one in changes if olds else ():
            if one.table == "memories" and one.before and one.after and one.key in olds:
                back.setdefault(cast("int", one.key), one.inverse())
    memories = {one.seq: one for one in await core.store.get(core.scope, sorted(back)) if one is not None}
    return [
        one for seq, one in back.items() if seq in memories and _is_as_left(memories[seq], one.before or {})
    ]


def _gives_place(change: Change, going: AbstractSet[int]) -> bool:
    if change.table != "links":
        return False
    source, target, relation = cast("tuple[int, int, int]", change.key)
    return Relation(relation) in REPLACING and source in going and target not in going


def _is_as_left(memory: Memory, left: Mapping[str, Any]) -> bool:
    """Tell whether a memory that gave up its place is still as that left it."""
    values = all(getattr(memory, name) == value for name, value in left.items() if name in _PLACE)
    return memory.status is Status.SUPERSEDED and values


async def _leave_boxes(
    core: Core, memories: Collection[Memory], gone: AbstractSet[int], named: AbstractSet[Row]
) -> list[Change]:
    """Take turns that go out of their boxes; a box without turns goes, and its trace where it was the last."""
    turns = sorted(gone & {memory.seq for memory in memories if memory.session is not None})
    boxes: dict[int, BoxRow] = {}
    for start in range(0, len(turns), TURNS_ASKED):
        some = tuple(turns[start : start + TURNS_ASKED])
        found = await core.store.boxes(core.scope, FindBoxes(holding=some, limit=len(some)))
        boxes |= {box.box: box for box in found if ("boxes", box.box) not in named}
    changes: list[Change] = []
    for box in boxes.values():
        left = leave_turns(box, set(box.members) - gone)
        changes += left
        if left[0].after is None and box.trace is not None:
            changes.append(Change("traces", box.trace, {}, None))
    return changes
