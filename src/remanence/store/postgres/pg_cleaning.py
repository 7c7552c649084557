"""What can be done on a server so that rows that an erasure took away are no longer in its tables and indexes.

A server keeps a row that was deleted until VACUUM takes it away, and its log, its replicas and its backups keep what
they have for as long as they are kept: that is said, and never called proven.
"""

from typing import Any

from psycopg import Connection, sql

from remanence.store.base import CleanResult
from remanence.store.data_inventory import SERVER_TABLES, TABLES
from remanence.store.postgres.pg_database import PgDatabase
from remanence.store.sql import meta
from remanence.store.sql.database import Database, first
from remanence.store.sql.dialect import Statement

BEYOND = (
    "the server's write-ahead log, its replicas and its base backups keep what they have until they are removed:"
    " look at wal_keep_size, archive_command, replication slots and how long backups are kept"
)
# The transaction of the last erasure, of all scopes that the role sees.
_DUE = Statement(f"SELECT max(value::bigint) FROM meta WHERE starts_with(name, '{meta.ERASED_AT}')")
_END = Statement(f"DELETE FROM meta WHERE starts_with(name, '{meta.ERASED_AT}') AND value::bigint <= ?1")
# Who still may see what was there before a transaction: VACUUM leaves it for them.
_READERS = Statement(
    "SELECT count(*) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND datname = current_database()"
    " AND backend_xmin IS NOT NULL AND backend_xmin::text::bigint <= ?1"
)
_HELD = tuple(place.name for place in (*TABLES, *SERVER_TABLES) if place.holds in {"text", "vector", "name"})
_PENDING = "another transaction may still see the rows; try again once it has ended"


def find_due(db: Database) -> int | None:
    """Return the transaction of the last erasure that was not cleaned up after, None where there is none."""
    found: int | None = first(db.row(_DUE))
    return found


def clean(connection: Connection[Any]) -> CleanResult:
    """Have the server take away the rows that were erased; `connection` is in autocommit."""
    db = PgDatabase(connection)
    due = find_due(db)
    if due is None:
        return CleanResult()
    refused: list[str] = []
    connection.add_notice_handler(lambda notice: refused.append(notice.message_primary or ""))
    readers = db.row(_READERS, (due,))
    for name in _HELD:
        found = db.row(_IS_TABLE, (name,))
        if found is not None and found[0]:
            connection.execute(sql.SQL("VACUUM {}").format(sql.Identifier(name)))
    if refused:
        return CleanResult(is_pending=True, why=refused[0], beyond=BEYOND)
    if readers is not None and readers[0]:
        return CleanResult(is_pending=True, why=_PENDING, beyond=BEYOND)
    db.run(_END, (due,))
    return CleanResult(is_done=True, beyond=BEYOND)


_IS_TABLE = Statement("SELECT to_regclass(?1) IS NOT NULL")
