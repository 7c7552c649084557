"""The commands about the register of exports and backups. Knows them by their paths; touches no file."""

from typing import Annotated, Any

from cyclopts import Parameter

from remanence.faces.cli.options import Memory


async def list_(*, memory: Memory) -> Any:
    return await memory.erase.copies()


async def dismiss(
    path: Annotated[str, Parameter(help="Where it was put, as it is listed.")], /, *, memory: Memory
) -> Any:
    return await memory.erase.dismiss(path)
