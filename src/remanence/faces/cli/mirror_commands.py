"""The commands about a mirror: a folder of text files that is kept as the memory is, and whose edits come back.

Knows arguments; must not know how a file is read or written.
"""

import asyncio
import shlex
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from remanence.core.errors import InvalidInput
from remanence.faces.cli.options import Given, Memory
from remanence.faces.style import waiting

if TYPE_CHECKING:
    from remanence.flows.mirror.mirror import MirrorResult

Folder = Annotated[
    str, Parameter(metavar="FOLDER", help="The folder of the mirror; made where it is not there.")
]


async def mirror_sync(
    folder: Folder,
    /,
    *,
    memory: Memory,
    apply: Annotated[
        bool, Parameter(negative=(), help="Apply the edits by hand that can be applied.")
    ] = False,
) -> Any:
    with waiting("mirroring"):
        return await memory.mirror.apply(folder) if apply else await memory.mirror.sync(folder)


async def mirror_discard(
    folder: Folder,
    paths: Annotated[list[str], Parameter(metavar="PATH", help="An edited file, as the sync shows it.")],
    /,
    *,
    memory: Memory,
) -> Any:
    return await memory.mirror.discard(folder, *paths)


async def mirror_watch(
    folder: Folder,
    /,
    *,
    memory: Memory,
    common: Given,
    then: Annotated[
        str | None, Parameter(metavar="COMMAND", help="Runs after what was written, one at a time.")
    ] = None,
) -> Any:
    from remanence.faces import show

    def tell(done: "MirrorResult") -> None:
        if common.json:
            print(show.document(done), flush=True)
        else:
            show.write(done)

    try:
        await memory.mirror.watch(folder, tell, command=_words(then))
    except asyncio.CancelledError:  # Ctrl-C ends it
        if (task := asyncio.current_task()) is not None:
            task.uncancel()
    return None


def _words(command: str | None) -> list[str]:
    try:
        return [] if command is None else shlex.split(command)
    except ValueError as error:
        raise InvalidInput(f"--then {command!r}: {error}", recovery="write it as in a shell") from None
