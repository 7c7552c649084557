"""A tick: what is due in a scope is done, each sort of work by itself, within its time; the rest is for the next one.

Knows which work there is and keeps the schedule's row; what the work is lies with its own flow.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

from remanence.core.change import Fence
from remanence.core.clock import MINUTE, SECOND, read_monotonic_micros
from remanence.core.errors import InvalidInput, LeaseLost
from remanence.core.keywords import CadenceName
from remanence.core.process import memory_share
from remanence.core.receipt import AutomaticRun
from remanence.core.results import Result, Time, minute_of, visible
from remanence.curate.schedule import (
    AGENT_SEEN,
    CADENCES,
    WITHIN,
    CadenceIntervals,
    Calm,
    Load,
    Record,
    calm_after,
    is_dirty,
    pick_slower,
    retry_at,
    tasks,
    with_quicker,
)
from remanence.flows.base import extra_vectors, session_heartbeat, settings, undo_data_expiry
from remanence.flows.base.context import QUIET, Core, Lease, aside_of_rows, lease_held
from remanence.flows.base.undo_data_expiry import ExpireResult
from remanence.flows.consolidate import consolidation, extract_pending, sessions
from remanence.flows.consolidate.consolidation import Quiet
from remanence.flows.curate import scheduling
from remanence.flows.curate.scheduling import ROW, CadenceResult, position_of, read
from remanence.flows.mirror.mirror import sync_folder
from remanence.flows.mirror.mirroring import Mirroring
from remanence.flows.write import embedding, pending_turns, reembedding
from remanence.flows.write.pending_turns import PendingTurns
from remanence.store.base import Bookkeeping, CleanResult
from remanence.store.capabilities import IMAGE_EXPIRY, can

LEASE_NAME = "curate"
LEASE = 2 * MINUTE  # a process killed in a tick keeps others from theirs for so long
PARTS_COUNTED = 1_000  # of what others wrote; where there are more, the scope is dirty
NO_POLICY = (
    "look at what a policy would do: remanence curate --policy default --dry-run; then adopt it:"
    " remanence policy use default"
)


@dataclass(frozen=True, slots=True, repr=False)
class JobsResult(Result):
    """Result of one round of due jobs in a scope.

    `cadence` is the slowest whose rules were judged, None where none were due. `ran` has the result of each sort of
    work that was done, `left` lists the sorts for which there was no time. `quiet` means that nothing was due and
    nothing has changed; `busy` that another process runs the jobs. `next_at` is when the next round is due. `expired`
    says which undo data were deleted, if `expire` was asked for.
    """

    at: int
    scope: str
    cadence: CadenceName | None = None
    ran: Mapping[str, AutomaticRun] = field(default_factory=dict)
    left: tuple[str, ...] = ()
    quiet: bool = False
    busy: bool = False
    next_at: int = 0
    expired: ExpireResult | None = None

    time, next_time = Time("at"), Time("next_at")

    @property
    def is_well(self) -> bool:
        """Return True if no work failed and no plan waits for a person."""
        return not any(one.outcome == "failed" or one.held for one in self.ran.values())

    def __str__(self) -> str:
        what = "another process runs the jobs here" if self.busy else f"{self.cadence or 'no'} rules"
        state = "quiet" if self.quiet else what
        did = [f"{name} {ran}" for name, ran in self.ran.items()]
        rest = [f"left for the next: {', '.join(self.left)}"] if self.left else []
        expiry = [] if self.expired is None else [str(self.expired)]
        return visible("; ".join([f"{minute_of(self.at)} {self.scope}: {state}", *did, *rest, *expiry]))


class Stint:
    """The time that one tick may take, on a clock that nobody sets."""

    def __init__(self, micros: int, stopping: Callable[[], bool]) -> None:
        self._until = read_monotonic_micros() + micros
        self._stopping = stopping
        self.cut = False

    def is_over(self) -> bool:
        """Tell whether time is up for what is left; it is asked only where something is."""
        self.cut = self.cut or self._stopping() or read_monotonic_micros() >= self._until
        return self.cut

    @property
    def seconds(self) -> float:
        """How many seconds are left."""
        return max(0.0, (self._until - read_monotonic_micros()) / SECOND)

    @property
    def overran(self) -> bool:
        """Tell whether it took more time than it may."""
        return read_monotonic_micros() >= self._until


@dataclass
class Tick:
    """One tick under way."""

    core: Core
    record: Record
    lease: Lease
    due: CadenceName | None
    stint: Stint
    position: int  # of the scope, before what follows was looked at
    waits: list[PendingTurns] | None = None
    quiet: Quiet | None = None
    backup: Callable[[], Awaitable[None]] | None = None
    curated: CadenceResult | None = None
    unfinished: bool = False
    pending: bool = False
    doubted: bool = False
    put: dict[str, Any] = field(default_factory=dict)  # what became of the work, which is kept in the end
    swap: dict[str, tuple[Any, Any]] = field(default_factory=dict)

    @property
    def rows(self) -> Mapping[str, Any]:
        """The bookkeeping as it began."""
        return self.lease.booked.values

    @property
    def fence(self) -> Fence:
        """What names its lease."""
        assert self.lease.fence is not None
        return self.lease.fence

    def keep(self, name: str, ran: AutomaticRun) -> None:
        """Have it kept what became of work."""
        entry = scheduling.kept_as(name, ran, self.rows, ran.at)
        self.put |= entry.put
        self.swap |= entry.swap


async def tick(
    core: Core,
    pace: CadenceIntervals | None = None,
    cadence: CadenceName | None = None,
    *,
    backup: Callable[[], Awaitable[None]] | None = None,
    promised: bool = False,
    stopping: Callable[[], bool] = lambda: False,
    holder: str | None = None,
) -> JobsResult:
    """Do what is due in a scope: the rules of its cadence and quicker ones, and what was left due beside.

    A `cadence` that is named is judged whether it is due or not. `backup` is made before anything is destroyed. Who
    `promised` to come again can miss it; `stopping` is asked wherever the time is looked at. `holder` is the name under
    which the lease is held, where somebody else gives it back should this process die.
    """
    if not core.policy_given:
        _refuse_bare(core)
    await core.uses.settle()
    now, (record, quiet, position) = core.clock.now(), await read(core)
    if cadence is None and is_quiet(quiet, position, now):
        return JobsResult(now, core.scope, quiet=True, next_at=quiet["due_at"] if quiet else now)
    async with lease_held(core, LEASE_NAME, LEASE, _build_begin_request, holder=holder) as lease:
        if lease.fence is None:
            return JobsResult(now, core.scope, busy=True, next_at=now + record.pace.intervals["rapid"])
        await core.watch.look()  # where nobody writes, nothing else tells a rest from a clock set wrong
        with suppress(LeaseLost):
            rows, position = lease.booked.values, lease.booked.position
            record = Record.read(rows.get(ROW))  # somebody may have ticked until just now
            # Who promised to come and has missed it for so long is gone.
            is_late = now - record.at > 2 * record.pace.intervals["deep"]
            record = replace(record, promised=promised or (record.promised and not is_late))
            if pace is not None or not record.intervals:
                record = replace(
                    record, intervals=dict[str, int]((pace or CadenceIntervals()).intervals.items())
                )
            due = cadence or await _find_due_cadence(core, record, position, now)
            stint = Stint(WITHIN[due or "rapid"], stopping)
            work = Tick(core, record, lease, due, stint, position, backup=backup)
            return await _run_tick(work, named=cadence is not None)
    return JobsResult(core.clock.now(), core.scope, busy=True, next_at=now + record.pace.intervals["rapid"])


async def tick_bare(core: Core, *, expire: bool) -> JobsResult:
    """Finish what is pending since an erasure, all that is done without a policy; refuse where that is nothing."""
    now, cleaning = core.clock.now(), await core.store.clean(core.scope)
    ran = _ran_clean(core, cleaning)
    if ran is None and not expire:
        _refuse_bare(core)
    return JobsResult(now, core.scope, ran={} if ran is None else {"erase": ran}, next_at=now)


def _refuse_bare(core: Core) -> None:
    raise InvalidInput(
        f"scope {core.scope!r} has adopted no policy, so nothing runs here by itself", recovery=NO_POLICY
    )


def _build_begin_request(holder: str, now: int) -> Bookkeeping:
    """Ask for what a tick needs at its beginning, by the request that takes its lease.

    Whoever changes by the bookkeeping what a tick does takes the mark away: what is foretold is then not kept.
    """
    read = (*scheduling.OF_HELD, *scheduling.OF_CURATED, reembedding.UNDER_WAY)
    get = (ROW, *read, *settings.rows_of("mirror_folder"))
    return Bookkeeping(
        now, get=get, under=(scheduling.AUTOMATIC, session_heartbeat.OPEN), put={QUIET: _make_mark(holder)}
    )


def _make_mark(holder: str) -> dict[str, Any]:
    return {"by": holder}


def is_quiet(kept: Mapping[str, Any] | None, position: int, now: int) -> bool:
    """Tell whether a scope needs no tick: it stands where it stood, and what was foretold is not due yet."""
    return kept is not None and kept.get("position") == position and kept["since"] <= now < kept["due_at"]


async def _run_tick(work: Tick, *, named: bool) -> JobsResult:
    """Do the work, under the lease, and keep what became of it."""
    try:
        ran, rest = await _do_jobs(work, named=named)
        return await _close_tick(work, ran, rest)
    finally:
        if not work.lease.is_released and (
            work.put or work.swap
        ):  # it was cut short, or another has the lease
            request = Bookkeeping(work.core.clock.now(), put=work.put, swap=work.swap)
            await work.core.store.bookkeep(work.core.scope, request)


async def _do_jobs(work: Tick, *, named: bool) -> tuple[dict[str, AutomaticRun], tuple[str, ...]]:
    """Do one sort of work after the other; return what became of them, and for which there was no time."""
    core, now = work.core, work.core.clock.now()
    in_doubt = _by_clock(scheduling.held_by(core, work.rows))
    ran: dict[str, AutomaticRun] = {}
    rest: list[str] = []
    # The work for which there was no time comes first.
    names = list(JOBS)
    start = names.index(work.record.cursor) if work.record.cursor in JOBS else 0
    for place, name in enumerate(names[start:] + names[:start]):
        failure = work.record.failures.get(name)
        if not named and failure is not None and failure.at <= now < failure.until:
            continue
        if name != "curate" and in_doubt:  # what is written now would bear a wrong time
            continue
        if place and work.stint.is_over():
            rest.append(name)
            continue
        outcome = await scheduling.run_automatic_work(core, name, JOBS[name](work))
        if name == "curate" and outcome is not None:
            in_doubt = await is_doubted(core) if in_doubt or outcome.held else False
        if outcome is not None:
            ran[name] = outcome
            work.keep(name, outcome)
        if outcome is None or outcome.outcome != "failed":
            work.record = work.record.remove_failures(name)
        else:
            failures = work.record.failures[name].count if name in work.record.failures else 0
            work.record = work.record.record_failure(
                name, now, outcome.reason, retry_at(now, failures, work.record.pace)
            )
    work.doubted = in_doubt
    return ran, tuple(rest)


async def is_doubted(core: Core) -> bool:
    """Tell whether the plan of this scope is held because the clock may be wrong."""
    return _by_clock(await scheduling.find_held_run(core))


def _by_clock(held: AutomaticRun | None) -> bool:
    return held is not None and held.held == "clock"


async def _find_due_cadence(core: Core, record: Record, position: int, now: int) -> CadenceName | None:
    """Say which rules are due: by time, because they were not done with, or because much has changed."""
    if core.policy.interval is not None:  # a policy that says itself how often it runs
        return "deep" if await scheduling.should_curate(core) else None
    due = pick_slower(record.unfinished, record.pace.due(record.last, now))
    return due or ("rapid" if await is_dirtied(core, record, position) else None)


async def is_dirtied(core: Core, record: Record, position: int) -> bool:
    """Tell whether so much has changed since rules were judged last that they are due before their time."""
    if position == record.position:
        return False
    parts = await core.store.history(core.scope, after=record.position, limit=PARTS_COUNTED, rows=False)
    return len(parts) == PARTS_COUNTED or is_dirty(sum(part.count for part in parts), record.memories)


async def _close_tick(work: Tick, ran: Mapping[str, AutomaticRun], left: tuple[str, ...]) -> JobsResult:
    """Keep how far it came, and until when there is nothing to do."""
    core, now = work.core, work.core.clock.now()
    record = replace(
        work.record,
        at=now,
        cursor=left[0] if left else "",
        overran=work.stint.overran,
        unfinished=work.due if work.unfinished else None,
    )
    record = await _pick_mode(work, record, now)
    if ran.keys() - {"curate"}:  # what was looked at is otherwise by now
        work.position, work.waits, work.quiet = await position_of(core), None, None
    next_at = await _next_at(work, record, now, bool(left))
    quiet = {"position": work.position, "since": now, "due_at": next_at}
    put = {**work.put, ROW: record.values()}
    swap = {**work.swap, QUIET: (_make_mark(work.lease.holder), quiet)}
    await work.lease.release_with(core, Bookkeeping(now, put=put, swap=swap))
    return JobsResult(now, core.scope, work.due, ran, left, next_at=next_at)


async def _pick_mode(work: Tick, record: Record, now: int) -> Record:
    """Choose the mode by what goes on, where the scope was read."""
    if work.curated is None:
        return record
    snapshot = work.curated.snapshot
    any_open = any(name.startswith(session_heartbeat.OPEN) for name in work.rows)
    beating = [
        one
        for one in (await sessions.list_open_sessions(work.core) if any_open else [])
        if one.every is not None
    ]
    agents = sum(now - AGENT_SEEN < one.counted_until <= now for one in beating)
    working, urgent = tasks(snapshot)
    load = Load(agents, working, urgent, memory_share(), record.overran)
    return replace(record, moded=record.moded.after(load, now), memories=snapshot.memories)


async def _next_at(work: Tick, record: Record, now: int, left: bool) -> int:
    """Say when there is something to do again, if nobody writes."""
    core, position, pace = work.core, work.position, record.pace
    if not work.doubted and (
        left or work.pending or record.unfinished is not None or core.embedding is not None
    ):
        return now
    soonest = min(record.compute_due_at(pace, name, position) for name in CADENCES)
    if core.policy.interval is not None:  # its clock may be one that runs with the sessions
        rapid = now + pace.intervals["rapid"]
        due_at = await scheduling.interval_due_at(core)
        soonest = rapid if due_at is None or due_at <= now else min(rapid, due_at)  # what is held stays due
    if work.doubted:  # nothing else is done until the clock is right
        return max(now, soonest)
    waits = await pending_turns.list_pending_turns(core) if work.waits is None else work.waits
    quiet = await consolidation.check_pending_work(core) if work.quiet is None else work.quiet
    retries = (one.until for one in record.failures.values())
    times = [soonest, quiet.due_at(now), *(one.due_at for one in waits), *retries]
    return max(now, min(at for at in times if at is not None))


async def _curate_due(work: Tick) -> AutomaticRun | None:
    """Judge the rules that are due."""
    if work.due is None:
        return None
    core, now = work.core, work.core.clock.now()
    curation = work.curated = await scheduling.curate_cadence(
        core, work.fence, work.due, work.stint.is_over, work.backup, work.rows
    )
    work.unfinished = work.stint.cut
    if curation.ran.outcome == "skipped" and not curation.ran.held:
        return curation.ran  # the lease is lost
    work.position = await position_of(core) if curation.stands_at is None else curation.stands_at
    calm = dict[CadenceName, Calm]()
    # Where the plan was carried out whole and nobody else has written, it is known what is left.
    if curation.stands_at is not None and not work.unfinished:
        until = await aside_of_rows(
            len(curation.snapshot), calm_after, curation.snapshot, curation.part, curation.plan, curation.rest
        )
        calm = {name: Calm(work.position, at) for name, at in until.items()}
    record = work.record.record_judgement(with_quicker(work.due), now, curation.plan, calm)
    work.record = replace(record, position=work.position)
    return curation.ran


async def _extract_due(work: Tick) -> AutomaticRun | None:
    """Extract facts from the turns that were noted and are due."""
    waits = work.waits = await pending_turns.list_pending_turns(work.core)
    return await extract_pending.due_now(work.core, work.stint.is_over, waits)


async def _consolidate_due(work: Tick) -> AutomaticRun | None:
    """Make the inbox active and judge and link it, where that is due."""
    quiet = work.quiet = await consolidation.check_pending_work(work.core)
    due_at = quiet.due_at(now := work.core.clock.now())
    return (
        await consolidation.by_itself(work.core, work.stint.is_over)
        if due_at is not None and due_at <= now
        else None
    )


async def _embed_missing(work: Tick) -> AutomaticRun | None:
    """Go on with vectors of another model, and make those that are missing."""
    core, count, waits = work.core, 0, ""
    if core.embedding is not None:
        with suppress(TimeoutError):
            async with asyncio.timeout(work.stint.seconds):
                await embedding.wait_until_embedded(core)
    if work.rows.get(reembedding.UNDER_WAY) is not None:
        outcome = await reembedding.reembed(core, None, None, work.stint.is_over)
        count, waits = outcome.memories, outcome.waits
    elif core.model is not None and await extra_vectors.count_unembedded(core):
        extra = await extra_vectors.fill(core, work.stint.is_over)
        count, waits = extra.memories, extra.left
    if not count and not waits:
        return None
    has_failed = waits and waits != reembedding.STOPPED
    return AutomaticRun(
        core.clock.now(), "failed" if has_failed else "done", None, {"embedded": count}, waits
    )


async def _sync_mirror(work: Tick) -> AutomaticRun | None:
    """Bring the folder that mirrors the memory up to date, where anything has changed."""
    core = work.core
    (folder,) = settings.words_in(work.rows, "mirror_folder")
    if not folder or (position := await position_of(core)) == work.record.mirrored:
        return None
    mirroring = Mirroring(core, Path(folder))
    async with mirroring.hold_folder():
        outcome = await sync_folder(mirroring)
    work.record = replace(work.record, mirrored=position)
    counts = {"written": outcome.written, "removed": outcome.removed}
    return AutomaticRun(core.clock.now(), "done", None, counts) if any(counts.values()) else None


async def _clean_file(work: Tick) -> AutomaticRun | None:
    """Rewrite the file without what was erased and look through it, where somebody read it as it was until now."""
    cleaning = await work.core.store.clean(work.core.scope)
    work.pending = work.pending or cleaning.is_pending
    return _ran_clean(work.core, cleaning)


def _ran_clean(core: Core, cleaned: CleanResult) -> AutomaticRun | None:
    """Say what became of rewriting the file; None where nothing is pending."""
    if cleaned.is_pending:
        why = cleaned.why or "another process still reads what was erased"
        return AutomaticRun(core.clock.now(), "done", None, {}, why)
    if not cleaned.is_done:
        return None
    residue = f"something of what was erased is left in {', '.join(cleaned.found)}" if cleaned.found else ""
    outcome: Literal["failed", "done"] = "failed" if residue else "done"
    return AutomaticRun(core.clock.now(), outcome, None, {"looked for": cleaned.looked_for}, residue)


async def _expire_images(work: Tick) -> AutomaticRun | None:
    """End the images of the audit that are past their time, where deep rules are due."""
    if work.due != "deep" or not can(work.core.store, IMAGE_EXPIRY):
        return None
    try:
        expiry = await undo_data_expiry.expire(work.core, work.stint.is_over, work.fence)
    except LeaseLost as lost:
        return AutomaticRun(work.core.clock.now(), "skipped", reason=str(lost))
    counts = {"parts ended": expiry.parts, "images": expiry.changes}
    return AutomaticRun(work.core.clock.now(), "done", None, counts) if expiry.parts else None


# In this order, each in the time that the others left; what fails fails alone.
JOBS: Mapping[str, Callable[[Tick], Awaitable[AutomaticRun | None]]] = {
    "curate": _curate_due,
    "extract": _extract_due,
    "consolidate": _consolidate_due,
    "embed": _embed_missing,
    "mirror": _sync_mirror,
    "erase": _clean_file,
    "expire": _expire_images,
}
