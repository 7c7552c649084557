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
from benchmarks.postgres import GATHERED, SMALL, Place, measure_learn, measure_verbs, spending
from benchmarks.report import figure, settings
from remanence.core.model import COLUMNS
from remanence.core.snapshot import SnapshotRequest
from remanence.store.neo4j.neo_store import Neo4jStore
from tests.neo4j_server import Neo4jServer, find_missing

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
    parser.add_argument("--only", nargs="*", choices=["learn", "verbs", "gather"])
    given = parser.parse_args()
    only = given.only or ["learn", "verbs", "gather"]
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
