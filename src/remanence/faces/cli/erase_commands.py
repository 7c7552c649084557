"""The command that erases for good: it shows what would go, and does it where it is told to."""

import asyncio
from typing import Annotated, Any

from cyclopts import Parameter

from remanence.faces.cli.options import Memory, Names
from remanence.faces.cli.progress import waiting
from remanence.faces.cli.running import Interrupted

INTERRUPTED = (
    "500 memories at a time are erased or stand as they were: `remanence list` shows those that stand; `remanence tick`"
    " proves that the others are gone, `remanence doctor` says whether that is pending"
)


async def erase(
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
        shown = await memory.erase.show(names or (), scope=scope, subject=subject, mentions=mentions)
    if not yes:
        return shown
    with waiting("erasing"):
        try:
            return await memory.erase.apply(shown)
        except asyncio.CancelledError:  # what was being committed then is whole as well
            raise Interrupted(INTERRUPTED) from None
