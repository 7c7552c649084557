"""What a mirror costs: `python -m benchmarks.mirror [--memories 100000] [--folder FOLDER] [--changes 31]`.

How many files a second are written into a new folder, of a disk and of memory where that is there; then, with all of
them in place, one change of one memory until its file is written, a look at all files for edits, and a sync with
nothing to do, in the process that mirrors and in a new one. Wall time, medians, with the CPU time beside it.
"""

import argparse
import asyncio
import tempfile
from pathlib import Path
from statistics import median

import remanence
from benchmarks.corpus import Maker
from benchmarks.report import figure, note, settings, spent
from remanence.flows.mirror.mirroring import Mirroring

SHARED = Path("/dev/shm")  # a folder in memory
BATCH = 10_000


def main() -> None:
    """Measure all of it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--memories", type=int, default=100_000)
    parser.add_argument("--changes", type=int, default=31)
    parser.add_argument("--folder", type=Path, default=None)
    given = parser.parse_args()
    settings(memories=given.memories, changes=given.changes)
    with tempfile.TemporaryDirectory(dir=given.folder) as folder:
        asyncio.run(measured(Path(folder), given.memories, given.changes))


async def measured(folder: Path, memories: int, changes: int) -> None:
    """Print every figure of a memory of so many."""
    async with remanence.open(folder / "memory.db", embedder="none") as memory:
        await filled(memory, memories)
        if SHARED.is_dir():
            with tempfile.TemporaryDirectory(dir=SHARED) as shared:
                await first(memory, Path(shared) / "mirror", "memory")
        await first(memory, folder / "mirror", "disk")
        await one_change(memory, folder / "mirror", changes)
    for name in ("same", "new"):
        async with remanence.open(folder / "memory.db", embedder="none") as memory:
            if name == "same":
                await memory.mirror.sync(folder / "mirror")
            with spent() as work:
                await memory.mirror.sync(folder / "mirror")
            figure(f"mirror.nothing_{name}_ms", 1_000 * work.wall_s, "ms", cpu_ms=round(1_000 * work.cpu_s))


async def filled(memory: remanence.Engine, memories: int) -> None:
    """Learn so many distinct texts."""
    maker = Maker()
    for begin in range(0, memories, BATCH):
        texts = maker.texts(min(BATCH, memories - begin))
        await memory.learn_many(
            remanence.Turn(f"{text} ({begin + at})", category="fact", speaker="Ana", tags=("boat", "harbour"))
            for at, text in enumerate(texts)
        )
        note(f"{begin + BATCH:,} memories")


async def first(memory: remanence.Engine, folder: Path, where: str) -> None:
    """Print how many files a second a new mirror writes."""
    with spent() as work:
        done = await memory.mirror.sync(folder)
    figure(
        f"mirror.files_{where}",
        done.written / work.wall_s,
        "files/s",
        files=done.written,
        cpu_us=round(1_000_000 * work.cpu_s / done.written),
    )


async def one_change(memory: remanence.Engine, folder: Path, changes: int) -> None:
    """Print how long one change takes until its file is written, as `watch` does it."""
    wall, cpu = [], []
    mirroring = Mirroring(memory._core, folder)  # noqa: SLF001 - what `watch` does after each look at the feed
    for number in range(changes):
        await memory.update(number + 1, importance=round(0.1 + number / 1_000, 3))
        with spent() as work:
            async with mirroring.opened():
                await mirroring.follow()
        wall.append(work.wall_s)
        cpu.append(work.cpu_s)
    figure(
        "mirror.change_ms", 1_000 * median(wall), "ms", cpu_ms=round(1_000 * median(cpu), 2), changes=changes
    )


if __name__ == "__main__":
    main()
