"""The commands about sessions: one process begins, others learn in it with `--session`, any may end it.

Knows ids; must not know how a session is kept.
"""

from typing import Annotated, Any

from cyclopts import Parameter

from remanence.core.errors import InvalidInput, NotFound
from remanence.faces.cli.options import Memory
from remanence.faces.undoable import Undoable


async def begin_session(
    *,
    memory: Memory,
    task_type: Annotated[str, Parameter(name="--task", help="What sort of work it is.")] = "general",
) -> Any:
    session = await memory.begin_session(task_type, heartbeats=False)
    return Undoable({"session": session}, f"remanence end-session {session}")


async def end_session(
    session: Annotated[
        str | None,
        Parameter(metavar="ID", help="As `begin-session` printed it; the one that is open if absent."),
    ] = None,
    /,
    *,
    memory: Memory,
) -> Any:
    session = session or await _open_one(memory)
    return {"session": session, "hours": round(await memory.end_session(session), 4)}


async def _open_one(memory: Memory) -> str:
    """Name the only open session that no process keeps alive by itself."""
    found = [one.id for one in (await memory.status()).sessions if one.every is None]
    if not found:
        raise NotFound("no session is open", recovery="begin one with `remanence begin-session`")
    if len(found) > 1:
        raise InvalidInput(f"{len(found)} sessions are open", recovery=f"name one: {', '.join(found)}")
    return found[0]
