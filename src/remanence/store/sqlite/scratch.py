"""One scope in a database of its own in the memory of this process, for as long as a piece of work takes.

A store that keeps its rows otherwise lets the code of `store.sql` work on them here. Nothing of it is ever in a file.
"""

from collections.abc import Iterator
from contextlib import contextmanager

from remanence.store.sql.names import NameCache
from remanence.store.sql.scope import OpenScope, open_scope_to_write
from remanence.store.sqlite import upgrade
from remanence.store.sqlite.database_file import connect
from remanence.store.sqlite.driver import IN_MEMORY
from remanence.store.sqlite.sqlite_database import SqliteDatabase


@contextmanager
def open_scratch(name: str, salt: bytes) -> Iterator[OpenScope]:
    """Yield an empty scope to write to; what is said in it is salted so."""
    connection = connect(IN_MEMORY)
    try:
        upgrade.prepare(connection, IN_MEMORY, salt)
        connection.execute("PRAGMA foreign_keys = OFF")  # some work needs a part of the rows alone
        connection.execute("BEGIN")
        yield open_scope_to_write(SqliteDatabase(connection), NameCache(), name)
    finally:
        connection.close()
