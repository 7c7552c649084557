"""A commit on SQLite: every row is compared first, then audit, memories, tags, links and sources are written at once.

Knows the order of the steps and what they owe the rest of the scope; knows nothing of threads and transactions.
"""

import sqlite3
from collections.abc import Iterable, Sequence

from remanence.change import Cause, Change, Committed
from remanence.errors import Conflict
from remanence.store.constraints import resolve
from remanence.store.sqlite import audit, bookkeeping
from remanence.store.sqlite.attached import Attached
from remanence.store.sqlite.dialect import id_list
from remanence.store.sqlite.interned import SCOPE, Fresh
from remanence.store.sqlite.memories import Memories
from remanence.store.sqlite.transaction import Work

_CLOSE = (
    "INSERT INTO scopes (scope, position, memories, newest_at) VALUES (?, ?, ?, ?) ON CONFLICT (scope) DO UPDATE"
    " SET position = excluded.position, memories = memories + excluded.memories,"
    " newest_at = max(newest_at, excluded.newest_at)"
)
_NEIGHBOURS = (
    "SELECT target FROM json_each(?1) CROSS JOIN links ON scope = ?2 AND source = value"
    " UNION SELECT source FROM json_each(?1) CROSS JOIN links INDEXED BY links_target ON scope = ?2 AND target = value"
)
_REVISE = (
    "UPDATE states SET revision = revision + 1 WHERE scope = ? AND seq IN (SELECT value FROM json_each(?))"
)
_TOUCH = "UPDATE states SET touched = touched + 1 WHERE scope = ? AND seq IN (SELECT value FROM json_each(?))"


def commit(
    connection: sqlite3.Connection, names: Fresh, scope: str, changes: Sequence[Change], cause: Cause
) -> Committed:
    """Write all changes with their audit, or raise and leave the rollback to the caller."""
    # The highest number ever given, also where its row is gone: none is given twice.
    latest: dict[str, int] = dict(connection.execute("SELECT name, seq FROM sqlite_sequence").fetchall())
    resolved, assigned = resolve(changes, latest.get("memories", 0))
    images = audit.Images(latest.get("runs", 0) + 1, len(changes))
    work = Work(connection, names, names.make(connection, SCOPE, scope), scope, cause, images)
    memories, attached = Memories(work), Attached(work)
    for n, change in enumerate(resolved):
        (memories if change.table == "memories" else attached).take(n, change)
    conflicts = [*memories.conflicts(), *attached.conflicts()]
    if conflicts:
        given = {
            (change.table, change.key): asked.key for asked, change in zip(changes, resolved, strict=True)
        }
        raise Conflict([(table, given[table, key]) for table, key in conflicts])  # type: ignore[index]
    logs = bool(changes) or cause.closes
    if logs:
        _log(work, memories, attached)
    memories.update()
    memories.create()
    attached.refuse_dangling(memories.destroyed)
    attached.write()
    memories.destroy()
    _revise(work, memories, attached)
    if not cause.planned:
        _touch(work, memories, attached)
    if logs:
        connection.execute(_CLOSE, (work.no, work.images.position, work.words, cause.at))
    if cause.turns:
        bookkeeping.hear(work, cause.turns)
    if cause.fired:
        bookkeeping.fire(work, cause.fired)
    work.sums.write(connection)
    position = work.images.position if logs else position_of(connection, work.no)
    return Committed(cause.run, cause.part, position, assigned, len(changes))


def position_of(connection: sqlite3.Connection, scope: int) -> int:
    """Return where a scope's change sequence stands, 0 for one that was never written to."""
    row = connection.execute("SELECT position FROM scopes WHERE scope = ?", (scope,)).fetchone()
    return row[0] if row else 0


def _log(work: Work, memories: Memories, attached: Attached) -> None:
    """Write the audit of the part; uses are counted there without their rows, since they are never undone."""
    if work.cause.verb != "use":
        memories.images()
        attached.images()
    mentions = audit.write(work.connection, work.no, work.cause, work.images)
    work.sums.added("mentions", mentions)


def _revise(work: Work, memories: Memories, attached: Attached) -> None:
    """Raise the revision of a memory whose tags alone changed: whoever read it before must read it again."""
    revised = attached.tagged - set(memories.changed) - memories.created - set(memories.destroyed)
    if revised:
        work.connection.execute(_REVISE, (work.no, id_list(revised)))
        work.sums.raised("states", [(seq,) for seq in revised], "revision")


def _touch(work: Work, memories: Memories, attached: Attached) -> None:
    """Raise `touched` where a tag, link or source was written, and of every neighbour of a memory that changed."""
    changed = memories.changed
    touched = attached.ends
    if changed:
        touched |= _neighbours(work, changed)
    touched -= memories.created
    touched.difference_update(memories.destroyed)
    if touched:
        work.connection.execute(_TOUCH, (work.no, id_list(touched)))
        work.sums.raised("states", [(seq,) for seq in touched], "touched")


def _neighbours(work: Work, seqs: Iterable[int]) -> set[int]:
    found = work.connection.execute(_NEIGHBOURS, (id_list(seqs), work.no))
    return {seq for (seq,) in found.fetchall()}
