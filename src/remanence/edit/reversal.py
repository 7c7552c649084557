"""What an undo commits: the inverse of what a run changed, made to start from the columns as they are now.

Knows changes, rows as they were read and what later runs changed; knows no store. A column that only use has changed
since keeps the use, one that the engine changed is taken as it is now. Where anybody else changed a column that belongs
with those of the run, it is a conflict.
"""

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace

from remanence.core.change import Change, Entry, Row
from remanence.core.model import Link, Memory
from remanence.core.use_days import add_use_days
from remanence.edit.later_runs import MEMORY_USE, LaterRuns, columns_of, is_in_the_way
from remanence.edit.links import increase_link_count, increase_link_weight

_LINK_USE = frozenset({"weight", "count", "last_at"})  # what a use changes in a link
Present = Mapping[Row, Memory | Link]


def start_from_present(
    entries: Sequence[Entry], moved: AbstractSet[Row], present: Present, later: LaterRuns
) -> tuple[list[Entry], list[Row]]:
    """Let changes of rows that have moved start from what is there now; return them, and the rows in conflict.

    `present` has those of the moved rows that are there.
    """
    seqs = [key for table, key in moved if table == "memories"]
    since, engine = later.columns(seqs), later.columns(seqs, by_engine=True)
    started: list[Entry] = []
    conflicts: list[Row] = []
    for entry in entries:
        mine, others = entry.split(moved)
        for change in mine:
            row = change.table, change.key
            now, new = present.get(row), None
            if isinstance(now, Link):
                new = _start_link(change, now)
            elif isinstance(now, Memory) and change.before is not None:
                none = frozenset[str]()
                new = _start_memory(change, now, since.get(now.seq, none), engine.get(now.seq, none))
            if new is None or new == change:  # what comes out unchanged would be refused again
                conflicts.append(row)
            else:
                started.append(new)
        started += others
    return started, conflicts


def _start_memory(
    change: Change, memory: Memory, since: AbstractSet[str], engine: AbstractSet[str]
) -> Change | None:
    """Let a memory's change start from its revision, its uses and what the engine made of it; None in a conflict."""
    before, after = dict(change.before or {}), None if change.after is None else dict(change.after)
    if before.get("revision", memory.revision) != memory.revision:
        if is_in_the_way(columns_of(change), since):
            return None
        before["revision"] = memory.revision
        if after is not None:
            after["revision"] = memory.revision + 1
            if before.get("edits") != memory.edits:  # when later runs edited it stays
                before.pop("edits", None)
                after.pop("edits", None)
    # A `Memory` carries no vector, so there is none to start from.
    before |= {name: getattr(memory, name) for name in (before.keys() & engine) - {"vector"}}
    now = {name: getattr(memory, name) for name in MEMORY_USE}
    if after is not None and before.keys() >= now.keys() and not now.items() <= before.items():
        after |= add_use_days(before, after, now)
        before |= now
    return replace(change, before=before, after=after)


def _start_link(change: Change, link: Link) -> Change | None:
    """Let a link's change start from the link as use left it; None where something else has changed it."""
    if change.before is None or change.after is None or not change.before.keys() >= _LINK_USE:
        return None
    before, after = dict(change.before), dict(change.after)
    now = {name: getattr(link, name) for name in before}
    times = now["count"] - before["count"]
    if times <= 0 or now != before | {
        "weight": increase_link_weight(before["weight"], times),
        "count": now["count"],
        "last_at": now["last_at"],
    }:
        return None
    after |= {
        "weight": increase_link_weight(after["weight"], times),
        "count": increase_link_count(after["count"], times),
        "last_at": now["last_at"],
    }
    return replace(change, before=now, after=after)
