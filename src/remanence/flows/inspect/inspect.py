"""What a memory can tell of itself: as `get` shows it, its state, its history, and why a rule would touch it.

Called for each memory that somebody asks for by name; must not know how it is shown.
"""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated, Any, TypeAlias

import numpy as np

from remanence.core.arguments import check_count
from remanence.core.change import AuditPart, Increment
from remanence.core.clock import DAY, HOUR, to_datetime
from remanence.core.effects import CURATE, STAMPS, UPGRADE, VERBS
from remanence.core.errors import InvalidInput, NameUnknown, NotFound, StoreDamaged, format_value
from remanence.core.keywords import Moment
from remanence.core.model import (
    COLUMN,
    STANDING,
    Kind,
    Label,
    Link,
    Memory,
    OneMemory,
    RateResult,
    Reason,
    Relation,
    Status,
    Tier,
    Verification,
)
from remanence.core.owner import ENGINE_VERBS, PERSON, owner_of
from remanence.core.receipt import CYCLE, AutomaticRun, ConsolidateResult, Receipt
from remanence.core.results import MaybeTime, Result, Time, format_counts, minute_of, number, visible
from remanence.core.snapshot import Snapshot, SnapshotRequest, shown_lengths
from remanence.core.timescale import scales
from remanence.core.verbs import TABLE
from remanence.curate.explain import Explanation
from remanence.curate.explain import explain as explain_row
from remanence.curate.forecast.first_archived import build_forecast_request, first_archives
from remanence.curate.schedule import due, due_at
from remanence.edit.rewind import ChangesSince, mark_ended
from remanence.flows.base import decision_log, session_heartbeat
from remanence.flows.base.as_of import read_changes_since, read_instant
from remanence.flows.base.audit_log import find_run_span, iterate_audit_log, newest_first
from remanence.flows.base.context import Core
from remanence.flows.base.decision_log import EngineAction
from remanence.flows.base.naming import build_forgotten_error, plain_name, refuse_erased, unknown
from remanence.flows.base.policy_reading import is_adopted, read_adopted_policy
from remanence.flows.base.spending import read_cents, read_spent_today
from remanence.flows.consolidate import consolidation
from remanence.flows.consolidate.consolidation import Upcoming
from remanence.flows.consolidate.sessions import OpenSession, list_open_sessions
from remanence.flows.curate.curating import LAST_CURATE, choose, freeze_scope
from remanence.flows.curate.scheduling import Timetable, read_last_runs, runs_by_itself, timetable
from remanence.flows.inspect import review
from remanence.flows.inspect.reasons import describe_odds, last_action, reasons
from remanence.flows.inspect.run_report import RunReport, tells
from remanence.flows.recall.current_only import with_ended
from remanence.flows.undo import runs
from remanence.flows.undo.restoring import image
from remanence.flows.undo.runs import newest
from remanence.flows.write import embedding, gating, pending_turns, reembedding
from remanence.flows.write.pending_turns import PendingTurns
from remanence.store.audit_parts import USE
from remanence.store.base import Bookkeeping
from remanence.store.undo_data_pruning import EXPIRE


async def read_annotated_memory(core: Core, name: OneMemory) -> Memory:
    """Return one memory, which says what of it holds no longer, and what a policy's run last did to it.

    What is contradicted is disputed until that ends. A key whose memory was forgotten names none.
    """
    await core.uses.settle_to_read()
    found = await core.one(name)
    if isinstance(name, str) and name == found.key and found.reason is Reason.FORGOTTEN:
        raise build_forgotten_error(name, found)
    (memory,) = await with_ended(core, [found])
    assert memory is not None
    memory = replace(memory, last_action=await last_action(core, memory.seq))
    return replace(memory, verification=Verification.DISPUTED) if await _is_disputed(core, memory) else memory


async def read_memory(core: Core, name: OneMemory, as_of: Moment | None) -> Memory:
    """Return one memory as it is, or as it was at an instant."""
    if as_of is None:
        return await read_annotated_memory(core, name)
    return await _read_memory_as_of(core, name, read_instant(core, as_of))


async def _read_memory_as_of(core: Core, name: OneMemory, at: int) -> Memory:
    """Return one memory as it was at an instant, which says what of it held no longer then.

    It is named as it is now, or was before it was purged. Uses and the agents that used it are those of today.
    """
    await core.uses.settle_to_read()
    plain = plain_name(name)
    (today,) = await core.find_memories([plain])
    seq = await _find_seq(core, name) if today is None else today.seq
    changes = (await read_changes_since(core, at, seq)).get(seq, ChangesSince())
    memory = changes.rewind(core.scope, seq, today)
    if memory is None:
        raise NotFound(
            f"memory {format_value(plain)} was not there on {minute_of(at)}",
            recovery=f"see since when it is: `history({seq})`",
        )
    if isinstance(plain, str) and plain == memory.key and memory.reason is Reason.FORGOTTEN:
        raise build_forgotten_error(plain, memory)
    return mark_ended(memory, at)


async def _is_disputed(core: Core, memory: Memory) -> bool:
    """Tell whether an open contradiction links a memory that stands to another one, certain or believed otherwise."""
    links = await core.store.neighbours(core.scope, [memory.seq], Relation.CONTRADICTS)
    open_links = [link for link in links if link.resolved_at is None]
    ends = {seq: link.is_certain for link in open_links for seq in link.key[:2] if seq != memory.seq}
    if memory.status not in STANDING or not ends:
        return False
    try:
        others = await core.store.get(core.scope, sorted(ends))
    except StoreDamaged:  # a row that cannot be read must not hide one that can, and may well contradict it
        return True
    return any(
        one is not None and one.status in STANDING and (ends[one.seq] or one.trust is not memory.trust)
        for one in others
    )


# What follows from the run itself, or says nothing to a reader.
_UNTOLD = frozenset({"revision", "vector", "fingerprint", "hold_until", *STAMPS.values()})
# What the audit may name as the verb of a run; counting uses is no verb of a caller's.
AUDITED = frozenset(
    {name for row in TABLE for name in (row.verb, row.command, row.verb.rpartition(".")[2]) if name}
    | {name for effect in VERBS.values() for name in effect.under or (effect.name,)}
    | {CURATE, UPGRADE, EXPIRE, *ENGINE_VERBS, gating.LIFT}
)
RUNS_TOLD_MAX = 1_000_000


@dataclass(frozen=True, slots=True)
class ClockPace:
    """How far a clock has come, in hours or turns, and how much of that a day on average of the last thirty days."""

    reading: float
    per_day: float


@dataclass(frozen=True, slots=True, repr=False)
class State(Result):
    """A scope in numbers; `tokens` counts the shown tokens per tier, `interrupted` names runs that were killed.

    `policy` is the one in force, `adopted` whether it is so for every process, `due_at` when it next runs by itself at
    the present pace, None where it does not, and `is_due` whether the next session begins with such a run.
    `first_archives` says for each decay class when the policy will archive its first memory by age, at the present pace
    of its clock, None if not within 200 years. `automatic` says how the last automatic runs ended, `sessions` which are
    open. `to_embed` counts memories that still need vectors of the present embedder; until they have them, recall uses
    words alone. `spent` is the number of calls and tokens of models today, UTC, and about how many cents where
    `writer_cents` is set. `gate` counts over all time which secrets and personal data were replaced, by kind, and how
    many texts were quarantined or refused as forbidden. `waiting` lists sessions with turns that were noted and not
    extracted yet, at most 100 sessions, those with the most such turns (`waiting_more` counts the others).
    `consolidation` says when one last ran and what waits for the next. `review` counts items that wait for a person, by
    sort. `contextual` says which `model`'s vectors answer in addition to those of memories; where this opening has it,
    how many memories have none yet (`to_embed`), why it did not answer last (`failure`) and how many tokens it used
    today (`tokens`); and which model is to answer `next`, and is still embedding. `schedule` says when due jobs ran and
    run next, None where none ever ran.
    """

    scope: str
    at: int
    memories: int
    statuses: Mapping[str, int]
    tiers: Mapping[str, int]
    tokens: Mapping[str, int]
    kinds: Mapping[str, int]
    categories: Mapping[str, int]
    links: int
    pinned: int
    runs: int
    policy: str | None
    adopted: bool
    last_curate_at: int | None
    due_at: int | None
    is_due: bool
    clocks: Mapping[str, ClockPace]
    first_archives: Mapping[str, int | None]
    sessions: tuple[OpenSession, ...]
    automatic: Mapping[str, AutomaticRun]
    interrupted: tuple[str, ...] = ()
    to_embed: int = 0
    spent: Mapping[str, int] = field(default_factory=dict)
    gate: Mapping[str, int] = field(default_factory=dict)
    waiting: tuple[PendingTurns, ...] = ()
    waiting_more: int = 0
    consolidation: Upcoming | None = None
    review: Mapping[str, int] = field(default_factory=dict)
    contextual: Mapping[str, str | int] = field(default_factory=dict)
    schedule: Timetable | None = None
    erased_since: int = 0

    time = Time("at")
    last_curate_time = MaybeTime("last_curate_at")
    due_time = MaybeTime("due_at")

    def __str__(self) -> str:
        size = f"{number(self.memories, 'memory', 'memories')} ({format_counts(self.statuses)})"
        policy_note = f"policy {self.policy or 'none'}, last curated {minute_of(self.last_curate_at)}"
        embed_note = (
            f"; {number(self.to_embed, 'memory', 'memories')} to embed again" if self.to_embed else ""
        )
        spent = f"; models: {format_counts(self.spent)} today" if any(self.spent.values()) else ""
        gate = f"; gate: {format_counts(self.gate)}" if self.gate else ""
        waits = "".join(f"; {one}" for one in self.waiting)
        waits += (
            f"; {number(self.waiting_more, 'more session waits', 'more sessions wait')}"
            if self.waiting_more > 0
            else ""
        )
        model = "".join(f"; {name.replace('_', ' ')}: {what}" for name, what in self.contextual.items())
        consolidation_note = f"; {self.consolidation}" if self.consolidation is not None else ""
        person = f"; needs review: {format_counts(self.review)}" if self.review else ""
        person += f"; schedule: {self.schedule}" if self.schedule is not None else ""
        head = f"scope {self.scope!r}: {size}, {number(self.links, 'link', 'links')}; {policy_note}"
        since = (
            f"; {self.erased_since:,} of them were erased since it was copied" if self.erased_since else ""
        )
        return f"{head}{since}{embed_note}{model}{spent}{gate}{waits}{consolidation_note}{person}"


@dataclass(frozen=True, slots=True, repr=False)
class Event(Result):
    """One run's mark on a memory, or one run: when, which verb, by whom, and what changed.

    `owner` is whose the run is: a person's, an agent's by name or else by session, a policy's, or the engine's.
    `position` is its place in the audit of the scope. `decisions` are what the engine decided in it by itself, where
    these were asked for.
    """

    run: str
    at: int
    verb: str
    actor: str | None
    changes: Sequence[str] = field(default_factory=tuple)
    detail: Mapping[str, Any] = field(default_factory=dict)
    owner: str = str(PERSON)
    position: int = 0
    decisions: tuple[EngineAction, ...] = ()

    time = Time("at")

    def __str__(self) -> str:
        by = f" by {self.actor}" if self.actor else ""
        line = f"{minute_of(self.at)} {self.verb}{by}: {'; '.join(self.changes)} (run {self.run})"
        return visible("\n".join([line, *(f"  {one}" for one in self.decisions)]))


Run: TypeAlias = Annotated[
    str | Receipt | RateResult | ConsolidateResult | Event | RunReport,
    "a run: its id, or what a verb returned of it",
]
WAITING_MAX = 100  # sessions of which `status` reads a turn


async def status(core: Core) -> State:
    """Count what is there."""
    await session_heartbeat.beat(core)
    now = core.clock.now()
    snapshot = await core.store.snapshot(core.scope, _make_snapshot_request(core), now)
    books = await core.store.bookkeep(core.scope, Bookkeeping(now, get=(LAST_CURATE,)))
    last, clocks = books.values.get(LAST_CURATE), scales(snapshot, now)
    policy_row = await read_adopted_policy(core)
    embed_position = await embedding.read_reembed_position(core)
    recent = await newest(core, snapshot.position)
    waits = await review.find_pending_review(core, snapshot, recent)
    inbox = int(np.count_nonzero(snapshot.columns["status"] == Status.INBOX))
    spent = await read_spent_today(core)
    cents = await read_cents(core, spent["tokens"])
    return State(
        scope=core.scope,
        at=now,
        memories=len(snapshot),
        statuses=_by_label(snapshot, "status", Status),
        tiers=_by_label(snapshot, "tier", Tier),
        tokens=_tokens_by_tier(snapshot),
        kinds=_by_label(snapshot, "kind", Kind),
        categories=_by_name(snapshot, "category"),
        links=snapshot.link_count or 0,
        pinned=int(np.count_nonzero(snapshot.columns["pinned"])),
        runs=len({part.cause.run for part in recent}),
        policy=core.policy.name if core.policy_given else None,
        adopted=policy_row is not None and is_adopted(policy_row, core.policy.hash),
        last_curate_at=last,
        due_at=due_at(core.policy, clocks, last, now) if runs_by_itself(core) else None,
        is_due=runs_by_itself(core) and due(core.policy, clocks, last, now),
        clocks={
            name: ClockPace(scale.reading / HOUR, float(scale.pace * DAY / HOUR))
            for name, scale in clocks.items()
        },
        first_archives=await asyncio.to_thread(_first_archives, core, snapshot, now),
        sessions=tuple(await list_open_sessions(core)),
        automatic=await read_last_runs(core),
        interrupted=tuple(waits.interrupted),
        erased_since=0 if core.unsettled is None else core.unsettled.count,
        to_embed=0 if embed_position is None else int(np.count_nonzero(snapshot.seq > embed_position)),
        spent={**spent, **({"cents": cents} if cents else {})},
        gate=await gating.read_gate_counts(core),
        waiting=tuple(await pending_turns.list_pending_turns(core, WAITING_MAX)),
        waiting_more=max(0, await pending_turns.sessions(core) - WAITING_MAX),
        consolidation=await consolidation.upcoming(core, inbox),
        review=waits.counts,
        contextual=await reembedding.describe_models(core),
        schedule=await timetable(core),
    )


def _make_snapshot_request(core: Core) -> SnapshotRequest:
    """Say what of a scope its numbers need, and what foretelling needs under the policy."""
    columns = frozenset({"status", "tier", "form", "tokens", "short_tokens", "kind", "category", "pinned"})
    request = SnapshotRequest(columns, clocks=frozenset({"active", "turns"}), link_count=True)
    if not core.policy_given:
        return request
    foretold = build_forecast_request(core.policy)
    return replace(foretold, columns=columns | foretold.columns, clocks=request.clocks, link_count=True)


def _first_archives(core: Core, snapshot: Snapshot, now: int) -> dict[str, int | None]:
    by_decay = first_archives(snapshot, core.policy, now) if core.policy_given else {}
    return {decay.label: at for decay, at in by_decay.items()}


def _by_label(snapshot: Snapshot, column: str, labels: type[Label]) -> dict[str, int]:
    values = snapshot.columns[column]
    counts = {label.label: int(np.count_nonzero(values == label)) for label in labels}
    counts = {"(none)": len(snapshot) - sum(counts.values())} | counts
    return {name: count for name, count in counts.items() if count}


def _by_name(snapshot: Snapshot, column: str) -> dict[str, int]:
    codes, counts = np.unique(snapshot.columns[column], return_counts=True)
    names = snapshot.names[column]
    return {
        names[code] if code >= 0 else "(none)": int(count) for code, count in zip(codes, counts, strict=True)
    }


def _tokens_by_tier(snapshot: Snapshot) -> dict[str, int]:
    status, tier = (snapshot.columns[name] for name in ("status", "tier"))
    tokens = shown_lengths(snapshot.columns, "tokens")
    stands = (status == Status.INBOX) | (status == Status.ACTIVE)
    return {
        label.label: int(tokens[stands & (tier == label)].sum())
        for label in Tier
        if (stands & (tier == label)).any()
    }


async def history(
    core: Core,
    name: OneMemory | None,
    limit: int,
    verb: str | None = None,
    after: Run | None = None,
    *,
    decision: str | None = None,
    outcome: str | None = None,
) -> list[Event]:
    """Return what happened to a memory, or the newest runs, oldest first; of one verb where it is named.

    Runs that count uses are returned where their verb "use" is named: each recall makes one.
    `after` is how far a list before came: of a memory what is later follows, of all runs what is older. With a
    `decision` or an `outcome` only what the engine decided so is returned, of at most `PARTS_MAX` parts of runs.
    """
    check_count("limit", limit, 1, RUNS_TOLD_MAX)
    if verb is not None and verb not in AUDITED:
        raise NameUnknown("verb", verb, sorted(AUDITED))
    decision_log.check_names(decision, outcome)
    is_decided = decision is not None or outcome is not None
    first, last = (None, 0) if after is None else await _find_span(core, after)
    parts = (
        newest_first(core, before=first)
        if name is None
        else iterate_audit_log(core, None, await _find_seq(core, name), last)
    )
    events, read = [], 0
    async for part in parts:
        read += 1
        decisions = decision_log.select_decisions(part, decision, outcome) if is_decided else ()
        is_asked = part.cause.verb != USE if verb is None else part.cause.verb == verb
        if is_asked and (name is None or any(map(tells, part.changes))) and (decisions or not is_decided):
            events.append(replace(_make_event(part), decisions=decisions))
        if len(events) == limit or (is_decided and read == decision_log.PARTS_MAX):
            break
    return events[::-1] if name is None else events


def refuse_beside_run(*narrowing: object) -> None:
    """Refuse what would narrow one run, which is shown whole."""
    if any(one is not None for one in narrowing):
        raise InvalidInput(
            "one run is shown whole: it takes no memory, verb, after, decision or outcome",
            recovery="leave them out, or leave `run` out",
        )


async def find_position(core: Core) -> int:
    """Return how far the scope has come in its change sequence."""
    return (await core.store.bookkeep(core.scope, Bookkeeping(core.clock.now()))).position


async def read_events(core: Core, after: int, limit: int) -> list[Event]:
    """Return what was done above a position, oldest first, without what was changed in each row."""
    parts = await core.store.history(core.scope, after=after, limit=limit, rows=False)
    return [_make_event(part) for part in parts]


async def _find_span(core: Core, run: Run) -> tuple[int, int]:
    """Return between which positions something was done: an event is one part of its run."""
    if isinstance(run, Event):
        return run.position, run.position
    return await find_run_span(core, runs.run_id(run))


async def _find_seq(core: Core, name: OneMemory) -> int:
    """Return the sequence number of a memory, of one that was purged from the audit."""
    plain = plain_name(name)
    (memory,) = await core.find_memories([plain])
    if memory is not None:
        return memory.seq
    last_image = await image(core, plain)
    if last_image is None:
        await refuse_erased(core.store, core.scope, [plain])
        raise unknown(core.scope, [plain])
    return last_image.seq


def _make_event(part: AuditPart) -> Event:
    changes = number(part.count, "change", "changes")
    acts = part.cause.detail.get(CYCLE, {}).get("acts")
    whole = f"{changes}: {format_counts(acts)}" if acts else changes
    lines = tuple(_describe_change(change) for change in part.changes if tells(change)) or (whole,)
    cause = part.cause
    owner = str(owner_of(cause))
    return Event(
        cause.run, cause.at, cause.verb, cause.actor, lines, dict(cause.detail), owner, part.position
    )


def _describe_change(change: Any) -> str:
    """Say in a line what a change did."""
    what = change.table.removesuffix("s").removesuffix("ie") if change.table != "memories" else "memory"
    if change.table == "links":
        what = f"{Relation(change.key[2]).label} link {change.key[0]} - {change.key[1]}"
    elif isinstance(change.key, tuple):
        what = f"{what} {change.key[1]!r}"
    if change.before is None:
        return f"{what} created"
    if change.after is None:
        return f"{what} destroyed"
    fields = [
        f"{name} {_show_value(name, change.before.get(name))} → {_show_value(name, value)}"
        if not isinstance(value, Increment)
        else f"{name} {value.by:+d}"
        for name, value in change.after.items()
        if name not in _UNTOLD
    ]
    return ", ".join(fields)


def _show_value(name: str, value: Any) -> str:
    column = COLUMN.get(name)
    if value is None:
        return "none"
    if name == "holds":
        return ", ".join(
            reason if until is None else f"{reason} until {_show_time(until)}"
            for reason, until in value.items()
        )
    if name.endswith("_at") or (column is not None and column.kind == "time"):
        return _show_time(value)
    return str(value) if column is None or column.labels is None else column.labels(value).label


def _show_time(micros: int) -> str:
    return f"{to_datetime(micros):%Y-%m-%d %H:%M}"


async def explain(
    core: Core, name: OneMemory, named: str | None, overrides: Mapping[str, Mapping[str, Any]] | None
) -> Explanation:
    """Show for one memory what it is worth and why, what took it away, and every rule and guard of a policy.

    Where no policy was named, given or adopted, it is one without rules.
    """
    is_unruled = named is None and not overrides and not core.policy_given
    policy = core.policy if is_unruled else choose(core, named, overrides)
    memory = await read_annotated_memory(core, name)
    snapshot, now = await freeze_scope(core, policy)
    explanation = await asyncio.to_thread(explain_row, snapshot, policy, now, memory.seq)
    worth, fall = await reasons(core, memory, policy)
    beside = await describe_odds(core, memory)
    return replace(explanation, ended=memory.ended, worth=worth, fall=fall, beside=beside)


async def links(core: Core, name: OneMemory) -> list[Link]:
    """List the links of a memory."""
    memory = await core.one(name)
    await core.uses.settle_to_read()
    return await core.store.neighbours(core.scope, [memory.seq])
