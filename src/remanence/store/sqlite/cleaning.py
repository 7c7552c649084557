"""The file rewritten without what was erased, and looked through for it byte by byte.

Knows files, pages and the write-ahead log; must not know what a memory is.
"""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from itertools import chain
from pathlib import Path

import orjson

from remanence.store.base import Cleaned
from remanence.store.sqlite.dialect import IN_MEMORY, connect
from remanence.store.sqlite.erasing import UNPROVEN
from remanence.store.sqlite.needles import PIECE_BYTES, Pieces

FOUND = "erased_found"  # the row of `meta` that says where something was left
WAIT_MS = 1_000  # for readers to let go of the log
_BLOCK_BYTES = 8 * 1_024 * 1_024
_SELECT = "SELECT value FROM meta WHERE name = ?"
_PUT = "INSERT INTO meta (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value"
# What stands there is said by what stays: pieces that it shares with what went are none of that.
_STAYING = (
    "SELECT id, key, text, attributes, holds, summary FROM memories",
    "SELECT subject, attribute, value FROM claims",
    "SELECT source, span FROM sources",
    "SELECT name FROM names",
    "SELECT session FROM boxes",
    'SELECT subkey, "before", "after" FROM changes',
    "SELECT run, actor FROM runs",
    "SELECT sql FROM sqlite_schema",
    "SELECT vector FROM vectors",
    "SELECT vector FROM embeddings",
    "SELECT stems FROM waiting",
    "SELECT term FROM temp.held_words",
)
_WORDS = "CREATE VIRTUAL TABLE temp.held_words USING fts5vocab(main, words, row)"


def is_due(connection: sqlite3.Connection) -> bool:
    """Tell whether something was erased of which it is not proven that it is gone."""
    return connection.execute(_SELECT, (UNPROVEN,)).fetchone() is not None


def left_where(connection: sqlite3.Connection) -> list[str]:
    """Return where the last look found something of what was erased."""
    row = connection.execute(_SELECT, (FOUND,)).fetchone()
    return [] if row is None else list(orjson.loads(row[0]))


def clean(path: str) -> Cleaned:
    """Rewrite the file and look through it; where another process holds the log, the rest is for later."""
    if path == IN_MEMORY:
        return Cleaned()
    with closing(connect(path, busy_ms=WAIT_MS)) as connection:
        if not is_due(connection):
            return Cleaned(found=tuple(left_where(connection)))
        try:
            written = _rewritten(connection)
        except sqlite3.OperationalError as error:
            if not (error.sqlite_errorname or "").startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
                raise
            written = False
        if not written:
            return Cleaned(is_pending=True)
        pieces = _unproven(connection)
        return _judged(connection, path, pieces)


def _rewritten(connection: sqlite3.Connection) -> bool:
    """Merge full text, write every page anew and empty the log; return False where somebody still reads the log."""
    connection.execute("PRAGMA temp_store = 1")  # what is rewritten may be larger than memory
    connection.execute("INSERT INTO words (words) VALUES ('optimize')")
    connection.execute("VACUUM")
    (busy, _, _) = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    return not busy


def _unproven(connection: sqlite3.Connection) -> list[Pieces]:
    """Return the pieces that are to be nowhere, but for those that what stays says too."""
    row = connection.execute(_SELECT, (UNPROVEN,)).fetchone()
    kept = [Pieces.unpacked(one) for one in orjson.loads(row[0])] if row else []
    connection.execute(_WORDS)
    for data in _staying(connection):
        kept = [pieces.without(data) for pieces in kept]
    connection.execute("DROP TABLE temp.held_words")
    return kept


def _staying(connection: sqlite3.Connection) -> Iterator[bytes]:
    """Yield what stays, some megabytes at a time."""
    held: list[bytes] = []
    size = 0
    for row in chain.from_iterable(map(connection.execute, _STAYING)):
        values = [_as_bytes(value) for value in row if value is not None]
        held += values
        size += sum(map(len, values))
        if size > _BLOCK_BYTES:
            yield b"\0".join(held)
            held, size = [], 0
    yield b"\0".join(held)


def _as_bytes(value: object) -> bytes:
    return value if isinstance(value, bytes) else str(value).encode("utf-8", "surrogatepass")


def _judged(connection: sqlite3.Connection, path: str, kept: list[Pieces]) -> Cleaned:
    looked_at = sum(map(len, kept))
    found = [name for name in (path, f"{path}-wal", f"{path}-shm") if _holds(Path(name), kept)]
    copies = [str(file) for file in _copies(Path(path)) if _holds(file, kept)]
    connection.execute("DELETE FROM meta WHERE name IN (?, ?)", (UNPROVEN, FOUND))
    if found:
        connection.execute(_PUT, (FOUND, orjson.dumps(found).decode()))
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return Cleaned(is_done=True, looked_for=looked_at, found=tuple(found), copies=tuple(copies))


def _copies(file: Path) -> list[Path]:
    """Return the copies of the file that lie beside it, such as an upgrade makes."""
    return sorted(one for one in file.parent.glob(f"{file.name}.*") if one.is_file())


def _holds(file: Path, kept: list[Pieces]) -> bool:
    """Tell whether a file holds any of the pieces."""
    if not file.exists():
        return False
    overlap = b""
    with file.open("rb") as opened:
        while block := opened.read(_BLOCK_BYTES):
            data = overlap + block
            if any(pieces.found(data) for pieces in kept):
                return True
            overlap = data[-PIECE_BYTES:]
    return False
