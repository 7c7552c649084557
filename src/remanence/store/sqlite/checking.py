"""Whether what is stored is sound: SQLite's own checks, and ours, which see what those cannot.

Reads everything and mends nothing; each check says what it saw, also where the file breaks under it.
"""

import sqlite3
import struct
from collections.abc import Callable, Iterator

from remanence.core.errors import StoreUnavailable
from remanence.core.model import Status
from remanence.store.base import DOUBT_UNDO, GO_BACK, MAKE_ANEW, Check
from remanence.store.data_inventory import BY_NAME, VECTORS
from remanence.store.lineage import SUCCEEDING, find_without_successor, lineage
from remanence.store.sqlite import cleaning, fulltext, ledger, proving, sums
from remanence.store.sqlite.dialect import meaning
from remanence.store.sqlite.rows import MEMORIES, row_digest
from remanence.store.sqlite.string_ids import StringIds
from remanence.store.undo_data_pruning import PROVEN, from_where

SHOWN_MAX = 5

_CLOCKS_OFF = (
    "SELECT s.scope FROM scopes s WHERE s.newest_at <> (SELECT max(r.at) FROM runs r WHERE r.scope = s.scope)"
)

# Of each scope up to which part images have ended, and of when the last of these was.
_IMAGES_FROM = """
    SELECT names.name, r.position, r.at FROM runs AS r JOIN names ON names.no = r.scope
    WHERE r.position IN (
        SELECT max(json_extract(detail, '$.through')) FROM runs INDEXED BY runs_ending
        WHERE verb IN ('expire', 'erase') GROUP BY scope)
    ORDER BY names.name"""

_COUNTED_OFF = (
    "SELECT s.scope FROM scopes s WHERE s.held <> (SELECT count(*) FROM states t WHERE t.scope = s.scope)"
)

# What is made of the texts costs none of them.
_WAYS_OUT = {"full text": MAKE_ANEW, "audit": DOUBT_UNDO}
Faults = Iterator[str]
_UNREADABLE = (sqlite3.Error, struct.error, ValueError, TypeError, LookupError, OverflowError)
_SUCCEEDING = ", ".join(str(int(relation)) for relation in sorted(SUCCEEDING))


def check(connection: sqlite3.Connection, names: StringIds) -> list[Check]:
    """Look at everything; the list has one entry a check, sound or not."""
    return [
        _run_check("structure", "every page is in order", lambda: _structure(connection)),
        _run_check("references", "every row names rows that are there", lambda: _references(connection)),
        _run_check("rows", "every text and vector is what was written", lambda: _rows(connection)),
        _run_check(
            "sums",
            "every state, tag, source and link is what was written",
            lambda: sums.find_sum_faults(connection),
        ),
        _run_check("audit", _proven(connection), lambda: _audit(connection, names)),
        _run_check(
            "full text",
            "every word is found where it stands, and counted",
            lambda: fulltext.find_word_faults(connection),
        ),
        _lineage(connection),
        *_check_erasures(connection),
        *ledger.check(connection),
        *_check_unregistered_tables(connection),
    ]


def _check_erasures(connection: sqlite3.Connection) -> Iterator[Check]:
    """Yield what is to be said of what was erased, where there is anything."""
    if places := cleaning.left_where(connection):
        where = ", ".join(places)
        yield Check(
            "erased",
            ok=False,
            detail=f"something of what was erased is left in {where}",
            advice="close what else has the file open and run `remanence erase --since --yes`; delete what is named"
            " beside it",
        )
    elif cleaning.is_due(connection):
        yield Check(
            "erased",
            ok=True,
            detail="it is not proven yet that what was erased is gone from the file",
            advice="run `remanence erase --since --yes` where no other process reads the file",
        )


def _check_unregistered_tables(connection: sqlite3.Connection) -> Iterator[Check]:
    """Yield which tables are none of ours: an erasure does not know what they hold."""
    rows = connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name").fetchall()
    others = [name for (name,) in rows if name not in BY_NAME]
    if others:
        yield Check(
            "tables",
            ok=True,
            detail=f"the file has tables that are none of ours: {', '.join(others[:SHOWN_MAX])}",
            advice="see whether they hold what memories say: an erasure looks for it there, and takes nothing away",
        )


def _run_check(name: str, sound: str, look: Callable[[], Faults]) -> Check:
    faults: list[str] = []
    try:
        faults.extend(look())
    except _UNREADABLE as error:
        if isinstance(meaning(error), StoreUnavailable):  # it says nothing of what is stored
            raise
        faults.append(f"cannot be read: {error}")
    more = f" and {len(faults) - SHOWN_MAX} more" if len(faults) > SHOWN_MAX else ""
    if not faults:
        return Check(name, ok=True, detail=sound)
    return Check(name, False, "; ".join(faults[:SHOWN_MAX]) + more, _WAYS_OUT.get(name, GO_BACK))


def _structure(connection: sqlite3.Connection) -> Faults:
    # quick_check would not compare indexes with their tables.
    for (line,) in connection.execute("PRAGMA integrity_check").fetchall():
        if line != "ok":
            yield line


def _references(connection: sqlite3.Connection) -> Faults:
    for table, row, parent, _ in connection.execute("PRAGMA foreign_key_check").fetchall():
        yield f"{table} {row or ''} names no row of {parent}"
    halves = connection.execute(
        "SELECT seq FROM memories WHERE seq NOT IN (SELECT seq FROM states)"
        " UNION SELECT m.seq FROM memories m JOIN states s ON s.seq = m.seq WHERE m.scope <> s.scope"
    )
    for (seq,) in halves.fetchall():
        yield f"memory {seq} has no state in its scope"


def _rows(connection: sqlite3.Connection) -> Faults:
    columns = ", ".join(column.name for column in MEMORIES)
    for seq, scope, digest, *values in connection.execute(
        f"SELECT seq, scope, digest, {columns} FROM memories"
    ):
        if row_digest(seq, scope, values) != digest:
            yield f"memory {seq} is not what was written"
    for table in VECTORS:
        for seq, vector, digest in connection.execute(f"SELECT seq, vector, digest FROM {table}"):
            if sums.vector_digest(vector) != digest:
                yield f"the vector of memory {seq} in {table} is not what was written"


def _proven(connection: sqlite3.Connection) -> str:
    """Say what a sound audit proves: from where on the images, too."""
    try:
        rows = connection.execute(_IMAGES_FROM).fetchall()
    except _UNREADABLE:
        rows = []
    return PROVEN + from_where([(name, through, at) for name, through, at in rows])


def _audit(connection: sqlite3.Connection, names: StringIds) -> Faults:
    yield from proving.find_audit_faults(connection, names)
    for (scope,) in connection.execute(_CLOCKS_OFF).fetchall():
        yield f"scope {scope} was last written to at another time than its newest run"
    for (scope,) in connection.execute(_COUNTED_OFF).fetchall():
        yield f"scope {scope} counts other memories than it has"


def _lineage(connection: sqlite3.Connection) -> Check:
    try:
        links = connection.execute(
            "SELECT source, target, status FROM links CROSS JOIN states ON seq = source"
            f" WHERE relation IN ({_SUCCEEDING})"
        ).fetchall()
        fallen = connection.execute("SELECT seq, reason FROM states WHERE status = ?", (Status.SUPERSEDED,))
        return lineage(find_without_successor(links, dict(fallen.fetchall())))
    except _UNREADABLE as error:
        return Check("lineage", ok=False, detail=f"cannot be read: {error}")
