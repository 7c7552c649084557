"""The store on a file of SQLite: one connection that writes, in groups, and a few that read; one hop a method.

Knows which connection does what, and what is done to a file alone; the verbs of every SQL store are in `sql_store.py`.
"""

import asyncio
import logging
import os
import sqlite3
from collections.abc import Callable
from functools import partial
from pathlib import Path

from remanence.core.change import Cause
from remanence.core.errors import FileReplaced, ReadOnly, StoreUnavailable
from remanence.store.base import Arriving, Check, CleanResult, LedgerFindings, WriteContext
from remanence.store.scope_transfer import ScopeContent
from remanence.store.sql import reading
from remanence.store.sql.database import Database
from remanence.store.sql.names import NameCache
from remanence.store.sql.scope import OpenScope, open_scope, open_scope_to_write
from remanence.store.sql.sql_store import Answer, DatabaseStore, ScopeWork
from remanence.store.sqlite import cleaning, file_checks, index_files, ledger, ledger_file
from remanence.store.sqlite.database_file import (
    BUSY_MS,
    OpenFiles,
    can_write,
    connect,
    connect_read_only,
    make_private,
    meaning,
    refuse_path,
    restrict_mode,
)
from remanence.store.sqlite.driver import IN_MEMORY, FileKey, load_cipher, refuse_wrong_key
from remanence.store.sqlite.home import copy, note_home
from remanence.store.sqlite.sqlite_database import SqliteDatabase
from remanence.store.sqlite.thread_pool import ThreadPool
from remanence.store.sqlite.threads import Work, Worker
from remanence.store.sqlite.upgrade import prepare

LOG = logging.getLogger("remanence")
READERS = 2
FEW = 64  # texts that arrive together and are looked up on the writer's thread
_SALT_BYTES = 16


class _CommitWorker(Worker):
    """The one connection that writes; names that its transaction made are shared once it is committed."""

    def __init__(
        self, connect: Callable[[], sqlite3.Connection], files: OpenFiles, pool: ThreadPool, busy_ms: int
    ) -> None:
        super().__init__(connect, files, pool, busy_ms=busy_ms)
        self._written: list[OpenScope] = []

    def note_written(self, scope: OpenScope) -> None:
        """Note a scope whose job went well, within the transaction that writes it."""
        self._written.append(scope)

    def handle_commit(self) -> None:
        """Share the names that were made."""
        for scope in self._written:
            scope.names.share()
        self._written = []

    def handle_rollback(self) -> None:
        """Forget the names that were made."""
        self._written = []


class SqliteStore(DatabaseStore):
    """Memories in one SQLite file, encrypted where there is a key, or for ":memory:" in one connection for all."""

    def __init__(
        self,
        path: str,
        *,
        key: FileKey | None = None,
        random: Callable[[int], bytes] = os.urandom,
        busy_ms: int = BUSY_MS,
        pool: ThreadPool | None = None,
    ) -> None:
        self._path = path
        self._key = key
        self._files = OpenFiles(path)
        self._random = random
        self._busy_ms = busy_ms
        self._names = NameCache()
        self._pool = pool  # shared with other stores
        self._own_pool: ThreadPool | None = None
        self._writer: _CommitWorker | None = None
        self._readers: Worker | None = None
        self.closed_cleanly = True
        self.reads_only = False
        self._notes_home = path != IN_MEMORY  # the next write notes where the file lives

    async def open(self, *, read_only: bool = False) -> None:
        """Make the store ready; `closed_cleanly` then tells whether the file was left in order.

        With `read_only`, and where nothing can be written, `reads_only` is set and no byte of the file is changed.
        """
        if self._writer is not None:
            return
        refuse_path(self._path, makes=not read_only)
        if self._key is not None:
            load_cipher()  # before a file is made
        self.reads_only = read_only or not can_write(self._path)
        if self.reads_only and not read_only:
            LOG.warning("%s cannot be written: it is opened to be read alone", self._path)
        # The write-ahead log goes with the last connection that is closed; one that lies there was left behind, or
        # is in use by another process.
        self.closed_cleanly = not _left_log(self._path)
        if self._path != IN_MEMORY and not self.reads_only:
            make_private(self._path)
        self._files = OpenFiles(self._path)  # another file may lie at the path by now
        self._names = NameCache()
        pool = self._pool or self._start_pool()
        writer = _CommitWorker(self._connect, self._files, pool, self._busy_ms)
        ledger_file.note_open(self._path)
        self._writer = writer
        if self._path != IN_MEMORY:
            self._readers = Worker(self._connect_reader, self._files, pool, connections=READERS)
        try:
            await writer.ask(_do_nothing, reads=True)
        finally:
            if not writer.connected:
                await self.close()

    def _start_pool(self) -> ThreadPool:
        """Let threads of its own begin, one for each connection."""
        pool = ThreadPool(1 if self._path == IN_MEMORY else 1 + READERS)
        try:
            pool.start()
        except RuntimeError as error:
            raise meaning(error, self._path) from error
        self._own_pool = pool
        return pool

    async def close(self) -> None:
        """Finish what is under way and let everything go; closing twice is allowed."""
        readers, writer, pool = self._readers, self._writer, self._own_pool
        self._readers = self._writer = self._own_pool = None
        if readers is not None:
            await readers.stop()
        if writer is not None:
            await writer.stop()
            ledger_file.note_closed(self._path)
        if pool is not None:
            await asyncio.to_thread(pool.stop)

    async def arriving(self, scope: str, asked: Arriving) -> WriteContext:
        """Tell a write what it must know: twins, keys, the tails of segments and term statistics."""
        # A reader's page cache is void after each commit, the writer's is not: half the cost of a single write. A
        # question has no texts, and is not to wait behind a long commit.
        few = 0 < len(asked.fingerprints) + len(asked.keys) + len(asked.segments) <= FEW
        worker = self._check_open(self._writer if few or self._readers is None else self._readers)
        return await worker.ask(
            lambda connection: reading.arriving(self._open_scope(connection, scope), asked), reads=True
        )

    async def clean(self, scope: str) -> CleanResult:  # noqa: ARG002 - the file has all
        """Rewrite the file without what was erased, and look through it; nothing where nothing is due."""
        leftovers = await self._read_file(cleaning.left_unless_due)
        if leftovers is not None:
            return CleanResult(found=tuple(leftovers))
        self._refuse_write()
        self._files.check()
        return await asyncio.to_thread(cleaning.clean, self._files.path, self._key)

    async def find_index_file(self, scope: str, *, writes: bool = False) -> Path | None:
        """Return where the index of a scope lies; None for a file that is encrypted, of which nothing lies in plain."""
        if self._path == IN_MEMORY or self._key is not None or (writes and self.reads_only):
            return None
        return index_files.build_path(self._files.path, scope)

    async def put_index_file(self, scope: str, file: Path, position: int) -> bool:
        """Put an index in its place if its scope still stands at a position: no erasure comes between."""
        path = await self.find_index_file(scope, writes=True)
        if path is None:
            return False

        def put(connection: sqlite3.Connection) -> bool:
            if self._open_scope(connection, scope).row.position != position:
                return False
            file.replace(path)
            return True

        return await self._write_file(put)

    async def remove_scope(self, scope: str, was: ScopeContent, moved_to: str) -> None:
        """Take a scope away that is somewhere else now, and its index."""
        await super().remove_scope(scope, was, moved_to)
        try:
            await asyncio.to_thread(index_files.remove_all, self._files.path)
        except OSError as error:
            raise StoreUnavailable(
                f"the scope is gone, and {error.filename} cannot be taken away: {error.strerror}",
                recovery="delete it: it is an index of what was there",
            ) from error

    async def compare_ledgers(self) -> LedgerFindings:
        """Return what the ledgers that the file hears name and it holds; one that is not open is only looked into."""
        if self._path == IN_MEMORY:
            return LedgerFindings()
        if self._writer is None:
            return await asyncio.to_thread(ledger.peek_findings, self._path, self._key)
        return await self._read_file(lambda connection: ledger.compare(connection, self._path))

    async def take_ledgers(self, scope: str, *, accept_damage: bool = False) -> bool:  # noqa: ARG002 - of the file
        """Learn what the ledgers know, and write the file's own; where that cannot be, `check` says so."""
        if self._path == IN_MEMORY:
            return True

        def learn(connection: sqlite3.Connection) -> bool:
            return ledger.learn(connection, self._names, self._path, accept_damage=accept_damage)

        if not await self._write_file(learn):
            return False
        self._files.check()
        await asyncio.to_thread(cleaning.keep_ledger, self._files.path, self._key)
        return True

    async def keep_standing(self, scope: str, cause: Cause) -> int:
        """Keep the memories of a scope that ledgers name, and log why."""
        return await self.write_scope(scope, lambda opened: ledger.keep_standing(opened, self._path, cause))

    async def check(self) -> list[Check]:
        """Look whether what is stored is sound: structure, references, row hashes, audit chain, full text."""
        writer = self._check_open(self._writer)
        if self._path == IN_MEMORY:
            return await writer.ask(file_checks.check, reads=True)
        pool = self._pool or self._own_pool
        assert pool is not None  # it is open
        doctor = Worker(partial(self._connect_reader, query_only=False), self._files, pool)
        try:
            return await doctor.ask(file_checks.check, reads=True)
        finally:
            await doctor.stop()

    async def backup(self, path: str) -> int:
        """Write a verified copy to `path` and return how many memories are in it; refuses to overwrite."""
        return await self._read_file(lambda connection: copy(connection, path))

    async def read_scope(self, scope: str, work: ScopeWork[Answer]) -> Answer:
        """Let a scope be read, as it is at one moment."""
        return await self._read_file(lambda connection: work(self._open_scope(connection, scope)))

    async def read_every_scope(self, work: Callable[[Database], Answer]) -> Answer:
        """Let all scopes be read, as they are at one moment."""
        return await self._read_file(lambda connection: work(SqliteDatabase(connection)))

    async def write_scope(
        self,
        scope: str,
        work: ScopeWork[Answer],
        *,
        repeats: bool = True,  # noqa: ARG002 - no outcome is lost on the way to a file
        comes_back: bool = False,
    ) -> Answer:
        """Let a scope be written in one transaction: all of it is written, or nothing."""
        writer = self._writer

        def in_scope(connection: sqlite3.Connection) -> Answer:
            assert writer is not None
            opened = open_scope_to_write(
                SqliteDatabase(connection), self._names, scope, comes_back=comes_back
            )
            answer = work(opened)
            opened.close()
            writer.note_written(opened)
            return answer

        return await self._write_file(in_scope)

    def _open_scope(self, connection: sqlite3.Connection, scope: str) -> OpenScope:
        return open_scope(SqliteDatabase(connection), self._names, scope)

    async def _read_file(self, work: Work[Answer]) -> Answer:
        return await self._check_open(self._readers or self._writer).ask(work, reads=True)

    async def _write_file(self, work: Work[Answer]) -> Answer:
        self._refuse_write()
        if not self._notes_home:
            return await self._check_open(self._writer).ask(work)

        def noting(connection: sqlite3.Connection) -> Answer:
            note_home(connection, self._path)
            return work(connection)

        answer = await self._check_open(self._writer).ask(noting)
        self._notes_home = False
        return answer

    def _refuse_write(self) -> None:
        if self.reads_only:
            raise ReadOnly(
                f"{self._path} is opened to be read alone; nothing was written",
                recovery="open it without --read-only (read_only=True); where its file or folder is not writable, make"
                " both writable, or copy the file and open the copy",
            )

    def _check_open(self, worker: Worker | None) -> Worker:
        if worker is None:
            raise StoreUnavailable("the store is closed", recovery="open it first")
        return worker

    def _connect(self) -> sqlite3.Connection:
        refuse_wrong_key(self._files.path, self._key)
        if self.reads_only:
            read_connection = self._connect_reader()
            self._files.note()
            return read_connection
        self._files.note()
        connection = connect(self._path, self._key, busy_ms=self._busy_ms)
        try:
            self._files.check()  # what a change of the key put in its place while this waited for the lock
        except FileReplaced:
            connection.close()
            raise
        prepare(connection, self._path, self._random(_SALT_BYTES))
        mode = restrict_mode(self._path)
        if mode is not None:
            LOG.warning("others could read %s (mode %04o); they no longer can", self._path, mode)
        self._files.note()
        return connection

    def _connect_reader(self, *, query_only: bool = True) -> sqlite3.Connection:
        # A connection that is opened without the log of the one that writes would make another.
        self._files.check(log=not self.reads_only)
        path = self._files.path
        connection = (
            connect_read_only(path, self._key)
            if self.reads_only
            else connect(path, self._key, busy_ms=self._busy_ms, query_only=query_only)
        )
        try:
            self._files.check()
        except FileReplaced:
            connection.close()
            raise
        return connection


def _left_log(path: str) -> bool:
    log = Path(path + "-wal")
    return log.exists() and log.stat().st_size > 0


def _do_nothing(_: sqlite3.Connection) -> None:
    """Ask for no more than a connection."""
