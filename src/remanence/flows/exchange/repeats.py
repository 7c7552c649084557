"""Which lines of other files were merged into memories here that say the same: kept, so that they stay together.

Called by imports. Knows ids alone; must not know texts.
"""

from collections.abc import Collection, Mapping

from remanence.flows.base.context import Core
from remanence.store.base import Bookkeeping

UNDER = "repeat-elsewhere/"  # the bookkeeping's names: an id elsewhere follows, the value is the id here


def rows_of(repeats: Mapping[str, str]) -> dict[str, str]:
    """Return what a commit keeps beside its changes, given ids elsewhere with ids here."""
    return {f"{UNDER}{theirs}": mine for theirs, mine in repeats.items()}


async def find(core: Core, ids: Collection[str]) -> dict[str, str]:
    """Return the ids here of those of these ids that were merged into a memory."""
    names = tuple(f"{UNDER}{id_}" for id_ in ids)
    if not names:
        return {}
    kept = await core.store.bookkeep(core.scope, Bookkeeping(core.clock.now(), get=names))
    return {name.removeprefix(UNDER): id_ for name, id_ in kept.values.items()}
