"""A connection to a PostgreSQL server as the statements of `store.sql` run on it, and its transactions.

What writes is kept here until something is asked, or the transaction ends: the statements that write a commit, and its
COMMIT, are one trip. A failure of theirs comes up at the next question, or at the end. So the server always waits for a
transaction that writes while this process computes, and ends it where nothing comes for too long: a process that stands
still keeps nobody from its scope.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import count, islice
from typing import Any, TypeVar

import numpy as np
import psycopg
from psycopg import Connection, Pipeline, RawCursor
from psycopg.types.array import ListBinaryDumper
from psycopg.types.numeric import Int8BinaryDumper
from psycopg.types.string import BytesBinaryDumper, StrBinaryDumper

from remanence.store.postgres import pg_bulk
from remanence.store.sql import meta
from remanence.store.sql.database import Ints, Row
from remanence.store.sql.dialect import Statement
from remanence.store.sql.scope import TELL

Answer = TypeVar("Answer")
LOCK_SECONDS = 10.0  # that a writer waits for its scope at most, as for a file
STUCK_SECONDS = 3.0  # of them, before it looks whether the one that holds it stands still
PREPARED_AFTER = 2  # times that a statement was run on a connection
PREPARED_MAX = 300  # statements a connection
READING = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
WRITING = "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE"
# The server ends a transaction whose process stands still before another one is tired of waiting for the scope. A
# process that imports 20,000 memories computes for a second between two trips.
IDLE_SECONDS = 7
_LIMITS = (
    "SELECT set_config('lock_timeout', '{}s', true),"
    f" set_config('idle_in_transaction_session_timeout', '{IDLE_SECONDS}s', true)"
)
_COMMIT = "COMMIT"
_STREAMED = 2_000
# From so many rows on one statement for all is the faster; more at once than the second only take memory.
_MANY, _AT_ONCE = 32, 8_192
# A list of more values, or of more bytes, is planned for anew each time.
_LONG, _LONG_BYTES = 32, 32 * 12
_NOTE = Statement(
    "INSERT INTO meta (name, value) VALUES (?1, pg_current_xact_id()::text)"
    " ON CONFLICT (name) DO UPDATE SET value = excluded.value"
)
_EMPTY = Statement("UPDATE server_state SET value = '' WHERE scope = ?1 AND value IS NOT NULL")
_STREAMS = count()


def configure(connection: Connection[Any]) -> None:
    """Have a connection take numbered parameters, and each Python type as one type of the server.

    Left alone, psycopg picks a type by the size of each number, and the server plans a statement anew for each.
    """
    adapters = connection.adapters
    adapters.register_dumper(int, Int8BinaryDumper)
    adapters.register_dumper(str, StrBinaryDumper)
    adapters.register_dumper(bytes, BytesBinaryDumper)
    adapters.register_dumper(list, ListBinaryDumper)
    adapters.register_dumper(pg_bulk.NumberArray, pg_bulk.NumberArrayDumper)
    adapters.register_dumper(pg_bulk.TextArray, pg_bulk.TextArrayDumper)
    adapters.register_dumper(pg_bulk.BytesArray, pg_bulk.BytesArrayDumper)
    connection.prepared_max = PREPARED_MAX


class PgDatabase:
    """One connection in an open transaction.

    With a `pipeline` statements that write are kept until something is asked, or `send` is called.
    """

    __slots__ = ("_cursor", "_kept", "_kept_rows", "_pipeline", "_writes", "connection")

    def __init__(self, connection: Connection[Any], pipeline: Pipeline | None = None) -> None:
        self.connection, self._pipeline = connection, pipeline
        self._cursor = RawCursor(connection)
        # What comes back for a statement that writes may come late, and must not be taken for an answer.
        self._writes = RawCursor(connection)
        self._kept: list[Callable[[], object]] = []
        self._kept_rows = 0

    def rows(self, statement: Statement, values: Sequence[Any] = ()) -> list[Row]:
        """Return all rows of a query."""
        return self._ask(statement, values).fetchall()

    def row(self, statement: Statement, values: Sequence[Any] = ()) -> Row | None:
        """Return the first row of a query, None where there is none."""
        return self._ask(statement, values).fetchone()

    def stream(self, statement: Statement, values: Sequence[Any] = ()) -> Iterator[Row]:
        """Yield the rows of a query that may be long."""
        name = f"stream_{next(_STREAMS)}"
        self._put(
            partial(
                self._writes.execute,
                f"DECLARE {name} NO SCROLL CURSOR FOR {statement.postgres}",
                values,
                prepare=False,
            )
        )
        cursor = RawCursor(self.connection)
        rows: list[Row] = [()] * _STREAMED
        while len(rows) == _STREAMED:
            self.send()
            cursor.execute(f"FETCH {_STREAMED} FROM {name}", binary=True, prepare=False)
            self._end_trip()
            rows = cursor.fetchall()
            yield from rows
        # One that is not read to its end goes with the transaction.
        self._put(partial(self._writes.execute, f"CLOSE {name}", prepare=False))

    def run(self, statement: Statement, values: Sequence[Any] = ()) -> None:
        """Run a statement that answers nothing."""
        self._put(partial(self._writes.execute, statement.postgres, values, prepare=_may_prepare(values)))

    def run_many(self, statement: Statement, rows: Iterable[Sequence[Any]]) -> None:
        """Run a statement with each of some rows of values: many of them as arrays, in one statement."""
        left = iter(rows)
        while some := list(islice(left, _AT_ONCE)):
            many = pg_bulk.build_many(statement.postgres, some) if len(some) >= _MANY else None
            if many is None:
                self._put(partial(self._writes.executemany, statement.postgres, some), len(some))
            else:
                self._put(partial(self._writes.execute, many.text, many.values, prepare=False), len(some))

    def send(self) -> None:
        """Send what was kept; whether it went well is not known yet."""
        for execute in self._kept:
            execute()
        self._kept, self._kept_rows = [], 0

    def _put(self, execute: Callable[[], object], rows: int = 1) -> None:
        """Keep a statement that writes; send all where they are many."""
        self._kept.append(execute)
        self._kept_rows += rows
        if self._pipeline is None or self._kept_rows > _AT_ONCE:
            self.send()
            self._end_trip()

    def _ask(self, statement: Statement, values: Sequence[Any]) -> RawCursor[Row]:
        self.send()
        cursor = self._cursor.execute(statement.postgres, values, binary=True, prepare=_may_prepare(values))
        self._end_trip()
        return cursor

    def _end_trip(self) -> None:
        """Tell the server that nothing follows, and wait for its answers; without that it never calls itself idle."""
        if self._pipeline is not None:
            self._pipeline.sync()

    def make_list(self, values: Iterable[int] | Iterable[str]) -> Any:
        """Return numbers or texts as an array."""
        listed: list[Any] = list(values)
        if not listed:
            return listed
        return pg_bulk.pack_texts(listed) if isinstance(listed[0], str) else pg_bulk.pack_numbers(listed)

    def whole_numbers(self, kept: bytes | None) -> Ints:
        """Return the numbers of what `string_agg` answered."""
        return np.frombuffer(kept or b"", ">i8").astype(np.int64)

    def note_erased(self, scope: int, _: Iterable[bytes], /) -> None:
        """Note the transaction, after which VACUUM is due; pieces cannot be looked for in what a server keeps.

        Servers keep nothing any more of what they answered about the scope, and are told to empty their memory.
        """
        self.run(_NOTE, (meta.name_erasure(scope),))
        self.run(_EMPTY, (scope,))
        self.run(TELL, (str(-scope),))


def _may_prepare(values: Sequence[Any]) -> bool | None:
    """Return False where a list is long: the server must see it to plan, and to look a value up in it fast."""
    if len(values) > _LONG or any(
        len(one) > _LONG_BYTES for one in values if isinstance(one, pg_bulk.ARRAYS)
    ):
        return False
    return None


def read(connection: Connection[Any], work: Callable[[PgDatabase], Answer]) -> Answer:
    """Let work read what there is at one moment; the connection is in autocommit."""
    return _transact(connection, (READING,), work)


def write(
    connection: Connection[Any], work: Callable[[PgDatabase], Answer], lock_seconds: float = LOCK_SECONDS
) -> Answer:
    """Let work write in one transaction, which waits so long for a lock; the connection is in autocommit."""
    return _transact(connection, (WRITING, _LIMITS.format(lock_seconds)), work)


def _transact(
    connection: Connection[Any], begin: Sequence[str], work: Callable[[PgDatabase], Answer]
) -> Answer:
    ending = RawCursor(connection)
    with connection.pipeline() as pipeline:
        for statement in begin:
            ending.execute(statement, prepare=False)
        db = PgDatabase(connection, pipeline if WRITING in begin else None)
        answer = work(db)
        db.send()
        ending = RawCursor(connection)
        ending.execute(_COMMIT, prepare=False)
    if ending.statusmessage != _COMMIT:
        raise psycopg.OperationalError(f"the server ended a transaction with {ending.statusmessage}")
    return answer
