"""The vectors of one model by row, and which windows hold the words asked for lately. Knows arrays, no store.

Knows stems and arrays; must be forgotten whenever what is stored changes.
"""

from collections.abc import Iterable
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from remanence.core.errors import StoreDamaged
from remanence.recall.corpus import Bools, Floats, Ints, Windows
from remanence.recall.lexical import Term
from remanence.recall.quantized import Halves, QuantizedVectors
from remanence.recall.semantic import compare_windows, measure_windows

A = TypeVar("A", bound=np.generic)


class Arm:
    """One arm of the ranking; nothing is kept before somebody asks for it.

    `model` is None for the vectors that memories come with, else whose they are; `dimensions` are 0 while nobody knows
    them. `written` is the count of vectors that its store had of the model when they were last read.
    """

    def __init__(self, model: str | None, dimensions: int) -> None:
        self.model = model
        self.dimensions = dimensions
        self.written = 0
        self.bare: QuantizedVectors | None = None
        self.held: Bools = np.zeros(0, np.bool_)
        self.lengths: Floats | None = None  # of the windows

    def forget(self) -> None:
        """Keep nothing."""
        self.bare, self.lengths = None, None

    def take(self, seqs: Ints, vectors: Halves, rows: Ints, room: int) -> None:
        """Take all vectors in: where they are if every row has one, since a copy costs as much as reading them.

        `rows` are the sequence numbers of the rows, `room` is for how many there is to be.
        """
        if self.model is not None and len(seqs):
            self.dimensions = vectors.shape[1]
        whole = vectors.shape == (room, self.dimensions) and np.array_equal(seqs, rows)
        if whole and vectors.flags.writeable:
            self.bare, self.held = QuantizedVectors.quantize(vectors, in_place=True), np.ones(room, np.bool_)
            return
        self.bare = QuantizedVectors.make_empty(room, self.dimensions)
        self.held = np.zeros(room, np.bool_)
        self.place(seqs, vectors, rows)

    def place(self, seqs: Ints, vectors: Halves, rows: Ints) -> None:
        """Put vectors into their rows; rows that are not here are left for the next refresh."""
        if self.bare is None or not self.dimensions or not len(seqs) or not len(rows):
            return
        if vectors.shape[1] != self.dimensions:
            raise StoreDamaged(
                f"stored vectors have {vectors.shape[1]} numbers instead of {self.dimensions}",
                recovery="run `doctor`, then go back to the latest backup",
            )
        at = np.searchsorted(rows, seqs)
        at[at == len(rows)] = 0
        here = rows[at] == seqs
        self.bare.put(at[here], vectors[here])
        self.held[at[here]] = True

    def clear(self, rows: Ints | slice) -> None:
        """Take the vectors of some rows away."""
        if self.bare is not None:
            self.bare.clear(rows)
            self.held[rows] = False

    def grow(self, begin: int, end: int, room: int) -> None:
        """Make room for so many rows, the new ones without a vector."""
        if self.bare is None:
            return
        if room != len(self.bare):
            self.bare = self.bare.resize(room)
        self.held = pad_rows(self.held, room)
        self.lengths = None if self.lengths is None else pad_rows(self.lengths, room)
        self.clear(slice(begin, end))

    def leave(self, stay: Bools) -> None:
        """Keep some rows only."""
        if self.bare is None:
            return
        rows = np.flatnonzero(stay)
        self.bare, self.held = self.bare.select(rows), self.held[rows]
        self.lengths = None if self.lengths is None else self.lengths[rows]

    def measure_all(self, windows: Windows, rows: int) -> None:
        """Measure all windows, which are followed from then on."""
        assert self.bare is not None
        # There may be room for more rows already.
        lengths = measure_windows(windows, self.bare.select(slice(rows)))
        self.lengths = pad_rows(lengths, len(self.bare))

    def measure(self, windows: Windows, reached: Ints, rows: int) -> None:
        """Measure the windows of some rows again."""
        if self.lengths is not None and self.bare is not None:
            self.lengths[reached] = measure_windows(windows, self.bare.select(slice(rows)), reached)

    def compare(self, windows: Windows, query: Floats, rows: int, among: Bools | None) -> Floats:
        """Return by row the cosines of windows that were measured with a question."""
        assert self.bare is not None
        assert self.lengths is not None
        return compare_windows(windows, self.bare.select(slice(rows)), self.lengths[:rows], query, among)


def pad_rows(values: npt.NDArray[A], room: int) -> npt.NDArray[A]:
    """Return values with room for so many, zeros behind them."""
    if len(values) == room:
        return values
    wide: npt.NDArray[Any] = np.zeros((room, *values.shape[1:]), values.dtype)
    wide[: len(values)] = values
    return wide


NUMBERS_MAX = 1 << 21  # windows of all kept stems together, 12 bytes each
SHARE_MAX = 4  # a stem of more than this part of them would push out too many others


class KeptTerms:
    """Terms by stem; those asked for longest ago make room for others."""

    def __init__(self) -> None:
        self._terms: dict[str, Term] = {}
        self._numbers = 0

    def __getitem__(self, stem: str) -> Term | None:
        term = self._terms.pop(stem, None)
        if term is not None:
            self._terms[stem] = term  # behind all others: asked for last
        return term

    def missing(self, stems: Iterable[str]) -> list[str]:
        """Return the stems that have to be looked up."""
        return [stem for stem in stems if stem not in self._terms]

    def keep(self, stem: str, term: Term) -> None:
        """Keep what a stem was found to be."""
        if len(term.slots) > NUMBERS_MAX // SHARE_MAX:
            return
        self._terms[stem] = term
        self._numbers += len(term.slots)
        while self._numbers > NUMBERS_MAX:
            oldest = next(iter(self._terms))
            self._numbers -= len(self._terms.pop(oldest).slots)

    def clear(self) -> None:
        """Forget all."""
        self._terms.clear()
        self._numbers = 0
