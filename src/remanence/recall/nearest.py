"""Which rows of a scope are most like some of its rows: every pair is compared. Knows arrays, no store and no texts."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from remanence.recall.corpus import Bools, Floats
from remanence.recall.quantized import QuantizedVectors, Rows

BLOCK = 512  # rows compared at once with all that are asked for
PAIRS_MAX = 1 << 16  # pairs that wait to be sorted
# OpenBLAS does a product of so many multiplications on one thread. Larger ones wake threads that spin beside it, which
# costs twice the CPU and gains nothing; how many it may wake is the host's to say, not ours.
TILE_PRODUCTS = 1 << 18
TILE_ROWS = 24


class Nearest(NamedTuple):
    """The rows most like one row, best first, of equals the older; and their cosines."""

    rows: Rows
    cosines: Floats


def nearest(
    vectors: QuantizedVectors, asked: Rows, among: Bools, *, least: float, most: int
) -> list[Nearest]:
    """Return for each row asked for the `most` others, of those in `among`, whose cosine is at least `least`.

    `vectors` are unit rows.
    """
    if not len(asked):
        return []
    best = _Best(asked, most, least)
    for start, cosines in _iterate_blocks(vectors, asked):
        hits = np.flatnonzero(cosines > best.floors)
        if len(hits) > PAIRS_MAX:
            best.raise_floors(cosines, _countable_pairs(asked, among, start, cosines.shape))
            hits = np.flatnonzero(cosines > best.floors)
        block, tile, own, other = np.unravel_index(hits, cosines.shape)
        place, row = tile * TILE_ROWS + own, start + block * cosines.shape[-1] + other
        here = (place < len(asked)) & (row < len(vectors))
        place, row, cosine = place[here], row[here], cosines.ravel()[hits[here]]
        others = among[row] & (asked[place] != row)
        best.add(place[others], row[others], cosine[others])
    return best.split_by_question()


def whole_tiles(asked: Sequence[int], most: int) -> list[Sequence[int]]:
    """Return what is asked for in at most so many parts of whole tiles, each of which finds what all together find.

    A product may differ in its last bit with its place in a tile, which is the same in a part.
    """
    tiles = -(-len(asked) // TILE_ROWS)
    size = max(1, -(-tiles // most)) * TILE_ROWS
    return [asked[start : start + size] for start in range(0, len(asked), size)]


def _countable_pairs(asked: Rows, among: Bools, start: int, shape: tuple[int, ...]) -> Bools:
    """Return which of the pairs of a block count: those with another row, of those that are looked among."""
    blocks, _, _, side = shape
    row = (start + np.arange(blocks * side)).reshape(blocks, 1, 1, side)
    inside = row < len(among)
    there = inside & among[np.where(inside, row, 0)]
    own = np.full(shape[1] * TILE_ROWS, -1)
    own[: len(asked)] = asked
    allowed: Bools = there & (own.reshape(1, -1, TILE_ROWS, 1) != row)
    return allowed


def _iterate_blocks(vectors: QuantizedVectors, asked: Rows) -> Iterator[tuple[int, Floats]]:
    """Yield (first row, cosines by block of rows, tile, row of the tile, row of the block) in tiles of either side."""
    dimensions = vectors.shape[1]
    side = 1 << max(0, (TILE_PRODUCTS // (TILE_ROWS * dimensions)).bit_length() - 1)
    tiles = -(-len(asked) // TILE_ROWS)
    own = _pad_rows(vectors[asked], TILE_ROWS).reshape(1, tiles, TILE_ROWS, dimensions)
    for start in range(0, len(vectors), BLOCK):
        others = _pad_rows(vectors[start : start + BLOCK], side).reshape(-1, 1, side, dimensions)
        # Side by side a third faster than as they lie.
        yield start, np.matmul(own, np.ascontiguousarray(others.swapaxes(2, 3)))


def _pad_rows(vectors: Floats, to: int) -> Floats:
    """Return vectors with rows of zeros behind them, up to a multiple of `to`."""
    rows = np.zeros((-(-len(vectors) // to) * to, vectors.shape[1]), np.float32)
    rows[: len(vectors)] = vectors
    return rows


class _Best:
    """The best pairs so far; `floors` is what a cosine must exceed to be among those of its row."""

    def __init__(self, asked: Sequence[int] | Rows, most: int, least: float) -> None:
        tiles = -(-len(asked) // TILE_ROWS)
        self._asked, self._most = len(asked), most
        self._kept: list[tuple[Rows, Rows, Floats]] = []
        self._waiting = 0
        below = np.nextafter(np.float32(least), np.float32(-np.inf))
        self.floors = np.full((tiles, TILE_ROWS, 1), below, np.float32)

    def raise_floors(self, cosines: Floats, allowed: Bools) -> None:
        """Raise the floors to what so many of one block reach: sorting all of its pairs costs ten times as much."""
        own = (
            np.where(allowed, cosines, np.float32(-np.inf))
            .transpose(1, 2, 0, 3)
            .reshape(*self.floors.shape[:2], -1)
        )
        if own.shape[-1] < self._most:
            return
        least = np.partition(own, -self._most, axis=-1)[..., -self._most, None]
        np.maximum(self.floors, np.nextafter(least, np.float32(-np.inf)), out=self.floors)

    def add(self, place: Rows, row: Rows, cosine: Floats) -> None:
        """Take pairs in whose rows come after all before."""
        self._kept.append((place, row, cosine))
        self._waiting += len(place)
        if self._waiting > PAIRS_MAX:
            self._sort_best()

    def split_by_question(self) -> list[Nearest]:
        """Return the best of each."""
        place, row, cosine = self._sort_best()
        bounds = np.searchsorted(place, np.arange(1, self._asked))
        return [Nearest(*pair) for pair in zip(np.split(row, bounds), np.split(cosine, bounds), strict=True)]

    def _sort_best(self) -> tuple[Rows, Rows, Floats]:
        """Keep the best of each, in order."""
        place, row, cosine = (np.concatenate(parts) for parts in zip(*self._kept, strict=True))
        order = np.lexsort((row, -cosine, place))
        place, row, cosine = place[order], row[order], cosine[order]
        rank = np.arange(len(place)) - np.searchsorted(place, place)
        last = rank == self._most - 1
        self.floors.ravel()[place[last]] = cosine[last]
        mask = rank < self._most
        self._kept, self._waiting = [(place[mask], row[mask], cosine[mask])], 0
        return self._kept[0]
