"""The commands about what waits for a person: listed with what to type, and declined where a model proposed it."""

from typing import Annotated, Any

from cyclopts import Parameter

from remanence.faces.cli.options import Memory, Name, name_of


async def review(
    *, memory: Memory, limit: Annotated[int, Parameter(help="At most so many of each sort.")] = 20
) -> Any:
    return await memory.review(limit=limit)


async def decline(
    name: Name,
    what: Annotated[
        list[str] | None, Parameter(help="The tags or older memories that were proposed; all if absent.")
    ] = None,
    /,
    *,
    memory: Memory,
) -> Any:
    return await memory.decline(name, *(name_of(word) for word in what or ()))
