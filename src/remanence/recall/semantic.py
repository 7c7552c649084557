"""The semantic arm: vectors blended with their neighbours', compared by cosine. Knows no embedder and no store."""

import math
from collections.abc import Callable, Mapping

import numpy as np
import numpy.typing as npt

from remanence.recall.corpus import NEIGHBOUR_WEIGHTS, Floats, Windows
from remanence.text import term_hash

Rows = npt.NDArray[np.intp]
Vectors = npt.NDArray[np.float16] | npt.NDArray[np.float32]

# Blending works in pieces that stay in the processor's cache instead of three more copies of all vectors.
_BLOCK_ROWS = 256


def word_weight(memories: int, df: Mapping[int, int]) -> Callable[[str], float]:
    """Return stem → ln(1 + (N − df + ½) / (df + ½)), what a word weighs in a vector; `df` is keyed by term hash.

    Vectors of memories take the statistics of their arrival, those of queries the present ones.
    """
    floor = math.log1p(0.5 / (memories + 0.5))

    def weight(stem: str) -> float:
        held = df.get(term_hash(stem), 0)
        return math.log1p((memories - held + 0.5) / (held + 0.5)) if held < memories else floor

    return weight


def window_vectors(windows: Windows, bare: Vectors, rows: Rows | None = None) -> Floats:
    """Return own vector + .3 / .2 / .1 / .1 × that of the 1st to 4th neighbour on each side, as unit rows.

    `bare` is (n, d) by row. With `rows` only those are worked out, in the order given. A row without a vector
    (all zeros) and without neighbours stays zero.
    """
    if rows is not None:
        return _unit(_blend(windows, bare, _slots(windows, rows)))
    blended = np.empty((len(bare), bare.shape[1]), np.float32)
    for start in range(0, len(bare), _BLOCK_ROWS):
        stop = min(start + _BLOCK_ROWS, len(bare))
        blended[start:stop] = _unit(_blend_block(windows, bare, start, stop))
    return blended if windows.slot is None else blended[windows.slot]


def touched_rows(windows: Windows, rows: Rows) -> Rows:
    """Return, ascending, the rows whose window holds one of `rows`: what to work out again after they came or went."""
    slots = _slots(windows, rows)
    near = [slots]
    for k, share in enumerate(windows.share, 1):
        after = slots[slots < len(windows.length) - k]
        before = slots[slots >= k]
        near += [after[share[after] > 0] + k, before[share[before - k] > 0] - k]
    found = np.unique(np.concatenate(near))
    return found if windows.order is None else np.sort(windows.order[found])


def cosine(vectors: Floats, query: Floats, rows: Rows | None = None) -> Floats:
    """Return the cosine of each unit row, or of `rows` only, with the query; a zero query is like nothing."""
    norm = float(np.linalg.norm(query))
    unit = query / np.float32(norm) if norm > 0 else query
    # einsum reads the rows once on one core; the BLAS product costs twice the CPU for a single query.
    chosen = vectors if rows is None else vectors[rows]
    likeness: Floats = np.einsum("ij,j->i", chosen, unit.astype(np.float32, copy=False))
    return likeness


def _slots(windows: Windows, rows: Rows) -> Rows:
    return rows if windows.slot is None else windows.slot[rows]


def _blend(windows: Windows, bare: Vectors, slots: Rows) -> Floats:
    """Return the blended vectors of some slots."""
    blended = _at(windows, bare, slots)
    last = len(windows.length) - 1
    for k, share in enumerate(windows.share, 1):
        for other, first in ((slots + k, slots), (slots - k, slots - k)):
            at = np.flatnonzero((other >= 0) & (other <= last))
            lent = share[first[at]] * windows.lends[other[at]]
            at, lent = at[lent > 0], lent[lent > 0]
            blended[at] += lent[:, None] * _at(windows, bare, other[at])
    return blended


def _blend_block(windows: Windows, bare: Vectors, start: int, stop: int) -> Floats:
    """Return the blended vectors of all slots from `start` to `stop`: whole slices cost a fraction of single rows."""
    n = len(windows.length)
    first, last = max(0, start - len(windows.share)), min(n, stop + len(windows.share))
    near = _at(windows, bare, slice(first, last))
    blended: Floats = near[start - first : stop - first].copy()
    if (windows.lends[first:last] != 1).any():
        near *= windows.lends[first:last, None]
    lent, weight = np.empty_like(near), 0.0
    for k, share in enumerate(windows.share, 1):
        if not share[max(0, start - k) : stop].any():
            continue
        if NEIGHBOUR_WEIGHTS[k - 1] != weight:
            weight = NEIGHBOUR_WEIGHTS[k - 1]
            np.multiply(near, np.float32(weight), out=lent)
        # The kth neighbour after, then the kth before; k slots from the edge there is none.
        for begin, end, by in ((start, min(stop, n - k), k), (max(start, k), stop, -k)):
            if end <= begin:
                continue
            others = np.flatnonzero(share[min(begin, begin + by) : min(end, end + by)] == 0)
            part = blended[begin - start : end - start]
            # What stands in another segment lends nothing: such rows are few, and get back what they were.
            before = part[others]
            part += lent[begin + by - first : end + by - first]
            part[others] = before
    return blended


def _unit(blended: Floats) -> Floats:
    """Scale rows to length 1, in place; zeros stay."""
    norm: Floats = np.sqrt(np.einsum("ij,ij->i", blended, blended))[:, None]
    norm[norm == 0] = 1  # so that zeros stay, without a mask in the division
    blended /= norm
    return blended


def _at(windows: Windows, bare: Vectors, slots: Rows | slice) -> Floats:
    rows = slots if windows.order is None else windows.order[slots]
    taken: Floats = bare[rows].astype(np.float32)
    return taken
