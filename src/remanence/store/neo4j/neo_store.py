"""The store in a graph on a Neo4j server: one hop between threads and one transaction a method, with the sync driver.

Whoever writes locks the node of the scope first, so that commits of one scope follow each other and see all before
them; whoever reads sees one moment (see `neo_transactions`). A commit whose outcome was lost with its connection is
asked for again: it is written once by (run, part).
"""

import asyncio
import logging
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from typing import TypeVar

import numpy as np
import numpy.typing as npt
import orjson

from remanence.core.arrival import WriteContext
from remanence.core.box import BoxRow, FindBoxes, FindTraces, TraceRow
from remanence.core.change import AuditPart, Cause, CommitResult, Entry, Fence
from remanence.core.errors import ReadOnly, StoreError, StoreUnavailable
from remanence.core.forbidden import Forbidden
from remanence.core.model import Link, Memory, Relation
from remanence.core.process import OpeningProcess
from remanence.core.snapshot import Snapshot, SnapshotRequest
from remanence.store.audit_parts import refuse_lost
from remanence.store.base import (
    EMBEDDED_MAX,
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
    Postings,
    PurgedMemory,
    ScopeSize,
    ScopeSurvey,
    writes,
)
from remanence.store.block_rules import refuse_malformed_entries
from remanence.store.constraints import refuse_interval, refuse_unknown_clocks, refuse_unknown_columns
from remanence.store.neo4j import (
    neo_checks,
    neo_erasing,
    neo_expiry,
    neo_reads,
    neo_settings,
    neo_snapshots,
    neo_transfer,
)
from remanence.store.neo4j.neo_address import read_address
from remanence.store.neo4j.neo_commit import commit_changes
from remanence.store.neo4j.neo_rows import OWN
from remanence.store.neo4j.neo_schema import prepare_database
from remanence.store.neo4j.neo_transactions import CONNECTIONS, Neo4jTransactions, Transaction, WriteOutcome
from remanence.store.scope_transfer import RowPipe, ScopeContent

Answer = TypeVar("Answer")
_THREADS = "remanence-neo4j"
_LOGGERS = ("neo4j.io", "neo4j.pool")


class Neo4jStore:
    """Memories in a database of a Neo4j server, given by its address."""

    has_own_clock = True  # by which leases go

    def __init__(self, address: str) -> None:
        self._address = read_address(address)
        self._database: Neo4jTransactions | None = None
        self._threads: ThreadPoolExecutor | None = None
        self._process = OpeningProcess()
        self.closed_cleanly = True
        self.reads_only = False

    async def open(self, *, read_only: bool = False) -> None:
        """Connect, and make constraints and indexes in an empty database; raise StoreUnavailable where it cannot be."""
        if self._database is not None:
            return
        self._process, self.reads_only = OpeningProcess(), read_only
        self._threads = ThreadPoolExecutor(CONNECTIONS, _THREADS)
        for name in _LOGGERS:
            logging.getLogger(name).addFilter(_is_news)

        def connect() -> Neo4jTransactions:
            with ExitStack() as opened:
                database = Neo4jTransactions(self._address)
                opened.callback(database.close)
                prepare_database(database, read_only=read_only)
                opened.pop_all()  # it stays open
            return database

        try:
            self._database = await self._run(connect)
        finally:
            if self._database is None:
                await self.close()

    async def close(self) -> None:
        """Finish what is under way and let everything go; closing twice is allowed."""
        database, threads = self._database, self._threads
        self._database = self._threads = None
        if threads is None or not self._process.is_this:
            return
        await asyncio.to_thread(threads.shutdown)
        if database is not None:
            await asyncio.to_thread(database.close)

    async def get(self, scope: str, names: Sequence[int | str]) -> list[Memory | None]:
        """Return whole memories by sequence number, id or key, in the order asked; None where there is none."""
        return await self._read(scope, lambda db: neo_reads.get_memories(db, names))

    async def find(self, scope: str, find: Find) -> list[Memory]:
        """List memories by status, tags and columns."""
        refuse_unknown_columns(find.equal)
        return await self._read(scope, lambda db: neo_reads.find_memories(db, find))

    async def arriving(self, scope: str, asked: Arriving) -> WriteContext:
        """Tell a write or a question what it must know: twins, keys, tails of segments, statistics, settings."""
        return await self._read(scope, lambda db: neo_reads.read_context(db, asked))

    async def search(self, scope: str, stems: Sequence[str]) -> Postings:
        """Return the postings of stems; unknown stems have empty ones."""
        return await self._read(scope, lambda db: neo_reads.search_words(db, stems))

    async def vocabulary(self, scope: str, beginnings: Sequence[str]) -> list[str]:
        """Return the stems that any text of a scope holds and that begin with one of these, in order, each once."""
        return await self._read(scope, lambda db: neo_reads.list_words(db, beginnings))

    async def neighbours(self, scope: str, seqs: Sequence[int] | None, *relations: Relation) -> list[Link]:
        """Return every link, or those of some relations, that have one of these memories at an end; None for any."""
        return await self._read(scope, lambda db: neo_reads.list_neighbours(db, seqs, relations))

    async def read_answer(self, scope: str, asked: AnswerRequest) -> AnswerRows:
        """Return memories and links, all of one moment."""
        return await self._read(scope, lambda db: neo_reads.read_answer(db, asked))

    async def snapshot(self, scope: str, wanted: SnapshotRequest, now: int) -> Snapshot:
        """Freeze the scope as columns."""
        return await self._read(scope, lambda db: neo_snapshots.read_snapshot(db, wanted, now))

    async def commit(self, scope: str, changes: Sequence[Entry], cause: Cause) -> CommitResult:
        """Write all changes with their audit in one transaction, or raise Conflict and write nothing."""
        refuse_malformed_entries(changes)
        is_logged = bool(changes) or cause.closes
        lost: list[CommitResult] = []  # what was answered before a connection was lost

        def commit(db: Transaction) -> WriteOutcome[CommitResult]:
            written = commit_changes(db, changes, cause)
            if written.answer.is_repeated and written.answer in lost:
                return written._replace(answer=lost[lost.index(written.answer)])  # nobody else wrote it
            lost.append(written.answer)
            return written

        return await self._write(scope, commit, repeats=is_logged)

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

        def read(db: Transaction) -> list[AuditPart]:
            return neo_reads.read_history(db, run=run, memory=memory, after=after, limit=limit, rows=rows)

        return await self._read(scope, read)

    async def bookkeep(self, scope: str, asked: Bookkeeping) -> BookkeepResult:
        """Read and write what is not memory; a lease goes by the clock of the server."""
        if asked.cover is not None:
            refuse_interval(*asked.cover)
        refuse_unknown_clocks(asked.clocks)
        if not writes(asked):
            return await self._read(
                scope, lambda db: neo_settings.read_books(db, asked, db.read_scope().get("position", 0))
            )
        is_same_twice = not (asked.count or asked.swap)
        return await self._write(scope, lambda db: neo_settings.keep_books(db, asked), repeats=is_same_twice)

    async def survey(self, names: Sequence[str]) -> Mapping[str, ScopeSurvey]:
        """Return of every scope that was written to how far it has come, and the values kept by these names."""
        rows = await self._look(lambda db: db.rows("survey_scopes", names=list(names)))
        return {
            row["scope"]: ScopeSurvey(
                row["position"],
                {name: orjson.loads(value) for name, value in row["settings"] if value is not None},
            )
            for row in rows
        }

    async def vectors(
        self, scope: str, after: int = 0, only: Sequence[int] | None = None, model: str | None = None
    ) -> tuple[Ints, npt.NDArray[np.float16]]:
        """Return (seq, vectors as float16 rows) of memories above `after`, or of `only` those, in order of arrival."""
        name = OWN if model is None else model
        return await self._read(scope, lambda db: neo_reads.read_vectors(db, after, only, name))

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

        def embed(db: Transaction) -> WriteOutcome[int]:
            locked = db.lock_scope(None if fence is None else fence[0])
            if fence is not None:
                refuse_lost(fence, locked.fence)
            if rows is None:
                row = db.row("remove_model", model=model, limit=EMBEDDED_MAX)
                done = 0 if row is None else row["count"]
            else:
                done = _keep_vectors(db, model, rows)
            neo_settings.add_counts(db, count or {})
            return WriteOutcome(done, locked.is_new)

        return await self._write(scope, embed, repeats=not count and rows is not None)

    async def boxes(self, scope: str, find: FindBoxes) -> list[BoxRow]:
        """List boxes, those of the latest turns first."""
        return await self._read(scope, lambda db: neo_reads.find_boxes(db, find))

    async def traces(self, scope: str, find: FindTraces) -> list[TraceRow]:
        """List traces, those of the latest turns first."""
        return await self._read(scope, lambda db: neo_reads.find_traces(db, find))

    async def forbidden(self, scope: str, folds: Sequence[str] | None = None) -> list[Forbidden]:
        """Return which of these folds are forbidden or of what was erased, or all that are forbidden, in order."""
        return await self._read(scope, lambda db: neo_erasing.list_forbidden(db, folds))

    async def find_erased_names(self, scope: str, names: Sequence[str]) -> Mapping[str, int]:
        """Return which of these names were erased, and when."""
        return await self._read(scope, lambda db: neo_erasing.find_erased(db, names))

    async def erased_ids(self, scope: str) -> list[str]:
        """Return the ids of the memories of a scope that were erased, the earliest first."""
        return await self._read(scope, neo_erasing.list_erased_ids)

    async def clean(self, scope: str) -> CleanResult:  # noqa: ARG002 - of all
        """Have the server write its pages, after an erasure; nothing is proven, and what lies beyond is said."""
        if self.reads_only or not await self._look(lambda db: bool(db.collect("find_uncleaned"))):
            return CleanResult()
        try:
            await self._run(lambda: self._check_open().run_alone("CALL db.checkpoint()"))
        except StoreError as error:
            return CleanResult(is_pending=True, why=str(error), beyond=neo_erasing.BEYOND)
        await self._look(lambda db: db.run("end_uncleaned"))
        return CleanResult(is_done=True, beyond=neo_erasing.BEYOND)

    async def end_images(self, scope: str, before: int, cause: Cause) -> EndImagesResult:
        """Take away the images of the oldest parts, as long as each is of before a time, and log that as a part."""
        return await self._write(scope, lambda db: neo_expiry.end_images(db, before, cause), repeats=True)

    async def find_purged_memories(self, scope: str, names: Sequence[int | str]) -> list[PurgedMemory]:
        """Return the purged memories that have one of these numbers, ids or keys, or an id that ends so, in order."""
        return await self._read(scope, lambda db: neo_expiry.find_purged(db, names))

    async def measure_scopes(self, scopes: Sequence[str]) -> Mapping[str, ScopeSize]:
        """Return how much each of these scopes holds."""
        return await self._look(lambda db: neo_reads.measure_scopes(db, scopes))

    async def send_scope(self, scope: str, pipe: RowPipe) -> ScopeContent:
        """Send all rows of a scope, as they are at one moment, and return what they are."""
        return await self._run(lambda: neo_transfer.send(self._check_open(), scope, pipe))

    async def receive_scope(self, scope: str, pipe: RowPipe, *, moves: bool) -> ScopeContent:
        """Write the rows that come, all or none, and return what they are; the same rows once more change nothing."""
        self._refuse_reading_only()
        return await self._run(lambda: neo_transfer.receive(self._check_open(), scope, pipe, moves=moves))

    async def settle_scope(self, scope: str) -> None:
        """Let a scope that was moved here be written to; another is left as it is."""
        await self._write(scope, neo_transfer.settle, repeats=True)

    async def read_content(self, scope: str) -> ScopeContent:
        """Return what a scope holds, read anew."""
        return await self._run(lambda: neo_transfer.read_content(self._check_open(), scope))

    async def remove_scope(self, scope: str, was: ScopeContent, moved_to: str) -> None:
        """Take all of a scope away where it still holds what it `was`; it is refused from then on."""
        await self._write(scope, lambda db: neo_transfer.remove(db, was, moved_to), repeats=False)

    async def check(self) -> list[Check]:
        """Look whether what is stored is sound: references, rows, counts, full text, the audit chain."""
        names = await self._look(lambda db: [row["scope"]["name"] for row in db.rows("list_scopes")])
        findings = [await self._read(name, neo_checks.check_scope) for name in names]
        return neo_checks.list_checks(names, findings)

    async def _read(self, scope: str, work: Callable[[Transaction], Answer]) -> Answer:
        return await self._run(lambda: self._check_open().read(scope, work))

    async def _look(self, work: Callable[[Transaction], Answer]) -> Answer:
        return await self._run(lambda: self._check_open().look(work))

    async def _write(
        self, scope: str, work: Callable[[Transaction], WriteOutcome[Answer]], *, repeats: bool
    ) -> Answer:
        self._refuse_reading_only()
        return await self._run(lambda: self._check_open().write(scope, work, repeats=repeats))

    def _refuse_reading_only(self) -> None:
        if self.reads_only:
            raise ReadOnly(
                "the memory is opened to be read alone; nothing was written",
                recovery="open it without --read-only (read_only=True)",
            )

    async def _run(self, work: Callable[[], Answer]) -> Answer:
        """Do work on a thread; a caller that is cancelled leaves it whole."""
        threads = self._threads
        if threads is None:
            raise StoreUnavailable("the store is closed", recovery="open it first")
        self._process.refuse_child()
        return await asyncio.get_running_loop().run_in_executor(threads, work)

    def _check_open(self) -> Neo4jTransactions:
        if self._database is None:
            raise StoreUnavailable("the store is closed", recovery="open it first")
        return self._database


def _is_news(record: logging.LogRecord) -> bool:
    """Leave out what the driver says of connections on our threads: what comes of it is raised."""
    return not str(record.threadName).startswith(_THREADS)


def _keep_vectors(db: Transaction, model: str, rows: Sequence[EmbeddingRow]) -> int:
    """Keep the vectors of texts that memories still say, and return how many."""
    said = dict(db.collect("read_fingerprints", seqs=[one.seq for one in rows]))
    kept = [one for one in rows if said.get(one.seq) == one.fingerprint.hex()]
    vectors = [{"seq": one.seq, "vector": one.vector, "bytes": len(one.vector)} for one in kept]
    if vectors:
        db.run("put_vectors", model=model, rows=vectors)
    return len(kept)
