"""The vectors of a scope as whole numbers of 16 bits, each row with a step of its own. Knows no windows and no store.

They take the room of the stored half precision and are read four times as fast: what a question is compared with must
be single precision, and from halves that takes longer than the comparison. A row's step is a power of two, the least
in which its largest number fits: all of its numbers down to an eighth of that are what is stored, smaller ones differ
by half a step at most (decision 108).
"""

from collections.abc import Iterator
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from remanence.recall.corpus import Bools, Floats

Halves = npt.NDArray[np.float16]
Rows = npt.NDArray[np.intp]

_BITS = 15  # beside the sign
# So many numbers are converted at once, 2 MB: a quarter of that takes 1.7 times as long, for no reason that numpy tells
# (1M × 256: 70 and 41 ms; twice as many 37, but rounding them to 8 bits then takes three times as long).
_NUMBERS_AT_ONCE = 1 << 19


class QuantizedVectors:
    """Vectors by row; what they are read as are single precision copies. A row of zeros is none."""

    def __init__(self, numbers: npt.NDArray[np.int16], steps: Floats) -> None:
        self.numbers, self.steps = numbers, steps

    @classmethod
    def make_empty(cls, rows: int, dimensions: int) -> Self:
        """Make room for so many vectors, of which none is there."""
        return cls(np.zeros((rows, dimensions), np.int16), np.zeros(rows, np.float32))

    @classmethod
    def quantize(cls, vectors: Halves, *, in_place: bool = False) -> Self:
        """Take vectors over; in place what held them holds their whole numbers afterwards."""
        numbers = vectors.view(np.int16) if in_place else np.empty(vectors.shape, np.int16)
        steps = np.empty(len(vectors), np.float32)
        for some in split_rows(*vectors.shape):
            singles = vectors[some].astype(np.float32)
            most = np.maximum(singles.max(axis=1, initial=0), -singles.min(axis=1, initial=0))
            if not np.isfinite(most).all():  # a damaged row is like nothing
                singles[~np.isfinite(most)], most[~np.isfinite(most)] = 0, 0
            exponents = np.frexp(most)[1]
            np.multiply(singles, np.ldexp(np.float32(1), _BITS - exponents)[:, None], out=singles)
            np.rint(singles, out=singles)
            np.copyto(numbers[some], singles, casting="unsafe")
            steps[some] = np.ldexp(np.float32(1), exponents - _BITS)
        return cls(numbers, steps)

    def __len__(self) -> int:
        return len(self.numbers)

    @property
    def shape(self) -> tuple[int, int]:
        """How many rows there are, and how many numbers each has."""
        rows, dimensions = self.numbers.shape
        return rows, dimensions

    def __getitem__(self, rows: Any) -> Floats:
        """Return one vector or some, by row numbers in any shape, a slice or a mask."""
        singles: Floats = self.numbers[rows] * self.steps[rows][..., None]
        return singles

    def put(self, rows: Rows, vectors: Halves) -> None:
        """Put vectors into some rows."""
        put = self.quantize(vectors)
        self.numbers[rows], self.steps[rows] = put.numbers, put.steps

    def clear(self, rows: Any) -> None:
        """Take the vectors of some rows away."""
        self.numbers[rows], self.steps[rows] = 0, 0

    def select(self, rows: Any) -> Self:
        """Return some rows alone; of a slice they are the same memory."""
        return type(self)(self.numbers[rows], self.steps[rows])

    def resize(self, room: int) -> Self:
        """Return them with room for so many."""
        wider = self.make_empty(room, self.shape[1])
        wider.numbers[: len(self)], wider.steps[: len(self)] = self.numbers, self.steps
        return wider

    def multiply(self, query: Floats, rows: Rows | None = None) -> Floats:
        """Return the product of each row, or of some, with a vector of single precision."""
        products = multiply_rows(self.numbers, query, rows)
        products *= self.steps if rows is None else self.steps[rows]
        return products


class ChosenVectors:
    """The true vectors of some rows, given ascending; those of others are zeros."""

    def __init__(self, rows: Rows, vectors: QuantizedVectors) -> None:
        self.rows, self.vectors = rows, vectors

    @property
    def shape(self) -> tuple[int, int]:
        """How many rows there are, and how many numbers each has."""
        return self.vectors.shape

    def __getitem__(self, rows: Rows) -> Floats:
        """Return the vectors of rows in any shape."""
        at, here = self._find(rows)
        singles: Floats = self.vectors[at] * here[..., None]
        return singles

    def _find(self, rows: Rows) -> tuple[Rows, Bools]:
        at = np.searchsorted(self.rows, rows)
        at[at == len(self.rows)] = 0
        return at, self.rows[at] == rows


def multiply_rows(numbers: npt.NDArray[np.integer], query: Floats, rows: Rows | None = None) -> Floats:
    """Return the product of each row of whole numbers, or of some, with a vector of single precision."""
    count, dimensions = len(numbers) if rows is None else len(rows), numbers.shape[1]
    products = np.empty(count, np.float32)
    # One buffer for all: fresh ones cost as much as the products.
    singles = np.empty((min(count, _count_rows(dimensions)), dimensions), np.float32)
    for some in split_rows(count, dimensions):
        part = singles[: min(some.stop, count) - some.start]
        np.copyto(part, numbers[some if rows is None else rows[some]])
        # A matrix product wakes the threads of BLAS, which spin: three times the CPU, and no faster.
        np.vecdot(part, query, out=products[some])
    return products


def _count_rows(dimensions: int) -> int:
    return max(1, _NUMBERS_AT_ONCE // max(1, dimensions))


def split_rows(count: int, dimensions: int) -> Iterator[slice]:
    """Yield the rows in parts that are converted at once."""
    step = _count_rows(dimensions)
    for start in range(0, count, step):
        yield slice(start, start + step)
