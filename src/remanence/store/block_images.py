"""Arrays of whole numbers as few bytes: the differences between neighbours, as narrow as they fit, then compressed.

Knows numbers and bytes; knows nothing of changes.
"""

import zlib
from collections.abc import Iterable
from struct import Struct

import numpy as np

from remanence.core.change import BLOCK_ROWS_MAX, Ints

_WIDTHS = (1, 2, 4, 8)
_HEAD = Struct("<bqq")  # bytes a difference, 0 where all are the same; the first number; that difference
# The fastest level: what is left to gain is a tenth, and costs three times as much.
_LEVEL = 1


def pack_arrays(arrays: Iterable[Ints]) -> bytes:
    """Return arrays of one length as bytes."""
    return zlib.compress(b"".join(map(_differences, arrays)), _LEVEL)


def unpack_arrays(image: bytes, rows: int, count: int) -> list[Ints]:
    """Return so many arrays of so many numbers; raise ValueError where the bytes are something else."""
    if not 0 <= rows <= BLOCK_ROWS_MAX:
        raise ValueError(f"no image has {rows} rows")
    unpacking = zlib.decompressobj()
    try:
        # A few bytes may pretend to be very many.
        content = unpacking.decompress(image, count * (_HEAD.size + _WIDTHS[-1] * rows) + 1)
    except zlib.error as error:
        raise ValueError(f"an image is damaged: {error}") from error
    if not unpacking.eof:
        raise ValueError("an image does not end")
    found, at = [], 0
    for _ in range(count):
        values, at = _numbers(content, at, rows)
        found.append(values)
    if at != len(content):
        raise ValueError("an image is longer than what it holds")
    return found


def _differences(values: Ints) -> bytes:
    if len(values) < 2:
        return _HEAD.pack(0, int(values[0]) if len(values) else 0, 0)
    steps = values[1:] - values[:-1]  # wraps round where it overflows, and back when it is summed up
    least, most = int(steps.min()), int(steps.max())
    if least == most:
        return _HEAD.pack(0, int(values[0]), least)
    width = next(width for width in _WIDTHS if -(1 << 8 * width - 1) <= least and most < 1 << 8 * width - 1)
    return _HEAD.pack(width, int(values[0]), 0) + steps.astype(f"<i{width}").tobytes()


def _numbers(content: bytes, at: int, rows: int) -> tuple[Ints, int]:
    """Return the numbers whose differences begin at a byte, and where the next ones begin."""
    if len(content) < at + _HEAD.size:
        raise ValueError("an image is cut short")
    width, first, step = _HEAD.unpack_from(content, at)
    at += _HEAD.size
    values = np.full(rows, step, np.int64)
    if width:
        if width not in _WIDTHS or len(content) < at + width * (rows - 1):
            raise ValueError("an image is cut short")
        values[1:] = np.frombuffer(content, f"<i{width}", rows - 1, at)
        at += width * (rows - 1)
    values[:1] = first
    np.cumsum(values, out=values)
    return values, at
