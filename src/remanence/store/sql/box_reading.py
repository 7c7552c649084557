"""Boxes and traces as they are read, those of the latest turns first.

Each function runs inside one read transaction, and asks one statement.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any, TypeVar

from remanence.core.box import (
    BOX_COLUMN,
    BOX_COLUMNS,
    TRACE_COLUMN,
    TRACE_COLUMNS,
    BoxRow,
    FindBoxes,
    FindTraces,
    TraceRow,
    box_of,
    trace_of,
)
from remanence.core.model import Column
from remanence.store.sql.database import Row
from remanence.store.sql.decoding import DECODING
from remanence.store.sql.dialect import Dialect, Statement
from remanence.store.sql.rows import decode_value
from remanence.store.sql.scope import OpenScope

# What a listing may ask for, by the name of the condition, given the number of its parameter.
_CONDITIONS: Mapping[str, Callable[[Dialect, int], str]] = {
    "box": lambda sql, at: f"box {sql.among(at)}",
    "session": lambda _, at: f"session = ?{at}",
    "trace of": lambda _, at: f"trace = ?{at}",
    "holding": lambda sql, at: sql.list_holds("members", at),
    "before": lambda _, at: f"box < ?{at}",
    "trace": lambda sql, at: f"trace {sql.among(at)}",
    "since": lambda _, at: f"last_at >= ?{at}",
}
_OPEN = {None: "", True: " AND sealed_at IS NULL", False: " AND sealed_at IS NOT NULL"}

Found = TypeVar("Found")


@lru_cache(maxsize=256)
def _select_boxes(conditions: tuple[str, ...], is_open: bool | None) -> Statement:
    """Return the statement that lists boxes: the scope, how many, then the values of the conditions."""
    return Statement(
        lambda sql: (
            f"SELECT box, {', '.join(BOX_COLUMNS)} FROM boxes WHERE scope = ?1"
            f"{_join(sql, conditions)}{_OPEN[is_open]} ORDER BY box DESC LIMIT ?2"
        )
    )


@lru_cache(maxsize=8)
def _select_traces(conditions: tuple[str, ...]) -> Statement:
    """Return the statement that lists traces: the scope, how many, then the values of the conditions."""
    return Statement(
        lambda sql: (
            f"SELECT trace, {', '.join(TRACE_COLUMNS)} FROM traces WHERE scope = ?1"
            f"{_join(sql, conditions)} ORDER BY last_at DESC, trace DESC LIMIT ?2"
        )
    )


def _join(sql: Dialect, conditions: Sequence[str]) -> str:
    return "".join(f" AND {_CONDITIONS[name](sql, at)}" for at, name in enumerate(conditions, 3))


def boxes(scope: OpenScope, find: FindBoxes) -> list[BoxRow]:
    """List boxes, those of the latest turns first."""
    values: dict[str, Any] = {
        "box": _make_list(scope, find.only),
        "session": find.session,
        "trace of": find.trace,
        "holding": _make_list(scope, find.holding),
        "before": find.before,
    }
    asked = {name: value for name, value in values.items() if value is not None}
    rows = scope.db.rows(_select_boxes(tuple(asked), find.is_open), (scope.no, find.limit, *asked.values()))
    return _read(rows, BOX_COLUMN, box_of)


def traces(scope: OpenScope, find: FindTraces) -> list[TraceRow]:
    """List traces, those of the latest turns first."""
    values: dict[str, Any] = {"trace": _make_list(scope, find.only), "since": find.since}
    asked = {name: value for name, value in values.items() if value is not None}
    rows = scope.db.rows(_select_traces(tuple(asked)), (scope.no, find.limit, *asked.values()))
    return _read(rows, TRACE_COLUMN, trace_of)


def _make_list(scope: OpenScope, numbers: Sequence[int] | None) -> Any:
    return None if numbers is None else scope.db.make_list(set(numbers))


def _read(
    rows: Sequence[Row],
    columns: Mapping[str, Column],
    made: Callable[[int, Mapping[str, Any]], Found],
) -> list[Found]:
    with DECODING:
        return [
            made(
                key,
                {
                    column.name: decode_value(column, value)
                    for column, value in zip(columns.values(), values, strict=True)
                },
            )
            for key, *values in rows
        ]
