"""The word hashes of archived memories: kept in step by the commit that changes these, and made anew from the texts.

Knows parts and rows; `word_hashes` knows what is in a part, and recall what it is for.
"""

import sqlite3
from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from typing import Any

from remanence import word_hashes
from remanence.model import COLUMN, Status
from remanence.store.base import ArchiveWords
from remanence.store.sqlite.dialect import id_list
from remanence.store.sqlite.interned import SCOPE, Interned
from remanence.store.sqlite.rows import decoded
from remanence.store.sqlite.transaction import Work
from remanence.word_hashes import NAMED, PART_BITS, Part, Row, part_of

_REST = ("role", "said_at", "words", "value")
TOLD = frozenset({"status", "text", *NAMED, *_REST})  # what of a memory they tell, and who is in the archive
_COLUMNS = ", ".join(("m.seq", "m.text", *(f"s.{name}" for name in (*NAMED, *_REST))))
_ARCHIVED = f"s.status = {int(Status.ARCHIVED)}"
_OF_THESE = (
    f"SELECT {_COLUMNS} FROM json_each(?) AS given CROSS JOIN states s ON s.seq = given.value AND {_ARCHIVED}"
    " JOIN memories m ON m.seq = s.seq ORDER BY s.seq"
)
_OF_PART = (
    f"SELECT {_COLUMNS} FROM states s JOIN memories m ON m.seq = s.seq"
    f" WHERE s.scope = ? AND s.seq BETWEEN ? AND ? AND {_ARCHIVED} ORDER BY s.seq"
)
_PARTS = f"SELECT DISTINCT scope, seq >> {PART_BITS} FROM states s WHERE {_ARCHIVED} ORDER BY 1, 2"
_HELD = "SELECT packed FROM archive_words WHERE scope = ? AND part = ?"
_PUT = (
    "INSERT INTO archive_words (scope, part, position, held, packed) VALUES (?, ?, ?, ?, ?) ON CONFLICT (scope, part)"
    " DO UPDATE SET position = excluded.position, held = excluded.held, packed = excluded.packed"
)
_COUNT = "SELECT coalesce(sum(held), 0), coalesce(max(position), 0) FROM archive_words WHERE scope = ?"
_CHANGED = "SELECT part, packed FROM archive_words WHERE scope = ? AND position > ? ORDER BY part"


def follow(work: Work, changed: Collection[int], destroyed: Collection[int]) -> None:
    """Bring the parts up to date in which some memories are or come; those that are destroyed are in none."""
    if not changed and not destroyed:
        return
    fresh: dict[int, list[Row]] = defaultdict(list)
    for row in _read(work.connection, _OF_THESE, (id_list(changed),)):
        fresh[part_of(row.seq)].append(row)
    gone: dict[int, set[int]] = defaultdict(set)
    for seq in {*changed, *destroyed}:
        gone[part_of(seq)].add(seq)
    for part in sorted(gone):
        held = work.connection.execute(_HELD, (work.no, part)).fetchone()
        try:
            made = word_hashes.changed(held and held[0], gone[part], fresh[part])
        except ValueError:  # another program wrote into it, or the disk lost a bit
            rows = _of_part(work.connection, work.no, part)
            made = word_hashes.pack(rows), len(rows)
        if made is not None:
            packed, count = made
            work.connection.execute(_PUT, (work.no, part, work.images.position, count, packed))


def rebuild(connection: sqlite3.Connection) -> None:
    """Make all of them anew from the memories."""
    connection.execute("DELETE FROM archive_words")
    for scope, part in connection.execute(_PARTS).fetchall():
        rows = _of_part(connection, scope, part)
        (position,) = connection.execute("SELECT position FROM scopes WHERE scope = ?", (scope,)).fetchone()
        connection.execute(_PUT, (scope, part, position, len(rows), word_hashes.pack(rows)))


def read(connection: sqlite3.Connection, names: Interned, scope: str, after: int | None) -> ArchiveWords:
    """Return the parts that changed above a position; None for no more than how many memories they hold."""
    no = names.number(connection, SCOPE, scope) or 0
    row = connection.execute("SELECT position FROM scopes WHERE scope = ?", (no,)).fetchone()
    held, changed = connection.execute(_COUNT, (no,)).fetchone()
    position = row[0] if row else 0
    if after is None:
        return ArchiveWords(position, changed, held)
    parts = {
        part: _unpacked(connection, no, part, packed)
        for part, packed in connection.execute(_CHANGED, (no, after))
    }
    return ArchiveWords(position, changed, held, parts, _names(connection, names, parts.values()))


def broken(connection: sqlite3.Connection) -> Iterator[str]:
    """Yield which parts are not what the archived memories say."""
    wanted = {*connection.execute(_PARTS).fetchall()}
    kept = connection.execute("SELECT scope, part, held FROM archive_words ORDER BY scope, part").fetchall()
    for scope, part in sorted(wanted - {row[:2] for row in kept}):
        yield f"the word hashes of archived memories from {part << PART_BITS} on are missing in scope {scope}"
    for scope, part, held in kept:
        rows = _of_part(connection, scope, part)
        (packed,) = connection.execute(_HELD, (scope, part)).fetchone()
        try:
            told = word_hashes.rows_of(word_hashes.unpacked(packed))
        except ValueError:
            told = []
        # Another compressor may have written the same in other bytes.
        if held != len(rows) or _plain(told) != _plain(rows):
            yield f"the word hashes of archived memories from {part << PART_BITS} on are not what their texts say"


def _unpacked(connection: sqlite3.Connection, scope: int, part: int, packed: bytes) -> Part:
    """Return a part; one that cannot be read is made from the texts, as the next commit that changes it writes it."""
    try:
        return word_hashes.unpacked(packed)
    except ValueError:
        return word_hashes.unpacked(word_hashes.pack(_of_part(connection, scope, part)))


def _of_part(connection: sqlite3.Connection, scope: int, part: int) -> list[Row]:
    first = part << PART_BITS
    return list(_read(connection, _OF_PART, (scope, first, first + word_hashes.PART_ROWS - 1)))


def _read(connection: sqlite3.Connection, statement: str, given: Sequence[Any]) -> Iterator[Row]:
    for seq, text, *values in connection.execute(statement, given).fetchall():
        rest = {
            name: decoded(COLUMN[name], value)
            for name, value in zip(_REST, values[len(NAMED) :], strict=True)
        }
        yield word_hashes.row(seq, text, values[: len(NAMED)], rest)


def _names(connection: sqlite3.Connection, names: Interned, parts: Collection[Part]) -> dict[int, str]:
    """Return the names behind the numbers in some parts."""
    numbers: set[int] = set()
    for part in parts:
        numbers.update(*(part.columns[name].tolist() for name in NAMED))
    return names.all(connection, sorted(numbers - {0}))


def _plain(rows: Sequence[Row]) -> list[tuple[int, tuple[int, ...], tuple[int, ...]]]:
    return [(row.seq, row.columns, tuple(row.hashes)) for row in rows]
