"""A memory as a folder of text files, as `memory.mirror`: kept up to date with what is stored, and read again.

Knows what a caller may ask of a mirror; how files are read and written is elsewhere.
"""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeAlias

from remanence.core.arguments import check_path
from remanence.core.signatures import checked_class
from remanence.flows.base.context import Core
from remanence.flows.mirror import applying
from remanence.flows.mirror.applying import ApplyEditsResult
from remanence.flows.mirror.hand_edits import FileEdit
from remanence.flows.mirror.mirroring import Mirroring
from remanence.flows.mirror.watching import Command, MirrorResult, Watch, sync_folder

Mirrorings: TypeAlias = dict[Path, Mirroring]


@checked_class
class Mirror:
    """A folder of text files, one for each fact, kept as the memory is: `memory.mirror`."""

    def __init__(self, core: Core, known: Mirrorings) -> None:
        self._core = core
        self._known = known

    async def sync(self, folder: str | Path) -> MirrorResult:
        """Bring a folder of text files to what the memory holds, and show what edits by hand would change.

        The folder is made where it is not there. A missing file is written again, and one that somebody edited stays.
        """
        mirroring = self._of(folder)
        async with mirroring.hold_folder():
            return await sync_folder(mirroring)

    async def apply(self, folder: str | Path, edits: Sequence[FileEdit] | None = None) -> ApplyEditsResult:
        """Apply what was edited by hand in a folder: the edits that a sync showed, or all that can be applied.

        Each is a run of its own, which `undo` takes back. What was refused stays in its file, with the reason.
        """
        mirroring = self._of(folder)
        async with mirroring.hold_folder():
            return await applying.apply(mirroring, edits)

    async def discard(self, folder: str | Path, *paths: str) -> MirrorResult:
        """Drop edits by hand: the files that are named are written anew from the memory."""
        mirroring = self._of(folder)
        async with mirroring.hold_folder():
            await applying.discard(mirroring, paths)
            return await sync_folder(mirroring)

    async def watch(
        self,
        folder: str | Path,
        tell: Callable[[MirrorResult], object] | None = None,
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
