"""What the engine asks of an embedder. Knows no model."""

from collections.abc import Callable, Sequence
from typing import Protocol

import numpy as np
import numpy.typing as npt

from remanence.twins import Bands

Vectors = npt.NDArray[np.float32]
WordWeight = Callable[[str], float]

__all__ = ["Bands", "Embedder", "Vectors", "WordWeight", "unit_rows"]


def unit_rows(rows: Vectors) -> Vectors:
    """Scale each row to length 1, in place; zero rows stay zero."""
    norms: Vectors = np.linalg.norm(rows, axis=1, keepdims=True)
    np.divide(rows, norms, out=rows, where=norms > 0)
    return rows


class Embedder(Protocol):
    """Texts in, unit vectors out; the same text always gives the same vector."""

    @property
    def name(self) -> str:
        """The model's name, stored with its vectors; another name means other vectors."""
        ...

    @property
    def dimensions(self) -> int:
        """The length of a vector; 0 for an embedder that makes none."""
        ...

    @property
    def bands(self) -> Bands:
        """From which cosines texts are similar or near."""
        ...

    def embed(self, texts: Sequence[str], weight: WordWeight | None = None) -> Vectors:
        """Return one unit row per text, zeros where a text has nothing to embed.

        `weight` says what the stem of a word weighs, usually how rare it is; an embedder may ignore it.
        """
        ...
