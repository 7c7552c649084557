"""Edits by hand are applied: each file by the verb that it proposes, as it was shown, or refused with the reason.

Knows what applying a proposal does; what a file proposes is in `hand_edits`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from remanence.core.errors import Conflict, InvalidInput, NotFound, Protected
from remanence.core.model import LearnResult, Turn
from remanence.core.results import Result, number
from remanence.flows.base.context import Core
from remanence.flows.edit.editing import correct
from remanence.flows.edit.editing import edit as edit_memory
from remanence.flows.mirror.documents import DOCUMENTS
from remanence.flows.mirror.hand_edits import ABOUT, FileEdit, is_drawn, proposals
from remanence.flows.mirror.mirroring import NOBODY, Mirroring
from remanence.flows.write.learning import learn_many


@dataclass(frozen=True, slots=True, repr=False)
class ApplyEditsResult(Result):
    """What became of edits by hand: those that were applied, those that were refused and why, and the runs."""

    path: str
    applied: tuple[FileEdit, ...] = ()
    refused: tuple[FileEdit, ...] = ()
    runs: tuple[str, ...] = ()

    def __str__(self) -> str:
        head = f"{self.path}: {number(len(self.applied), 'edit', 'edits')} applied, {len(self.refused):,} refused"
        return "\n".join([head, *map(str, self.applied), *map(str, self.refused)])


async def propose_edits(mirroring: Mirroring) -> list[FileEdit]:
    """Return what edited files would change; one that says what its memory says is the mirror's again."""
    files = mirroring.journal.files
    owners = {path: files[path].owner for path in mirroring.edited.keys() & files.keys()}
    edits = await proposals(mirroring.core, mirroring.edited.values(), owners)
    for edit in edits:
        if edit.verb == "none" and not edit.error and edit.seq is not None:
            mirroring.settle(edit.path, edit.seq)
    for path in {path for path in mirroring.edited if is_drawn(path)} - {edit.path for edit in edits}:
        mirroring.settle(path, NOBODY if path in DOCUMENTS else owners[path])
    return [edit for edit in edits if edit.path in mirroring.edited]


async def apply(mirroring: Mirroring, edits: Sequence[FileEdit] | None) -> ApplyEditsResult:
    """Apply edits that were shown, or all that can be."""
    await mirroring.look()
    now = {(edit.path, edit.line): edit for edit in await propose_edits(mirroring)}
    picks = list(now.values()) if edits is None else [_as_shown(edit, now) for edit in edits]
    applied, refused, runs = [], [], []
    for edit in picks:
        if edit.error:
            refused.append(edit)
            continue
        try:
            outcome, run = await _apply_edit(mirroring.core, edit)
        except (Conflict, InvalidInput, NotFound, Protected) as error:
            refused.append(edit.mark_refused(error))
            continue
        applied.append(outcome)
        runs += [run] if run is not None else []
    open_paths = {edit.path for edit in refused} | {
        path for path, _ in now.keys() - {(one.path, one.line) for one in picks}
    }
    for path, owner in {edit.path: edit.seq for edit in applied}.items():
        if path not in open_paths:
            assert owner is not None
            mirroring.settle(path, _owner_of(mirroring, path) if is_drawn(path) else owner)
    await mirroring.write()
    return ApplyEditsResult(str(mirroring.root), tuple(applied), tuple(refused), tuple(runs))


async def discard(mirroring: Mirroring, paths: Sequence[str]) -> None:
    """Write files anew from their memories, whatever was edited in them."""
    await mirroring.look()
    edits = {edit.path: edit for edit in await propose_edits(mirroring)}
    for path in paths:
        file, edit = mirroring.journal.files.get(path), edits.get(path)
        owner = file.owner if file is not None else edit.seq if edit is not None else None
        owner = NOBODY if path in DOCUMENTS else owner
        if path in mirroring.edited and owner is None:
            raise InvalidInput(
                f"{path} is no file of the mirror's own", recovery="take it away by hand, if it is not wanted"
            )
        if path not in mirroring.edited and file is None:
            raise NotFound(f"no edited file {path}", recovery="name it as the sync shows it")
        if path in mirroring.edited and owner is not None:
            mirroring.settle(path, owner)
    await mirroring.write()


def _owner_of(mirroring: Mirroring, path: str) -> int:
    """Return whose a file is that is worked out of many memories."""
    return NOBODY if path in DOCUMENTS else mirroring.journal.files[path].owner


def _as_shown(edit: FileEdit, now: Mapping[tuple[str, int | None], FileEdit]) -> FileEdit:
    """Return a proposal as it stands now, if the file is still the one that was shown."""
    current = now.get((edit.path, edit.line))
    if current is not None and current.digest == edit.digest:
        return current
    return edit.mark_refused(
        Conflict(
            [("file", edit.path)],
            "the file changed since its proposal was shown",
            "look at the proposals again; nothing was written",
        )
    )


async def _apply_edit(core: Core, edit: FileEdit) -> tuple[FileEdit, str | None]:
    """Do what a proposal says; return it with the memory that it became, and the run."""
    values: dict[str, Any] = dict(edit.after)
    if edit.verb == "update":
        assert edit.id is not None
        tags = values.pop("tags", None)
        receipt = await edit_memory(core, edit.id, values, edit.revision, tags=tags)
        return edit, receipt.run if receipt.changes else None
    if edit.verb == "correct":
        assert edit.id is not None
        answer = await correct(core, edit.id, values["text"], edit.revision)
        return _as_learned(edit, answer)
    about = values.pop(ABOUT, None)
    turn = Turn(values.pop("text"), said_at=values.pop("said", None), **values)
    (answer,) = await learn_many(core, [turn], about=None if about is None else (await core.one(about)).seq)
    return _as_learned(edit, answer)


def _as_learned(edit: FileEdit, learned: LearnResult) -> tuple[FileEdit, str | None]:
    if learned.status == "gated":
        raise InvalidInput(learned.reason, recovery="say it otherwise, or take the file away")
    return replace(edit, id=learned.id, seq=learned.seq), learned.run
