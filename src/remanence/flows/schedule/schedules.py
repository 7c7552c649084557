"""When a memory keeps itself in order, and how it went, as `memory.schedule`.

Knows what a caller may ask of it; what is done, and when, is decided elsewhere.
"""

from asyncio import Event
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

from remanence.core.clock import DAY, SECOND
from remanence.core.errors import InvalidInput, format_value
from remanence.core.keywords import CadenceName
from remanence.core.signatures import checked_class
from remanence.curate.schedule.pace import CadenceIntervals
from remanence.flows.base import expiring
from remanence.flows.base.context import Core
from remanence.flows.curate import curating, scheduling
from remanence.flows.curate.scheduling import Ran
from remanence.flows.curate.timetable import Timetable, timetable
from remanence.flows.schedule import ticking
from remanence.flows.schedule.daemon import Daemon, DaemonResult
from remanence.flows.schedule.ticking import TickResult
from remanence.store.base import Bookkeeping

CADENCE_LEAST_S, CADENCE_MOST_S = 0.1, 366 * DAY // SECOND


@checked_class
class Schedule:
    """When curation runs by itself, and how it went: `memory.schedule`."""

    def __init__(self, core: Core) -> None:
        self._core = core

    async def tick(self, cadence: CadenceName | None = None, *, expire: bool = False) -> TickResult:
        """Do what is due by itself: curation, extraction, consolidation, vectors, the mirror; what is left waits.

        Rules are judged by their `every`: those that are due, or those of the cadence that is named, and all quicker
        ones. It takes 2 seconds for rapid rules, 5, 10 and 30 for standard, hourly and deep ones; the next one goes on.
        Without a policy it finishes what is pending since an erasure, and nothing else. With `expire` the images of the
        audit end that are older than the setting `audit_days` says; their runs stay, by a line each, and can no more be
        undone. What is held, forgotten and not purged yet, or was purged so lately that it can be restored keeps its
        images. A deep tick under a policy does that by itself.
        """
        core = self._core
        bare = not core.policy_given
        outcome = await (
            ticking.tick_bare(core, expire=expire) if bare else ticking.tick(core, cadence=cadence)
        )
        return replace(outcome, expired=await expiring.expire(core)) if expire else outcome

    async def run(
        self,
        cadence: Mapping[CadenceName, float] | None = None,
        *,
        stop: Event,
        tell: Callable[[TickResult], object] | None = None,
        backup: str | Path | None = None,
        scope: str | None = None,
        once: bool = False,
    ) -> DaemonResult:
        """Tick in all scopes of the file, or in one, until `stop` is set; only where a policy is adopted.

        Args:
            cadence: seconds between two judgements of the rules of a cadence, where it is not as usual.
            stop: ends it after the part of a plan that it is at.
            tell: hears of each tick in which something was due.
            backup: where a verified copy goes before the first deletion of a day; the day is added to the name.
            scope: the only one to look at.
            once: look at every scope once.
        """
        intervals = {**CadenceIntervals().intervals}
        for name, seconds in (cadence or {}).items():
            if not CADENCE_LEAST_S <= seconds <= CADENCE_MOST_S:
                raise InvalidInput(
                    f"cadence {name} is {format_value(seconds)} seconds",
                    recovery=f"use {CADENCE_LEAST_S:g} to {CADENCE_MOST_S:,} seconds",
                )
            intervals[name] = round(seconds * SECOND)
        copies = None if backup is None else Path(backup)
        keeps = Daemon(self._core, CadenceIntervals(intervals), tell or (lambda _: None), stop, copies, scope)
        return await keeps.run(once=once)

    async def timetable(self) -> Timetable | None:
        """Tell when ticks came and come next, what waits, failed or was missed; None where none ever came."""
        return await timetable(self._core)

    async def should_curate(self) -> bool:
        """Tell whether the next session begins with a run: the policy has an interval, and it has passed."""
        return await scheduling.should_curate(self._core)

    async def due_at(self) -> int | None:
        """Tell when the next run is due at the present pace; None where the policy has no interval."""
        return await scheduling.interval_due_at(self._core)

    async def last(self) -> Ran | None:
        """Tell what became of the last automatic run."""
        return (await scheduling.read_last_runs(self._core)).get("curate")

    async def accept_clock(self) -> str | None:
        """Accept the machine's clock as it is, so that plans held because of it go on; nothing stored is changed.

        Returns what was in doubt, None where nothing was. Records that claim to be of later than now stay as they are
        and hold no plan any more.
        """
        core = self._core
        doubt, now = await core.watch.accept(), core.clock.now()
        await scheduling.let_go(core)
        answer = await core.store.bookkeep(core.scope, Bookkeeping(now, get=(curating.LAST_CURATE,)))
        if answer.values.get(curating.LAST_CURATE, now) > now:  # else nothing is due until that time comes
            await core.store.bookkeep(core.scope, Bookkeeping(now, put={curating.LAST_CURATE: None}))
        return doubt
