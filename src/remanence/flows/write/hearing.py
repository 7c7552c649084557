"""Turns that were noted are listened to: facts are extracted from those above a session's cursor, a batch a commit.

A commit stores the facts and moves the cursor, under the fence of a lease, so that no turn is listened to twice and
none is passed over, whoever is killed when. Knows when a session is due; how words become facts is elsewhere.
"""

import asyncio
import logging
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace

from remanence.change import Change, Fence
from remanence.clock import MINUTE
from remanence.edit.one_memory import joined, update
from remanence.errors import Conflict, LeaseLost, StoreError, WriterError
from remanence.extraction import CATEGORIES, Extracted, Fact, Heard, Wanted, checked_extraction
from remanence.flows import settings
from remanence.flows.core import RACES_MAX, Core, leased, overtaken
from remanence.flows.curate.scheduling import Ran, keep
from remanence.flows.spending import Spending
from remanence.flows.write.learning import decided, prepare
from remanence.flows.write.shown import Shown, shown_in
from remanence.llm.base import Extractor
from remanence.model import STANDING, Memory, Relation, Role, Turn, Verification, link_values
from remanence.results import MaybeTime, Result, Time, counted, minute_of, number, visible
from remanence.store.base import Arriving, Bookkeeping, Find
from remanence.write.arrive import TURN, Batch, Draft
from remanence.write.extract import extracted
from remanence.write.importance import importance, kind_of
from remanence.write.turns import HIGH, TURNS, WAITING

BATCH = 10  # turns that are listened to together
TIMEOUT_S = 30.0
LEASE = MINUTE  # longer than a writer is waited for
POLL_S = 60.0  # how often a living engine looks for what other processes noted
RETRY_MAX = 60 * MINUTE
LOG = logging.getLogger("remanence")


@dataclass(frozen=True, slots=True, repr=False)
class Waiting(Result):
    """Turns of a session that wait to be listened to: how many, since when, and when that is due.

    `session` is "" for turns of none. `failures` counts how often a writer was asked in vain.
    """

    session: str
    turns: int
    high: int
    since: int
    due_at: int | None
    failures: int = 0

    since_time = Time("since")
    due_time = MaybeTime("due_at")

    def __str__(self) -> str:
        of = f" of session {self.session}" if self.session else ""
        failed = f", {self.failures:,} times in vain" if self.failures else ""
        due = minute_of(self.due_at) if self.due_at is not None else "when somebody asks for it"
        turns = number(self.turns, "turn waits", "turns wait")
        return visible(f"{turns}{of} since {minute_of(self.since)}{failed}; due {due}")


@dataclass(frozen=True, slots=True, repr=False)
class Listened(Result):
    """What was heard in waiting turns: facts stored anew and confirmed, what was left out by reason, and the runs.

    `cut` counts what was beyond the limits of a batch. `failed` says why turns still wait.
    """

    turns: int = 0
    stored: int = 0
    confirmed: int = 0
    left_out: Mapping[str, int] = field(default_factory=dict)
    cut: Mapping[str, int] = field(default_factory=dict)
    runs: tuple[str, ...] = ()
    failed: tuple[str, ...] = ()

    def __str__(self) -> str:
        counts = {"facts stored": self.stored, "confirmed": self.confirmed, **self.left_out}
        cut = f"; cut: {counted(self.cut)}" if self.cut else ""
        failed = f"; {'; '.join(self.failed)}" if self.failed else ""
        return visible(f"{number(self.turns, 'turn', 'turns')} heard: {counted(counts)}{cut}{failed}")

    def __add__(self, other: "Listened") -> "Listened":
        """Return both together."""
        return Listened(
            self.turns + other.turns,
            self.stored + other.stored,
            self.confirmed + other.confirmed,
            _summed(self.left_out, other.left_out),
            _summed(self.cut, other.cut),
            self.runs + other.runs,
            self.failed + other.failed,
        )


def _summed(one: Mapping[str, int], other: Mapping[str, int]) -> dict[str, int]:
    return {name: one.get(name, 0) + other.get(name, 0) for name in {**one, **other}}


@dataclass(frozen=True, slots=True)
class _Cursor:
    """Up to which turn a session was listened to, None where it never was; how often it failed since."""

    seq: int | None = None
    failures: int = 0
    retry_at: int = 0


@dataclass(frozen=True, slots=True)
class _Triggers:
    """When waiting turns are due: so many, or so long after the oldest, 0 for never; or at once for a high signal."""

    turns: int
    minutes: int
    at_once: bool


class Listener:
    """Listens in a living engine: at once where a turn makes it due, and to what other processes noted."""

    def __init__(self, core: Core) -> None:
        self._core = core
        self._wake = asyncio.Event()
        self._sessions: set[str] = set()
        self._triggers: _Triggers | None = None
        self._since = 0
        self._stopping = False
        self._task = asyncio.get_running_loop().create_task(self._listen())

    def noted(self, session: str, *, high: bool) -> None:
        """Hear that a turn of a session was noted here; look what is due where that may have made it so."""
        self._sessions.add(session)
        self._since += 1
        known = self._triggers
        if known is None or (high and known.at_once) or 0 < known.turns <= self._since:
            self._wake.set()

    async def done(self) -> None:
        """Listen to what is left of the sessions that were noted here."""
        if self._sessions:
            await keep(self._core, "extract", lambda core: rest(core, self._sessions))

    async def _due(self, core: Core) -> Ran | None:
        self._triggers = await _triggers(core)
        now = core.clock.now()
        due = {one.session for one in await waiting(core) if one.due_at is not None and one.due_at <= now}
        return _ran(core, await listen(core, due, lambda: self._stopping)) if due else None

    async def stop(self) -> None:
        """End it after the batch that it is at; what is left waits."""
        self._stopping = True
        self._wake.set()
        await asyncio.wait({self._task})

    async def _listen(self) -> None:
        while not self._stopping:
            with suppress(TimeoutError):
                async with asyncio.timeout(POLL_S):
                    await self._wake.wait()
            self._wake.clear()
            self._since = 0
            try:
                await keep(self._core, "extract", self._due)
            except StoreError as error:  # not even that could be kept; what waits is looked for again
                LOG.warning("what was noted is not listened to: %s (%s)", error, error.recovery)


async def rest(core: Core, sessions: Collection[str]) -> Ran | None:
    """Listen to all that waits of some sessions, and say what became of it as of any work that nobody asked for."""
    return _ran(core, await listen(core, sessions)) if sessions else None


def _ran(core: Core, done: Listened) -> Ran | None:
    if not done.turns and not done.failed:
        return None
    counts = {"turns": done.turns, "stored": done.stored, "confirmed": done.confirmed, **done.left_out}
    reason = "; ".join(done.failed)
    run = done.runs[-1] if done.runs else None
    return Ran(core.clock.now(), "failed" if reason else "done", run, counts, reason)


async def waiting(core: Core) -> list[Waiting]:
    """List what waits, the oldest first."""
    now = core.clock.now()
    counters = (await core.store.bookkeep(core.scope, Bookkeeping(now, counters=(WAITING,)))).counters
    sessions = [
        name.removeprefix(TURNS) for name, count in counters.items() if name.startswith(TURNS) and count > 0
    ]
    if not sessions:
        return []
    triggers = await _triggers(core)
    found = []
    for session in sessions:
        count, high = counters[TURNS + session], counters.get(HIGH + session, 0)
        cursor = await _cursor(core, session)
        oldest = await _above(core, session, cursor, count, most=1)
        since = oldest[0].learned_at if oldest else now
        due_at = _due_at((count, max(high, 0), since), triggers, cursor, now)
        found.append(Waiting(session, count, max(high, 0), since, due_at, cursor.failures))
    return sorted(found, key=lambda one: one.since)


async def _triggers(core: Core) -> _Triggers:
    return _Triggers(
        await settings.number(core, "note_turns"),
        await settings.number(core, "note_minutes"),
        bool(await settings.number(core, "note_at_once")),
    )


def _due_at(waits: tuple[int, int, int], triggers: _Triggers, cursor: _Cursor, now: int) -> int | None:
    """Return when a session is due, None where nothing makes it so; a time that a clock set back left ahead is none."""
    turns, high, since = waits
    at: int | None = None
    if (high and triggers.at_once) or 0 < triggers.turns <= turns or (triggers.minutes and since > now):
        at = now
    elif triggers.minutes:
        at = since + triggers.minutes * MINUTE
    is_ahead = now < cursor.retry_at <= now + RETRY_MAX
    return max(at, cursor.retry_at) if at is not None and is_ahead else at


async def listen(
    core: Core, sessions: Collection[str] | None = None, stopped: Callable[[], bool] = lambda: False
) -> Listened:
    """Listen to all that waits, of some sessions or of any; one process at a time goes through a session."""
    total, spending = Listened(), Spending(core)
    for session in [one.session for one in await waiting(core)] if sessions is None else sorted(sessions):
        going = True
        while going and not stopped():
            some, going = await _batch(core, session, spending)
            total += some
    return total


async def _batch(core: Core, session: str, spending: Spending) -> tuple[Listened, bool]:
    """Listen to the oldest turns of a session; say whether there may be more."""
    if isinstance(core.writer, Extractor) and (reason := await spending.waits()):
        return Listened(failed=(reason,)), False
    try:
        async with leased(core, f"extract/{session}", LEASE) as fence:
            if fence is None:
                return Listened(), False
            return await _listened(core, session, fence, spending)
    except LeaseLost:
        return Listened(), False


async def _listened(core: Core, session: str, fence: Fence, spending: Spending) -> tuple[Listened, bool]:
    names = (TURNS + session, HIGH + session)
    asked = Bookkeeping(core.clock.now(), counters=(WAITING,))
    counters = (await core.store.bookkeep(core.scope, asked)).counters
    counts = {name: counters.get(name, 0) for name in names}
    cursor = await _cursor(core, session)
    turns = await _above(core, session, cursor, counts[names[0]], most=BATCH)
    done = {name: -min(count, len(turns) if len(turns) == BATCH else count) for name, count in counts.items()}
    last = turns[-1].seq if turns else cursor.seq
    books = _Books(session, fence, replace(_Cursor(last)), {name: by for name, by in done.items() if by})
    if not turns:
        await _booked(core, books)
        return Listened(), False
    standing = [turn for turn in turns if turn.status in STANDING]
    try:
        found = await _found(core, standing, spending) if standing else Extracted()
    except WriterError as error:
        await _failed(core, session, cursor, fence)
        return Listened(failed=(f"{error}",)), False
    some = await _stored(core, standing, found, books)
    return replace(some, turns=len(turns), cut=found.cut), len(turns) == BATCH


@dataclass(frozen=True, slots=True)
class _Books:
    """What is written beside the facts of a batch: where the session's cursor then stands, and what no longer waits."""

    session: str
    fence: Fence
    cursor: _Cursor
    counts: Mapping[str, int]

    @property
    def values(self) -> dict[str, object]:
        """The cursor, as it is kept."""
        return {_key(self.session): _row(self.cursor)}


async def _cursor(core: Core, session: str) -> _Cursor:
    asked = Bookkeeping(core.clock.now(), get=(_key(session),))
    row = (await core.store.bookkeep(core.scope, asked)).values.get(_key(session))
    return _Cursor() if row is None else _Cursor(**row)


def _key(session: str) -> str:
    return f"cursor/{session}"


def _row(cursor: _Cursor) -> dict[str, int | None]:
    return {"seq": cursor.seq, "failures": cursor.failures, "retry_at": cursor.retry_at}


async def _above(core: Core, session: str, cursor: _Cursor, count: int, most: int) -> list[Memory]:
    """Return the oldest turns of a session above its cursor; where it has none, of the newest that were counted."""
    about = Find(tags=(TURN,), equal={"session": session or None})
    after = cursor.seq
    if after is None:
        newest = await core.store.find(core.scope, replace(about, limit=max(1, count)))
        after = newest[-1].seq - 1 if newest else 0
    return await core.store.find(core.scope, replace(about, after=after, limit=most, oldest_first=True))


async def _booked(core: Core, books: _Books) -> None:
    """Write what stands beside memories where no memory changes."""
    asked = Bookkeeping(core.clock.now(), put=books.values, count=books.counts, fence=books.fence)
    await core.store.bookkeep(core.scope, asked)


async def _failed(core: Core, session: str, cursor: _Cursor, fence: Fence) -> None:
    """Keep that a session was listened to in vain, and when that is tried again: later each time."""
    failures = cursor.failures + 1
    retry_at = core.clock.now() + min(RETRY_MAX, MINUTE << min(failures - 1, 10))
    await _booked(core, _Books(session, fence, replace(cursor, failures=failures, retry_at=retry_at), {}))


async def _found(core: Core, turns: Sequence[Memory], spending: Spending) -> Extracted:
    """Return what some turns state, by the writer where it extracts, else by rules."""
    shown = [
        Heard(
            turn.id,
            turn.text,
            turn.speaker or "",
            turn.role.label,
            turn.trust.label,
            turn.said_time.isoformat(),
        )
        for turn in turns
    ]
    if not isinstance(core.writer, Extractor):
        return await asyncio.to_thread(extracted, shown, CATEGORIES)
    wanted = Wanted()
    try:
        async with asyncio.timeout(TIMEOUT_S):
            found = checked_extraction(await core.writer.extract(shown, wanted), shown, wanted)
            await spending.book(1, found.tokens_used)
            return found
    except WriterError as error:
        await spending.book(1, error.tokens_used)
        raise
    except TimeoutError:
        raise WriterError(
            f"nothing extracted within {TIMEOUT_S:g} s", recovery="it is tried again; nothing is lost"
        ) from None


async def _stored(core: Core, turns: Sequence[Memory], found: Extracted, books: _Books) -> Listened:
    """Commit the facts of a batch with its cursor, again from the start after a lost race."""
    for attempt in range(RACES_MAX):
        telling = await _telling(core, turns, found.facts)
        writer = core.writer
        by = "rules" if writer is None or not isinstance(writer, Extractor) else writer.name
        cause = core.cause(
            "extract",
            detail={"session": books.session, "by": by, **({"cut": dict(found.cut)} if found.cut else {})},
            fence=books.fence,
            counts=books.counts,
            values=books.values,
        )
        if not telling.changes:
            await _booked(core, books)
            return telling.told
        try:
            await core.commit(telling.changes, cause)
        except Conflict as conflict:
            await overtaken(attempt, conflict)
            memories = await core.store.get(core.scope, [turn.seq for turn in turns])
            turns = [memory for memory in memories if memory is not None and memory.status in STANDING]
            continue
        return replace(telling.told, runs=(cause.run,))
    raise AssertionError("unreachable")


@dataclass(frozen=True, slots=True)
class _Telling:
    """What the facts of a batch change, and what became of them."""

    changes: list[Change]
    told: Listened


async def _telling(core: Core, turns: Sequence[Memory], facts: Sequence[Fact]) -> _Telling:
    """Decide what becomes of the facts of some turns."""
    of = {turn.id: turn for turn in turns}
    drafts = [(prepare(core, _turn_of(core, fact, of[fact.turn])), fact) for fact in facts if fact.turn in of]
    fallen = await _fallen(core, [draft.fingerprint for draft, _ in drafts])
    shown = await shown_in(core, turns)
    changes: list[Change] = []
    left_out: dict[str, int] = {}
    new: list[tuple[Draft, Fact]] = []
    whole = 0
    for draft, fact in drafts:
        turn = of[fact.turn]
        reason = _refused(draft, turn, fallen, shown)
        if reason:
            left_out[reason] = left_out.get(reason, 0) + 1
        elif draft.fingerprint == turn.fingerprint:
            changes += _is_fact(turn, draft)
            whole += 1
        else:
            new.append((draft, fact))
    batch, stored = await decided(core, [draft for draft, _ in new]) if new else (None, [])
    if batch is not None:
        stored = await _linked(core, batch, stored, [(fact, of[fact.turn]) for _, fact in new])
    outcomes = [] if batch is None else [outcome.status for outcome in batch.outcomes]
    told = Listened(
        stored=outcomes.count("stored") + whole, confirmed=outcomes.count("confirmed"), left_out=left_out
    )
    return _Telling(joined([*changes, *stored]), told)


def _turn_of(core: Core, fact: Fact, turn: Memory) -> Turn:
    """Return a fact as a text that arrives: said by whoever said the turn, then and there."""
    known = fact.category in core.policy.categories
    tags = fact.tags if known else (*fact.tags, fact.category)
    about = {**fact.attributes, **({"subject": fact.subject} if fact.subject else {})}
    return Turn(
        fact.content,
        category=fact.category if known else None,
        kind=kind_of(fact.content, fact.category),
        tags=tuple(dict.fromkeys(tags)),
        role=turn.role,
        trust=turn.trust,
        speaker=turn.speaker,
        agent=turn.agent,
        thread=turn.thread,
        session=turn.session,
        said_at=turn.said_at,
        source=turn.id,
        confidence=fact.confidence,
        importance=importance(fact.content, fact.category),
        attributes=about or None,
    )


async def _fallen(core: Core, fingerprints: Sequence[bytes]) -> dict[bytes, int]:
    """Return which facts are known and stand no more, by whose will, and since when."""
    twins = (await core.store.arriving(core.scope, Arriving(fingerprints=fingerprints))).twins
    seqs = [twin.seq for twin in twins.values() if twin.status not in STANDING]
    memories = await core.store.get(core.scope, seqs) if seqs else []
    return {memory.fingerprint: memory.status_at for memory in memories if memory is not None}


def _refused(draft: Draft, turn: Memory, fallen: Mapping[bytes, int], shown: Shown) -> str:
    """Return why a fact is not kept: who forgot or replaced it knew the turn; or its speaker only read it here."""
    if fallen.get(draft.fingerprint, turn.learned_at - 1) >= turn.learned_at:
        return "forgotten or replaced since"
    return "an echo" if shown.echoes(turn, draft.turn.text) else ""


def _is_fact(turn: Memory, draft: Draft) -> list[Change]:
    """Let a turn that says nothing but one fact be that fact."""
    if turn.category is not None:
        return []
    values = {
        "category": draft.turn.category,
        "kind": draft.kind,
        "confidence": turn.confidence if turn.confidence is not None else draft.turn.confidence,
        "importance": turn.importance if turn.importance is not None else draft.turn.importance,
    }
    given = {name: value for name, value in values.items() if value is not None}
    return update(turn, given, tags={*turn.tags, *draft.turn.tags})


async def _linked(
    core: Core, batch: Batch, changes: Sequence[Change], told: Sequence[tuple[Fact, Memory]]
) -> list[Change]:
    """Name the turn of each fact, with the characters it was read from; no fact is believed more than its turn."""
    seqs = sorted({outcome.key for outcome in batch.outcomes if outcome.key > 0})
    met = {memory.seq: memory for memory in await core.store.get(core.scope, seqs) if memory is not None}
    links = await core.store.neighbours(core.scope, seqs, Relation.LEARNED_FROM) if seqs else []
    have = {link.key for link in links}
    spans: dict[tuple[int, str], str] = {}
    added: list[Change] = []
    for outcome, (fact, turn) in zip(batch.outcomes, told, strict=True):
        spans.setdefault((outcome.key, turn.id), f"{fact.span[0]}-{fact.span[1]}")
        if outcome.key < 0:
            row = batch.rows[-outcome.key - 1]
            row["trust"] = min(row.get("trust", turn.trust), turn.trust)
        key = (outcome.key, turn.seq, int(Relation.LEARNED_FROM))
        memory = met.get(outcome.key)
        if key not in have and outcome.key != turn.seq and (memory is None or TURN not in memory.tags):
            have.add(key)
            added.append(Change("links", key, None, link_values(batch.now)))
        if memory and turn.role is Role.USER and memory.verification is Verification.UNVERIFIED:
            added += update(memory, {"verification": Verification.USER_CONFIRMED})
    with_spans = [
        replace(change, after={"span": spans[change.key]})
        if change.table == "sources" and change.key in spans
        else change
        for change in changes
    ]
    return joined([*with_spans, *added])
