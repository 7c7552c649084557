"""The commands that erase for good, and the register of exports and backups, whose files they leave alone."""

import asyncio
from typing import Annotated, Any

from cyclopts import App, Parameter

from remanence.faces.cli.options import PLAIN, Memory, Names
from remanence.faces.cli.running import Interrupted
from remanence.faces.style import waiting

INTERRUPTED = (
    "500 memories at a time are erased or stand as they were: `remanence list` shows those that stand; `remanence"
    " schedule tick` proves that the others are gone, `remanence doctor` says whether that is pending"
)


async def _erase(
    names: Names | None = None,
    /,
    *,
    memory: Memory,
    scope: Annotated[bool, Parameter(name="--all", help="All memories of the scope.")] = False,
    subject: Annotated[
        list[str] | None,
        Parameter(
            help="What a person said, by name; several names are names of the same person.",
            negative=(),
        ),
    ] = None,
    mentions: Annotated[
        bool, Parameter(help="Take the person's names out of what others said, too.")
    ] = False,
    yes: Annotated[bool, Parameter(help="Erase them; without, it is only shown.")] = False,
) -> Any:
    with waiting("looking"):
        preview = await memory.erase.show(names or (), scope=scope, subject=subject, mentions=mentions)
    if not yes:
        return preview
    with waiting("erasing"):
        try:
            return await memory.erase.apply(preview)
        except asyncio.CancelledError:  # what was being committed then is whole as well
            raise Interrupted(INTERRUPTED) from None


async def finish(
    *,
    memory: Memory,
    subject: Annotated[
        list[str] | None,
        Parameter(
            help="Names to take out of what was only redacted since; without, it is erased.", negative=()
        ),
    ] = None,
    yes: Annotated[bool, Parameter(help="Do it; without, it is only shown.", negative=())] = False,
) -> Any:
    with waiting("looking"):
        preview = await memory.erase.show_since()
    if preview is not None and not yes:
        return preview
    with waiting("erasing"):
        try:
            return await memory.erase.finish(subject=subject) or "nothing is pending"
        except asyncio.CancelledError:
            raise Interrupted(INTERRUPTED) from None


async def keep(
    *, memory: Memory, because: Annotated[str, Parameter(help="Why, as the history will say.")]
) -> Any:
    return await memory.erase.keep(because)


async def copies(*, memory: Memory) -> Any:
    return await memory.erase.copies()


async def dismiss(
    path: Annotated[str, Parameter(help="Where it was put, as it is listed.")], /, *, memory: Memory
) -> Any:
    return await memory.erase.dismiss(path)


# A command that has commands of its own: the tree of all commands takes it as it is.
erase = App("erase", help_flags=(), version_flags=(), default_parameter=PLAIN)
erase.default(_erase)
erase.command(finish)
erase.command(keep)
erase.command(copies)
erase.command(dismiss)
