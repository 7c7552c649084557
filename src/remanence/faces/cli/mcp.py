"""The command that serves a memory to an agent.

Knows the options; the protocol, its library and the tools are in `faces.mcp`, imported when it runs.
"""

import asyncio
from importlib.util import find_spec
from typing import Annotated, Any

import typer

from remanence.errors import NotFound
from remanence.faces.cli.options import Common
from remanence.faces.cli.running import database, server


def add(app: typer.Typer) -> None:
    """Give an app the command of this module."""
    server(app)(mcp)


def mcp(
    common: Common,
    path: Annotated[
        str | None, typer.Argument(metavar="[PATH]", help="The database file, as --db names it.")
    ] = None,
    allow_curation: Annotated[
        bool, typer.Option("--allow-curation", help="Offer forget, apply and undo too.")
    ] = False,
) -> Any:
    """Serve a memory to an agent over standard input and output (Model Context Protocol)."""
    if find_spec("mcp") is None:
        raise NotFound("the extra `mcp` is not installed", recovery="pip install 'remanence[mcp]'")
    from remanence.faces.mcp.server import serve

    asyncio.run(
        serve(
            str(database(common)) if path is None else path,
            scope="default" if common.scope is None else common.scope,
            agent=common.agent,
            policy=common.policy,
            allow_curation=allow_curation,
        )
    )
    raise typer.Exit
