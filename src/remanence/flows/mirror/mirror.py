"""A memory as a folder of text files, as `memory.mirror`: kept up to date with what is stored.

Knows what a caller may ask of a mirror; how files are read and written is elsewhere.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from remanence.arguments import check_path
from remanence.flows.core import Core, first_remarks
from remanence.flows.mirror.mirroring import Mirroring
from remanence.results import Result, counted, number, visible
from remanence.signatures import checked_class


@dataclass(frozen=True, slots=True, repr=False)
class Mirrored(Result):
    """What a sync did to a folder: files written and removed, how many there are now, and which somebody edited.

    Edited files stay as they are. `damaged` names memories that could not be read, whose files stay too.
    """

    path: str
    files: int
    written: int = 0
    removed: int = 0
    edited: tuple[str, ...] = ()
    damaged: tuple[str, ...] = ()

    def __str__(self) -> str:
        did = counted({"written": self.written, "removed": self.removed})
        edited = f"; edited by hand and left as they are: {', '.join(self.edited)}" if self.edited else ""
        damaged = f"; not read: {'; '.join(self.damaged)}" if self.damaged else ""
        return visible(f"{self.path}: {number(self.files, 'file', 'files')}, {did}{edited}{damaged}")


Mirrorings: TypeAlias = dict[Path, Mirroring]


@checked_class
class Mirror:
    """A folder of text files, one for each fact, kept as the memory is: `memory.mirror`."""

    def __init__(self, core: Core, known: Mirrorings) -> None:
        self._core = core
        self._known = known

    async def sync(self, folder: str | Path) -> Mirrored:
        """Bring a folder of text files to what the memory holds: what changed is written, what is gone removed.

        The folder is made where it is not there. A missing file is written again, and one that somebody edited stays.
        """
        mirroring = self._of(folder)
        async with mirroring.opened():
            await mirroring.bring()
            return _told(mirroring)

    def _of(self, folder: str | Path) -> Mirroring:
        check_path(folder)
        path = Path(folder).absolute()
        return self._known.setdefault(path, Mirroring(self._core, path))


def _told(mirroring: Mirroring) -> Mirrored:
    return Mirrored(
        str(mirroring.root),
        len(mirroring.journal.files),
        mirroring.done.written,
        mirroring.done.removed,
        first_remarks(sorted(mirroring.edited)),
        first_remarks(mirroring.done.damaged),
    )
