"""The store on a PostgreSQL server: a pool of connections, one transaction and one hop between threads a method.

Whoever writes locks the row of the scope first, so that commits of one scope follow each other and see all before them;
whoever reads sees one moment. A commit whose outcome was lost with its connection is asked for again: it is written
once by (run, part).
"""

import asyncio
import logging
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any, TypeVar

import psycopg
from psycopg import Connection, errors
from psycopg_pool import ConnectionPool, PoolTimeout

from remanence.core.change import Cause, CommitResult, Entry
from remanence.core.errors import ReadOnly, RemanenceError, StoreError, StoreUnavailable
from remanence.core.process import OpeningProcess
from remanence.store.base import Bookkeeping, BookkeepResult, Check, CleanResult
from remanence.store.postgres import pg_cleaning, pg_database, pg_errors, pg_schema, pg_statistics
from remanence.store.postgres.pg_address import is_pooled, read_address
from remanence.store.postgres.pg_connection import connect
from remanence.store.postgres.pg_database import (
    LOCK_SECONDS,
    PREPARED_AFTER,
    STUCK_SECONDS,
    PgDatabase,
    configure,
)
from remanence.store.sql import checking
from remanence.store.sql.database import Database, first
from remanence.store.sql.decoding import UNREADABLE, build_row_damage
from remanence.store.sql.dialect import Statement
from remanence.store.sql.names import NameCache
from remanence.store.sql.scope import OpenScope, open_scope, open_scope_to_write
from remanence.store.sql.sql_store import DatabaseStore, ScopeWork

Answer = TypeVar("Answer")
CONNECTIONS = 8  # at most, of one process
ATTEMPTS = 5  # of a transaction that the server gave up in favour of another
_WAIT_SECONDS = 10.0  # for a connection
_THREADS = "remanence-postgres"
_PLACE = "the database"
_NOW = Statement("SELECT CAST(extract(epoch FROM clock_timestamp()) * 1000000 AS bigint)")
# Ends a transaction that holds a scope and whose process stopped half-way through what it sent. The server calls that
# active, not idle, and has no limit for it. A role sees and ends its own transactions alone.
_END_STUCK = Statement(
    "SELECT pg_terminate_backend(a.pid) FROM scopes s JOIN scope_names n ON n.scope = s.scope"
    " JOIN pg_stat_activity a ON a.backend_xid = s.xmax WHERE n.name = ?1 AND a.usename = current_user"
    " AND a.state = 'active' AND a.wait_event = 'ClientRead'"
    f" AND a.state_change < clock_timestamp() - make_interval(secs => {STUCK_SECONDS / 2})"
)
LOG = logging.getLogger("remanence")


class PgStore(DatabaseStore):
    """Memories in the database of a PostgreSQL server, given by its address."""

    has_own_clock = True  # by which leases go

    def __init__(self, address: str, *, connections: int = CONNECTIONS) -> None:
        self._address, self._prepares = read_address(address)
        self._connections = connections
        self._names, self._growth = NameCache(), pg_statistics.Growth()
        self._pool: ConnectionPool[Connection[Any]] | None = None
        self._threads: ThreadPoolExecutor | None = None
        self._process = OpeningProcess()
        self.closed_cleanly = True
        self.reads_only = False

    async def open(self, *, read_only: bool = False) -> None:
        """Connect, and make the tables in an empty database; raise StoreUnavailable or StoreIncompatible otherwise."""
        if self._pool is not None:
            return
        self._names, self._process, self.reads_only = NameCache(), OpeningProcess(), read_only
        self._threads = ThreadPoolExecutor(self._connections, _THREADS)
        logging.getLogger("psycopg").addFilter(_is_news)
        try:
            self._pool = await self._run(self._connect)
        finally:
            if self._pool is None:
                await self.close()

    async def close(self) -> None:
        """Finish what is under way and let everything go; closing twice is allowed."""
        pool, threads = self._pool, self._threads
        self._pool = self._threads = None
        if threads is None or not self._process.is_this:
            return
        await asyncio.to_thread(threads.shutdown)
        if pool is not None:
            await asyncio.to_thread(pool.close)

    async def commit(self, scope: str, changes: Sequence[Entry], cause: Cause) -> CommitResult:
        """Write all changes with their audit in one transaction, or raise Conflict and write nothing."""
        result = await super().commit(scope, changes, cause)
        if self._growth.is_due(result.changes):
            try:
                await self._run(lambda: self._try(pg_statistics.update))
            except StoreError as error:  # it is written all the same
                LOG.warning("the server could not look how large its tables are: %s", error)
        return result

    async def bookkeep(self, scope: str, asked: Bookkeeping) -> BookkeepResult:
        """Read and write what is not memory; a lease goes by the clock of the server."""
        if asked.lease is None:
            return await super().bookkeep(scope, asked)
        now = await self.read_every_scope(lambda db: int(first(db.row(_NOW))))
        name, holder, until = asked.lease
        return await super().bookkeep(
            scope, replace(asked, now=now, lease=(name, holder, now + until - asked.now))
        )

    async def check(self) -> list[Check]:
        """Look whether what is stored is sound: references, row hashes, sums, audit chain, full text."""
        return await self.read_every_scope(lambda db: checking.check_all(db, NameCache()))

    async def clean(self, scope: str) -> CleanResult:  # noqa: ARG002 - of all
        """Have the server take away rows that were erased; nothing where nothing is due."""
        due = await self.read_every_scope(pg_cleaning.find_due)
        if due is None or self.reads_only:
            return CleanResult()

        def clean() -> CleanResult:
            try:
                with connect(self._address) as connection:
                    return pg_cleaning.clean(connection)
            except psycopg.Error as error:
                raise pg_errors.meaning(error) from error

        return await self._run(clean)

    def _connect(self) -> ConnectionPool[Connection[Any]]:
        """Return a pool, once one connection has made or found the tables."""
        prepares = self._prepares
        try:
            with connect(self._address) as connection:
                pg_schema.prepare(connection, read_only=self.reads_only)
                if not self.reads_only and not pg_schema.may_write(PgDatabase(connection)):
                    self.reads_only = True
                    LOG.warning("%s may not write: it is opened to be read alone", connection.info.user)
                if prepares is None:
                    prepares = not is_pooled(connection, PgDatabase(connection))
        except (psycopg.Error, *pg_errors.UNFIT) as error:
            raise pg_errors.meaning(error) from error
        pool: ConnectionPool[Connection[Any]] = ConnectionPool(
            self._address,
            kwargs={"autocommit": True, "prepare_threshold": PREPARED_AFTER if prepares else None},
            min_size=1,
            max_size=self._connections,
            open=False,
            configure=configure,
            timeout=_WAIT_SECONDS,
            name="remanence",
        )
        pool.open()
        return pool

    @property
    def libpq(self) -> str:
        """The address, as libpq takes it."""
        return self._address

    async def transact(self, scope: str, work: Callable[[Database, int], Answer]) -> Answer:
        """Let work run in one transaction, given the number of a scope, which is made where there is none.

        It locks no scope, and may be run again where the connection was lost.
        """

        def write(connection: Connection[Any]) -> Answer:
            def work_there(db: Database) -> Answer:
                number = open_scope(db, self._names, scope).no
                return work(db, number or open_scope_to_write(db, self._names, scope).no)

            return pg_database.write(connection, work_there)

        return await self._run(lambda: self._try(write))

    async def read_scope(self, scope: str, work: ScopeWork[Answer]) -> Answer:
        """Let a scope be read, as it is at one moment."""
        return await self.read_every_scope(lambda db: work(open_scope(db, self._names, scope)))

    async def read_every_scope(self, work: Callable[[Database], Answer]) -> Answer:
        """Let all scopes be read, as they are at one moment."""

        def work_soundly(db: Database) -> Answer:
            try:
                return work(db)
            except RemanenceError:
                raise
            except UNREADABLE as error:
                raise build_row_damage(error, _PLACE) from error

        return await self._run(
            lambda: self._try(lambda connection: pg_database.read(connection, work_soundly))
        )

    async def write_scope(
        self, scope: str, work: ScopeWork[Answer], *, repeats: bool = True, comes_back: bool = False
    ) -> Answer:
        """Let a scope be written in one transaction: all of it is written, or nothing."""
        if self.reads_only:
            raise ReadOnly(
                "the memory is opened to be read alone; nothing was written",
                recovery="open it without --read-only (read_only=True)",
            )

        lost: list[Answer] = []  # what was answered before the connection was lost

        def write(connection: Connection[Any], lock_seconds: float) -> Answer:
            done: list[tuple[OpenScope, Answer]] = []

            def work_whole(db: Database) -> None:
                opened = open_scope_to_write(db, self._names, scope, comes_back=comes_back)
                answer = work(opened)
                opened.close()
                done.append((opened, answer))

            try:
                pg_database.write(connection, work_whole, lock_seconds)
            except pg_errors.LOST as error:
                if not done or not pg_errors.is_unknown(error):
                    raise
                if repeats:
                    lost.append(done[0][1])
                    raise
                raise StoreUnavailable(
                    "the connection was lost as the transaction ended: whether it was written is not known",
                    recovery="look what is there, then try again",
                ) from error
            ((opened, answer),) = done
            opened.names.share()
            if isinstance(answer, CommitResult) and answer.is_repeated and answer in lost:
                return lost[lost.index(answer)]  # nobody else wrote it
            return answer

        def write_patiently(connection: Connection[Any]) -> Answer:
            try:
                return write(connection, STUCK_SECONDS)
            except errors.LockNotAvailable:
                connection.rollback()
                if PgDatabase(connection).rows(_END_STUCK, (scope,)):
                    LOG.warning("a process that stands still held scope %r: its transaction was ended", scope)
                return write(connection, LOCK_SECONDS - STUCK_SECONDS)

        return await self._run(lambda: self._try(write_patiently))

    def _try(self, transact: Callable[[Connection[Any]], Answer]) -> Answer:
        """Run a transaction, again where the server gave it up in favour of another or the connection was lost."""
        pool = self._check_open()
        for attempt in range(ATTEMPTS):
            try:
                with pool.connection() as connection:
                    return transact(connection)
            except PoolTimeout as error:
                raise StoreUnavailable(
                    "the server gives no connection",
                    recovery="check that it runs, and how many connections it allows, then try again",
                ) from error
            except pg_errors.LOST as error:
                if attempt + 1 == ATTEMPTS or not pg_errors.may_pass(error):
                    raise pg_errors.meaning(error) from error
                if pg_errors.is_unknown(error):
                    pool.check()  # the others are lost as well
            except (psycopg.Error, *pg_errors.UNFIT) as error:
                raise pg_errors.meaning(error) from error
        raise AssertionError  # the last attempt returns or raises

    async def _run(self, work: Callable[[], Answer]) -> Answer:
        """Do work on a thread; a caller that is cancelled leaves it whole."""
        threads = self._threads
        if threads is None:
            raise StoreUnavailable("the store is closed", recovery="open it first")
        self._process.refuse_child()
        return await asyncio.get_running_loop().run_in_executor(threads, work)

    def _check_open(self) -> ConnectionPool[Connection[Any]]:
        if self._pool is None:
            raise StoreUnavailable("the store is closed", recovery="open it first")
        return self._pool


def _is_news(record: logging.LogRecord) -> bool:
    """Leave out that psycopg could not end a pipeline on our threads: the failure before it is told already."""
    return not (
        str(record.threadName).startswith(_THREADS)
        and str(record.msg).startswith("error ignored terminating")
    )
