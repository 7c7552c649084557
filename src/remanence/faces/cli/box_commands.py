"""The commands about boxes of turns and traces of boxes. Knows numbers; must not know where a conversation is cut."""

from typing import Annotated, Any

from cyclopts import Parameter

from remanence.faces.cli.options import Memory, Name

Listed = Annotated[int, Parameter(help="At most so many.")]


async def boxes(
    number: Annotated[
        int | None, Parameter(help="The number of one box, which is shown with its turns.")
    ] = None,
    /,
    *,
    memory: Memory,
    session: Annotated[str | None, Parameter(help="Only those of this session.")] = None,
    of: Annotated[Name | None, Parameter(help="Only those of this turn, or of a fact's turns.")] = None,
    open_only: Annotated[bool, Parameter(name="--open", help="Only those that are not sealed.")] = False,
    limit: Listed = 20,
) -> Any:
    if number is not None:
        return await memory.boxes.get(number)
    if of is not None:
        return await memory.boxes.of(of)
    return await memory.boxes.list(session=session, open_only=open_only, limit=limit)


async def traces(
    number: Annotated[int | None, Parameter(help="The number of one trace, which is shown whole.")] = None,
    /,
    *,
    memory: Memory,
    boxes_min: Annotated[int, Parameter(help="Only those of so many boxes or more.")] = 1,
    limit: Listed = 20,
) -> Any:
    if number is not None:
        return await memory.traces.get(number)
    return await memory.traces.list(boxes_min=boxes_min, limit=limit)
