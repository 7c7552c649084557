"""What is kept beside memories: values and counters by name, leases, what sessions covered, how many turns were heard.

Neither audited nor undone. Each function runs inside one transaction; those that read need no more than a number.
"""

import sqlite3
import sys
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import orjson

from remanence.core.change import Fence
from remanence.core.clock import MINUTE
from remanence.core.model import INT_MAX
from remanence.core.snapshot import Ints
from remanence.store.audit_parts import refuse_lost
from remanence.store.base import LEASES_MOST, Bookkeeping, BookkeepResult
from remanence.store.sqlite.dialect import DECODING
from remanence.store.sqlite.string_ids import SCOPE, Fresh, StringIds
from remanence.store.sqlite.sums import record
from remanence.store.sqlite.transaction import CommitContext

_POSITION = "SELECT position FROM scopes WHERE scope = ?"
_SELECT_SETTING = "SELECT scope, name, value FROM settings WHERE scope = ? AND name = ?"
_SELECT_SETTINGS = (
    "SELECT settings.name, settings.value FROM json_each(?) AS given CROSS JOIN settings"
    " ON settings.scope = ? AND settings.name = given.value"
)
_SELECT_LEASE = "SELECT scope, name, holder, until, fence FROM leases WHERE scope = ? AND name = ?"
_PUT_LEASE = (
    "INSERT INTO leases (scope, name, holder, until, fence) VALUES (?, ?, ?, ?, ?) ON CONFLICT (scope, name)"
    " DO UPDATE SET holder = excluded.holder, until = excluded.until, fence = excluded.fence"
)
_FIRED_AT = "SELECT scope, rule, at FROM fired WHERE scope = ? AND rule = ?"
_FIRE = "INSERT INTO fired (scope, rule, at) VALUES (?, ?, ?) ON CONFLICT (scope, rule) DO UPDATE SET at = excluded.at"
# Spans are disjoint, so those that meet a new one lie together: from the last that began no later than it to the last
# that begins no later than its end.
_MEET = (
    "DELETE FROM spans WHERE scope = ?1 AND began_at <= ?3 AND ended_at >= ?2 AND began_at >="
    " (SELECT coalesce(max(began_at), ?2) FROM spans WHERE scope = ?1 AND began_at <= ?2)"
    " RETURNING began_at, ended_at"
)
_HEAR = (
    "INSERT INTO heard (scope, minute, turns) VALUES (?, ?, ?)"
    " ON CONFLICT (scope, minute) DO UPDATE SET turns = turns + excluded.turns"
)
_SELECT_COUNTER = "SELECT scope, name, count FROM counters WHERE scope = ? AND name = ?"
_PUT_COUNTER = (
    "INSERT INTO counters (scope, name, count) VALUES (?, ?, ?)"
    " ON CONFLICT (scope, name) DO UPDATE SET count = excluded.count"
)
_END_COUNTER = "DELETE FROM counters WHERE scope = ? AND name = ?"
_UNDER = "SELECT name, {value} FROM {table} WHERE scope = ? AND name >= ? AND name < ? ORDER BY name"
_CLOCKS = {
    "active": "SELECT began_at, ended_at FROM spans WHERE scope = ? ORDER BY began_at",
    "turns": "SELECT minute, turns FROM heard WHERE scope = ? ORDER BY minute",
}


def bookkeep(connection: sqlite3.Connection, names: Fresh, scope: str, asked: Bookkeeping) -> BookkeepResult:
    """Take a lease, write where it is given, then read what is asked for."""
    no = names.make(connection, SCOPE, scope)
    refuse_lost_lease(connection, no, asked.fence)
    fence = None if asked.lease is None else _take_lease(connection, no, asked.lease, asked.now)
    if asked.lease is None or fence is not None:
        _write(connection, no, asked)
    return _build_result(connection, no, asked, fence)


def _write(connection: sqlite3.Connection, no: int, asked: Bookkeeping) -> None:
    """Write values, counters and spans, and give a lease back."""
    put(connection, no, asked.put)
    if asked.count:
        record(connection, "counters", *add_counts(connection, no, asked.count))
    if asked.swap:
        values = read_values(connection, no, asked.swap)
        put(connection, no, {name: new for name, (old, new) in asked.swap.items() if values.get(name) == old})
    if asked.cover is not None:
        _cover_interval(connection, no, *asked.cover)
    if asked.release is not None:
        _release_lease(connection, no, *asked.release)


def read_bookkeeping(
    connection: sqlite3.Connection, names: StringIds, scope: str, asked: Bookkeeping
) -> BookkeepResult:
    """Answer what asks for no writing; a scope that nobody wrote to holds nothing."""
    return _build_result(connection, names.number(connection, SCOPE, scope) or 0, asked)


def refuse_lost_lease(connection: sqlite3.Connection, scope: int, fence: Fence | None) -> None:
    """Raise LeaseLost where work relies on a lease that another holder was given since."""
    if fence is None:
        return
    row = connection.execute(
        "SELECT fence FROM leases WHERE scope = ? AND name = ?", (scope, fence[0])
    ).fetchone()
    refuse_lost(fence, row[0] if row else None)


def hear(work: CommitContext, turns: int) -> None:
    """Add turns to the minute in which they were heard."""
    minute = work.cause.at // MINUTE * MINUTE
    work.connection.execute(_HEAR, (work.no, minute, turns))
    work.sums.increment_column("heard", [(work.no, minute)], "turns", turns)


def fire(work: CommitContext, rules: Iterable[str]) -> None:
    """Keep when rules have fired."""
    for rule in dict.fromkeys(rules):
        old = work.connection.execute(_FIRED_AT, (work.no, rule)).fetchall()
        new = (work.no, rule, work.cause.at)
        work.connection.execute(_FIRE, new)
        work.sums.remove_rows("fired", old)
        work.sums.add_rows("fired", [new])


def apply_bookkeeping(work: CommitContext) -> None:
    """Add to counters and put values together with what is committed."""
    old, new = add_counts(work.connection, work.no, work.cause.counts)
    work.sums.remove_rows("counters", old)
    work.sums.add_rows("counters", new)
    put(work.connection, work.no, work.cause.values)


def clock(connection: sqlite3.Connection, scope: int, name: str) -> Ints:
    """Return what a clock is read from: spans or turns heard, ascending."""
    rows = connection.execute(_CLOCKS[name], (scope,)).fetchall()
    with DECODING:
        if name == "turns" and not all(0 < turns <= INT_MAX for _, turns in rows):
            raise ValueError("turns that nobody can have heard")
        return np.array(rows, np.int64).reshape(-1, 2)


def _build_result(
    connection: sqlite3.Connection, no: int, asked: Bookkeeping, fence: int | None = None
) -> BookkeepResult:
    return BookkeepResult(
        read_values(connection, no, asked.get, asked.under),
        fence,
        spans=clock(connection, no, "active") if "active" in asked.clocks else None,
        heard=clock(connection, no, "turns") if "turns" in asked.clocks else None,
        counters=read_counters(connection, no, asked.counters),
        position=row[0] if (row := connection.execute(_POSITION, (no,)).fetchone()) else 0,
    )


def read_counters(connection: sqlite3.Connection, scope: int, under: Iterable[str]) -> dict[str, int]:
    """Return the counters whose names begin so."""
    statement = _UNDER.format(table="counters", value="count")
    return dict(
        row for start in under for row in connection.execute(statement, (scope, *_prefix_range(start)))
    )


def _prefix_range(start: str) -> tuple[str, str]:
    """Return from which name on to below which all names begin so."""
    return (start, start[:-1] + chr(ord(start[-1]) + 1)) if start else ("", chr(sys.maxunicode))


def read_values(
    connection: sqlite3.Connection, scope: int, wanted: Iterable[str], under: Iterable[str] = ()
) -> dict[str, Any]:
    """Return the values that there are, by name, and those of all names that begin so."""
    names, statement = orjson.dumps([*wanted]).decode(), _UNDER.format(table="settings", value="value")
    rows = connection.execute(_SELECT_SETTINGS, (names, scope)).fetchall() if names != "[]" else []
    rows += [row for start in under for row in connection.execute(statement, (scope, *_prefix_range(start)))]
    return decode_values(rows)


def decode_values(rows: Iterable[tuple[str, str]]) -> dict[str, Any]:
    """Return the values of rows by name."""
    with DECODING:
        values = {name: orjson.loads(value) for name, value in rows}
        if None in values.values():
            raise ValueError("a kept value is null")
        return values


def put(connection: sqlite3.Connection, scope: int, values: Mapping[str, Any]) -> None:
    """Put values and take away those that are None."""
    if not values:
        return
    keys = [(scope, name) for name in values]
    old = [row for key in keys for row in connection.execute(_SELECT_SETTING, key)]
    new = [(scope, name, orjson.dumps(value).decode()) for name, value in values.items() if value is not None]
    connection.executemany("DELETE FROM settings WHERE scope = ? AND name = ?", keys)
    connection.executemany("INSERT INTO settings (scope, name, value) VALUES (?, ?, ?)", new)
    record(connection, "settings", old, new)


Rows = list[tuple[Any, ...]]


def add_counts(connection: sqlite3.Connection, scope: int, counts: Mapping[str, int]) -> tuple[Rows, Rows]:
    """Add to counters by name; return the rows that were there and those that are. What comes to 0 is not kept."""
    keys = [(scope, name) for name in counts]
    old = [row for key in keys for row in connection.execute(_SELECT_COUNTER, key)]
    by_name = {name: count for _, name, count in old}
    totals = [(scope, name, by + by_name.get(name, 0)) for name, by in counts.items()]
    new = [row for row in totals if row[2]]
    connection.executemany(_PUT_COUNTER, new)
    connection.executemany(_END_COUNTER, [row[:2] for row in totals if not row[2]])
    return old, new


def _cover_interval(connection: sqlite3.Connection, scope: int, began: int, ended: int) -> None:
    """Join an interval with all that it meets."""
    met = connection.execute(_MEET, (scope, began, ended)).fetchall()
    began, ended = min([began, *(row[0] for row in met)]), max([ended, *(row[1] for row in met)])
    spans = [(scope, began, ended)] if began < ended else []
    connection.executemany("INSERT INTO spans (scope, began_at, ended_at) VALUES (?, ?, ?)", spans)
    record(connection, "spans", [(scope, *row) for row in met], spans)


def _take_lease(
    connection: sqlite3.Connection, scope: int, lease: tuple[str, str, int], now: int
) -> int | None:
    """Take or renew a lease; return its fence, or None where another holds it."""
    name, holder, until = lease
    old = connection.execute(_SELECT_LEASE, (scope, name)).fetchall()
    held_by, held_until, fence = old[0][2:] if old else ("", now, 0)
    if held_by != holder and now < held_until <= now + LEASES_MOST * (until - now):
        return None
    fence += held_by != holder
    new = (scope, name, holder, until, fence)
    connection.execute(_PUT_LEASE, new)
    record(connection, "leases", old, [new])
    return int(fence)


def _release_lease(connection: sqlite3.Connection, scope: int, name: str, holder: str) -> None:
    """Free a lease; its fence stays, so that the next holder's is higher."""
    old = connection.execute(f"{_SELECT_LEASE} AND holder = ?", (scope, name, holder)).fetchall()
    new = [(*row[:2], "", min(row[3], 0), row[4]) for row in old]
    connection.executemany(_PUT_LEASE, new)
    record(connection, "leases", old, new)
