"""What a policy will do if nothing but time passes: the planner judges each tick to come, on the scope as it is then.

Knows when ticks come and what each leaves behind; decides nothing itself, reads nothing and writes nothing.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from remanence.core.clock import DAY, HOUR, MINUTE, ClockReading
from remanence.core.keywords import CadenceName
from remanence.core.model import STANDING
from remanence.core.snapshot import Holds, Snapshot
from remanence.core.timekeeping import Present, update_clock_marks
from remanence.core.timescale import scales
from remanence.curate.planner import brake
from remanence.curate.planner.plan import Plan, decide, plan
from remanence.curate.planner.snapshot_update import (
    activate_inbox,
    apply_plan_to_snapshot,
    meets,
    select_memories,
)
from remanence.curate.policy.compiled import Policy, concerned_beside_links
from remanence.curate.schedule import (
    AGENT_SEEN,
    CADENCES,
    CadenceIntervals,
    Calm,
    Load,
    Record,
    calm_after,
    due,
    pick_slower,
    tasks,
    with_quicker,
)

TASKS: Holds = {"category": frozenset({"task"}), "status": STANDING}  # they tell what is going on
# Rows that one forecast judges, in all plans; each counts as so many more, for what a plan costs whatever it holds.
WORK_MAX, PLAN_ROWS = 12_000_000, 2_000
FINE_SHARE = 0.2  # of the work that goes to ticks at their true times, before they are taken together
STEPS = (15 * MINUTE, HOUR, 6 * HOUR, DAY, 7 * DAY, 30 * DAY)


@dataclass(frozen=True, slots=True)
class Begin:
    """How a scope stands, and what decides when ticks come.

    `destroyed` are the automatic runs of the last day with what each destroyed, `beats` until when sessions that are
    open were counted, `dirty` whether so much has changed since rules were judged that they are due, `settles_at`
    when the inbox becomes active, `doubted` whether the clock holds all work.
    """

    snapshot: Snapshot
    policy: Policy
    now: int
    record: Record = field(default_factory=Record)
    quiet_until: int | None = None
    last_curate_at: int | None = None
    destroyed: tuple[tuple[int, int], ...] = ()
    beats: tuple[int, ...] = ()
    dirty: bool = False
    settles_at: int | None = None
    doubted: bool = False


@dataclass(frozen=True, slots=True)
class ForecastTick:
    """One tick at which rules were judged: what is done, on what, what holds the rest, and what waits.

    `coarse` is how far apart ticks are taken from here on, where there are too many to plan each.
    """

    cadence: CadenceName
    before: Snapshot
    plan: Plan
    after: Snapshot
    hold: brake.Hold | None = None
    deferred: int = 0
    coarse: int = 0


def _on_grid(at: int, soonest: int, every: int) -> int:
    """Return when the next tick comes, where something ticks only every so often."""
    return soonest if not every else at + -(-(soonest - at) // every) * every


def _step(least: float) -> int:
    """Return how far apart ticks are taken: the first of a few spans that is long enough."""
    return next((step for step in STEPS if step >= least), STEPS[-1])


class Future:
    """The scope and its schedule, carried from tick to tick; `snapshot` is the scope as it stands by then."""

    def __init__(self, begin: Begin) -> None:
        record = begin.record
        if not record.intervals:
            record = replace(record, intervals=dict[str, int](CadenceIntervals().intervals.items()))
        self.begin, self.policy = begin, begin.policy
        self.snapshot, self.record = begin.snapshot, record
        self.last_curate_at, self.settles_at = begin.last_curate_at, begin.settles_at
        self.destroyed = list(begin.destroyed)
        self.work = self.dearest = self.coarse = 0
        self.doubted = begin.doubted

    def ticks(self, until: int, every: int = 0) -> Iterator[ForecastTick]:
        """Yield the ticks to come at which rules are judged, up to an instant, as a scope is ticked when it is due.

        With `every`, in microseconds, ticks come only so often, from now on. Where all rows judged come to more than
        `WORK_MAX`, ticks are taken together; what waits for another day waits no longer for that.
        """
        at = self.begin.now
        if self.begin.quiet_until is not None:
            at = _on_grid(at, self.begin.quiet_until, every)
        while at <= until:
            cadence = self.due(at)
            if cadence is not None:
                tick = self.judge(cadence, at)
                if not self.coarse and self.work > WORK_MAX * FINE_SHARE:
                    self.coarse = _step((until - at) * self.dearest / (WORK_MAX * (1 - FINE_SHARE)))
                    every = max(every, self.coarse)
                yield replace(tick, coarse=self.coarse)
            self.settle(at)
            soonest = self.next_at(at)
            if soonest is None:
                break
            then = _on_grid(at, soonest, min(every, DAY) if self.record.deferred else every)
            # What is due by the end has been judged by then, however far apart ticks are taken.
            at = until if self.coarse and at < until < then and soonest <= until else then

    def due(self, now: int) -> CadenceName | None:
        """Say which rules are due."""
        if self.policy.interval is not None:
            return "deep" if self._interval_passed(now) else None
        cadence = pick_slower(self.record.unfinished, self.record.pace.due(self.record.last, now))
        return cadence or ("rapid" if self.begin.dirty and now == self.begin.now else None)

    def judge(self, cadence: CadenceName, now: int) -> ForecastTick:
        """Judge rules as a tick does, and carry the scope forward."""
        part = self.policy.part(cadence)
        snapshot, before = self._build_tick_snapshot(part, now), self.snapshot
        self.work += PLAN_ROWS + len(snapshot)
        self.dearest = max(self.dearest, PLAN_ROWS + len(snapshot))
        whole, rest = decide(snapshot, part, now, automatic=True)
        outcome = whole
        hold = brake.find_hold(whole)
        if hold is not None and not hold.clock:
            outcome = plan(snapshot, part, now, automatic=True, sparing=True)
        doubt = brake.find_hold(outcome)
        self.doubted = doubt is not None and doubt.clock
        if doubt is None:
            self.snapshot = apply_plan_to_snapshot(self.snapshot, outcome)
            self.destroyed += [(now, outcome.destroyed)] if outcome.destroyed else []
            self.last_curate_at = now if len(part.rules) == len(self.policy.rules) else self.last_curate_at
        # Where ticks are a day apart nothing is calm for longer.
        foreseen = hold is None and doubt is None and self.policy.interval is None and self.coarse < DAY
        until = calm_after(snapshot, part, whole, rest) if foreseen else {}
        self._record_tick(cadence, now, whole, until, snapshot)
        waits = sum(len(one.seqs) for one in whole.deferred)
        return ForecastTick(cadence, before, outcome, self.snapshot, doubt or hold, waits)

    def _build_tick_snapshot(self, part: Policy, now: int) -> Snapshot:
        """Return what a tick reads: what the rules can concern, and the tasks; the limits of that day."""
        among = concerned_beside_links(part)
        snapshot = replace(
            self.snapshot,
            destroyed_today=sum(count for at, count in self.destroyed if now - DAY < at <= now),
            present=self._build_present(now),
            whole=len(self.snapshot),
        )
        return snapshot if among is None else select_memories(snapshot, meets(snapshot, (*among, TASKS)))

    def _build_present(self, now: int) -> Present | None:
        """Return what the clocks say by then: all ran on, and every tick looked at them."""
        present = self.snapshot.present
        if present is None:
            return None
        boot = present.reading.boot
        running = present.reading.running + now - present.reading.wall if boot is not None else 0
        reading = ClockReading(now, boot, running)
        then = Present(reading, update_clock_marks(Present(reading, present.marks), self.snapshot.newest_at))
        self.snapshot = replace(self.snapshot, present=then)
        return then

    def _record_tick(
        self, cadence: CadenceName, now: int, whole: Plan, until: Mapping[CadenceName, int], seen: Snapshot
    ) -> None:
        """Keep what a tick keeps: until when rules do nothing, and the pace that suits what goes on."""
        position = self.snapshot.position
        calm = {name: Calm(position, at) for name, at in until.items()}
        record = self.record.record_judgement(with_quicker(cadence), now, whole, calm)
        agents = sum(now - AGENT_SEEN < at <= now for at in self.begin.beats)
        mode = record.moded.after(Load(agents, *tasks(seen)), now)
        self.record = replace(record, moded=mode, memories=seen.memories, unfinished=None)

    def settle(self, now: int) -> None:
        """Let the inbox become active once that is due; what a consolidation finds beside, nobody knows."""
        if self.settles_at is None or self.settles_at > now or self.doubted:
            return
        self.settles_at = None
        self.snapshot = activate_inbox(self.snapshot, now)

    def next_at(self, now: int) -> int | None:
        """Say when the next tick comes, None for never."""
        times = [self._judged_at(now), None if self.doubted else self.settles_at]
        soonest = min((at for at in times if at is not None), default=None)
        return None if soonest is None else max(soonest, now + 1)

    def _judged_at(self, now: int) -> int | None:
        pace = self.record.pace
        if self.policy.interval is None:
            return min(self.record.compute_due_at(pace, name, self.snapshot.position) for name in CADENCES)
        if self._interval_passed(now):  # what is held stays due
            return now + pace.intervals["rapid"]
        if self.policy.clock != "wall" or self.last_curate_at is None:
            return None  # the others run with sessions, and stand still without
        return self.last_curate_at + self.policy.interval

    def _interval_passed(self, now: int) -> bool:
        return due(self.policy, scales(self.snapshot, now), self.last_curate_at, now)
