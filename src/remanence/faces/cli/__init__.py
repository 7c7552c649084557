"""The command line: `remanence VERB`, one command for each verb of the engine.

Knows which commands there are; what they do is the engine's, what their answers look like is in `show`.
"""

import io
import sys

import typer

from remanence.faces.cli import (
    commands,
    files,
    frame_commands,
    guiding,
    mcp,
    plan_commands,
    policies,
    session_commands,
    upkeep,
)
from remanence.faces.cli.running import INTERRUPTED, interrupted, outer

app = typer.Typer(
    name="remanence",
    help="A memory for agents: take conversations in, recall, curate by a policy, explain, take back.",
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)
outer(app)
commands.add(app)
plan_commands.add(app)
files.add(app)
frame_commands.add(app)
guiding.add(app)
mcp.add(app)
policies.add(app)
session_commands.add(app)
upkeep.add(app)


def main() -> None:
    """Run the command line; the entry point of the installed `remanence`."""
    for stream in (sys.stdout, sys.stderr):
        # A terminal that can't show a sign gets its code instead of an exception.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    try:
        app()
    except KeyboardInterrupt:
        interrupted()
        sys.exit(INTERRUPTED)
