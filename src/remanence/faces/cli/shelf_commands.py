"""The commands of the smaller shelves: boxes, traces, entities, forbidden texts, guidelines, and what waits for review.

Knows names, numbers and how a command is taken back; must not know what is behind them.
"""

from shlex import quote
from typing import Annotated, Any

from cyclopts import Parameter

from remanence.faces.cli.options import IfRevision, Memory, Name, Names, name_of
from remanence.faces.style import Undoable

EntityName = Annotated[str, Parameter(help="One of its names, or its number (332 or #332), id or key.")]
ENTITY_TYPE = "Only of this type: person, project, tool, company, place or other."


async def boxes_list(
    *,
    memory: Memory,
    session: Annotated[str | None, Parameter(help="Only those of this session.")] = None,
    of: Annotated[Name | None, Parameter(help="Only those of this turn, or of a fact's turns.")] = None,
    open_only: Annotated[bool, Parameter(name="--open", help="Only those that are not sealed.")] = False,
    limit: Annotated[int, Parameter(help="At most so many.")] = 20,
) -> Any:
    return await memory.boxes.list(session=session, of=of, open_only=open_only, limit=limit)


async def boxes_get(
    number: Annotated[int, Parameter(help="The number of a box.")], /, *, memory: Memory
) -> Any:
    return await memory.boxes.get(number)


async def traces_list(
    *,
    memory: Memory,
    boxes_min: Annotated[int, Parameter(help="Only those of so many boxes or more.")] = 1,
    limit: Annotated[int, Parameter(help="At most so many.")] = 20,
) -> Any:
    return await memory.traces.list(boxes_min=boxes_min, limit=limit)


async def traces_get(
    number: Annotated[int, Parameter(help="The number of a trace.")], /, *, memory: Memory
) -> Any:
    return await memory.traces.get(number)


async def forbidden_list(*, memory: Memory) -> Any:
    return await memory.forbidden.list()


async def forbidden_lift(names: Names, /, *, memory: Memory) -> Any:
    return await memory.forbidden.lift(*names)


async def entities_list(
    *,
    memory: Memory,
    type: Annotated[str | None, Parameter(help=ENTITY_TYPE)] = None,  # noqa: A002 - the option's name
    limit: Annotated[int, Parameter(help="At most so many.")] = 100,
) -> Any:
    return await memory.entities.list(type=type, limit=limit)


async def entities_get(name: EntityName, /, *, memory: Memory) -> Any:
    return await memory.entities.get(name_of(name))


async def entities_merge(one: EntityName, other: EntityName, /, *, memory: Memory) -> Any:
    return await memory.entities.merge(name_of(one), name_of(other))


async def entities_split(
    entity: EntityName,
    off: Annotated[
        list[str], Parameter(help="Names of it that are another's, or memories that mention the other one.")
    ],
    /,
    *,
    memory: Memory,
) -> Any:
    return await memory.entities.split(name_of(entity), [name_of(one) for one in off])


async def entities_alias(
    entity: EntityName, name: Annotated[str, Parameter(help="The further name.")], /, *, memory: Memory
) -> Any:
    return await memory.entities.alias(name_of(entity), name)


async def guidelines_draft(*, memory: Memory) -> Any:
    return await memory.guidelines.draft()


async def guidelines_active(*, memory: Memory) -> Any:
    return await memory.guidelines.active()


async def guidelines_activate(
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


async def review_list(
    *, memory: Memory, limit: Annotated[int, Parameter(help="At most so many of each sort.")] = 20
) -> Any:
    return await memory.review.list(limit=limit)


async def review_quarantined(
    *, memory: Memory, limit: Annotated[int, Parameter(help="At most so many.")] = 100
) -> Any:
    return await memory.review.quarantined(limit=limit)


async def review_accept(names: Names, /, *, memory: Memory, if_revision: IfRevision = None) -> Any:
    return await memory.review.accept(names, if_revision=if_revision)


async def review_decline(
    name: Name,
    what: Annotated[
        list[str] | None, Parameter(help="The tags or older memories that were proposed; all if absent.")
    ] = None,
    /,
    *,
    memory: Memory,
) -> Any:
    return await memory.review.decline(name, *(name_of(word) for word in what or ()))
