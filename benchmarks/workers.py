"""What many due scopes take of several workers: `python -m benchmarks.workers [--scopes 200 --workers 4]`.

Each scope has memories of which its policy archives some, once. Printed are the seconds until all have been looked at,
the CPU seconds of the workers and of the server, how many scopes were forgotten, curated twice, and held by a second
worker after the first. With `--kill-every 60` one worker is killed each minute, and another one begins: printed is then
the longest time that a scope waited which a worker was at when one was killed.
"""

import argparse
import asyncio
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import psycopg

import remanence
from benchmarks.report import children_cpu_s, figure, note, settings
from remanence.core.clock import DAY, ManualClock, SystemClock
from remanence.core.model import Turn
from remanence.store.postgres.pg_store import PgStore
from tests.postgres import Server

ROOT = Path(__file__).parents[1]
COMMAND = "from remanence.faces.cli import main; main()"
POLICY = """
version = 1
name = "night"

[[rule]]
name = "old messages"
every = "deep"
phase = "value"
where = "category == 'message' and age(learned_at) > hours(1)"
do = "archive"
"""
# A scope was looked at by a tick that came to its end.
_LOOKED_AT = (
    "SELECT count(*) FROM scope_names n JOIN settings q ON q.scope = n.scope AND q.name = 'schedule/quiet'"
    " WHERE n.name LIKE 'night %' AND q.value::json->>'position' IS NOT NULL"
)
_LEASED = (
    "SELECT scope FROM leases WHERE name = 'curate'"
    " AND until > extract(epoch FROM clock_timestamp()) * 1000000"
)
_DONE = (
    "SELECT scope FROM settings WHERE scope = ANY (%s) AND name = 'schedule/quiet'"
    " AND value::json->>'position' IS NOT NULL"
)
_HELD = "SELECT count(*) FROM leases WHERE name = 'curate' AND fence > 1"


@dataclass
class Campaign:
    """Workers on one server, of which one is killed now and then."""

    address: str
    workers: int
    jobs: int = 1
    kill_every: float = 0.0
    kills: int = 0
    takeover_s: float = 0.0  # the longest, of the scopes that a worker was at when one was killed
    running: list["subprocess.Popen[bytes]"] = field(default_factory=list)
    left: dict[int, float] = field(default_factory=dict)  # such scopes that are not done yet, since when

    @contextmanager
    def run(self) -> Iterator[None]:
        """Have workers work for a block."""
        self.running = [self._start() for _ in range(self.workers)]
        try:
            yield
        finally:
            for worker in self.running:
                worker.send_signal(signal.SIGTERM)
            for worker in self.running:
                worker.wait()

    def kill_one(self) -> None:
        """Kill one of the workers at once, and start another."""
        victim = self.running.pop(random.randrange(len(self.running)))
        victim.kill()
        victim.wait()
        self.kills += 1
        self.running.append(self._start())

    def wait(self, scopes: int, most_s: float) -> float:
        """Wait until every scope was looked at, or the time is over; return the seconds that it took."""
        began = killed = counted = time.monotonic()
        with psycopg.connect(self.address, autocommit=True) as connection:
            while (now := time.monotonic()) - began < most_s:
                self._measure_takeovers(connection)
                if now - counted >= (0.5 if scopes < 1_000 else 2.0):
                    counted = now
                    count = connection.execute(_LOOKED_AT).fetchall()[0][0]
                    note(f"{now - began:.0f} s: {count:,} of {scopes:,} scopes")
                    if count >= scopes:
                        break
                if self.kill_every and now - killed >= self.kill_every:
                    killed = now
                    self.kill_one()
                    leased = connection.execute(_LEASED).fetchall()
                    self.left |= {scope: time.monotonic() for (scope,) in leased if scope not in self.left}
                time.sleep(0.1)
        return time.monotonic() - began

    def _measure_takeovers(self, connection: "psycopg.Connection[tuple[int, ...]]") -> None:
        if self.left:
            done = connection.execute(_DONE, (list(self.left),)).fetchall()
            waited = [time.monotonic() - self.left.pop(scope) for (scope,) in done]
            self.takeover_s = max([self.takeover_s, *waited])

    def _start(self) -> "subprocess.Popen[bytes]":
        words = ["--db", self.address, "--embedder", "none", "worker", "--jobs", str(self.jobs)]
        return subprocess.Popen(
            [sys.executable, "-c", COMMAND, *words],
            cwd=ROOT,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )


def name_scopes(scopes: int) -> list[str]:
    """Return the names of so many scopes."""
    return [f"night {number:05}" for number in range(scopes)]


async def fill(address: str, names: Sequence[str], memories: int) -> None:
    """Learn so many memories in each of some scopes, a fifth of which the policy archives, and adopt it."""
    for name in names:
        clock = ManualClock(SystemClock().now() - DAY // 2)
        async with remanence.open(address, scope=name, clock=clock, embedder="none") as memory:
            await memory.learn(
                Turn(f"{name}, entry {k}", category="fact" if k % 5 else "message") for k in range(memories)
            )
            await memory.consolidate()
            await memory.policy.use(POLICY)


async def count_runs(address: str, names: Sequence[str]) -> dict[str, int]:
    """Return how often each scope was curated."""
    store = PgStore(address)
    await store.open()
    try:
        return {
            name: len(
                {one.cause.run for one in await store.history(name, after=0, limit=10_000, rows=False)
                 if one.cause.verb == "curate"}
            )
            for name in names
        }  # fmt: skip
    finally:
        await store.close()


def read_cpu_s(pid: int) -> float:
    """Return the CPU seconds of a process and of those of its children that have ended."""
    fields_ = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return sum(map(int, fields_[11:15])) / 100


def main() -> None:
    """Fill a server, let workers work, and print what it took."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scopes", type=int, default=200)
    parser.add_argument("--memories", type=int, default=100)
    parser.add_argument("--workers", type=int, default=4)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--kill-every", type=float, default=0.0)
    parser.add_argument("--seconds", type=float, default=3_600.0, help="at most")
    given = parser.parse_args()
    settings(**vars(given))
    server = Server()
    try:
        measure(server, given)
    finally:
        server.stop()


def measure(server: Server, given: argparse.Namespace) -> None:
    """Print the figures of one campaign."""
    names = name_scopes(given.scopes)
    filling = time.monotonic()
    asyncio.run(fill(server.address, names, given.memories))
    note(f"filled in {time.monotonic() - filling:.0f} s")
    server.run("ANALYZE")
    pid = server._server.get_pid()  # noqa: SLF001
    cpu, server_cpu = children_cpu_s(), read_cpu_s(pid)
    campaign = Campaign(server.address, given.workers, given.jobs, given.kill_every)
    with campaign.run():
        took = campaign.wait(given.scopes, given.seconds)
    time.sleep(1.0)  # until the server has counted the processes that served the workers
    figure("workers.seconds", took, "s", kills=campaign.kills)
    figure("workers.scopes_a_second", given.scopes / took, "1/s")
    figure("workers.cpu_s", children_cpu_s() - cpu, "s")
    figure("workers.server_cpu_s", read_cpu_s(pid) - server_cpu, "s")
    runs = asyncio.run(count_runs(server.address, names))
    figure("workers.forgotten", sum(count == 0 for count in runs.values()), "scopes")
    figure("workers.twice", sum(count > 1 for count in runs.values()), "scopes")
    with psycopg.connect(server.address) as connection:
        figure("workers.taken_over", connection.execute(_HELD).fetchall()[0][0], "scopes")
    figure("workers.takeover_s_max", campaign.takeover_s, "s", goal="≤ 10")


if __name__ == "__main__":
    main()
