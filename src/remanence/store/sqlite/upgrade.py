"""A database file made new, or brought from an older version to this one behind a verified backup.

What is computed from rows is computed anew where other code computed it. Knows the steps in `schema_versions`.
"""

import logging
import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from shutil import disk_usage

from remanence.core.errors import StoreDamaged, StoreUnavailable
from remanence.store.sql import refresh
from remanence.store.sql.schema_versions import MARKS, list_steps
from remanence.store.sqlite import database_file
from remanence.store.sqlite.database_file import APPLICATION_ID, BASELINE_VERSION, connect, version_of
from remanence.store.sqlite.driver import IN_MEMORY, FileKey, errors, is_encrypted, key_of
from remanence.store.sqlite.home import PARTIAL, copy, origin_at, peek, salt_of
from remanence.store.sqlite.ledger_file import read_blocks
from remanence.store.sqlite.sqlite_database import SqliteDatabase

# Where SQLite keeps the two in the first page of a file.
_VERSION_AT, _APPLICATION_AT, _HEADER_BYTES = 60, 68, 100
# Of the file's size: the copy, a log of nearly every page, and what is left.
_ROOM = 2.5
# A page that finds no room in the cache is written to the log, and again when it changes again.
_PAGE_CACHE_KIB = 128 * 1_024
_COPY_ENDING = re.compile(r"\.before-v\d+(\.\d+)?")  # of the name of a copy, behind that of the database
COPIES_KEPT = 2  # of upgrades: of the last one and of the one before, should a fault show late
LOG = logging.getLogger("remanence")
MB_A_SECOND = 25  # that an upgrade does on a slow machine, where nothing else runs
_TABLES = Path(refresh.__file__).with_name("sqlite.sql")
_END = ";\n"  # of each statement in the file, whose first line is a comment


def prepare(connection: sqlite3.Connection, path: str, salt: bytes) -> None:
    """Bring the database to this version: create its tables, migrate it, or leave it as it is."""
    version = version_of(connection)
    if version == 0:
        _create_schema(connection, salt)
    elif version < database_file.SCHEMA_VERSION:
        _migrate_file(connection, path)
    elif refresh.find_overdue_marks(SqliteDatabase(connection)):
        with _transaction(connection):
            refresh.refresh(SqliteDatabase(connection))


def tables() -> list[str]:
    """Return what creates every table and index of an empty database, in order."""
    return _TABLES.read_text(encoding="utf-8").partition("\n")[2].removesuffix(_END).split(_END)


def backup_path(path: str, version: int) -> str:
    """Return where the copy goes that is made before a migration; the first free name."""
    number = 0
    while (backup := Path(f"{path}.before-v{version + 1}{f'.{number}' if number else ''}")).exists():
        number += 1
    return str(backup)


def remove_older_copies(path: str, salt: bytes, key: FileKey | None = None) -> list[Path]:
    """Remove the copies of earlier upgrades of a database beside it but for the newest, and return which.

    A copy goes only under the very name that an upgrade gave it, while it is a copy of the database with this salt
    and still of an older version: one that somebody renamed, moved, linked or opened anew is theirs.
    """
    file = Path(path)
    copies = [
        entry
        for entry in file.absolute().parent.iterdir()
        if entry.name.startswith(file.name)
        and _COPY_ENDING.fullmatch(entry.name, len(file.name))
        and not entry.is_symlink()
        and read_older_version(str(entry), key) is not None
        and origin_at(entry, key) == salt
    ]
    copies.sort(key=lambda copy: (copy.stat().st_mtime_ns, copy.name), reverse=True)
    for old in copies[COPIES_KEPT:]:
        old.unlink(missing_ok=True)
    return copies[COPIES_KEPT:]


def read_older_version(path: str, key: FileKey | None = None) -> int | None:
    """Return the version of a file that opening it will bring up, read from its header; None for any other.

    The header of an encrypted one is read through SQLCipher.
    """
    try:
        if key is not None and is_encrypted(path):
            with peek(path, key) as connection:
                asks = "PRAGMA user_version", "PRAGMA application_id"
                version, application = (int(connection.execute(ask).fetchone()[0]) for ask in asks)
        else:
            with closing(read_blocks(path, _HEADER_BYTES)) as blocks:
                header = next(blocks, b"")
            version, application = (
                int.from_bytes(header[at : at + 4]) for at in (_VERSION_AT, _APPLICATION_AT)
            )
    except errors(OSError):
        return None
    is_older = application == APPLICATION_ID and BASELINE_VERSION <= version < database_file.SCHEMA_VERSION
    return version if is_older else None


def _refuse_full(path: str) -> None:
    """Raise where there is no room for the copy, for what is written in one transaction, and for the file to grow."""
    bytes_needed = round(Path(path).stat().st_size * _ROOM)
    free = disk_usage(Path(path).absolute().parent).free
    if free < bytes_needed:
        raise StoreUnavailable(
            f"{path} is to be brought to version {database_file.SCHEMA_VERSION}, which takes"
            f" {bytes_needed >> 20:,} MB of room beside it; {free >> 20:,} MB are free",
            recovery="make room, or move the file to where there is; it was not changed",
        )


def _create_schema(connection: sqlite3.Connection, salt: bytes) -> None:
    with _transaction(connection):
        # Another process may have been faster.
        if version_of(connection) == 0:
            # The marks say to SQLite whose file this is, of which version.
            marks = (
                f"PRAGMA application_id = {APPLICATION_ID}",
                f"PRAGMA user_version = {database_file.SCHEMA_VERSION}",
            )
            for statement in (*tables(), *marks):
                connection.execute(statement)
            meta = {"database": salt.hex(), **MARKS}
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


def _migrate_file(connection: sqlite3.Connection, path: str) -> None:
    copied = False
    (cache,) = connection.execute("PRAGMA cache_size").fetchone()
    connection.execute(f"PRAGMA cache_size = -{_PAGE_CACHE_KIB}")
    connection.execute("PRAGMA foreign_keys = OFF")  # a table that is built anew is dropped once
    try:
        with _transaction(connection):
            version = version_of(connection)
            is_older = version < database_file.SCHEMA_VERSION  # another process may have been faster
            copied = is_older and path != IN_MEMORY
            if copied:
                _copy_older_file(path, version, key_of(connection))
            for statement in list_steps("sqlite", version):
                connection.execute(statement)
            if is_older:
                _finish_steps(connection)
    finally:
        connection.execute("PRAGMA foreign_keys = ON")
        connection.execute(f"PRAGMA cache_size = {cache}")
    for old in remove_older_copies(path, salt_of(connection), key_of(connection)) if copied else ():
        LOG.warning("removed %s, the copy of an earlier upgrade; the %d newest stay", old, COPIES_KEPT)


def _copy_older_file(path: str, version: int, key: FileKey | None) -> None:
    """Copy a file before it is changed, through another connection: one that is about to write copies nothing."""
    _refuse_full(path)
    # A kill left unfinished copies; nobody else makes one while this transaction is open.
    file = Path(path)
    for entry in file.parent.iterdir():
        if entry.name.startswith(f"{file.name}.before-") and PARTIAL in entry.name:
            entry.unlink(missing_ok=True)
    with closing(connect(path, key, query_only=True)) as reader:
        copy(reader, backup_path(path, version), references=False)  # these are looked at once all is done


def _finish_steps(connection: sqlite3.Connection) -> None:
    """Mark the version and compute anew what is to be; raise StoreDamaged where a reference dangles then."""
    to = database_file.SCHEMA_VERSION
    connection.execute(f"PRAGMA user_version = {to}")
    refresh.refresh(SqliteDatabase(connection))
    dangling = connection.execute("PRAGMA foreign_key_check").fetchall()
    if dangling:
        raise StoreDamaged(
            f"the upgrade to version {to} left {len(dangling)} dangling rows and was taken back",
            recovery="report this with the backup that lies beside the file",
        )
