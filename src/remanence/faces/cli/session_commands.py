"""The commands about sessions: one process begins, others learn in it with `--session`, any may end it.

Knows ids; must not know how a session is kept.
"""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from remanence.faces.cli.running import verb

if TYPE_CHECKING:
    from remanence.engine import Engine


def add(app: typer.Typer) -> None:
    """Give an app the group `session`."""
    group = typer.Typer(help="Begin and end sessions.", no_args_is_help=True, rich_markup_mode=None)
    verb(group, makes=True)(begin)
    verb(group)(end)
    app.add_typer(group, name="session")


async def begin(
    memory: "Engine",
    task_type: Annotated[str, typer.Option("--task", help="What sort of work it is.")] = "general",
) -> Any:
    """Begin a session, after the curation that is due; learn in it with `learn --session ID`."""
    return {"session": await memory.begin_session(task_type, heartbeats=False)}


async def end(
    memory: "Engine", session: Annotated[str, typer.Argument(metavar="ID", help="As `begin` printed it.")]
) -> Any:
    """End a session, make the inbox active, and say how long it was."""
    return {"session": session, "hours": round(await memory.end_session(session), 4)}
