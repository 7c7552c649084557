"""What undoing an extraction leaves: entities that others mention by now, or that have changed since.

A fact that goes takes its mentions along, whomever they lead to by now.
"""

from collections.abc import Mapping, Sequence
from typing import Any, cast

from remanence.core.change import Change, Entry
from remanence.core.model import Memory, Relation, Status
from remanence.flows.base.context import Core
from remanence.read.entity import is_entity


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
