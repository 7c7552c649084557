"""What somebody restored within the last day, which no policy takes meanwhile: read from the audit where there is any.

Knows how a run of `restore` reads there; what such a memory is spared decides the guard.
"""

from collections.abc import Mapping

from remanence.core.guards import RESTORED_FOR
from remanence.core.snapshot import Snapshot
from remanence.flows.base.context import Core
from remanence.flows.undo.runs import newest_first
from remanence.flows.undo.undoing import BROUGHT_BACK

PARTS_MAX = (
    200_000  # parts of a day that are looked through; of a scope in which more was written, the newest
)


async def find_recently_restored(core: Core, snapshot: Snapshot, now: int) -> Mapping[int, int]:
    """Return the memories that were restored within the last day, with when; not those of a run that was undone."""
    last = snapshot.fired.get(BROUGHT_BACK)
    if last is None or last <= now - RESTORED_FOR:
        return {}
    found: dict[int, int] = {}
    undone: set[str] = set()
    seen = 0
    async for part in newest_first(core):
        cause, seen = part.cause, seen + 1
        if cause.at <= now - RESTORED_FOR or seen > PARTS_MAX:
            break
        if cause.verb == "undo" and cause.run not in undone:
            undone.add(cause.detail["undoes"])
        if cause.verb != "restore" or cause.run in undone:
            continue
        (whole,) = await core.store.history(core.scope, run=cause.run, after=part.position - 1, limit=1)
        for change in whole.changes:
            if change.table == "memories" and isinstance(change.key, int):
                found.setdefault(change.key, cause.at)
    return found
