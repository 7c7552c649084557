"""What a server costs beside a file: `python -m benchmarks.postgres [--n 10000] [--gather 100000] [--only …]`.

The same is done on a file of SQLite and on a PostgreSQL server that is started for it, on one machine. CPU seconds of
the client are those of this process, those of the server of all its processes. Each figure that the design names a goal
for has it beside it, and all have the load of the machine: the goals are meant for one where nothing else runs. Those
of a gather are for a million memories, and are shown in proportion.
"""

import argparse
import asyncio
import os
import tempfile
import time
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import psycopg

import remanence
from benchmarks.corpus import POLICY, Maker, exported
from benchmarks.report import Spent, figure, settings, spent
from remanence import Engine
from remanence.core.model import COLUMNS
from remanence.core.snapshot import SnapshotRequest
from remanence.store.postgres.pg_store import PgStore
from tests.postgres import MISSING, Server

CALLERS = 8
LEARNED = 400  # by each caller
QUERIES, WORDS = 100, 5
GATHERED = 20  # columns
MILLION = 1_000_000
SMALL = 1_000  # memories of a scope among many
_KINDS = {"enum", "name", "int", "flag", "time", "fraction"}


@dataclass(frozen=True)
class Place:
    """Where memories are kept: a file, or a server with the process that started all others of it."""

    name: str
    address: str
    process: int = 0

    def server_cpu_s(self) -> float:
        """Return the CPU seconds of all processes of the server until now, 0 for a file."""
        return sum(_cpu_s(line, self.process) for line in _read_processes()) if self.process else 0.0


@dataclass
class Costs(Spent):
    """What a piece of work took, also on the server."""

    server_s: float = 0.0


def main() -> None:
    """Measure both and print how they compare."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--n", type=int, default=10_000)
    parser.add_argument("--gather", type=int, default=100_000)
    parser.add_argument("--only", nargs="*", choices=["learn", "verbs", "gather"])
    given = parser.parse_args()
    only = given.only or ["learn", "verbs", "gather"]
    if MISSING:
        raise SystemExit(MISSING)
    settings(n=given.n, gather=given.gather, load=os.getloadavg()[0], cores=os.cpu_count())
    server = Server()
    try:
        with tempfile.TemporaryDirectory() as folder:
            places = [
                Place("sqlite", str(Path(folder) / "memory.db")),
                Place("postgres", server.address, server.process),
            ]
            if "learn" in only:
                for place in places:
                    asyncio.run(measure_learn(place))
            if "verbs" in only:
                asyncio.run(measure_verbs(places, given.n))
            if "gather" in only:
                asyncio.run(measure_gather(places[1], given.gather))
    finally:
        server.stop()


async def measure_learn(place: Place) -> None:
    """Learn one text at a time, from one caller and from 8 on 8 scopes."""
    texts = list(Maker().texts((CALLERS + 1) * LEARNED, salt=31))
    for callers, goal in ((1, 300), (CALLERS, 1_000)):
        async with _engines(place, callers) as memories:
            for memory in memories:
                await _learn(memory, ["The piano stands in the orchard."] * 3)
            with spending(place) as took:
                await asyncio.gather(
                    *(
                        _learn(memory, texts[k * LEARNED : (k + 1) * LEARNED])
                        for k, memory in enumerate(memories, callers > 1)
                    )
                )
        _tell(f"learn.{callers}", place, callers * LEARNED / took.wall_s, "1/s", goal=f"≥ {goal}")
        for name, seconds in (("client", took.cpu_s), ("server", took.server_s)):
            _tell(f"learn.{callers}.{name}_ms", place, seconds * 1_000 / (callers * LEARNED), "ms")


async def measure_verbs(places: Sequence[Place], n: int) -> None:
    """Import, ask and curate in both; the second is told in proportion to the first."""
    told: dict[str, list[float]] = {}
    for place in places:
        for name, value in [one async for one in _measure_verbs(place, n)]:
            told.setdefault(name, []).append(value)
    file, server = told["recall.p95_ms"]
    kind = places[1].name
    figure(f"{kind}.recall.p95_over_sqlite_ms", server - file, "ms", goal="≤ 5", n=n, **_load())
    for name in ("import.cpu_s", "curate.cpu_s", "undo.cpu_s"):
        file, server = told[name]
        goal = {"goal": "≤ 3"} if name == "curate.cpu_s" else {}
        figure(f"{kind}.{name}.over_sqlite", server / file, "", n=n, **goal, **_load())


async def _measure_verbs(place: Place, n: int) -> AsyncIterator[tuple[str, float]]:
    async with remanence.open(place.address, scope="verbs") as memory:
        lines = [*exported(n, time.time_ns() // 1_000, memory.embedder.name, salt=3)]
        with spending(place) as took:
            await memory.import_(lines, name="made")
        yield _tell_cpu("import", place, took)
        questions = [" ".join(text.split()[:WORDS]) for text in Maker().texts(2 * QUERIES, salt=4)]
        waits = []
        for question in questions:
            begun = time.perf_counter()
            await memory.recall(question)
            waits.append((time.perf_counter() - begun) * 1_000)
        p95 = float(np.percentile(waits[QUERIES:], 95))
        yield _tell("recall.p95_ms", place, p95, "ms", n=n)
        with spending(place) as took:
            receipt = await memory.curate(POLICY)
        yield _tell_cpu("curate", place, took, **receipt.counts)
        with spending(place) as took:
            await memory.undo(receipt)
        yield _tell_cpu("undo", place, took)


async def measure_gather(place: Place, n: int) -> None:
    """Read columns of many memories, and of a scope of a thousand among them."""
    store = PgStore(place.address)
    await store.open()
    async with remanence.open(place.address, scope="seed", embedder="none") as memory:
        await memory.learn("The piano stands in the orchard.")
    for scope, count in (("many", n), ("small", SMALL)):
        _multiply(place.address, scope, count)
    with psycopg.connect(place.address, autocommit=True) as connection:
        connection.execute("VACUUM ANALYZE states")
    names = [column.name for column in COLUMNS if column.kind in _KINDS and column.home == "states"]
    wanted = SnapshotRequest(frozenset(names[:GATHERED]))
    await store.snapshot("many", wanted, 0)
    with spending(place) as took:
        assert len((await store.snapshot("many", wanted, 0)).seq) == n
    for name, seconds, goal in (("client", took.cpu_s, 0.5), ("server", took.server_s, 2.5)):
        _tell(f"gather.{name}_s_per_million", place, seconds * MILLION / n, "s", goal=f"≤ {goal}", n=n)
    waits = []
    for _ in range(30):
        begun = time.perf_counter()
        assert len((await store.snapshot("small", wanted, 0)).seq) == SMALL
        waits.append((time.perf_counter() - begun) * 1_000)
    _tell("gather.small_scope_ms", place, float(np.median(waits)), "ms", goal="≤ 5", n=n, of=SMALL)
    await store.close()


def _multiply(address: str, scope: str, count: int) -> None:
    """Put so many rows into the states of a scope of its own: a gather reads nothing else."""
    names = [column.name for column in COLUMNS if column.home == "states"]
    listed = ", ".join(names)
    with psycopg.connect(address) as connection:
        connection.execute("SET session_replication_role = replica")  # no reference is looked at
        row = connection.execute(
            "INSERT INTO scope_names (name) VALUES (%s) RETURNING scope", (scope,)
        ).fetchone()
        assert row is not None
        connection.execute(
            "INSERT INTO scopes (scope, position, latest, held, memories, newest_at, names_gone, digest, before)"
            " SELECT %s, 1, %s, %s, %s, newest_at, 0, digest, before FROM scopes LIMIT 1",
            (row[0], count, count, count),
        )
        connection.execute(
            f"INSERT INTO states (scope, seq, {listed}) SELECT %s, g, {listed}"
            " FROM (SELECT * FROM states ORDER BY scope, seq LIMIT 1) s, generate_series(1, %s) g",
            (row[0], count),
        )
        connection.execute(
            "INSERT INTO names (scope, no, space, name) SELECT %s, no, space, name FROM names n"
            " WHERE n.scope = (SELECT min(scope) FROM states)",
            (row[0],),
        )


async def _learn(memory: Engine, texts: Sequence[str]) -> None:
    for text in texts:
        await memory.learn(text)


@asynccontextmanager
async def _engines(place: Place, count: int) -> AsyncIterator[list[Engine]]:
    memories = [await remanence.open(place.address, scope=f"learn {count} {k}") for k in range(count)]
    try:
        yield memories
    finally:
        for memory in memories:
            await memory.close()


@contextmanager
def spending(place: Place) -> Iterator[Costs]:
    """Measure a piece of work, and what the server has to do for it."""
    costs, before = Costs(), place.server_cpu_s()
    with spent() as took:
        yield costs
    costs.cpu_s, costs.wall_s, costs.server_s = took.cpu_s, took.wall_s, place.server_cpu_s() - before


def _tell(name: str, place: Place, value: float, unit: str, **more: Any) -> tuple[str, float]:
    figure(f"{place.name}.{name}", value, unit, **more, **_load())
    return name, value


def _tell_cpu(name: str, place: Place, took: Costs, **more: Any) -> tuple[str, float]:
    parts = {"client_s": round(took.cpu_s, 2), "server_s": round(took.server_s, 2)}
    return _tell(f"{name}.cpu_s", place, took.cpu_s + took.server_s, "s", **parts, **more)


def _load() -> dict[str, float]:
    return {"load": round(os.getloadavg()[0], 1)}


def _read_processes() -> Iterator[tuple[int, list[str]]]:
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                yield int(folder.name), (folder / "stat").read_text().rpartition(")")[2].split()
            except OSError:  # it has ended meanwhile
                continue


def _cpu_s(line: tuple[int, list[str]], parent: int) -> float:
    """Return what a process took where it is this one, with its children that have ended, or a child of it."""
    number, fields = line
    times = slice(11, 15) if number == parent else slice(11, 13 if int(fields[1]) == parent else 11)
    return sum(map(int, fields[times])) / os.sysconf("SC_CLK_TCK")


if __name__ == "__main__":
    main()
