"""Carries a fleet's words out on a memory, and ticks on the beat of five minutes: each one, or those that are needed.

Knows the public verbs and a manual clock; judges nothing.
"""

from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field

from benchmarks.report import spent
from benchmarks.simulate.fleet import Fleet, Said
from remanence.core.clock import DAY, MINUTE, ManualClock
from remanence.engine import Engine
from remanence.flows.schedule.ticking import JobsResult

BEAT = 5 * MINUTE
Looked = Callable[[JobsResult], Awaitable[None]]


@dataclass
class Walk:
    """One memory on its way through the days.

    With `every_beat` it is ticked at each beat of the grid; without, the clock jumps over the beats at which nobody
    has said anything and nothing is due. `looked` is awaited after each tick that did not find all quiet. Of each day
    `busy_ms` and `idle_ms` are the CPU times of its ticks that did something, and of those that only looked.
    """

    memory: Engine
    clock: ManualClock
    fleet: Fleet
    every_beat: bool
    looked: Looked
    ticks: int = 0
    verbs: int = 0
    checked_s: float = 0.0  # CPU that the checker took, and the trials with their engines
    tried_s: float = 0.0
    busy_ms: list[list[float]] = field(default_factory=list)
    idle_ms: list[list[float]] = field(default_factory=list)
    _next_at: int = 0
    _said: bool = True

    async def days(self, days: int) -> AsyncIterator[int]:
        """Go through so many days; yield the number of each that is over, at its last beat."""
        start = self.clock.now()
        coming = self.fleet.until(days)
        waits = next(coming, None)
        for day in range(days):
            ends = start + (day + 1) * DAY
            self.busy_ms.append([])
            self.idle_ms.append([])
            while waits is not None and waits.at < ends:
                await self._ticked_until(waits.at)
                await self._say(waits)
                waits = next(coming, None)
            await self._ticked_until(ends)
            self.clock.set(ends)
            yield day

    async def _say(self, said: Said) -> None:
        self.clock.set(said.at)
        await getattr(self.memory, said.verb)(*said.args, **said.more)
        self.verbs += 1
        self._said = True

    async def _ticked_until(self, at: int) -> None:
        """Tick at the beats up to an instant."""
        while (beat := self._beat()) <= at:
            self.clock.set(beat)
            with spent() as took:
                done = await self.memory.run_jobs()
            self.ticks += not done.quiet
            self._next_at, self._said = done.next_at, False
            if not done.quiet:
                did = any(one.counts for one in done.ran.values())
                (self.busy_ms if did else self.idle_ms)[-1].append(took.cpu_s * 1_000)
                await self.looked(done)

    def _beat(self) -> int:
        """Return the next beat, or the next at which there may be something to do."""
        now = self.clock.now()
        soonest = now if self._said or self.every_beat else max(now, self._next_at - 1)
        return soonest - soonest % BEAT + BEAT
