"""The commands about what is in quarantine: a person reads it, and lets it in or not.

Knows names of memories; must not know why a text came there.
"""

from typing import Annotated, Any

from cyclopts import Parameter

from remanence.faces.cli.options import IfRevision, Memory, Names


async def list_(*, memory: Memory, limit: Annotated[int, Parameter(help="At most so many.")] = 100) -> Any:
    return await memory.quarantined(limit=limit)


async def release(names: Names, /, *, memory: Memory, if_revision: IfRevision = None) -> Any:
    return await memory.accept(names, if_revision=if_revision)
