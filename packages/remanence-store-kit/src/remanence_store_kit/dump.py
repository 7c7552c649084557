"""All that a scope holds as one comparable value, with or without what undo does not give back."""

from collections.abc import Mapping
from copy import deepcopy
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np

from remanence.core.box import BoxRow, FindBoxes, FindTraces, TraceRow
from remanence.core.forbidden import Forbidden
from remanence.core.model import Link, Memory
from remanence.core.snapshot import SnapshotRequest
from remanence.store.base import Arriving, Find, Store
from remanence.store.capabilities import complete
from remanence.text.analysis import stems, term_hash

# Undo gives back neither of these: they say that something happened, not what is kept.
HAPPENED = frozenset({"revision", "touched", "edits", "uses", "used_at", "use_days", "use_day", "accessors"})


@dataclass(frozen=True)
class Dump:
    """A scope's content: memories by number, links by key, vectors, postings by stem, statistics, clocks."""

    memories: Mapping[int, Mapping[str, Any]]
    links: Mapping[tuple[int, int, int], Link]
    vectors: Mapping[int, bytes]
    postings: Mapping[str, tuple[int, ...]]
    df: Mapping[int, int]
    with_words: int
    forbidden: tuple[Forbidden, ...] = ()
    boxes: tuple[BoxRow, ...] = ()
    traces: tuple[TraceRow, ...] = ()
    spans: tuple[tuple[int, ...], ...] = ()
    heard: tuple[tuple[int, ...], ...] = ()

    def drop_unrestorable(self) -> "Dump":
        """Return the same without what undo does not give back."""
        memories = {
            seq: {name: value for name, value in memory.items() if name not in HAPPENED}
            for seq, memory in self.memories.items()
        }
        return replace(self, memories=memories, spans=(), heard=())


async def dump(store: Store, scope: str) -> Dump:
    """Read everything a scope holds through the store's own methods."""
    full_store = complete(store)
    memories = await store.find(scope, Find(limit=1_000_000, oldest_first=True))
    seqs = [memory.seq for memory in memories]
    links = await store.neighbours(scope, seqs)
    owners, vectors = await full_store.vectors(scope)
    words = sorted({stem for memory in memories for stem in stems(memory.text)})
    postings = await store.search(scope, words)
    clocks = await store.snapshot(
        scope, SnapshotRequest(frozenset(), clocks=frozenset({"active", "turns"})), 0
    )
    assert clocks.spans is not None and clocks.heard is not None
    arrival = await store.arriving(scope, Arriving(terms=[term_hash(word) for word in words]))
    return Dump(
        memories={memory.seq: _copy_columns(memory) for memory in memories},
        links={(link.source, link.target, int(link.relation)): link for link in links},
        vectors={
            seq: np.ascontiguousarray(row).tobytes()
            for seq, row in zip(owners.tolist(), vectors, strict=True)
        },
        postings={word: tuple(rows.tolist()) for word, rows in postings.rows.items()},
        df=dict(arrival.df),
        with_words=arrival.memories,
        forbidden=tuple(await full_store.forbidden(scope)),
        boxes=tuple(await full_store.boxes(scope, FindBoxes(limit=1_000_000))),
        traces=tuple(await full_store.traces(scope, FindTraces(limit=1_000_000))),
        spans=tuple(map(tuple, clocks.spans.tolist())),
        heard=tuple(map(tuple, clocks.heard.tolist())),
    )


_NAMES = tuple(column.name for column in fields(Memory))


def _copy_columns(memory: Memory) -> dict[str, Any]:
    """Return a memory's columns, those that hold mappings as copies that nobody else writes to."""
    row = {name: getattr(memory, name) for name in _NAMES}
    return {name: deepcopy(value) if isinstance(value, Mapping) else value for name, value in row.items()}
