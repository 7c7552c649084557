"""Several workers on one server: each scope at a time by one, none forgotten; killed, stopped, under a wrong clock."""

import asyncio
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from subprocess import PIPE, Popen

import psycopg
import pytest

import remanence
from benchmarks import workers as campaigns
from remanence.core.change import AuditPart
from remanence.core.clock import DAY, MINUTE, ManualClock, SystemClock
from remanence.core.model import Turn
from remanence.curate.schedule import CadenceIntervals
from remanence.flows.base.policy_reading import POLICY
from remanence.flows.schedule.job_queue import JobQueue, ScopeLook
from remanence.flows.schedule.workers import OneWorker, ServerClock
from remanence.store.base import Bookkeeping
from remanence.store.postgres.pg_store import PgStore
from tests.command_line import typed
from tests.flows.test_ticking import RAPID
from tests.postgres import Server

ROOT = Path(__file__).parents[2]
TAKEOVER_S = 10.0
WAITING = 20  # scopes
KILLS_LEAST = 4  # of a campaign, without which it proves nothing
MAIN = "from remanence.faces.cli import main; main()"
# Says that it has decided, where the transaction would begin, and waits; `SIGSTOP` stops the whole process there.
HALTED = f"""
import asyncio, os, signal
from remanence.store.postgres.pg_store import PgStore

commit = PgStore.commit

async def halted(store, scope, changes, cause):
    if cause.verb == "curate":
        PgStore.commit = commit
        print("decided", scope, flush=True)
        HALT
    return await commit(store, scope, changes, cause)

PgStore.commit = halted
{MAIN}
"""
KILLED = HALTED.replace("HALT\n", "await asyncio.sleep(600)\n")
STOPPED = HALTED.replace("HALT\n", "os.kill(os.getpid(), signal.SIGSTOP)\n")
# Stands still inside of the transaction, which holds the scope.
HOLDING = f"""
import os, signal, time
from remanence.store.sql import commits

commit = commits.commit

def halted(opened, changes, cause):
    answer = commit(opened, changes, cause)
    if cause.verb == "curate":
        commits.commit = commit
        print("decided", opened.name, flush=True)
        os.kill(os.getpid(), signal.SIGSTOP)
        time.sleep(1.0)  # other threads may stop before this one
    return answer

commits.commit = halted
{MAIN}
"""
AHEAD = f"""
import time
from remanence.core import clock

own = time.time_ns
time.time_ns = lambda: own() + 3_600 * 10**9
{MAIN}
"""
ODD = ['it\'s "quoted"', "ä" * 100, "100 %s; DROP TABLE memories", "-- x"]  # the second has 200 bytes


class Workers:
    """Workers on one server, and what there is to see of them."""

    def __init__(self, address: str, store: PgStore) -> None:
        self.address, self.store = address, store
        self.running: list[Popen[str]] = []

    def start(self, *words: str, program: str = MAIN) -> "Popen[str]":
        """Start a worker."""
        line = [sys.executable, "-c", program, "--db", self.address, "--embedder", "none", "worker", *words]
        process = Popen(line, cwd=ROOT, stdout=PIPE, stderr=PIPE, text=True)
        self.running.append(process)
        return process

    async def fill(self, scope: str, at: int | None = None, policy: str = RAPID) -> None:
        """Learn what the policy archives, half a day ago unless a time is given."""
        clock = ManualClock(SystemClock().now() - DAY // 2 if at is None else at)
        async with remanence.open(self.address, scope=scope, clock=clock, embedder="none") as memory:
            await memory.learn([Turn(f"message {k} of {scope}", category="message") for k in range(3)])
            await memory.consolidate()
            await memory.policy.use(policy)

    async def parts(self, scope: str) -> list[AuditPart]:
        """Return all that was written in a scope."""
        return list(await self.store.history(scope, after=0, limit=1_000, rows=False))

    async def curations(self, scope: str) -> list[AuditPart]:
        """Return the runs that curated a scope."""
        return [part for part in await self.parts(scope) if part.cause.verb == "curate"]

    async def wait(self, condition: Callable[[], Awaitable[bool]], seconds: float = 20.0) -> float:
        """Wait until something holds; return how many seconds that took."""
        began = time.monotonic()
        while not await condition():
            if time.monotonic() - began > seconds:
                ends = [one.communicate() for one in self.running if one.poll() is not None]
                raise AssertionError(f"not within {seconds:g} s; of workers that ended: {ends}")
            await asyncio.sleep(0.05)
        return time.monotonic() - began

    async def wait_until_curated(self, *scopes: str, times: int = 1) -> float:
        """Wait until each of some scopes was curated so often."""

        async def is_done() -> bool:
            return all([len(await self.curations(scope)) >= times for scope in scopes])

        return await self.wait(is_done)

    def leases(self) -> Counter[int]:
        """Count scopes by how many holders the lease of their curation had."""
        return Counter(
            fence for (fence,) in self.ask("SELECT fence FROM leases WHERE name = 'curate' AND fence > 0")
        )

    def ask(self, query: str) -> list[tuple[int, ...]]:
        """Ask the server."""
        with psycopg.connect(self.address) as connection:
            return connection.execute(query).fetchall()


@pytest.fixture
async def workers(postgres_server: Server, postgres_address: str) -> AsyncIterator[Workers]:
    """Yield an empty server without a queue; what still runs in the end is killed."""
    for name in _queues(postgres_address):
        postgres_server.run(f"DROP SCHEMA {name} CASCADE")
    store = PgStore(postgres_address)
    await store.open()
    some = Workers(postgres_address, store)
    yield some
    for process in some.running:
        process.kill()
        process.communicate()
    await store.close()


def _queues(address: str) -> list[str]:
    with psycopg.connect(address) as connection:
        query = "SELECT nspname FROM pg_namespace WHERE nspname LIKE 'remanence_jobs_%'"
        return [name for (name,) in connection.execute(query).fetchall()]


async def test_two_workers_share_the_scopes_and_end_when_told_to(workers: Workers) -> None:
    """Each scope is looked at once, by one of them; a scope without a policy is left alone, and no job is left over."""
    scopes = [*ODD, *(f"scope {number}" for number in range(4))]
    for scope in scopes:
        await workers.fill(scope)
    async with remanence.open(workers.address, scope="bare", embedder="none") as memory:
        await memory.learn("Nobody curates this.")
    both = [workers.start("--jobs", "2"), workers.start()]
    await workers.wait_until_curated(*scopes)
    await asyncio.sleep(2.5)  # another sweep
    runs = {scope: len(await workers.curations(scope)) for scope in scopes}
    leases = workers.leases()
    for process, sign in zip(both, (signal.SIGTERM, signal.SIGINT), strict=True):
        process.send_signal(sign)
    ends = [(await asyncio.to_thread(process.communicate))[0] for process in both]
    (queue,) = _queues(workers.address)

    assert dict.fromkeys(scopes, 1) == runs
    assert {1: len(scopes)} == leases
    assert [0, 0] == [process.returncode for process in both]
    rounds = [int(end.split(" round", maxsplit=1)[0]) for end in ends]
    assert len(scopes) == sum(rounds)
    assert [(0,)] == workers.ask(f"SELECT count(*) FROM {queue}.procrastinate_jobs")


async def test_what_was_written_makes_a_scope_due_and_one_that_fails_rests(
    workers: Workers, postgres_server: Server
) -> None:
    """Nobody tells the workers: they see that a scope has moved; one whose policy cannot be read keeps no other.

    A server that was killed and started again is worked for as before.
    """
    for scope in ("broken", "written"):
        await workers.fill(scope)
    now = SystemClock().now()
    await workers.store.bookkeep(
        "broken", Bookkeeping(now, put={POLICY: {"source": "nonsense", "hash": "0"}})
    )
    process = workers.start("--intervals", "rapid=1s")
    await workers.wait_until_curated("written")
    postgres_server.kill()
    await asyncio.sleep(0.5)
    postgres_server.start_again()
    clock = ManualClock(SystemClock().now() - 3 * MINUTE)
    async with remanence.open(workers.address, scope="written", clock=clock, embedder="none") as memory:
        await memory.learn([Turn(f"later {k}", category="message") for k in range(2)])
        await memory.consolidate()
    await workers.wait_until_curated("written", times=2)
    (queue,) = _queues(workers.address)
    jobs = f"{queue}.procrastinate_jobs"
    waiting = workers.ask(
        f"SELECT CAST(args->>'tries' AS int), CAST(scheduled_at > now() AS int) FROM {jobs}"
        " WHERE lock = 'scope:broken'"
    )

    assert process.poll() is None
    assert 1 == len(waiting)
    assert 1 <= waiting[0][0] <= 4
    assert [] == await workers.curations("broken")


async def test_another_worker_goes_on_where_one_was_killed_or_stopped(workers: Workers) -> None:
    """Both have decided what to write; the one that wakes up after that was done writes nothing of it."""
    for scope in ("first", "second"):
        await workers.fill(scope)
    killed, stopped = workers.start(program=KILLED), workers.start(program=STOPPED)
    held, other = await _read_scope(killed), await _read_scope(stopped)
    third = workers.start()
    await asyncio.to_thread(_read_line, third)
    killed.kill()
    took_over = await workers.wait_until_curated(held)
    took_over_too = await workers.wait_until_curated(other)
    ended = await _quiet(workers, other)
    stopped.send_signal(signal.SIGCONT)
    await asyncio.sleep(1.0)
    stopped.terminate()
    await asyncio.to_thread(stopped.communicate)
    after = await workers.parts(other)

    assert {"first", "second"} == {held, other}
    assert took_over <= TAKEOVER_S
    assert took_over_too <= TAKEOVER_S
    assert ended == after
    assert 0 == stopped.returncode
    assert [1, 1] == [len(await workers.curations(scope)) for scope in ("first", "second")]
    assert {2: 2} == workers.leases()


async def test_a_worker_that_stands_still_in_its_transaction_keeps_no_other_from_the_scope(
    workers: Workers,
) -> None:
    """The server ends the transaction: another one takes over as soon, and the first writes nothing as it wakes up."""
    await workers.fill("held")
    stopped = workers.start(program=HOLDING)
    await _read_scope(stopped)
    began = time.monotonic()
    third = workers.start()
    await asyncio.to_thread(_read_line, third)
    await workers.wait_until_curated("held")
    took_over = time.monotonic() - began
    ended = await _quiet(workers, "held")
    stopped.send_signal(signal.SIGCONT)
    stopped.terminate()
    _, said = await asyncio.to_thread(stopped.communicate)

    assert took_over <= TAKEOVER_S
    assert ended == await workers.parts("held")
    assert (0, False) == (stopped.returncode, "Traceback" in said)
    assert {2: 1} == workers.leases()


async def test_a_host_whose_clock_is_an_hour_ahead_goes_by_the_server(workers: Workers) -> None:
    """It does nothing an hour too early, and what it writes is of now."""
    now = SystemClock().now()
    await workers.fill("old")
    await workers.fill("young", now - 20 * MINUTE, RAPID.replace("minutes(1)", "minutes(30)"))
    workers.start(program=AHEAD)
    await workers.wait_until_curated("old")
    await workers.wait(lambda: _is_quiet(workers, "young"))
    (run,) = await workers.curations("old")

    assert now <= run.cause.at <= SystemClock().now()
    assert [] == await workers.curations("young")


async def test_a_scope_that_kills_one_worker_after_the_other_rests(workers: Workers) -> None:
    """After the third death it waits for five minutes, then for twice as long."""
    clock = ServerClock()
    async with remanence.open(workers.address, embedder="none") as memory:
        queue, pace = JobQueue(workers.address), CadenceIntervals()
        one = OneWorker(memory._core, workers.address, queue, clock, pace, 1, asyncio.Event(), print)
        look, waits = ScopeLook("deadly", "a"), []
        for _ in range(4):
            look = one._build_successor(look)
            waits.append(0 if look.at is None else round((look.at - clock.now()) / MINUTE))

    assert [0, 0, 5, 10] == waits


async def test_a_scope_whose_worker_died_goes_before_all_that_wait(workers: Workers) -> None:
    """However many wait for their first look, another worker takes it over next."""
    queue, looked_at = JobQueue(workers.address), list[str]()
    await queue.open()
    try:
        async with remanence.open(workers.address, embedder="none") as memory:
            clock, pace = ServerClock(), CadenceIntervals()
            one = OneWorker(memory._core, workers.address, queue, clock, pace, 1, asyncio.Event(), print)
            await queue.defer([ScopeLook(f"waits {k}", f"holder {k}") for k in range(WAITING)])
            await queue.defer([one._build_successor(ScopeLook("died", "a"))])

        async def note(look: ScopeLook) -> None:
            looked_at.append(look.scope)

        async def are_all() -> bool:
            return len(looked_at) > WAITING

        worker = queue.build_worker(note, 1)
        running = asyncio.create_task(worker.run())  # type: ignore[no-untyped-call]
        await workers.wait(are_all)
        worker.stop()  # type: ignore[no-untyped-call]
        await running
    finally:
        await queue.close()

    assert ["died", *(f"waits {k}" for k in range(WAITING))] == looked_at


def test_what_is_no_server_is_refused(tmp_path: Path) -> None:
    """A file has the plain loop; one scope has it too; without the extra it is said how it comes."""
    file = typed("--db", str(tmp_path / "m.db"), "worker")
    scope = typed("--db", "postgresql://localhost/none", "--scope", "one", "worker")
    program = f"import sys; sys.modules['procrastinate'] = None; {MAIN}"
    words = [sys.executable, "-c", program, "--db", "postgresql://localhost/none", "worker"]
    bare = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)

    assert (1, True) == (file.exit_code, "for a file or another server: remanence run" in file.stderr)
    assert not (tmp_path / "m.db").exists()
    assert (1, True) == (scope.exit_code, "for one scope alone: remanence run" in scope.stderr)
    assert (1, True) == (bare.returncode, "pip install 'remanence[workers]'" in bare.stderr)


@pytest.mark.deep
async def test_a_night_of_1000_scopes_while_one_worker_after_another_is_killed(workers: Workers) -> None:
    """All are curated, each once; what a killed one was at waits for no longer than a takeover may take.

    A night's work of so many takes less than a minute: one is killed every two seconds.
    """
    names = campaigns.name_scopes(1_000)
    await campaigns.fill(workers.address, names, 100)
    campaign = campaigns.Campaign(workers.address, workers=4, kill_every=2.0)
    with campaign.run():
        await asyncio.to_thread(campaign.wait, len(names), 3_600.0)
    runs = await campaigns.count_runs(workers.address, names)

    assert dict.fromkeys(names, 1) == runs
    assert campaign.kills >= KILLS_LEAST
    assert campaign.takeover_s <= TAKEOVER_S


async def _read_scope(process: "Popen[str]") -> str:
    """Return the scope in which a worker has decided what to write."""
    assert process.stdout is not None
    line = await asyncio.to_thread(process.stdout.readline)
    return line.removeprefix("decided ").rstrip("\n")


def _read_line(process: "Popen[str]") -> str:
    assert process.stderr is not None
    return process.stderr.readline()


async def _is_quiet(workers: Workers, scope: str) -> bool:
    """Tell whether a tick of a scope has come to its end."""
    name = "schedule/quiet"
    answer = await workers.store.bookkeep(scope, Bookkeeping(SystemClock().now(), get=(name,)))
    return "position" in answer.values.get(name, {})


async def _quiet(workers: Workers, scope: str) -> list[AuditPart]:
    """Return all that was written in a scope, once a tick has come to its end."""
    await workers.wait(lambda: _is_quiet(workers, scope))
    return await workers.parts(scope)
