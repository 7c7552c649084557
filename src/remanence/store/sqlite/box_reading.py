"""Boxes and traces as they are read, those of the latest turns first.

Each function runs inside one read transaction; none binds a list that grows with what is asked.
"""

import sqlite3
from collections.abc import Callable, Mapping, Sequence
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
from remanence.store.sqlite.dialect import DECODING, id_list
from remanence.store.sqlite.rows import decode_value
from remanence.store.sqlite.string_ids import SCOPE, StringIds

_BOXES = f"SELECT box, {', '.join(BOX_COLUMNS)} FROM boxes WHERE "
_TRACES = f"SELECT trace, {', '.join(TRACE_COLUMNS)} FROM traces WHERE "
_ONLY = "{} IN (SELECT value FROM json_each(?))"
_HOLDING = f"EXISTS (SELECT 1 FROM json_each(members) AS turn WHERE {_ONLY.format('turn.value')})"

Found = TypeVar("Found")


def boxes(connection: sqlite3.Connection, names: StringIds, scope: str, find: FindBoxes) -> list[BoxRow]:
    """List boxes, those of the latest turns first."""
    conditions: list[tuple[str, Any]] = [("scope = ?", names.number(connection, SCOPE, scope))]
    if find.only is not None:
        conditions.append((_ONLY.format("box"), id_list(set(find.only))))
    if find.session is not None:
        conditions.append(("session = ?", find.session))
    if find.trace is not None:
        conditions.append(("trace = ?", find.trace))
    if find.holding is not None:
        conditions.append((_HOLDING, id_list(set(find.holding))))
    if find.before is not None:
        conditions.append(("box < ?", find.before))
    is_open = "" if find.is_open is None else f" AND sealed_at IS {'' if find.is_open else 'NOT '}NULL"
    statement = _BOXES + " AND ".join(condition for condition, _ in conditions) + is_open
    rows = connection.execute(
        f"{statement} ORDER BY box DESC LIMIT ?", (*(value for _, value in conditions), find.limit)
    )
    return _read(rows.fetchall(), BOX_COLUMN, box_of)


def traces(connection: sqlite3.Connection, names: StringIds, scope: str, find: FindTraces) -> list[TraceRow]:
    """List traces, those of the latest turns first."""
    conditions: list[tuple[str, Any]] = [("scope = ?", names.number(connection, SCOPE, scope))]
    if find.only is not None:
        conditions.append((_ONLY.format("trace"), id_list(set(find.only))))
    if find.since is not None:
        conditions.append(("last_at >= ?", find.since))
    statement = _TRACES + " AND ".join(condition for condition, _ in conditions)
    rows = connection.execute(
        f"{statement} ORDER BY last_at DESC, trace DESC LIMIT ?",
        (*(value for _, value in conditions), find.limit),
    )
    return _read(rows.fetchall(), TRACE_COLUMN, trace_of)


def _read(
    rows: Sequence[tuple[Any, ...]],
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
