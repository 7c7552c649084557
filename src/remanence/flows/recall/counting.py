"""How many memories pass filters, and how many of them have each value of a column, of an attribute, or each topic.

Knows columns and filters; reads texts for topics alone.
"""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from remanence.core.arguments import check_count
from remanence.core.attributes import LONG_CHARS
from remanence.core.errors import InvalidInput, NameUnknown
from remanence.core.keywords import ATTRIBUTE
from remanence.core.local_time import SAID, SaidSpan, read_said_local
from remanence.core.model import COLUMN, Status
from remanence.core.results import Result, number, visible
from remanence.core.snapshot import Bools, Snapshot, SnapshotRequest
from remanence.flows.base.context import LISTED_MAX, Core
from remanence.flows.recall import filters
from remanence.flows.recall.filters import LISTABLE, find_passing
from remanence.flows.recall.time_filters import TIMES, count_days, read_column
from remanence.read.entity import CATEGORY, THREAD, is_entity
from remanence.recall.profile import list_topics
from remanence.store.base import Find

Value: TypeAlias = str | int | float | bool | None
# Columns that hold one of a few values, by which memories are counted; what is counted may be narrowed by them, too.
COUNTED = frozenset(name for name in LISTABLE | {"status"} if COLUMN[name].kind in {"enum", "name", "flag"})
TOPIC = "topic"  # counts by the words that are spoken of most
TOPIC_TEXTS_MAX = 5_000  # the newest, by which topics are told
CUT = "…"  # what the beginning of a long text ends with
_ENTITY = ("category", "thread")


@dataclass(frozen=True, slots=True, repr=False)
class ValueCount(Result):
    """A value, None for none, and how many of the memories have it; of a text above 64 characters its beginning."""

    value: Value
    memories: int

    def __str__(self) -> str:
        shown = "-" if self.value is None else str(self.value)
        return visible(f"{self.memories:>9,}  {shown}")


@dataclass(frozen=True, slots=True, repr=False)
class CountResult(Result):
    """Number of memories that pass filters, and by which value of the column: the most frequent or latest first.

    An attribute that holds a list counts for each of its items, so that `values` may add up to more than `total`.
    Topics are words, the most frequent first, and `total` is how many memories they were counted in. `left_out` is how
    many further values there are.
    """

    total: int
    by: str | None = None
    values: tuple[ValueCount, ...] = ()
    left_out: int = 0

    def __str__(self) -> str:
        lines = [number(self.total, "memory", "memories"), *map(str, self.values)]
        if self.left_out:
            lines.append(
                f"{number(self.left_out, 'further value', 'further values')}; a higher limit shows more"
            )
        return "\n".join(lines)


async def count_memories(
    core: Core, by: str | None, given: Mapping[str, Any], between: SaidSpan | None, limit: int
) -> CountResult:
    """Count memories as `list` lists them: what stands unless a status is asked for, entities where they are asked for.

    `by` is a column of names, `attributes.NAME`, a time, of which days are counted (of `said_at` those where it was
    said, else in UTC), or `topic`; None for the total alone. `limit` is how many values are told.
    """
    check_count("limit", limit, 1, LISTED_MAX)
    if by == TOPIC:
        if given or between is not None:
            raise InvalidInput(
                "topics are counted over all active memories: no filter and no time narrows them",
                recovery="leave `filters` and `between` out, or count by a column",
            )
        return await count_topics(core, limit)
    wanted = filters.read(given, COUNTED - {"status"})
    attribute = _read_attribute(by)
    await core.uses.settle_to_read()
    now = core.clock.now()
    column = set() if by is None or attribute else {*TIMES.get(by, (by,))}
    column |= {*SAID} if by == SAID[0] else set()
    names = {"status", *_ENTITY, *wanted.list_columns(between), *column}
    snapshot = await core.store.snapshot(
        core.scope, SnapshotRequest(frozenset(names), tags=frozenset(wanted.tags)), now
    )
    counted = wanted.match_rows(snapshot, between)
    if wanted.statuses is not None:
        counted &= np.isin(snapshot.columns["status"], wanted.statuses)
    if not filters.lists_entities(wanted):
        counted &= ~_is_called(snapshot, "category", CATEGORY) | ~_is_called(snapshot, "thread", THREAD)
    if wanted.has_more:
        counted &= np.isin(snapshot.seq, await find_passing(core, wanted))
    total = int(counted.sum())
    if by is None:
        return CountResult(total)
    if by == SAID[0]:
        return _limit_values(total, by, count_days(read_said_local(snapshot.columns)[counted]), limit)
    if by in TIMES:
        return _limit_values(total, by, count_days(read_column(snapshot, by)[counted]), limit)
    if attribute:
        found = await core.attributes.count_values(attribute, snapshot.seq[counted], now)
        pairs = [(None if one is None else _shorten_value(one[1]), count) for one, count in found.items()]
    else:
        kept_codes: npt.NDArray[Any] = snapshot.columns[by][counted]
        codes, counts = np.unique(kept_codes, return_counts=True)
        pairs = [
            (_name_value(snapshot, by, int(code)), int(count))
            for code, count in zip(codes, counts, strict=True)
        ]
    ordered = sorted(pairs, key=lambda pair: (-pair[1], pair[0] is None, str(pair[0])))
    return _limit_values(total, by, ordered, limit)


async def count_topics(core: Core, limit: int) -> CountResult:
    """Count the newest memories that stand by the words that tell best what is spoken of."""
    found = await core.store.find(core.scope, Find((Status.INBOX, Status.ACTIVE), limit=TOPIC_TEXTS_MAX))
    texts = [memory.text for memory in found if not is_entity(memory)]
    words = await asyncio.to_thread(list_topics, texts)
    return _limit_values(len(texts), TOPIC, words, limit)


def _limit_values(
    total: int, by: str | None, ordered: Sequence[tuple[Value, int]], limit: int
) -> CountResult:
    shown = tuple(ValueCount(value, count) for value, count in ordered[:limit])
    return CountResult(total, by, shown, len(ordered) - len(shown))


def _read_attribute(by: str | None) -> str:
    """Return the name of the attribute that is counted by, "" where it is a column or nothing."""
    if by is None or by in COUNTED or by in TIMES:
        return ""
    if by.startswith(ATTRIBUTE) and by != ATTRIBUTE:
        return by.removeprefix(ATTRIBUTE)
    raise NameUnknown("column to count by", by, {*COUNTED, *TIMES, TOPIC, f"{ATTRIBUTE}NAME"})


def _is_called(snapshot: Snapshot, column: str, name: str) -> Bools:
    names = snapshot.names[column]
    called: Bools = snapshot.columns[column] == (names.index(name) if name in names else -2)
    return called


def _name_value(snapshot: Snapshot, name: str, code: int) -> Value:
    labels = COLUMN[name].labels
    if code < 0:
        return None
    if COLUMN[name].kind == "name":
        return snapshot.names[name][code]
    return code if labels is None else labels(code).name.lower()


def _shorten_value(value: Value) -> Value:
    """Return a value as it is shown: of a long text its beginning, as no more of it is kept."""
    return f"{value[:LONG_CHARS]}{CUT}" if isinstance(value, str) and len(value) > LONG_CHARS else value
