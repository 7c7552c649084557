"""Which turns wait to be listened to: above a session's cursor, out of quarantine again, or set aside.

A turn is set aside where a writer gives no answer for it but for others: it is tried again by itself, later each time.

Knows cursors, counters and when a session is due; must not know what is extracted.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace

from remanence.core.clock import MINUTE
from remanence.core.model import STANDING, Memory, Relation, Role, Status
from remanence.core.results import MaybeTime, Result, Time, minute_of, number, visible
from remanence.core.segment import TURN
from remanence.flows.base import settings
from remanence.flows.base.context import Core
from remanence.read.keep_signals import signal
from remanence.store.base import Bookkeeping, Find
from remanence.write.turns import HIGH, RELEASED, TURNS, WAITING, listened_again, released_key

RETRY_MAX = 60 * MINUTE


@dataclass(frozen=True, slots=True, repr=False)
class PendingTurns(Result):
    """Turns of a session that wait for extraction: how many, since when, and when that is due.

    `session` is "" for turns of no session. `failures` counts how often a model was asked in vain.
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

    def add_failure(self, now: int) -> "Cursor":
        """Return it after one more failure: it is tried again, later each time."""
        retry_at = now + min(RETRY_MAX, MINUTE << min(self.failures, 10))
        return Cursor(self.seq, self.failures + 1, retry_at)


@dataclass(frozen=True, slots=True)
class Buffer:
    """What waits of a session: how many turns were counted, how many with a high signal, and which were released.

    `set_aside` has the turns that a writer gave no answer for, by number, each with its failures.
    """

    session: str
    turns: int
    high: int
    cursor: Cursor
    released: tuple[int, ...] = ()
    set_aside: Mapping[int, Cursor] = field(default_factory=dict)

    @property
    def size(self) -> int:
        """How many turns wait."""
        return self.turns + len(self.released) + len(self.set_aside)

    def values(self, heard: Sequence[Memory]) -> dict[str, object]:
        """Return what is kept once some turns were heard: the cursor, and no more which of them were released."""
        seqs = {turn.seq for turn in heard}
        releases = sorted(seqs & {*self.released, *self.set_aside})
        cursor = asdict(Cursor(self._cursor_after(heard)))
        return {cursor_key(self.session): cursor, **{released_key(seq): None for seq in releases}}

    def encode_failure(self, now: int) -> dict[str, object]:
        """Return what is kept after a failure of all that was asked: the same turns are tried again, later."""
        return {cursor_key(self.session): asdict(self.cursor.add_failure(now))}

    def encode_failed_turn(self, turn: Memory, now: int) -> dict[str, object]:
        """Return what is kept once a turn has failed alone: it is set aside, and those after it are tried later."""
        tried = self.set_aside.get(turn.seq)
        set_aside = encode_set_aside([turn], now, tried or Cursor())
        if tried is not None:
            return set_aside
        cursor = replace(self.cursor.add_failure(now), seq=self._cursor_after([turn]))
        return {cursor_key(self.session): asdict(cursor), **set_aside}

    def _cursor_after(self, heard: Sequence[Memory]) -> int | None:
        known = [] if self.cursor.seq is None else [self.cursor.seq]
        return max([*known, *(turn.seq for turn in heard)], default=None)

    def counts(self, heard: Sequence[Memory], *, all_: bool) -> dict[str, int]:
        """Return by how much the counters fall once some turns were heard, or all that waited.

        What was never counted does not count: what came into quarantine.
        """
        counted_turns = [
            turn
            for turn in heard
            if turn.seq not in {*self.released, *self.set_aside} and turn.status is not Status.QUARANTINED
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

    def due_at(self, buffer: Buffer, since: int, now: int) -> int | None:
        """Return when a session is due, None where nothing makes it so.

        A time that a clock set back left ahead is none.
        """
        retries = [one.retry_at for one in buffer.set_aside.values()]
        turns = buffer.turns + len(buffer.released)
        if not turns and retries:
            return min(retries)
        at: int | None = None
        if buffer.high or 0 < self.turns <= turns or (self.minutes and since > now):
            at = now
        elif self.minutes:
            at = since + self.minutes * MINUTE
        retry_at = buffer.cursor.retry_at
        if at is not None and now < retry_at <= now + RETRY_MAX:
            at = max(at, retry_at)
        return min(retries if at is None else [*retries, at], default=None)


async def triggers(core: Core) -> Triggers:
    """Read the settings that say when turns are due."""
    return Triggers(*await settings.numbers(core, "note_turns", "note_minutes"))


async def list_pending_turns(core: Core, most: int | None = None) -> list[PendingTurns]:
    """List what waits, the oldest first; `most` looks at no more sessions than that, those with most to hear."""
    now = core.clock.now()
    pending = []
    all_ = await buffers(core)
    if not all_:  # each tick asks twice
        return []
    when = await triggers(core)
    if most is not None and len(all_) > most:
        all_ = sorted(all_, key=lambda one: (-one.high, -one.size))[:most]
    for buffer in all_:
        oldest = await next_turns(core, buffer, most=1)
        if oldest:  # else they are gone: undone or purged
            since = oldest[0].learned_at
            due_at = when.due_at(buffer, since, now)
            failures = max(buffer.cursor.failures, *(one.failures for one in buffer.set_aside.values()), 0)
            pending.append(
                PendingTurns(buffer.session, max(1, buffer.size), buffer.high, since, due_at, failures)
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
    releases: dict[str, dict[int, Cursor | None]] = {}
    for name, value in sorted(answer.values.items()):
        # A turn that was released has its session alone; one that waits behind the cursor its failures, too.
        of, tried = value, None
        if not isinstance(value, str):
            of, tried = value["session"], Cursor(None, value["failures"], value["retry_at"])
        releases.setdefault(of, {})[int(name.removeprefix(RELEASED))] = tried
    waits = {name.removeprefix(TURNS) for name, count in answer.counters.items() if name.startswith(TURNS)}
    sessions = sorted(waits | releases.keys()) if session is None else [session]
    if not sessions:
        return []
    query = Bookkeeping(core.clock.now(), get=tuple(map(cursor_key, sessions)))
    cursors = (await core.store.bookkeep(core.scope, query)).values
    return [_make_buffer(one, answer.counters, cursors, releases.get(one, {})) for one in sessions]


def encode_set_aside(turns: Iterable[Memory], now: int, tried: Cursor | None = None) -> dict[str, object]:
    """Return the values by which turns for which a writer gave no answer are tried again, each by itself."""
    failed = (tried or Cursor()).add_failure(now)
    return {
        released_key(turn.seq): {
            "session": turn.session or "",
            "failures": failed.failures,
            "retry_at": failed.retry_at,
        }
        for turn in turns
    }


def _make_buffer(
    session: str,
    counters: Mapping[str, int],
    cursors: Mapping[str, dict[str, int]],
    releases: Mapping[int, Cursor | None],
) -> Buffer:
    row = cursors.get(cursor_key(session))
    return Buffer(
        session,
        max(0, counters.get(TURNS + session, 0)),
        max(0, counters.get(HIGH + session, 0)),
        Cursor() if row is None else Cursor(**row),
        tuple(sorted(seq for seq, tried in releases.items() if tried is None)),
        {seq: tried for seq, tried in releases.items() if tried is not None},
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


async def next_turns(core: Core, buffer: Buffer, most: int, now: int | None = None) -> list[Memory]:
    """Return the oldest turns that wait: those that were released behind the cursor, then those above it.

    Where there are none, the turn that was set aside longest; with `now`, one whose time to be tried again has come.
    """
    cursor = buffer.cursor.seq or 0
    behind = [seq for seq in buffer.released if seq <= cursor][:most]
    first = [one for one in await core.store.get(core.scope, behind) if one is not None] if behind else []
    if len(first) == most:
        return first
    of = {"session": buffer.session or None}
    rest = most - len(first)
    above = Find(tags=(TURN,), equal=of, after=cursor, limit=rest, oldest_first=True)
    turns = [*first, *await core.store.find(core.scope, above)]
    if turns or not buffer.set_aside:
        return turns
    seq, tried = min(buffer.set_aside.items(), key=lambda one: (one[1].retry_at, one[0]))
    is_due = now is None or tried.retry_at <= now or tried.retry_at > now + RETRY_MAX
    return [one for one in await core.store.get(core.scope, [seq]) if one is not None] if is_due else []


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
