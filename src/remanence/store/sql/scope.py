"""One scope in one open transaction: its row, its names and the database, which every function of this folder is given.

A scope that was never written to has the number 0, which no row has.
"""

from dataclasses import dataclass, field
from typing import NamedTuple

import orjson

from remanence.store.audit_parts import UNCHAINED
from remanence.store.scope_transfer import (
    MOVED,
    build_arriving_refusal,
    build_moved_refusal,
    is_arriving,
    mark_arriving,
)
from remanence.store.sql.database import Database, Row
from remanence.store.sql.dialect import Statement
from remanence.store.sql.names import NameCache, ScopeNames
from remanence.store.sql.sums import Sums

_COLUMNS = (
    "scope", "position", "latest", "held", "memories", "newest_at", "names_gone", "digest", "before",
)  # fmt: skip
# By its number, as every statement names a scope, so that a cluster asks one node alone; the name is looked at as well,
# as another database may have come in the place of the one where the number was learned.
_SELECT = f"SELECT {', '.join(f's.{name}' for name in _COLUMNS)}"
_FROM = " FROM scopes s JOIN scope_names n ON n.scope = s.scope WHERE s.scope = ?1 AND n.name = ?2"
_NUMBER = Statement("SELECT scope FROM scope_names WHERE name = ?1")
_READ = Statement(_SELECT + _FROM)
_READ_LOCKED = Statement(
    lambda sql: f"{_SELECT}{sql.listened}{_FROM}{sql.locked}{' OF s' if sql.locked else ''}"
)
# What servers listen to; the payload is the number of a scope, below 0 where it was erased from, and no name.
TELL = Statement("SELECT pg_notify('remanence', ?1)")
_NAME_IT = Statement("INSERT INTO scope_names (name) VALUES (?1) ON CONFLICT (name) DO NOTHING")
_MAKE = Statement(
    "INSERT INTO scopes (scope, position, latest, held, memories, newest_at, names_gone, digest, before)"
    " SELECT scope, 0, 0, 0, 0, 0, 0, ?2, ?2 FROM scope_names WHERE name = ?1 ON CONFLICT (scope) DO NOTHING"
)
_WRITE = Statement(
    "UPDATE scopes SET position = ?2, latest = ?3, held = ?4, memories = ?5, newest_at = ?6, names_gone = ?7,"
    " digest = ?8, before = ?9 WHERE scope = ?1"
)


MOVED_TO = "moved/to"  # the row of `settings` that says in which
_MOVED_TO = Statement("SELECT value FROM settings WHERE scope = ?1 AND name = ?2")


class ScopeRow(NamedTuple):
    """How far a scope has come.

    `position` is that of its last part, `latest` the highest sequence number ever given, `held` how many memories it
    has, `memories` how many of them hold words, `newest_at` the latest time of a part, `names_gone` how often names of
    it were erased, `digest` that of its last part and `before` that of the one before it.
    """

    no: int = 0
    position: int = 0
    latest: int = 0
    held: int = 0
    memories: int = 0
    newest_at: int = 0
    names_gone: int = 0
    digest: bytes = UNCHAINED
    before: bytes = UNCHAINED


@dataclass(slots=True)
class OpenScope:
    """A scope, by name, in one transaction: what every function reads and writes through.

    `row` is changed as the transaction goes on; `opened` is what was read, and `close` writes what differs. `sums`
    collects by how much the check sums change. With `has_listeners` a server waits to be told of commits.
    """

    db: Database
    name: str
    row: ScopeRow
    opened: ScopeRow
    names: ScopeNames
    sums: Sums = field(default_factory=Sums)
    has_listeners: bool = False

    @property
    def no(self) -> int:
        """The number of the scope."""
        return self.row.no

    def write_names(self) -> None:
        """Write the names that were made: rows that use them must find them there."""
        if rows := self.names.write():
            self.sums.add_rows("names", rows)

    def close(self) -> None:
        """Write what is left to be written: names, the row of the scope where it changed, and sums."""
        self.write_names()
        if self.row != self.opened:
            self.db.run(_WRITE, self.row)
            if self.has_listeners:
                self.db.run(TELL, (str(self.no),))
        self.sums.write(self.db, self.no)


def open_scope(db: Database, cache: NameCache, name: str) -> OpenScope:
    """Return a scope to read; one that moved elsewhere is NotFound."""
    row = ScopeRow(*(_find(db, cache, name, _READ) or ()))
    _refuse_moved(db, name, row)
    if is_arriving(row.position):
        row = row._replace(position=mark_arriving(row.position))
    return OpenScope(db, name, row, row, ScopeNames(db, row.no, row.names_gone, cache))


def open_scope_to_write(db: Database, cache: NameCache, name: str, *, comes_back: bool = False) -> OpenScope:
    """Return a scope that nobody else writes to until the transaction ends; it is made where there is none.

    One that moved elsewhere is NotFound, unless it `comes_back` now.
    """
    found = _find(db, cache, name, _READ_LOCKED)
    if found is None:
        db.run(_NAME_IT, (name,))
        db.run(_MAKE, (name, UNCHAINED))
        found = _find(db, cache, name, _READ_LOCKED)
        assert found is not None
    row = ScopeRow(*found[: len(_COLUMNS)])
    if not comes_back:
        _refuse_moved(db, name, row)
        if is_arriving(row.position):
            raise build_arriving_refusal(name)
    names = ScopeNames(db, row.no, row.names_gone, cache, writes=True)
    return OpenScope(db, name, row, row, names, has_listeners=any(found[len(_COLUMNS) :]))


def _refuse_moved(db: Database, name: str, row: ScopeRow) -> None:
    if row.position == MOVED:
        (kept,) = db.row(_MOVED_TO, (row.no, MOVED_TO)) or ('"another store"',)
        raise build_moved_refusal(name, orjson.loads(kept))


def _find(db: Database, cache: NameCache, name: str, statement: Statement) -> Row | None:
    """Return the row of a scope by its number, which is asked for where it is not known."""
    number = cache.scope_numbers.get(name)
    found = None if number is None else db.row(statement, (number, name))
    if found is None:
        named = db.row(_NUMBER, (name,))
        found = None if named is None else db.row(statement, (named[0], name))
    if found is not None:
        cache.learn_scope(name, found[0])
    return found
