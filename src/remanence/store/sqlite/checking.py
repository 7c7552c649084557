"""Whether what is stored is sound: SQLite's own checks, and ours, which see what those cannot.

The audit is proved by digests: every part under its own, each after the one before it in its scope. Reads everything
and mends nothing; each check says what it saw, also where the file breaks under it.
"""

import sqlite3
import struct
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import orjson

from remanence.core.errors import StoreUnavailable
from remanence.core.model import Status
from remanence.store.audit_parts import UNCHAINED, part_digest
from remanence.store.base import DOUBT_UNDO, GO_BACK, MAKE_ANEW, Check
from remanence.store.data_inventory import BY_NAME, VECTORS
from remanence.store.erasure import EMPTIED, ERASE
from remanence.store.lineage import SUCCEEDING, find_without_successor, lineage
from remanence.store.sqlite import block_log, cleaning, fulltext, ledger, redact_images, sums
from remanence.store.sqlite.audit import (
    HEADER,
    SELECT_CHANGES,
    entries_digest,
    header_digest,
    mark,
    own_digest,
    parts_of,
    plain_header,
    shapes_of,
)
from remanence.store.sqlite.dialect import meaning
from remanence.store.sqlite.driver import errors, key_of
from remanence.store.sqlite.redact_images import holds_any
from remanence.store.sqlite.rows import MEMORIES, row_digest
from remanence.store.sqlite.string_ids import StringIds
from remanence.store.sqlite.use_parts import unpack_parts
from remanence.store.undo_data_pruning import PROVEN, ImageEndMark, from_where

_RUNS = f"SELECT {', '.join(HEADER)}, digest, entries, asked FROM runs ORDER BY position"
_ENDS = "SELECT scope, position, digest, before FROM scopes"


def find_audit_faults(connection: sqlite3.Connection, names: StringIds) -> Iterator[str]:
    """Yield what is wrong: a part that was changed, that does not follow from the one before, or that is missing."""
    # Of each part that was emptied the digest of why it was done, and that of what was left last.
    emptied = connection.execute(
        'SELECT position, header, rest FROM emptied ORDER BY position, "by"'
    ).fetchall()
    remainders = {position: (header, rest) for position, header, rest in emptied}
    yield from _find_erasure_faults(connection)
    ended_parts, images = _EndedParts(connection, names), _ImageDigests(connection, names)
    latest, within = 0, _within_lines(connection)
    ends: dict[int, _ChainEnd] = {}
    for *header, digest, entries, asked_digest in connection.execute(_RUNS).fetchall():
        position, scope = header[:2]
        end = ends.get(scope, _BEGIN)
        latest = _skip_within(latest, within)
        if latest + 1 != position:
            yield f"part {position} does not follow part {latest}"
        why = header_digest(
            plain_header(connection, names, header), names.text(connection, scope), asked_digest
        )
        if position <= ended_parts.find_end_position(scope):
            ended_parts.note(header)
            is_sound, why = True, remainders.get(position, (why, b""))[0]
        elif position in remainders:
            why, rest = remainders[position]
            is_sound = rest == redact_images.rest(connection, names, names.text(connection, scope), position)
        else:
            is_sound = entries == images.digest(position)
        if not is_sound or digest != own_digest(why, entries):
            yield f"part {position} is not what {'an erasure left of it' if position in remainders else 'was written'}"
            is_sound = False
        digests = part_digest(end.digest, why, entries), end.digest
        last = parts_of(header, asked_digest)[-1].position
        latest, ends[scope] = position, _ChainEnd(last, *digests, end.is_sound and is_sound)
    yield from ended_parts.find_faults()
    yield from _cut_off(connection, _skip_within(latest, within), ends)


def _within_lines(connection: sqlite3.Connection) -> set[int]:
    """Return the positions of all parts that lie in a line of an earlier one."""
    lines = connection.execute("SELECT position, parts FROM runs WHERE parts IS NOT NULL").fetchall()
    return {
        part.position for position, line_parts in lines for part in unpack_parts(line_parts, position)[1:]
    }


def _skip_within(latest: int, within: set[int]) -> int:
    """Return the last position from one on that has no line of its own."""
    while latest + 1 in within:
        latest += 1
    return latest


class _ChainEnd(NamedTuple):
    """Where the parts of a scope end: position, digest and that before, and whether all parts are what was written."""

    position: int
    digest: bytes
    before: bytes
    is_sound: bool


_BEGIN = _ChainEnd(0, UNCHAINED, UNCHAINED, is_sound=True)


class _EndedParts:
    """The parts whose images have ended: why each was done is proven, and what was kept of what it changed."""

    def __init__(self, connection: sqlite3.Connection, names: StringIds) -> None:
        self._connection = connection
        self._names = names
        self._marks: dict[int, ImageEndMark] = {}
        self._held: dict[int, list[bytes]] = {}

    def find_end_position(self, scope: int) -> int:
        """Return up to which position the images of a scope have ended."""
        if scope not in self._marks:
            self._marks[scope] = mark(self._connection, scope)
        return self._marks[scope].through

    def note(self, header: Sequence[Any]) -> None:
        """Note what is left of a part."""
        position, scope = header[:2]
        if holds_any(self._connection, position):
            name = self._names.text(self._connection, scope)
            self._held.setdefault(scope, []).append(
                redact_images.rest(self._connection, self._names, name, position)
            )

    def find_faults(self) -> Iterator[str]:
        """Yield the scopes of which other images were kept than the part says that ended the others."""
        for scope, end_mark in sorted(self._marks.items()):
            actual_mark = ImageEndMark(end_mark.through).replace_parts((), self._held.get(scope, ()))
            if actual_mark != end_mark:
                name = self._names.text(self._connection, scope)
                yield f"of scope {name!r}, parts up to {end_mark.through} hold other images than were kept"


class _ImageDigests:
    """What parts changed, as it is kept."""

    def __init__(self, connection: sqlite3.Connection, names: StringIds) -> None:
        self._connection = connection
        self._names = names

    def digest(self, position: int) -> bytes:
        """Return the digest of what a part changed."""
        rows = self._connection.execute(f"{SELECT_CHANGES} ORDER BY place", (position,)).fetchall()
        blocks = block_log.read(self._connection, position)
        shapes = self._names.read_texts(self._connection, shapes_of(rows, blocks))
        return entries_digest(shapes, rows, blocks)


def _find_erasure_faults(connection: sqlite3.Connection) -> Iterator[str]:
    """Yield each erasure that left of the parts before it something else than it said."""
    by: dict[int, list[tuple[int, bytes, bytes]]] = {}
    rows = connection.execute('SELECT "by", position, header, rest FROM emptied').fetchall()
    for part, *emptied_row in rows:
        by.setdefault(part, []).append(tuple(emptied_row))
    erasures = connection.execute("SELECT position, detail FROM runs WHERE verb = ?", (ERASE,)).fetchall()
    for position, detail in erasures:
        expected = redact_images.emptied_digest(by.pop(position, []))
        if detail is None or orjson.loads(detail).get(EMPTIED) != expected:
            yield f"part {position} left something else of the parts before it"
    for position in sorted(by):
        yield f"part {position} emptied others, and is no erasure"


def _cut_off(connection: sqlite3.Connection, latest: int, ends: Mapping[int, _ChainEnd]) -> Iterator[str]:
    """Yield what is missing at the end, of the file or of a scope."""
    (last,) = connection.execute(
        "SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = 'runs'"
    ).fetchone()
    if last != latest:
        yield f"parts {latest + 1} to {last} are missing"
    stored_ends = {scope: tuple(end) for scope, *end in connection.execute(_ENDS)}
    for scope in sorted(ends.keys() | stored_ends.keys()):
        end, stored_end = ends.get(scope, _BEGIN), stored_ends.get(scope)
        if stored_end is None or stored_end[0] != end.position or (end.is_sound and stored_end != end[:3]):
            yield f"the parts of scope {scope} do not end with the one that it names"


SHOWN_MAX = 5

_CLOCKS_OFF = (
    "SELECT s.scope FROM scopes s WHERE s.newest_at <> (SELECT max(r.at) FROM runs r WHERE r.scope = s.scope)"
)

# Of each scope up to which part images have ended, and of when the last of these was.
_IMAGES_FROM = """
    SELECT names.name, r.position, r.at FROM runs AS r JOIN names ON names.no = r.scope
    WHERE r.position IN (
        SELECT max(json_extract(detail, '$.through')) FROM runs INDEXED BY runs_ending
        WHERE verb IN ('expire', 'erase') GROUP BY scope)
    ORDER BY names.name"""

_COUNTED_OFF = (
    "SELECT s.scope FROM scopes s WHERE s.held <> (SELECT count(*) FROM states t WHERE t.scope = s.scope)"
)

# What is made of the texts costs none of them.
_WAYS_OUT = {"full text": MAKE_ANEW, "audit": DOUBT_UNDO}
Faults = Iterator[str]
_UNREADABLE = (struct.error, ValueError, TypeError, LookupError, OverflowError)
_SUCCEEDING = ", ".join(str(int(relation)) for relation in sorted(SUCCEEDING))


def check(connection: sqlite3.Connection, names: StringIds) -> list[Check]:
    """Look at everything; the list has one entry a check, sound or not."""
    return [
        _run_check("structure", "every page is in order", lambda: _check_structure(connection)),
        _run_check(
            "references", "every row names rows that are there", lambda: _check_references(connection)
        ),
        _run_check("rows", "every text and vector is what was written", lambda: _rows(connection)),
        _run_check(
            "sums",
            "every state, tag, source and link is what was written",
            lambda: sums.find_sum_faults(connection),
        ),
        _run_check("audit", _describe_proof(connection), lambda: _check_audit(connection, names)),
        _run_check(
            "full text",
            "every word is found where it stands, and counted",
            lambda: fulltext.find_word_faults(connection),
        ),
        _lineage(connection),
        *_describe_encryption(connection),
        *_check_erasures(connection),
        *ledger.check(connection),
        *_check_unregistered_tables(connection),
    ]


def _describe_encryption(connection: sqlite3.Connection) -> Iterator[Check]:
    """Yield whether the file is encrypted; nothing of a database in memory."""
    (_, _, file) = connection.execute("PRAGMA database_list").fetchone()
    if file:
        is_plain = key_of(connection) is None
        yield Check(
            "encryption",
            True,
            "the file is not encrypted" if is_plain else "the file and its log are encrypted",
        )


def _check_erasures(connection: sqlite3.Connection) -> Iterator[Check]:
    """Yield what is to be said of what was erased, where there is anything."""
    if places := cleaning.left_where(connection):
        where = ", ".join(places)
        yield Check(
            "erased",
            ok=False,
            detail=f"something of what was erased is left in {where}",
            advice="close what else has the file open and run `remanence erase --since --yes`; delete what is named"
            " beside it",
        )
    elif cleaning.is_due(connection):
        yield Check(
            "erased",
            ok=True,
            detail="it is not proven yet that what was erased is gone from the file",
            advice="run `remanence erase --since --yes` where no other process reads the file",
        )


def _check_unregistered_tables(connection: sqlite3.Connection) -> Iterator[Check]:
    """Yield which tables are none of ours: an erasure does not know what they hold."""
    rows = connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name").fetchall()
    others = [name for (name,) in rows if name not in BY_NAME]
    if others:
        yield Check(
            "tables",
            ok=True,
            detail=f"the file has tables that are none of ours: {', '.join(others[:SHOWN_MAX])}",
            advice="see whether they hold what memories say: an erasure looks for it there, and takes nothing away",
        )


def _run_check(name: str, sound: str, look: Callable[[], Faults]) -> Check:
    faults: list[str] = []
    try:
        faults.extend(look())
    except errors(*_UNREADABLE) as error:
        if isinstance(meaning(error), StoreUnavailable):  # it says nothing of what is stored
            raise
        faults.append(f"cannot be read: {error}")
    more = f" and {len(faults) - SHOWN_MAX} more" if len(faults) > SHOWN_MAX else ""
    if not faults:
        return Check(name, ok=True, detail=sound)
    return Check(name, False, "; ".join(faults[:SHOWN_MAX]) + more, _WAYS_OUT.get(name, GO_BACK))


def _check_structure(connection: sqlite3.Connection) -> Faults:
    # quick_check would not compare indexes with their tables.
    for (line,) in connection.execute("PRAGMA integrity_check").fetchall():
        if line != "ok":
            yield line


def _check_references(connection: sqlite3.Connection) -> Faults:
    for table, row, parent, _ in connection.execute("PRAGMA foreign_key_check").fetchall():
        yield f"{table} {row or ''} names no row of {parent}"
    halves = connection.execute(
        "SELECT seq FROM memories WHERE seq NOT IN (SELECT seq FROM states)"
        " UNION SELECT m.seq FROM memories m JOIN states s ON s.seq = m.seq WHERE m.scope <> s.scope"
    )
    for (seq,) in halves.fetchall():
        yield f"memory {seq} has no state in its scope"


def _rows(connection: sqlite3.Connection) -> Faults:
    columns = ", ".join(column.name for column in MEMORIES)
    for seq, scope, digest, *values in connection.execute(
        f"SELECT seq, scope, digest, {columns} FROM memories"
    ):
        if row_digest(seq, scope, values) != digest:
            yield f"memory {seq} is not what was written"
    for table in VECTORS:
        for seq, vector, digest in connection.execute(f"SELECT seq, vector, digest FROM {table}"):
            if sums.vector_digest(vector) != digest:
                yield f"the vector of memory {seq} in {table} is not what was written"


def _describe_proof(connection: sqlite3.Connection) -> str:
    """Say what a sound audit proves: from where on the images, too."""
    try:
        rows = connection.execute(_IMAGES_FROM).fetchall()
    except errors(*_UNREADABLE):
        rows = []
    return PROVEN + from_where([(name, through, at) for name, through, at in rows])


def _check_audit(connection: sqlite3.Connection, names: StringIds) -> Faults:
    yield from find_audit_faults(connection, names)
    for (scope,) in connection.execute(_CLOCKS_OFF).fetchall():
        yield f"scope {scope} was last written to at another time than its newest run"
    for (scope,) in connection.execute(_COUNTED_OFF).fetchall():
        yield f"scope {scope} counts other memories than it has"


def _lineage(connection: sqlite3.Connection) -> Check:
    try:
        links = connection.execute(
            "SELECT source, target, status FROM links CROSS JOIN states ON seq = source"
            f" WHERE relation IN ({_SUCCEEDING})"
        ).fetchall()
        fallen = connection.execute("SELECT seq, reason FROM states WHERE status = ?", (Status.SUPERSEDED,))
        return lineage(find_without_successor(links, dict(fallen.fetchall())))
    except errors(*_UNREADABLE) as error:
        return Check("lineage", ok=False, detail=f"cannot be read: {error}")
