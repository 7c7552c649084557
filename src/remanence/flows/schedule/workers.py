"""A worker of a server: one of several processes that look at all scopes and share the work among them.

Knows when a scope is due, and who takes over from a worker that died; what is done in a scope is a tick, as in the
plain loop of `schedules`, under the same lease. Each time is the server's, so that a host whose clock is wrong does
nothing too early, too late or twice.
"""

import asyncio
import logging
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any, TypedDict

from procrastinate.worker import Worker

from remanence.core.clock import SECOND, SET_BACK_MIN, SystemClock, read_monotonic_micros
from remanence.core.errors import InvalidInput, StoreUnavailable
from remanence.core.keywords import CadenceName
from remanence.core.receipt import AutomaticRun
from remanence.core.results import Result, number, visible
from remanence.curate.schedule import CadenceIntervals, retry_at
from remanence.flows.base.context import QUIET, Core
from remanence.flows.base.policy_reading import POLICY
from remanence.flows.curate import scheduling
from remanence.flows.schedule.job_queue import LOST, JobQueue, ScopeLook, explain
from remanence.flows.schedule.schedules import (
    DaemonResult,
    compile_policy,
    compute_rest_s,
    open_scope,
    read_pace,
)
from remanence.flows.schedule.ticking import LEASE_NAME, JobsResult, is_quiet, tick
from remanence.store.address import hide_password
from remanence.store.base import Bookkeeping
from remanence.store.postgres.pg_due import FindDue, find_due_scopes

BEAT_S = 1.0
SWEEP_S = 2.0  # so often one of the workers asks which scopes are due,
SWEEP_SHARE = 0.1  # and never for more of its time than this
WAITING_MOST = 2_000  # jobs: what is due beyond waits in its scope, where it costs nothing
DEATHS_AT_ONCE = 2  # so many workers in a row may die in a scope before it rests
JOBS_MOST = 64
PAUSE_S = 1.0  # before a worker begins again that lost its connection
LOG = logging.getLogger("remanence")


@dataclass(frozen=True, slots=True, repr=False)
class WorkerStart(Result):
    """Settings of a worker that starts: on which server, in which schema its queue is, how many jobs run at a time."""

    server: str
    queue: str
    jobs: int

    def __str__(self) -> str:
        jobs = number(self.jobs, "job", "jobs")
        return visible(
            f"works for all scopes of {self.server}, {jobs} at a time; the queue is in {self.queue}"
        )


class ServerClock:
    """The time of the server: told now and then, and counted on by what passes here, which nobody sets."""

    def __init__(self) -> None:
        self._own = SystemClock()
        self._told, self._told_at = self._own.now(), read_monotonic_micros()
        self._latest = 0

    def tell(self, now: int) -> None:
        """Take over what the server says."""
        self._told, self._told_at = now, read_monotonic_micros()

    def now(self) -> int:
        """Return the time of the server, at least one microsecond after the last answer unless it was set back."""
        time = self._told + read_monotonic_micros() - self._told_at
        self._latest = time if time < self._latest - SET_BACK_MIN else max(self._latest + 1, time)
        return self._latest

    def since_boot(self) -> tuple[str, int] | None:
        """Return a name of the boot of this machine, and how long it has run."""
        return self._own.since_boot()


class WorkerOptions(TypedDict, total=False):
    """How a worker works.

    Args:
        jobs: how many scopes it is at, at a time.
        intervals: seconds between two judgements of the rules of a cadence, where it is not as usual.
        begin: is called once, before anything is done, with the worker's settings.
        tell: is called after each round in which something was due.
    """

    jobs: int
    intervals: Mapping[CadenceName, float]
    begin: Callable[[WorkerStart], object]
    tell: Callable[[JobsResult], object]


@dataclass
class OneWorker:
    """A worker under way; `base` is an open memory whose clock is the server's."""

    base: Core
    address: str
    queue: JobQueue
    clock: ServerClock
    pace: CadenceIntervals
    jobs: int
    stop: asyncio.Event
    tell: Callable[[JobsResult], object]
    rounds: int = field(init=False, default=0)
    unwell: int = field(init=False, default=0)

    async def run(self) -> DaemonResult:
        """Work until it is told to stop, and again from the start where the server went away meanwhile."""
        while not self.stop.is_set():
            try:
                await self._serve()
            except* (*LOST, StoreUnavailable) as lost:
                LOG.warning("the worker begins again: %s", explain(_find_first(lost)))
            with suppress(TimeoutError):
                async with asyncio.timeout(PAUSE_S):
                    await self.stop.wait()
        return DaemonResult(self.rounds, self.unwell, once=False)

    async def _serve(self) -> None:
        """Work until it is told to stop, or something fails."""
        async with asyncio.TaskGroup() as group:
            worker = self.queue.build_worker(self.look, self.jobs)
            beside = [group.create_task(work(worker)) for work in (self._beat, self._end, self._reap)]
            await worker.run()  # type: ignore[no-untyped-call]
            for task in beside:
                task.cancel()

    async def look(self, look: ScopeLook) -> None:
        """Do what is due in a scope: the job. Where it fails as a whole it is tried again, later each time."""
        scope, now = look.scope, self.clock.now()
        stands = await self.base.store.bookkeep(scope, Bookkeeping(now, get=(POLICY, QUIET)))
        adopted = stands.values.get(POLICY)
        if adopted is None or is_quiet(stands.values.get(QUIET), stands.position, now):
            return
        outcome = await scheduling.run_automatic_work(
            self.base, f"jobs of scope {scope!r}", self._tick(look, adopted)
        )
        if isinstance(outcome, AutomaticRun):
            now = self.clock.now()
            again = retry_at(now, look.tries, self.pace)
            await self.queue.defer([ScopeLook(scope, self.base.new_id(), look.tries + 1, again)])
            outcome = JobsResult(now, scope, ran={"tick": outcome}, next_at=again)
        if outcome.ran:
            self.rounds, self.unwell = self.rounds + 1, self.unwell + (not outcome.is_well)
            self.tell(outcome)

    async def _tick(self, look: ScopeLook, adopted: Mapping[str, Any]) -> JobsResult:
        async with open_scope(self.base, look.scope, compile_policy(adopted["source"])) as core:
            return await tick(core, self.pace, promised=True, stopping=self.stop.is_set, holder=look.holder)

    async def _end(self, worker: Worker) -> None:
        """End a worker after the jobs at hand, once it is told to stop."""
        await self.stop.wait()
        worker.stop()  # type: ignore[no-untyped-call]

    async def _beat(self, worker: Worker) -> None:
        """Let others know that this one lives, follow the server's clock, and keep the queue when it is the turn."""
        sweeping: asyncio.Task[None] | None = None
        async with asyncio.TaskGroup() as group:
            while True:
                now, is_turn = await self.queue.beat(worker.worker_id, SWEEP_S)
                self.clock.tell(now)
                if is_turn and (sweeping is None or sweeping.done()):
                    sweeping = group.create_task(self._sweep())
                await asyncio.sleep(BEAT_S)

    async def _sweep(self) -> None:
        """Have every scope looked at that is due or was written to, and for which no job waits."""
        began = read_monotonic_micros()
        known = await self.queue.find_scopes()
        if len(known) < WAITING_MOST:
            now, rest = self.clock.now(), round(compute_rest_s(self.pace) * SECOND)
            asked = FindDue(POLICY, QUIET, now, now - rest, WAITING_MOST + len(known))
            due = await asyncio.to_thread(find_due_scopes, self.address, asked)
            new = [scope for scope in due if scope not in known][: WAITING_MOST - len(known)]
            await self.queue.defer([ScopeLook(scope, self.base.new_id()) for scope in new])
        took_s = (read_monotonic_micros() - began) / SECOND
        if took_s > SWEEP_S * SWEEP_SHARE:
            await self.queue.extend(took_s / SWEEP_SHARE)

    async def _reap(self, _: Worker) -> None:
        """Have others go on with what dead workers were at: their leases are given back, their jobs wait again."""
        while True:
            for number_, look in await self.queue.find_stalled():
                release = Bookkeeping(self.clock.now(), release=(LEASE_NAME, look.holder))
                await self.base.store.bookkeep(look.scope, release)
                if await self.queue.take_away(number_):
                    LOG.warning("a worker died, or was stopped, at scope %r: another one goes on", look.scope)
                    await self.queue.defer([self._build_successor(look)])
            await asyncio.sleep(BEAT_S)

    def _build_successor(self, look: ScopeLook) -> ScopeLook:
        """Return the job that takes the place of a dead worker's; where one after the other dies, the scope rests."""
        at = None
        if look.tries >= DEATHS_AT_ONCE:
            at = retry_at(self.clock.now(), look.tries - DEATHS_AT_ONCE, self.pace)
        return ScopeLook(look.scope, self.base.new_id(), look.tries + 1, at)


async def run_worker(core: Core, address: str, stop: asyncio.Event, options: WorkerOptions) -> DaemonResult:
    """Work for all scopes of a server until told to stop, beside as many other workers as there are."""
    jobs = options.get("jobs", 1)
    if not 1 <= jobs <= JOBS_MOST:
        raise InvalidInput(f"{jobs:,} jobs at a time", recovery=f"use 1 to {JOBS_MOST}")
    clock, queue = ServerClock(), JobQueue(address)
    base = replace(core, clock=clock)
    base.model, base.tracer = core.model, core.tracer
    unheard: Callable[[object], object] = lambda _: None  # noqa: E731 # nobody listens
    pace, tell = read_pace(options.get("intervals", {})), options.get("tell", unheard)
    await queue.open()
    try:
        clock.tell((await queue.beat(None, 0.0))[0])
        options.get("begin", unheard)(WorkerStart(hide_password(address), queue.name, jobs))
        return await OneWorker(base, address, queue, clock, pace, jobs, stop, tell).run()
    finally:
        await queue.close()


def _find_first(group: BaseExceptionGroup) -> BaseException:
    first: BaseException = group.exceptions[0]
    return _find_first(first) if isinstance(first, BaseExceptionGroup) else first
