"""Which turns wait to be listened to: those above a session's cursor, and those that came out of quarantine.

Knows cursors, counters and when a session is due; must not know what is extracted.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass

from remanence.core.clock import MINUTE
from remanence.core.model import STANDING, Memory, Relation, Role, Status
from remanence.core.results import MaybeTime, Result, Time, minute_of, number, visible
from remanence.core.segment import TURN
from remanence.flows.base import settings
from remanence.flows.base.context import Core
from remanence.read.signals import signal
from remanence.store.base import Bookkeeping, Find
from remanence.write.turns import HIGH, RELEASED, TURNS, WAITING, listened_again, released_key

RETRY_MAX = 60 * MINUTE


@dataclass(frozen=True, slots=True, repr=False)
class PendingTurns(Result):
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
        retries = f", {self.failures:,} times in vain" if self.failures else ""
        due = minute_of(self.due_at) if self.due_at is not None else "when somebody asks for it"
        turns = number(self.turns, "turn waits", "turns wait")
        return visible(f"{turns}{of} since {minute_of(self.since)}{retries}; due {due}")


@dataclass(frozen=True, slots=True)
class Cursor:
    """Up to which turn a session was listened to, None where it never was; how often it failed since."""

    seq: int | None = None
    failures: int = 0
    retry_at: int = 0


@dataclass(frozen=True, slots=True)
class Buffer:
    """What waits of a session: how many turns were counted, how many with a high signal, and which were released."""

    session: str
    turns: int
    high: int
    cursor: Cursor
    released: tuple[int, ...] = ()

    def values(self, heard: Sequence[Memory]) -> dict[str, object]:
        """Return what is kept once some turns were heard: the cursor, and no more which of them were released."""
        seqs = {turn.seq for turn in heard}
        at = max(seqs, default=self.cursor.seq)
        if at is not None and self.cursor.seq is not None:
            at = max(at, self.cursor.seq)
        releases = sorted(seqs & {*self.released})
        return {cursor_key(self.session): asdict(Cursor(at)), **{released_key(seq): None for seq in releases}}

    def encode_failure(self, now: int) -> dict[str, object]:
        """Return what is kept after a failure: it is tried again, later each time."""
        failures = self.cursor.failures
        retry_at = now + min(RETRY_MAX, MINUTE << min(failures, 10))
        return {cursor_key(self.session): asdict(Cursor(self.cursor.seq, failures + 1, retry_at))}

    def counts(self, heard: Sequence[Memory], *, all_: bool) -> dict[str, int]:
        """Return by how much the counters fall once some turns were heard, or all that waited.

        What was never counted does not count: what came into quarantine.
        """
        counted_turns = [
            turn for turn in heard if turn.seq not in self.released and turn.status is not Status.QUARANTINED
        ]
        high = sum(turn.role is Role.USER and signal(turn.text).level == "high" for turn in counted_turns)
        fall = (
            (self.turns, self.high) if all_ else (min(self.turns, len(counted_turns)), min(self.high, high))
        )
        names = (TURNS + self.session, HIGH + self.session)
        return {name: -by for name, by in zip(names, fall, strict=True) if by}


@dataclass(frozen=True, slots=True)
class Triggers:
    """When waiting turns are due: so many, or so long after the oldest, 0 for never; or at once for a high signal."""

    turns: int
    minutes: int
    at_once: bool

    def due_at(self, buffer: Buffer, since: int, now: int) -> int | None:
        """Return when a session is due, None where nothing makes it so.

        A time that a clock set back left ahead is none.
        """
        turns = buffer.turns + len(buffer.released)
        at: int | None = None
        if (buffer.high and self.at_once) or 0 < self.turns <= turns or (self.minutes and since > now):
            at = now
        elif self.minutes:
            at = since + self.minutes * MINUTE
        retry_at = buffer.cursor.retry_at
        return max(at, retry_at) if at is not None and now < retry_at <= now + RETRY_MAX else at


async def triggers(core: Core) -> Triggers:
    """Read the settings that say when turns are due."""
    turns, minutes, at_once = await settings.numbers(core, "note_turns", "note_minutes", "note_at_once")
    return Triggers(turns, minutes, bool(at_once))


async def list_pending_turns(core: Core, most: int | None = None) -> list[PendingTurns]:
    """List what waits, the oldest first; `most` looks at no more sessions than that, those with most to hear."""
    now = core.clock.now()
    pending = []
    all_ = await buffers(core)
    if not all_:  # each tick asks twice
        return []
    when = await triggers(core)
    if most is not None and len(all_) > most:
        all_ = sorted(all_, key=lambda one: (-one.high, -one.turns - len(one.released)))[:most]
    for buffer in all_:
        oldest = await next_turns(core, buffer, most=1)
        if oldest:  # else they are gone: undone or purged
            since = oldest[0].learned_at
            turns = max(1, buffer.turns + len(buffer.released))
            due_at = when.due_at(buffer, since, now)
            pending.append(
                PendingTurns(buffer.session, turns, buffer.high, since, due_at, buffer.cursor.failures)
            )
    return sorted(pending, key=lambda one: one.since)


async def sessions(core: Core) -> int:
    """Count the sessions of which something waits."""
    return len(await buffers(core))


async def buffers(core: Core, session: str | None = None) -> list[Buffer]:
    """Return what waits of all sessions, or of one, also where nothing does."""
    names = (WAITING,) if session is None else (TURNS + session, HIGH + session)
    request = Bookkeeping(core.clock.now(), counters=names, under=(RELEASED,))
    answer = await core.store.bookkeep(core.scope, request)
    releases: dict[str, list[int]] = {}
    for name, of in sorted(answer.values.items()):
        releases.setdefault(of, []).append(int(name.removeprefix(RELEASED)))
    waits = {name.removeprefix(TURNS) for name, count in answer.counters.items() if name.startswith(TURNS)}
    sessions = sorted(waits | releases.keys()) if session is None else [session]
    if not sessions:
        return []
    query = Bookkeeping(core.clock.now(), get=tuple(map(cursor_key, sessions)))
    cursors = (await core.store.bookkeep(core.scope, query)).values
    return [_buffer(one, answer.counters, cursors, sorted(releases.get(one, ()))) for one in sessions]


def _buffer(
    session: str, counters: Mapping[str, int], cursors: Mapping[str, dict[str, int]], released: Sequence[int]
) -> Buffer:
    row = cursors.get(cursor_key(session))
    return Buffer(
        session,
        max(0, counters.get(TURNS + session, 0)),
        max(0, counters.get(HIGH + session, 0)),
        Cursor() if row is None else Cursor(**row),
        tuple(released),
    )


async def encode_rehearing(core: Core, turn: Memory) -> dict[str, str]:
    """Return the value by which a turn whose text changes is listened to again; none where it was not heard yet."""
    if TURN not in turn.tags:
        return {}
    (buffer,) = await buffers(core, turn.session or "")
    is_heard = buffer.cursor.seq is not None and turn.seq <= buffer.cursor.seq
    return listened_again([turn]) if is_heard else {}


def cursor_key(session: str) -> str:
    """Return under which name the cursor of a session is kept."""
    return f"cursor/{session}"


async def next_turns(core: Core, buffer: Buffer, most: int) -> list[Memory]:
    """Return the oldest turns that wait: those that were released behind the cursor, then those above it."""
    cursor = buffer.cursor.seq or 0
    behind = [seq for seq in buffer.released if seq <= cursor][:most]
    first = [one for one in await core.store.get(core.scope, behind) if one is not None] if behind else []
    if len(first) == most:
        return first
    of = {"session": buffer.session or None}
    rest = most - len(first)
    above = Find(tags=(TURN,), equal=of, after=cursor, limit=rest, oldest_first=True)
    return [*first, *await core.store.find(core.scope, above)]


async def select_unheard_turns(core: Core, buffer: Buffer, turns: Sequence[Memory]) -> list[Memory]:
    """Return the turns of which facts are to be extracted: those that stand.

    Where a session was never listened to here, some may have come with their facts from another file.
    """
    standing = [turn for turn in turns if turn.status in STANDING]
    if buffer.cursor.seq is not None or not standing:
        return standing
    links = await core.store.neighbours(core.scope, [turn.seq for turn in standing], Relation.LEARNED_FROM)
    have = {link.target for link in links}
    return [turn for turn in standing if turn.seq not in have]
