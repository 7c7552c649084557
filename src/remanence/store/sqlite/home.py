"""Where a database file lives, whether it is an original or a copy, and how a verified copy is made.

Copies share a salt, their origin. A file notes the path where it lives, its home: it is an original while it lies
there, or if no database of its origin lies there any more; every other file is a copy, whoever made it.
"""

import os
import sqlite3
import stat
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from remanence.core.errors import InvalidInput, RemanenceError, StoreDamaged, StoreUnavailable
from remanence.store.sqlite import ledger_file
from remanence.store.sqlite.database_file import make_private, meaning, refuse_path
from remanence.store.sqlite.driver import (
    IN_MEMORY,
    FileKey,
    error_name,
    errors,
    is_encrypted,
    key_of,
    open_file,
    open_read_only,
)

Found = TypeVar("Found")

HOME = "home"  # the row of `meta` with the path
_VALUE = "SELECT value FROM meta WHERE name = ?"
_PUT = "INSERT INTO meta (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value"
PARTIAL = ".partial"
_PAGES_A_STEP = 4_096
LAID_BESIDE = ("", "-journal", "-wal", "-shm")
# What SQLite says of the disk that is written to; the original was read before, and a page of it that is not whole is
# SQLITE_CORRUPT.
_OF_THE_TARGET = ("SQLITE_FULL", "SQLITE_IOERR", "SQLITE_READONLY", "SQLITE_CANTOPEN", "SQLITE_PERM")


@dataclass(frozen=True, slots=True)
class DatabaseLocation:
    """Where a database lies, by its real path, what its hashes are salted with, and whether it is an original.

    `home` is the path that it has noted, or its own where it has none; `key` the one that opened it.
    """

    path: str
    salt: bytes
    home: str
    is_original: bool
    key: FileKey | None = None

    @property
    def ledger(self) -> Path:
        """Where its own ledger lies."""
        return ledger_file.build_ledger_path(self.path, self.salt)

    @property
    def role(self) -> ledger_file.Role:
        """What its ledger says of it."""
        return "original" if self.is_original else "copy"


def salt_of(connection: sqlite3.Connection) -> bytes:
    """Return what the hashes of this file are salted with, which all its copies share."""
    (database,) = connection.execute(_VALUE, ("database",)).fetchone()
    return bytes.fromhex(database)


def place_of(connection: sqlite3.Connection, path: str) -> DatabaseLocation:
    """Return where a database lies that a connection has open."""
    real, salt = os.path.realpath(path), salt_of(connection)
    row = connection.execute(_VALUE, (HOME,)).fetchone()
    home = real if row is None else str(row[0])
    key = key_of(connection)
    return DatabaseLocation(real, salt, home, _is_same(home, real) or origin_at(home, key) != salt, key)


def note_home(connection: sqlite3.Connection, path: str) -> None:
    """Note where an original lives now, within a transaction that writes."""
    place = place_of(connection, path)
    if place.is_original and connection.execute(_VALUE, (HOME,)).fetchone() != (place.path,):
        connection.execute(_PUT, (HOME, place.path))


def is_copy(path: Path, key: FileKey | None = None) -> bool:
    """True if a database of ours lies at a path and is a copy of one that lies elsewhere."""
    return bool(_look_into(path, key, lambda connection: not place_of(connection, str(path)).is_original))


def origin_at(path: str | Path, key: FileKey | None = None) -> bytes | None:
    """Return the salt of the database that lies at a path; None where none of ours can be read there."""
    return _look_into(path, key, salt_of)


def _look_into(
    path: str | Path, key: FileKey | None, look: Callable[[sqlite3.Connection], Found]
) -> Found | None:
    """Return what is found in a database; None where none of ours can be read, or the key does not open it."""
    try:
        with peek(str(path), key) as connection:
            return look(connection)
    except errors(OSError, RemanenceError, TypeError, ValueError):
        return None


@contextmanager
def peek(path: str, key: FileKey | None = None) -> Iterator[sqlite3.Connection]:
    """Open a database only to read, without changing a byte of it; raises OSError for what is no regular file.

    One that is not encrypted is opened without the key.
    """
    real = os.path.realpath(path)
    if not stat.S_ISREG(Path(real).stat().st_mode):
        raise OSError(f"{path} is not a regular file")
    if key is None and is_encrypted(real):
        raise OSError(f"{path} is encrypted")
    with closing(open_read_only(real, key if is_encrypted(real) else None)) as connection:
        yield connection


def _is_same(home: str, real: str) -> bool:
    """True if two paths lead to one file, also by a link or a second mount."""
    try:
        return home == real or Path(home).samefile(real)
    except OSError:  # nothing lies at home
        return False


def copy(source: sqlite3.Connection, path: str, *, references: bool = True) -> int:
    """Write a verified copy to a path where nothing is yet, and return how many memories are in it.

    The copy of an encrypted database is encrypted with the same key.

    A copy that fails its check, or that the disk fails, is taken away again with all that SQLite laid beside it. Every
    page is looked at, and unless the caller does so itself every reference between rows.

    Raises:
        InvalidInput: something lies at the path.
        StoreUnavailable: the disk of the copy is full, read-only or gone.
        StoreDamaged: what was copied is not whole.
    """
    if path == IN_MEMORY:
        raise InvalidInput(f"{path} is no file", recovery="name a file that does not exist yet")
    refuse_path(path)
    if Path(path).exists():
        raise InvalidInput(f"{path} is there already", recovery="name a file that does not exist yet")
    # Under a name of its own until it is verified: what a kill leaves is not taken for a copy.
    partial = Path(f"{path}.{os.getpid()}{PARTIAL}")
    make_private(str(partial), fresh=True)
    try:
        memories = _write_copy(source, partial, references=references)
        if memories is not None:
            partial.rename(path)
    except errors(OSError) as error:
        raise _build_copy_failure(error, path) from error
    finally:
        for suffix in LAID_BESIDE:
            with suppress(OSError):  # of a disk that is gone
                Path(f"{partial}{suffix}").unlink(missing_ok=True)
    if memories is None:
        raise StoreDamaged(f"the copy {path} was not whole", recovery="run `doctor` on the original")
    return memories


def _write_copy(source: sqlite3.Connection, partial: Path, *, references: bool) -> int | None:
    """Fill a copy and look through it; return how many memories are in it, None where it is not whole."""
    with closing(open_file(str(partial), "mode=rw", key_of(source))) as target:
        source.backup(target, pages=_PAGES_A_STEP)
        target.execute("PRAGMA journal_mode = delete")
        if target.execute("PRAGMA quick_check").fetchall() != [("ok",)]:
            return None
        if references and target.execute("PRAGMA foreign_key_check").fetchone():
            return None
        return int(target.execute("SELECT count(*) FROM memories").fetchone()[0])


def _build_copy_failure(error: Exception, path: str) -> BaseException:
    """Return what an error means that a copy fails with; what is the fault of the original stays as it is."""
    if isinstance(error, OSError):
        return StoreUnavailable(
            f"the copy {path} cannot be made: {error.strerror}",
            recovery="check the disk, or name another path; nothing is left of the copy",
        )
    name = error_name(error)
    return meaning(error, f"the copy {path}") if name.startswith(_OF_THE_TARGET) else error
