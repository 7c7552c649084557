"""A model for tests to which some words mean the same, in this process; texts in sessions of their own."""

from collections.abc import Sequence

import numpy as np

import remanence

SAME = {"vessel": "boat", "ship": "boat", "hound": "dog", "opener": "key"}
TEXTS = (
    "The boat lies in the harbour.",
    "A dog sleeps under the table.",
    "Mara keeps bees on the hill.",
    "The lamp needs oil in winter.",
)
QUESTION = "Which vessel?"

Rows = np.ndarray[tuple[int, ...], np.dtype[np.float32]]


class Meaning:
    """A model whose texts are near by the words that they share, or that mean the same to it.

    `asked` lists what it was given, `fails` is what it raises. Another `name` makes other vectors.
    """

    waits = True

    def __init__(self, name: str = "meaning-1", dimensions: int | None = 64) -> None:
        self.name, self.dimensions = name, dimensions
        self.asked: list[list[str]] = []
        self.fails: Exception | None = None
        self.gives = dimensions or 64

    def embed(self, texts: Sequence[str]) -> Rows:
        """Return a row per text."""
        self.asked.append([*texts])
        if self.fails is not None:
            raise self.fails
        return np.stack([self._row(text) for text in texts])

    def _row(self, text: str) -> Rows:
        row = np.zeros(self.gives, np.float32)
        for word in text.lower().strip("?. ").split():
            told = f"{self.name}{SAME.get(word, word)}"
            seed = sum(ord(sign) * 31**at for at, sign in enumerate(told)) % 2**32
            row += np.random.default_rng(seed).standard_normal(self.gives).astype(np.float32)
        return row


def by_model(done: remanence.types.ConsolidateResult) -> tuple[int, str]:
    """Return how many memories the model embedded, and why not all."""
    left = [why.removeprefix("vectors: ") for why in done.failed if why.startswith("vectors: ")]
    return done.steps.get("embedded by the model", 0), "".join(left)


async def learned(memory: remanence.Engine, texts: Sequence[str] = TEXTS) -> None:
    """Learn texts, each in a session of its own, so that no neighbour lends anything."""
    await memory.learn([{"text": text, "session": str(at)} for at, text in enumerate(texts)])
