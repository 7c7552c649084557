"""The command line: `remanence VERB`, one command for each verb of the engine.

Knows where each command is; what they do is the engine's, what their answers look like is in `show`.
"""

import io
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

from remanence._version import __version__
from remanence.faces.cli.overview import HELP, overview
from remanence.verbs import TABLE

if TYPE_CHECKING:
    from cyclopts import App

# The module of each command that has a verb's name; of a group of commands all are in one.
MODULES = {
    "commands": "learn ingest put consolidate recall get list links contradictions update correct supersede confirm"
    " rate dispute tag untag link unlink resolve pin unpin hold release forget restore history undo status",
    "files": "backup export import",
    "frame_commands": "frame boot frames",
    "mcp": "mcp",
    "plan_commands": "plan apply curate explain",
    "policies": "policy",
    "session_commands": "session",
    "upkeep": "doctor compact settings accept-clock guide",
}


def main() -> None:
    """Run the command line; the entry point of the installed `remanence`."""
    for stream in (sys.stdout, sys.stderr):
        # A terminal that can't show a sign gets its code instead of an exception.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    try:
        code = run(sys.argv[1:])
    except KeyboardInterrupt:
        from remanence.faces.cli.running import interrupted

        code = interrupted()
    sys.exit(code)


def run(words: Sequence[str]) -> int:
    """Run one command line, and return its exit code."""
    if HELP.issuperset(words):
        print(overview())
        return 0
    if list(words) == ["--version"]:
        print(f"remanence {__version__}")
        return 0
    from cyclopts import CycloptsError

    from remanence.faces.cli import usage
    from remanence.faces.cli.options import STREAM

    given = [STREAM if word == "-" else word for word in words]

    try:
        code: int = tree().meta(given, print_error=False, exit_on_error=False, result_action="return_value")
    except CycloptsError as error:
        return usage.wrong(error, words)
    return code


def tree() -> "App":
    """Return all commands; a module is imported when one of its commands runs."""
    from cyclopts import App, Parameter

    from remanence.faces.cli.options import Common
    from remanence.faces.cli.running import launch

    plain = Parameter(negative=(), negative_iterable=(), allow_repeating=True)
    app = App("remanence", default_parameter=plain, help_flags=(), version_flags=())
    places = {word: module for module, words in MODULES.items() for word in words.split()}
    for row in (row for row in TABLE if row.command):
        group, _, name = row.command.rpartition(" ")
        if group and group not in app:
            app.command(App(group, help_flags=(), version_flags=()))
        function = name.replace("-", "_") + "_" * (name in {"import", "list"})
        place = f"{__name__}.{places[group or name]}:{function}"
        (app[group] if group else app).command(place, name=name, help=row.summary)

    @app.meta.default
    def common_first(
        *words: Annotated[str, Parameter(show=False, allow_leading_hyphen=True)], common: Common = Common()
    ) -> int:
        return launch(app, words, common)

    return app
