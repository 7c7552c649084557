"""The command that erases for good: it shows what would go, and does it where it is told to."""

from typing import Annotated, Any

from cyclopts import Parameter

from remanence.faces.cli.options import Memory, Names
from remanence.faces.cli.progress import waiting


async def erase(
    names: Names | None = None,
    /,
    *,
    memory: Memory,
    scope: Annotated[bool, Parameter(name="--all", help="All memories of the scope.")] = False,
    yes: Annotated[bool, Parameter(help="Erase them; without, it is only shown.")] = False,
) -> Any:
    with waiting("looking"):
        shown = await memory.erase.show(names or (), scope=scope)
    if not yes:
        return shown
    with waiting("erasing"):
        return await memory.erase.apply(shown)
