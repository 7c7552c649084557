"""The commands about guidelines: what the record teaches, and which lines a writer is shown.

Knows numbers and words; must not know what is learned.
"""

from shlex import quote
from typing import Annotated, Any

from cyclopts import Parameter

from remanence.faces.cli.options import Memory
from remanence.faces.style import Undoable


async def draft(*, memory: Memory) -> Any:
    return await memory.guidelines.draft()


async def active(*, memory: Memory) -> Any:
    return await memory.guidelines.active()


async def activate(
    lines: Annotated[
        list[str] | None,
        Parameter(help="Numbers of the draft's lines, or words of your own; none if absent."),
    ] = None,
    /,
    *,
    memory: Memory,
) -> Any:
    before = await memory.guidelines.active()
    chosen = [int(one) if one.isascii() and one.isdigit() else one for one in lines or ()]
    back = " ".join(["remanence guidelines activate", *map(quote, before.lines)])
    return Undoable(await memory.guidelines.activate(*chosen), back)
