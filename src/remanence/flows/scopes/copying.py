"""A scope copied into an empty one of the same store, as an export carries it, and with its settings and its policy.

Reads a page, writes a page; holds numbers of memories, and never all texts.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from remanence.core.arguments import check_name
from remanence.core.change import PART_CHANGES_MAX, Cause, Change
from remanence.core.errors import Conflict, InvalidInput, NotFound, format_value
from remanence.core.model import Memory
from remanence.core.receipt import Receipt
from remanence.core.results import minute_of
from remanence.flows.base import copies
from remanence.flows.base.context import QUIET, Core, receipt
from remanence.flows.base.cut_runs import commit_part
from remanence.flows.base.paging import iterate_pages
from remanence.flows.base.policy_reading import POLICY
from remanence.flows.base.settings import MIRROR_FOLDER
from remanence.flows.exchange import connections
from remanence.flows.exchange.import_page import ImportedMemory
from remanence.flows.exchange.transfer import CARRIED, PAGE
from remanence.flows.recall.kept_frames import UNDER as FRAMES
from remanence.flows.scopes.whole_runs import is_written_since, refuse_others, whole_run
from remanence.flows.undo.runs import find_interrupted_runs, newest
from remanence.flows.undo.undoing import undo
from remanence.flows.write.embedding import EMBEDDER, wait_until_embedded
from remanence.store.base import SETTING_PREFIX, Bookkeeping, Find, setting_row

COPY = "copy"
NOT_COPIED = (
    "not copied: history and what was erased, which may be said there again; clocks, sessions, turns that wait,"
    " proposals, guidelines, the schedule; registered copies, mirrors, the setting mirror_folder; vectors of a model"
    " beside the static ones"
)
STAYS = "settings, frames and policy were copied, too; undo takes back all but these"


@dataclass
class _Copying:
    """How far a copy has come; `seqs` maps numbers of the source to those of the target."""

    core: Core
    target: Core
    cause: Cause
    seqs: dict[int, int] = field(default_factory=dict)
    counts: dict[str, int] = field(default_factory=dict)
    changes: int = 0
    parts: int = 0

    async def run(self) -> None:
        """Write memories in order of arrival, then what hangs between them; settings come with the last part."""
        async for page in iterate_pages(self.core):
            await self._copy_page(page)
        seqs = sorted(self.seqs)
        for start in range(0, len(seqs), PAGE):
            known = {*seqs[start : start + PAGE]}
            links = await self.core.store.neighbours(self.core.scope, sorted(known))
            own = [link for link in links if link.source in known]
            await self._write_chunks("link", connections.make_link_changes(own, self.seqs))
        bans = await self.core.store.forbidden(self.core.scope)
        await self._write_chunks(
            "forbidden",
            [
                connections.make_forbidden_change(one.fold, one.at, self.seqs.get(one.seq or 0))
                for one in bans
            ],
        )
        boxes, traces = await connections.read_boxes(self.core, self.seqs)
        await self._write_chunks("box", connections.make_box_changes(boxes, traces, self.seqs))
        await self._commit_changes([], is_last=True)

    async def _copy_page(self, page: Sequence[Memory]) -> None:
        store, scope = self.core.store, self.core.scope
        numbers, vectors = await store.vectors(scope, only=[one.seq for one in page])
        rows = {int(seq): row for seq, row in zip(numbers, vectors, strict=True)}
        copied = [
            ImportedMemory(
                -number,
                {
                    **{column.name: getattr(one, column.name) for column in CARRIED},
                    **({"vector": rows[one.seq].astype("<f2").tobytes()} if one.seq in rows else {}),
                },
                {*one.tags},
                {*one.sources},
                one.tagged_at,
            )
            for number, one in enumerate(page, start=1)
        ]
        changes = await asyncio.to_thread(lambda: [change for one in copied for change in one.changes()])
        assigned = await self._commit_changes(changes)
        self.seqs |= zip((one.seq for one in page), assigned, strict=True)
        self.counts[COPY] = len(self.seqs)

    async def _write_chunks(self, what: str, changes: Sequence[Change]) -> None:
        for start in range(0, len(changes), PART_CHANGES_MAX):
            part = changes[start : start + PART_CHANGES_MAX]
            await self._commit_changes(part)
            self.counts[what] = self.counts.get(what, 0) + len(part)

    async def _commit_changes(self, changes: Sequence[Change], *, is_last: bool = False) -> Sequence[int]:
        values = await _read_settings(self.core, self.target) if is_last else {}
        cause = replace(self.cause, part=self.parts, final=is_last, values=values)
        commit = await commit_part(self.target, changes, cause)
        self.parts += 1
        self.changes += len(changes)
        return commit.assigned


async def copy_scope(core: Core, to: str) -> Receipt:
    """Copy the scope into another one of the store that holds no memories; all of it or nothing.

    What ends it early is taken back, in the next copy where the process was killed.
    """
    check_name("a scope", to)
    if to == core.scope:
        raise InvalidInput(f"scope {format_value(to)} is this one", recovery="name another scope to copy to")
    await refuse_others(core)
    await core.uses.settle_to_read()
    await wait_until_embedded(core)
    if not await core.store.find(core.scope, Find(limit=1)):
        raise NotFound(
            f"scope {core.scope!r} holds no memories", recovery="open the scope that is to be copied"
        )
    target = replace(core, scope=to, pulse=None)
    began = (await core.store.search(core.scope, ())).position
    position = await _make_empty(target)
    copying = _Copying(core, target, target.cause(COPY, detail={"from": core.scope}))
    async with whole_run(target, copying.cause.run):
        try:
            await copying.run()
        except Conflict as conflict:
            raise _make_conflict(to) from conflict
        if await is_written_since(target, position, copying.cause.run):
            raise _make_conflict(to)
    # The copy is registered, so that an erasure here names it.
    begun = await copies.begin(core, core.scope, "scope", to)
    await copies.finish(core, core.scope, begun, len(copying.seqs))
    changed = (
        f"scope {core.scope!r} was written to meanwhile: what changed since {minute_of(copying.cause.at)} may not be"
        " in the copy"
    )
    notes = [NOT_COPIED, STAYS, *([changed] if await is_written_since(core, began) else [])]
    return receipt(
        to, copying.cause, copying.changes, copying.counts, parts=copying.parts, notes=tuple(notes)
    )


def _make_conflict(to: str) -> Conflict:
    return Conflict(
        (),
        f"scope {to!r} was written to by somebody else while it was copied to",
        "copy to a scope that nobody writes to; what was copied was taken back",
    )


async def _make_empty(target: Core) -> int:
    """Take back what a killed copy left in the target, refuse a target that holds anything; return where it stands."""
    store, scope = target.store, target.scope
    recent = await newest(target, (await store.search(scope, ())).position)
    copies_begun = {part.cause.run for part in recent if part.cause.verb == COPY}
    for run in find_interrupted_runs(recent):
        if run in copies_begun:
            await undo(target, run)
    if await store.find(scope, Find(limit=1)):
        raise InvalidInput(
            f"scope {scope!r} holds memories", recovery="name a scope that holds none, not even tombstones"
        )
    if await store.forbidden(scope) or await store.erased_ids(scope):
        raise InvalidInput(
            f"texts are forbidden or were erased in scope {scope!r}, which a copy might bring back",
            recovery="name a scope of which this is not so",
        )
    return (await store.search(scope, ())).position


async def _read_settings(core: Core, target: Core) -> dict[str, Any]:
    """Return the rows of settings, frames and policy with which the target is as the source; None where it has more."""
    request = Bookkeeping(core.clock.now(), under=(SETTING_PREFIX, FRAMES), get=(POLICY,))
    rows, before = [dict((await one.store.bookkeep(one.scope, request)).values) for one in (core, target)]
    for some in (rows, before):
        some.pop(setting_row(MIRROR_FOLDER), None)
    embedder = {"name": core.embedder.name, "dimensions": core.embedder.dimensions}
    return {**dict.fromkeys(before), **rows, EMBEDDER: embedder, QUIET: None}
