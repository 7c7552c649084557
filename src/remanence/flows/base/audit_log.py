"""The audit, read part by part."""

from collections.abc import AsyncIterator

from remanence.core.change import AuditPart
from remanence.core.errors import NotFound, format_value
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


async def list_parts(core: Core, run: str) -> list[AuditPart]:
    """Return all parts of a run without their changes."""
    parts: list[AuditPart] = []
    while True:
        after = parts[-1].position if parts else 0
        page = await core.store.history(core.scope, run=run, after=after, limit=PAGE, rows=False)
        parts += page
        if len(page) < PAGE:
            return parts


async def newest_first(core: Core, down_to: int = 0, before: int | None = None) -> AsyncIterator[AuditPart]:
    """Yield the parts of all runs above a position, and below another where it is given, the newest first."""
    end = (await core.store.search(core.scope, ())).position if before is None else before - 1
    while end > down_to:
        start = max(down_to, end - PAGE)
        page = await core.store.history(core.scope, after=start, limit=PAGE, rows=False)
        for part in reversed(page):
            if part.position <= end:
                yield part
        end = start


async def find_run_span(core: Core, run: str) -> tuple[int, int]:
    """Return the positions of the first and the last part of a run; raise NotFound where there is none."""
    positions = [part.position async for part in iterate_audit_log(core, run, None)]
    if not positions:
        raise NotFound(
            f"no run {format_value(run)} in scope {core.scope!r}", recovery="list runs with `history`"
        )
    return positions[0], positions[-1]
