"""What a copy of a scope from store to store costs: `python -m benchmarks.transfer [--n 10000] [--graph]`.

A file of so many memories, linked in a row, is copied into a folder, and with `--graph` into a Neo4j server that is
started for it and from there into a file; the last copy is moved back into a new file. CPU seconds of the client are
those of this process, those of the server of its one process.
"""

import argparse
import asyncio
import os
import tempfile
from contextlib import ExitStack
from itertools import pairwise
from pathlib import Path

import remanence
from benchmarks.report import figure, settings, spent
from remanence.core.clock import ManualClock
from tests.neo4j_server import Neo4jServer

AT_ONCE = 1_000
MOVE_S_MAX = 10  # wall seconds of the issue, for 10,000 memories


async def fill(path: Path, count: int) -> None:
    """Learn so many memories, and link each thousandth part of them in a row."""
    async with remanence.open(path, embedder="hashed", clock=ManualClock(0)) as memory:
        for begin in range(0, count, AT_ONCE):
            numbers = range(begin, begin + AT_ONCE)
            texts = [{"text": f"House {n} of street {n % 97} has {n % 11} windows."} for n in numbers]
            learned = await memory.learn(texts)
            for one, other in pairwise(learned[:101]):
                await memory.link(one, other, "supports")


def read_cpu(server: Neo4jServer | None) -> float:
    """Return the CPU seconds of a server, 0 for none."""
    if server is None:
        return 0.0
    fields = Path(f"/proc/{server.process}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


async def main() -> None:
    """Copy, move and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--n", type=int, default=10_000)
    parser.add_argument("--graph", action="store_true")
    given = parser.parse_args()
    settings(n=given.n, load=os.getloadavg()[0])
    with ExitStack() as opened:
        folder = Path(opened.enter_context(tempfile.TemporaryDirectory()))
        places: list[tuple[str, str]] = [
            ("file", str(folder / "a.db")),
            ("folder", f"{folder / 'all'}{os.sep}"),
        ]
        server = Neo4jServer() if given.graph else None
        if server is not None:
            opened.callback(server.stop)
            places += [("graph", server.address), ("file again", str(folder / "b.db"))]
        await fill(folder / "a.db", given.n)
        digests = set()
        for (_, source), (name, target) in pairwise(places):
            before = read_cpu(server)
            with spent() as took:
                (copied,) = await remanence.copy_scopes(source, target)
            digests.add(copied.digest)
            figure(
                f"transfer.copy to {name}", took.cpu_s, "s", wall_s=round(took.wall_s, 2), rows=copied.rows,
                server_cpu_s=round(read_cpu(server) - before, 2),
            )  # fmt: skip
        with spent() as took:
            moved = await remanence.move_scope("default", places[-1][1], folder / "moved.db")
        figure(
            "transfer.move_s",
            took.wall_s,
            "s",
            goal=MOVE_S_MAX,
            met=took.wall_s <= MOVE_S_MAX,
            cpu_s=took.cpu_s,
        )
        figure("transfer.digests", len(digests | {moved.digest}), "", goal=1)


if __name__ == "__main__":
    asyncio.run(main())
