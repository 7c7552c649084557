"""Whether the audit is what was written: every part under its digest, each after the one before it in its scope.

A part that an erasure emptied is what that left of it, under the digest that it had before. Of one whose images have
ended its cause is proven, and what was kept.

Knows the digests of parts; knows nothing of what they changed.
"""

import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import orjson

from remanence.store.chain import UNCHAINED, part_digest
from remanence.store.ending import Mark
from remanence.store.erasure import EMPTIED, ERASE
from remanence.store.sqlite import block_log, emptying
from remanence.store.sqlite.audit import (
    HEADER,
    SELECT_CHANGES,
    entries_digest,
    header_digest,
    mark,
    shapes_of,
)
from remanence.store.sqlite.emptying import holds_any
from remanence.store.sqlite.interned import Interned

_RUNS = f"SELECT {', '.join(HEADER)}, previous, digest, entries, asked FROM runs ORDER BY position"


def broken(connection: sqlite3.Connection, names: Interned) -> Iterator[str]:
    """Yield what is wrong: a part that was changed, that does not follow from the one before, or that is missing."""
    left = _emptied(connection)
    yield from _unvouched(connection)
    kept = _Kept(connection, names)
    latest = 0
    ends: dict[int, tuple[int, bytes]] = {}  # of each scope the last part, and what the next one follows
    for *header, previous, digest, entries, asked in connection.execute(_RUNS).fetchall():
        position, scope = header[:2]
        if latest + 1 != position or previous != ends.get(scope, (0, UNCHAINED))[1]:
            yield f"part {position} does not follow part {latest}"
        elif position <= kept.through(scope):
            if not kept.follows(header, (previous, digest, entries, asked), left.get(position)):
                yield f"part {position} is not what was written"
        elif position in left:
            if not _is_left(connection, names, header, (previous, digest, entries), left[position]):
                yield f"part {position} is not what an erasure left of it"
        elif digest != _digest(connection, names, header, previous, entries, asked):
            yield f"part {position} is not what was written"
        latest, ends[scope] = position, (position, digest)
    yield from kept.broken()
    yield from _cut_off(connection, latest, ends)


class _Kept:
    """The parts whose images have ended: why each was done is proven, and what was kept of what it changed."""

    def __init__(self, connection: sqlite3.Connection, names: Interned) -> None:
        self._connection = connection
        self._names = names
        self._marks: dict[int, Mark] = {}
        self._held: dict[int, list[bytes]] = {}

    def through(self, scope: int) -> int:
        """Return up to which position the images of a scope have ended."""
        if scope not in self._marks:
            self._marks[scope] = mark(self._connection, scope)
        return self._marks[scope].through

    def follows(
        self,
        header: Sequence[Any],
        digests: tuple[bytes, bytes, bytes, bytes],
        left: tuple[bytes, bytes] | None,
    ) -> bool:
        """Tell whether a part has the digest that it had, and note what is left of it."""
        position, scope = header[:2]
        name = self._names.text(self._connection, scope)
        if holds_any(self._connection, position):
            self._held.setdefault(scope, []).append(
                emptying.rest(self._connection, self._names, name, position)
            )
        previous, digest, entries, asked = digests
        because = header_digest(header, name, asked) if left is None else left[0]
        return digest == part_digest(previous, because, entries)

    def broken(self) -> Iterator[str]:
        """Yield the scopes of which other images were kept than the part says that ended the others."""
        for scope, said in sorted(self._marks.items()):
            found = Mark(said.through).moved((), self._held.get(scope, ()))
            if found != said:
                name = self._names.text(self._connection, scope)
                yield f"of scope {name!r}, parts up to {said.through} hold other images than were kept"


def _digest(
    connection: sqlite3.Connection,
    names: Interned,
    header: Sequence[Any],
    previous: bytes,
    entries: bytes,
    asked: bytes,
) -> bytes | None:
    """Return the digest that a part must have, None where what it changed is not what was written."""
    rows = connection.execute(f"{SELECT_CHANGES} ORDER BY n", (header[0],)).fetchall()
    blocks = block_log.read(connection, header[0])
    shapes = names.all(connection, shapes_of(rows, blocks))
    if entries != entries_digest(shapes, rows, blocks):
        return None
    return part_digest(previous, header_digest(header, names.text(connection, header[1]), asked), entries)


def _emptied(connection: sqlite3.Connection) -> dict[int, tuple[bytes, bytes]]:
    """Return of each part that was emptied the digest of why it was done, and that of what was left last."""
    rows = connection.execute('SELECT position, header, rest FROM emptied ORDER BY position, "by"')
    return {position: (header, rest) for position, header, rest in rows.fetchall()}


def _unvouched(connection: sqlite3.Connection) -> Iterator[str]:
    """Yield each erasure that left of the parts before it something else than it said."""
    by: dict[int, list[tuple[int, bytes, bytes]]] = {}
    rows = connection.execute('SELECT "by", position, header, rest FROM emptied').fetchall()
    for part, *left in rows:
        by.setdefault(part, []).append(tuple(left))
    said = connection.execute("SELECT position, detail FROM runs WHERE verb = ?", (ERASE,)).fetchall()
    for position, detail in said:
        vouched = emptying.vouched(by.pop(position, []))
        if detail is None or orjson.loads(detail).get(EMPTIED) != vouched:
            yield f"part {position} left something else of the parts before it"
    for position in sorted(by):
        yield f"part {position} emptied others, and is no erasure"


def _is_left(
    connection: sqlite3.Connection,
    names: Interned,
    header: Sequence[Any],
    digests: tuple[bytes, bytes, bytes],
    left: tuple[bytes, bytes],
) -> bool:
    """Tell whether a part is what an erasure left of it, and has the digest that it had before."""
    previous, digest, entries = digests
    because, rest = left
    if rest != emptying.rest(connection, names, names.text(connection, header[1]), header[0]):
        return False
    return bool(digest == part_digest(previous, because, entries))


def _cut_off(
    connection: sqlite3.Connection, latest: int, ends: Mapping[int, tuple[int, bytes]]
) -> Iterator[str]:
    """Yield what is missing at the end, of the file or of a scope."""
    (last,) = connection.execute(
        "SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = 'runs'"
    ).fetchone()
    if last != latest:
        yield f"parts {latest + 1} to {last} are missing"
    rows = connection.execute("SELECT scope, position, digest FROM scopes").fetchall()
    held = {scope: (position, digest) for scope, position, digest in rows}
    for scope in sorted(ends.keys() | held.keys()):
        if held.get(scope) != ends.get(scope):
            yield f"the parts of scope {scope} do not end with the one that it names"
