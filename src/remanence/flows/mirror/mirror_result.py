"""What a sync of a folder, or of one file of a coding agent, says of itself."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from remanence.core.results import Result, format_counts, number, visible
from remanence.flows.mirror.hand_edits import FileEdit


@dataclass(frozen=True, slots=True, repr=False)
class MirrorResult(Result):
    """Result of a sync of a folder: files written and removed, how many there are now, and what edits would change.

    Edited files stay as they are; `edits` names the first of them, `waiting` counts them all. `deleted` counts files
    that somebody deleted, which stay so until their memories change. `damaged` names memories that could not be read,
    whose files stay too. `applied` and `refused` are the edits that were to be applied, `runs` the runs that applied
    them. `failed` says why nothing could be written, `command` is the result of the command that runs afterwards.
    Of a file of a coding agent `memories` counts those in its block, and `left_out` those that are not, by reason.
    """

    path: str
    files: int
    written: int = 0
    removed: int = 0
    edits: tuple[FileEdit, ...] = ()
    waiting: int = 0
    damaged: tuple[str, ...] = ()
    failed: str = ""
    command: str = ""
    deleted: int = 0
    applied: tuple[FileEdit, ...] = ()
    refused: tuple[FileEdit, ...] = ()
    runs: tuple[str, ...] = ()
    memories: int | None = None
    left_out: Mapping[str, int] = field(default_factory=dict, hash=False)

    def __str__(self) -> str:
        if self.failed:
            return visible(f"{self.path}: {self.failed}")
        did = format_counts({"written": self.written, "removed": self.removed})
        head = f"{self.path}: {number(self.files, 'file', 'files')}, {did}"
        if self.memories is not None:
            did = "written" if self.written else "left as it is" if self.waiting else "nothing to write"
            head = f"{self.path}: {number(self.memories, 'memory', 'memories')} in its block, {did}"
            if self.left_out:
                head += f"; left out: {format_counts(self.left_out)}"
        if self.deleted:
            head += f"; {self.deleted:,} deleted by hand, until the memory of each changes"
        more = self.waiting - len(self.edits)
        told = [visible(head + "".join(f"; not read: {one}" for one in self.damaged))]
        if self.applied or self.refused:
            told.append(
                f"{number(len(self.applied), 'edit', 'edits')} applied, {len(self.refused):,} refused"
            )
            told += map(str, self.applied)
        if self.waiting:
            told.append(
                f"{number(self.waiting, 'edit', 'edits')} by hand; nothing of it is in the memory yet:"
            )
        told += [*map(str, self.edits), *([f"and {more:,} more"] if more else [])]
        return "\n".join([*told, *([visible(self.command)] if self.command else [])])
