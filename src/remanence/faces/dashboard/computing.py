"""What takes long to work out, worked out in the background: a page shows what there is, and since when.

Knows tasks and positions of a scope; must not know what is worked out.
"""

import asyncio
from collections import OrderedDict, defaultdict
from collections.abc import Awaitable, Callable, Hashable
from dataclasses import dataclass
from typing import Any

from remanence.core.clock import MINUTE, to_datetime
from remanence.core.results import Result, minute_of

OF_ONE_MAX = 12  # answers that are kept for one token; a plan of a large scope is megabytes
TOKENS_MAX = 16
FRESH = 10 * MINUTE  # for how long an answer is taken for the newest while only time passes
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


@dataclass(frozen=True, slots=True, repr=False)
class BackgroundAnswer(Result):
    """What a page shows of a computation: the newest answer, None where there is none yet.

    As data it is since when alone: what came out is the page's own to show.
    """

    value: Any
    at: int
    is_current: bool
    is_running: bool

    def __str__(self) -> str:
        work = ", a newer one is under way" if self.is_running else ""
        return f"answer of {minute_of(self.at or None)}{work}"

    def to_dict(self) -> dict[str, Any]:
        """Return of when it is, as data that `json.dumps` takes."""
        at = to_datetime(self.at).isoformat() if self.at else None
        return {"at": at, "is_current": self.is_current, "is_running": self.is_running}


class Computations:
    """The newest answers by name, at most so many."""

    def __init__(self, now: Callable[[], int]) -> None:
        self._now = now
        self._kept: OrderedDict[Hashable, OrderedDict[Hashable, Computation]] = OrderedDict()
        self._turns = asyncio.Semaphore(RUNNING_MAX)
        # One at a time for one token, so that what one asks for makes another's wait for a single answer at most.
        self._own_turns: defaultdict[Hashable, asyncio.Lock] = defaultdict(asyncio.Lock)

    async def read(
        self,
        name: tuple[Hashable, Hashable],
        position: int,
        compute: Callable[[], Awaitable[Any]],
    ) -> BackgroundAnswer:
        """Return the newest answer; where the scope went on, or time, a newer one is begun and waited for a little.

        `name` says for whom, and what. Raises what the computation raised.
        """
        kept_for, what = name
        own = self._kept.setdefault(kept_for, OrderedDict())
        kept = own.setdefault(what, Computation())
        own.move_to_end(what)
        self._kept.move_to_end(kept_for)
        # What was asked for longest ago goes: of one token what it asked itself, of all what nobody asks any more.
        while len(own) > OF_ONE_MAX:
            _cancel_waiting(own.popitem(last=False)[1])
        while len(self._kept) > TOKENS_MAX:
            oldest = next(iter(self._kept))
            self._own_turns.pop(oldest, None)
            for dropped in self._kept.pop(oldest).values():
                _cancel_waiting(dropped)
        is_old = kept.position != position or self._now() - kept.at > FRESH
        if not kept.is_running and is_old:
            kept.task = asyncio.create_task(self._work(self._own_turns[kept_for], kept, position, compute))
            kept.task.add_done_callback(_look_at)
        if kept.task is not None and kept.is_running:
            await asyncio.wait({kept.task}, timeout=WAIT_S)
        if kept.task is not None and kept.task.done() and not kept.task.cancelled():
            error, kept.task = kept.task.exception(), None
            if error is not None:
                raise error
        is_current = kept.position == position and self._now() - kept.at <= FRESH
        return BackgroundAnswer(kept.value, kept.at, is_current, kept.is_running)

    def peek(self, name: tuple[Hashable, Hashable]) -> Any:
        """Return the newest answer, None where there is none; nothing is begun."""
        kept_for, what = name
        own = self._kept.get(kept_for)
        kept = None if own is None else own.get(what)
        return None if kept is None else kept.value

    def forget(self, _scope: str) -> None:
        """Drop every answer; what is still being worked out reaches nobody."""
        for own in self._kept.values():
            while own:
                _cancel_waiting(own.popitem()[1])

    async def end(self) -> None:
        """End what is under way."""
        every = [kept for own in self._kept.values() for kept in own.values()]
        tasks = [kept.task for kept in every if kept.task is not None]
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks)

    async def _work(
        self, own_turn: asyncio.Lock, kept: Computation, position: int, compute: Callable[[], Awaitable[Any]]
    ) -> None:
        kept.has_begun = False
        async with own_turn, self._turns:
            kept.has_begun, at = True, self._now()
            kept.value = await compute()
            kept.position, kept.at = position, at


def _cancel_waiting(dropped: Computation) -> None:
    """Cancel what waits for its turn; what has begun goes on in its thread, and holds its turn until it ends."""
    if dropped.task is not None and not dropped.has_begun:
        dropped.task.cancel()


def _look_at(task: "asyncio.Task[None]") -> None:
    """Look at what a task raised: whoever asks is told, and whoever asked may have gone."""
    if not task.cancelled():
        task.exception()
