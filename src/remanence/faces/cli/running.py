"""How a command runs: the memory opened, the answer printed, errors in two lines and an exit code.

Knows how an engine is opened; must not know any single command.
"""

import asyncio
import gc
import os
import sys
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, contextmanager, suppress
from inspect import isawaitable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from remanence.core.arguments import check_path
from remanence.core.errors import InvalidInput, NotFound, RemanenceError, StoreError
from remanence.core.keywords import Progress, TrustName
from remanence.core.permissions import Capability
from remanence.faces.cli.helping import HELP, page
from remanence.faces.cli.keys import read_key
from remanence.faces.cli.options import DATABASE, Common
from remanence.faces.cli.usage import (
    WRONG,
    complain,
    print_refusal,
    refuse_misplaced_dash,
    split_common_options,
)
from remanence.faces.style import Text, counting, write_lines
from remanence.store.address import exists, is_address

if TYPE_CHECKING:
    from cyclopts import App

    from remanence.engine import Engine
    from remanence.flows.base.opening_checks import Answer, NewScope
    from remanence.flows.base.tracing import Tracer
    from remanence.store.base import Store

INTERRUPTED = 130  # 128 + SIGINT, as shells expect
# A database that is not there.
MAKING = frozenset({"ingest", "learn", "note", "chat", "hook", "import", "session"})
# What makes a scope that is not there besides, or is about the whole file; all others are refused in one.
ANY_SCOPE = MAKING | {
    "doctor",
    "scopes list",
    "backup",
    "reembed",
    "policy use",
    "run",
}
ANY_SCOPE |= {"token add", "token list", "token end"}
ANY_SCOPE |= {"frames set"}
# What would have changed a memory: where it is refused, `undo last` takes back nothing older.
CHANGING = frozenset(
    "learn note ingest import consolidate update correct rate tag link pin hold forget forbid restore apply curate"
    " entities erase mirror settings frames guidelines reembed merge promote".split()
) | {
    "policy use",
    "review settle",
    "run",
    "scopes copy",
    "scopes drop",
}
DRY = "--dry-run"
TALKING = "chat"  # reads as it goes along, so it cannot be tried first


class Interrupted(KeyboardInterrupt):
    """Somebody pressed Ctrl-C; says how far the work had come, and how it goes on."""


@contextmanager
def counting_until_stopped(what: str, done: str, rest: str) -> Iterator[Progress]:
    """Show how far a verb has come; who presses Ctrl-C is told how much is `done`, and what becomes of the `rest`."""
    count = total = 0

    def hear(some: int, of: int) -> None:
        nonlocal count, total
        count, total = some, of
        if shown is not None:
            shown(some, of)

    with counting(what) as shown:
        try:
            yield hear
        except asyncio.CancelledError:  # what was being committed then is whole as well
            so_far = f"at least {count:,} of {total:,} {done}; " if count else ""
            raise Interrupted(f"{so_far}{rest}") from None


def launch(app: "App", line: Sequence[str]) -> int:
    """Run the command that a line of words names, and return its exit code."""
    words, common = split_common_options(line)
    front = words[: words.index("--")] if "--" in words else words
    if not words or not HELP.isdisjoint(front):
        named = [word for word in front if word not in HELP]
        if named and not app.parse_commands(named)[0]:  # raises that there is no such command
            app.parse_args(named, print_error=False, exit_on_error=False)
        print(page(app, named))
        return 0
    command, bound, extras = app.parse_args(words, print_error=False, exit_on_error=False)
    if command == app.help_print:
        print(page(app, words))
        return 0
    if refuse_misplaced_dash(bound.arguments.values()):
        return WRONG
    if common.as_agent and common.agent is None:
        complain(
            "--as-agent names no agent", "name it: --agent NAME; it takes back what it did under that name"
        )
        return WRONG
    policy = bound.arguments.get("policy")
    if common.as_agent and policy is not None and not _is_preset(policy):
        complain(
            "--as-agent chooses no policy of its own",
            "name a preset, or ask the user: remanence policy use",
        )
        return WRONG

    rest = dict.fromkeys(extras.keys() - {"memory"}, common)

    def work() -> Any:
        if "memory" in extras:
            names = words[0], " ".join(words[:2])
            makes = not MAKING.isdisjoint(names) and not bound.arguments.get("off")
            return _with_memory(
                lambda memory: command(*bound.args, **bound.kwargs, **rest, memory=memory),
                common,
                makes=makes,
                dry=makes and DRY in front,
                name=names[1] if names[1] in CHANGING else names[0],
                erased_since="look"
                if names[0] == "status" or _settles_since(names, bound.arguments)
                else "refuse",
                new_scope="make" if _makes_scope(names, bound.arguments) else "refuse",
            )
        return command(*bound.args, **bound.kwargs, **rest)

    return run_and_print(common, work)


def _makes_scope(names: Sequence[str], arguments: Mapping[str, Any]) -> bool:
    """True if a command may begin a scope: nothing that only reads does, so that a mistyped name is told."""
    sets_something = any(arguments.get(name) is not None for name in ("value", "load"))
    if (names[0] == "settings" and sets_something) or (names[0] == "guidelines" and arguments.get("lines")):
        return True
    if _settles_since(names, arguments):
        return True
    if names[0] == "run" and arguments.get("once"):
        return bool(getattr(arguments.get("one"), "all_scopes", False))
    if not {"session", "policy use", "frames set"}.isdisjoint(names) and arguments.get("off"):
        return False
    return (names[1] == "review settle" and arguments.get("item") == "clock") or not ANY_SCOPE.isdisjoint(
        names
    )


def _settles_since(names: Sequence[str], arguments: Mapping[str, Any]) -> bool:
    """True if a command works on a file that holds what was erased since it was copied: it shows or settles that."""
    if names[1] == "erase settle":
        return arguments.get("keep") is not None
    return names[0] == "erase" and arguments.get("since") is True


def run_and_print(common: Common, work: Callable[[], Any]) -> int:
    """Do the work, print its answer and return the exit code; what is refused is said in two lines."""
    try:
        answer = work()
        return _print(asyncio.run(_await_answer(answer)) if isawaitable(answer) else answer, common)
    except RemanenceError as error:
        return print_refusal(error, json=common.json)
    except KeyboardInterrupt as stop:
        return print_interruption(str(stop))


def print_interruption(how_far: str = "") -> int:
    """Say that the work was cut short, and in which state that leaves the memory."""
    state = how_far or "what was written is complete, nothing is half done"
    write_lines([Text(f"interrupted: {state}")], sys.stderr)
    return INTERRUPTED


def database(common: Common) -> str:
    """Return the path or address of the database that the options or the environment name; "" there names none."""
    path = (os.environ.get("REMANENCE_DB") or DATABASE) if common.db is None else common.db
    if not is_address(path):
        check_path(path)
    return path


async def _rehearse_verb(verb: Callable[["Engine"], Awaitable[Any]], common: Common) -> None:
    """Do a verb where nothing is kept: where it is refused, no file is made."""
    from remanence.faces.cli.rehearsal import Accepted, Rehearsal

    with suppress(Accepted):
        async with open_engine(common, Rehearsal()) as memory:
            await verb(memory)


async def _with_memory(
    verb: Callable[["Engine"], Awaitable[Any]],
    common: Common,
    *,
    makes: bool,
    dry: bool,
    name: str,
    erased_since: "Answer",
    new_scope: "NewScope",
) -> Any:
    """Do a verb on the memory; only one that `makes` creates a database that is not there, after it was tried.

    A `dry` one looks into an empty memory there, and where there is no such scope. Where one that changes something is
    refused, the memory remembers it.
    """
    path = database(common)
    is_there = _find_file(path)
    if not is_there and (common.read_only or not makes):
        raise NotFound(
            f"no database {path}",
            recovery="make one with `ingest` or `learn`, or name yours with --db",
        )
    if dry and not common.read_only and not (is_there and await _has_scope(common)):
        from remanence.store.sqlite.driver import IN_MEMORY
        from remanence.store.sqlite.sqlite_store import SqliteStore

        async with open_engine(common, SqliteStore(IN_MEMORY)) as memory:
            return await verb(memory)
    if not is_there and name != TALKING:
        await _rehearse_verb(verb, common)
    is_done = False
    try:
        async with open_engine(common, erased_since=erased_since, new_scope=new_scope) as memory:
            result = await _do_verb(verb, memory, name, dry=dry)
            is_done = True
            return result
    except asyncio.CancelledError:
        if not is_done:
            raise
        raise Interrupted(f"{name} is done, only its answer was not printed") from None


async def _do_verb(
    verb: Callable[["Engine"], Awaitable[Any]], memory: "Engine", name: str, *, dry: bool
) -> Any:
    try:
        result = await verb(memory)
    except RemanenceError:
        if not dry:
            await _note_refusal(memory, name)
        raise
    if getattr(result, "status", None) == "gated":
        await _note_refusal(memory, name)
    return result


async def _has_scope(common: Common) -> bool:
    """Tell whether anybody ever wrote to the scope that the options name."""
    try:
        async with open_engine(common, new_scope="refuse"):
            return True
    except NotFound:
        return False


def _find_file(path: str) -> bool:
    try:
        return exists(path)
    except OSError as error:
        raise InvalidInput(
            f"{path} cannot be opened: {error.strerror}", recovery="check the path, or name another file"
        ) from error


async def _note_refusal(memory: "Engine", name: str) -> None:
    from remanence.flows.undo import runs

    if name in CHANGING:
        with suppress(StoreError):  # in a file that cannot be written nothing is taken back
            await runs.note_refusal(memory._core, name)  # noqa: SLF001 # a part of a command's own work, no verb


def _is_preset(policy: str) -> bool:
    from remanence.curate.policy.document import PRESETS

    return policy in PRESETS


def open_engine(
    common: Common,
    store: "Store | None" = None,
    trust: TrustName = "user",
    erased_since: "Answer" = "refuse",
    new_scope: "NewScope" = "make",
    tracer: "Tracer | None" = None,
    denies: Sequence[Capability] = (),
    policy: str | None = None,
) -> AbstractAsyncContextManager["Engine"]:
    """Open the memory that the options name."""
    from remanence.opening import open as open_memory

    if not gc.isenabled():
        gc.freeze()  # what is imported by now is never looked through
        gc.enable()
    path = database(common)
    key = None if store is not None else read_key(common.key_file, common.key_command)
    if store is None and not common.read_only and not is_address(path):
        _tell_of_upgrade(path)
    return open_memory(
        path,
        scope="default" if common.scope is None else common.scope,
        agent=common.agent,
        policy=policy,
        embedder="auto" if common.embedder is None else common.embedder,
        writer=common.writer,
        store=store,
        key=key,
        trust="agent" if common.as_agent else trust,
        denies=denies,
        read_only=common.read_only,
        erased_since=erased_since,
        new_scope=new_scope,
        tracer=tracer,
    )


def _tell_of_upgrade(path: str) -> None:
    """Say on stderr what opening an older file does, and how long it takes, so that nobody stops it half-way."""
    from remanence.store.sqlite.database_file import SCHEMA_VERSION
    from remanence.store.sqlite.upgrade import MB_A_SECOND, read_older_version

    version = read_older_version(path)
    if version is not None:
        size = Path(path).stat().st_size / 2**20
        notice = (
            f"{path} has version {version} and is brought to version {SCHEMA_VERSION}, once: about"
            f" {max(1, round(size / MB_A_SECOND)):,} s for {size:,.0f} MB; a copy of the old file stays beside it"
        )
        write_lines([Text(notice)], sys.stderr)


async def _await_answer(answer: Awaitable[Any]) -> Any:
    return await answer


def _print(result: Any, common: Common) -> int:
    from remanence.faces import show

    if common.json:
        print(show.document(result))
    else:
        show.write(result)
    sys.stdout.flush()
    return 0 if show.is_well(result) else 1
