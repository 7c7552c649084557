"""The command that says when to use which verb.

Knows where the advice is kept; must not know any verb itself.
"""

from typing import Annotated, Any

import typer

from remanence.faces.cli.running import tool


def add(app: typer.Typer) -> None:
    """Give an app the command of this module."""
    tool(app)(guide)


def guide(
    verb: Annotated[
        str | None, typer.Argument(metavar="[VERB]", help="All verbs in a line each if absent.")
    ] = None,
    agents: Annotated[
        bool, typer.Option("--agents", help="Print a text to paste into an agent's instructions.")
    ] = False,
) -> Any:
    """Say when to use a verb, what it costs and returns, and what comes next."""
    from remanence import guide as told

    return told.FOR_AGENTS if agents else told.guide(verb)
