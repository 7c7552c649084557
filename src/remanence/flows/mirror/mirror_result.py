"""What a sync of a folder, or of one file of a coding agent, says of itself, and each edit that it found."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, Literal

from remanence.core.errors import Conflict, RemanenceError
from remanence.core.model import Memory, short_id
from remanence.core.results import Result, format_counts, number, one_line, visible

SHOWN_CHARS = 400  # of a text in a list of proposals
Verb = Literal["update", "learn", "correct", "none"]


@dataclass(frozen=True, slots=True, repr=False)
class FileEdit(Result):
    """Change that one edited file would make: by `verb`, of the memory `id` at `revision`, from `before` to `after`.

    Of a document, such as the profile, each edited `line` is one change, and all are applied or none. If it cannot be
    applied, `error` names the sort of error, `problem` says why and `recovery` what to do. `digest` is that of the
    file: only the change that was shown is applied. `replaced` counts secrets and personal data that markers replaced.
    """

    path: str
    digest: str
    verb: Verb = "none"
    line: int | None = None
    id: str | None = None
    seq: int | None = None
    revision: int | None = None
    before: Mapping[str, Any] = field(default_factory=dict, hash=False)
    after: Mapping[str, Any] = field(default_factory=dict, hash=False)
    replaced: Mapping[str, int] = field(default_factory=dict, hash=False)
    error: str = ""
    problem: str = ""
    recovery: str = ""

    def __str__(self) -> str:
        what = f"{self.verb} {short_id(self.seq)}" if self.seq is not None else self.verb
        where = self.path if self.line is None else f"{self.path}, line {self.line}"
        lines = [where if self.error else f"{where}: {what}"]
        lines += [
            f"    {name}: {_format_edit_value(self.before.get(name))} → {_format_edit_value(to)}"
            for name, to in self.after.items()
        ]
        lines += [f"    replaced {kind} ×{count}" for kind, count in self.replaced.items()]
        lines += [f"    not applied: {self.error}: {self.problem}", f"    → {self.recovery}"] * bool(
            self.error
        )
        return visible("\n".join(lines))

    def mark_refused(self, error: RemanenceError) -> "FileEdit":
        """Return it as one that cannot be applied."""
        return replace(self, error=type(error).__name__, problem=str(error), recovery=error.recovery)

    def correct_text(self, memory: Memory, text: str, written_at: int | None) -> "FileEdit":
        """Return it as a correction of a memory; raise Conflict unless its line was written at this revision."""
        if written_at != memory.revision:
            raise Conflict(
                [("memories", memory.seq)],
                f"{short_id(memory.seq)} changed since its line was written: it has revision {memory.revision}, not"
                f" {written_at}",
                f"discard the edit, look at the present text, and edit that: it says {one_line(memory.text)!r}",
                expected=written_at,
                current=memory.revision,
            )
        return replace(
            self,
            verb="correct",
            id=memory.id,
            seq=memory.seq,
            revision=memory.revision,
            before={"text": memory.text},
            after={"text": text},
        )


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


def _format_edit_value(value: Any) -> str:
    if value is None or value == ():
        return "nothing"
    text = value.isoformat() if isinstance(value, datetime) else value
    return one_line(
        repr(text)
        if isinstance(text, str)
        else ", ".join(map(str, text))
        if isinstance(text, Sequence)
        else str(text),
        SHOWN_CHARS,
    )
