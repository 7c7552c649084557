"""A database file made new, or brought from an older version to this one behind a verified backup.

Knows the steps in `migrations`; knows nothing of what tables hold.
"""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from remanence.errors import StoreDamaged
from remanence.store.sqlite import refresh
from remanence.store.sqlite.copying import copy
from remanence.store.sqlite.dialect import APPLICATION_ID, IN_MEMORY, SCHEMA_VERSION, connect, version_of

_ALEMBIC = (
    "CREATE TABLE alembic_version (version_num VARCHAR(32) NOT NULL,"
    " CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num))"
)
SCRIPTS = Path(__file__).parents[1] / "migrations"


def prepare(
    connection: sqlite3.Connection,
    path: str,
    salt: bytes,
    *,
    scripts: Path = SCRIPTS,
    to: int = SCHEMA_VERSION,
) -> None:
    """Bring the database to version `to`: create its tables, migrate it, or leave it as it is."""
    version = version_of(connection, latest=to)
    if version == 0:
        _create(connection, salt)
    elif version < to:
        _migrate(connection, path, scripts, to)
    elif refresh.is_due(connection):
        with _transaction(connection):
            refresh.refresh(connection)


def backup_path(path: str, version: int) -> str:
    """Return where the copy goes that is made before a migration; the first free name."""
    number = 0
    while (found := Path(f"{path}.before-v{version + 1}{f'.{number}' * bool(number)}")).exists():
        number += 1
    return str(found)


def _create(connection: sqlite3.Connection, salt: bytes) -> None:
    from remanence.store.schema import statements

    with _transaction(connection):
        # Another process may have been faster.
        if version_of(connection) == 0:
            for statement in (*statements(), *_marks(SCHEMA_VERSION)):
                connection.execute(statement)
            meta = {"database": salt.hex(), **refresh.MARKS}
            connection.executemany("INSERT INTO meta (name, value) VALUES (?, ?)", meta.items())


@contextmanager
def _transaction(connection: sqlite3.Connection) -> Iterator[None]:
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    finally:
        if connection.in_transaction:
            connection.execute("ROLLBACK")


def _marks(version: int) -> list[str]:
    """Return the statements that say whose file this is, of which version, to SQLite and to alembic."""
    return [
        f"PRAGMA application_id = {APPLICATION_ID}",
        f"PRAGMA user_version = {version}",
        _ALEMBIC,
        f"INSERT INTO alembic_version (version_num) VALUES ('{version:04}')",
    ]


def _migrate(connection: sqlite3.Connection, path: str, scripts: Path, to: int) -> None:
    from remanence.store.migrations.run import migrate

    def start() -> None:
        version = version_of(connection, latest=to)
        # Another process may have been faster. SQLite copies nothing through a connection that is about to write.
        if version < to and path != IN_MEMORY:
            with closing(connect(path, query_only=True, latest=to)) as reader:
                copy(reader, backup_path(path, version))

    def finish() -> None:
        connection.execute(f"PRAGMA user_version = {to}")
        refresh.refresh(connection)
        dangling = connection.execute("PRAGMA foreign_key_check").fetchall()
        if dangling:
            raise StoreDamaged(
                f"the migration to version {to} left {len(dangling)} dangling rows and was taken back",
                recovery="report this with the backup that lies beside the file",
            )

    connection.execute("PRAGMA foreign_keys = OFF")  # a table that is built anew is dropped once
    try:
        migrate(connection, scripts, f"{to:04}", start, finish)
    finally:
        connection.execute("PRAGMA foreign_keys = ON")
