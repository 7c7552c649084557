"""Filters by when memories were created and changed, and lists in that order: from columns, without their texts.

Knows the columns of times and snapshots; must not know what else memories are narrowed by.
"""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

import numpy as np
import numpy.typing as npt

from remanence.core import synonyms
from remanence.core.attributes import Range
from remanence.core.clock import to_datetime, to_micros
from remanence.core.errors import InvalidInput, NameUnknown, format_value
from remanence.core.model import COLUMN, Memory
from remanence.core.snapshot import Snapshot

Times = npt.NDArray[np.int64]
# When a memory came in, and when its text was changed last or, where it never was, came in.
ORDERS: Mapping[str, tuple[str, ...]] = {
    "created_at": ("learned_at",),
    "updated_at": ("learned_at", "text_at"),
}
LAST_SAID = "last_said_at"
# What may be asked for between two times: these, and each column that holds one; of several columns the latest counts.
TIMES: Mapping[str, tuple[str, ...]] = {
    **{name: (name,) for name, column in COLUMN.items() if column.kind == "time"},
    **ORDERS,
    LAST_SAID: ("said_at", "said_again_at"),
}
NEVER = -(1 << 62)  # in place of a time that a memory does not have: no store keeps one as early
OPERATORS = ("gt", "gte", "lt", "lte")
DAY = np.int64(86_400_000_000)


def asks_by_operators(name: str, value: Any) -> bool:
    """Tell whether a filter is one by times: by operators, or of a name that is no column."""
    return name in ORDERS or (name in TIMES and isinstance(value, Mapping))


def parse_time_filter(name: str, value: Any) -> Range:
    """Read between which times something is to lie, given by operators."""
    if not isinstance(value, Mapping) or not value:
        raise InvalidInput(
            f"the filter {name} is {format_value(value)}",
            recovery=f"say between which times it lies: {{'gte': …, 'lt': …}}, of {', '.join(OPERATORS)}",
        )
    for operator in value:
        if operator not in OPERATORS:
            raise NameUnknown("operator", str(operator), OPERATORS, synonyms.OPERATORS)
    for one, other in (("gt", "gte"), ("lt", "lte")):
        if one in value and other in value:
            raise InvalidInput(
                f"the filter {name} has both {one} and {other}", recovery="name one of the two"
            )
    bounds = {operator: _parse_moment(name, one) for operator, one in value.items()}
    low, high = bounds.get("gt", bounds.get("gte")), bounds.get("lt", bounds.get("lte"))
    return Range("number", low, high, with_low="gte" in bounds, with_high="lte" in bounds)


def read_time(memory: Memory, name: str) -> int | None:
    """Return a time of a memory, None where it has none."""
    times = [at for at in (getattr(memory, column) for column in TIMES[name]) if at is not None]
    return max(times, default=None)


def read_column(snapshot: Snapshot, name: str) -> Times:
    """Return a time of each memory of a snapshot, NEVER where it has none."""
    latest = np.full(len(snapshot), NEVER, np.int64)
    for column in TIMES[name]:
        values: npt.NDArray[Any] = snapshot.columns[column]
        latest = np.maximum(latest, np.where(np.isnan(values), NEVER, values).astype(np.int64))
    return latest


def match_times(snapshot: Snapshot, times: Mapping[str, Range]) -> npt.NDArray[np.bool_]:
    """Tell which memories of a snapshot lie between the times that are asked for."""
    passes = np.ones(len(snapshot), np.bool_)
    for name, wanted in times.items():
        column = read_column(snapshot, name)
        passes &= column != NEVER
        if wanted.low is not None:
            passes &= column >= wanted.low if wanted.with_low else column > wanted.low
        if wanted.high is not None:
            passes &= column <= wanted.high if wanted.with_high else column < wanted.high
    return passes


def count_days(column: Times) -> list[tuple[str | None, int]]:
    """Count times by their day in UTC, the latest first; None counts what has no time."""
    days, counts = np.unique(np.where(column == NEVER, NEVER, column // DAY), return_counts=True)
    return [
        (None if day == NEVER else to_datetime(int(day * DAY)).date().isoformat(), int(count))
        for day, count in zip(days[::-1], counts[::-1], strict=True)
    ]


def _parse_moment(name: str, value: Any) -> int:
    """Read a bound: an instant, its microseconds, or how ISO 8601 writes it with its zone."""
    if not isinstance(value, str):
        return to_micros(value)
    try:
        return to_micros(datetime.fromisoformat(value))
    except (ValueError, OverflowError):
        raise InvalidInput(
            f"the filter {name} is {format_value(value)}",
            recovery="write a time with its zone, such as 2026-03-01T09:30+00:00",
        ) from None
