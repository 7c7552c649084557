"""What is not memory and is neither audited nor undone: values by name, counters, leases, what sessions covered.

Knows its nodes; knows nothing of memories.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np
import orjson

from remanence.store.audit_parts import refuse_lost
from remanence.store.base import Bookkeeping, BookkeepResult, Ints
from remanence.store.neo4j.neo_transactions import Transaction, WriteOutcome
from remanence.store.row_rules import lease, put, release

MILLISECOND = 1_000
Leases = dict[str, tuple[str, int, int]]


def read_settings(db: Transaction, names: Collection[str], under: Sequence[str] = ()) -> dict[str, Any]:
    """Return the values of these names and of those that begin so, in order."""
    if not names and not under:
        return {}
    rows = db.rows("read_settings", names=[*names], under=[*under])
    return {row["name"]: orjson.loads(row["value"]) for row in rows}


def put_settings(db: Transaction, values: Mapping[str, Any]) -> None:
    """Put values by name; None takes one away."""
    kept = put({}, values)
    if kept:
        db.run(
            "put_settings",
            rows=[[name, orjson.dumps(value).decode()] for name, value in sorted(kept.items())],
        )
    if gone := sorted(values.keys() - kept.keys()):
        db.run("remove_settings", names=gone)


def read_counters(db: Transaction, under: Sequence[str]) -> dict[str, int]:
    """Return the counters whose names begin so, in order."""
    if not under:
        return {}
    return {row["name"]: row["count"] for row in db.rows("read_counters", under=[*under])}


def add_counts(db: Transaction, counts: Mapping[str, int]) -> None:
    """Add to counters by name; one that comes to 0 is gone."""
    if rows := [[name, count] for name, count in sorted(counts.items()) if count]:
        db.run("add_counts", rows=rows)


def read_clocks(db: Transaction, names: Collection[str]) -> tuple[Ints | None, Ints | None]:
    """Return what the clocks of sessions and of turns are read from, None for one that is not asked for."""
    spans = _read_pairs(db, "read_spans") if "active" in names else None
    heard = _read_pairs(db, "read_heard") if "turns" in names else None
    return spans, heard


def _read_pairs(db: Transaction, name: str) -> Ints:
    return np.array([tuple(row) for row in db.rows(name)], np.int64).reshape(-1, 2)


def keep_books(db: Transaction, asked: Bookkeeping) -> WriteOutcome[BookkeepResult]:
    """Write what is asked, where a lease that is asked for is given, and return what then is."""
    scope = db.lock_scope()
    names = {one[0] for one in (asked.lease, asked.release, asked.fence) if one is not None}
    leases: Leases = {
        row["name"]: (row["holder"], row["until"], row["fence"])
        for row in (db.rows("read_leases", names=sorted(names)) if names else ())
    }
    if asked.fence is not None:
        name = asked.fence[0]
        refuse_lost(asked.fence, leases[name][2] if name in leases else None)
    fence = None if asked.lease is None else _take_lease(db, leases, asked)
    if asked.lease is None or fence is not None:
        _write_books(db, leases, asked)
        rows = [[name, *one] for name, one in sorted(leases.items())]
        if rows:
            db.run("put_leases", rows=rows)
    return WriteOutcome(read_books(db, asked, scope.values["position"], fence), scope.is_new)


def read_books(
    db: Transaction, asked: Bookkeeping, position: int, fence: int | None = None
) -> BookkeepResult:
    """Return values, counters and clocks that are asked for."""
    spans, heard = read_clocks(db, asked.clocks)
    return BookkeepResult(
        values=read_settings(db, asked.get, asked.under),
        fence=fence,
        spans=spans,
        heard=heard,
        counters=read_counters(db, asked.counters),
        position=position,
    )


def _take_lease(db: Transaction, leases: Leases, asked: Bookkeeping) -> int | None:
    """Take a lease by the clock of the server; what lies between two times is the caller's."""
    assert asked.lease is not None
    name, holder, until = asked.lease
    row = db.row("read_clock")
    assert row is not None
    now = row["now"] * MILLISECOND
    return lease(leases, name, holder, now + until - asked.now, now=now)


def _write_books(db: Transaction, leases: Leases, asked: Bookkeeping) -> None:
    add_counts(db, asked.count)
    present = {**read_settings(db, asked.swap.keys()), **asked.put}
    swaps = {name: new for name, (old, new) in asked.swap.items() if present.get(name) == old}
    put_settings(db, {**asked.put, **swaps})
    if asked.cover is not None:
        db.run("cover_span", began=asked.cover[0], ended=asked.cover[1])
    if asked.release is not None:
        release(leases, *asked.release)
