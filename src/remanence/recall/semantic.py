"""The semantic arm: a memory and its neighbours compared with a question by cosine. Knows no embedder and no store."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
import numpy.typing as npt
from numpy.lib.stride_tricks import sliding_window_view

from remanence.recall.corpus import (
    NEIGHBOUR_WEIGHTS,
    Bools,
    Corpus,
    Floats,
    Ints,
    Windows,
    spread,
    windows_of,
)
from remanence.recall.quantized import ChosenVectors, QuantizedVectors
from remanence.text.analysis import term_hash

Rows = npt.NDArray[np.intp]

# As if so many memories without the word were there (the keep-value's prior): in a small store the words of its topic
# would weigh nothing.
MEMORIES_PRIOR = 500
# Vectors are blended by a product of weights and neighbours for each run of so many slots, one after another: small
# enough that no thread is woken, and that what is under way stays in the processor's cache.
RUN = 24
_RUNS_AT_ONCE = 32
_COLUMNS = 256
_REACH = len(NEIGHBOUR_WEIGHTS)
# Beyond this share of the rows, reading all vectors is cheaper than gathering those that are needed.
READ_WHOLE_SHARE = 0.5
_FEW_STEMS = 64  # of a text that comes alone; from there on arrays are the faster


def word_weight(memories: int, df: Mapping[int, int]) -> Callable[[str], float]:
    """Return stem → ln(1 + (N + 500 − df + ½) / (df + ½)), what a word weighs in a vector; `df` is keyed by term hash.

    Vectors of memories take the statistics of their arrival, those of queries the present ones.
    """

    def weight(stem: str) -> float:
        return _weigh_word(memories, df.get(term_hash(stem), 0))

    return weight


def _weigh_word(memories: int, df: int) -> float:
    count = min(df, memories)
    return math.log1p((memories + MEMORIES_PRIOR - count + 0.5) / (count + 0.5))


class ArrivalWeights:
    """What words weigh in texts that arrive together: each is weighed as if it came alone after those before it.

    `df` says of each text how many memories hold each of its terms as it arrives, itself included.
    """

    def __init__(self, memories: int, df: Sequence[Mapping[int, int]]) -> None:
        self._memories, self._df = memories, df

    def __call__(self, stems: Sequence[str], texts: Ints) -> Floats:
        """Return what each stem weighs in the text beside it."""
        df, memories = self._df, self._memories
        if len(stems) <= _FEW_STEMS:
            pairs = zip(stems, texts.tolist(), strict=True)
            alone = [_weigh_word(memories + text, df[text].get(term_hash(stem), 0)) for stem, text in pairs]
            return np.array(alone, np.float32)
        terms = zip(map(term_hash, stems), texts.tolist(), strict=True)
        counts = np.array([df[text].get(term, 0) for term, text in terms], np.int64)
        among = memories + texts
        counts = np.minimum(counts, among)
        rarity = among + MEMORIES_PRIOR - counts + 0.5
        weights: Floats = np.log1p(rarity / (counts + 0.5)).astype(np.float32)
        return weights

    def build_stem_weight(self, text: int) -> Callable[[str], float]:
        """Return what stems weigh in one of the texts."""
        return word_weight(self._memories + text, self._df[text])


def measure_windows(
    windows: Windows, bare: QuantizedVectors | ChosenVectors, rows: Rows | None = None
) -> Floats:
    """Return how long a window's vector is: own + .3 / .2 / .1 / .1 × that of the 1st to 4th neighbour on each side.

    `bare` are the vectors by row. With `rows` only those are worked out, in the order given. A row without a vector
    (all zeros) and without neighbours is of no length.
    """
    slots = None if rows is None else _find_slots(windows, rows)
    runs = np.arange(-(-bare.shape[0] // RUN)) if slots is None else np.unique(slots // RUN)
    by_slot = np.empty((len(runs), RUN), np.float32)
    for start in range(0, len(runs), _RUNS_AT_ONCE):
        blends = _blend_runs(windows, bare, runs[start : start + _RUNS_AT_ONCE])
        by_slot[start : start + len(blends)] = np.sqrt(np.einsum("ijk,ijk->ij", blends, blends))
    if slots is None:
        return windows.to_rows(by_slot.ravel()[: bare.shape[0]])
    lengths: Floats = by_slot.ravel()[np.searchsorted(runs, slots // RUN) * RUN + slots % RUN]
    return lengths


def compare_windows(
    windows: Windows, bare: QuantizedVectors, lengths: Floats, query: Floats, among: Bools | None = None
) -> Floats:
    """Return the cosine of each row's window with a question; of rows that are not `among` those asked for, anything.

    A product with a sum is the sum of the products: each vector is read once, and no window is ever written down.
    `lengths` are those of the windows. A question of zeros is like nothing, and so is a window of no length.
    """
    norm = float(np.linalg.norm(query))
    unit = (query / np.float32(norm) if norm > 0 else query).astype(np.float32, copy=False)
    most = READ_WHOLE_SHARE * len(bare)
    near = _mark_neighbours(windows, among) if among is not None and among.sum() <= most else None
    if near is None or near.sum() > most:
        products = bare.multiply(unit)
    else:
        products = np.zeros(len(bare), np.float32)
        products[near] = bare.multiply(unit, np.flatnonzero(near))
    return sum_windows(windows, products, lengths)


def sum_windows(windows: Windows, products: Floats, lengths: Floats) -> Floats:
    """Return the cosine of each row's window, of which `products` are those of its vectors."""
    by_slot = products if windows.order is None else products[windows.order]
    cosines = windows.to_rows(by_slot + spread(by_slot * windows.lends, windows.share))
    cosines /= np.where(lengths > 0, lengths, np.float32(1))
    return cosines


@dataclass(frozen=True, slots=True)
class Cosines:
    """The cosines of windows with a question by row, each at most `slack` from the true one."""

    by_row: Floats
    slack: float = 0.0


@dataclass(frozen=True, slots=True)
class MeasuredWindows:
    """The windows of some memories with their vectors, made ready to be compared."""

    windows: Windows
    bare: QuantizedVectors
    lengths: Floats

    @classmethod
    def measure(cls, corpus: Corpus, bare: QuantizedVectors) -> Self:
        """Make ready what the windows of a corpus hold."""
        windows = windows_of(corpus)
        return cls(windows, bare, measure_windows(windows, bare))

    def compare(self, query: Floats) -> Floats:
        """Return the cosine of each window with a question."""
        return compare_windows(self.windows, self.bare, self.lengths, query)


def touched_rows(windows: Windows, rows: Rows) -> Rows:
    """Return, ascending, the rows whose window holds one of `rows`, which are those that stand in their windows, too.

    They are worked out again after `rows` came or went.
    """
    slots = _find_slots(windows, rows)
    near = [slots]
    for k, share in enumerate(windows.share, 1):
        after = slots[slots < len(windows.length) - k]
        before = slots[slots >= k]
        near += [after[share[after] > 0] + k, before[share[before - k] > 0] - k]
    neighbours = np.unique(np.concatenate(near))
    return neighbours if windows.order is None else np.sort(windows.order[neighbours])


def reached_rows(windows: Windows, rows: Rows) -> Rows:
    """Return the rows whose windows may change with `rows`: talk also decides which of those around it lend."""
    return touched_rows(windows, touched_rows(windows, rows))


def _find_slots(windows: Windows, rows: Rows) -> Rows:
    return rows if windows.slot is None else windows.slot[rows]


def _mark_neighbours(windows: Windows, among: Bools) -> Bools:
    """Return by row what the windows of some rows hold."""
    own = among if windows.order is None else among[windows.order]
    near = own.copy()
    for k, share in enumerate(windows.share, 1):
        near[k:] |= own[:-k] & (share > 0)
        near[:-k] |= own[k:] & (share > 0)
    return near if windows.slot is None else near[windows.slot]


def _blend_runs(windows: Windows, bare: QuantizedVectors | ChosenVectors, runs: Rows) -> Floats:
    """Return the sums of the slots of some runs, by run and slot of it."""
    last = len(windows.length) - 1
    slots = runs[:, None] * RUN + np.arange(-_REACH, RUN + _REACH)  # of each run, and what is around it
    if runs[-1] - runs[0] == len(runs) - 1:
        # Runs that follow each other share what is around them, which is converted once.
        near = _read_slot_vectors(windows, bare, np.arange(slots[0, 0], slots[-1, -1] + 1).clip(0, last))
        near = sliding_window_view(near, slots.shape[1], axis=0)[::RUN].swapaxes(1, 2)
    else:
        near = _read_slot_vectors(windows, bare, np.clip(slots, 0, last))
    weights, blended = _weigh_slots(windows, slots), np.empty((len(runs), RUN, bare.shape[1]), np.float32)
    for start in range(0, bare.shape[1], _COLUMNS):
        some = slice(start, start + _COLUMNS)
        np.matmul(weights, near[:, :, some], out=blended[:, :, some])
    return blended


def _weigh_slots(windows: Windows, slots: Rows) -> Floats:
    """Return how much of each slot around a run goes into each slot of it."""
    weights, own = np.zeros((len(slots), RUN, RUN + 2 * _REACH), np.float32), np.arange(RUN)
    at = own + _REACH
    weights[:, own, at] = 1
    lends = _or_nothing(windows.lends, slots)
    for k, share in enumerate(windows.share, 1):
        shares = _or_nothing(share, slots)
        weights[:, own, at + k] = shares[:, at] * lends[:, at + k]
        weights[:, own, at - k] = shares[:, at - k] * lends[:, at - k]
    return weights


def _or_nothing(by_slot: Floats, slots: Rows) -> Floats:
    """Return what stands at some slots, 0 for those before the first and after the last."""
    values = np.zeros(slots.shape, np.float32)
    here = (slots >= 0) & (slots < len(by_slot))
    values[here] = by_slot[slots[here]]
    return values


def _read_slot_vectors(windows: Windows, bare: QuantizedVectors | ChosenVectors, slots: Rows) -> Floats:
    return bare[slots if windows.order is None else windows.order[slots]]
