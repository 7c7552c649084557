"""What copying and dropping a scope share: whose a scope is, and a run of many parts that ends whole or not at all.

Knows runs and their owners; must not know what a run does.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

from remanence.core.change import ROWLESS, AuditPart
from remanence.core.errors import Protected, StoreUnavailable
from remanence.core.owner import BY_ENGINE, BY_POLICY, owner_of
from remanence.flows.base.audit_log import PAGE, list_parts
from remanence.flows.base.context import Core
from remanence.flows.undo.refusals import ASK, GUARD, takes_all_back
from remanence.flows.undo.undoing import undo, undo_id


async def refuse_others(core: Core) -> None:
    """Refuse an agent what it may not do to a scope in which anybody but itself, a policy and the engine wrote."""
    if takes_all_back(core):
        return
    own = {*core.owners, BY_ENGINE, BY_POLICY}
    async for part in iterate_parts_since(core, 0):
        if owner_of(part.cause) not in own:
            raise Protected(
                "this scope is not copied or dropped here: others than this agent wrote to it",
                recovery=ASK,
                guards=(GUARD,),
            )


async def iterate_parts_since(core: Core, position: int) -> AsyncIterator[AuditPart]:
    """Yield what was written above a position, without its changes; that something was used or embedded is none."""
    while page := await core.store.history(core.scope, after=position, limit=PAGE, rows=False):
        for part in page:
            if part.cause.verb not in ROWLESS:
                yield part
        position = page[-1].position


async def is_written_since(core: Core, position: int, run: str = "") -> bool:
    """True if anything but uses was written above a position, by another run than one's own."""
    async for part in iterate_parts_since(core, position):
        if part.cause.run != run:
            return True
    return False


@asynccontextmanager
async def whole_run(core: Core, run: str) -> AsyncIterator[None]:
    """Take back what a run has written by the end of a block that it does not come to the end of.

    Its parts are written by `commit_part`: one that came in behind the taking back would be left. What kept the store
    from writing keeps it from that, too: then the run is listed as interrupted.
    """
    is_done = False
    try:
        yield
        is_done = True
    finally:
        if not is_done:
            with suppress(StoreUnavailable):
                await _take_back(core, run)


async def _take_back(core: Core, run: str) -> None:
    """Undo a run; nothing where no part of it was written, or somebody has taken all of it back."""
    undone = {part.cause.part for part in await list_parts(core, undo_id(run))}
    if any(part.cause.part not in undone for part in await list_parts(core, run)):
        await undo(core, run)
