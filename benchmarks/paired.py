"""CPU seconds that learning one text takes, here and in another environment, in pairs that run one after the other.

`python -m benchmarks.paired --beside OTHER/.venv/bin/python` prints the median of both and of their ratio: what else
the machine does meets both halves of a pair alike. Knows public verbs only.
"""

import argparse
import asyncio
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

import remanence

WORDS = "harbour lamp winter copper violet engine garden river signal paper stone bread market bridge train".split()
WARM = 50


def main() -> None:
    """Measure once, or in pairs beside another environment."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--beside", help="a Python of the other environment")
    parser.add_argument("--pairs", type=int, default=10)
    parser.add_argument("--n", type=int, default=500, help="texts that are learned in each run")
    parser.add_argument("--embedder", default="auto")
    given = parser.parse_args()
    once = [str(Path(__file__).resolve()), "--n", str(given.n), "--embedder", given.embedder]
    if given.beside is None:
        print(asyncio.run(microseconds(given.n, given.embedder)))
        return
    pairs = [(run(sys.executable, once), run(given.beside, once)) for _ in range(given.pairs)]
    here, there = (median(values) for values in zip(*pairs, strict=True))
    ratio = median(one / other for one, other in pairs)
    print(
        f"learn: {here:,.0f} µs here, {there:,.0f} µs there, ratio {ratio:.3f} (median of {len(pairs)} pairs)"
    )


def run(python: str, once: list[str]) -> float:
    """Measure in a process of its own."""
    done = subprocess.run([python, *once], check=True, capture_output=True, text=True)
    return float(done.stdout)


async def microseconds(n: int, embedder: str) -> float:
    """Learn some texts, then return the CPU microseconds that each of `n` more takes."""
    r = random.Random(5)
    with tempfile.TemporaryDirectory() as folder:
        async with remanence.open(f"{folder}/memory.db", embedder=embedder) as memory:
            began = 0.0
            for number in range(WARM + n):
                if number == WARM:
                    began = time.process_time()
                text = f"Number {number} says {' '.join(r.choices(WORDS, k=9))}"
                tags = ["a"] if number % 3 == 0 else []
                await memory.learn(text, tags=tags, source=f"s{number}", speaker="Mara", category="fact")
            return (time.process_time() - began) / n * 1e6


if __name__ == "__main__":
    main()
