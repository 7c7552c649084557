"""Other scopes of the store, reached from an open memory: some stay ready, with their indexes, until it is closed.

Knows how a scope is made ready beside another; must not know what for.
"""

import asyncio
from collections import OrderedDict
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace

from remanence.flows.base.context import Core
from remanence.flows.base.opening_checks import refuse_new_scope
from remanence.flows.base.policy_reading import no_policy

READY_MAX = 8  # scopes that stay ready while nobody uses them


@dataclass
class _ReadyScope:
    """A scope that is ready, and how many use it now."""

    core: Core
    users: int = 0


class OtherScopes:
    """The other scopes that an open memory reached, the least used let go first; `settle` makes one ready."""

    def __init__(self, core: Core, settle: Callable[[Core], Awaitable[None]]) -> None:
        self._core, self._settle = core, settle
        self._ready: OrderedDict[str, _ReadyScope] = OrderedDict()
        self._turn = asyncio.Lock()

    @asynccontextmanager
    async def use(self, scope: str) -> AsyncIterator[Core]:
        """Use another scope for a block; NotFound where nobody ever wrote to it."""
        async with self._turn:
            if scope not in self._ready:
                self._ready[scope] = _ReadyScope(await self._make_ready(scope))
            ready = self._ready[scope]
            self._ready.move_to_end(scope)
            ready.users += 1
        try:
            yield ready.core
        finally:
            ready.users -= 1
            await self._let_go(READY_MAX)

    async def close(self) -> None:
        """Write what waits in the other scopes, and let them go."""
        await self._let_go(0)

    async def _make_ready(self, scope: str) -> Core:
        core = self._core
        await refuse_new_scope(core, scope)
        other = replace(core, scope=scope, pulse=None, policy=no_policy(), policy_given=False)
        other.model, other.others, other.tracer = core.model, core.others, core.tracer
        other.uses.are_counted = core.uses.are_counted
        await self._settle(other)
        return other

    async def _let_go(self, most: int) -> None:
        idle = [scope for scope, one in self._ready.items() if not one.users]
        going = [self._ready.pop(scope).core for scope in idle[: max(0, len(self._ready) - most)]]
        for other in going:
            if other.embedding is not None:
                await other.embedding.stop()
            await other.uses.settle()
            await other.index.save()
