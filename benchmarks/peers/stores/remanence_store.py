"""Ours as it is by default, but for the embedder: `words`, `given` (the vectors that the others get) or `own`."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from driver import DEPTH, Item, Prepared, main

import remanence.sync
from remanence.llm.base import SimilarityThresholds, Vectors, WordWeight

EMBEDDERS = {"words": "none", "own": "auto"}


class Looked:
    """An embedder that looks vectors up; how rare a word is moves none of them."""

    name = "prepared"
    thresholds = SimilarityThresholds(similar=0.5, near=0.85)

    def __init__(self, vectors: Prepared) -> None:
        self._vectors = vectors
        self.dimensions = vectors.dimensions

    def embed(self, texts: Sequence[str], weight: WordWeight | None = None) -> Vectors:  # noqa: ARG002
        """Return the rows of texts."""
        return np.array(self._vectors(texts), np.float32).reshape(len(texts), -1)


class Store:
    """One file, through the plain face of the engine; the id of a text is its source."""

    def __init__(self, folder: Path, vectors: Prepared) -> None:
        kind = sys.argv[4]
        embedder: Any = Looked(vectors) if kind == "given" else EMBEDDERS[kind]
        self._memory: Any = remanence.sync.open(folder / "remanence.db", embedder=embedder)

    def add(self, name: str, text: str) -> None:
        """Learn one text."""
        self._memory.learn(text, source=name)

    def add_many(self, items: Sequence[Item]) -> None:
        """Learn all, a thousand a transaction."""
        self._memory.learn([{"text": text, "source": name} for name, text in items])

    def settle(self) -> None:
        """Consolidate: draw links and take the inbox up; recall finds what is in the inbox, too."""
        self._memory.consolidate()

    def search(self, question: str) -> list[str]:
        """Return the sources of the best."""
        answer = self._memory.recall(question, limit=DEPTH, count_use=False)
        return [source for hit in answer.memories for source in hit.memory.sources]

    def close(self) -> None:
        """Close the file."""
        self._memory.close()


if __name__ == "__main__":
    main(Store)
