"""What consolidating texts of one topic costs: `python -m benchmarks.settle [--n 5880] [--data FILE]`.

By the vectors that all engines of `benchmarks.peers` are given most made-up texts are alike: each is compared word
by word with those most like it. The second figure is of the own vectors. CPU seconds count all threads.
"""

import argparse
import asyncio
import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np

import remanence
from benchmarks.peers.notes import LARGE, read
from benchmarks.report import figure, settings, spent
from remanence.core.model import Turn
from remanence.llm.base import SimilarityThresholds, Vectors, WordWeight
from remanence.llm.local import StaticEmbedder


class Prepared:
    """An embedder that looks vectors up; how rare a word is moves none of them."""

    name = "prepared"
    thresholds = SimilarityThresholds(similar=0.5, near=0.85)

    def __init__(self, texts: Sequence[str]) -> None:
        self._vectors = dict(zip(texts, StaticEmbedder().embed(texts), strict=True))
        self.dimensions = len(self._vectors[texts[0]])

    def embed(self, texts: Sequence[str], weight: WordWeight | None = None) -> Vectors:  # noqa: ARG002
        """Return the rows of texts."""
        found = [self._vectors[text] for text in texts]
        return np.array(found, np.float32).reshape(len(texts), self.dimensions)


def main() -> None:
    """Consolidate texts with given vectors, then with the embedder's own."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--n", type=int, default=LARGE)
    parser.add_argument("--data", type=Path, help="the file of LoCoMo; without it texts are made up")
    given = parser.parse_args()
    data = read(given.data)
    texts = [text for _, text in data.large.items][: given.n]
    settings(data=data.name, n=len(texts))
    for vectors in ("given", "own"):
        asyncio.run(measure(texts, vectors))


async def measure(texts: Sequence[str], vectors: str) -> None:
    """Learn texts at once, then consolidate them all."""
    embedder = Prepared(texts) if vectors == "given" else "auto"
    with tempfile.TemporaryDirectory() as folder:
        async with remanence.open(Path(folder) / "settled.db", embedder=embedder) as memory:
            await memory.learn([Turn(text) for text in texts])
            with spent() as took:
                done = await memory.consolidate()
    found = {"near": done.near_duplicates, "similar": done.similar, "wall_s": round(took.wall_s, 3)}
    figure("settle.cpu_s", took.cpu_s, "s", n=len(texts), vectors=vectors, **found)


if __name__ == "__main__":
    main()
