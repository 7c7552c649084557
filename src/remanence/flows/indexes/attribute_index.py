"""Attributes as resident columns: read on the first filter that names one, and patched by the change sequence after.

Knows codes of values, never the values; a full scan of a scope for each question would cost more than its answer.
"""

import asyncio
from collections import Counter
from collections.abc import Collection, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from remanence.core.attributes import AttributeColumn, AttributeFilter, Codes, Scalar, value_of
from remanence.core.keywords import ATTRIBUTE
from remanence.core.model import Memory
from remanence.core.snapshot import SnapshotRequest
from remanence.store.base import Store

Ints = npt.NDArray[np.int64]
NAMES_MAX = 64  # attributes that are kept
PAGE = 1_000
PATCH_MAX = 2_000  # beyond so many changed memories, or parts of runs, reading anew is the cheaper


class AttributeIndex:
    """The attributes of one scope that filters have named."""

    def __init__(self, store: Store, scope: str) -> None:
        self._store = store
        self._scope = scope
        self._position = -1
        self._seq = np.zeros(0, np.int64)
        self._columns: dict[str, tuple[AttributeColumn, Codes]] = {}
        self._turn = asyncio.Lock()

    async def seqs(
        self, filters: Mapping[str, AttributeFilter], now: int, *, checks_types: bool = False
    ) -> Ints:
        """Return which memories of the scope, of any status, have attributes that will do, in order of arrival.

        With `checks_types` a filter that no value can be compared with is refused.
        """
        async with self._turn:
            await self._follow_changes(now, filters.keys())
            met = np.ones(len(self._seq), np.bool_)
            for name, condition in filters.items():
                column, codes = self._columns[name]
                if checks_types:
                    column.check_types(f"{ATTRIBUTE}{name}", codes, condition)
                met &= column.match_codes(codes, condition)
            return self._seq[met]

    async def count_values(self, name: str, seqs: Ints, now: int) -> Counter[Scalar | None]:
        """Count in how many of some memories each value of an attribute stands, None where it is absent."""
        async with self._turn:
            await self._follow_changes(now, {name})
            column, codes = self._columns[name]
            return column.count_values(codes[np.isin(self._seq, seqs, assume_unique=True)])

    async def _follow_changes(self, now: int, names: Collection[str]) -> None:
        """Catch up with what was written, and read what nobody has asked for yet."""
        if self._position < 0 or not await self._apply_changes():
            self._columns = {}
        missing = names - self._columns.keys()
        if not missing:
            return
        if len(self._columns) + len(missing) > NAMES_MAX:
            self._columns, missing = {}, set(names)
        read = await self._store.snapshot(
            self._scope, SnapshotRequest(frozenset(), attributes=frozenset(missing)), now
        )
        if self._columns and read.position != self._position:
            # Somebody wrote in between: what is kept is of another moment.
            all_names = frozenset({*self._columns, *missing})
            read = await self._store.snapshot(
                self._scope, SnapshotRequest(frozenset(), attributes=all_names), now
            )
        self._position, self._seq = read.position, read.seq
        self._columns = {**self._columns, **read.attributes}

    async def _apply_changes(self) -> bool:
        """Take over what changed since; return False where reading anew is due."""
        changed_seqs: set[int] = set()
        parts = 0
        position = self._position
        while page := await self._store.history(self._scope, after=position, limit=PAGE):
            if any(part.ended_at is not None for part in page):
                return False
            entries = [entry for part in page for entry in part.entries if entry.table == "memories"]
            parts, position = parts + len(page), page[-1].position
            for entry in entries:
                if entry.before is None or entry.after is None or "attributes" in entry.columns:
                    changed_seqs.update(entry.row_keys())
            if parts > PATCH_MAX or len(changed_seqs) > PATCH_MAX:
                return False
        memories = await self._store.get(self._scope, sorted(changed_seqs))
        if not self._place_memories([memory for memory in memories if memory is not None], changed_seqs):
            return False
        self._position = position
        return True

    def _place_memories(self, memories: Sequence[Memory], changed: Collection[int]) -> bool:
        """Put memories into their rows; return False where one is gone, or came back in the middle."""
        latest = int(self._seq[-1]) if len(self._seq) else 0
        seqs = np.array([memory.seq for memory in memories], np.int64)
        fresh = seqs[seqs > latest]
        seq = np.append(self._seq, fresh)
        rows = np.searchsorted(seq, seqs)
        if len(memories) < len(changed) or not np.array_equal(seq[rows], seqs):
            return False
        for name, (column, codes) in self._columns.items():
            new_codes = np.append(codes, np.full(len(fresh), -1, np.int32))
            new_codes[rows] = [column.code(value_of(memory.attributes, name)) for memory in memories]
            self._columns[name] = column, new_codes
        self._seq = seq
        return True
