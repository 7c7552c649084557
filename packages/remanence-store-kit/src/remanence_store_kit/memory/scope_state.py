"""All that the reference store keeps of one scope, as plain values. Knows rows; knows no request."""

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from remanence.core.change import AuditPart, CommitResult
from remanence.store import row_rules as books
from remanence.store.base import Bookkeeping, Ints, PurgedMemory
from remanence.store.row_rules import Tables, empty
from remanence_store_kit.memory.log_rules import Digests


@dataclass(slots=True)
class ScopeState:
    """All that one scope holds; rows are never changed in place, so that a shallow copy is a frozen state."""

    tables: Tables = field(default_factory=empty)
    latest_seq: int = 0  # the highest number ever given, also where its row is gone
    log: list[AuditPart] = field(default_factory=list)
    done: dict[tuple[str, int], tuple[bytes, CommitResult]] = field(default_factory=dict)  # by run and part
    fired: dict[str, int] = field(default_factory=dict)
    values: dict[str, Any] = field(default_factory=dict)
    leases: dict[str, tuple[str, int, int]] = field(default_factory=dict)  # name → holder, until, fence
    spans: list[tuple[int, int]] = field(default_factory=list)  # what sessions covered: disjoint, ascending
    heard: Counter[int] = field(default_factory=Counter)  # minute → turns
    counters: Counter[str] = field(default_factory=Counter)
    embeddings: dict[tuple[int, str], bytes] = field(default_factory=dict)  # by seq and model
    erased: dict[str, int] = field(default_factory=dict)  # by what is known of it, and when
    # By position the digests that a part had, where an erasure or the end of images took some of it away.
    emptied: dict[int, Digests] = field(default_factory=dict)
    purged: dict[int, PurgedMemory] = field(default_factory=dict)

    @property
    def position(self) -> int:
        """How far the scope has come."""
        return self.log[-1].position if self.log else 0

    def fence_of(self, lease: str) -> int | None:
        """Return the number that a lease was given with last, None where it never was."""
        return self.leases[lease][2] if lease in self.leases else None

    def bookkeep(self, asked: Bookkeeping) -> None:
        """Write values, counters and spans, and give a lease back."""
        self.counters = books.add_counts(self.counters, asked.count)
        values = {**self.values, **asked.put}
        swaps = {name: new for name, (old, new) in asked.swap.items() if values.get(name) == old}
        self.values = books.put(self.values, {**asked.put, **swaps})
        if asked.cover is not None:
            self.spans = books.merge_span(self.spans, asked.cover)
        if asked.release is not None:
            books.release(self.leases, *asked.release)

    def clocks(self, asked: Collection[str]) -> tuple[Ints | None, Ints | None]:
        """Return what the clocks of sessions and of turns are read from, None for one that is not asked for."""
        return (
            _pairs(self.spans) if "active" in asked else None,
            _pairs(sorted(self.heard.items())) if "turns" in asked else None,
        )

    def pick_values(self, names: Collection[str], under: Sequence[str] = ()) -> dict[str, Any]:
        """Return the values of these names and of those that begin so, in order."""
        kept = sorted(self.values.items())
        return {name: value for name, value in kept if name in names or name.startswith(tuple(under))}

    def pick_counters(self, under: Sequence[str]) -> dict[str, int]:
        """Return the counters whose names begin so, in order."""
        return {name: count for name, count in sorted(self.counters.items()) if name.startswith(tuple(under))}


def _pairs(rows: Sequence[tuple[int, int]]) -> Ints:
    return np.array(rows, np.int64).reshape(-1, 2)
