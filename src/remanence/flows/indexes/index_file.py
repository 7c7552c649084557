"""Arrays of an index as a file, which are read back only if every byte is as it was written.

Knows bytes and arrays; must not know what an index is.
"""

import io
import os
from collections.abc import Mapping
from hashlib import blake2b
from pathlib import Path
from typing import Any, BinaryIO, cast

import numpy as np
import numpy.typing as npt
import orjson

from remanence.core.beside import open_regular

Arrays = Mapping[str, npt.NDArray[Any]]
Head = Mapping[str, Any]

_MAGIC = b"remanence index\n"
_LENGTH_BYTES, _DIGEST_BYTES = 8, 16
_HEAD_BYTES_MAX = 1 << 28
_FILE_BYTES_MAX = 1 << 40
_MODE = 0o600
_ROW_WORDS = 1_024  # of 64 bits, of which sums are taken both ways
SPARE_SHARE = 1 / 8  # room behind the rows, so that what is learned next copies nothing


def write_arrays(file: Path, head: Head, arrays: Arrays) -> None:
    """Write a new file; raises OSError."""
    entries = [
        [name, array.dtype.str, array.shape, _sum_words(array).hex()] for name, array in arrays.items()
    ]
    packed = orjson.dumps({**head, "arrays": entries})
    handle = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), _MODE)
    with os.fdopen(handle, "wb") as stream:
        stream.write(_MAGIC + len(packed).to_bytes(_LENGTH_BYTES) + _digest(packed) + packed)
        for array in arrays.values():
            stream.write(_as_bytes(np.ascontiguousarray(array)))


def read_head(stream: BinaryIO) -> Head | None:
    """Return what stands at the beginning of an open file; None where it is no whole head."""
    start = stream.read(len(_MAGIC) + _LENGTH_BYTES + _DIGEST_BYTES)
    length = int.from_bytes(start[len(_MAGIC) : len(_MAGIC) + _LENGTH_BYTES])
    if not start.startswith(_MAGIC) or length > _HEAD_BYTES_MAX:
        return None
    packed = stream.read(length)
    if _digest(packed) != start[-_DIGEST_BYTES:]:
        return None
    head: Head = orjson.loads(packed)
    return head


def read_arrays(stream: io.BufferedReader, head: Head) -> Arrays | None:
    """Return the arrays of a file behind its head, with room behind their rows; None where any is not as written."""
    arrays: dict[str, npt.NDArray[Any]] = {}
    for name, kind, (rows, *others), check in head["arrays"]:
        room = np.zeros((rows + int(rows * SPARE_SHARE), *others), kind)
        if stream.readinto(_as_bytes(room[:rows])) != room[:rows].nbytes:
            return None
        if _sum_words(room[:rows]).hex() != check:
            return None
        arrays[name] = room
    return None if stream.read(1) else arrays


def open_arrays(file: Path) -> io.BufferedReader:
    """Open a file of arrays; raises OSError where there is none, or it is no regular file."""
    return cast("io.BufferedReader", open_regular(file, bytes_max=_FILE_BYTES_MAX))


def _as_bytes(array: npt.NDArray[Any]) -> memoryview:
    return array.reshape(-1).view(np.uint8).data


def _digest(data: bytes) -> bytes:
    return blake2b(data, digest_size=_DIGEST_BYTES).digest()


def _sum_words(array: npt.NDArray[Any]) -> bytes:
    """Return a digest of sums of an array's words by rows and by columns: as fast as memory is read."""
    data = np.ascontiguousarray(array).reshape(-1).view(np.uint8)
    whole = len(data) - len(data) % (8 * _ROW_WORDS)
    words = data[:whole].view(np.uint64).reshape(-1, _ROW_WORDS)
    sums = words.sum(axis=1, dtype=np.uint64), words.sum(axis=0, dtype=np.uint64)
    return _digest(sums[0].tobytes() + sums[1].tobytes() + data[whole:].tobytes())
