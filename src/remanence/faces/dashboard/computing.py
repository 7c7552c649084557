"""What takes long to work out, worked out in the background: a page shows what there is, and since when.

Knows tasks and positions of a scope; must not know what is worked out.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Hashable
from dataclasses import dataclass
from typing import Any

KEPT_MAX = 64  # answers; a plan of a large scope is megabytes
RUNNING_MAX = 2  # at once, however many are asked for: verbs are answered meanwhile
WAIT_S = 0.4  # for what may be ready at once, before a page comes without it


@dataclass
class Computation:
    """One answer: what came out, as of which position of its scope and which time, and the task that works on it."""

    position: int = -1
    at: int = 0
    value: Any = None
    has_begun: bool = False
    task: asyncio.Task[None] | None = None

    @property
    def is_running(self) -> bool:
        """Tell whether a newer answer is under way."""
        return self.task is not None and not self.task.done()


@dataclass(frozen=True, slots=True)
class BackgroundAnswer:
    """What a page shows of a computation: the newest answer, None where there is none yet."""

    value: Any
    at: int
    is_current: bool
    is_running: bool


class Computations:
    """The newest answers by name, at most so many."""

    def __init__(self, now: Callable[[], int]) -> None:
        self._now = now
        self._kept: OrderedDict[Hashable, Computation] = OrderedDict()
        self._turns = asyncio.Semaphore(RUNNING_MAX)

    async def read(
        self,
        name: Hashable,
        position: int,
        compute: Callable[[], Awaitable[Any]],
        *,
        wait_s: float = WAIT_S,
        again: bool = False,
    ) -> BackgroundAnswer:
        """Return the newest answer; where the scope went on, or `again`, a newer one is begun and waited for a little.

        Raises what the computation raised.
        """
        kept = self._kept.setdefault(name, Computation())
        self._kept.move_to_end(name)
        while len(self._kept) > KEPT_MAX:
            _, dropped = self._kept.popitem(last=False)
            if dropped.task is not None and not dropped.has_begun:
                dropped.task.cancel()  # what has begun goes on in its thread, and holds its turn until it ends
        if not kept.is_running and (again or kept.position != position):
            kept.task = asyncio.create_task(self._work(kept, position, compute))
        if kept.task is not None and kept.is_running:
            await asyncio.wait({kept.task}, timeout=wait_s)
        if kept.task is not None and kept.task.done() and not kept.task.cancelled():
            error, kept.task = kept.task.exception(), None
            if error is not None:
                raise error
        return BackgroundAnswer(kept.value, kept.at, kept.position == position, kept.is_running)

    def peek(self, name: Hashable) -> Any:
        """Return the newest answer, None where there is none; nothing is begun."""
        kept = self._kept.get(name)
        return None if kept is None else kept.value

    async def end(self) -> None:
        """End what is under way."""
        tasks = [kept.task for kept in self._kept.values() if kept.task is not None]
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks)

    async def _work(self, kept: Computation, position: int, compute: Callable[[], Awaitable[Any]]) -> None:
        kept.has_begun = False
        async with self._turns:
            kept.has_begun, at = True, self._now()
            kept.value = await compute()
            kept.position, kept.at = position, at
