"""What the server knows of the sizes of tables, by which it plans: brought up to date after they have grown.

The server does that by itself within minutes. Until then it believes that a table which was just filled is small, and
reads all memories of a scope where it should look for a few.
"""

from typing import Any

from psycopg import Connection, sql

from remanence.store.data_inventory import SERVER_TABLES, TABLES
from remanence.store.postgres.pg_database import PgDatabase
from remanence.store.sql.dialect import Statement

FIRST = 1_000  # changes of this process after which it looks; then after twice as many each time
_NAMES = tuple(place.name for place in (*TABLES, *SERVER_TABLES))
# Those that have at least eight pages, and twice as many as the server knows of.
_GROWN = Statement(
    "SELECT relname::text FROM pg_class WHERE relnamespace = current_schema()::text::regnamespace AND relkind = 'r'"
    " AND relname::text = ANY (?1::text[]) AND pg_relation_size(oid) >= 8192 * greatest(2 * relpages, 8)"
)


class Growth:
    """How much this process has written, and when it looks at the tables next."""

    def __init__(self) -> None:
        self._written, self._next = 0, FIRST

    def is_due(self, changes: int) -> bool:
        """Count changes; tell whether it is time to look."""
        self._written += changes
        if self._written < self._next:
            return False
        self._next = 2 * self._written
        return True


def update(connection: Connection[Any]) -> None:
    """Have the server look at the tables that have grown much; `connection` is in autocommit.

    Where this role may not, the server leaves them out.
    """
    db = PgDatabase(connection)
    for (name,) in db.rows(_GROWN, (db.make_list(_NAMES),)):
        connection.execute(sql.SQL("ANALYZE {}").format(sql.Identifier(name)))
