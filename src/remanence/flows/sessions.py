"""Sessions: a stretch of work with a name, which the texts learned in it carry. Kept as bookkeeping, not as memory."""

from remanence.clock import HOUR
from remanence.errors import NotFound
from remanence.flows.core import Core, check_name
from remanence.store.base import Bookkeeping


async def begin(core: Core, task_type: str) -> str:
    """Begin a session unless one is open, and return its id."""
    check_name("a task type", task_type)
    if core.session is not None:
        return core.session
    session = core.new_id()
    now = core.clock.now()
    row = {"task_type": task_type, "started_at": now, "agent": core.agent, "ended_at": None}
    await core.store.bookkeep(core.scope, Bookkeeping(now, put={f"session/{session}": row}))
    core.session = session
    return session


async def end(core: Core, session: str | None) -> float:
    """End a session, or the open one, and return its length in hours; 0.0 where none is open."""
    ended = session if session is not None else core.session
    if ended is None:
        return 0.0
    name = f"session/{ended}"
    now = core.clock.now()
    booked = await core.store.bookkeep(core.scope, Bookkeeping(now, get=(name,)))
    row = booked.values.get(name)
    if row is None:
        raise NotFound(f"no session {ended!r} in scope {core.scope!r}", recovery="pass the id that begin returned")
    if row["ended_at"] is None:
        row = {**row, "ended_at": now}
        await core.store.bookkeep(core.scope, Bookkeeping(now, put={name: row}))
    if ended == core.session:
        core.session = None
    return max(0.0, (int(row["ended_at"]) - int(row["started_at"])) / HOUR)
