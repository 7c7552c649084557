"""The commands about traces of boxes. Knows numbers; must not know what joins boxes."""

from typing import Annotated, Any

from cyclopts import Parameter

from remanence.faces.cli.options import Memory


async def list_(
    *,
    memory: Memory,
    boxes_min: Annotated[int, Parameter(help="Only those of so many boxes or more.")] = 1,
    limit: Annotated[int, Parameter(help="At most so many.")] = 20,
) -> Any:
    return await memory.traces.list(boxes_min=boxes_min, limit=limit)


async def get(number: Annotated[int, Parameter(help="The number of a trace.")], /, *, memory: Memory) -> Any:
    return await memory.traces.get(number)
