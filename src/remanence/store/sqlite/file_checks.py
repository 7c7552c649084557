"""Whether a file is sound: SQLite's own checks, those of every SQL store, and what lies beside the file."""

import sqlite3
from collections.abc import Iterator

from remanence.core.errors import StoreUnavailable
from remanence.store.base import GO_BACK, Check
from remanence.store.data_inventory import BY_NAME
from remanence.store.sql.checking import SHOWN_MAX, check_all
from remanence.store.sql.names import NameCache
from remanence.store.sqlite import cleaning, ledger
from remanence.store.sqlite.database_file import meaning
from remanence.store.sqlite.driver import errors, key_of
from remanence.store.sqlite.sqlite_database import SqliteDatabase


def check(connection: sqlite3.Connection) -> list[Check]:
    """Look at everything; the list has one entry a check, sound or not."""
    return [
        _check_structure(connection),
        *check_all(
            SqliteDatabase(connection),
            NameCache(),
            errors(),
            _is_unavailable,
            lambda: _find_dangling_rows(connection),
        ),
        *_describe_encryption(connection),
        *_check_erasures(connection),
        *ledger.check(connection),
        *_check_unregistered_tables(connection),
    ]


def _is_unavailable(error: BaseException) -> bool:
    """Tell whether an error says nothing of what is stored."""
    return isinstance(meaning(error), StoreUnavailable)


def _check_structure(connection: sqlite3.Connection) -> Check:
    try:
        # quick_check would not compare indexes with their tables.
        lines = [line for (line,) in connection.execute("PRAGMA integrity_check").fetchall()]
    except errors(UnicodeDecodeError) as error:
        if _is_unavailable(error):
            raise
        lines = [f"cannot be read: {error}"]
    if lines == ["ok"]:
        return Check("structure", ok=True, detail="every page is in order")
    more = f" and {len(lines) - SHOWN_MAX} more" if len(lines) > SHOWN_MAX else ""
    return Check("structure", False, "; ".join(lines[:SHOWN_MAX]) + more, GO_BACK)


def _find_dangling_rows(connection: sqlite3.Connection) -> Iterator[str]:
    """Yield which rows name others that are not there; a row without a number of its own is told by its table."""
    for table, row, parent, _ in connection.execute("PRAGMA foreign_key_check").fetchall():
        yield f"{table if row is None else f'{table} {row}'} names no row of {parent}"


def _describe_encryption(connection: sqlite3.Connection) -> Iterator[Check]:
    """Yield whether the file is encrypted; nothing of a database in memory."""
    (_, _, file) = connection.execute("PRAGMA database_list").fetchone()
    if file:
        is_plain = key_of(connection) is None
        yield Check(
            "encryption",
            True,
            "the file is not encrypted" if is_plain else "the file and its log are encrypted",
        )


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
