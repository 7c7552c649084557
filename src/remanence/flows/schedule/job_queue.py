"""The queue of the workers of a server: jobs that say "look at this scope", which procrastinate keeps.

Knows how jobs wait and run, and which workers have died; knows nothing of what is done in a scope. A job is a hint:
what holds two processes apart is the lease of the scope. So the queue may be lost as a whole, and nothing with it.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, LiteralString

import psycopg
from procrastinate import App, JobContext, PsycopgConnector
from procrastinate.exceptions import AlreadyEnqueued, ConnectorException
from procrastinate.jobs import Job, Status
from procrastinate.manager import JobManager
from procrastinate.schema import SchemaManager
from procrastinate.worker import Worker
from psycopg import sql

from remanence.core.clock import to_datetime
from remanence.core.errors import InvalidInput, RemanenceError
from remanence.store.postgres import pg_errors
from remanence.store.postgres.pg_address import is_pooled, read_address
from remanence.store.postgres.pg_connection import connect
from remanence.store.postgres.pg_database import PgDatabase

STALLED_S = 5.0  # a worker that was not heard of for so long is dead, or stopped
POLL_S = 2.0  # how often an idle worker looks for jobs of which no notice came
DEFERRED_AT_ONCE = 500
MANY = (
    200  # jobs: the server is told at once that there are so many, else it takes 300 ms to find the next one
)
AGAIN = 1  # the priority of a scope whose worker died: it goes before all that wait for their first look
TASK = "look"
LOCK = "scope:"  # what the locks of a job begin with, before the name of its scope
LOST = (ConnectorException, psycopg.Error)
# A worker that is stopped in the middle of a transaction keeps the others from the row for no longer.
_END_STOPPED = f"SET idle_in_transaction_session_timeout = '{int(STALLED_S)}s'"
_FOREVER_S = 1e9
_PRUNED_S = 3_600.0  # the row of a worker that was not heard of for so long is taken away
# Taken by whoever makes the tables, so that one process does at a time; any number that is ours will do.
_MAKING = 0x52454D42
# The one table of ours beside procrastinate's: until when somebody keeps the queue.
_SWEEP = "remanence_sweep"
_FIND_SWEEP = "SELECT 1 FROM pg_tables WHERE schemaname = %s AND tablename = %s"
_BEAT = (
    f"WITH taken AS (UPDATE {_SWEEP} SET until = clock_timestamp() + make_interval(secs => %(seconds)s)"
    " WHERE until <= clock_timestamp() RETURNING 1) SELECT EXISTS (SELECT 1 FROM taken) AS taken,"
    " CAST(extract(epoch FROM clock_timestamp()) * 1000000 AS bigint) AS now"
)
_EXTEND = f"UPDATE {_SWEEP} SET until = clock_timestamp() + make_interval(secs => %(seconds)s)"
_LOCKS = "SELECT lock FROM procrastinate_jobs WHERE lock IS NOT NULL"
_ANALYZE = "ANALYZE procrastinate_jobs"
_DELETE = "DELETE FROM procrastinate_jobs WHERE id = %(id)s RETURNING id"


@dataclass(frozen=True, slots=True)
class ScopeLook:
    """A job: the scope to look at, under which name its lease is held, and how often that failed in a row.

    `holder` is never used for another job, so that whoever finds the worker dead can give its lease back. `at` is the
    time of the server before which nobody looks, None for now.
    """

    scope: str
    holder: str
    tries: int = 0
    at: int | None = None


class _Manager(JobManager):
    """Ends a job without complaint where it was given to another worker meanwhile."""

    async def finish_job(self, job: Job, status: Status, delete_job: bool) -> None:  # noqa: ARG002 # theirs
        """Take a job away; how it ended is kept in its scope."""
        await self.connector.execute_query_all_async(_DELETE, id=job.id)


class JobQueue:
    """The queue of one database."""

    def __init__(self, address: str) -> None:
        self._address = read_address(address).libpq
        self.name = ""

    async def open(self) -> None:
        """Make the queue where there is none, and connect to it."""
        self.name = await asyncio.to_thread(_prepare, self._address)
        self._connector = PsycopgConnector(
            conninfo=self._address, configure=self._set_path, min_size=1, max_size=4, timeout=10.0
        )
        self._app = App(connector=self._connector)
        self._app.job_manager = self._manager = _Manager(self._connector)
        await self._app.open_async()

    async def close(self) -> None:
        """Let the connections go."""
        await self._app.close_async()

    def build_worker(self, look: Callable[[ScopeLook], Awaitable[None]], jobs: int) -> Worker:
        """Return what runs so many jobs at a time."""

        async def run(context: JobContext, /, **_: Any) -> None:
            await look(_read_look(context.job))

        self._app.tasks.pop(TASK, None)
        self._app.task(name=TASK, queue=self.name, pass_context=True)(run)
        return Worker(
            self._app,
            queues=[self.name],
            concurrency=jobs,
            fetch_job_polling_interval=POLL_S,
            install_signal_handlers=False,
            update_heartbeat_interval=_FOREVER_S,  # `beat` does, and notices where it fails
            stalled_worker_timeout=_PRUNED_S,
        )

    async def beat(self, worker_id: int | None, seconds: float) -> tuple[int, bool]:
        """Say that a worker lives; return the time of the server, and whether this one is to keep the queue now.

        Nobody else is then told to for so many seconds.
        """
        if worker_id is not None:
            await self._manager.update_heartbeat(worker_id)
        row = await self._connector.execute_query_one_async(_BEAT, seconds=seconds)
        return row["now"], row["taken"]

    async def extend(self, seconds: float) -> None:
        """Have nobody keep the queue for so many seconds from now on."""
        await self._connector.execute_query_async(_EXTEND, seconds=seconds)

    async def find_scopes(self) -> set[str]:
        """Return the scopes that have a job, waiting or under way."""
        rows = await self._connector.execute_query_all_async(_LOCKS)
        return {row["lock"].removeprefix(LOCK) for row in rows}

    async def defer(self, looks: Sequence[ScopeLook]) -> None:
        """Have scopes looked at, but for those of which a job waits already."""
        for first in range(0, len(looks), DEFERRED_AT_ONCE):
            jobs = [self._build_job(one) for one in looks[first : first + DEFERRED_AT_ONCE]]
            try:
                await self._manager.batch_defer_jobs_async(jobs)
            except AlreadyEnqueued:
                await self._defer_each(jobs)
        if len(looks) >= MANY:
            await self._connector.execute_query_async(_ANALYZE)

    async def _defer_each(self, jobs: Sequence[Job]) -> None:
        for one in jobs:
            with suppress(AlreadyEnqueued):
                await self._manager.defer_job_async(one)

    async def find_stalled(self) -> Sequence[tuple[int, ScopeLook]]:
        """Return the jobs of workers that are not heard of any more, by number."""
        jobs = await self._manager.get_stalled_jobs(queue=self.name, seconds_since_heartbeat=STALLED_S)
        return [(job.id, _read_look(job)) for job in jobs if job.id is not None]

    async def take_away(self, number: int) -> bool:
        """Take a job away; return False where somebody else did."""
        return bool(await self._connector.execute_query_all_async(_DELETE, id=number))

    def _build_job(self, look: ScopeLook) -> Job:
        lock = f"{LOCK}{look.scope}"
        return Job(
            queue=self.name,
            lock=lock,
            queueing_lock=lock,
            task_name=TASK,
            task_kwargs={"scope": look.scope, "holder": look.holder, "tries": look.tries},
            scheduled_at=None if look.at is None else to_datetime(look.at),
            priority=AGAIN if look.tries else 0,
        )

    async def _set_path(self, connection: psycopg.AsyncConnection[Any]) -> None:
        await connection.execute(sql.SQL("SET search_path TO {}").format(sql.Identifier(self.name)))
        await connection.execute(_END_STOPPED)
        await connection.commit()


def explain(error: BaseException) -> RemanenceError | BaseException:
    """Return what an error of the queue means to the caller."""
    return pg_errors.meaning(error.__cause__ or error)


def _read_look(job: Job) -> ScopeLook:
    kept: dict[str, Any] = dict(job.task_kwargs)
    return ScopeLook(kept["scope"], kept["holder"], kept["tries"])


def _prepare(address: str) -> str:
    """Return the name of the schema of the queue, which is made where it is missing.

    It is another one for each schema that holds memories, and for each version of procrastinate's tables: a newer
    program begins a queue of its own, as nothing is lost with the old one.
    """
    text = SchemaManager.get_schema()
    try:
        with connect(address) as connection:
            if is_pooled(connection, PgDatabase(connection)):
                raise InvalidInput(
                    "this is the address of a connection pooler, and a worker needs a lasting connection",
                    recovery="name the address of the server itself",
                )
            row = connection.execute("SELECT current_schema()").fetchone()
            assert row is not None
            name = f"remanence_jobs_{sha256(f'{row[0]} {text}'.encode()).hexdigest()[:12]}"
            if not _is_there(connection, name):
                _create(connection, name, text)
            return name
    except psycopg.Error as error:
        raise pg_errors.meaning(error) from error


def _is_there(connection: psycopg.Connection[Any], name: str) -> bool:
    # Not `to_regclass`, which may remember until the transaction ends that there was none.
    return bool(connection.execute(_FIND_SWEEP, (name, _SWEEP)).fetchall())


def _create(connection: psycopg.Connection[Any], name: str, text: LiteralString) -> None:
    with connection.transaction():
        connection.execute("SELECT pg_advisory_xact_lock(%s)", (_MAKING,))
        if _is_there(connection, name):
            return
        connection.execute(sql.SQL("CREATE SCHEMA {}").format(sql.Identifier(name)))
        connection.execute(sql.SQL("SET LOCAL search_path TO {}").format(sql.Identifier(name)))
        connection.execute(text)
        connection.execute(f"CREATE TABLE {_SWEEP} (until timestamptz NOT NULL)")
        connection.execute(f"INSERT INTO {_SWEEP} VALUES (clock_timestamp())")
