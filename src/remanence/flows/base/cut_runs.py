"""Runs of many parts that do not come to their end: parts written whole, and a last one that closes what was begun.

Knows runs; must not know what one does.
"""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import replace

from remanence.core.change import Cause, CommitResult, Entry
from remanence.core.errors import LeaseLost, RemanenceError, StoreUnavailable
from remanence.flows.base.audit_log import list_parts
from remanence.flows.base.context import Core

CUT_SHORT = "cut short"  # what the last part of a run says that was cancelled


@asynccontextmanager
async def closed_run(core: Core, cause: Cause) -> AsyncIterator[None]:
    """Close a run whose caller is cancelled within the block: what it has done is a run that undo takes back.

    Its parts are written by `commit_part`. What fails, or is killed, is listed as interrupted.
    """
    is_cut = True
    try:
        yield
        is_cut = False
    except RemanenceError:
        is_cut = False
        raise
    finally:
        if is_cut:
            with suppress(LeaseLost, StoreUnavailable):
                await _close_run(core, cause)


async def _close_run(core: Core, cause: Cause) -> None:
    """Write the last part of a run of which some are written, and not the last."""
    parts = await list_parts(core, cause.run)
    if parts and not parts[-1].cause.final:
        detail = {**cause.detail, CUT_SHORT: True}
        await core.commit([], replace(cause, part=parts[-1].cause.part + 1, final=True, detail=detail))


async def commit_part(core: Core, changes: Sequence[Entry], cause: Cause) -> CommitResult:
    """Write one part of such a run; who is cancelled meanwhile waits until it is written or refused."""
    task = asyncio.ensure_future(core.commit(changes, cause))
    try:
        return await asyncio.shield(task)
    finally:
        if not task.done():
            await asyncio.wait([task])
            task.exception()  # looked at: who was cancelled hears of that alone
