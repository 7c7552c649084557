"""A commit: every row is compared first, then audit, memories and what hangs on them are written at once.

A commit of uses that goes on with the last line of its scope becomes a part of that line. Knows the order of the steps
and what they owe the rest of the scope; knows nothing of threads and transactions.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, NamedTuple, cast

from remanence.core.change import (
    ROWLESS,
    Cause,
    Change,
    CommitResult,
    Entry,
    Table,
    number_entries,
    row_count,
)
from remanence.core.errors import Conflict
from remanence.store.audit_parts import USE, content_digest, goes_on, pack_run_id, part_digest
from remanence.store.constraints import folds_of, memories_of, resolve, texts_coming_in
from remanence.store.erasure import ERASE
from remanence.store.sql import audit, block_log, bookkeeping
from remanence.store.sql.attached import AttachedChanges
from remanence.store.sql.audit import HEADER, entries_digest, header_digest, own_digest, plain_header
from remanence.store.sql.blocks import Blocks
from remanence.store.sql.database import Row
from remanence.store.sql.dialect import Statement
from remanence.store.sql.erasing import SqlErasure, coming_back
from remanence.store.sql.memories import Claims, Memories, build_claim
from remanence.store.sql.scope import OpenScope
from remanence.store.sql.transaction import CommitContext, Key
from remanence.store.sql.use_parts import UsePart, pack_part, pack_used

_LINE = Statement(
    f"SELECT {', '.join(HEADER)}, asked FROM runs WHERE scope = ?1 AND run = ?2 AND part = 0 AND verb = '{USE}'"
)
_GROW = Statement(
    "UPDATE runs SET at = ?3, changes = ?4, digest = ?5, entries = ?6, asked = ?7, parts = ?8"
    " WHERE scope = ?1 AND position = ?2"
)
_NEIGHBOURS = Statement(
    lambda sql: (
        f"SELECT target FROM links WHERE scope = ?1 AND source {sql.among(2)}"
        f" UNION SELECT source FROM links WHERE scope = ?1 AND target {sql.among(2)}"
    )
)
_FORBIDDEN = Statement(
    lambda sql: f"SELECT fold FROM forbidden WHERE scope = ?1 AND fold {sql.among_texts(2)} ORDER BY fold"
)
_REVISE = Statement(
    lambda sql: f"UPDATE states SET revision = revision + 1 WHERE scope = ?1 AND seq {sql.among(2)}"
)
_TOUCH = Statement(
    lambda sql: f"UPDATE states SET touched = touched + 1 WHERE scope = ?1 AND seq {sql.among(2)}"
)
_SET_TOUCHED = Statement("UPDATE states SET touched = ?3 WHERE scope = ?1 AND seq = ?2")
# From this many new memories on, what they claim is looked for in a statement of its own.
_MANY = 64


class _Precheck(NamedTuple):
    """What a scope is asked before anything else.

    Was this part written, is any text forbidden or erased, has a memory what new ones claim.
    """

    written: bool
    forbids: bool
    erased: bool
    taken: bool


@lru_cache(maxsize=16)
def _look(marks: int) -> Statement:
    """Return what a scope is asked about a part (parameters 2 and 3) and what its new memories claim."""
    return Statement(
        lambda sql: (
            "SELECT EXISTS (SELECT 1 FROM runs WHERE scope = ?1 AND run = ?2 AND part = ?3),"
            " EXISTS (SELECT 1 FROM forbidden WHERE scope = ?1),"
            " EXISTS (SELECT 1 FROM erased WHERE scope = ?1),"
            f" EXISTS ({build_claim(sql, marks, 4)})"
        )
    )


def _ask(scope: OpenScope, changes: Sequence[tuple[int, Change]], cause: Cause) -> _Precheck:
    created = [change for _, change in changes if change.table == "memories" and change.before is None]
    few = len(created) < _MANY
    claims = Claims(cause.verb, created if few else ())
    values = claims.list_values(scope.db)
    row = scope.db.row(_look(len(claims.marks)), (scope.no, pack_run_id(cause.run), cause.part, *values))
    assert row is not None
    written, forbids, erased, taken = row
    return _Precheck(written, forbids, erased, taken or not few)


@dataclass(frozen=True, slots=True)
class UseLine:
    """A line of uses that a commit goes on with: its header as it was said, its parts and their digest."""

    header: Row
    parts: list[UsePart]

    def grow(self, work: CommitContext, block: block_log.Row, used: Sequence[int]) -> None:
        """Write one more part into the line, whose block of uses is given; it is the last of its scope by now."""
        scope, images, cause = work.scope, work.images, work.cause
        part = UsePart(images.position, cause.at, images.count, images.asked)
        packed_parts = b"".join(map(pack_part, [*self.parts, part], [None, *self.parts]))
        fields = dict(zip(HEADER, self.header, strict=True))
        changes = fields["changes"] + part.changes
        header = [*{**fields, "at": part.at, "changes": changes, "parts": packed_parts}.values()]
        block = block_log.add_used(block, pack_used(used), len(used))
        entries = entries_digest({}, [], [block])
        why = header_digest(header, scope.name, part.asked)
        own = own_digest(why, entries)
        first = self.parts[0].position
        scope.db.run(_GROW, (scope.no, first, part.at, changes, own, entries, part.asked, packed_parts))
        block_log.rewrite(scope, block)
        row = scope.row
        scope.row = row._replace(
            position=part.position,
            newest_at=max(row.newest_at, part.at),
            digest=part_digest(row.before, why, entries),
        )


def _find_line(scope: OpenScope, cause: Cause) -> UseLine | None:
    """Return the line of uses that a commit would go on with, wherever it stands."""
    if cause.extends is None:
        return None
    row = scope.db.row(_LINE, (scope.no, pack_run_id(cause.extends[0])))
    if row is None:
        return None
    header = plain_header(scope.names, row[: len(HEADER)])
    return UseLine(header, audit.parts_of(header, row[-1]))


def _find_written(line: UseLine | None, cause: Cause, asked: bytes) -> CommitResult | None:
    """Return what was done where a commit was written as a part of the line that it goes on with."""
    if line is None or cause.extends is None:
        return None
    run, number = cause.extends
    if number >= len(line.parts) or line.parts[number].asked != asked:
        return None
    part = line.parts[number]
    return CommitResult(run, number, part.position, (), part.changes)


def _extend_line(work: CommitContext, line: UseLine | None, used: Collection[int]) -> bool:
    """Write uses into the line that they go on with; tell whether they do, or begin one of their own."""
    cause, scope = work.cause, work.scope
    if line is None or cause.verb != USE or line.parts[-1].position != scope.row.position:
        return False
    last = replace(audit.cause_of(line.header), part=len(line.parts) - 1)
    blocks = block_log.read(scope, line.parts[0].position)
    if len(blocks) != 1 or not block_log.can_grow(blocks[0]):
        return False
    if not goes_on(cause, last, line.parts[0].at, blocks[0][4] + len(used)):
        return False
    work.cause = replace(cause, run=last.run, part=len(line.parts), extends=None)
    line.grow(work, blocks[0], sorted(used))
    return True


def commit(scope: OpenScope, entries: Sequence[Entry], cause: Cause) -> CommitResult:
    """Write all changes with their audit, or raise and leave the rollback to the caller."""
    asked = content_digest(entries)
    singles, blocks = number_entries(entries)
    known = _ask(scope, singles, cause)
    line = None
    outcome = audit.find_earlier_commit(scope, singles, cause, asked) if known.written else None
    if outcome is None:
        line = _find_line(scope, cause)
        outcome = _find_written(line, cause, asked)
    if outcome is not None:
        return outcome
    bookkeeping.refuse_lost_lease(scope, cause.fence)
    changes = [change for _, change in singles]
    resolved, new_seqs = resolve(changes, scope.row.latest)
    count = row_count(entries)
    if cause.verb == ERASE:  # which memories went or were redacted is logged, and nothing else
        count = sum(entry.table == "memories" for entry in entries)
    follows = scope.row.position
    work = CommitContext(scope, cause, audit.PartImages(follows + 1, count, asked))
    memories = Memories(work, may_be_taken=known.taken)
    writes = _Writes(memories, AttachedChanges(work), Blocks(work, blocks))
    for (n, _), change in zip(singles, resolved, strict=True):
        (writes.memories if change.table == "memories" else writes.attached).take(n, change)
    _compare(work, writes, (changes, resolved), known)
    _write(work, writes, resolved, line, logs=bool(entries) or cause.closes)
    _keep_books(work)
    return CommitResult(work.cause.run, work.cause.part, scope.row.position, new_seqs, count, follows)


class _Writes(NamedTuple):
    """What one commit writes: single changes of memories, of what hangs on them, and blocks."""

    memories: Memories
    attached: AttachedChanges
    blocks: Blocks


def _compare(
    work: CommitContext, writes: _Writes, changes: tuple[Sequence[Change], Sequence[Change]], known: _Precheck
) -> None:
    """Raise Conflict with all rows that are not as their changes say they were, and with what forbids a text.

    `changes` are those that were asked for, and the same with the numbers of new memories.
    """
    requests, resolved = changes
    memories = [*writes.memories.conflicts()]
    # What hangs on a memory that comes cannot be there yet, unless the memory is there already.
    fresh = writes.memories.created_seqs - {seq for _, seq in memories}
    conflicts = [
        *memories,
        *writes.attached.conflicts(fresh),
        *writes.blocks.conflicts(),
        *(_find_forbidden(work, requests) if known.forbids else ()),
        *(coming_back(work, requests) if known.erased else ()),
    ]
    if conflicts:
        request_keys: dict[Key, Any] = {
            (change.table, change.key): request.key
            for request, change in zip(requests, resolved, strict=True)
        }
        raise Conflict([(table, request_keys.get((table, key), key)) for table, key in conflicts])


def _find_forbidden(work: CommitContext, changes: Sequence[Change]) -> list[Key]:
    """Return what forbids a text that comes in."""
    texts = texts_coming_in(changes, work.cause.verb)
    if not texts:
        return []
    rows = work.db.rows(_FORBIDDEN, (work.no, work.db.make_list(sorted(folds_of(texts)))))
    return [("forbidden", fold) for (fold,) in rows]


def _write(
    work: CommitContext, writes: _Writes, changes: Sequence[Change], line: UseLine | None, *, logs: bool
) -> None:
    """Write the audit where there is anything to log, then all rows, and what the scope holds by now."""
    memories, attached, blocks = writes
    erasure = None
    if work.cause.verb == ERASE:
        erasure = SqlErasure(work, memories.destroyed_rows, memories.read_redacted_rows(), changes)
        erasure.empty()
    if logs:
        _write_audit(work, writes, changes, line)
    work.scope.write_names()
    memories.update()
    memories.create()
    attached.refuse_dangling(memories.created_seqs, memories.destroyed_seqs)
    blocks.refuse(memories.destroyed_seqs)
    attached.write()
    blocks.write()
    memories.destroy()
    if erasure is not None:
        erasure.finish()
    _revise(work, writes)
    if not work.cause.planned:
        _touch(work, writes)
    row, created = work.scope.row, memories.created_seqs
    work.scope.row = row._replace(
        latest=max([row.latest, *created]),
        held=row.held + len(created) - len(memories.destroyed_rows),
        memories=row.memories + work.words,
    )


def _write_audit(
    work: CommitContext, writes: _Writes, changes: Sequence[Change], line: UseLine | None
) -> None:
    """Write the audit of the part; of uses only which memories were used, since they are never undone."""
    if work.cause.verb in ROWLESS:
        used = {seq for change in changes for seq in memories_of(change.table, change.key)}
        if _extend_line(work, line, used):
            return
        work.images.add_used(used)
    elif work.cause.verb == ERASE:
        writes.memories.record_erasure()
    else:
        writes.memories.images()
        writes.attached.images()
        writes.blocks.images()
    audit.write(work.scope, work.cause, work.images)


def insert_tables(scope: OpenScope, tables: Mapping[str, Mapping[Any, Mapping[str, Any]]]) -> None:
    """Write memories and what hangs on them into a scope that has none, with no audit."""
    work = CommitContext(scope, Cause("", 0, ""), audit.PartImages(0, 0, b""))
    memories, attached = Memories(work), AttachedChanges(work)
    for table, rows in tables.items():
        for key, row in rows.items():
            change = Change(cast("Table", table), key, None, row)
            (memories if table == "memories" else attached).take(0, change)
    memories.create()
    attached.write()
    touched = [(scope.no, seq, row["touched"]) for seq, row in tables["memories"].items()]
    scope.db.run_many(_SET_TOUCHED, touched)
    held = len(tables["memories"])
    scope.row = scope.row._replace(held=scope.row.held + held, memories=scope.row.memories + work.words)


def _keep_books(work: CommitContext) -> None:
    """Write what comes with a commit and is in no log: turns heard, rules fired, counters and values."""
    cause = work.cause
    if cause.turns:
        bookkeeping.hear(work, cause.turns)
    if cause.fired:
        bookkeeping.fire(work, cause.fired)
    if cause.counts or cause.values:
        bookkeeping.apply_bookkeeping(work)


def _revise(work: CommitContext, writes: _Writes) -> None:
    """Raise the revision of a memory whose tags alone changed: whoever read it before must read it again."""
    seqs = writes.attached.revised_seqs - writes.memories.created_seqs - set(writes.memories.destroyed_seqs)
    seqs -= {*writes.memories.changed_seqs, *writes.blocks.changed_seqs} if seqs else set()
    if seqs:
        work.db.run(_REVISE, (work.no, work.db.make_list(seqs)))
        work.sums.increment_column("states", [(seq,) for seq in seqs], "revision")


def _touch(work: CommitContext, writes: _Writes) -> None:
    """Raise `touched` where something was written that hangs on a memory, and of all neighbours of one that changed."""
    changed_seqs = [*writes.memories.changed_seqs, *writes.blocks.changed_seqs]
    seqs = writes.attached.ends | writes.blocks.ends
    if changed_seqs:
        seqs |= {seq for (seq,) in work.db.rows(_NEIGHBOURS, (work.no, work.db.make_list(changed_seqs)))}
    seqs -= writes.memories.created_seqs
    seqs.difference_update(writes.memories.destroyed_seqs)
    if seqs:
        work.db.run(_TOUCH, (work.no, work.db.make_list(seqs)))
        work.sums.increment_column("states", [(seq,) for seq in seqs], "touched")
