"""The commands about what waits for a person: listed with what to type, let in or declined.

Knows names of memories; must not know why something waits.
"""

from typing import Annotated, Any

from cyclopts import Parameter

from remanence.faces.cli.options import IfRevision, Memory, Name, Names, name_of


async def list_(
    *, memory: Memory, limit: Annotated[int, Parameter(help="At most so many of each sort.")] = 20
) -> Any:
    return await memory.review.list(limit=limit)


async def quarantined(
    *, memory: Memory, limit: Annotated[int, Parameter(help="At most so many.")] = 100
) -> Any:
    return await memory.review.quarantined(limit=limit)


async def accept(names: Names, /, *, memory: Memory, if_revision: IfRevision = None) -> Any:
    return await memory.review.accept(names, if_revision=if_revision)


async def decline(
    name: Name,
    what: Annotated[
        list[str] | None, Parameter(help="The tags or older memories that were proposed; all if absent.")
    ] = None,
    /,
    *,
    memory: Memory,
) -> Any:
    return await memory.review.decline(name, *(name_of(word) for word in what or ()))
