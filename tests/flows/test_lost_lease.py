"""A process that is stopped past its lease and woken up writes nothing of what it had decided."""

import asyncio
import os
import signal
import sys
from collections.abc import Mapping
from pathlib import Path
from subprocess import PIPE, Popen

import remanence
from remanence.core.clock import DAY, ManualClock
from remanence.core.model import Kind, Turn
from remanence.flows.curate.scheduling import LEASE
from remanence.flows.schedule.ticking import LEASE as TICKING
from remanence.flows.schedule.ticking import JobsResult
from remanence.llm.base import Judgement
from tests.flows.test_scheduling import DAILY

ROOT = Path(__file__).parents[2]
START = 20_000 * DAY
# The same interval, and nothing to do.
RESTING = DAILY.replace("days(1)", "days(1000)").replace("daily", "resting")
# No interval: its rules are judged by ticks. Nothing is so old as the second one asks.
QUICK = DAILY.replace('interval = "10 hours"\n', "").replace("daily", "quick")
IDLE = QUICK.replace("days(1)", "days(1000)")
# Stops itself where all is decided and the transaction would begin.
STOPPED = """
import asyncio, os, signal, sys
from remanence.store.sqlite.sqlite_store import SqliteStore
from tests.flows import test_lost_lease

commit = SqliteStore.commit

async def stopped(store, scope, changes, cause):
    if cause.verb == sys.argv[2]:
        SqliteStore.commit = commit
        os.kill(os.getpid(), signal.SIGSTOP)
    return await commit(store, scope, changes, cause)

SqliteStore.commit = stopped
asyncio.run(getattr(test_lost_lease, sys.argv[3])(sys.argv[1]))
"""


class Judge:
    """A writer that finds every memory in line with what is known."""

    name = "judge"

    async def judge(self, text: str, identity: str, others: Mapping[str, str]) -> Judgement:
        """Say so."""
        return Judgement(alignment=0.9)


def opened(path: Path | str, at: int, **more: object) -> remanence.Engine:
    """Open the file at a time."""
    return remanence.open(str(path), clock=ManualClock(at), embedder="hashed", **more)  # type: ignore[arg-type]


async def curating(path: str) -> None:
    """Begin a session, before which the curation that is due runs; two days after all was learned."""
    async with opened(path, START + 2 * DAY, policy=DAILY) as memory:
        await memory.begin_session(heartbeats=False)


async def consolidating(path: str) -> None:
    """Consolidate what waits, judged."""
    async with opened(path, START, writer=Judge()) as memory:
        await memory.consolidate()


async def until_stopped(path: Path, verb: str, work: str) -> "Popen[bytes]":
    """Start a process and wait until it has stopped itself before it would commit."""
    process = Popen([sys.executable, "-c", STOPPED, str(path), verb, work], cwd=ROOT, stderr=PIPE)
    _, status = await asyncio.to_thread(os.waitpid, process.pid, os.WUNTRACED)
    assert os.WIFSTOPPED(status), process.communicate()
    return process


async def woken(process: "Popen[bytes]") -> bytes:
    """Let a stopped process go on to its end; return what it complained of."""
    process.send_signal(signal.SIGCONT)
    _, error = await asyncio.to_thread(process.communicate)
    return error


async def test_a_curation_that_was_stopped_past_its_lease_writes_nothing(tmp_path: Path) -> None:
    """Who took over the lease rests; the plan of the woken process, and that it ran, are then not written either."""
    path = tmp_path / "memory.db"
    async with opened(path, START) as memory:
        await memory.learn([Turn(f"note number {k}", category="knowledge") for k in range(4)])
        await memory.consolidate()
    process = await until_stopped(path, "curate", "curating")
    async with opened(path, START + 2 * DAY + LEASE, policy=RESTING) as memory:
        await memory.begin_session(heartbeats=False)
        mine, verbs = (
            (await memory.status()).automatic.get("curate"),
            [event.verb for event in await memory.history()],
        )
        error = await woken(process)
        status = await memory.status()

        assert (b"", 0) == (error, process.returncode)
        assert {"active": 4} == dict(status.statuses)
        assert verbs == [event.verb for event in await memory.history()]
        assert mine == (await memory.status()).automatic.get("curate")
        assert START + 2 * DAY + LEASE == status.last_curate_at
        assert [] == [check for check in await memory.doctor() if not check.ok]


async def test_a_curation_that_was_stopped_within_its_lease_goes_on(tmp_path: Path) -> None:
    """Nobody took the lease meanwhile, however late it is: the plan is carried out."""
    path = tmp_path / "memory.db"
    async with opened(path, START) as memory:
        await memory.learn([Turn(f"note number {k}", category="knowledge") for k in range(4)])
        await memory.consolidate()
    error = await woken(await until_stopped(path, "curate", "curating"))
    async with opened(path, START + 2 * DAY + 2 * LEASE) as memory:
        assert (b"", {"archived": 4}) == (error, dict((await memory.status()).statuses))


async def test_a_consolidation_that_was_stopped_past_its_lease_leaves_it_to_the_other(tmp_path: Path) -> None:
    """What the other made active in its stead is left as it is, and the woken process finds nothing left to do."""
    path = tmp_path / "memory.db"
    async with opened(path, START) as memory:
        await memory.learn([Turn(f"note number {k}", kind=Kind.SEMANTIC) for k in range(3)])
    process = await until_stopped(path, "consolidate", "consolidating")
    async with opened(path, START + DAY, writer=Judge()) as memory:
        done = await memory.consolidate()
        verbs = [event.verb for event in await memory.history()]
        error = await woken(process)

        assert (b"", 0, 3) == (error, process.returncode, done.activated)
        assert verbs == [event.verb for event in await memory.history()]


async def ticking(path: str) -> None:
    """Tick, two days after all was learned."""
    async with opened(path, START + 2 * DAY, policy=QUICK) as memory:
        await memory.run_jobs()


async def test_a_tick_that_was_stopped_past_its_lease_writes_nothing(tmp_path: Path) -> None:
    """Who ticks meanwhile has nothing to do; the woken process commits no part of its plan nor its schedule."""
    path = tmp_path / "memory.db"
    async with opened(path, START) as memory:
        await memory.learn([Turn(f"note number {k}", category="knowledge") for k in range(4)])
        await memory.consolidate()
    process = await until_stopped(path, "curate", "ticking")
    async with opened(path, START + 2 * DAY, policy=QUICK) as memory:
        assert (await memory.run_jobs()).busy
    async with opened(path, START + 2 * DAY + TICKING, policy=IDLE) as memory:
        await memory.run_jobs()
        mine, verbs = (await memory.status()).schedule, [event.verb for event in await memory.history()]
        error = await woken(process)

        assert {"active": 4} == dict((await memory.status()).statuses)
        assert (b"", 0) == (error, process.returncode)
        assert verbs == [event.verb for event in await memory.history()]
        assert mine == (await memory.status()).schedule
        assert [] == [check for check in await memory.doctor() if not check.ok]


async def keeping(path: str) -> None:
    """Look once at all scopes of the file, as a daemon does, two days after all was learned."""
    async with opened(path, START + 2 * DAY) as memory:
        await memory.run_jobs(stop=asyncio.Event(), once=True)


async def test_a_daemon_that_was_stopped_past_its_lease_writes_nothing(tmp_path: Path) -> None:
    """Another daemon finds the scope taken, and once the lease is over its own; the woken one leaves that as it is."""
    path = tmp_path / "memory.db"
    async with opened(path, START) as memory:
        await memory.learn([Turn(f"note number {k}", category="knowledge") for k in range(4)])
        await memory.consolidate()
        await memory.policy.use(QUICK)
    process = await until_stopped(path, "curate", "keeping")
    told: list[JobsResult] = []
    async with opened(path, START + 2 * DAY) as memory:
        await memory.run_jobs(stop=asyncio.Event(), tell=told.append, once=True)
    async with opened(path, START + 2 * DAY + TICKING) as memory:
        await memory.policy.use(IDLE)
        await memory.run_jobs(stop=asyncio.Event(), tell=told.append, once=True)
        mine, verbs = (await memory.status()).schedule, [event.verb for event in await memory.history()]
        error = await woken(process)

        assert [False] == [one.busy for one in told if one.ran]
        assert {"active": 4} == dict((await memory.status()).statuses)
        assert (b"", 0) == (error, process.returncode)
        assert verbs == [event.verb for event in await memory.history()]
        assert mine == (await memory.status()).schedule
        assert [] == [check for check in await memory.doctor() if not check.ok]
