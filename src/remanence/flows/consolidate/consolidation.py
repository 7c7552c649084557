"""A consolidation from end to end: the inbox first, then the steps of `STEPS`, each in parts that stand for themselves.

Knows when one is due by itself: after so many extractions that found something and so many minutes, or when all is
quiet. A step works on what is there, and done twice it does nothing more.
"""

import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from remanence.core.change import Fence
from remanence.core.clock import HOUR, MINUTE
from remanence.core.errors import LeaseLost
from remanence.core.keywords import Progress
from remanence.core.model import Status
from remanence.core.receipt import AutomaticRun, ConsolidateResult, LinkedDuplicates
from remanence.core.results import MaybeTime, Result, minute_of, number
from remanence.flows.base import extra_vectors, settings
from remanence.flows.base.context import Core, hold_lease
from remanence.flows.base.steps import ENABLED, EXTRACTIONS, HEARD, Settling, Step, explain_write_refusal
from remanence.flows.consolidate import activate, guidelines, reflections
from remanence.flows.consolidate.activate import TRIES_MAX
from remanence.flows.consolidate.boxes import quiet_boxes
from remanence.flows.consolidate.duplicates import link_duplicates
from remanence.flows.curate.scheduling import run_optional_work
from remanence.flows.write import embedding
from remanence.store.base import Bookkeeping, Find

LAST = "consolidate/last"  # a value: when one last ran
IDLE = "consolidate_idle_minutes"
EXTRACTIONS_MIN = 3  # that found something since the last one; engram's consolidateEveryN
PAUSE = 10 * MINUTE  # at least, between two that nobody asked for; engram's consolidationMinIntervalMs
ACTIVATED_MAX = 1_000  # memories, at the end of a session or by itself: ours, so that neither takes long
STEPPING = "consolidate/steps"
LOOKED_THROUGH = 6 * HOUR  # how often a scope is looked through for near duplicates, as deep rules are judged
LEASE = 2 * MINUTE  # of all steps; what is written under a lease that ran out is refused
BUSY = "another process is at the steps; what is left waits for it or for the next"


@dataclass(frozen=True, slots=True, repr=False)
class Upcoming(Result):
    """When this memory last consolidated, what waits since, and when it does so by itself; None where nothing waits.

    `extractions` counts those that found something, `inbox` the memories that are not active yet.
    """

    last_at: int | None
    extractions: int
    inbox: int
    due_at: int | None

    last_time = MaybeTime("last_at")
    due_time = MaybeTime("due_at")

    def __str__(self) -> str:
        waits = f"{number(self.extractions, 'extraction', 'extractions')} since, {self.inbox:,} in the inbox"
        due = f"; due {minute_of(self.due_at)}" if self.due_at is not None else ""
        return f"last consolidated {minute_of(self.last_at)}, {waits}{due}"


@dataclass(frozen=True, slots=True)
class Quiet:
    """What decides when a consolidation is due: what waits, since when, and the settings."""

    last_at: int | None
    heard_at: int
    extractions: int
    newest: int | None  # when the newest memory of the inbox was learned
    is_owed: bool  # whether something is to be drawn together anew since an erasure
    idle_minutes: int
    enabled: int  # whether it may run by itself

    def due_at(self, now: int) -> int | None:
        """Return when one is due, None where nothing waits or it may not; a time ahead of a clock set back is none."""
        if not self.enabled:
            return None
        fresh = self.last_at is None or self.last_at > now
        earliest = now if fresh else (self.last_at or 0) + PAUSE
        if self.is_owed or self.extractions >= EXTRACTIONS_MIN:
            return earliest
        if not self.idle_minutes or (not self.extractions and self.newest is None):
            return None
        since = max(self.heard_at, self.newest or 0)
        return max(earliest, now if since > now else since + self.idle_minutes * MINUTE)


# In this order, all under one lease; what a step returns is counted in the result.
STEPS: Mapping[str, Step] = {
    "boxes": quiet_boxes,
    "reflections": reflections.draw_together,
    "guidelines": guidelines.learn,
    extra_vectors.STEP: extra_vectors.embed_missing,
}
# Where such a step fails, the result says so and the rest goes on.
FAIL_OPEN = frozenset({"guidelines"})


async def consolidate(
    core: Core,
    progress: Progress | None = None,
    most: int = sys.maxsize,
    stopped: Callable[[], bool] = lambda: False,
    tries: int = TRIES_MAX,
) -> ConsolidateResult:
    """Make the inbox active, at most so many, then take every step.

    Who tries only once to be alone at it leaves to another process what that is at.
    """
    if reason := await explain_write_refusal(core):
        return ConsolidateResult(waits=reason)
    before = await core.store.bookkeep(core.scope, Bookkeeping(core.clock.now(), counters=(EXTRACTIONS,)))
    total = await activate.consolidate(core, progress, most, stopped, tries)
    try:
        async with hold_lease(core, STEPPING, LEASE, tries=tries) as fence:
            for name in STEPS if fence is not None else ():
                total = total if stopped() else await _run_step(core, name, stopped, fence, total)
    except LeaseLost:
        fence = None
    if fence is None:
        total = replace(total, failed=(*total.failed, BUSY))
    if not total.activated and (fence is None or stopped()):
        return total  # cut short before it did anything: it is as due as it was
    now = core.clock.now()
    request = Bookkeeping(now, put={LAST: now}, count={EXTRACTIONS: -before.counters.get(EXTRACTIONS, 0)})
    await core.store.bookkeep(core.scope, request)
    return total


async def _run_step(
    core: Core, name: str, stopped: Callable[[], bool], fence: Fence | None, total: ConsolidateResult
) -> ConsolidateResult:
    """Take one step in a run of its own."""
    counts: Mapping[str, int] = {}
    settling = Settling(core, core.cause("consolidate", detail={"step": name}, fence=fence), stopped)
    if name not in FAIL_OPEN:
        counts = await STEPS[name](settling)
    elif reason := await run_optional_work(core, name, STEPS[name](settling)):
        settling.failed.append(f"{name}: {reason}")
    runs = (*total.runs, settling.cause.run) if settling.cause.part else total.runs
    step_counts = {**total.steps, **{what: count for what, count in counts.items() if count}}
    run = next(iter(runs), None)
    return replace(total, run=run, runs=runs, steps=step_counts, failed=(*total.failed, *settling.failed))


async def draw_owed(core: Core) -> int:
    """Draw together anew what an erasure took something from; return how much of it, the rest waits as it did.

    It waits where the engine may write nothing by itself, and where another process is at the steps.
    """
    if await explain_write_refusal(core):
        return 0
    cause = replace(core.cause("consolidate", detail={"step": "reflections"}), actor=None)
    try:
        async with hold_lease(core, STEPPING, LEASE) as fence:
            run = Settling(core, replace(cause, fence=fence), lambda: fence is None)
            return await reflections.draw_owed(run)
    except LeaseLost:
        return 0


async def by_itself(core: Core, stopped: Callable[[], bool]) -> AutomaticRun | None:
    """Consolidate where it is due, as much as the end of a session would."""
    now = core.clock.now()
    due_at = (await check_pending_work(core)).due_at(now)
    if (
        due_at is None
        or due_at > now
        or await explain_write_refusal(core)
        or await embedding.read_reembed_position(core) is not None
    ):
        return None
    total = await consolidate(core, None, ACTIVATED_MAX, stopped, 1)
    if stopped():
        return build_consolidate_outcome(core, total)
    linking = await link_duplicates(core, every=LOOKED_THROUGH, stopped=stopped)
    total = replace(total, near_duplicates=total.near_duplicates + linking.linked)
    return build_consolidate_outcome(
        core, total if linking.run is None else replace(total, run=total.run or linking.run)
    )


async def link_all_duplicates(core: Core, done: ConsolidateResult) -> ConsolidateResult:
    """Look the whole memory through for near duplicates after a consolidation, and say what came of it."""
    if reason := await explain_write_refusal(core):
        return replace(done, duplicates=LinkedDuplicates(waits=reason))
    linking = await link_duplicates(core)
    runs = done.runs if linking.run is None else (*done.runs, linking.run)
    return replace(done, duplicates=linking, runs=runs)


async def due_at(core: Core) -> int | None:
    """Say when a consolidation is due by itself; None where nothing waits for one, or it may do nothing."""
    return (await check_pending_work(core)).due_at(core.clock.now())


def build_consolidate_outcome(core: Core, done: ConsolidateResult) -> AutomaticRun | None:
    """Say what became of a consolidation that nobody asked for."""
    counts = {
        "activate": done.activated,
        "near_duplicate": done.near_duplicates,
        "similar": done.similar,
        **done.steps,
    }
    reason = "; ".join(done.failed)
    return (
        AutomaticRun(core.clock.now(), "done", done.run, counts, reason)
        if any(counts.values()) or reason
        else None
    )


async def upcoming(core: Core, inbox: int) -> Upcoming:
    """Say when the memory last consolidated, what waits, and when it is due."""
    quiet = await check_pending_work(core)
    return Upcoming(quiet.last_at, quiet.extractions, inbox, quiet.due_at(core.clock.now()))


async def check_pending_work(core: Core) -> Quiet:
    """Look what waits for a consolidation."""
    rows = settings.rows_of(IDLE, ENABLED)
    request = Bookkeeping(
        core.clock.now(), get=(LAST, HEARD, *rows), under=(reflections.OWED,), counters=(EXTRACTIONS,)
    )
    books = await core.store.bookkeep(core.scope, request)
    newest = await core.store.find(core.scope, Find((Status.INBOX,), limit=1))
    return Quiet(
        books.values.get(LAST),
        books.values.get(HEARD, 0),
        books.counters.get(EXTRACTIONS, 0),
        newest[0].learned_at if newest else None,
        any(name.startswith(reflections.OWED) for name in books.values),
        *settings.numbers_in(books.values, IDLE, ENABLED),
    )
