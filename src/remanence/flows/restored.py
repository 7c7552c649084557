"""An older copy of a store in its place: what was erased since is erased again before anybody sees it.

Knows what a ledger names; must not know how one is kept.
"""

import logging
from dataclasses import replace

from remanence.errors import Conflict
from remanence.flows import erase
from remanence.flows.core import RACES_MAX, Core, overtaken
from remanence.results import number

LOG = logging.getLogger("remanence")


async def settle(core: Core) -> None:
    """Erase in every scope what the ledger beside a store names, and let each learn what the other knows."""
    erased = 0
    for attempt in range(RACES_MAX):
        found = await core.store.brought_back()
        if not found.is_due:
            break
        try:
            for scope, seqs in found.seqs.items():
                erased += await erase.again(replace(core, scope=scope), seqs)
        except Conflict as conflict:  # another process opened it, too
            await overtaken(attempt, conflict)
            continue
        if await core.store.take_ledger():
            break
    if erased:
        LOG.warning("this is an older copy; erased again, as since: %s", number(erased, "memory", "memories"))
        await core.store.clean()
