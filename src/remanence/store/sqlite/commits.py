"""A commit on SQLite: every row is compared first, then audit, memories and what hangs on them are written at once.

A commit of uses that goes on with the last line of its scope becomes a part of that line. Knows the order of the steps
and what they owe the rest of the scope; knows nothing of threads and transactions.
"""

import sqlite3
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import orjson

from remanence.core.change import ROWLESS, Cause, Change, CommitResult, Entry, number_entries, row_count
from remanence.core.errors import Conflict
from remanence.store.audit_parts import USE, content_digest, goes_on, pack_run_id, part_digest
from remanence.store.constraints import folds_of, memories_of, resolve, texts_coming_in
from remanence.store.erasure import ERASE
from remanence.store.sqlite import audit, block_log, bookkeeping
from remanence.store.sqlite.attached import AttachedChanges
from remanence.store.sqlite.audit import (
    HEADER,
    ChainLink,
    entries_digest,
    header_digest,
    own_digest,
    plain_header,
)
from remanence.store.sqlite.blocks import Blocks
from remanence.store.sqlite.dialect import id_list
from remanence.store.sqlite.erasing import SqlErasure, coming_back
from remanence.store.sqlite.memories import Memories
from remanence.store.sqlite.string_ids import SCOPE, Fresh
from remanence.store.sqlite.transaction import CommitContext, Key
from remanence.store.sqlite.use_parts import UsePart, pack_part, pack_used

_ROW = f"SELECT {', '.join(HEADER)}, asked FROM runs"
_LAST = f"{_ROW} INDEXED BY runs_scope WHERE scope = ? ORDER BY position DESC LIMIT 1"
_OF_RUN = f"{_ROW} WHERE scope = ? AND id = ? AND part = 0 AND verb = '{USE}'"
_GROW = (
    "UPDATE runs SET at = ?, changes = ?, digest = ?, entries = ?, asked = ?, parts = ? WHERE position = ?"
)
_COUNTED = "UPDATE sqlite_sequence SET seq = ? WHERE name = 'runs'"
_BEFORE = "SELECT before FROM scopes WHERE scope = ?"


def find_written(
    connection: sqlite3.Connection, scope: int, cause: Cause, asked: bytes
) -> CommitResult | None:
    """Return what was done where a commit was written as a part of the line that it goes on with."""
    if cause.extends is None:
        return None
    run, number = cause.extends
    row = connection.execute(_OF_RUN, (scope, pack_run_id(run))).fetchone()
    parts = [] if row is None else audit.parts_of(row[: len(HEADER)], row[-1])
    if number >= len(parts) or parts[number].asked != asked:
        return None
    return CommitResult(run, number, parts[number].position, (), parts[number].changes)


@dataclass(frozen=True, slots=True)
class UseLine:
    """The last line of a scope, given by number and name, which a commit goes on with as `cause`."""

    scope: tuple[int, str]
    header: tuple[Any, ...]
    parts: list[UsePart]
    block: block_log.Row
    cause: Cause

    def grow(self, connection: sqlite3.Connection, part: UsePart, used: Sequence[int]) -> ChainLink:
        """Write one more part into the line, and return the link of the chain that it is by now."""
        parts = [*self.parts, part]
        packed_parts = b"".join(map(pack_part, parts, [None, *self.parts]))
        header_fields = dict(zip(HEADER, self.header, strict=True))
        changes = header_fields["changes"] + part.changes
        header = list({**header_fields, "at": part.at, "changes": changes, "parts": packed_parts}.values())
        block = block_log.add_used(self.block, pack_used(used), len(used))
        entries = entries_digest({}, [], [block])
        why = header_digest(header, self.scope[1], part.asked)
        first = self.parts[0].position
        connection.execute(
            _GROW, (part.at, changes, own_digest(why, entries), entries, part.asked, packed_parts, first)
        )
        block_log.rewrite(connection, block)
        connection.execute(_COUNTED, (part.position,))
        (before,) = connection.execute(_BEFORE, (self.scope[0],)).fetchone()
        return ChainLink(part_digest(before, why, entries), before)


def find_line(
    connection: sqlite3.Connection, names: Fresh, scope: tuple[int, str], cause: Cause, used: int
) -> UseLine | None:
    """Return the line that a commit of so many uses goes on with, None where that is not the last of its scope."""
    if cause.extends is None or cause.verb != USE:
        return None
    row = connection.execute(_LAST, (scope[0],)).fetchone()
    if row is None or row[HEADER.index("run")] != cause.extends[0]:
        return None
    header = plain_header(connection, names, row[: len(HEADER)])
    parts = audit.parts_of(header, row[-1])
    blocks = block_log.read(connection, parts[0].position)
    last = replace(audit.cause_of(header), part=len(parts) - 1)
    if len(blocks) != 1 or not block_log.can_grow(blocks[0]):
        return None
    if not goes_on(cause, last, parts[0].at, blocks[0][4] + used):
        return None
    return UseLine(
        scope, header, parts, blocks[0], replace(cause, run=last.run, part=len(parts), extends=None)
    )


_NEIGHBOURS = (
    "SELECT target FROM json_each(?1) CROSS JOIN links ON scope = ?2 AND source = value"
    " UNION SELECT source FROM json_each(?1) CROSS JOIN links INDEXED BY links_target ON scope = ?2 AND target = value"
)
_FORBIDS = "SELECT 1 FROM forbidden WHERE scope = ? LIMIT 1"
_FORBIDDEN = (
    "SELECT fold FROM json_each(?2) AS given CROSS JOIN forbidden ON scope = ?1 AND fold = given.value"
    " ORDER BY fold"
)
_REVISE = (
    "UPDATE states SET revision = revision + 1 WHERE scope = ? AND seq IN (SELECT value FROM json_each(?))"
)
_TOUCH = "UPDATE states SET touched = touched + 1 WHERE scope = ? AND seq IN (SELECT value FROM json_each(?))"


def commit(
    connection: sqlite3.Connection, names: Fresh, scope: str, entries: Sequence[Entry], cause: Cause
) -> CommitResult:
    """Write all changes with their audit, or raise and leave the rollback to the caller."""
    names.follow(connection)
    no, request_digest = names.make(connection, SCOPE, scope), content_digest(entries)
    singles, blocks = number_entries(entries)
    outcome = audit.find_earlier_commit(connection, no, singles, cause, request_digest)
    outcome = outcome or find_written(connection, no, cause, request_digest)
    if outcome is not None:
        return outcome
    bookkeeping.refuse_lost_lease(connection, no, cause.fence)
    # The highest number ever given, also where its row is gone: none is given twice.
    latest: dict[str, int] = dict(connection.execute("SELECT name, seq FROM sqlite_sequence").fetchall())
    changes = [change for _, change in singles]
    final_changes, new_seqs = resolve(changes, latest.get("memories", 0))
    count = row_count(entries)
    if cause.verb == ERASE:  # which memories went or were redacted is logged, and nothing else
        count = sum(entry.table == "memories" for entry in entries)
    images = audit.PartImages(latest.get("runs", 0) + 1, count, request_digest)
    work = CommitContext(connection, names, no, scope, cause, images)
    writes = _Writes(Memories(work), AttachedChanges(work), Blocks(work, blocks))
    for (n, _), change in zip(singles, final_changes, strict=True):
        (writes.memories if change.table == "memories" else writes.attached).take(n, change)
    _compare(work, writes, changes, final_changes)
    erasing = (
        SqlErasure(work, writes.memories.destroyed_rows, writes.memories.read_redacted_rows(), final_changes)
        if cause.verb == ERASE
        else None
    )
    if erasing is not None:
        erasing.empty()
    logs = bool(entries) or cause.closes
    link = _write_audit(work, writes, final_changes) if logs else None
    writes.memories.update()
    writes.memories.create()
    writes.attached.refuse_dangling(writes.memories.created_seqs, writes.memories.destroyed_seqs)
    writes.blocks.refuse(writes.memories.destroyed_seqs)
    writes.attached.write()
    writes.blocks.write()
    writes.memories.destroy()
    if erasing is not None:
        erasing.finish()
    _revise(work, writes)
    if not cause.planned:
        _touch(work, writes)
    follows = position_of(connection, no)
    if link is not None:
        more = len(writes.memories.created_seqs) - len(writes.memories.destroyed_rows)
        connection.execute(audit.CLOSE, (no, images.position, more, work.words, cause.at, *link))
    if cause.turns:
        bookkeeping.hear(work, cause.turns)
    if cause.fired:
        bookkeeping.fire(work, cause.fired)
    if cause.counts or cause.values:
        bookkeeping.apply_bookkeeping(work)
    work.sums.write(connection)
    position = images.position if logs else follows
    return CommitResult(work.cause.run, work.cause.part, position, new_seqs, count, follows)


class _Writes(NamedTuple):
    """What one commit writes: single changes of memories, of what hangs on them, and blocks."""

    memories: Memories
    attached: AttachedChanges
    blocks: Blocks


def _compare(
    work: CommitContext, writes: _Writes, changes: Sequence[Change], resolved: Sequence[Change]
) -> None:
    """Raise Conflict with all rows that are not as their changes say they were, and with what forbids a text."""
    memories = [*writes.memories.conflicts()]
    # What hangs on a memory that comes cannot be there yet, unless the memory is there already.
    fresh = writes.memories.created_seqs - {seq for _, seq in memories}
    conflicts = [
        *memories,
        *writes.attached.conflicts(fresh),
        *writes.blocks.conflicts(),
        *_find_forbidden(work, changes),
        *coming_back(work, changes),
    ]
    if conflicts:
        request_keys: dict[Key, Any] = {
            (change.table, change.key): request.key for request, change in zip(changes, resolved, strict=True)
        }
        raise Conflict([(table, request_keys.get((table, key), key)) for table, key in conflicts])


def _find_forbidden(work: CommitContext, changes: Sequence[Change]) -> list[Key]:
    """Return what forbids a text that comes in; where nothing is forbidden, no text is folded."""
    texts = texts_coming_in(changes, work.cause.verb)
    if not texts or work.connection.execute(_FORBIDS, (work.no,)).fetchone() is None:
        return []
    fold_list = orjson.dumps(sorted(folds_of(texts))).decode()
    return [("forbidden", fold) for (fold,) in work.connection.execute(_FORBIDDEN, (work.no, fold_list))]


def position_of(connection: sqlite3.Connection, scope: int) -> int:
    """Return where a scope's change sequence stands, 0 for one that was never written to."""
    row = connection.execute("SELECT position FROM scopes WHERE scope = ?", (scope,)).fetchone()
    return row[0] if row else 0


def _write_audit(work: CommitContext, writes: _Writes, changes: Sequence[Change]) -> audit.ChainLink:
    """Write the audit of the part; of uses only which memories were used, since they are never undone."""
    if work.cause.verb in ROWLESS:
        used = {seq for change in changes for seq in memories_of(change.table, change.key)}
        if (line := _line(work, used)) is not None:
            return line
        work.images.add_used(used)
    elif work.cause.verb == ERASE:
        writes.memories.record_erasure()
    else:
        writes.memories.images()
        writes.attached.images()
        writes.blocks.images()
    link, mentions = audit.write(work.connection, (work.no, work.scope), work.cause, work.images, work.names)
    work.sums.add_rows("mentions", mentions)
    return link


def _line(work: CommitContext, used: Collection[int]) -> audit.ChainLink | None:
    """Write uses into the line that they go on with; None where they begin one of their own."""
    line = find_line(work.connection, work.names, (work.no, work.scope), work.cause, len(used))
    if line is None:
        return None
    work.cause, images = line.cause, work.images
    part = UsePart(images.position, work.cause.at, images.count, images.asked)
    return line.grow(work.connection, part, sorted(used))


def _revise(work: CommitContext, writes: _Writes) -> None:
    """Raise the revision of a memory whose tags alone changed: whoever read it before must read it again."""
    seqs = writes.attached.revised_seqs - writes.memories.created_seqs - set(writes.memories.destroyed_seqs)
    seqs -= {*writes.memories.changed_seqs, *writes.blocks.changed_seqs} if seqs else set()
    if seqs:
        work.connection.execute(_REVISE, (work.no, id_list(seqs)))
        work.sums.increment_column("states", [(seq,) for seq in seqs], "revision")


def _touch(work: CommitContext, writes: _Writes) -> None:
    """Raise `touched` where something was written that hangs on a memory, and of all neighbours of one that changed."""
    changed_seqs = [*writes.memories.changed_seqs, *writes.blocks.changed_seqs]
    seqs = writes.attached.ends | writes.blocks.ends
    if changed_seqs:
        cursor = work.connection.execute(_NEIGHBOURS, (id_list(changed_seqs), work.no))
        seqs |= {seq for (seq,) in cursor.fetchall()}
    seqs -= writes.memories.created_seqs
    seqs.difference_update(writes.memories.destroyed_seqs)
    if seqs:
        work.connection.execute(_TOUCH, (work.no, id_list(seqs)))
        work.sums.increment_column("states", [(seq,) for seq in seqs], "touched")
