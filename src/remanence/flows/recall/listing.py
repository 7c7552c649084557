"""Memories as a list: by status, tags and columns, as they are or as they were at an instant.

Knows filters and the store; ranks nothing.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from remanence.core.arguments import check_count
from remanence.core.errors import InvalidInput, NameUnknown
from remanence.core.keywords import ListOptions, Moment, OrderName
from remanence.core.local_time import SaidSpan, to_said_span
from remanence.core.model import Memory, OneMemory
from remanence.core.snapshot import SnapshotRequest
from remanence.flows.base.as_of import read_changes_since, read_instant
from remanence.flows.base.context import LISTED_MAX, Core
from remanence.flows.base.naming import find_cursor, unknown
from remanence.flows.recall.filters import Filters, find_passing, listed_by, lists_entities
from remanence.flows.recall.time_filters import ORDERS, TIMES, read_column
from remanence.read.entity import is_entity
from remanence.store.base import Find

Ints = npt.NDArray[np.int64]
PAGE_MIN = 50  # memories with an attribute that are looked at together: some of them may not stand


@dataclass(frozen=True, slots=True)
class Listing:
    """A list as it was asked for."""

    filters: Filters
    limit: int
    oldest_first: bool
    after: OneMemory | None = None
    between: SaidSpan | None = None
    as_of: Moment | None = None
    order: OrderName | None = None


def read_listing(
    named: Mapping[str, Any],
    equal: ListOptions,
    filters: Mapping[str, Any],
    limit: int,
    *,
    oldest_first: bool,
) -> Listing:
    """Read what `list` is asked for: what is named, columns by their names, and filters as a mapping."""
    columns = dict(equal)
    options = {name: columns.pop(name, None) for name in ("after", "as_of", "order", "between")}
    span: Any = options.pop("between")
    criteria = listed_by(named, columns, filters)
    given: dict[str, Any] = {**options, "between": to_said_span(span)}
    return Listing(criteria, limit, oldest_first, **given)


async def list_memories(core: Core, asked: Listing) -> list[Memory]:
    """List memories; columns that hold one of a few names are asked for by it."""
    if asked.order is not None and asked.order not in ORDERS:
        raise NameUnknown("order", str(asked.order), ORDERS)
    if asked.as_of is not None and asked.order is not None:
        raise InvalidInput(
            "a list as of an instant has no other order", recovery="leave out `order`, or `as_of`"
        )
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
    if asked.order is not None:
        find = replace(find, after=0, before=None)
        return await _page_through(core, find, filters, await _order_seqs(core, asked, asked.order, cursor))
    if not filters.has_more:
        return await _find_memories(core, find, entities=lists_entities(filters))
    seqs = await find_passing(core, filters)
    return await _page_through(core, find, filters, seqs if asked.oldest_first else seqs[::-1])


async def _order_seqs(core: Core, asked: Listing, order: OrderName, cursor: int | None) -> Ints:
    """Return what may be listed in order of a time, behind the one where a list before ended."""
    request = SnapshotRequest(frozenset(TIMES[order]))
    snapshot = await core.store.snapshot(core.scope, request, core.clock.now())
    ordered: Ints = snapshot.seq[np.lexsort((snapshot.seq, read_column(snapshot, order)))]
    ordered = ordered if asked.oldest_first else ordered[::-1]
    if cursor is not None:
        places = np.flatnonzero(ordered == cursor)
        if not len(places):
            raise unknown(core.scope, [cursor])
        ordered = ordered[places[0] + 1 :]
    if asked.filters.has_more:
        ordered = ordered[np.isin(ordered, await find_passing(core, asked.filters))]
    return ordered


async def _page_through(core: Core, find: Find, filters: Filters, ordered: Ints) -> list[Memory]:
    """List those of some memories that pass, in their order, as many as are wanted."""
    memories: list[Memory] = []
    entities = lists_entities(filters)
    for some in _cut_pages(ordered, find.limit):
        page = await core.store.find(core.scope, replace(find, only=some.tolist(), limit=len(some)))
        places = {seq: place for place, seq in enumerate(some.tolist())}
        # A memory may have changed since the columns were read.
        memories += [
            one
            for one in sorted(page, key=lambda one: places[one.seq])
            if filters.met_by(one) and (entities or not is_entity(one))
        ]
        if len(memories) >= find.limit:
            break
    return memories[: find.limit]


async def _list_as_of(core: Core, asked: Listing, at: int) -> list[Memory]:
    """List memories as they were at an instant: what changed since as it was, the rest as it is."""
    await core.uses.settle_to_read()
    changes = await read_changes_since(core, at)
    over = min(LISTED_MAX, asked.limit + len(changes))
    # Then an attribute may have had values of a type that it has none of now.
    untyped = replace(asked.filters, checks_types=False)
    today = await list_memories(core, replace(asked, filters=untyped, as_of=None, limit=over))
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
        and (asked.between is None or memory.is_said_within(asked.between))
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


def _cut_pages(seqs: npt.NDArray[np.int64], limit: int) -> Iterator[npt.NDArray[np.int64]]:
    """Cut what may be listed into pages, the first a few more than are wanted, each twice as long as the one before."""
    start, size = 0, limit + PAGE_MIN
    while start < len(seqs):
        yield seqs[start : start + size]
        start, size = start + size, 2 * size
