"""The commands about a mirror: a folder of text files that is kept as the memory is.

Knows arguments; must not know how a file is read or written.
"""

from typing import Annotated, Any

from cyclopts import Parameter

from remanence.faces.cli.options import Memory
from remanence.faces.cli.progress import waiting

Folder = Annotated[
    str, Parameter(metavar="FOLDER", help="The folder of the mirror; made where it is not there.")
]


async def sync(folder: Folder, /, *, memory: Memory) -> Any:
    with waiting("mirroring"):
        return await memory.mirror.sync(folder)
