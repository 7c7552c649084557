"""Which memories have gone in the reference store, and which keep their images.

Knows rows and logged changes; knows nothing of scopes.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from remanence.core.change import AuditPart, Cause, Change
from remanence.store.base import PurgedMemory
from remanence.store.ending import KEEPS_IMAGES
from remanence.store.memory.tables import Tables


def update_purged(
    purged: Mapping[int, PurgedMemory], logged: Sequence[Change], cause: Cause
) -> dict[int, PurgedMemory]:
    """Return which memories have gone after a commit; of what was erased nothing is known."""
    found = dict(purged)
    for change in logged:
        if change.table != "memories" or not isinstance(change.key, int):
            continue
        if change.after is None and change.before:
            row = change.before
            found[change.key] = PurgedMemory(change.key, row["id"], row["key"], cause.run, cause.at)
        elif None in (change.before, change.after):
            found.pop(change.key, None)
    return found


def with_end(log: Sequence[AuditPart], one: PurgedMemory) -> PurgedMemory:
    """Return a purged memory that says when its image ended, where it has."""
    (part,) = [part for part in log if part.cause.run == one.run and part.cause.at == one.at][-1:]
    held = any(change.table == "memories" and change.key == one.seq for change in part.changes)
    return one if held else replace(one, ended_at=part.ended_at)


def keeping(tables: Tables, purged: Mapping[int, PurgedMemory], before: int, now: int) -> set[int]:
    """Return the memories that keep their images."""
    rows = tables["memories"].items()
    held = {seq for seq, row in rows if row["status"] == KEEPS_IMAGES or (row["hold_until"] or now) > now}
    return held | {seq for seq, one in purged.items() if one.at >= before}
