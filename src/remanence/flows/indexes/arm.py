"""The vectors of one model by row, how they are read, and which windows hold the words asked for lately.

Knows stems and arrays; must be forgotten whenever what is stored changes.
"""

from collections.abc import Iterable, Sequence
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from remanence.core.errors import StoreDamaged
from remanence.recall.corpus import Bools, Floats, Ints, Windows
from remanence.recall.lexical import Term
from remanence.recall.quantized import ChosenVectors, Halves, QuantizedVectors, Rows
from remanence.recall.rough import RoughVectors, compare_roughly, compare_rows, measure_slack
from remanence.recall.semantic import Cosines, compare_windows, measure_windows
from remanence.store.capabilities import FullStore

A = TypeVar("A", bound=np.generic)


class Arm:
    """One arm of the ranking; nothing is kept before somebody asks for it.

    `model` is None for the vectors that memories come with, else whose they are; `dimensions` are 0 while nobody knows
    them. `written` is the count of vectors that its store had of the model when they were last read. Of a large scope
    `rough` vectors are kept in place of the `bare` ones; `late` are then rows whose windows are to be measured.
    """

    def __init__(self, model: str | None, dimensions: int) -> None:
        self.model = model
        self.dimensions = dimensions
        self.written = 0
        self.bare: QuantizedVectors | None = None
        self.rough: RoughVectors | None = None
        self.held: Bools = np.zeros(0, np.bool_)
        self.lengths: Floats | None = None  # of the windows
        self.late: Ints = _NO_ROWS
        self._slack: float | None = None  # of the rough vectors

    @property
    def vectors(self) -> QuantizedVectors | RoughVectors | None:
        """The vectors that are kept."""
        return self.rough if self.bare is None else self.bare

    def forget(self) -> None:
        """Keep nothing."""
        self.bare, self.rough, self.lengths, self.late = None, None, None, _NO_ROWS

    def take(self, seqs: Ints, vectors: Halves, rows: Ints, room: int) -> None:
        """Take all vectors in: where they are if every row has one, since a copy costs as much as reading them.

        `rows` are the sequence numbers of the rows, `room` is for how many there is to be.
        """
        if self.model is not None and len(seqs):
            self.dimensions = vectors.shape[1]
        self.rough = None
        whole = vectors.shape == (room, self.dimensions) and np.array_equal(seqs, rows)
        if whole and vectors.flags.writeable:
            self.bare, self.held = QuantizedVectors.quantize(vectors, in_place=True), np.ones(room, np.bool_)
            return
        self.bare = QuantizedVectors.make_empty(room, self.dimensions)
        self.held = np.zeros(room, np.bool_)
        self.place(seqs, vectors, rows)

    def take_rough(self, rough: RoughVectors, held: Bools, lengths: Floats) -> None:
        """Take rough vectors in, and the windows that were measured by the true ones."""
        self.rough, self.held, self.lengths, self._slack = rough, held, lengths, None

    def round_off(self) -> None:
        """Keep rough vectors in place of the true ones."""
        if self.bare is not None:
            self.rough, self.bare, self._slack = RoughVectors.round_vectors(self.bare), None, None

    def place(self, seqs: Ints, vectors: Halves, rows: Ints) -> None:
        """Put vectors into their rows; rows that are not here are left for the next refresh."""
        if self.vectors is None or not self.dimensions or not len(seqs) or not len(rows):
            return
        self.refuse_other_size(vectors)
        at = np.searchsorted(rows, seqs)
        at[at == len(rows)] = 0
        here = rows[at] == seqs
        self.vectors.put(at[here], vectors[here])
        self.held[at[here]] = True
        self._slack = None

    def refuse_other_size(self, vectors: Halves) -> None:
        """Refuse vectors of another length."""
        if vectors.shape[1] != self.dimensions:
            raise StoreDamaged(
                f"stored vectors have {vectors.shape[1]} numbers instead of {self.dimensions}",
                recovery="run `doctor`, then go back to the latest backup",
            )

    def clear(self, rows: Ints | slice) -> None:
        """Take the vectors of some rows away."""
        if self.vectors is not None:
            self.vectors.clear(rows)
            self.held[rows] = False

    def grow(self, begin: int, end: int, room: int) -> None:
        """Make room for so many rows, the new ones without a vector."""
        if self.vectors is None:
            return
        if room != len(self.vectors):
            self._replace(self.vectors.resize(room))
        self.held = pad_rows(self.held, room)
        self.lengths = None if self.lengths is None else pad_rows(self.lengths, room)
        self.clear(slice(begin, end))

    def leave(self, stay: Bools) -> None:
        """Keep some rows only."""
        if self.vectors is None:
            return
        rows = np.flatnonzero(stay)
        self._replace(self.vectors.select(rows))
        self.held, self.late = self.held[rows], _NO_ROWS
        self.lengths = None if self.lengths is None else self.lengths[rows]

    def _replace(self, vectors: QuantizedVectors | RoughVectors) -> None:
        if isinstance(vectors, RoughVectors):
            self.rough = vectors
        else:
            self.bare = vectors

    def measure_all(self, windows: Windows, rows: int) -> None:
        """Measure all windows, which are followed from then on."""
        assert self.bare is not None
        # There may be room for more rows already.
        lengths = measure_windows(windows, self.bare.select(slice(rows)))
        self.lengths = pad_rows(lengths, len(self.bare))

    def measure(self, windows: Windows, reached: Ints, rows: int) -> None:
        """Measure the windows of some rows again, at once or where rough vectors are kept with `measure_late`."""
        if self.lengths is not None and self.bare is not None:
            self.lengths[reached] = measure_windows(windows, self.bare.select(slice(rows)), reached)
        elif self.rough is not None:
            self.late = np.union1d(self.late, reached)

    def measure_late(self, windows: Windows, chosen: ChosenVectors) -> None:
        """Measure the windows that wait for the true vectors, which are `chosen`."""
        assert self.lengths is not None
        self.lengths[self.late] = measure_windows(windows, chosen, self.late)
        self.late, self._slack = _NO_ROWS, None

    def compare(self, windows: Windows, query: Floats, rows: int, among: Bools | None) -> Floats:
        """Return by row the cosines of windows that were measured with a question."""
        assert self.bare is not None
        assert self.lengths is not None
        return compare_windows(windows, self.bare.select(slice(rows)), self.lengths[:rows], query, among)

    def compare_roughly(self, windows: Windows, query: Floats, rows: int) -> Cosines:
        """Return by row the rough cosines of windows that were measured with a question."""
        assert self.rough is not None
        assert self.lengths is not None
        rough, lengths = self.rough.select(slice(rows)), self.lengths[:rows]
        if self._slack is None:
            self._slack = measure_slack(windows, rough.misses, lengths)
        return compare_roughly(windows, rough, lengths, query, self._slack)

    def compare_rows(self, windows: Windows, chosen: ChosenVectors, query: Floats, rows: Rows) -> Floats:
        """Return the true cosines of some rows' windows, which were measured, with a question."""
        assert self.lengths is not None
        return compare_rows(windows, chosen, self.lengths, query, rows)


_NO_ROWS = np.zeros(0, np.int64)


class VectorReader:
    """Reads the vectors of a scope as its store has them."""

    def __init__(self, store: FullStore, scope: str) -> None:
        self._store, self._scope = store, scope

    async def read(self, arm: Arm, only: Sequence[int] | None = None) -> tuple[Ints, Halves]:
        """Read vectors of an arm with their sequence numbers, all or those of some memories."""
        if (arm.model is None and not arm.dimensions) or (only is not None and not only):
            return _NO_ROWS, np.zeros((0, 0), np.float16)
        return await self._store.vectors(self._scope, only=only, model=arm.model)

    async def choose(self, arm: Arm, rows: Rows, seqs: Ints) -> ChosenVectors:
        """Read the true vectors of some rows, given ascending; `seqs` are the numbers of all."""
        wanted = seqs[rows]
        found, vectors = await self.read(arm, wanted.tolist())
        chosen = QuantizedVectors.make_empty(len(rows), arm.dimensions)
        if len(found):
            arm.refuse_other_size(vectors)
            chosen.put(np.searchsorted(wanted, found), vectors)
        return ChosenVectors(rows, chosen)


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
