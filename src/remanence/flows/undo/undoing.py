"""Runs are taken back: the audit read backwards, each change turned round and committed like any other.

A change starts from what is there now: what use, or the engine by itself, made of a row since does not stand in the
way, and what a later run changed in the same columns does.
"""

import asyncio
import hashlib
from collections.abc import Iterable, Sequence
from typing import Any, cast

from remanence.core.box import FindBoxes, FindTraces
from remanence.core.change import AuditPart, Cause, Change, Entry, Row, inverses, rows_of
from remanence.core.errors import Conflict, InvalidInput, NotFound, format_value
from remanence.core.keywords import Progress
from remanence.core.model import Link, Memory
from remanence.core.receipt import Receipt
from remanence.core.snapshot import SnapshotRequest
from remanence.edit.box_changes import BOXED, start_boxes_from_present
from remanence.edit.images import as_today, find_rewritten
from remanence.edit.later_runs import LaterRuns, columns_of, iterate_revised
from remanence.edit.reversal import start_from_present
from remanence.flows.base.audit_log import PAGE, list_parts
from remanence.flows.base.context import RACES_MAX, Core, ignore_progress, receipt
from remanence.flows.undo.dependent_rows import catch_up, find_dependents, read_attached
from remanence.flows.undo.refusals import (
    ASK,
    iterate_parts,
    may_be_named,
    read_part,
    refuse_another,
    refuse_ended,
    refuse_erased_memories,
    refuse_forbidden_texts,
    refuse_protected,
    refuse_verb,
    takes_all_back,
)
from remanence.flows.write.embedding import update_vectors
from remanence.flows.write.equal_texts import link_equal_texts
from remanence.store.constraints import APART, memories_of

ROWS_NAMED = 5  # in the error of an undo that other runs stand in the way of
BOXES_LOOKED_AT = 100  # the latest of a trace
_BOX_TABLES = ("boxes", "traces")


def undo_id(run: str) -> str:
    """Return the id of the run that undoes `run`."""
    return hashlib.blake2b(b"undo " + run.encode(), digest_size=16).hexdigest()


async def undo(core: Core, run: str, progress: Progress | None = None) -> Receipt:
    """Take a run back: its parts in reverse, each inverted; refuse as a whole if a row changed since.

    What was changed since and taken back has not changed. The undoing run's id follows from the undone one's, so a
    second undo is refused and an interrupted one goes on where it stopped. `progress` hears how many changes are taken
    back, of how many.
    """
    if not isinstance(run, str):
        raise InvalidInput(f"{format_value(run)} names no run", recovery="pass a receipt, or the run's id")
    parts = await list_parts(core, run)
    if not parts:
        way = "list runs with `history`" if takes_all_back(core) else "name a run as it was answered to you"
        raise NotFound(f"no run {run!r} in scope {core.scope!r}", recovery=way)
    refuse_another(core, parts[0].cause)
    refuse_verb(parts[0].cause)
    undoing = undo_id(run)
    back = await list_parts(core, undoing)
    done_parts = {part.cause.part for part in back}
    rest = [part for part in reversed(parts) if part.cause.part not in done_parts]
    if not rest:
        raise _undone_already(core, run, back)
    refuse_ended(run, rest)
    later = LaterRuns(parts[0].position, {run, undoing})
    if len(rest) > 1 and await _written_since(core, parts[-1].position, {run, undoing}):
        try:
            await _refuse_later_edits(core, rest, later)
        except Conflict:
            if len(await list_parts(core, undoing)) == len(back):
                raise
    await refuse_forbidden_texts(core, rest)
    await refuse_erased_memories(core, rest)
    await refuse_protected(core, rest)
    count, done, mine, total = 0, 0, 0, sum(part.count for part in rest)
    tell = progress or ignore_progress
    tell(done, total)
    for part in rest:
        cause = core.cause(
            "undo",
            run=undoing,
            part=part.cause.part,
            final=part is rest[-1],
            planned=True,
            detail={"undoes": run},
        )
        taken = await _take_back_once(core, part, cause, later)
        count += part.count if taken else 0
        mine += taken is not None
        done += part.count
        tell(done, total)
    if not mine:
        raise _undone_already(core, run, await list_parts(core, undoing))
    return receipt(
        core.scope, core.cause("undo", run=undoing), count, {"undo": count}, parts=mine, undoes=run
    )


def _undone_already(core: Core, run: str, back: Sequence[AuditPart]) -> InvalidInput:
    again = f"to do it again, undo the undoing: {undo_id(run)}"
    own = may_be_named(core, back[0].cause)
    return InvalidInput(f"run {run} is undone already", recovery=again if own else ASK)


async def _written_since(core: Core, position: int, own: set[str]) -> bool:
    """Tell whether anything was written since, by another run; uses count too, since links grow by them."""
    page = await core.store.history(core.scope, after=position, limit=PAGE, rows=False)
    return len(page) == PAGE or any(part.cause.run not in own for part in page)


async def _refuse_later_edits(core: Core, rest: Sequence[AuditPart], later: LaterRuns) -> None:
    """Look at all parts before the first is undone, so that a run of many parts is undone whole or not at all."""
    await catch_up(core, later)
    conflicts: list[Row] = []
    gone: set[Row] = set()
    mine: frozenset[str] = frozenset()
    async for part in iterate_parts(core, rest):
        more, back = await find_dependents(core, inverses(part.entries), part.cause, later)
        mine |= _columns([*more, *back])
        conflicts += await _find_later_edits(core, back, later, part.position)
        conflicts += await _find_left_behind(core, [*more, *back], gone)
    if conflicts:
        raise _changed_since(core, rest[0], later, conflicts, mine)


async def _find_later_edits(core: Core, back: Sequence[Entry], later: LaterRuns, position: int) -> list[Row]:
    """Return the rows of a part that later runs changed so that it cannot be taken back."""
    revised = iterate_revised([one for one in back if one.before is not None])
    seqs = {seq for keys, _ in revised for seq in keys.tolist()}
    links = {
        ("links", change.key): change.before or {}
        for one in back
        if one.table == "links" and one.before is not None and one.after is not None
        for change in one.changes()
    }
    changed: set[Row] = {("memories", seq) for seq in later.columns(seqs, after=position)}
    present = await _read_rows(core, links.keys() | changed)
    # Uses are not logged: links are compared with what is there.
    changed |= {
        row
        for row, left in links.items()
        if row not in present or any(getattr(present[row], name) != value for name, value in left.items())
    }
    return start_from_present(back, changed, present, later)[1]


async def _take_back_once(core: Core, part: AuditPart, cause: Cause, later: LaterRuns) -> bool | None:
    """Take a part back; None where another call that undoes the same run was faster."""
    whole = await read_part(core, part)
    try:
        return await _take_back(core, whole, cause, later)
    except (Conflict, InvalidInput) as refusal:
        if any(one.cause.part == cause.part for one in await list_parts(core, cause.run)):
            return None
        if isinstance(refusal, InvalidInput):
            raise
        await catch_up(core, later)
        raise _changed_since(core, part, later, refusal.keys, _columns(whole.entries)) from refusal


async def _take_back(core: Core, part: AuditPart, cause: Cause, later: LaterRuns) -> bool | None:
    """Commit the inverse of a part; use since, and changes of other columns, stay.

    Tells whether anything of it was left to take back; None where that was done meanwhile.
    """
    changes = await update_vectors(core, await asyncio.to_thread(inverses, part.entries), part.position)
    memories = await core.store.get(core.scope, find_rewritten(changes))
    changes = as_today(changes, {memory.seq: memory for memory in memories if memory is not None})
    changes += await link_equal_texts(core, changes)
    more, changes = await find_dependents(core, changes, part.cause, later)
    entries = [one for one in (*more, *changes) if one.table not in _BOX_TABLES]
    boxed = list(rows_of(one for one in (*more, *changes) if one.table in _BOX_TABLES))
    conflicts = await _find_left_behind(core, entries, set()) + await _find_missing(core, entries)
    for _ in range(RACES_MAX):
        if conflicts:
            raise Conflict(conflicts)
        started = await _start_boxes(core, boxed, part.cause)
        try:
            written = await core.commit([*entries, *started], cause)
        except Conflict as conflict:
            await catch_up(core, later)
            moved = {row for row in conflict.keys if row[0] not in _BOX_TABLES}  # these are read anew
            present = await _read_rows(core, moved)
            entries, conflicts = start_from_present(entries, moved, present, later)
            continue
        return None if written.is_repeated else bool(entries or started)
    raise Conflict((), "the memories of the run were used again and again while it was undone")


async def _read_rows(core: Core, rows: Iterable[Row]) -> dict[Row, Memory | Link]:
    """Return memories and links as they are now, those that are there."""
    by_table: dict[str, list[Any]] = {"memories": [], "links": []}
    for table, key in rows:
        by_table.get(table, []).append(key)
    memories = await core.store.get(core.scope, [seq for seq in by_table["memories"] if isinstance(seq, int)])
    present: dict[Row, Memory | Link] = {("memories", one.seq): one for one in memories if one is not None}
    if keys := set(by_table["links"]):
        links = await core.store.neighbours(core.scope, sorted({source for source, _, _ in keys}))
        present |= {("links", link.key): link for link in links if link.key in keys}
    return present


async def _start_boxes(core: Core, changes: Sequence[Change], cause: Cause) -> list[Change]:
    """Let a run's changes of boxes and traces start from these as they are now."""
    if not changes:
        return []
    store, scope = core.store, core.scope
    numbers = [tuple(cast("int", one.key) for one in changes if one.table == name) for name in _BOX_TABLES]
    boxes = [*await store.boxes(scope, FindBoxes(only=numbers[0]))]
    traces = await store.traces(scope, FindTraces(only=numbers[1]))
    for session in {box.session for box in boxes}:
        boxes += await store.boxes(scope, FindBoxes(session=session, is_open=True))
    for trace in traces:
        boxes += await store.boxes(scope, FindBoxes(trace=trace.trace, limit=BOXES_LOOKED_AT))
    by_number, made = {box.box: box for box in boxes}, cause.detail.get(BOXED, {})
    return start_boxes_from_present(changes, by_number, {one.trace: one for one in traces}, made)


async def _find_left_behind(core: Core, entries: Sequence[Entry], gone: set[Row]) -> list[Row]:
    """Return the tags, sources and links that memories have got since and that would be left without them.

    `gone` are rows that will be gone by then, to which those of these changes are added.
    """
    going = list(rows_of(entry for entry in entries if entry.after is None))
    gone |= {(change.table, change.key) for change in going}
    seqs = [cast("int", change.key) for change in going if change.table == "memories"]
    return sorted((await read_attached(core, seqs))[1].keys() - gone) if seqs else []


async def _find_missing(core: Core, entries: Sequence[Entry]) -> list[Row]:
    """Return the memories to which links, tags or sources would come back, and that were purged since."""
    additions = [one for one in entries if one.table not in {"memories", *APART} and one.before is None]
    seqs = {seq for one in additions for key in one.row_keys() for seq in memories_of(one.table, key)}
    seqs -= {key for one in entries if one.table == "memories" for key in one.row_keys()}
    if not seqs:
        return []
    there = await core.store.snapshot(
        core.scope, SnapshotRequest(frozenset(), only=tuple(sorted(seqs))), core.clock.now()
    )
    return [("memories", seq) for seq in sorted(seqs - set(there.seq.tolist()))]


def _columns(entries: Iterable[Entry]) -> frozenset[str]:
    """Return the columns of memories that entries change."""
    return frozenset().union(*(columns_of(one) for one in entries if one.table == "memories"))


def _changed_since(
    core: Core, last: AuditPart, later: LaterRuns, rows: Sequence[Row], mine: frozenset[str]
) -> Conflict:
    """Return the refusal that says which rows changed since the last part of a run, and which runs to undo before it.

    `mine` are the columns of the run. An agent is told of its own runs alone.
    """
    names = ", ".join(f"{table} {key}" for table, key in rows[:ROWS_NAMED])
    count = f"{len(rows):,} rows" if len(rows) > 1 else "a row"
    causes = later.runs(set(rows), mine)
    first = [f"{cause.run} ({cause.verb})" for cause in causes if may_be_named(core, cause)]
    way = f"undo before it: {', '.join(first)}" if first else "change the rows back by hand"
    way = way if len(first) == len(causes) else ASK
    return Conflict(
        rows,
        f"run {last.cause.run} cannot be undone: {count} changed since, among them {names}",
        recovery=f"nothing was undone; {way}",
        runs=[cause.run for cause in causes if may_be_named(core, cause)],
    )
