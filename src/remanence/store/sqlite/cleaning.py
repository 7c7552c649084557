"""The file rewritten without what was erased, and looked through for it byte by byte.

Knows files, pages and the write-ahead log; must not know what a memory is.
"""

import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing
from itertools import chain
from pathlib import Path

import orjson

from remanence.core.errors import RemanenceError
from remanence.store.base import CleanResult
from remanence.store.data_inventory import LOOKED_THROUGH, SAYING
from remanence.store.residue_scan import PIECE_BYTES, PieceHashes
from remanence.store.sqlite import index_files, ledger, ledger_file
from remanence.store.sqlite.database_file import begin_writing, connect, meaning
from remanence.store.sqlite.driver import IN_MEMORY, FileKey, error_name, errors, is_encrypted, key_of
from remanence.store.sqlite.home import DatabaseLocation, origin_at, peek, place_of
from remanence.store.sqlite.ledger_file import SIDE_FILES, read_blocks
from remanence.store.sqlite.sqlite_database import UNPROVEN

FOUND = "erased_found"  # the row of `meta` that says where something was left
WAIT_MS = 1_000  # for readers to let go of the log
# What another process, or the disk, may have brought about, and what goes by.
_LATER = ("SQLITE_BUSY", "SQLITE_LOCKED", "SQLITE_FULL", "SQLITE_IOERR", "SQLITE_CANTOPEN", "SQLITE_READONLY")
_BLOCK_BYTES = 8 * 1_024 * 1_024
_SELECT = "SELECT value FROM meta WHERE name = ?"
_PUT = "INSERT INTO meta (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value"


def is_due(connection: sqlite3.Connection) -> bool:
    """Tell whether something was erased of which it is not proven that it is gone."""
    return connection.execute(_SELECT, (UNPROVEN,)).fetchone() is not None


def left_where(connection: sqlite3.Connection) -> list[str]:
    """Return where the last look found something of what was erased."""
    row = connection.execute(_SELECT, (FOUND,)).fetchone()
    return [] if row is None else list(orjson.loads(row[0]))


def left_unless_due(connection: sqlite3.Connection) -> list[str] | None:
    """Return where the last look found something of what was erased; None where another look is due."""
    return None if is_due(connection) else left_where(connection)


def clean(path: str, key: FileKey | None = None) -> CleanResult:
    """Keep the ledger, rewrite the file and look through it; what cannot be done now is for later, and says why."""
    if path == IN_MEMORY:
        return CleanResult()
    try:
        with closing(connect(path, key, busy_ms=WAIT_MS)) as connection:
            if not is_due(connection):
                return CleanResult(found=tuple(left_where(connection)))
            index_files.remove_all(path)  # what they hold of vectors is too short to be looked for
            if why := keep_ledger(path, key):
                return CleanResult(is_pending=True, why=why)
            if not _rewrite_file(connection):
                return CleanResult(is_pending=True)
            return _check_residue(connection, path)
    except OSError as error:
        return CleanResult(is_pending=True, why=f"{error.filename} cannot be taken away: {error.strerror}")
    except errors() as error:
        name = error_name(error)
        if not name.startswith(_LATER):
            raise meaning(error, path) from error
        is_held = name.startswith(("SQLITE_BUSY", "SQLITE_LOCKED"))
        return CleanResult(is_pending=True, why="" if is_held else str(meaning(error, path)))


def keep_ledger(path: str, key: FileKey | None = None) -> str:
    """Have the ledger beside the file say all that the file knows; return why it could not be written."""
    with closing(connect(path, key, busy_ms=WAIT_MS)) as connection:
        begin_writing(connection, WAIT_MS)
        try:
            ledger.write(connection, path)
            connection.execute("COMMIT")
        except OSError as error:
            return f"the ledger {error.filename} cannot be written: {error.strerror}"
        finally:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
    return ""


def _rewrite_file(connection: sqlite3.Connection) -> bool:
    """Write every page anew and empty the log; return False where somebody still reads the log."""
    if key_of(connection) is None:  # a temporary file would hold in plain what is encrypted
        connection.execute("PRAGMA temp_store = 1")  # what is rewritten may be larger than memory
    connection.execute("VACUUM")
    (busy, _, _) = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    return not busy


def _read_unproven_pieces(connection: sqlite3.Connection) -> tuple[list[PieceHashes], int]:
    """Return the pieces that are to be nowhere, and how many what stays says too."""
    row = connection.execute(_SELECT, (UNPROVEN,)).fetchone()
    hashes = [PieceHashes.decode_hex(one) for one in orjson.loads(row[0])] if row else []
    count = sum(map(len, hashes))
    for data in _iterate_kept_data(connection):
        hashes = [pieces.without(data) for pieces in hashes]
    return hashes, count - sum(map(len, hashes))


def _iterate_kept_data(connection: sqlite3.Connection) -> Iterator[bytes]:
    """Yield what stays, some megabytes at a time, and what a ledger beside the file says of itself.

    What stands there is said by what stays: pieces that it shares with what went are none of that.
    """
    yield ledger_file.own_words()
    yield from _read_values(connection, SAYING)


def _read_values(connection: sqlite3.Connection, selects: Iterable[str]) -> Iterator[bytes]:
    """Yield the values of rows, some megabytes at a time."""
    chunks: list[bytes] = []
    size = 0
    for row in chain.from_iterable(map(connection.execute, selects)):
        values = [
            (value if isinstance(value, bytes) else str(value).encode("utf-8", "surrogatepass"))
            for value in row
            if value is not None
        ]
        chunks += values
        size += sum(map(len, values))
        if size > _BLOCK_BYTES:
            yield b"\0".join(chunks)
            chunks, size = [], 0
    yield b"\0".join(chunks)


def _check_residue(connection: sqlite3.Connection, path: str) -> CleanResult:
    kept, shared = _read_unproven_pieces(connection)
    place = place_of(connection, path)
    files = [f"{path}{one.name}" for one in LOOKED_THROUGH]
    hits = [name for name in files if _holds_pieces(Path(name), kept, place.key)]
    copies = (
        [str(file) for file in _find_copies(Path(path), place) if _holds_pieces(file, kept, place.key)]
        if place.is_original
        else []
    )
    connection.execute("DELETE FROM meta WHERE name IN (?, ?)", (UNPROVEN, FOUND))
    if hits:
        connection.execute(_PUT, (FOUND, orjson.dumps(hits).decode()))
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    original = "" if place.is_original else place.home
    return CleanResult(
        is_done=True,
        looked_for=sum(map(len, kept)),
        shared=shared,
        found=tuple(hits),
        copies=tuple(copies),
        original=original,
    )


def _find_copies(file: Path, place: DatabaseLocation) -> Iterator[Path]:
    """Yield the copies of the file in its folder: those named after it, as an upgrade does, or of whatever name."""
    for one in sorted(file.parent.iterdir()):
        # What SQLite keeps beside a database is none, and is never opened: to close it would end the locks on it.
        is_another = one.is_file() and one.name != file.name and not one.name.endswith(SIDE_FILES)
        if is_another and (one.name.startswith(f"{file.name}.") or origin_at(one, place.key) == place.salt):
            yield one


def _holds_pieces(file: Path, kept: list[PieceHashes], key: FileKey | None) -> bool:
    """Tell whether a file holds any of the pieces; one that is encrypted and cannot be opened may."""
    try:
        return _find_in_blocks(_read_plain(file, key), kept)
    except errors(RemanenceError):
        return True


def _read_plain(file: Path, key: FileKey | None) -> Iterator[bytes]:
    """Yield the bytes of a file; of an encrypted database every value of every table, as the key opens it.

    SQLite has overwritten with zeros what was deleted from its pages, so that no other byte of them says anything.
    """
    path = str(file)
    if key is None or path.endswith((*SIDE_FILES, ledger_file.SUFFIX)) or not is_encrypted(path):
        yield from read_blocks(path)
        return
    with peek(path, key) as connection:
        tables = "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type IN ('table', 'shadow')"
        names = [name.replace('"', '""') for (name,) in connection.execute(tables)]
        yield from _read_values(connection, (f'SELECT * FROM "{name}"' for name in names))


def _find_in_blocks(blocks: Iterable[bytes], kept: list[PieceHashes]) -> bool:
    overlap = b""
    for block in blocks:
        data = overlap + block
        if any(pieces.find_pieces(data) for pieces in kept):
            return True
        overlap = data[-PIECE_BYTES:]
    return False
