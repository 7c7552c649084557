"""What is done on the connections of a file: by one that writes, in groups, and by a few that read.

Knows jobs, savepoints and event loops; knows nothing of what a job reads or writes.
"""

import asyncio
import sqlite3
from collections import deque
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from threading import Event, Lock
from typing import Any, Generic, TypeVar

from remanence.core.errors import FileReplaced, RemanenceError, StoreUnavailable
from remanence.core.process import OpeningProcess
from remanence.store.sql.decoding import UNREADABLE, build_row_damage
from remanence.store.sqlite.database_file import BUSY_MS, OpenFiles, begin_writing, meaning
from remanence.store.sqlite.driver import errors, is_outdated
from remanence.store.sqlite.thread_pool import ThreadPool

Answer = TypeVar("Answer")
Work = Callable[[sqlite3.Connection], Answer]

GROUP_MAX = 256  # requests that share one commit, and with it one fsync
_UNFINISHED = StoreUnavailable("the store's thread has ended", recovery="close the store and open it again")


@dataclass(eq=False, slots=True)
class Job(Generic[Answer]):
    """One request: what to do, and who waits for it on which loop."""

    work: Work[Answer]
    reads: bool
    loop: asyncio.AbstractEventLoop
    future: asyncio.Future[Any]
    answer: Answer | None = None
    error: BaseException | None = _UNFINISHED

    def settle(self) -> None:
        """Hand the outcome to whoever waits; runs on their loop."""
        if self.future.done():
            return
        if self.error is not None:
            self.future.set_exception(self.error)
        else:
            self.future.set_result(self.answer)


class Worker:
    """Jobs that are done in order on a connection, or on any of several, by the threads of a pool."""

    def __init__(
        self,
        connect: Callable[[], sqlite3.Connection],
        files: OpenFiles,
        pool: ThreadPool,
        *,
        connections: int = 1,
        busy_ms: int = BUSY_MS,
    ) -> None:
        self._connect = connect
        self._files, self._path = files, files.given
        self._pool = pool
        self._busy_ms = busy_ms
        self._most = connections
        self._lock = Lock()
        self._jobs: deque[Job[Any]] = deque()
        self._running = 0  # how many threads serve it now
        self._resting: list[sqlite3.Connection] = []
        self._is_at_rest = Event()
        self._is_at_rest.set()
        self._open = True
        self._process = OpeningProcess()
        self.connected = False

    async def ask(self, work: Work[Answer], *, reads: bool = False) -> Answer:
        """Have a job done and wait for its answer; a caller that is cancelled leaves the job whole."""
        if not self._open:
            raise StoreUnavailable("the store is closed", recovery="open it first")
        self._process.refuse_child()  # whose threads are in another process
        loop = asyncio.get_running_loop()
        job = Job(work, reads, loop, loop.create_future())
        with self._lock:
            self._jobs.append(job)
            is_another_needed = self._running < self._most
            if is_another_needed:
                self._running += 1
                self._is_at_rest.clear()
        if is_another_needed:
            self._pool.submit(self._serve)
        answer: Answer = await job.future
        return answer

    async def stop(self) -> None:
        """Finish what waits and close the connections."""
        if not self._open or not self._process.is_this:
            return
        self._open = False
        try:
            await asyncio.to_thread(self._close_connections)
        except RuntimeError:  # no thread can be started to wait in
            self._close_connections()

    def handle_commit(self) -> None:
        """Called after each commit."""

    def handle_rollback(self) -> None:
        """Called after each rollback of a transaction; what one job did that failed, its own work takes back."""

    def _close_connections(self) -> None:
        self._is_at_rest.wait()
        for connection in self._resting:
            with suppress(FileReplaced):
                self._files.check(connection)
            connection.close()
        self._resting = []

    def _serve(self) -> None:
        """Do jobs until none waits; whatever ends that, nobody is left waiting."""
        with self._lock:
            connection = self._resting.pop() if self._resting else None
        jobs: list[Job[Any]] = []
        is_done = False
        try:
            while jobs := self._take_jobs(connection):
                connection = self._serve_jobs(connection, jobs)
                _answer_jobs(jobs)
                # What rests must not keep the last answer: a snapshot of a million memories is 200 MB.
                jobs = []
            is_done = True
        finally:
            if not is_done:
                self._open = False
                with self._lock:
                    jobs += self._jobs
                    self._jobs.clear()
                    self._rest(connection)
                _answer_jobs(jobs)

    def _take_jobs(self, connection: sqlite3.Connection | None) -> list[Job[Any]]:
        """Take what waits, up to a group, or one of what several connections serve; let the connection rest if none."""
        with self._lock:
            count = min(len(self._jobs), GROUP_MAX if self._most == 1 else 1)
            if not count:
                self._rest(connection)
            return [self._jobs.popleft() for _ in range(count)]

    def _rest(self, connection: sqlite3.Connection | None) -> None:
        """Note, under the lock, that one thread less serves."""
        if connection is not None:
            self._resting.append(connection)
        self._running -= 1
        if not self._running:
            self._is_at_rest.set()

    def _serve_jobs(
        self, connection: sqlite3.Connection | None, jobs: list[Job[Any]]
    ) -> sqlite3.Connection | None:
        """Do jobs on the connection, which is made where there is none yet; return it."""
        try:
            if connection is not None and is_outdated(connection):
                connection.close()
                connection = None
            connection = connection or self._connect()
            self.connected = True
        except errors(RemanenceError, UnicodeDecodeError, MemoryError) as error:
            self._refuse(jobs, error)
        except UNREADABLE as error:  # an older file is read whole as it is brought up
            self._refuse(jobs, build_row_damage(error, self._path))
        else:
            self._do_jobs(connection, jobs)
        return connection

    def _do_jobs(self, connection: sqlite3.Connection, jobs: list[Job[Any]]) -> None:
        """Do jobs in order, neighbouring writes in one transaction."""
        group: list[Job[Any]] = []
        for job in jobs:
            if job.future.cancelled():
                continue
            if job.reads:
                self._write(connection, group)
                group = []
                self._read(connection, job)
            else:
                group.append(job)
        self._write(connection, group)

    def _read(self, connection: sqlite3.Connection, job: Job[Any]) -> None:
        """Do one job on a frozen state of the database."""
        try:
            self._files.check(connection)
            connection.execute("BEGIN")
        except errors(FileReplaced) as error:
            self._refuse([job], error)
        else:
            self._attempt_job(connection, job)
        finally:
            _roll_back(connection)

    def _attempt_job(self, connection: sqlite3.Connection, job: Job[Any]) -> bool:
        """Do the work of a job and return whether it went well; what it raises goes to whoever asked for it."""
        try:
            job.answer, job.error = job.work(connection), None
        except Exception as error:  # noqa: BLE001 # the thread lives on, whatever a job runs into
            is_damaged = job.reads and isinstance(error, UNREADABLE) and not isinstance(error, UnicodeError)
            job.error = build_row_damage(error, self._path) if is_damaged else meaning(error, self._path)
        return job.error is None

    def _write(self, connection: sqlite3.Connection, group: list[Job[Any]]) -> None:
        """Do a group in one transaction; where that fails as a whole, each job alone, so that it fails alone."""
        if not group or self._do_in_transaction(connection, group) or len(group) == 1:
            return
        for job in group:
            self._do_in_transaction(connection, [job])

    def _do_in_transaction(self, connection: sqlite3.Connection, group: list[Job[Any]]) -> bool:
        """Do jobs and commit; return False, with nothing written, where the transaction did not hold."""
        try:
            self._files.check(connection, log=True)
            begin_writing(connection, self._busy_ms)
        except errors(FileReplaced) as error:
            self._refuse(group, error)
            return True
        try:
            for job in group:
                self._step(connection, job, alone=len(group) == 1)
            if not connection.in_transaction and any(job.error is None for job in group):
                raise sqlite3.OperationalError("the transaction was lost")
            if connection.in_transaction:
                connection.execute("COMMIT")
        except errors() as error:
            _roll_back(connection)
            self.handle_rollback()
            self._refuse(group, error)
            return False
        self.handle_commit()
        try:
            self._files.check(connection)
        except FileReplaced as error:  # what was written lies where nobody finds it
            self._refuse(group, error)
        return True

    def _step(self, connection: sqlite3.Connection, job: Job[Any], *, alone: bool) -> None:
        """Do one job behind a savepoint; on failure only its own writes are undone."""
        if not alone:
            connection.execute("SAVEPOINT job")
        if not self._attempt_job(connection, job):
            if alone:
                _roll_back(connection)
                return
            # A full disk takes the whole transaction away, savepoints and all; this then raises.
            connection.execute("ROLLBACK TO job")
        if not alone:
            connection.execute("RELEASE job")

    def _refuse(self, jobs: Iterable[Job[Any]], error: BaseException) -> None:
        for job in jobs:
            job.error = meaning(error, self._path)


def _roll_back(connection: sqlite3.Connection) -> None:
    if connection.in_transaction:
        connection.execute("ROLLBACK")


def _answer_jobs(jobs: Iterable[Job[Any]]) -> None:
    """Settle jobs, with one wake-up for each loop that waits."""
    loops: dict[asyncio.AbstractEventLoop, list[Job[Any]]] = {}
    for job in jobs:
        loops.setdefault(job.loop, []).append(job)
    for loop, own in loops.items():
        try:
            loop.call_soon_threadsafe(_settle_jobs, own)
        except RuntimeError:
            # The loop was closed: nobody waits any more.
            continue


def _settle_jobs(jobs: Iterable[Job[Any]]) -> None:
    for job in jobs:
        job.settle()
