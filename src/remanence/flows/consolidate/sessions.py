"""Sessions: a piece of work with a name, which the texts learned in it carry. Kept as bookkeeping, not as memory.

Their time is what the clock of active hours counts. A session whose engine keeps its heart beating counts as it goes
along; one that was begun to outlive its process counts as a whole when it is ended.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from remanence.core.arguments import check_name
from remanence.core.clock import DAY, HOUR
from remanence.core.errors import NotFound, format_value
from remanence.core.receipt import AutomaticRun
from remanence.core.results import Result, Time, minute_of, visible
from remanence.flows.base import session_heartbeat
from remanence.flows.base.context import Core, Pulse
from remanence.flows.base.session_heartbeat import OPEN, heartbeat_key, session_key
from remanence.flows.consolidate import boxes, consolidation, extract_pending
from remanence.flows.curate import scheduling
from remanence.gate.screening import refuse_secret
from remanence.store.base import Bookkeeping

HEARTBEAT_S = 60  # between two counts of an open session's time: a crash loses no more; ours
SILENT_MAX = DAY  # a machine that slept overnight finds its session as it left it; later nobody comes back


@dataclass(frozen=True, slots=True, repr=False)
class OpenSession(Result):
    """An open session: since when, for what, counted until when; `every` is None where no heart beats."""

    id: str
    task_type: str
    started_at: int
    agent: str | None
    every: int | None
    counted_until: int

    started_time = Time("started_at")
    counted_until_time = Time("counted_until")

    def __str__(self) -> str:
        return visible(f"{self.id} {self.task_type}, begun {minute_of(self.started_at)}")


async def begin(core: Core, task_type: str, *, heartbeats: bool = True) -> str:
    """Begin a session unless one is open, after the curation that is due, and return its id."""
    check_name("a task type", task_type)
    refuse_secret(core.salt, "task type", task_type)
    async with core.gate:
        await session_heartbeat.beat(core)
        if core.session is not None:
            return core.session
        # Sessions of engines that are gone end at their last beat; one without beats waits for its end.
        for forsaken in await list_open_sessions(core):
            if forsaken.every is not None and core.clock.now() - forsaken.counted_until > SILENT_MAX:
                await _close_session(core, forsaken.id)
        await core.watch.look()
        await scheduling.keep(core, "curate", scheduling.curate)
        every = HEARTBEAT_S if heartbeats else None
        session, now = core.new_id(), core.clock.now()
        row = {
            "task_type": task_type,
            "started_at": now,
            "agent": core.agent,
            "every": every,
            "ended_at": None,
        }
        put = {session_key(session): row, heartbeat_key(session): now}
        await core.store.bookkeep(core.scope, Bookkeeping(now, put=put, cover=(now, now)))
        session_heartbeat.start(core, Pulse(session, every, now))
        return session


async def end(core: Core, session: str | None) -> float:
    """End a session, or the open one, make its inbox active, and return its length in hours; 0.0 where none is open."""
    async with core.gate:
        session_name = session if session is not None else core.session
        if session_name is None:
            return 0.0
        hours, was_open = await _close_session(core, session_name)
    await scheduling.keep(core, "extract", lambda core: extract_pending.rest(core, [session_name]))
    await scheduling.keep(core, "box", lambda core: boxes.seal(core, session_name))
    if was_open:
        await scheduling.keep(core, "consolidate", _activate_inbox)
    return hours


async def leave(core: Core) -> None:
    """End the open session as its engine closes, unless it is to outlive it; the inbox waits."""
    async with core.gate:
        try:
            if core.pulse is not None and core.pulse.every is not None:
                await _close_session(core, core.pulse.session)
        finally:
            await session_heartbeat.stop(core)


@asynccontextmanager
async def hold_session(core: Core, task_type: str) -> AsyncIterator[str]:
    """Keep a session open for a block; within an open one that goes on, and outlasts the block."""
    outer = core.session
    try:
        yield await begin(core, task_type)
    finally:
        if outer is None:
            await end(core, None)


async def list_open_sessions(core: Core) -> list[OpenSession]:
    """List the open sessions of the scope, the newest first."""
    now = core.clock.now()
    marks = (await core.store.bookkeep(core.scope, Bookkeeping(now, under=(OPEN,)))).values
    if not marks:
        return []
    names = {session_key(name.removeprefix(OPEN)): until for name, until in marks.items()}
    rows = (await core.store.bookkeep(core.scope, Bookkeeping(now, get=tuple(names)))).values
    sessions = [
        OpenSession(
            id=name.removeprefix("session/"),
            task_type=row["task_type"],
            started_at=row["started_at"],
            agent=row["agent"],
            every=row["every"],
            counted_until=names[name],
        )
        for name, row in rows.items()
        if row["ended_at"] is None
    ]
    return sorted(sessions, key=lambda session: session.started_at, reverse=True)


async def _close_session(core: Core, session: str) -> tuple[float, bool]:
    """Count the rest of a session and write its end; return its hours, and whether it was open."""
    if session == core.session:
        await session_heartbeat.beat(core)
    now = core.clock.now()
    names = (session_key(session), heartbeat_key(session))
    books = await core.store.bookkeep(core.scope, Bookkeeping(now, get=names))
    row = books.values.get(session_key(session))
    if row is None:
        raise NotFound(
            f"no session {format_value(session)} in scope {core.scope!r}",
            recovery="pass the id that begin returned",
        )
    was_open = row["ended_at"] is None
    if was_open:
        since = books.values.get(heartbeat_key(session), row["started_at"])
        every = row["every"]
        is_lost = (
            session != core.session
            and every is not None
            and session_heartbeat.has_missed_beats(every, now - since)
        )
        row = {**row, "ended_at": since if is_lost else max(since, now)}
        put = {session_key(session): row, heartbeat_key(session): None}
        await core.store.bookkeep(core.scope, Bookkeeping(now, put=put, cover=(since, row["ended_at"])))
    if session == core.session:
        await session_heartbeat.stop(core)
    return max(0.0, (row["ended_at"] - row["started_at"]) / HOUR), was_open


async def _activate_inbox(core: Core) -> AutomaticRun | None:
    """Make the inbox active, or as much of it as may be done in one go; the rest is counted by `status`."""
    done = await consolidation.consolidate(core, None, consolidation.ACTIVATED_MAX)
    return consolidation.build_consolidate_outcome(core, done)
