"""The commands about boxes of turns. Knows numbers; must not know where a conversation is cut."""

from typing import Annotated, Any

from cyclopts import Parameter

from remanence.faces.cli.options import Memory, Name


async def list_(
    *,
    memory: Memory,
    session: Annotated[str | None, Parameter(help="Only those of this session.")] = None,
    of: Annotated[Name | None, Parameter(help="Only those of this turn, or of a fact's turns.")] = None,
    open_only: Annotated[bool, Parameter(name="--open", help="Only those that are not sealed.")] = False,
    limit: Annotated[int, Parameter(help="At most so many.")] = 20,
) -> Any:
    return await memory.boxes.list(session=session, of=of, open_only=open_only, limit=limit)


async def get(number: Annotated[int, Parameter(help="The number of a box.")], /, *, memory: Memory) -> Any:
    return await memory.boxes.get(number)
