"""The audit, read part by part."""

from collections.abc import AsyncIterator

from remanence.core.change import AuditPart
from remanence.flows.base.context import Core

PAGE = 1_000


async def iterate_audit_log(
    core: Core, run: str | None, memory: int | None, after: int = 0
) -> AsyncIterator[AuditPart]:
    """Yield the logged parts of a run, of a memory, or of the whole scope, oldest first."""
    while page := await core.store.history(core.scope, run=run, memory=memory, after=after, limit=PAGE):
        for part in page:
            yield part
        after = page[-1].position


async def newest_first(core: Core, down_to: int = 0) -> AsyncIterator[AuditPart]:
    """Yield the parts of all runs above a position, the newest first."""
    end = (await core.store.search(core.scope, ())).position
    while end > down_to:
        start = max(down_to, end - PAGE)
        page = await core.store.history(core.scope, after=start, limit=PAGE, rows=False)
        for part in reversed(page):
            if part.position <= end:
                yield part
        end = start
