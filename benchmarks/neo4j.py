"""What a graph costs beside a file: `python -m benchmarks.neo4j [--n 10000] [--gather 100000] [--only …]`.

The same is done on a file of SQLite and on a Neo4j server that is started for it, on one machine. CPU seconds of the
client are those of this process, those of the server of its one process, in which its compiler works, too.
"""

import argparse
import asyncio
import os
import tempfile
import time
from pathlib import Path

import numpy as np

import remanence
from benchmarks.corpus import POLICY
from benchmarks.postgres import GATHERED, SMALL, Place, measure_learn, measure_verbs, spending
from benchmarks.report import figure, settings
from remanence.core.clock import DAY
from remanence.core.model import COLUMNS, Status
from remanence.core.snapshot import SnapshotRequest
from remanence.store.base import Find
from remanence.store.neo4j.neo_store import Neo4jStore
from remanence_store_kit.builders import create_change, keep, update_change
from tests.neo4j_server import Neo4jServer, find_missing

PARTS = ("learn", "verbs", "gather", "updates", "curate")
_KINDS = {"enum", "name", "int", "flag", "time", "fraction"}
_AT_ONCE = 10_000
_MANY = """
MATCH (one:Memory {scope: 'seed'}) WITH properties(one) AS made LIMIT 1
UNWIND $rows AS row
WITH made {.*, scope: $scope, seq: row[0], id: $scope + row[0], row: row[1]} AS one
CREATE (m:Memory) SET m = one
"""
_SCOPE = """
MATCH (s:Scope {name: 'seed'})
WITH s {.*, name: $scope, latest_seq: $count, memories: $count} AS one
CREATE (t:Scope) SET t = one
CREATE (:Gate {scope: $scope, writes: 1, lock: 1})
"""


def main() -> None:
    """Measure both and print how they compare."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--n", type=int, default=10_000)
    parser.add_argument("--gather", type=int, default=100_000)
    parser.add_argument("--curate", type=int, default=100_000)
    parser.add_argument("--only", nargs="*", choices=PARTS)
    given = parser.parse_args()
    only = given.only or PARTS
    if missing := find_missing():
        raise SystemExit(missing)
    settings(n=given.n, gather=given.gather, load=os.getloadavg()[0], cores=os.cpu_count())
    server = Neo4jServer()
    try:
        with tempfile.TemporaryDirectory() as folder:
            places = [
                Place("sqlite", str(Path(folder) / "memory.db")),
                Place("neo4j", server.address, server.process),
            ]
            if "learn" in only:
                for place in places:
                    asyncio.run(measure_learn(place))
            if "verbs" in only:
                asyncio.run(measure_verbs(places, given.n))
            if "gather" in only:
                asyncio.run(measure_gather(server, places[1], given.gather))
            if "updates" in only:
                asyncio.run(measure_updates(places[1], given.n))
            if "curate" in only:
                asyncio.run(measure_curation(places[1], given.curate))
    finally:
        server.stop()


async def measure_gather(server: Neo4jServer, place: Place, n: int) -> None:
    """Read columns of many memories, and of a scope of a thousand among them."""
    async with remanence.open(place.address, scope="seed", embedder="none") as memory:
        await memory.learn("The piano stands in the orchard.")
    for scope, count in (("many", n), ("small", SMALL)):
        _multiply(server, scope, count)
    names = [column.name for column in COLUMNS if column.kind in _KINDS and column.home == "states"]
    wanted = SnapshotRequest(frozenset(names[:GATHERED]))
    store = Neo4jStore(place.address)
    await store.open()
    for scope, count, times in (("many", n, 10), ("small", SMALL, 30)):
        for _ in range(10):  # the server compiles what it does often
            assert len((await store.snapshot(scope, wanted, 0)).seq) == count
        waits = []
        with spending(place) as took:
            for _ in range(times):
                begun = time.perf_counter()
                await store.snapshot(scope, wanted, 0)
                waits.append(time.perf_counter() - begun)
        for name, value in (
            ("client_s", took.cpu_s / times),
            ("server_s", took.server_s / times),
            ("wall_s", float(np.median(waits))),
        ):
            figure(f"neo4j.gather.{scope}.{name}", value, "s", n=count, load=round(os.getloadavg()[0], 1))
    await store.close()


async def measure_updates(place: Place, n: int) -> None:
    """Commit so many updates, each of which names the revision that it expects."""
    store = Neo4jStore(place.address)
    await store.open()
    await keep(
        store, *(create_change(k, f"Boat {k} lies in the shed.") for k in range(1, n + 1)), scope="updates"
    )
    server_s: list[float] = []
    for importance in (0.5, 0.75, 0.9):  # at last as a server that has run for a while
        found = await store.find("updates", Find(limit=n))
        changes = [update_change(one, importance=importance) for one in found]
        with spending(place) as took:
            await keep(store, *changes, scope="updates", verb="update", planned=True)
        server_s.append(round(took.server_s, 2))
    await store.close()
    figure("neo4j.updates.server_s", server_s[-1], "s", goal="≤ 1.5", n=n, before=server_s[:-1])


async def measure_curation(place: Place, n: int) -> None:
    """Curate so many memories."""
    store = Neo4jStore(place.address)
    await store.open()
    now = time.time_ns() // 1_000
    ages = (400, 40, *(8 * (10,)))  # days: a tenth is archived, a tenth moved
    for begin in range(0, n, _AT_ONCE):
        rows = []
        for k in range(1, min(_AT_ONCE, n - begin) + 1):
            learned_at = now - ages[k % len(ages)] * DAY
            text = f"Boat {begin + k} lies in the shed."
            rows.append(
                create_change(k, text, status=Status.ACTIVE, learned_at=learned_at, said_at=learned_at)
            )
        await keep(store, *rows, scope="curate")
    await store.close()
    async with remanence.open(place.address, scope="curate", embedder="none") as memory:
        with spending(place) as took:
            receipt = await memory.curate(POLICY)
    figure(
        "neo4j.curate.wall_s", took.wall_s, "s", goal="≤ 60", n=n, **receipt.counts,
        client_s=round(took.cpu_s, 2), server_s=round(took.server_s, 2), load=round(os.getloadavg()[0], 1),
    )  # fmt: skip


def _multiply(server: Neo4jServer, scope: str, count: int) -> None:
    """Put so many memories into a scope of its own: the nodes and packed rows that a gather reads."""
    (found,) = server.run("MATCH (m:Memory {scope: 'seed'}) RETURN m.row AS row LIMIT 1")
    row = found["row"]
    assert isinstance(row, bytes)
    for first in range(1, count + 1, _AT_ONCE):
        some = range(first, min(first + _AT_ONCE, count + 1))
        server.run(_MANY, scope=scope, rows=[[k, k.to_bytes(8, "little") + row[8:]] for k in some])
    server.run(_SCOPE, scope=scope, count=count)


if __name__ == "__main__":
    main()
