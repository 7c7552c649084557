"""The word hashes of archived memories: a commit notes of which the words changed, they are indexed after it.

A reader puts what waits, from the texts, over what is indexed, so it never matters how far that has come. Knows parts
and rows; `word_hashes` knows what is in a part, and recall what it is for.
"""

import sqlite3
from collections.abc import Collection, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from remanence.core.model import COLUMN, Status
from remanence.core.snapshot import Bools, Ints
from remanence.store.base import ArchiveWords
from remanence.store.sqlite.dialect import id_list
from remanence.store.sqlite.rows import decode_value
from remanence.store.sqlite.string_ids import SCOPE, StringIds
from remanence.store.sqlite.transaction import CommitContext
from remanence.text import word_hashes
from remanence.text.word_hashes import (
    NAMED,
    NO_PART,
    PART_BITS,
    PART_ROWS,
    WordHashPart,
    WordHashRow,
    part_of,
)

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
_IS_HELD = "SELECT 1 FROM archive_words WHERE scope = ? AND part = ?"
_PUT = (
    "INSERT INTO archive_words (scope, part, position, held, packed) VALUES (?, ?, ?, ?, ?) ON CONFLICT (scope, part)"
    " DO UPDATE SET position = excluded.position, held = excluded.held, packed = excluded.packed"
)
_WAITING = "SELECT members FROM archive_waiting WHERE scope = ? AND part = ?"
_WAIT = (
    "INSERT INTO archive_waiting (scope, part, position, held, members) VALUES (?, ?, ?, ?, ?)"
    " ON CONFLICT (scope, part)"
    " DO UPDATE SET position = excluded.position, held = excluded.held, members = excluded.members"
)
_NEXT = "SELECT part, position, members FROM archive_waiting WHERE scope = ? ORDER BY part LIMIT 1"
_DONE = "DELETE FROM archive_waiting WHERE scope = ? AND part = ? AND position = ?"
_COUNT = "SELECT coalesce(sum(held), 0), coalesce(max(position), 0) FROM archive_words WHERE scope = ?"
_COUNT_WAITING = (
    "SELECT coalesce(sum(held), 0), coalesce(max(position), 0) FROM archive_waiting WHERE scope = ?"
)
_CHANGED = (
    "SELECT part FROM archive_words WHERE scope = ?1 AND position > ?2"
    " UNION SELECT part FROM archive_waiting WHERE scope = ?1 AND position > ?2 ORDER BY part"
)
_MEMBERS_BYTES = PART_ROWS // 8


class IndexedPart(NamedTuple):
    """A part as it was indexed, and the position of the last commit whose changes are in it."""

    scope: int
    part: int
    position: int
    held: int
    packed: bytes


def note_changes(work: CommitContext, seqs: Ints, archived: Bools) -> None:
    """Note that the words of some memories are to be indexed anew, or to go where one is not `archived` any more."""
    for part, rows in _group_by_part(seqs):
        members = _members(work.connection, work.no, part) | _members_of(seqs[rows])
        if work.connection.execute(_IS_HELD, (work.no, part)).fetchone() is None:  # they never were indexed
            members &= ~_members_of(seqs[rows[~archived[rows]]])
        blob = members.to_bytes(_MEMBERS_BYTES, "little")
        position = (
            work.images.position
        )  # also where none waits any more: who has read the part must learn that
        work.connection.execute(_WAIT, (work.no, part, position, members.bit_count(), blob))


def take_out(work: CommitContext, seqs: Ints) -> None:
    """Leave no hash of some memories, of which it was noted that they changed; an erasure waits for no indexing."""
    for part, rows in _group_by_part(seqs):
        row = work.connection.execute(_HELD, (work.no, part)).fetchone()
        if row is None:
            continue
        rest = word_hashes.merge(
            _unpack_part(work.connection, work.no, part, row[0]), seqs[rows].tolist(), NO_PART
        )
        entry = IndexedPart(work.no, part, work.images.position, len(rest), word_hashes.pack(rest))
        work.connection.execute(_PUT, entry)


def index_next(connection: sqlite3.Connection, names: StringIds, scope: str) -> IndexedPart | None:
    """Return the first part of which words wait as it is with them, None where none do; nothing is written."""
    no = names.number(connection, SCOPE, scope)
    row = None if no is None else connection.execute(_NEXT, (no,)).fetchone()
    if no is None or row is None:
        return None
    part, position, members = row
    hashes = _part(connection, no, part, int.from_bytes(members, "little"))
    return IndexedPart(no, part, position, len(hashes), word_hashes.pack(hashes))


def write(connection: sqlite3.Connection, indexed: IndexedPart) -> int:
    """Write a part unless a commit changed it since it was indexed; return of how many memories words still wait."""
    if connection.execute(_DONE, (indexed.scope, indexed.part, indexed.position)).rowcount:
        connection.execute(_PUT, indexed)
    (waiting_count, _) = connection.execute(_COUNT_WAITING, (indexed.scope,)).fetchone()
    return int(waiting_count)


def rebuild(connection: sqlite3.Connection) -> None:
    """Make all of them anew from the memories."""
    connection.execute("DELETE FROM archive_words")
    connection.execute("DELETE FROM archive_waiting")
    for scope, part in connection.execute(_PARTS).fetchall():
        hashes = _of_part(connection, scope, part)
        (position,) = connection.execute("SELECT position FROM scopes WHERE scope = ?", (scope,)).fetchone()
        connection.execute(_PUT, (scope, part, position, len(hashes), word_hashes.pack(hashes)))


def read(connection: sqlite3.Connection, names: StringIds, scope: str, after: int | None) -> ArchiveWords:
    """Return the parts that changed above a position; None for no more than how many memories they hold."""
    no = names.number(connection, SCOPE, scope) or 0
    row = connection.execute("SELECT position FROM scopes WHERE scope = ?", (no,)).fetchone()
    held_count, last_change = connection.execute(_COUNT, (no,)).fetchone()
    waiting, last_waiting = connection.execute(_COUNT_WAITING, (no,)).fetchone()
    counts = row[0] if row else 0, max(last_change, last_waiting), held_count, waiting
    if after is None:
        return ArchiveWords(*counts)
    parts = {
        part: _part(connection, no, part, _members(connection, no, part))
        for (part,) in connection.execute(_CHANGED, (no, after)).fetchall()
    }
    return ArchiveWords(*counts, parts, _names(connection, names, parts.values()))


def find_archive_faults(connection: sqlite3.Connection) -> Iterator[str]:
    """Yield which parts are not what the archived memories say, but for those whose words wait."""
    held_counts = {
        row[:2]: row[2] for row in connection.execute("SELECT scope, part, held FROM archive_words")
    }
    waiting_counts = {
        row[:2]: row[2] for row in connection.execute("SELECT scope, part, held FROM archive_waiting")
    }
    for scope, part in sorted({*connection.execute(_PARTS).fetchall(), *held_counts, *waiting_counts}):
        first = f"from {part << PART_BITS} on"
        members = _members(connection, scope, part)
        if members.bit_count() != waiting_counts.get((scope, part), 0):
            yield f"how many archived memories {first} wait for their words is not what is noted in scope {scope}"
        waiting = _seqs(part, members)
        text_hashes = word_hashes.merge(_of_part(connection, scope, part), waiting, NO_PART)
        if (scope, part) not in held_counts:
            if len(text_hashes):
                yield f"the word hashes of archived memories {first} are missing in scope {scope}"
            continue
        (blob,) = connection.execute(_HELD, (scope, part)).fetchone()
        try:
            stored_hashes = word_hashes.unpack_hash_part(blob)
        except ValueError:
            stored_hashes = NO_PART
        # Another compressor may have written the same in other bytes.
        sound = held_counts[scope, part] == len(stored_hashes)
        if not sound or _unpack_rows(word_hashes.merge(stored_hashes, waiting, NO_PART)) != _unpack_rows(
            text_hashes
        ):
            yield f"the word hashes of archived memories {first} are not what their texts say"


def _part(connection: sqlite3.Connection, scope: int, part: int, members: int) -> WordHashPart:
    """Return a part as the archive is now: what is indexed, and over it the texts of those that wait."""
    row = connection.execute(_HELD, (scope, part)).fetchone()
    base = NO_PART if row is None else _unpack_part(connection, scope, part, row[0])
    if not members:
        return base
    waiting = _seqs(part, members)
    fresh = word_hashes.part_from(_read(connection, _OF_THESE, (id_list(waiting),)))
    return word_hashes.merge(base, waiting, fresh)


def _group_by_part(seqs: Ints) -> Iterator[tuple[int, Ints]]:
    """Yield the parts of some memories in order, each with the places of its own."""
    order = np.argsort(seqs, kind="stable")
    parts = seqs[order] >> PART_BITS
    for rows in np.split(order, np.flatnonzero(np.diff(parts)) + 1):
        if len(rows):
            yield part_of(int(seqs[rows[0]])), rows


def _members(connection: sqlite3.Connection, scope: int, part: int) -> int:
    """Return which memories of a part wait, one bit each."""
    row = connection.execute(_WAITING, (scope, part)).fetchone()
    return 0 if row is None else int.from_bytes(row[0], "little")


def _members_of(seqs: Ints) -> int:
    here = np.zeros(PART_ROWS, np.bool_)
    here[seqs % PART_ROWS] = True
    return int.from_bytes(np.packbits(here, bitorder="little").tobytes(), "little")


def _seqs(part: int, members: int) -> list[int]:
    first = part << PART_BITS
    return [first + place for place in range(members.bit_length()) if members >> place & 1]


def _unpack_part(connection: sqlite3.Connection, scope: int, part: int, packed: bytes) -> WordHashPart:
    """Return a part; one that another program wrote into, or of which the disk lost a bit, is made from the texts."""
    try:
        return word_hashes.unpack_hash_part(packed)
    except ValueError:
        return _of_part(connection, scope, part)


def _of_part(connection: sqlite3.Connection, scope: int, part: int) -> WordHashPart:
    first = part << PART_BITS
    return word_hashes.part_from(_read(connection, _OF_PART, (scope, first, first + PART_ROWS - 1)))


def _read(connection: sqlite3.Connection, statement: str, given: Sequence[Any]) -> Iterator[WordHashRow]:
    for seq, text, *values in connection.execute(statement, given).fetchall():
        rest = {
            name: decode_value(COLUMN[name], value)
            for name, value in zip(_REST, values[len(NAMED) :], strict=True)
        }
        yield word_hashes.row(seq, text, values[: len(NAMED)], rest)


def _names(
    connection: sqlite3.Connection, names: StringIds, parts: Collection[WordHashPart]
) -> dict[int, str]:
    """Return the names behind the numbers in some parts."""
    numbers: set[int] = set()
    for part in parts:
        numbers.update(*(part.columns[name].tolist() for name in NAMED))
    return names.read_texts(connection, sorted(numbers - {0}))


def _unpack_rows(part: WordHashPart) -> list[WordHashRow]:
    return [WordHashRow(one.seq, one.columns, [*one.hashes]) for one in word_hashes.rows_of(part)]
