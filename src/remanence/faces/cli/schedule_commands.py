"""The commands that keep a memory in order by themselves: one tick.

Knows arguments and exit codes; must not know what is due.
"""

from typing import Annotated, Any

from cyclopts import Parameter

from remanence.faces.cli.options import Memory
from remanence.faces.cli.progress import waiting
from remanence.keywords import CadenceName


async def tick(
    *,
    memory: Memory,
    cadence: Annotated[
        CadenceName | None, Parameter(help="Judge the rules of this cadence and of quicker ones, due or not.")
    ] = None,
) -> Any:
    with waiting("doing what is due"):
        return await memory.schedule.tick(cadence)
