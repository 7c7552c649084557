"""The commands that keep a memory in order: soundness, settings, scopes, erasing for good, its mirror in a folder.

Knows arguments, and what a look at a missing or broken file answers; must not know how a file is read or written.
"""

import asyncio
import shlex
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from shlex import quote
from typing import TYPE_CHECKING, Annotated, Any, Literal

from cyclopts import App, Parameter

from remanence.core.errors import Conflict, Erased, InvalidInput, NotFound, StoreError
from remanence.core.keywords import AgentFormat
from remanence.faces.cli.keys import read_key, read_named_key
from remanence.faces.cli.options import PLAIN, Given, Memory, Names
from remanence.faces.cli.running import Interrupted, database, open_engine
from remanence.faces.style import Undoable, counting, waiting
from remanence.store.address import exists

if TYPE_CHECKING:
    from remanence.flows.erase.erase_results import ErasePreview
    from remanence.flows.mirror.mirror_result import MirrorResult


async def doctor(*, common: Given) -> Any:
    from remanence.flows.inspect.checks import build_absent_check, make_unreadable_check

    path = database(common)
    if not exists(path):
        return [build_absent_check(path)]
    try:
        async with open_engine(common, erased_since="look") as memory:
            with waiting("checking"):
                return await memory.doctor()
    except StoreError as error:
        return [make_unreadable_check(error)]


async def change_key(
    *,
    common: Given,
    new_key_file: Annotated[str | None, Parameter(help="A file with the new key.")] = None,
    new_key_command: Annotated[str | None, Parameter(help="A command that prints the new key.")] = None,
    decrypt: Annotated[bool, Parameter(help="Write the file without encryption.")] = False,
) -> Any:
    from remanence.opening import change_key as change_key_of_file

    if common.read_only:
        raise InvalidInput("--read-only writes nothing", recovery="leave it out")
    new_key = read_named_key(new_key_file, new_key_command, "--new-key")
    if decrypt is (new_key is not None):
        raise InvalidInput(
            "it takes one of --new-key-file, --new-key-command and --decrypt",
            recovery="name the new key, or --decrypt for none",
        )
    path = database(common)
    with waiting("writing anew"):
        key = read_key(common.key_file, common.key_command)
        memories = await change_key_of_file(path, key=key, new_key=new_key)
    return {"database": path, "encrypted": not decrypt, "memories": memories}


async def reembed(
    embedder: Annotated[
        str | None,
        Parameter(
            help="The model to change to: local:FOLDER, multilingual, openai, openai:MODEL or one that a package"
            " registers; auto for none beside the static vectors; the one under way if absent."
        ),
    ] = None,
    /,
    *,
    memory: Memory,
) -> Any:
    with counting("embedding") as progress:
        return await memory.reembed(embedder, progress)


async def settings(
    name: Annotated[str | None, Parameter(help="One setting; all if absent.")] = None,
    value: Annotated[
        str | None, Parameter(help="The new value; '' resets it.", allow_leading_hyphen=True)
    ] = None,
    /,
    *,
    memory: Memory,
) -> Any:
    if name is None:
        return await memory.settings.get()
    before = await memory.settings.get(name)
    if value is None:
        return before
    new_value: int | str | None = value or None
    if value and isinstance(before.value, int):
        if not (value.isascii() and value.isdigit()):
            raise InvalidInput(f"{value!r} is not a whole number", recovery=f"see: remanence settings {name}")
        new_value = int(value)
    old_value = before.value if isinstance(before.value, int) else quote(before.value)
    return Undoable(await memory.settings.set(name, new_value), f"remanence settings {name} {old_value}")


def guide(
    verb: Annotated[str | None, Parameter(help="The verb to explain; all verbs if absent.")] = None,
    /,
    *,
    agents: Annotated[bool, Parameter(help="Print a text for an agent's instructions.")] = False,
) -> Any:
    from remanence.core import guide as told

    return told.FOR_AGENTS if agents else told.guide(verb)


def completion(shell: Annotated[Literal["bash", "zsh", "fish"], Parameter(help="Your shell.")], /) -> Any:
    from remanence.faces.cli import tree

    return tree().generate_completion(prog_name="remanence", shell=shell)


async def guidelines(
    lines: Annotated[
        list[str] | None,
        Parameter(help="Line numbers of the draft, or your own text; shown if absent."),
    ] = None,
    /,
    *,
    memory: Memory,
    off: Annotated[bool, Parameter(negative=(), help="Set none.")] = False,
) -> Any:
    before = await memory.guidelines()
    if not lines and not off:
        return before
    chosen = [int(one) if one.isascii() and one.isdigit() else one for one in lines or ()]
    back = " ".join(["remanence guidelines", *(map(quote, before.active) if before.active else ["--off"])])
    return Undoable(await memory.guidelines(*chosen, off=off), back)


async def scopes_list(
    *,
    memory: Memory,
    limit: Annotated[int, Parameter(help="Maximum number.")] = 1_000,
    after: Annotated[
        str | None, Parameter(metavar="SCOPE", help="Continue after this one, the last of an earlier list.")
    ] = None,
) -> Any:
    return await memory.scopes.list(limit=limit, after=after)


async def scopes_copy(
    to: Annotated[str, Parameter(metavar="SCOPE", help="The target scope; it must be empty.")],
    /,
    *,
    memory: Memory,
) -> Any:
    with waiting("copying"):
        return await memory.scopes.copy(to)


async def scopes_drop(
    *,
    memory: Memory,
    yes: Annotated[
        bool, Parameter(negative=(), help="Drop it; without this option it is only shown.")
    ] = False,
    allow_protected: Annotated[
        int, Parameter(help="Allow this many pinned or system memories to be erased.")
    ] = 0,
) -> Any:
    with waiting("looking"):
        preview = await memory.scopes.drop()
    if not yes:
        return preview
    with waiting("dropping"):
        return await memory.scopes.drop(preview, allow_protected=allow_protected)


NOTHING_SINCE = "this file holds nothing that was erased since it was copied; --yes finishes what is pending"
ERASE_TRIES = 10  # an edit in between takes milliseconds; who edits all the time is told
INTERRUPTED = (
    "500 memories at a time are erased or stand as they were: `remanence list` shows those that stand; `remanence"
    " run --once` proves that the others are gone, `remanence doctor` says whether that is pending"
)


@Parameter(name="*")
@dataclass(frozen=True, slots=True)
class EraseOptions:
    """What an erasure takes beside the memories that are named, and where."""

    scope: Annotated[bool, Parameter(name="--all", help="All memories of the scope.")] = False
    subject: Annotated[
        list[str] | None,
        Parameter(help="Erase what this person said; several names mean the same person.", negative=()),
    ] = None
    mentions: Annotated[bool, Parameter(help="Also redact the person's names in what others said.")] = False
    scopes: Annotated[
        list[str] | None,
        Parameter(help="Also erase the same texts, or the person, in this scope; repeatable.", negative=()),
    ] = None


_NO_OPTIONS = EraseOptions()


async def _erase(
    names: Names | None = None,
    /,
    *,
    memory: Memory,
    wanted: EraseOptions = _NO_OPTIONS,
    since: Annotated[
        bool,
        Parameter(
            help="Show what was erased since this file was copied; with --yes also finish what is pending.",
            negative=(),
        ),
    ] = False,
    copies: Annotated[
        bool, Parameter(help="List the exports and backups that were made here.", negative=())
    ] = False,
    yes: Annotated[bool, Parameter(help="Erase them; without this option they are only shown.")] = False,
) -> Any:
    if since or copies:
        names_more = bool(names) or replace(wanted, subject=None) != _NO_OPTIONS
        if names_more or (since and copies) or (copies and (yes or wanted.subject)):
            raise InvalidInput(
                "it asks for several things at once",
                recovery="name what to erase, or give --since, with --subject and --yes at most, or --copies alone",
            )
        if copies:
            return await memory.erase.show(copies=True)
        return await _erase_since(memory, wanted.subject, yes=yes)

    async def show() -> "ErasePreview":
        return await memory.erase.show(
            names or (),
            scope=wanted.scope,
            subject=wanted.subject,
            mentions=wanted.mentions,
            scopes=wanted.scopes or (),
        )

    with waiting("looking"):
        preview = await show()
    if not yes:
        return preview
    with waiting("erasing"):
        try:
            return await _apply_anew(memory, preview, show)
        except asyncio.CancelledError:  # what was being committed then is whole as well
            raise Interrupted(INTERRUPTED) from None


async def _apply_anew(
    memory: Memory, preview: "ErasePreview", show: Callable[[], Awaitable["ErasePreview"]]
) -> Any:
    """Erase what is shown; where somebody changes it meanwhile, what then is, so often and no longer.

    With --yes nobody looks at what is shown, so what was changed is asked for as well.
    """
    for attempt in range(ERASE_TRIES):
        try:
            return await memory.erase.apply(preview)
        except Conflict as conflict:
            if attempt + 1 == ERASE_TRIES:
                raise
            try:
                preview = await show()
            except (NotFound, Erased):  # a first part of them has gone, and cannot be named any more
                raise conflict from None
    raise AssertionError("unreachable")


async def _erase_since(memory: Memory, subject: list[str] | None, *, yes: bool) -> Any:
    """Show what was erased since the file was copied; with `yes` erase it here, too, and finish what is pending."""
    if not yes:
        with waiting("looking"):
            return await memory.erase.show(since=True) or NOTHING_SINCE
    with waiting("erasing"):
        try:
            return await memory.erase.apply(subject=subject) or "nothing is pending"
        except asyncio.CancelledError:
            raise Interrupted(INTERRUPTED) from None


async def settle(
    *,
    memory: Memory,
    keep: Annotated[
        str | None,
        Parameter(
            metavar="REASON",
            help="Keep what was erased since this file was copied; the reason is for the history.",
        ),
    ] = None,
    copies: Annotated[
        list[str] | None,
        Parameter(metavar="PATH", help="Take this copy out of the list, by its path as listed.", negative=()),
    ] = None,
) -> Any:
    if keep is not None and copies is None:
        return await memory.erase.settle(keep=keep)
    if copies is None or keep is not None:
        raise InvalidInput(
            "nothing is to be settled, or two things at once", recovery="give --keep REASON, or --copies PATH"
        )
    return await memory.erase.settle(copies=copies)


# A command that has a command of its own: the tree of all commands takes it as it is.
erase = App("erase", help_flags=(), version_flags=(), default_parameter=PLAIN)
erase.default(_erase)
erase.command(settle)


Folder = Annotated[str, Parameter(metavar="FOLDER", help="The mirror folder; created if missing.")]


async def mirror_sync(
    folder: Folder,
    /,
    *,
    memory: Memory,
    apply: Annotated[
        bool, Parameter(negative=(), help="Apply the manual edits that can be applied.")
    ] = False,
    discard: Annotated[
        list[str] | None,
        Parameter(
            metavar="FILE",
            help="Write this file again, whatever was edited, as `mirror sync` lists it; repeatable.",
        ),
    ] = None,
    as_: Annotated[
        AgentFormat | None,
        Parameter(
            name="--as",
            metavar="FILE",
            help="Write one file of a coding agent instead: a block in CLAUDE.md or AGENTS.md of the folder.",
        ),
    ] = None,
    frame: Annotated[
        str | None, Parameter(metavar="NAME", help="With --as, the frame to write; else the start context.")
    ] = None,
    budget: Annotated[
        int | None, Parameter(metavar="TOKENS", help="With --as, the maximum number of tokens of the block.")
    ] = None,
) -> Any:
    with waiting("mirroring"):
        return await memory.mirror.sync(
            folder, apply=apply, discard=discard or (), as_=as_, frame=frame, budget=budget
        )


async def mirror_watch(
    folder: Folder,
    /,
    *,
    memory: Memory,
    common: Given,
    then: Annotated[
        str | None, Parameter(metavar="COMMAND", help="Command to run after each write, one at a time.")
    ] = None,
) -> Any:
    from remanence.faces import show

    def tell(done: "MirrorResult") -> None:
        if common.json:
            print(show.document(done), flush=True)
        else:
            show.write(done)

    try:
        await memory.mirror.watch(folder, tell, command=_split_command(then))
    except asyncio.CancelledError:  # Ctrl-C ends it
        if (task := asyncio.current_task()) is not None:
            task.uncancel()
    return None


def _split_command(command: str | None) -> list[str]:
    try:
        return [] if command is None else shlex.split(command)
    except ValueError as error:
        raise InvalidInput(f"--then {command!r}: {error}", recovery="write it as in a shell") from None
