"""The ids that an export names as erased at its origin: kept, so that no older export brings their memories in again.

Called by imports and exports. Knows ids alone; must not know texts.
"""

from collections.abc import Collection

from remanence.flows.base.context import Core
from remanence.store.base import Bookkeeping

UNDER = "erased-elsewhere/"  # the bookkeeping's names: an id follows, the value is when this scope was told


async def keep(core: Core, ids: Collection[str]) -> None:
    """Keep the ids that were erased elsewhere; those that are kept already keep their time."""
    new_ids = {*ids} - await find(core, ids)
    if new_ids:
        now = core.clock.now()
        put = {f"{UNDER}{id_}": now for id_ in sorted(new_ids)}
        await core.store.bookkeep(core.scope, Bookkeeping(now, put=put))


async def find(core: Core, ids: Collection[str]) -> set[str]:
    """Return which of these ids were erased elsewhere."""
    names = tuple(f"{UNDER}{id_}" for id_ in ids)
    if not names:
        return set()
    kept = await core.store.bookkeep(core.scope, Bookkeeping(core.clock.now(), get=names))
    return {name.removeprefix(UNDER) for name in kept.values}


async def list_ids(core: Core) -> list[str]:
    """Return every id that was erased elsewhere."""
    kept = await core.store.bookkeep(core.scope, Bookkeeping(core.clock.now(), under=(UNDER,)))
    return [name.removeprefix(UNDER) for name in kept.values]
