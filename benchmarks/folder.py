"""What a folder of tenants costs, and a move: `python -m benchmarks.folder [--tenants 300] [--memories 100]`.

CPU seconds: a survey of all scopes that reads every file, and one after nothing changed; an opening of a scope whose
file is closed with its first recall; a scope of so many memories moved from a file to the folder.
"""

import argparse
import asyncio
import os
import tempfile
from pathlib import Path
from statistics import median, quantiles

import remanence
from benchmarks.corpus import Maker
from benchmarks.report import figure, settings, spent
from remanence.core.model import Turn

OPENED = 100
MOVED = 10_000


def main() -> None:
    """Measure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tenants", type=int, default=300)
    parser.add_argument("--memories", type=int, default=100)
    parser.add_argument("--moved", type=int, default=MOVED)
    given = parser.parse_args()
    settings(tenants=given.tenants, memories=given.memories, moved=given.moved)
    asyncio.run(measure(given.tenants, given.memories, given.moved))


async def measure(tenants: int, memories: int, moved: int) -> None:
    """Make a folder, look at all of it, open some scopes and move one there."""
    maker = Maker()
    with tempfile.TemporaryDirectory() as place:
        folder = f"{place}/memories{os.sep}"
        with spent() as made:
            for number in range(tenants):
                async with remanence.open(folder, scope=f"tenant {number}") as memory:
                    await memory.learn(Turn(text) for text in maker.texts(memories, salt=number))
        figure("folder.make", made.cpu_s / tenants, "CPU s a tenant")
        sizes = [one.stat().st_size for one in Path(folder).glob("tenant*.db")]
        figure("folder.file", median(sizes) / 1024, "KB", memories=memories)
        await asyncio.sleep(2.5)  # of a file that was just written nothing is kept
        for turn in ("first", "again"):
            async with remanence.open(folder, scope="tenant 0") as memory:
                with spent() as surveyed:
                    await memory.scopes.list(limit=1)
            figure(f"folder.survey.{turn}", surveyed.cpu_s, "CPU s", scopes=tenants)
        opened: list[float] = []
        for number in range(min(OPENED, tenants)):
            with spent() as one:
                async with remanence.open(folder, scope=f"tenant {number}") as memory:
                    await memory.recall("where the boats lie", count_use=False)
            opened.append(one.cpu_s)
        figure("folder.open_and_recall.p50", median(opened) * 1e3, "CPU ms")
        figure("folder.open_and_recall.p95", quantiles(opened, n=20)[-1] * 1e3, "CPU ms")
        async with remanence.open(f"{place}/one.db", scope="large") as memory:
            await memory.learn(Turn(text) for text in maker.texts(moved))
        with spent() as move:
            copied = await remanence.move_scope("large", f"{place}/one.db", folder)
        figure("move", move.cpu_s, "CPU s", wall_s=round(move.wall_s, 2), memories=moved, rows=copied.rows)


if __name__ == "__main__":
    main()
