"""Memories as a list: by status, tags and columns, as they are or as they were at an instant.

Knows filters and the store; ranks nothing.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from remanence.core.arguments import check_count
from remanence.core.keywords import Moment
from remanence.core.model import Memory, OneMemory
from remanence.flows.base.as_of import read_changes_since, read_instant
from remanence.flows.base.context import LISTED_MAX, Core
from remanence.flows.base.naming import find_cursor
from remanence.flows.recall.filters import Filters, lists_entities
from remanence.flows.recall.filters import listed_by as listed_by
from remanence.read.entity import is_entity
from remanence.store.base import Find

PAGE_MIN = 500  # memories with an attribute that are looked at together: some of them may not stand


@dataclass(frozen=True, slots=True)
class Listing:
    """A list as it was asked for."""

    filters: Filters
    limit: int
    oldest_first: bool
    after: OneMemory | None = None
    between: tuple[int, int] | None = None
    as_of: Moment | None = None


async def list_memories(core: Core, asked: Listing) -> list[Memory]:
    """List memories; columns that hold one of a few names are asked for by it."""
    if asked.as_of is not None:
        return await _list_as_of(core, asked, read_instant(core, asked.as_of))
    check_count("limit", asked.limit, 1, LISTED_MAX)
    await core.uses.settle_to_read()
    filters = asked.filters
    cursor = await find_cursor(core.store, core.scope, asked.after)
    find = Find(
        filters.statuses,
        filters.tags,
        filters.columns,
        after=cursor if cursor is not None and asked.oldest_first else 0,
        before=None if asked.oldest_first else cursor,
        said=asked.between,
        limit=asked.limit,
        oldest_first=asked.oldest_first,
    )
    if not filters.attributes:
        return await _find_memories(core, find, entities=lists_entities(filters))
    seqs = await core.attributes.seqs(filters.attributes, core.clock.now())
    memories: list[Memory] = []
    for some in _pages(seqs if asked.oldest_first else seqs[::-1], asked.limit):
        rest = replace(find, only=some.tolist(), limit=asked.limit - len(memories))
        # A memory may have changed since the columns were read.
        memories += filter(filters.met_by, await core.store.find(core.scope, rest))
        if len(memories) == asked.limit:
            break
    return memories


async def _list_as_of(core: Core, asked: Listing, at: int) -> list[Memory]:
    """List memories as they were at an instant: what changed since as it was, the rest as it is."""
    await core.uses.settle_to_read()
    changes = await read_changes_since(core, at)
    over = min(LISTED_MAX, asked.limit + len(changes))
    today = await list_memories(core, replace(asked, as_of=None, limit=over))
    seqs = sorted(changes)
    rows = await core.store.get(core.scope, seqs) if seqs else []
    rewound = [changes[seq].rewind(core.scope, seq, row) for seq, row in zip(seqs, rows, strict=True)]
    cursor = await find_cursor(core.store, core.scope, asked.after)
    then = [one for one in rewound if one is not None and _is_listed(one, asked, cursor)]
    memories = [one for one in today if one.seq not in changes] + then
    return sorted(memories, key=lambda one: one.seq, reverse=not asked.oldest_first)[: asked.limit]


def _is_listed(memory: Memory, asked: Listing, cursor: int | None) -> bool:
    """Tell whether a list has a memory, as `_find_memories` and the store would."""
    filters = asked.filters
    lies_behind = cursor is None or (memory.seq > cursor if asked.oldest_first else memory.seq < cursor)
    return (
        lies_behind
        and (filters.statuses is None or memory.status in filters.statuses)
        and set(filters.tags) <= set(memory.tags)
        and all(getattr(memory, name) in values for name, values in filters.columns.items())
        and filters.met_by(memory)
        and (asked.between is None or asked.between[0] <= memory.said_at <= asked.between[1])
        and (not is_entity(memory) or lists_entities(filters))
    )


async def _find_memories(core: Core, find: Find, *, entities: bool) -> list[Memory]:
    """List memories; entities, which say nothing themselves, only where their category is asked for."""
    limit = find.limit
    while True:
        page = await core.store.find(core.scope, replace(find, limit=limit))
        memories = page if entities else [one for one in page if not is_entity(one)]
        if len(memories) >= find.limit or len(page) < limit or limit == LISTED_MAX:
            return memories[: find.limit]
        limit = min(LISTED_MAX, 2 * limit + PAGE_MIN)


def _pages(seqs: npt.NDArray[np.int64], limit: int) -> Iterator[npt.NDArray[np.int64]]:
    """Cut what may be listed into pages, the first a few more than are wanted, each twice as long as the one before."""
    start, size = 0, limit + PAGE_MIN
    while start < len(seqs):
        yield seqs[start : start + size]
        start, size = start + size, 2 * size
