"""The commands about entities: the people, projects, tools, companies and places that memories name.

Knows names; must not know what makes two of them one.
"""

from typing import Annotated, Any

from cyclopts import Parameter

from remanence.faces.cli.options import Memory, name_of

EntityName = Annotated[str, Parameter(help="One of its names, or its number (332 or #332), id or key.")]
ENTITY_TYPE = "Only of this type: person, project, tool, company, place or other."


async def list_(
    *,
    memory: Memory,
    type: Annotated[str | None, Parameter(help=ENTITY_TYPE)] = None,  # noqa: A002 - the option's name
    limit: Annotated[int, Parameter(help="At most so many.")] = 100,
) -> Any:
    return await memory.entities.list(type=type, limit=limit)


async def get(name: EntityName, /, *, memory: Memory) -> Any:
    return await memory.entities.get(name_of(name))


async def merge(one: EntityName, other: EntityName, /, *, memory: Memory) -> Any:
    return await memory.entities.merge(name_of(one), name_of(other))


async def split(
    entity: EntityName,
    off: Annotated[
        list[str], Parameter(help="Names of it that are another's, or memories that mention the other one.")
    ],
    /,
    *,
    memory: Memory,
) -> Any:
    return await memory.entities.split(name_of(entity), [name_of(one) for one in off])


async def alias(
    entity: EntityName, name: Annotated[str, Parameter(help="The further name.")], /, *, memory: Memory
) -> Any:
    return await memory.entities.alias(name_of(entity), name)
