"""What a scope's index holds, kept in a file beside the database: a cache of which no answer rests on.

It is known by the last part of the audit that it follows, by its place and its digest, and is else read as if it were
not there. Knows what an index is made of; must not know how it is ranked.
"""

import asyncio
import logging
import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from remanence._version import __version__
from remanence.core.beside import PARTIAL
from remanence.core.errors import NotFound
from remanence.flows.indexes.index_file import open_arrays, read_arrays, read_head, write_arrays
from remanence.recall.corpus import NEIGHBOUR_WEIGHTS, NEIGHBOUR_WORDS_MAX, Bools, Floats
from remanence.recall.rough import RoughVectors
from remanence.store.capabilities import FullStore, find_index_files

LOG = logging.getLogger("remanence")
Ints = npt.NDArray[np.int64]
Answer = TypeVar("Answer")
_FORMAT = 2
# What else of the code the arrays follow from.
_MADE_BY = [__version__, _FORMAT, [*NEIGHBOUR_WEIGHTS], NEIGHBOUR_WORDS_MAX]
_VECTORS = "numbers", "steps", "misses", "held", "lengths"


@dataclass(frozen=True, slots=True)
class SavedIndex:
    """The rows of an index as they stood at a position, arrays with room behind the first so many."""

    position: int
    rows: int
    seq: Ints
    columns: dict[str, npt.NDArray[Any]]
    names: Mapping[str, Sequence[str]]
    rough: RoughVectors
    held: Bools
    lengths: Floats


class IndexFile:
    """The file of one scope."""

    def __init__(self, store: FullStore, scope: str, dimensions: Callable[[], int]) -> None:
        self._store, self._scope, self._dimensions = store, scope, dimensions
        self._files = find_index_files(store)

    async def read(self) -> SavedIndex | None:
        """Return what it holds; None where there is none that fits."""
        path = None if self._files is None else await self._files.find_index_file(self._scope)
        if path is None:
            return None
        try:
            stream = await finish_in_thread(open_arrays, path)
        except OSError:
            return None
        with stream, suppress(OSError, ValueError, KeyError, TypeError):  # a head that somebody else wrote
            head = await finish_in_thread(read_head, stream)
            if head is None or head["made_by"] != _MADE_BY or head["dimensions"] != self._dimensions():
                return None
            if await self._read_digest(head["position"]) == head["digest"]:
                arrays = await finish_in_thread(read_arrays, stream, head)
                return None if arrays is None else _unpack(head, arrays)
        return None

    async def write(self, saved: SavedIndex) -> bool:
        """Put what it is to hold in its place, unless the scope has gone on; tell whether that was done."""
        if (
            self._files is None
            or (path := await self._files.find_index_file(self._scope, writes=True)) is None
        ):
            return False
        if (digest := await self._read_digest(saved.position)) is None:
            return False
        head = {
            "made_by": _MADE_BY,
            "dimensions": self._dimensions(),
            "position": saved.position,
            "digest": digest,
            "names": saved.names,
            "columns": [*saved.columns],
        }
        vectors = *saved.rough.arrays, saved.held, saved.lengths
        arrays = {
            name: array[: saved.rows]
            for name, array in zip(
                ("seq", *_VECTORS, *saved.columns),
                (saved.seq, *vectors, *saved.columns.values()),
                strict=True,
            )
        }
        partial = path.with_name(f"{path.name}.{os.getpid()}{PARTIAL}")
        try:
            await finish_in_thread(write_arrays, partial, head, arrays)
            return await self._files.put_index_file(self._scope, partial, saved.position)
        except (OSError, NotFound) as error:  # no room, or the scope was moved away
            LOG.info("no index is kept beside the file: %s", error)
            return False
        finally:
            with suppress(OSError):
                partial.unlink(missing_ok=True)

    async def _read_digest(self, position: int) -> str | None:
        """Return the digest of the part of the audit that stands at a position."""
        parts = await self._store.history(self._scope, after=position - 1, limit=1, rows=False)
        return parts[0].digest if parts and parts[0].position == position else None


def _unpack(head: Mapping[str, Any], arrays: Mapping[str, npt.NDArray[Any]]) -> SavedIndex:
    numbers, steps, misses, held, lengths = (arrays[name] for name in _VECTORS)
    return SavedIndex(
        position=head["position"],
        rows=head["arrays"][0][2][0],
        seq=arrays["seq"],
        columns={name: arrays[name] for name in head["columns"]},
        names=head["names"],
        rough=RoughVectors(numbers, steps, misses),
        held=held,
        lengths=lengths,
    )


async def finish_in_thread(work: Callable[..., Answer], *arguments: Any) -> Answer:
    """Do work in a thread; who is cancelled meanwhile waits for it, so that nobody reads what it has half done."""
    future = asyncio.get_running_loop().run_in_executor(None, work, *arguments)
    cancellation: asyncio.CancelledError | None = None
    while not future.done():
        try:
            await asyncio.wait([future])
        except asyncio.CancelledError as error:  # it may come more than once
            cancellation = error
    if cancellation is not None:
        raise cancellation from future.exception()
    return future.result()
