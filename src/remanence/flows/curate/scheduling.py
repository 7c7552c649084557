"""The curation that is due before a session, the consolidation after it, and the row in which a scope keeps both.

A failure here reaches nobody's verb; it is kept with its reason, and shown by `status`.
"""

import logging
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Literal

from remanence.core.change import Fence
from remanence.core.clock import MINUTE
from remanence.core.errors import LeaseLost, RemanenceError
from remanence.core.keywords import CadenceName
from remanence.core.receipt import AutomaticRun
from remanence.core.results import Result, minute_of, number, visible
from remanence.core.snapshot import Snapshot
from remanence.core.timescale import ClockName, Timescale, scales
from remanence.curate.language.view import View
from remanence.curate.planner import brake
from remanence.curate.planner.plan import Plan
from remanence.curate.policy.compiled import Policy
from remanence.curate.policy.rules import EVERY
from remanence.curate.schedule import CADENCES, MISSED_MANY, Mode, Record, due, due_at
from remanence.flows.base import policy_reading, session_heartbeat
from remanence.flows.base.context import QUIET, Answer, Core, hold_lease
from remanence.flows.curate import curating
from remanence.store.base import Bookkeeping

ROW = "schedule"


@dataclass(frozen=True, slots=True, repr=False)
class Timetable(Result):
    """When due jobs ran in a scope and when they run next, by cadence, and what waits.

    `missed` counts runs that were due and have not taken place since something runs by itself (`remanence run`),
    `deferred` memories whose deletion waits for another day, `held` says why a plan waits for a person, `failures` why
    a job failed; it is tried again. `left` is the work for which there was no time.
    """

    at: int
    mode: Mode
    last: Mapping[str, int | None]
    next: Mapping[str, int]
    missed: Mapping[str, int]
    deferred: int = 0
    held: str = ""
    failures: Mapping[str, str] = field(default_factory=dict)
    left: tuple[str, ...] = ()

    @property
    def is_well(self) -> bool:
        """Return True if nothing waits for a person, fails or was missed three times."""
        return not (self.held or self.failures or self.late)

    @property
    def late(self) -> tuple[str, ...]:
        """The cadences of which three runs or more were missed."""
        return tuple(name for name, count in self.missed.items() if count >= MISSED_MANY)

    def __str__(self) -> str:
        soonest = min(self.next, key=lambda name: self.next[name])
        parts = [
            f"last round {minute_of(self.at)}, next {minute_of(self.next[soonest])} ({soonest}), {self.mode}"
        ]
        parts += [f"{name}: {self.missed[name]:,} runs missed" for name in self.late]
        parts += (
            [f"{number(self.deferred, 'memory', 'memories')} deferred to another day"]
            if self.deferred
            else []
        )
        parts += [self.held] if self.held else []
        parts += [f"{name} failed: {why}" for name, why in self.failures.items()]
        parts += [f"left for the next: {', '.join(self.left)}"] if self.left else []
        return visible("; ".join(parts))


async def read(core: Core) -> tuple[Record, Mapping[str, Any] | None, int]:
    """Return what ticks keep of a scope, until when it needs none, where that is known, and how far it has come."""
    books = await core.store.bookkeep(core.scope, Bookkeeping(core.clock.now(), get=(ROW, QUIET)))
    return Record.read(books.values.get(ROW)), books.values.get(QUIET), books.position


async def position_of(core: Core) -> int:
    """Return how far the scope has come."""
    return (await core.store.bookkeep(core.scope, Bookkeeping(core.clock.now()))).position


async def timetable(core: Core) -> Timetable | None:
    """Say when ticks came and come next; None where none ever came."""
    record, _, position = await read(core)
    if not record.at:
        return None
    now, pace = core.clock.now(), record.pace
    expected: dict[str, int] = {name: record.compute_due_at(pace, name, position) for name in CADENCES}
    missed_runs: dict[str, int] = {
        name: pace.count_missed_runs(name, expected[name], now) if record.promised else 0 for name in CADENCES
    }
    waits = await find_held_run(core)
    return Timetable(
        record.at,
        record.moded.mode,
        {name: record.last.get(name) for name in CADENCES},
        expected,
        missed_runs,
        record.deferred,
        waits.reason if waits is not None else "",
        {name: one.reason for name, one in record.failures.items()},
        tuple(filter(None, [record.cursor, record.unfinished and f"{record.unfinished} rules"])),
    )


HELD = "schedule/held"  # the bookkeeping's name for the run whose plan is held
OF_HELD = (HELD, curating.LAST_CURATE)
OF_CURATED = (HELD, policy_reading.POLICY)
AUTOMATIC = "automatic/"  # what the bookkeeping's names of such work begin with
LOG = logging.getLogger("remanence")
# A process killed in an automatic run keeps the others from theirs for so long. A run that outlasts it writes on until
# another process has taken the lease, and nothing after that.
LEASE = 10 * MINUTE


async def let_go(core: Core) -> None:
    """Let nothing say any more that the clock holds a plan, and let the next tick look at it."""
    now = core.clock.now()
    await core.store.bookkeep(core.scope, Bookkeeping(now, put={QUIET: None}))
    waits = (await core.store.bookkeep(core.scope, Bookkeeping(now, get=(HELD,)))).values.get(HELD)
    if waits is not None and waits["ran"]["held"] == "clock":
        await core.store.bookkeep(core.scope, Bookkeeping(now, swap={HELD: (waits, None)}))
    ran, row = (await read_last_runs(core)).get("curate"), f"{AUTOMATIC}curate"
    if ran is not None and ran.held == "clock":
        swap = {row: (asdict(ran), asdict(replace(ran, held="")))}
        await core.store.bookkeep(core.scope, Bookkeeping(core.clock.now(), swap=swap))


async def accept_clock(core: Core) -> str | None:
    """Accept the machine's clock as it is, so that plans held because of it go on; return what was in doubt."""
    doubt, now = await core.watch.accept(), core.clock.now()
    await let_go(core)
    answer = await core.store.bookkeep(core.scope, Bookkeeping(now, get=(curating.LAST_CURATE,)))
    if answer.values.get(curating.LAST_CURATE, now) > now:  # else nothing is due until that time comes
        await core.store.bookkeep(core.scope, Bookkeeping(now, put={curating.LAST_CURATE: None}))
    return doubt


async def should_curate(core: Core) -> bool:
    """Tell whether the policy's interval has passed on its clock since it last ran, asked for or not."""
    return runs_by_itself(core) and due(core.policy, *await interval_read(core))


async def interval_due_at(core: Core) -> int | None:
    """Tell when the next run is due at the present pace; None where the policy has no interval."""
    return due_at(core.policy, *await interval_read(core)) if runs_by_itself(core) else None


def runs_by_itself(core: Core) -> bool:
    """Tell whether a policy was given that has an interval."""
    return core.policy_given and core.policy.interval is not None


async def curate(core: Core) -> AutomaticRun | None:
    """Curate if it is due; one process at a time, and never what the brake holds."""
    if not await should_curate(core):
        return None
    async with hold_lease(core, "curate", LEASE) as fence:
        if fence is None:
            return AutomaticRun(core.clock.now(), "skipped", reason="another process is curating")
        # The other process may have been at it until a moment ago.
        return (await curate_cadence(core, fence)).ran if await should_curate(core) else None


async def records(core: Core) -> Mapping[str, Any]:
    """Return what is kept of the last work of each sort, by row."""
    return (await core.store.bookkeep(core.scope, Bookkeeping(core.clock.now(), under=(AUTOMATIC,)))).values


async def keep(
    core: Core,
    name: str,
    work: Callable[[Core], Awaitable[AutomaticRun | None]],
    was: Mapping[str, Any] | None = None,
) -> AutomaticRun | None:
    """Do such work, keep what became of it and return that; nothing that goes wrong in it is raised.

    `was` are the `records` from before, where somebody has read them.
    """
    was = await records(core) if was is None else was
    ran = await run_automatic_work(core, name, work(core))
    if ran is not None:
        await core.store.bookkeep(core.scope, kept_as(name, ran, was, core.clock.now()))
    return ran


def kept_as(name: str, ran: AutomaticRun, was: Mapping[str, Any], now: int) -> Bookkeeping:
    """Return what keeps what became of such work."""
    row = f"{AUTOMATIC}{name}"
    if ran.outcome == "skipped":  # what another process did meanwhile says more
        return Bookkeeping(now, swap={row: (was.get(row), asdict(ran))})
    return Bookkeeping(now, put={row: asdict(ran)})


async def run_optional_work(core: Core, name: str, work: Awaitable[object]) -> str:
    """Do work that nothing else rests on; return why it failed, logged as that of any automatic work."""
    outcome = await run_automatic_work(core, name, work)
    return outcome.reason if isinstance(outcome, AutomaticRun) else ""


async def run_automatic_work(core: Core, name: str, work: Awaitable[Answer]) -> Answer | AutomaticRun:
    """Do work that nobody asked for; what goes wrong in it is returned, and logged."""
    try:
        return await work
    except Exception as error:  # noqa: BLE001 # nobody asked for this work: what was asked for must not be lost for it
        return _log_failed_run(core, name, error)


async def read_last_runs(core: Core) -> dict[str, AutomaticRun]:
    """Return what became of the last work of each sort."""
    return {name.removeprefix(AUTOMATIC): AutomaticRun(**row) for name, row in (await records(core)).items()}


@dataclass(frozen=True, slots=True)
class CadenceResult:
    """What became of an automatic run: of its whole plan, the rules that were judged, and on which snapshot.

    `stands_at` is the position at which it left the scope, None where not all was done or others wrote meanwhile.
    """

    ran: AutomaticRun
    plan: Plan
    part: Policy
    snapshot: Snapshot
    stands_at: int | None
    rest: View | None = None  # what the plan leaves, where it is known that another one does nothing


async def curate_cadence(
    core: Core,
    fence: Fence,
    cadence: CadenceName = "deep",
    stopped: Callable[[], bool] = lambda: False,
    before: Callable[[], Awaitable[None]] | None = None,
    rows: Mapping[str, Any] | None = None,
) -> CadenceResult:
    """Judge the rules of a cadence and of quicker ones, and do what may be done without a person.

    `before` is done first where anything is destroyed; where it fails, nothing is done. `rows` are those `OF_CURATED`,
    where somebody has read them under the lease.
    """
    whole, snapshot, part, rest = await curating.plan_part(core, core.policy, cadence)
    if rows is None:
        request = Bookkeeping(core.clock.now(), get=OF_CURATED)
        rows = (await core.store.bookkeep(core.scope, request)).values
    plan, hold = whole, brake.find_hold(whole)
    waits = None if hold is None else _make_held_run(core, whole, hold)
    if hold is not None and not hold.clock:  # what destroys nothing that limits count waits for nobody
        plan = (await curating.plan_part(core, core.policy, cadence, sparing=True)).plan
    doubt, stands_at = brake.find_hold(plan), None
    if doubt is not None:
        ran = _make_held_run(core, plan, doubt)
    else:
        policy_row = rows.get(policy_reading.POLICY)
        outcome, position = await _apply_plan(core, plan, fence, stopped, before, policy_row)
        ran = outcome
        if waits is not None and not outcome.reason:  # what was done is told beside what waits for a person
            ran = replace(
                outcome,
                outcome="done" if outcome.run else "skipped",
                reason=waits.reason,
                held=waits.held,
                destroyed=waits.destroyed,
            )
        stands_at = position if hold is None else None
    await _keep_held(core, ran, cadence, fence, rows.get(HELD))
    return CadenceResult(ran, whole, part, snapshot, stands_at, rest)


async def _apply_plan(
    core: Core,
    plan: Plan,
    fence: Fence,
    stopped: Callable[[], bool],
    before: Callable[[], Awaitable[None]] | None,
    stored: Mapping[str, Any] | None,
) -> tuple[AutomaticRun, int | None]:
    """Do what a plan says; return what became of it, and where the scope then stands, None where not all was done."""
    if before is not None and (plan.destroyed or len(plan.exempt)):
        await before()
    try:
        if plan.empty:
            await curating.pass_by(core, plan, stored, fence)
            return AutomaticRun(core.clock.now(), "done"), plan.position
        receipt, position = await curating.apply_at(core, plan, fence=fence, stopped=stopped)
    except LeaseLost as lost:
        return AutomaticRun(core.clock.now(), "skipped", reason=str(lost)), None
    run = receipt.run if receipt.changes else None
    ran = AutomaticRun(core.clock.now(), "done", run, receipt.counts, exempt=len(plan.exempt))
    return ran, None if receipt.skipped else position


def _make_held_run(core: Core, plan: Plan, hold: brake.Hold) -> AutomaticRun:
    """Say that a plan waits for a person, or for the clock."""
    by: Literal["share", "clock"] = "clock" if hold.clock else "share"
    now = core.clock.now()
    return AutomaticRun(now, "skipped", reason=f"held: {hold.why}", held=by, destroyed=plan.destroyed)


async def find_held_run(core: Core) -> AutomaticRun | None:
    """Return the run whose plan waits still for a person or the clock: nobody has curated since."""
    request = Bookkeeping(core.clock.now(), get=OF_HELD)
    return held_by(core, (await core.store.bookkeep(core.scope, request)).values)


def held_by(core: Core, rows: Mapping[str, Any]) -> AutomaticRun | None:
    """Say the same by the rows `OF_HELD`, for who reads more than these at once."""
    row, last = rows.get(HELD), rows.get(curating.LAST_CURATE)
    if row is None or not core.policy_given:
        return None
    ran = AutomaticRun(**row["ran"])
    return None if last is not None and last > ran.at else ran


async def _keep_held(
    core: Core, ran: AutomaticRun, cadence: CadenceName, fence: Fence, row: Mapping[str, Any] | None
) -> None:
    """Keep that a plan is held, until the same rules are judged again and their plan is not; `row` says which is."""
    now, put = core.clock.now(), dict[str, Any]()
    if ran.held:
        put = {HELD: {"ran": asdict(ran), "cadence": cadence}}
    # A run that is not held ends the hold where the clock was the doubt, or by the same rules.
    elif (
        row is not None
        and ran.outcome == "done"
        and (row["ran"]["held"] == "clock" or EVERY[row["cadence"]] <= EVERY[cadence])
    ):
        put = {HELD: None}
    if put:
        with suppress(LeaseLost):  # who has taken over says what holds now
            await core.store.bookkeep(core.scope, Bookkeeping(now, put=put, fence=fence))


def _log_failed_run(core: Core, name: str, error: Exception) -> AutomaticRun:
    """Say what went wrong; an error that is none of ours is a bug, and is logged with its traceback."""
    if isinstance(error, RemanenceError):
        LOG.warning("the automatic %s failed: %s (%s)", name, error, error.recovery)
        return AutomaticRun(core.clock.now(), "failed", reason=f"{error} → {error.recovery}")
    LOG.error("the automatic %s failed", name, exc_info=error)
    return AutomaticRun(core.clock.now(), "failed", reason=f"{type(error).__name__}: {error}")


async def interval_read(core: Core) -> tuple[Mapping[ClockName, Timescale], int | None, int]:
    """Read the clocks, when anything was last curated, and the present."""
    await session_heartbeat.beat(core)
    now = core.clock.now()
    request = Bookkeeping(now, get=(curating.LAST_CURATE,), clocks=frozenset({core.policy.clock}) - {"wall"})
    books = await core.store.bookkeep(core.scope, request)
    return scales(books, now), books.values.get(curating.LAST_CURATE), now
