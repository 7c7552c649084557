"""Whether the audit is what was written: every part under its digest, each after the one before it in its scope.

Each part has a digest of its own, which tells that one apart which was changed; all of them, one after the other, make
the digest that its scope ends with. A part that an erasure emptied is what that left of it, under the digest that it
had before. Of one whose images have ended its cause is proven, and what was kept.

Knows the digests of parts; knows nothing of what they changed.
"""

import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import orjson

from remanence.store.audit_parts import UNCHAINED, part_digest
from remanence.store.erasure import EMPTIED, ERASE
from remanence.store.sqlite import block_log, redact_images
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
from remanence.store.sqlite.redact_images import holds_any
from remanence.store.sqlite.string_ids import StringIds
from remanence.store.sqlite.use_parts import unpack_parts
from remanence.store.undo_data_pruning import ImageEndMark

_RUNS = f"SELECT {', '.join(HEADER)}, digest, entries, asked FROM runs ORDER BY position"
_ENDS = "SELECT scope, position, digest, before FROM scopes"


def find_audit_faults(connection: sqlite3.Connection, names: StringIds) -> Iterator[str]:
    """Yield what is wrong: a part that was changed, that does not follow from the one before, or that is missing."""
    remainders = _read_emptied_parts(connection)
    yield from _find_erasure_faults(connection)
    ended_parts, images = _EndedParts(connection, names), _ImageDigests(connection, names)
    latest, within = 0, _within_lines(connection)
    ends: dict[int, _ChainEnd] = {}
    for *header, digest, entries, asked_digest in connection.execute(_RUNS).fetchall():
        position, scope = header[:2]
        end = ends.get(scope, _BEGIN)
        latest = _skip(latest, within)
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
    yield from _cut_off(connection, _skip(latest, within), ends)


def _within_lines(connection: sqlite3.Connection) -> set[int]:
    """Return the positions of all parts that lie in a line of an earlier one."""
    lines = connection.execute("SELECT position, parts FROM runs WHERE parts IS NOT NULL").fetchall()
    return {
        part.position for position, line_parts in lines for part in unpack_parts(line_parts, position)[1:]
    }


def _skip(latest: int, within: set[int]) -> int:
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


def _read_emptied_parts(connection: sqlite3.Connection) -> dict[int, tuple[bytes, bytes]]:
    """Return of each part that was emptied the digest of why it was done, and that of what was left last."""
    rows = connection.execute('SELECT position, header, rest FROM emptied ORDER BY position, "by"')
    return {position: (header, rest) for position, header, rest in rows.fetchall()}


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
