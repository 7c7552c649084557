"""What it takes to copy a scope, to drop one and to take that back: `python -m benchmarks.scopes [--memories N]`.

Each step is a process of its own, so that its peak of memory is its own; beside the copy stands an export that is
imported into another scope. `grew_mb` is how far the peak is above what the process held before the step.
"""

import argparse
import asyncio
import random
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import remanence
from benchmarks.report import figure, rss_mb, rss_peak_mb, settings, spent

SEED = 17
BATCH = 10_000
WORDS = [
    f"{first}{second}" for first in ("bo", "ti", "ma", "re", "lu") for second in ("rel", "nak", "sto", "vim")
]
STEPS = ("copy", "export and import", "show drop", "drop", "undo")


def main() -> None:
    """Fill a file, then measure each step on it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--memories", type=int, default=20_000)
    parser.add_argument("--step", choices=STEPS, help=argparse.SUPPRESS)
    parser.add_argument("--file", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.step is not None:
        asyncio.run(_measure(given.file, given.step))
        return
    settings(memories=given.memories)
    with TemporaryDirectory() as folder:
        path = Path(folder) / "memory.db"
        asyncio.run(_fill(path, given.memories))
        for step in STEPS:
            words = [sys.executable, "-m", "benchmarks.scopes", "--step", step, "--file", str(path)]
            subprocess.run(words, check=True)


async def _fill(path: Path, memories: int) -> None:
    chance = random.Random(SEED)
    async with remanence.open(path, scope="work", embedder="hashed") as memory:
        for start in range(0, memories, BATCH):
            numbers = range(start, min(memories, start + BATCH))
            await memory.learn([f"{' '.join(chance.choices(WORDS, k=24))} {one}" for one in numbers])


async def _measure(path: Path, step: str) -> None:
    async with remanence.open(path, scope="work", embedder="hashed") as memory:
        shown = await memory.scopes.drop() if step == "drop" else None
        before = rss_mb()
        with spent() as took:
            match step:
                case "copy":
                    await memory.scopes.copy("copied")
                case "export and import":
                    await _import(path, [line async for line in memory.export()])
                case "show drop":
                    await memory.scopes.drop()
                case "drop" if shown is not None:
                    await memory.scopes.drop(shown)
                case _:
                    await memory.undo("last")
        grew = round(rss_peak_mb() - before, 1)
        figure(f"scopes.{step}", took.cpu_s, "CPU seconds", wall_s=round(took.wall_s, 2), grew_mb=grew)


async def _import(path: Path, lines: list[bytes]) -> None:
    async with remanence.open(path, scope="imported", embedder="hashed") as memory:
        await memory.import_(lines, trust="user")


if __name__ == "__main__":
    main()
