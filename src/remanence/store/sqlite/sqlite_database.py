"""A connection to a file as the statements of `store.sql` run on it."""

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
import orjson

from remanence.store.residue_scan import PieceHashes
from remanence.store.sql.database import Ints, Row
from remanence.store.sql.dialect import Statement
from remanence.store.sql.meta import PUT, READ
from remanence.store.sql.scope import OpenScope
from remanence.store.sqlite.driver import IN_MEMORY

UNPROVEN = "erased_unproven"  # the row of `meta` with the pieces that must be nowhere in the file
_STREAMED = 1_024


class SqliteDatabase:
    """One connection of sqlite3, or of SQLCipher, in an open transaction."""

    __slots__ = ("connection",)

    def __init__(self, connection: sqlite3.Connection) -> None:
        self.connection = connection

    def rows(self, statement: Statement, values: Sequence[Any] = ()) -> list[Row]:
        """Return all rows of a query."""
        return self.connection.execute(statement.sqlite, values).fetchall()

    def row(self, statement: Statement, values: Sequence[Any] = ()) -> Row | None:
        """Return the first row of a query, None where there is none."""
        row: Row | None = self.connection.execute(statement.sqlite, values).fetchone()
        return row

    def stream(self, statement: Statement, values: Sequence[Any] = ()) -> Iterator[Row]:
        """Yield the rows of a query that may be long."""
        cursor = self.connection.execute(statement.sqlite, values)
        while rows := cursor.fetchmany(_STREAMED):
            yield from rows

    def run(self, statement: Statement, values: Sequence[Any] = ()) -> None:
        """Run a statement that answers nothing."""
        self.connection.execute(statement.sqlite, values)

    def run_many(self, statement: Statement, rows: Iterable[Sequence[Any]]) -> None:
        """Run a statement with each of some rows of values."""
        self.connection.executemany(statement.sqlite, rows)

    def make_list(self, values: Iterable[int] | Iterable[str]) -> str:
        """Return numbers or texts as the JSON that `json_each` takes apart, whatever their number."""
        return orjson.dumps(list(values)).decode()

    def whole_numbers(self, kept: str | None) -> Ints:
        """Return the numbers of what `group_concat` answered."""
        return np.fromstring(kept, np.int64, sep=",") if kept else np.empty(0, np.int64)

    def note_erased(self, _: int, pieces: Iterable[bytes], /) -> None:
        """Keep salted hashes of what must be nowhere in the file, beside those kept before; without a file nothing."""
        (_, _, file) = self.connection.execute("PRAGMA database_list").fetchone()
        if not file or file == IN_MEMORY:
            return
        hashes = PieceHashes()
        hashes.add(pieces)
        hashes.drop_excess()
        row = self.row(READ, (UNPROVEN,))
        entries = orjson.loads(row[0]) if row else []
        self.run(PUT, (UNPROVEN, orjson.dumps([*entries, hashes.encode_hex()]).decode()))


def connection_of(scope: OpenScope) -> sqlite3.Connection:
    """Return the connection to the file that a scope lies in."""
    assert isinstance(scope.db, SqliteDatabase)
    return scope.db.connection
