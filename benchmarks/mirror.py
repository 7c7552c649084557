"""What a mirror costs: `python -m benchmarks.mirror [--memories 100000] [--folder FOLDER] [--changes 31] [--edits 15]`.

How many files a second are written into a new folder, of a disk and of memory where that is there; then, with all of
them in place, one change of one memory until its file is written, and a sync with nothing to do, which looks at all
files for edits, in the process that mirrors and in a new one. Then `remanence mirror watch` in a process of its own:
edits by hand until it tells of them, changes by another process until their files are written, and what it costs while
nothing happens. Wall time, medians and the longest, with the CPU time beside it.
"""

import argparse
import asyncio
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from statistics import median
from typing import Any

import remanence
from benchmarks.corpus import Maker
from benchmarks.report import children_cpu_s, figure, note, settings, spent
from remanence.flows.mirror.file_names import path_of
from remanence.flows.mirror.mirroring import Mirroring

SHARED = Path("/dev/shm")  # a folder in memory
BATCH = 10_000
ROOT = Path(__file__).parents[1]
IDLE_S = 20.0
POLL_S = 0.005


def main() -> None:
    """Measure all of it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--memories", type=int, default=100_000)
    parser.add_argument("--changes", type=int, default=31)
    parser.add_argument("--edits", type=int, default=15)
    parser.add_argument("--folder", type=Path, default=None)
    given = parser.parse_args()
    settings(memories=given.memories, changes=given.changes)
    with tempfile.TemporaryDirectory(dir=given.folder) as folder:
        asyncio.run(measured(Path(folder), given.memories, given.changes))
        asyncio.run(watched(Path(folder), given.edits))


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
        await memory.learn(
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
            async with mirroring.hold_folder():
                await mirroring.follow()
        wall.append(work.wall_s)
        cpu.append(work.cpu_s)
    figure(
        "mirror.change_ms", 1_000 * median(wall), "ms", cpu_ms=round(1_000 * median(cpu), 2), changes=changes
    )


async def watched(folder: Path, edits: int) -> None:
    """Print how soon `remanence mirror watch` tells of edits and writes changes, and what it costs at rest."""
    paths = list(islice(sorted((folder / "mirror" / "facts").rglob("*.md")), edits))
    with watching(folder) as told:
        found = []
        for number, path in enumerate(paths, start=1):
            time.sleep(0.37 * (number % 7))  # so that edits come at any moment between two looks
            begun = time.perf_counter()
            path.write_bytes(path.read_bytes().replace(b"\n\n", b"\n\nEdited: ", 1))
            while next(told)["waiting"] != number:
                pass
            found.append(time.perf_counter() - begun)
        figure("mirror.watch_edit_s", median(found), "s", longest=round(max(found), 3), edits=edits)
        async with remanence.open(folder / "memory.db", embedder="none") as memory:
            found = [await changed(memory, folder / "mirror", number) for number in range(edits)]
        figure("mirror.watch_change_s", median(found), "s", longest=round(max(found), 3), changes=edits)
    idle = {seconds: cpu_of_watching(folder, seconds) for seconds in (0.0, IDLE_S)}
    figure("mirror.watch_idle_percent", 100 * (idle[IDLE_S] - idle[0.0]) / IDLE_S, "% of a CPU")


def cpu_of_watching(folder: Path, seconds: float) -> float:
    """Return the CPU seconds of watching for so long while nothing happens."""
    before = children_cpu_s()
    with watching(folder):
        time.sleep(seconds)
    return children_cpu_s() - before


@contextmanager
def watching(folder: Path) -> Iterator[Iterator[Any]]:
    """Let the command watch a folder for a block; what it tells is yielded, but for what it tells first."""
    command = [sys.executable, "-c", "from remanence.faces.cli import main; main()", "mirror", "watch"]
    options = [str(folder / "mirror"), "--json", "--db", str(folder / "memory.db"), "--embedder", "none"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    with subprocess.Popen(
        [*command, *options], env=environment, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        told = documents(process.stdout)
        next(told)
        yield told
        process.send_signal(signal.SIGINT)


def documents(lines: Iterable[str]) -> Iterator[Any]:
    """Yield the JSON documents of lines, each of which ends with a bracket at the beginning of a line."""
    whole = ""
    for line in lines:
        whole += line
        if line.startswith("}"):
            yield json.loads(whole)
            whole = ""


async def changed(memory: remanence.Engine, mirror: Path, number: int) -> float:
    """Learn a text and return how long it took until its file was there."""
    await asyncio.sleep(0.37 * (number % 7))
    learned = await memory.learn(f"The watch has seen change number {number}.", category="fact")
    begun = time.perf_counter()
    path = mirror / path_of(await memory.get(learned.id))
    while not path.exists():
        await asyncio.sleep(POLL_S)
    return time.perf_counter() - begun


if __name__ == "__main__":
    main()
