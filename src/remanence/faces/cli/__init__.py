"""The command line: `remanence VERB`, one command for each verb of the engine.

Knows where each command is; what they do is the engine's, what their answers look like is in `show`.
"""

import errno
import gc
import io
import os
import sys
from collections.abc import Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Annotated

from remanence.core.verbs import TABLE
from remanence.faces.cli.helping import ALL, HELP, list_commands, overview

if TYPE_CHECKING:
    from cyclopts import App

# The module of each command that has a verb's name; of a group of commands all are in one.
MODULES = {
    "chat": "chat",
    "commands": "ingest audit consolidate list history undo session",
    "demo": "demo",
    "files": "backup export import",
    "frame_commands": "frames",
    "hook": "hook",
    "mcp": "mcp",
    "plan_commands": "plan apply curate forecast policy run worker",
    "serve": "serve token",
    "store_commands": "copy move store",
    "verb_commands": "learn note recall frame get count links merge promote update correct rate tag link pin hold"
    " forget forbid forbidden restore status explain entities conversations review",
    "upkeep_commands": "doctor change-key reembed settings guide guidelines completion scopes erase mirror",
}
# They multiply no matrices: starting threads for that would be a twelfth of their CPU time.
ONE_TEXT = frozenset({"learn", "note"})
THREADS = "OPENBLAS_NUM_THREADS"
HOOK = "hook"
NOT_BLOCKING = 1  # by 2 a hook keeps its host from going on, which ours never does
COMPLETE = "__complete"  # what the script of a shell asks for the values of an option
TRACEBACK = "REMANENCE_TRACEBACK"
BROKEN_PIPE = 141  # 128 + SIGPIPE
NO_ROOM = frozenset(
    {errno.ENOSPC, errno.EFBIG, errno.EIO, errno.EROFS, getattr(errno, "EDQUOT", errno.ENOSPC)}
)


def main() -> None:
    """Run the command line; the entry point of the installed `remanence`."""
    # What is imported stays; to look for garbage in it would be a tenth of a short command. `opened` ends this.
    gc.disable()
    for stream in (sys.stdout, sys.stderr):
        # A terminal that can't show a sign gets its code instead of an exception.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    if not os.environ.get(TRACEBACK):
        sys.excepthook = _print_unexpected_error
    try:
        code = run(sys.argv[1:])
        sys.stdout.flush()
    except KeyboardInterrupt:
        from remanence.faces.cli.running import print_interruption

        code = print_interruption()
    except BrokenPipeError:
        # The interpreter flushes stdout once more at exit; it must not find the broken pipe there.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = BROKEN_PIPE
    except (MemoryError, RuntimeError, ImportError, OSError) as error:
        code = _refuse_for_machine(error)
    sys.exit(code)


def _refuse_for_machine(error: Exception) -> int:
    """Say what the machine lacks, and return the exit code; raise again what is no fault of the machine."""
    from remanence.core.errors import build_memory_refusal

    shortage = build_memory_refusal(error)
    if shortage is not None:
        from remanence.faces.cli.usage import print_refusal

        return print_refusal(shortage, json="--json" in sys.argv)
    if not isinstance(error, OSError) or error.errno not in NO_ROOM:
        raise error
    _refuse_output(error)
    return 1


def _refuse_output(error: OSError) -> None:
    """Say that what was printed did not arrive; what a command writes to files or the store says so itself."""
    from remanence.faces.cli.usage import complain

    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    complain(f"the answer could not be written: {error.strerror}", "make room where it goes, and ask again")


def _print_unexpected_error(
    kind: type[BaseException], error: BaseException, _trace: TracebackType | None
) -> None:
    from remanence.core.errors import build_memory_refusal
    from remanence.faces.cli.usage import complain, print_refusal

    shortage = build_memory_refusal(error)
    if shortage is not None:  # where it ran out once more while that was said
        print_refusal(shortage, json=False)
        return
    complain(f"{kind.__name__}: {error}", f"set {TRACEBACK}=1 to see where, and report it")


def run(words: Sequence[str]) -> int:
    """Run one command line, and return its exit code."""
    if HELP.issuperset(words):
        print(overview())
        return 0
    if list(words) == [ALL]:
        print(list_commands())
        return 0
    if list(words) == ["--version"]:
        from remanence.faces.cli.format_versions import describe_versions

        print(describe_versions())
        return 0
    if not ONE_TEXT.isdisjoint(words[:1]):
        os.environ.setdefault(THREADS, "1")
    from cyclopts import CycloptsError

    from remanence.faces.cli import usage
    from remanence.faces.cli.options import STREAM
    from remanence.faces.cli.running import launch

    if words and words[0] == COMPLETE:
        tree()(words, result_action="return_value")
        return 0
    try:
        code = launch(tree(), [STREAM if word == "-" else word for word in words])
    except (CycloptsError, usage.WrongUsage) as error:
        code = usage.print_usage_error(error, words)
    return min(code, NOT_BLOCKING) if HOOK in words[:1] else code


def tree() -> "App":
    """Return all commands; a module is imported when one of its commands runs."""
    from cyclopts import App, Parameter

    from remanence.faces.cli.options import PLAIN, Common

    app = App("remanence", default_parameter=PLAIN, help_flags=(), version_flags=())
    places = {word: module for module, words in MODULES.items() for word in words.split()}
    commands = {row.command for row in TABLE}
    for row in (row for row in TABLE if row.command):
        group, _, name = row.command.rpartition(" ")
        if group in commands - {""}:  # a command that brings its own
            continue
        if group and group not in app:
            app.command(App(group, help_flags=(), version_flags=()))
        function = row.command.replace(" ", "_").replace("-", "_") + (
            "_" if row.command in {"import", "list"} else ""
        )
        place = f"{__name__}.{places[group or name]}:{function}"
        (app[group] if group else app).command(place, name=name, help=row.summary)

    # What help and completion know of the options of every command; `launch` reads them by itself, eight times faster.
    @app.meta.default
    def common_first(
        *words: Annotated[str, Parameter(show=False, allow_leading_hyphen=True)], common: Common = Common()
    ) -> None: ...

    return app
