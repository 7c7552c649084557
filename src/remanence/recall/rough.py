"""The vectors of a large scope as whole numbers of 8 bits, and how far what they say may be from the truth.

They take half the room of 16 bits. What they say of a question is used to find the few rows whose true vectors tell the
ranking; those are read where they are stored. Knows arrays, no store (decision 141).
"""

from typing import Any, Self

import numpy as np
import numpy.typing as npt

from remanence.recall.corpus import Floats, Windows, spread
from remanence.recall.quantized import (
    ChosenVectors,
    Halves,
    QuantizedVectors,
    Rows,
    multiply_rows,
    split_rows,
)
from remanence.recall.semantic import Cosines, sum_windows

_MOST = 127
# What rounding in single precision may add to a sum of products of unit vectors: 256 times 2**-24, and as much again.
_ROUNDING = 3e-5


class RoughVectors:
    """Vectors by row, each number rounded to a step of its row; a row of zeros is none.

    `misses` are the lengths of what rounding has left out of each row.
    """

    def __init__(self, numbers: npt.NDArray[np.int8], steps: Floats, misses: Floats) -> None:
        self.numbers, self.steps, self.misses = numbers, steps, misses

    @classmethod
    def make_empty(cls, rows: int, dimensions: int) -> Self:
        """Make room for so many vectors, of which none is there."""
        numbers = np.zeros((rows, dimensions), np.int8)
        return cls(numbers, np.zeros(rows, np.float32), np.zeros(rows, np.float32))

    @classmethod
    def round_vectors(cls, vectors: QuantizedVectors) -> Self:
        """Round all vectors."""
        rough = cls.make_empty(*vectors.shape)
        for some in split_rows(*vectors.shape):
            rough.round_into(some, vectors[some])
        return rough

    def __len__(self) -> int:
        return len(self.numbers)

    def put(self, rows: Rows, vectors: Halves) -> None:
        """Put vectors into some rows."""
        self.round_into(rows, QuantizedVectors.quantize(vectors)[:])

    def clear(self, rows: Any) -> None:
        """Take the vectors of some rows away."""
        self.numbers[rows], self.steps[rows], self.misses[rows] = 0, 0, 0

    def select(self, rows: Any) -> Self:
        """Return some rows alone; of a slice they are the same memory."""
        return type(self)(self.numbers[rows], self.steps[rows], self.misses[rows])

    def resize(self, room: int) -> Self:
        """Return them with room for so many."""
        wider = self.make_empty(room, self.numbers.shape[1])
        for old, new in zip(self.arrays, wider.arrays, strict=True):
            new[: len(self)] = old
        return wider

    @property
    def arrays(self) -> tuple[npt.NDArray[Any], ...]:
        """What they are made of."""
        return self.numbers, self.steps, self.misses

    def multiply(self, query: Floats) -> Floats:
        """Return the product of each row with a vector of single precision."""
        return multiply_rows(self.numbers, query) * self.steps

    def round_into(self, rows: Any, vectors: Floats) -> None:
        """Round vectors of single precision into some rows."""
        steps = np.abs(vectors).max(axis=1, initial=0) / np.float32(_MOST)
        numbers = np.rint(vectors / np.where(steps > 0, steps, np.float32(1))[:, None])
        left = vectors - numbers * steps[:, None]
        self.numbers[rows], self.steps[rows] = numbers.astype(np.int8), steps
        self.misses[rows] = np.sqrt(np.einsum("ij,ij->i", left, left))


def measure_slack(windows: Windows, misses: Floats, lengths: Floats) -> float:
    """Return how far the rough cosine of any window with a unit vector can be from the true one."""
    by_slot = misses if windows.order is None else misses[windows.order]
    most = windows.to_rows(by_slot + spread(by_slot * windows.lends, windows.share))
    return float((most / np.where(lengths > 0, lengths, np.float32(1))).max(initial=0)) + _ROUNDING


def compare_roughly(
    windows: Windows, rough: RoughVectors, lengths: Floats, query: Floats, slack: float
) -> Cosines:
    """Return the cosine of each row's window with a question, each at most `slack` from the true one."""
    unit = (query / np.float32(np.linalg.norm(query))).astype(np.float32, copy=False)
    return Cosines(sum_windows(windows, rough.multiply(unit), lengths), slack)


def compare_rows(
    windows: Windows, chosen: ChosenVectors, lengths: Floats, query: Floats, rows: Rows
) -> Floats:
    """Return the true cosines of some rows' windows with a question; `chosen` holds all that stands in these.

    They are summed in the order in which `compare_windows` sums them, and are the same to the last bit.
    """
    unit = (query / np.float32(np.linalg.norm(query))).astype(np.float32, copy=False)
    near = chosen.rows if windows.slot is None else windows.slot[chosen.rows]
    order = np.argsort(near)
    near, products = near[order], chosen.vectors.multiply(unit)[order]
    slots = rows if windows.slot is None else windows.slot[rows]
    lent, last = products * windows.lends[near], len(windows.length) - 1
    own = products[np.searchsorted(near, slots)]
    sums = np.zeros(len(rows), np.float32)
    for k, share in enumerate(windows.share, 1):
        for other, first in ((slots + k, slots), (slots - k, slots - k)):
            here = np.flatnonzero((other >= 0) & (other <= last))
            weights = share[first[here]]
            here, weights = here[weights > 0], weights[weights > 0]
            sums[here] += weights * lent[np.searchsorted(near, other[here])]
    cosines: Floats = own + sums
    cosines /= np.where(lengths[rows] > 0, lengths[rows], np.float32(1))
    return cosines
