"""How a function becomes a command: its options laid flat, the memory opened, the answer printed, errors in a line.

Knows the command line and how an engine is opened; must not know any single verb.
"""

import asyncio
import inspect
import os
import sys
from collections.abc import Callable, Coroutine, Mapping
from contextlib import suppress
from dataclasses import dataclass, fields, is_dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from remanence._version import __version__
from remanence.arguments import check_path
from remanence.errors import Conflict, NotFound, RemanenceError, StoreError
from remanence.faces.cli.options import DATABASE, Common

if TYPE_CHECKING:
    from remanence.store.base import Store

INTERRUPTED = 130  # 128 + SIGINT, as shells expect
BROKEN_PIPE = 141  # 128 + SIGPIPE
TRACEBACK = "REMANENCE_TRACEBACK"

Verb = Callable[..., Coroutine[Any, Any, Any]]


@dataclass(frozen=True, slots=True)
class Parts:
    """The parameters of a verb: which of them are groups of options, and the flat list a command line offers."""

    groups: Mapping[str, type]
    flat: tuple[inspect.Parameter, ...]


def verb(app: typer.Typer, name: str | None = None, *, makes: bool = False) -> Callable[[Verb], Verb]:
    """Make a command of `async def f(memory, …)`; only one that `makes` creates a database that is not there."""

    def register(function: Verb) -> Verb:
        def run(common: Common, given: Mapping[str, Any]) -> Any:
            return _run(function, common, given, makes=makes)

        _add(app, name, function, _parts(function, 1), run)
        return function

    return register


def look(app: typer.Typer) -> Callable[[Verb], Verb]:
    """Make a command that looks at a memory which may be missing or broken: it answers with checks in any case."""

    def register(function: Verb) -> Verb:
        def run(common: Common, given: Mapping[str, Any]) -> Any:
            from remanence.flows.checks import absent, broken

            path = database(common)
            if not path.exists():
                return [absent(str(path))]
            try:
                return _run(function, common, given, makes=False)
            except StoreError as error:
                return [broken(error)]

        _add(app, None, function, _parts(function, 1), run)
        return function

    return register


def tool(app: typer.Typer, name: str | None = None) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Make a command of a function that needs no memory."""

    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        _add(app, name, function, _parts(function, 0), lambda _, given: function(**given))
        return function

    return register


def server(app: typer.Typer) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Make a command of `def f(common, …)`, which opens the memory itself."""

    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        _add(app, None, function, _parts(function, 1), lambda common, given: function(common, **given))
        return function

    return register


def outer(app: typer.Typer) -> None:
    """Let the common options stand before the name of a command too, and add --version."""

    def callback(context: typer.Context, **given: Any) -> None:
        if given.pop("version"):
            print(f"remanence {__version__}")
            raise typer.Exit
        context.obj = _common(given)
        if context.invoked_subcommand is None:
            print(context.get_help())

    version = Annotated[bool, typer.Option("--version", help="Print the version.")]
    flat = (inspect.Parameter("version", inspect.Parameter.KEYWORD_ONLY, default=False, annotation=version),)
    _disguise(callback, outer, Parts({}, (*flat, *_options(Common))))
    callback.__doc__ = None
    app.callback(invoke_without_command=True)(callback)


def _add(
    app: typer.Typer,
    name: str | None,
    function: Callable[..., Any],
    parts: Parts,
    run: Callable[[Common, Mapping[str, Any]], Any],
) -> None:
    def command(context: typer.Context, **given: Any) -> None:
        common = _common(given).over(context.find_root().obj or Common())
        answer(common, lambda: run(common, _grouped(parts, given)))

    _disguise(command, function, parts)
    app.command(name or function.__name__.rstrip("_").replace("_", "-"))(command)


def answer(common: Common, work: Callable[[], Any]) -> None:
    """Do the work and print its answer; whatever goes wrong becomes one line and an exit code."""
    try:
        _print(work(), common)
    except RemanenceError as error:
        _complain(error, common)
        raise typer.Exit(1) from None
    except KeyboardInterrupt as stop:
        interrupted(str(stop))
        raise typer.Exit(INTERRUPTED) from None
    except BrokenPipeError:
        # The interpreter flushes stdout once more at exit; it must not find the broken pipe there.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise typer.Exit(BROKEN_PIPE) from None
    except typer.Exit:
        raise
    except Exception as error:
        if os.environ.get(TRACEBACK):
            raise
        print(f"error: {type(error).__name__}: {error}", file=sys.stderr)
        print(f"  → set {TRACEBACK}=1 to see where, and report it", file=sys.stderr)
        raise typer.Exit(1) from None


class Interrupted(KeyboardInterrupt):
    """Somebody pressed Ctrl-C; says how far the work had come, and how it goes on."""


def interrupted(how_far: str = "") -> None:
    """Say that the work was cut short, and in which state that leaves the memory."""
    print(f"interrupted: {how_far or 'what was written is complete, nothing is half done'}", file=sys.stderr)


def database(common: Common) -> Path:
    """Return the path of the database that the options or the environment name; an empty variable names none."""
    path = (os.environ.get("REMANENCE_DB") or DATABASE) if common.db is None else common.db
    check_path(path)
    return Path(path)


def _run(function: Verb, common: Common, given: Mapping[str, Any], *, makes: bool) -> Any:
    path = database(common)
    if path.exists():
        return asyncio.run(_opened(function, common, given))
    if not makes:
        raise NotFound(
            f"no database {path}", recovery="make one with `ingest` or `learn`, or name yours with --db"
        )
    return asyncio.run(_made(function, common, given))


async def _made(function: Verb, common: Common, given: Mapping[str, Any]) -> Any:
    """Do a verb on a file that is not there yet; where it is refused, none is made."""
    from remanence.store.rehearsal import Accepted, Rehearsal

    with suppress(Accepted):
        await _opened(function, common, given, Rehearsal())
    return await _opened(function, common, given)


async def _opened(
    function: Verb, common: Common, given: Mapping[str, Any], store: "Store | None" = None
) -> Any:
    from remanence.opening import open as open_memory

    scope = "default" if common.scope is None else common.scope
    async with open_memory(
        str(database(common)), scope=scope, agent=common.agent, policy=common.policy, store=store
    ) as memory:
        return await function(memory, **given)


def _print(result: Any, common: Common) -> None:
    from remanence.faces.cli import show

    if common.json:
        print(show.document(result))
    else:
        show.write(result)
    sys.stdout.flush()
    if not show.is_well(result):
        raise typer.Exit(1)


def _complain(error: RemanenceError, common: Common) -> None:
    from remanence.faces.cli import show

    print(f"error: {show.safe(str(error))}\n  → {show.safe(error.recovery)}", file=sys.stderr)
    if common.json:
        told: dict[str, Any] = {
            "error": type(error).__name__,
            "message": str(error),
            "recovery": error.recovery,
        }
        if isinstance(error, Conflict) and error.expected is not None:
            told |= {"expected": error.expected, "current": error.current}
        print(show.document(told))


def _parts(function: Callable[..., Any], skipped: int) -> Parts:
    """Read a function's parameters after the first `skipped`: for a verb that is the engine."""
    groups: dict[str, type] = {}
    flat: list[inspect.Parameter] = []
    for parameter in list(inspect.signature(function).parameters.values())[skipped:]:
        if isinstance(parameter.annotation, type) and is_dataclass(parameter.annotation):
            groups[parameter.name] = parameter.annotation
            flat += _options(parameter.annotation)
        else:
            flat.append(parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY))
    return Parts(groups, (*flat, *_options(Common)))


def _options(group: Any) -> list[inspect.Parameter]:
    hints = inspect.get_annotations(group)
    return [
        inspect.Parameter(
            one.name, inspect.Parameter.KEYWORD_ONLY, default=one.default, annotation=hints[one.name]
        )
        for one in fields(group)
    ]


def _common(given: dict[str, Any]) -> Common:
    return Common(**{one.name: given.pop(one.name) for one in fields(Common)})


def _grouped(parts: Parts, given: dict[str, Any]) -> dict[str, Any]:
    grouped: dict[str, Any] = {
        name: group(**{one.name: given.pop(one.name) for one in fields(group)})
        for name, group in parts.groups.items()
    }
    return {**given, **grouped}


def _disguise(command: Callable[..., None], function: Callable[..., Any], parts: Parts) -> None:
    """Give the command the name, the help and the parameters that typer reads."""
    context = inspect.Parameter("context", inspect.Parameter.POSITIONAL_OR_KEYWORD, annotation=typer.Context)
    command.__name__, command.__doc__ = function.__name__, function.__doc__
    command.__signature__ = inspect.Signature([context, *parts.flat])  # type: ignore[attr-defined]
    command.__annotations__ = {one.name: one.annotation for one in (context, *parts.flat)}
