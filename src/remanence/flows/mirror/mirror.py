"""A memory as a folder of text files, as `memory.mirror`: kept up to date with what is stored, and read again.

Knows what a caller may ask of a mirror; how files are read and written is elsewhere.
"""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeAlias

from remanence.arguments import check_path
from remanence.flows.core import Core
from remanence.flows.mirror import applying
from remanence.flows.mirror.applying import Applied
from remanence.flows.mirror.hand_edits import FileEdit
from remanence.flows.mirror.mirroring import Mirroring
from remanence.flows.mirror.watching import Command, Mirrored, Watch, synced
from remanence.signatures import checked_class

Mirrorings: TypeAlias = dict[Path, Mirroring]


@checked_class
class Mirror:
    """A folder of text files, one for each fact, kept as the memory is: `memory.mirror`."""

    def __init__(self, core: Core, known: Mirrorings) -> None:
        self._core = core
        self._known = known

    async def sync(self, folder: str | Path) -> Mirrored:
        """Bring a folder of text files to what the memory holds, and show what edits by hand would change.

        The folder is made where it is not there. A missing file is written again, and one that somebody edited stays.
        """
        mirroring = self._of(folder)
        async with mirroring.opened():
            return await synced(mirroring)

    async def apply(self, folder: str | Path, edits: Sequence[FileEdit] | None = None) -> Applied:
        """Apply what was edited by hand in a folder: the edits that a sync showed, or all that can be applied.

        Each is a run of its own, which `undo` takes back. What was refused stays in its file, with the reason.
        """
        mirroring = self._of(folder)
        async with mirroring.opened():
            return await applying.apply(mirroring, edits)

    async def discard(self, folder: str | Path, *paths: str) -> Mirrored:
        """Drop edits by hand: the files that are named are written anew from the memory."""
        mirroring = self._of(folder)
        async with mirroring.opened():
            await applying.discard(mirroring, paths)
            return await synced(mirroring)

    async def watch(
        self,
        folder: str | Path,
        tell: Callable[[Mirrored], object] | None = None,
        *,
        command: Sequence[str] = (),
    ) -> None:
        """Keep a folder up to date until it is cancelled; `tell` hears what was written and what was edited.

        Changes are written at once, edits by hand are seen within three seconds. The `command`, a program with its
        arguments, runs after what was written, one at a time.
        """
        runs = Command(command) if command else None
        await Watch(self._of(folder), tell or (lambda _: None), runs).run()

    def _of(self, folder: str | Path) -> Mirroring:
        check_path(folder)
        path = Path(folder).absolute()
        return self._known.setdefault(path, Mirroring(self._core, path))
