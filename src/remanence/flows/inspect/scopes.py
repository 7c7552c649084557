"""The scopes of a store: which there are, how much each holds, and when something was last written to it.

Reads across scopes, which nothing else does but what keeps a file in order; must not show anything that is in one.
"""

from dataclasses import dataclass

from remanence.core.arguments import check_count
from remanence.core.results import MaybeTime, Result, minute_of, number, visible
from remanence.core.snapshot import SnapshotRequest
from remanence.flows.base.context import LISTED_MAX, Core
from remanence.store.base import Store

LOOK_BACK = 50  # parts of the audit in which a write is looked for that is no use


@dataclass(frozen=True, slots=True, repr=False)
class ScopeOverview(Result):
    """A scope: how many memories of any status it has, the bytes of their texts and vectors, and its last write.

    `bytes` is None where the store does not tell. That a memory was used is no write, unless nothing else was done for
    long.
    """

    scope: str
    memories: int
    bytes: int | None
    written_at: int | None

    written_time = MaybeTime("written_at")

    def __str__(self) -> str:
        size = "" if self.bytes is None else f", {self.bytes:,} bytes"
        count = number(self.memories, "memory", "memories")
        return visible(f"scope {self.scope!r}: {count}{size}, last written {minute_of(self.written_at)}")


async def list_scopes(core: Core, limit: int, after: str | ScopeOverview | None) -> list[ScopeOverview]:
    """List the scopes that were written to, by name, behind one of them where that is named."""
    check_count("limit", limit, 1, LISTED_MAX)
    await core.uses.settle_to_read()
    last = after.scope if isinstance(after, ScopeOverview) else after
    surveys = await core.store.survey(())
    names = [name for name in sorted(surveys) if last is None or name > last][:limit]
    return await _survey_scopes(core, {name: surveys[name].position for name in names})


async def _survey_scopes(core: Core, positions: dict[str, int]) -> list[ScopeOverview]:
    sizes = await core.store.measure_scopes([*positions])
    overviews: list[ScopeOverview] = []
    for scope, position in positions.items():
        size = sizes.get(scope)
        count = await _count_memories(core, scope) if size is None else size.memories
        written_at = await _find_last_write(core.store, scope, position)
        overviews.append(ScopeOverview(scope, count, None if size is None else size.bytes, written_at))
    return overviews


async def _count_memories(core: Core, scope: str) -> int:
    return len(await core.store.snapshot(scope, SnapshotRequest(frozenset({"status"})), core.clock.now()))


async def _find_last_write(store: Store, scope: str, position: int) -> int | None:
    """Return when something was last written, else when something was last used."""
    parts = await store.history(scope, after=max(0, position - LOOK_BACK), limit=LOOK_BACK, rows=False)
    times = [part.cause.at for part in parts if part.cause.verb != "use"] or [part.cause.at for part in parts]
    return times[-1] if times else None
