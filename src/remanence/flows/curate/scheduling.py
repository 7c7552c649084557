"""What a memory does of its own accord: the curation that is due before a session, the consolidation after it.

A failure here reaches nobody's verb; it is kept with its reason, and shown by `status`.
"""

import logging
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Literal

from remanence.change import Fence
from remanence.clock import MINUTE
from remanence.curate.forecast import due, due_at
from remanence.curate.plan import Plan
from remanence.curate.planner import brake
from remanence.errors import LeaseLost, RemanenceError
from remanence.flows import heartbeat
from remanence.flows.core import Answer, Core, leased
from remanence.flows.curate import curating
from remanence.results import Result, Time, counted, minute_of, visible
from remanence.signatures import checked_class
from remanence.store.base import Bookkeeping
from remanence.timescale import ClockName, Timescale, scales

AUTOMATIC = "automatic/"  # what the bookkeeping's names of such work begin with
LOG = logging.getLogger("remanence")
# A process killed in an automatic run keeps the others from theirs for so long. A run that outlasts it writes on until
# another process has taken the lease, and nothing after that.
LEASE = 10 * MINUTE


@dataclass(frozen=True, slots=True, repr=False)
class Ran(Result):
    """How an automatic run ended; `run` is what `undo` takes, None where nothing was changed.

    `held` says what holds its plan for a person to look at, its `share` of the scope or the `clock`, and `destroyed`
    how many memories it would destroy; what destroys nothing is done all the same where it is the share. `exempt`
    counts what went outside the limits on deletion.
    """

    at: int
    outcome: Literal["done", "skipped", "failed"]
    run: str | None = None
    counts: Mapping[str, int] = field(default_factory=dict)
    reason: str = ""
    held: Literal["", "share", "clock"] = ""
    destroyed: int = 0
    exempt: int = 0

    time = Time("at")

    def __str__(self) -> str:
        did = "; ".join([*([counted(self.counts)] if self.counts else []), *filter(None, [self.reason])])
        return visible(f"{minute_of(self.at)} {self.outcome}: {did or counted(self.counts)}")


@checked_class
class Schedule:
    """When curation runs by itself, and how it went: `memory.schedule`."""

    def __init__(self, core: Core) -> None:
        self._core = core

    async def should_curate(self) -> bool:
        """Tell whether the next session begins with a run: the policy has an interval, and it has passed."""
        return await should_curate(self._core)

    async def due_at(self) -> int | None:
        """Tell when the next run is due at the present pace; None where the policy has no interval."""
        core = self._core
        return due_at(core.policy, *await _read(core)) if runs_by_itself(core) else None

    async def last(self) -> Ran | None:
        """Tell what became of the last automatic run."""
        return (await kept(self._core)).get("curate")

    async def accept_clock(self) -> str | None:
        """Accept the machine's clock as it is, so that plans held because of it go on; nothing stored is changed.

        Returns what was in doubt, None where nothing was. Records that claim to be of later than now stay as they are
        and hold no plan any more.
        """
        core = self._core
        found, now = await core.watch.accept(), core.clock.now()
        await _let_go(core)
        booked = await core.store.bookkeep(core.scope, Bookkeeping(now, get=(curating.LAST_CURATE,)))
        if booked.values.get(curating.LAST_CURATE, now) > now:  # else nothing is due until that time comes
            await core.store.bookkeep(core.scope, Bookkeeping(now, put={curating.LAST_CURATE: None}))
        return found


async def _let_go(core: Core) -> None:
    """Let what became of the last run say no more that the clock holds its plan."""
    ran, row = (await kept(core)).get("curate"), f"{AUTOMATIC}curate"
    if ran is not None and ran.held == "clock":
        swap = {row: (asdict(ran), asdict(replace(ran, held="")))}
        await core.store.bookkeep(core.scope, Bookkeeping(core.clock.now(), swap=swap))


async def should_curate(core: Core) -> bool:
    """Tell whether the policy's interval has passed on its clock since it last ran, asked for or not."""
    return runs_by_itself(core) and due(core.policy, *await _read(core))


def runs_by_itself(core: Core) -> bool:
    """Tell whether a policy was given that has an interval."""
    return core.policy_given and core.policy.interval is not None


async def curate(core: Core) -> Ran | None:
    """Curate if it is due; one process at a time, and never what the brake holds."""
    if not await should_curate(core):
        return None
    async with leased(core, "curate", LEASE) as fence:
        if fence is None:
            return Ran(core.clock.now(), "skipped", reason="another process is curating")
        # The other process may have been at it until a moment ago.
        return await _curated(core, fence) if await should_curate(core) else None


async def keep(core: Core, name: str, work: Callable[[Core], Awaitable[Ran | None]]) -> None:
    """Do such work and keep what became of it; nothing that goes wrong in it is raised."""
    row, now = f"{AUTOMATIC}{name}", core.clock.now()
    before = (await core.store.bookkeep(core.scope, Bookkeeping(now, get=(row,)))).values.get(row)
    ran = await _tried(core, name, work(core))
    if ran is None:
        return
    if ran.outcome == "skipped":  # what another process did meanwhile says more
        await core.store.bookkeep(core.scope, Bookkeeping(now, swap={row: (before, asdict(ran))}))
    else:
        await core.store.bookkeep(core.scope, Bookkeeping(now, put={row: asdict(ran)}))


async def attempted(core: Core, name: str, work: Awaitable[object]) -> str:
    """Do work that nothing else rests on; return why it failed, logged as that of any automatic work."""
    done = await _tried(core, name, work)
    return done.reason if isinstance(done, Ran) else ""


async def _tried(core: Core, name: str, work: Awaitable[Answer]) -> Answer | Ran:
    try:
        return await work
    except Exception as error:  # noqa: BLE001 # nobody asked for this work: what was asked for must not be lost for it
        return _failed(core, name, error)


async def kept(core: Core) -> dict[str, Ran]:
    """Return what became of the last work of each sort."""
    asked = Bookkeeping(core.clock.now(), under=(AUTOMATIC,))
    rows = (await core.store.bookkeep(core.scope, asked)).values
    return {name.removeprefix(AUTOMATIC): Ran(**row) for name, row in rows.items()}


async def _curated(core: Core, fence: Fence) -> Ran:
    plan = whole = await curating.plan(core, core.policy, automatic=True)
    hold = brake.holding(whole)
    if hold is not None and hold.clock:
        return _held(core, whole, hold)
    if hold is not None:  # what destroys nothing that limits count waits for nobody
        plan = await curating.plan(core, core.policy, automatic=True, sparing=True)
    try:
        done = await curating.apply(core, plan, fence=fence)
    except LeaseLost as lost:
        return Ran(core.clock.now(), "skipped", reason=str(lost))
    run, exempt = done.run if done.changes else None, len(plan.exempt)
    if hold is not None:
        ran = _held(core, whole, hold)
        return replace(ran, outcome="done" if run else "skipped", run=run, counts=done.counts, exempt=exempt)
    return Ran(done.at, "done", run, done.counts, exempt=exempt)


def _held(core: Core, plan: Plan, hold: brake.Hold) -> Ran:
    """Say that a plan waits for a person, or for the clock."""
    by: Literal["share", "clock"] = "clock" if hold.clock else "share"
    now = core.clock.now()
    return Ran(now, "skipped", reason=f"held: {hold.why}", held=by, destroyed=plan.destroyed)


def _failed(core: Core, name: str, error: Exception) -> Ran:
    """Say what went wrong; an error that is none of ours is a bug, and is logged with its traceback."""
    if isinstance(error, RemanenceError):
        LOG.warning("the automatic %s failed: %s (%s)", name, error, error.recovery)
        return Ran(core.clock.now(), "failed", reason=f"{error} → {error.recovery}")
    LOG.error("the automatic %s failed", name, exc_info=error)
    return Ran(core.clock.now(), "failed", reason=f"{type(error).__name__}: {error}")


async def _read(core: Core) -> tuple[Mapping[ClockName, Timescale], int | None, int]:
    """Read the clocks, when anything was last curated, and the present."""
    await heartbeat.beat(core)
    now = core.clock.now()
    asked = Bookkeeping(now, get=(curating.LAST_CURATE,), clocks=frozenset({core.policy.clock}) - {"wall"})
    booked = await core.store.bookkeep(core.scope, asked)
    return scales(booked, now), booked.values.get(curating.LAST_CURATE), now
