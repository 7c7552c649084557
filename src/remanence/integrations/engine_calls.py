"""Calls of an adapter into a memory: from the loop that opened it, or into the thread of a plain one from anywhere.

Knows loops and portals; must not know any framework.
"""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

from remanence import sync
from remanence.core.clock import Clock
from remanence.core.errors import InvalidInput
from remanence.engine import Engine
from remanence.portal import Portal, thing_and_portal

T = TypeVar("T")
Work = Callable[[Engine], Coroutine[Any, Any, T]]
AnyEngine = Engine | sync.Engine

_ANY_LOOP = "open the memory with remanence.sync.open: that one may be called from any loop and thread"


class EngineCalls:
    """Runs work on a memory: on an async one in its own loop, on a plain one (`remanence.sync.open`) from anywhere."""

    def __init__(self, memory: AnyEngine) -> None:
        self._loop: asyncio.AbstractEventLoop | None = None
        self._portal: Portal | None = None
        if isinstance(memory, sync.Engine):
            self._engine, self._portal = thing_and_portal(memory)
        elif isinstance(memory, Engine):
            self._engine = memory
        else:
            raise InvalidInput(
                f"a memory must be what remanence.open or remanence.sync.open returns, not {type(memory).__name__}",
                recovery="pass the open memory itself",
            )

    @property
    def now(self) -> int:
        """What time it is to the memory, in microseconds."""
        clock: Clock = self._engine._core.clock  # noqa: SLF001 # what its clock says is no verb's
        return clock.now()

    async def run(self, work: Work[T]) -> T:
        """Do the work and wait for it here; cancelled here, it is cancelled there, and a commit is whole or absent."""
        if self._portal is not None:
            return await asyncio.wrap_future(self._portal.submit(work(self._engine)))
        here = asyncio.get_running_loop()
        self._loop = self._loop or here
        if self._loop is not here:
            raise InvalidInput("this memory is used by another event loop", recovery=_ANY_LOOP)
        return await work(self._engine)

    def run_sync(self, work: Work[T]) -> T:
        """Do the work and block until it is done; for a plain memory alone."""
        if self._portal is None:
            raise InvalidInput("an async memory cannot be waited for by plain code", recovery=_ANY_LOOP)
        return self._portal.call(work(self._engine))
