"""The store on SQLite: one thread that writes, in groups, and a few that read; one hop a method.

Knows which thread does what; what is done is in the modules beside it.
"""

import asyncio
import logging
import os
import sqlite3
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path

import numpy as np
import numpy.typing as npt

from remanence.core.box import BoxRow, FindBoxes, FindTraces, TraceRow
from remanence.core.change import AuditPart, Cause, CommitResult, Entry, Fence, row_count
from remanence.core.errors import FileReplaced, ReadOnly, StoreUnavailable
from remanence.core.forbidden import Forbidden
from remanence.core.model import Link, Memory, Relation
from remanence.core.snapshot import Snapshot, SnapshotRequest
from remanence.store.base import (
    AnswerRequest,
    AnswerRows,
    Arriving,
    Bookkeeping,
    BookkeepResult,
    Check,
    CleanResult,
    EmbeddingRow,
    EndImagesResult,
    Find,
    Ints,
    LedgerFindings,
    Postings,
    PurgedMemory,
    ScopeSize,
    ScopeSurvey,
    WriteContext,
    writes,
)
from remanence.store.block_rules import refuse_malformed_entries
from remanence.store.constraints import refuse_interval, refuse_unknown_clocks
from remanence.store.sqlite import (
    audit,
    bookkeeping,
    box_reading,
    checking,
    cleaning,
    commits,
    embeddings,
    erasing,
    image_expiry,
    ledger,
    ledger_file,
    purged,
    reading,
    snapshots,
)
from remanence.store.sqlite.dialect import (
    BUSY_MS,
    OpenFiles,
    can_write,
    connect,
    connect_read_only,
    make_private,
    refuse_path,
    restrict_mode,
)
from remanence.store.sqlite.driver import IN_MEMORY, FileKey, load_cipher, refuse_wrong_key
from remanence.store.sqlite.home import copy, note_home
from remanence.store.sqlite.string_ids import SCOPE, Fresh, StringIds
from remanence.store.sqlite.threads import Answer, Work, Worker
from remanence.store.sqlite.upgrade import prepare

_SIZE = (
    "SELECT count(*), coalesce(sum(length(CAST(m.text AS BLOB))), 0), coalesce(sum(length(v.vector)), 0)"
    " FROM states s JOIN memories m ON m.seq = s.seq LEFT JOIN vectors v ON v.seq = s.seq WHERE s.scope = ?"
)


def measure_scopes(
    connection: sqlite3.Connection, names: StringIds, scopes: Sequence[str]
) -> dict[str, ScopeSize]:
    """Return how many memories each of these scopes has, and the bytes of their texts and vectors."""
    sizes: dict[str, ScopeSize] = {}
    for scope in scopes:
        no = names.number(connection, SCOPE, scope)
        count, text_bytes, vector_bytes = connection.execute(_SIZE, (no,)).fetchone()
        sizes[scope] = ScopeSize(count, text_bytes + vector_bytes)
    return sizes


LOG = logging.getLogger("remanence")
READERS = 2
FEW = 64  # texts that arrive together and are looked up on the writer's thread; changes looked at on the event loop
_SALT_BYTES = 16


class _WriterThread(Worker):
    """The one thread that writes; names that its transaction made are shared once it is committed."""

    def __init__(
        self, connect: Callable[[], sqlite3.Connection], files: OpenFiles, fresh: Fresh, busy_ms: int
    ) -> None:
        super().__init__(connect, files, name="writer", busy_ms=busy_ms)
        self._fresh = fresh

    def handle_commit(self) -> None:
        """Share the names that were made."""
        self._fresh.keep()

    def rolled_back(self) -> None:
        """Forget the names that were made."""
        self._fresh.drop()


class SqlStore:
    """Memories in one SQLite file, encrypted where there is a key, or for ":memory:" in one connection for all."""

    def __init__(
        self,
        path: str,
        *,
        key: FileKey | None = None,
        random: Callable[[int], bytes] = os.urandom,
        busy_ms: int = BUSY_MS,
    ) -> None:
        self._path = path
        self._key = key
        self._files = OpenFiles(path)
        self._random = random
        self._busy_ms = busy_ms
        self._names = StringIds()
        self._fresh = Fresh(self._names)
        self._writer: _WriterThread | None = None
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
        self._names = StringIds()
        self._fresh = Fresh(self._names)
        writer = _WriterThread(self._connect, self._files, self._fresh, self._busy_ms)
        writer.start()
        ledger_file.note_open(self._path)
        try:
            await writer.ask(_do_nothing, reads=True)
        finally:
            if not writer.connected:
                await writer.stop()
                ledger_file.note_closed(self._path)
        self._writer = writer
        if self._path != IN_MEMORY:
            readers = Worker(self._connect_reader, self._files, name="reader", threads=READERS)
            try:
                readers.start()
            except StoreUnavailable:
                await self.close()
                raise
            self._readers = readers

    async def close(self) -> None:
        """Finish what is under way and let everything go; closing twice is allowed."""
        readers, writer = self._readers, self._writer
        self._readers = self._writer = None
        if readers is not None:
            await readers.stop()
        if writer is not None:
            await writer.stop()
            ledger_file.note_closed(self._path)

    async def get(self, scope: str, names: Sequence[int | str]) -> list[Memory | None]:
        """Return whole memories by sequence number, id or key, in the order asked; None where there is none."""
        return await self._read(lambda connection: reading.get(connection, self._names, scope, names))

    async def find(self, scope: str, find: Find) -> list[Memory]:
        """List memories by status, tags and columns."""
        return await self._read(lambda connection: reading.find(connection, self._names, scope, find))

    async def arriving(self, scope: str, asked: Arriving) -> WriteContext:
        """Tell a write what it must know: twins, keys, the tails of segments and term statistics."""
        # A reader's page cache is void after each commit, the writer's is not: half the cost of a single write. A
        # question has no texts, and is not to wait behind a long commit.
        few = 0 < len(asked.fingerprints) + len(asked.keys) + len(asked.segments) <= FEW
        worker = self._check_open(self._writer if few or self._readers is None else self._readers)
        return await worker.ask(
            lambda connection: reading.arriving(connection, self._names, scope, asked), reads=True
        )

    async def search(self, scope: str, stems: Sequence[str]) -> Postings:
        """Return the postings of stems; unknown stems have empty ones."""
        return await self._read(lambda connection: reading.search(connection, self._names, scope, stems))

    async def vocabulary(self, scope: str, beginnings: Sequence[str]) -> list[str]:
        """Return the stems that any text of a scope holds and that begin with one of these, in order, each once."""
        return await self._read(
            lambda connection: reading.vocabulary(connection, self._names, scope, beginnings)
        )

    async def vectors(
        self, scope: str, after: int = 0, only: Sequence[int] | None = None, model: str | None = None
    ) -> tuple[Ints, npt.NDArray[np.float16]]:
        """Return (seq, vectors as float16 rows) of memories above `after`, or of `only` those, in order of arrival."""
        return await self._read(
            lambda connection: reading.vectors(connection, self._names, scope, (after, only), model)
        )

    async def embed(
        self,
        scope: str,
        model: str,
        rows: Sequence[EmbeddingRow] | None,
        *,
        fence: Fence | None = None,
        count: Mapping[str, int] | None = None,
    ) -> int:
        """Keep vectors of a model beside the memories' own, and return how many; None takes those of it away."""
        return await self._write(
            lambda connection: embeddings.embed(
                connection, self._fresh, scope, (model, rows, count or {}), fence
            )
        )

    async def neighbours(self, scope: str, seqs: Sequence[int] | None, *relations: Relation) -> list[Link]:
        """Return every link, or those of some relations, that have one of these memories at an end; None for any."""
        return await self._read(
            lambda connection: reading.neighbours(connection, self._names, scope, seqs, relations)
        )

    async def read_answer(self, scope: str, asked: AnswerRequest) -> AnswerRows:
        """Return memories and links, all of one moment."""
        return await self._read(lambda connection: reading.read_answer(connection, self._names, scope, asked))

    async def forbidden(self, scope: str, folds: Sequence[str] | None = None) -> list[Forbidden]:
        """Return which of these folds are forbidden, or all that are, in order."""
        return await self._read(lambda connection: reading.forbidden(connection, self._names, scope, folds))

    async def find_erased_names(self, scope: str, names: Sequence[str]) -> dict[str, int]:
        """Return which of these names were erased, and when."""
        return await self._read(
            lambda connection: reading.find_erased_names(connection, self._names, scope, names)
        )

    async def clean(self) -> CleanResult:
        """Rewrite the file without what was erased, and look through it; nothing where nothing is due."""
        leftovers = await self._read(cleaning.left_unless_due)
        if leftovers is not None:
            return CleanResult(found=tuple(leftovers))
        self._refuse_write()
        self._files.check()
        return await asyncio.to_thread(cleaning.clean, self._files.path, self._key)

    async def erased_ids(self, scope: str) -> list[str]:
        """Return the ids of the memories that were erased, the earliest first."""
        return await self._read(
            lambda connection: erasing.erased_ids(connection, self._names.number(connection, SCOPE, scope))
        )

    async def compare_ledgers(self) -> LedgerFindings:
        """Return what the ledgers that the file hears name and it holds; one that is not open is only looked into."""
        if self._path == IN_MEMORY:
            return LedgerFindings()
        if self._writer is None:
            return await asyncio.to_thread(ledger.peek_findings, self._path, self._key)
        return await self._read(lambda connection: ledger.compare(connection, self._path))

    async def take_ledgers(self, *, accept_damage: bool = False) -> bool:
        """Learn what the ledgers know, and write the file's own; where that cannot be, `check` says so."""
        if self._path == IN_MEMORY:
            return True

        def learn(connection: sqlite3.Connection) -> bool:
            return ledger.learn(connection, self._fresh, self._path, accept_damage=accept_damage)

        if not await self._write(learn):
            return False
        self._files.check()
        await asyncio.to_thread(cleaning.keep_ledger, self._files.path, self._key)
        return True

    async def keep_standing(self, scope: str, cause: Cause) -> int:
        """Keep the memories of a scope that ledgers name, and log why."""
        return await self._write(
            lambda connection: ledger.keep_standing(connection, self._fresh, self._path, scope, cause)
        )

    async def end_images(self, scope: str, before: int, cause: Cause) -> EndImagesResult:
        """Take away the images of the oldest parts, as long as each is of before a time, and log that as a part."""
        return await self._write(
            lambda connection: image_expiry.end_images(connection, self._fresh, scope, before, cause)
        )

    async def find_purged_memories(self, scope: str, names: Sequence[int | str]) -> list[PurgedMemory]:
        """Return the purged memories that have one of these numbers, ids or keys, or an id that ends so, in order."""
        return await self._read(
            lambda connection: purged.find_purged_memories(connection, self._names, scope, names)
        )

    async def boxes(self, scope: str, find: FindBoxes) -> list[BoxRow]:
        """List boxes, those of the latest turns first."""
        return await self._read(lambda connection: box_reading.boxes(connection, self._names, scope, find))

    async def traces(self, scope: str, find: FindTraces) -> list[TraceRow]:
        """List traces, those of the latest turns first."""
        return await self._read(lambda connection: box_reading.traces(connection, self._names, scope, find))

    async def snapshot(self, scope: str, wanted: SnapshotRequest, now: int) -> Snapshot:
        """Freeze the scope as columns."""
        return await self._read(
            lambda connection: snapshots.snapshot(connection, self._names, scope, wanted, now)
        )

    async def commit(self, scope: str, changes: Sequence[Entry], cause: Cause) -> CommitResult:
        """Write all changes with their audit in one transaction, or raise Conflict and write nothing."""
        if row_count(changes) > FEW:
            await asyncio.to_thread(refuse_malformed_entries, changes)
        else:
            refuse_malformed_entries(changes)
        return await self._write(
            lambda connection: commits.commit(connection, self._fresh, scope, changes, cause)
        )

    async def history(
        self,
        scope: str,
        *,
        run: str | None = None,
        memory: int | None = None,
        after: int = 0,
        limit: int = 1_000,
        rows: bool = True,
    ) -> list[AuditPart]:
        """Return logged parts, oldest first: of one run, of one memory (its changes only), or above a position."""
        query = audit.AuditQuery(run, memory, after, limit, rows)
        return await self._read(lambda connection: audit.read(connection, self._names, scope, query))

    async def bookkeep(self, scope: str, asked: Bookkeeping) -> BookkeepResult:
        """Read and write what is not memory: schedule, settings, leases, what sessions covered."""
        if asked.cover is not None:
            refuse_interval(*asked.cover)
        refuse_unknown_clocks(asked.clocks)
        if writes(asked):
            return await self._write(
                lambda connection: bookkeeping.bookkeep(connection, self._fresh, scope, asked)
            )
        return await self._read(
            lambda connection: bookkeeping.read_bookkeeping(connection, self._names, scope, asked)
        )

    async def survey(self, names: Sequence[str]) -> dict[str, ScopeSurvey]:
        """Return of every scope that was written to how far it has come, and the values kept by these names."""
        return await self._read(lambda connection: reading.survey(connection, names))

    async def measure_scopes(self, scopes: Sequence[str]) -> dict[str, ScopeSize]:
        """Return how much each of these scopes holds."""
        return await self._read(lambda connection: measure_scopes(connection, self._names, scopes))

    async def check(self) -> list[Check]:
        """Look whether what is stored is sound: structure, references, row hashes, audit chain, full text."""
        doctor = self._writer
        if self._path != IN_MEMORY and doctor is not None:
            doctor = Worker(partial(self._connect_reader, query_only=False), self._files, name="doctor")  # type: ignore[assignment]
            doctor.start()
        try:
            return await self._check_open(doctor).ask(
                lambda connection: checking.check(connection, StringIds()), reads=True
            )
        finally:
            if doctor is not None and doctor is not self._writer:
                await doctor.stop()

    async def backup(self, path: str) -> int:
        """Write a verified copy to `path` and return how many memories are in it; refuses to overwrite."""
        return await self._read(lambda connection: copy(connection, path))

    async def _read(self, work: Work[Answer]) -> Answer:
        def following(connection: sqlite3.Connection) -> Answer:
            self._names.follow(connection)
            return work(connection)

        return await self._check_open(self._readers or self._writer).ask(following, reads=True)

    async def _write(self, work: Work[Answer]) -> Answer:
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
        self._files.check()
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
