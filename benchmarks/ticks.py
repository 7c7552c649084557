"""What a tick costs: `python -m benchmarks.ticks --n 100000 --scopes 1000`.

One scope of n memories: rapid rules judged where nothing is to be done, and a tick where nothing changed and nothing is
due. Many small scopes of which ten were written to: one look of the daemon at all of them, and of how many it reads the
memories. A file that `benchmarks.scale` has filled can be used again (`--db`): it is copied.
"""

import argparse
import asyncio
import shutil
import tempfile
from pathlib import Path

import numpy as np

import remanence
from benchmarks.report import figure, note, settings, spent
from benchmarks.scale import fill, scope_names
from remanence.core.clock import ManualClock, SystemClock
from remanence.core.model import Turn
from remanence.core.snapshot import Snapshot, SnapshotRequest
from remanence.flows.schedule.ticking import JobsResult
from remanence.store.sqlite.sqlite_store import SqlStore

NOTED = ("notification", "session_context", "task")
QUIET_TICKS, RAPID_TICKS, DEEP_TICKS_MAX, WRITTEN = 200, 5, 100, 10


def main() -> None:
    """Fill the stores and measure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--n", type=int, default=10_000)
    parser.add_argument("--scopes", type=int, default=100)
    parser.add_argument("--policy", default="default")
    parser.add_argument("--db", type=Path, help="a filled file of n memories to copy")
    given = parser.parse_args()
    settings(n=given.n, scopes=given.scopes, policy=given.policy)
    with tempfile.TemporaryDirectory() as folder:
        one = Path(folder) / "one.db"
        if given.db:
            shutil.copy(given.db, one)
        else:
            asyncio.run(fill(one, given.n, 1))
        asyncio.run(_one(one, given.n, given.policy))
        asyncio.run(_many(Path(folder) / "many.db", given.scopes, given.policy))


async def _one(path: Path, n: int, policy: str) -> None:
    clock = ManualClock(SystemClock().now())
    async with remanence.open(path, scope="scope-0", clock=clock, policy=policy) as memory:
        # What the rapid rules look for must be there at all, or nothing is read.
        await memory.learn(Turn(f"about a {name}", category=name) for name in NOTED)
        await _settled(memory, clock)
        taken = []
        for _ in range(RAPID_TICKS):
            clock.advance(minutes=1)
            with spent() as took:
                await memory.run_jobs("rapid")
            taken.append(took.cpu_s)
        figure("ticks.rapid_cpu_s", float(np.median(taken)), "s", n=n, policy=policy)
        await _settled(memory, clock)
        quiet = []
        for _ in range(QUIET_TICKS):
            with spent() as took:
                assert (await memory.run_jobs()).quiet
            quiet.append(took.wall_s * 1_000)
        figure("ticks.quiet_ms", float(np.median(quiet)), "ms", n=n, p95=float(np.percentile(quiet, 95)))


async def _settled(memory: remanence.Engine, clock: ManualClock) -> None:
    """Tick until nothing is done and nothing is left: what is to be done takes longer than one tick may."""
    for _ in range(DEEP_TICKS_MAX):
        done = await memory.run_jobs("deep")
        note(str(done))
        clock.advance(minutes=1)
        if not done.left and not any(ran.counts for ran in done.ran.values()):
            return


async def _many(path: Path, scopes: int, policy: str) -> None:
    clock = ManualClock(SystemClock().now())
    for scope in scope_names(scopes):
        async with remanence.open(path, scope=scope, clock=clock, embedder="none") as memory:
            await memory.learn(f"something of {scope}")
            await memory.policy.use(policy)
    store = _Counting(str(path))
    async with remanence.open(scope="base", clock=clock, embedder="none", store=store) as memory:
        for _ in range(3):
            clock.advance(minutes=31)
            note(f"{await _looked(memory)} scopes ticked")
        for written in range(0, scopes, max(1, scopes // WRITTEN))[:WRITTEN]:
            async with remanence.open(path, scope=f"scope-{written}", clock=clock, embedder="none") as one:
                await one.learn("something new")
        clock.advance(minutes=6)
        store.read.clear()
        with spent() as took:
            ticked = await _looked(memory)
        figure("ticks.look_ms", took.wall_s * 1_000, "ms", scopes=scopes, written=WRITTEN, ticked=ticked)
        figure("ticks.look_reads", len(store.read), "scopes", scopes=scopes, written=WRITTEN)
        with spent() as took:
            ticked = await _looked(memory)
        figure("ticks.look_quiet_ms", took.wall_s * 1_000, "ms", scopes=scopes, ticked=ticked)


class _Counting(SqlStore):
    """A store that knows of which scopes the memories were read."""

    def __init__(self, path: str) -> None:
        super().__init__(path)
        self.read: set[str] = set()

    async def snapshot(self, scope: str, wanted: SnapshotRequest, now: int) -> Snapshot:
        """Read a scope, and note that."""
        self.read.add(scope)
        return await super().snapshot(scope, wanted, now)


async def _looked(memory: remanence.Engine) -> int:
    told: list[JobsResult] = []
    await memory.run_jobs(stop=asyncio.Event(), tell=told.append, once=True)
    return len(told)


if __name__ == "__main__":
    main()
