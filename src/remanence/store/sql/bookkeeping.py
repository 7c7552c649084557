"""What is kept beside memories: values and counters by name, leases, what sessions covered, how many turns were heard.

Neither audited nor undone. Each function runs inside one transaction.
"""

import sys
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
import orjson

from remanence.core.change import Fence
from remanence.core.clock import MINUTE
from remanence.core.model import INT_MAX
from remanence.core.snapshot import Ints
from remanence.store.audit_parts import refuse_lost
from remanence.store.base import LEASES_MOST, Bookkeeping, BookkeepResult
from remanence.store.sql.database import Row
from remanence.store.sql.decoding import DECODING
from remanence.store.sql.dialect import Dialect, Statement, build_insert
from remanence.store.sql.scope import OpenScope
from remanence.store.sql.transaction import CommitContext

_LEASE = ("scope", "name", "holder", "until", "fence")
_SELECT_LEASE = Statement(f"SELECT {', '.join(_LEASE)} FROM leases WHERE scope = ?1 AND name = ?2")
_PUT_LEASE = Statement(build_insert("leases", _LEASE, _LEASE[:2]))
_FENCE = Statement("SELECT fence FROM leases WHERE scope = ?1 AND name = ?2")
_FIRED_AT = Statement(
    lambda sql: f"SELECT scope, rule, at FROM fired WHERE scope = ?1 AND rule {sql.among_texts(2)}"
)
_FIRE = Statement(build_insert("fired", ("scope", "rule", "at"), ("scope", "rule")))
# Spans are disjoint, so those that meet a new one lie together: from the last that began no later than it to the last
# that begins no later than its end.
_MEET = Statement(
    "DELETE FROM spans WHERE scope = ?1 AND began_at <= ?3 AND ended_at >= ?2 AND began_at >="
    " (SELECT coalesce(max(began_at), ?2) FROM spans WHERE scope = ?1 AND began_at <= ?2)"
    " RETURNING scope, began_at, ended_at"
)
_COVER = Statement(build_insert("spans", ("scope", "began_at", "ended_at")))
_HEAR = Statement(
    build_insert("heard", ("scope", "minute", "turns"))
    + " ON CONFLICT (scope, minute) DO UPDATE SET turns = heard.turns + excluded.turns"
)
# What is put takes the place of what is taken away before.
_TAKE_SETTINGS = Statement(
    lambda sql: (
        f"DELETE FROM settings WHERE scope = ?1 AND name {sql.among_texts(2)} RETURNING scope, name, value"
    )
)
_PUT_SETTING = Statement(build_insert("settings", ("scope", "name", "value")))
_TAKE_COUNTERS = Statement(
    lambda sql: (
        f"DELETE FROM counters WHERE scope = ?1 AND name {sql.among_texts(2)} RETURNING scope, name, count"
    )
)
_PUT_COUNTER = Statement(build_insert("counters", ("scope", "name", "count")))
_CLOCKS = {
    "active": Statement("SELECT began_at, ended_at FROM spans WHERE scope = ?1 ORDER BY began_at"),
    "turns": Statement("SELECT minute, turns FROM heard WHERE scope = ?1 ORDER BY minute"),
}


def bookkeep(scope: OpenScope, asked: Bookkeeping) -> BookkeepResult:
    """Take a lease, write where it is given, then read what is asked for."""
    refuse_lost_lease(scope, asked.fence)
    fence = None if asked.lease is None else _take_lease(scope, asked.lease, asked.now)
    if asked.lease is None or fence is not None:
        _write(scope, asked)
    return _build_result(scope, asked, fence)


def _write(scope: OpenScope, asked: Bookkeeping) -> None:
    """Write values, counters and spans, and give a lease back."""
    put(scope, asked.put)
    add_counts(scope, asked.count)
    if asked.swap:
        values = read_values(scope, asked.swap)
        put(scope, {name: new for name, (old, new) in asked.swap.items() if values.get(name) == old})
    if asked.cover is not None:
        _cover_interval(scope, *asked.cover)
    if asked.release is not None:
        _release_lease(scope, *asked.release)


def read_bookkeeping(scope: OpenScope, asked: Bookkeeping) -> BookkeepResult:
    """Answer what asks for no writing; a scope that nobody wrote to holds nothing."""
    return _build_result(scope, asked)


def refuse_lost_lease(scope: OpenScope, fence: Fence | None) -> None:
    """Raise LeaseLost where work relies on a lease that another holder was given since."""
    if fence is None:
        return
    row = scope.db.row(_FENCE, (scope.no, fence[0]))
    refuse_lost(fence, row[0] if row else None)


def hear(work: CommitContext, turns: int) -> None:
    """Add turns to the minute in which they were heard."""
    minute = work.cause.at // MINUTE * MINUTE
    work.db.run(_HEAR, (work.no, minute, turns))
    work.sums.increment_column("heard", [(minute,)], "turns", turns)


def fire(work: CommitContext, rules: Iterable[str]) -> None:
    """Keep when rules have fired."""
    new = [(work.no, rule, work.cause.at) for rule in dict.fromkeys(rules)]
    old = work.db.rows(_FIRED_AT, (work.no, work.db.make_list(rule for _, rule, _ in new)))
    work.db.run_many(_FIRE, new)
    work.sums.replace_rows("fired", old, new)


def apply_bookkeeping(work: CommitContext) -> None:
    """Add to counters and put values together with what is committed."""
    add_counts(work.scope, work.cause.counts)
    put(work.scope, work.cause.values)


def clock(scope: OpenScope, name: str) -> Ints:
    """Return what a clock is read from: spans or turns heard, ascending."""
    rows = scope.db.rows(_CLOCKS[name], (scope.no,))
    with DECODING:
        if name == "turns" and not all(0 < turns <= INT_MAX for _, turns in rows):
            raise ValueError("turns that nobody can have heard")
        return np.array(rows, np.int64).reshape(-1, 2)


def _build_result(scope: OpenScope, asked: Bookkeeping, fence: int | None = None) -> BookkeepResult:
    values, counters = _read_named(scope, asked.get, asked.under, asked.counters)
    return BookkeepResult(
        values,
        fence,
        spans=clock(scope, "active") if "active" in asked.clocks else None,
        heard=clock(scope, "turns") if "turns" in asked.clocks else None,
        counters=counters,
        position=scope.row.position,
    )


def read_counters(scope: OpenScope, under: Iterable[str]) -> dict[str, int]:
    """Return the counters whose names begin so."""
    return _read_named(scope, (), (), under)[1]


def read_values(scope: OpenScope, wanted: Iterable[str], under: Iterable[str] = ()) -> dict[str, Any]:
    """Return the values that there are, by name, and those of all names that begin so."""
    return _read_named(scope, wanted, under, ())[0]


def _read_named(
    scope: OpenScope, wanted: Iterable[str], under: Iterable[str], counters: Iterable[str]
) -> tuple[dict[str, Any], dict[str, int]]:
    """Return values by name and by how names begin, and counters by how names begin: in one statement."""
    names, values_under, counters_under = [*wanted], [*under], [*counters]
    if not (names or values_under or counters_under):
        return {}, {}
    statement = _select_named(bool(names), len(values_under), len(counters_under))
    parameters = [scope.no, *([scope.db.make_list(names)] if names else ())]
    for start in (*values_under, *counters_under):
        parameters += _prefix_range(start)
    rows = sorted(scope.db.rows(statement, parameters), key=_name_of)
    values = decode_values((name, value) for name, value, _ in rows if value is not None)
    return values, {name: count for name, _, count in rows if count is not None}


@lru_cache(maxsize=64)
def _select_named(named: bool, values_under: int, counters_under: int) -> Statement:
    """Return what reads name, value and count: by a list of names, and by so many ranges of names."""

    def render(sql: Dialect) -> str:
        value = "SELECT name, value, CAST(NULL AS bigint) AS count FROM settings WHERE scope = ?1 AND name"
        count = "SELECT name, CAST(NULL AS text) AS value, count FROM counters WHERE scope = ?1 AND name"
        parts = [f"{value} {sql.among_texts(2)}"] if named else []
        at = 2 + named
        for select in (*[value] * values_under, *[count] * counters_under):
            parts.append(f"{select} >= ?{at} AND name < ?{at + 1}")
            at += 2
        return " UNION ALL ".join(parts)

    return Statement(render)


def _name_of(row: Row) -> Any:
    return row[0]


def _prefix_range(start: str) -> tuple[str, str]:
    """Return from which name on to below which all names begin so."""
    return (start, start[:-1] + chr(ord(start[-1]) + 1)) if start else ("", chr(sys.maxunicode))


def decode_values(rows: Iterable[Sequence[str]]) -> dict[str, Any]:
    """Return the values of rows by name."""
    with DECODING:
        values = {name: orjson.loads(value) for name, value in rows}
        if None in values.values():
            raise ValueError("a kept value is null")
        return values


def put(scope: OpenScope, values: Mapping[str, Any]) -> None:
    """Put values and take away those that are None."""
    if not values:
        return
    new = [
        (scope.no, name, orjson.dumps(value).decode()) for name, value in values.items() if value is not None
    ]
    old = scope.db.rows(_TAKE_SETTINGS, (scope.no, scope.db.make_list(values)))
    if new:
        scope.db.run_many(_PUT_SETTING, new)
    scope.sums.replace_rows("settings", old, new)


def add_counts(scope: OpenScope, counts: Mapping[str, int]) -> None:
    """Add to counters by name. What comes to 0 is not kept."""
    if not counts:
        return
    old = scope.db.rows(_TAKE_COUNTERS, (scope.no, scope.db.make_list(counts)))
    former = {name: count for _, name, count in old}
    totals = [(scope.no, name, by + former.get(name, 0)) for name, by in counts.items()]
    new = [row for row in totals if row[2]]
    if new:
        scope.db.run_many(_PUT_COUNTER, new)
    scope.sums.replace_rows("counters", old, new)


def _cover_interval(scope: OpenScope, began: int, ended: int) -> None:
    """Join an interval with all that it meets."""
    met = scope.db.rows(_MEET, (scope.no, began, ended))
    began, ended = min([began, *(row[1] for row in met)]), max([ended, *(row[2] for row in met)])
    spans = [(scope.no, began, ended)] if began < ended else []
    if spans:
        scope.db.run_many(_COVER, spans)
    scope.sums.replace_rows("spans", met, spans)


def _take_lease(scope: OpenScope, lease: tuple[str, str, int], now: int) -> int | None:
    """Take or renew a lease; return its fence, or None where another holds it."""
    name, holder, until = lease
    old = scope.db.rows(_SELECT_LEASE, (scope.no, name))
    held_by, held_until, fence = old[0][2:] if old else ("", now, 0)
    if held_by != holder and now < held_until <= now + LEASES_MOST * (until - now):
        return None
    fence += held_by != holder
    new = (scope.no, name, holder, until, fence)
    scope.db.run(_PUT_LEASE, new)
    scope.sums.replace_rows("leases", old, [new])
    return int(fence)


def _release_lease(scope: OpenScope, name: str, holder: str) -> None:
    """Free a lease; its fence stays, so that the next holder's is higher."""
    old = [row for row in scope.db.rows(_SELECT_LEASE, (scope.no, name)) if row[2] == holder]
    if old:
        new = [(*row[:2], "", min(row[3], 0), row[4]) for row in old]
        scope.db.run_many(_PUT_LEASE, new)
        scope.sums.replace_rows("leases", old, new)
