"""The jobs that keep a memory in order, run once in a scope or in all scopes of a file until they are stopped.

Knows which scopes there are, when to look again and what a caller may ask; what a tick does lies with it.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import Any, TypedDict

from remanence.core.arguments import check_path
from remanence.core.clock import DAY, SECOND, to_datetime
from remanence.core.errors import InvalidInput, StoreUnavailable, format_value
from remanence.core.keywords import CadenceName
from remanence.core.receipt import AutomaticRun
from remanence.core.results import Result, number, render_span, visible
from remanence.curate.policy.compiled import Policy, load
from remanence.curate.schedule import CadenceIntervals, retry_at
from remanence.flows.base import copies, undo_data_expiry
from remanence.flows.base.context import QUIET, Core
from remanence.flows.base.policy_reading import POLICY, read_adopted_policy
from remanence.flows.curate import curating, scheduling
from remanence.flows.schedule import lifetime, ticking
from remanence.flows.schedule.ticking import NO_POLICY, JobsResult, is_quiet, tick
from remanence.store.base import ScopeSurvey
from remanence.store.capabilities import IMAGE_EXPIRY, require

LOOK_SHARE = 5  # between two looks at all scopes passes a fifth of the quickest cadence,
LOOK_MOST_S = 30.0  # at most
LOOK_LEAST_S = 0.1  # and at least this
POLICIES_KEPT = 64


@dataclass(frozen=True, slots=True, repr=False)
class DaemonResult(Result):
    """Result of a daemon: how many rounds had due jobs, and in how many of them work failed or a plan was held.

    `once` is True if every scope was looked at once; otherwise the daemon was stopped.
    """

    rounds: int
    unwell: int
    once: bool

    @property
    def is_well(self) -> bool:
        """Return True if it did what was asked: looked once and found all well, or ran until it was stopped."""
        return not (self.once and self.unwell)

    def __str__(self) -> str:
        trouble = f", {self.unwell:,} with work that failed or a plan that is held" if self.unwell else ""
        return f"{number(self.rounds, 'round', 'rounds')}{trouble}; {'looked once' if self.once else 'told to stop'}"


@dataclass(frozen=True, slots=True, repr=False)
class DaemonStart(Result):
    """Settings of a daemon that starts: by scope its policy, seconds between judgements of rules by cadence, copies.

    `backup` is the file of which a copy with the day in its name is written before the first deletion of a day.
    """

    policies: Mapping[str, str]
    cadences: Mapping[str, float]
    backup: str | None = None

    def __str__(self) -> str:
        scopes = ", ".join(f"scope {scope!r} by policy {name!r}" for scope, name in self.policies.items())
        times = ", ".join(
            f"{name} rules every {render_span(seconds * SECOND)}" for name, seconds in self.cadences.items()
        )
        copy = (
            "no copy is made before a deletion (--backup FOLDER makes one)"
            if self.backup is None
            else f"a copy is written beside {self.backup} before the first deletion of a day"
        )
        return visible(f"keeps {scopes}; judges {times} where they are due; {copy}; the first look is now")


@dataclass
class Daemon:
    """What keeps a file in order; `scope` is the only one it looks at, where one is named.

    `begin` hears what it will do, `tell` of each tick. A scope that cannot even be opened is tried again later each
    time, and keeps no other.
    """

    base: Core
    pace: CadenceIntervals
    tell: Callable[[JobsResult], object]
    stop: asyncio.Event
    backup: Path | None = None
    scope: str | None = None
    begin: Callable[[DaemonStart], object] = lambda _: None
    # By scope how often in a row, and until when it rests.
    failures: dict[str, tuple[int, int]] = field(default_factory=dict)
    rounds: int = 0
    unwell: int = 0

    async def run(self, *, once: bool) -> DaemonResult:
        """Go on until it is told to stop, or look once."""
        adopting = await self._find_adopting_scopes()
        if not adopting:
            raise InvalidInput(
                "no scope here has adopted a policy, so nothing runs by itself", recovery=NO_POLICY
            )
        self.begin(
            DaemonStart(
                {
                    scope: compile_policy(one.values[POLICY]["source"]).name
                    for scope, one in sorted(adopting.items())
                },
                {name: span / SECOND for name, span in self.pace.intervals.items()},
                None if self.backup is None else str(self.backup),
            )
        )
        await self.look(promised=not once)
        while not (once or self.stop.is_set()):
            with suppress(TimeoutError):
                async with asyncio.timeout(compute_rest_s(self.pace)):
                    await self.stop.wait()
            if not self.stop.is_set():
                await self.look(promised=True)
        return DaemonResult(self.rounds, self.unwell, once)

    async def look(self, *, promised: bool) -> None:
        """Tick in every scope that needs it."""
        for scope, stands in (await self._find_adopting_scopes()).items():
            now = self.base.clock.now()
            if self.stop.is_set():
                break
            rests_until = self.failures.get(scope, (0, 0))[1]
            if now < rests_until or is_quiet(stands.values.get(QUIET), stands.position, now):
                continue
            await self._tick(scope, stands.values[POLICY], promised=promised)

    async def _find_adopting_scopes(self) -> dict[str, ScopeSurvey]:
        """Return how far each scope has come that has adopted a policy."""
        surveys = await self.base.store.survey((POLICY, QUIET))
        return {
            scope: stands
            for scope, stands in surveys.items()
            if POLICY in stands.values and self.scope in (None, scope)
        }

    async def _tick(self, scope: str, adopted: Mapping[str, Any], *, promised: bool) -> None:
        """Tick in one scope; what goes wrong there keeps no other scope."""
        outcome = await scheduling.run_automatic_work(
            self.base, f"jobs of scope {scope!r}", self._tick_scope(scope, adopted, promised)
        )
        now = self.base.clock.now()
        if isinstance(outcome, AutomaticRun):
            failures = self.failures.get(scope, (0, 0))[0]
            self.failures[scope] = failures + 1, retry_at(now, failures, self.pace)
            outcome = JobsResult(now, scope, ran={"tick": outcome}, next_at=self.failures[scope][1])
        else:
            self.failures.pop(scope, None)
        if outcome.ran:
            self.rounds, self.unwell = self.rounds + 1, self.unwell + (not outcome.is_well)
            self.tell(outcome)

    async def _tick_scope(self, scope: str, adopted: Mapping[str, Any], promised: bool) -> JobsResult:
        async with open_scope(self.base, scope, compile_policy(adopted["source"])) as core:
            backup = None if self.backup is None else self._write_backup
            return await tick(core, self.pace, backup=backup, promised=promised, stopping=self.stop.is_set)

    async def _write_backup(self) -> None:
        """Write a verified copy of the file, the first of the day, UTC."""
        assert self.backup is not None
        day = to_datetime(self.base.clock.now()).date().isoformat()
        path = self.backup.with_name(f"{self.backup.name}-{day}.db")
        if path.exists():
            return
        make_folder(path.parent)
        try:
            await copies.backup(self.base, path)
        except InvalidInput:
            if not path.exists():  # else another process has just made it
                raise


def compute_rest_s(pace: CadenceIntervals) -> float:
    """Return how many seconds lie between two looks."""
    return min(max(pace.intervals["rapid"] / SECOND / LOOK_SHARE, LOOK_LEAST_S), LOOK_MOST_S)


def make_folder(folder: Path) -> None:
    """Make the folder of a daemon's copies where it is missing; StoreUnavailable where none can be."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StoreUnavailable(
            f"the folder {folder} cannot be made: {error.strerror}",
            recovery="name another folder for copies, which may be written to",
        ) from error


@asynccontextmanager
async def open_scope(base: Core, scope: str, policy: Policy) -> AsyncIterator[Core]:
    """Work in another scope of the same store for a block."""
    core = replace(base, scope=scope, policy=policy, policy_given=True, pulse=None)
    core.model, core.tracer = base.model, base.tracer
    await lifetime.settle(core)
    try:
        yield core
    finally:
        if core.embedding is not None:
            await core.embedding.stop()
        await core.uses.settle()
        await lifetime.let_go(core.others)


@lru_cache(POLICIES_KEPT)
def compile_policy(source: str) -> Policy:
    """Compile an adopted policy; many scopes have adopted the same."""
    return load(source)


CADENCE_LEAST_S, CADENCE_MOST_S = 0.1, 366 * DAY // SECOND


StopSignal = asyncio.Event  # by this name beside the events of the audit


class UntilStopped(TypedDict, total=False):
    """How jobs run in all scopes until they are stopped.

    Args:
        intervals: seconds between two judgements of the rules of a cadence, where it is not as usual.
        begin: is called once, before anything is done, with the daemon's settings.
        tell: is called after each round in which something was due.
        backup: path of a verified copy, written before the first deletion of a day; the day is added to the name.
        in_scope: the only scope to look at.
        once: look at every scope once.
    """

    intervals: Mapping[CadenceName, float]
    begin: Callable[[DaemonStart], object]
    tell: Callable[[JobsResult], object]
    backup: str | Path | None
    in_scope: str | None
    once: bool


async def run_once(
    core: Core, cadence: CadenceName | None, *, policy: str | None, expire: bool
) -> JobsResult:
    """Run the due jobs of a scope, under the policy that is in force or the one that is named."""
    if expire:
        require(core.store, IMAGE_EXPIRY, "run_jobs(expire=True)")
    if policy is not None:
        outcome = await _run_under(core, curating.choose(core, policy, None), cadence)
    elif core.policy_given:
        outcome = await ticking.tick(core, cadence=cadence)
    else:
        outcome = await ticking.tick_bare(core, expire=expire)
    return replace(outcome, expired=await undo_data_expiry.expire(core)) if expire else outcome


async def _run_under(core: Core, policy: Policy, cadence: CadenceName | None) -> JobsResult:
    """Run the due jobs under a policy that this memory was not opened with."""
    curating.refuse_elsewhere(policy.hash, await read_adopted_policy(core))
    await core.uses.settle()
    async with open_scope(core, core.scope, policy) as other:
        return await ticking.tick(other, cadence=cadence)


def read_pace(intervals: Mapping[CadenceName, float]) -> CadenceIntervals:
    """Return how often rules are judged, given seconds by cadence where it is not as usual; refuse what is no time."""
    spans = {**CadenceIntervals().intervals}
    for name, seconds in intervals.items():
        if not CADENCE_LEAST_S <= seconds <= CADENCE_MOST_S:
            raise InvalidInput(
                f"cadence {name} is {format_value(seconds)} seconds",
                recovery=f"use {CADENCE_LEAST_S:g} to {CADENCE_MOST_S:,} seconds",
            )
        spans[name] = round(seconds * SECOND)
    return CadenceIntervals(spans)


async def run_until_stopped(core: Core, stop: asyncio.Event, options: UntilStopped) -> DaemonResult:
    """Run the due jobs of all scopes until they are told to stop."""
    pace = read_pace(options.get("intervals", {}))
    backup = options.get("backup")
    if backup is not None:
        check_path(backup)
        check_path(f"{backup}-2000-01-01.db")
        make_folder(Path(backup).parent)  # now, while somebody looks on, and not in the night
    unheard: Callable[[object], object] = lambda _: None  # noqa: E731 # nobody listens
    daemon = Daemon(
        core,
        pace,
        options.get("tell", unheard),
        stop,
        None if backup is None else Path(backup),
        options.get("in_scope"),
        options.get("begin", unheard),
    )
    return await daemon.run(once=options.get("once", False))
