"""Short ways to write changes and causes in tests. Knows columns; knows no store."""

import asyncio
import hashlib
from collections.abc import Awaitable, Mapping, Sequence
from typing import Any, TypeVar
from uuid import uuid4

import numpy as np

from remanence.core.change import (
    ABSENT,
    FRACTIONS,
    GUARDS,
    MILLION,
    Block,
    Cause,
    Change,
    CommitResult,
    Entry,
    Increment,
    Ints,
)
from remanence.core.clock import DAY, MINUTE, SECOND
from remanence.core.model import Link, Memory, Reason, Relation, Status, Tier
from remanence.store.base import Check, Store
from remanence.store.capabilities import VECTORS, can, complete
from remanence.text.analysis import fingerprint

NOW = 20_000 * DAY  # some day in 2024
LONG, SHORT = 10 * MINUTE, SECOND // 5  # leases that no test outlives, and that a test waits for

SCOPE = "contract"

E = TypeVar("E", bound=BaseException)


def make_cause(verb: str = "learn", at: int = NOW, **more: Any) -> Cause:
    """Give a cause in a run of its own, unless `run` names one."""
    run = more.pop("run", None) or uuid4().hex
    return Cause(verb, at, run, **more)


def create_change(k: int, text: str, **columns: Any) -> Change:
    """Create the memory with the placeholder -k."""
    defaults = {
        "id": hashlib.blake2b(f"{k} {text}".encode(), digest_size=16).hexdigest(),
        "text": text,
        "fingerprint": fingerprint(text),
        **dict.fromkeys(("said_at", "learned_at", "status_at", "tier_at"), NOW),
    }
    return Change("memories", -k, None, defaults | columns)


def update_change(memory: Memory, **columns: Any) -> Change:
    """Change columns of a memory as it was read; `revision` guards it, counters change by Increment."""
    before: dict[str, Any] = {
        name: Increment(-value.by) if isinstance(value, Increment) else getattr(memory, name)
        for name, value in columns.items()
    }
    after = dict(columns)
    if not all(isinstance(value, Increment) for value in columns.values()):
        before["revision"] = memory.revision
        after["revision"] = memory.revision + 1
    return Change("memories", memory.seq, before, after)


def destructive(change: Change, memory: Memory) -> Change:
    """Let a change refuse a memory that was used or linked since it was read."""
    return Change(
        change.table, change.key, {**(change.before or {}), "touched": memory.touched}, change.after
    )


def archive_change(memory: Memory, reason: Reason = Reason.DECAYED) -> Change:
    """Archive a memory as it was read."""
    return update_change(memory, status=Status.ARCHIVED, tier=Tier.ARCHIVE, reason=reason)


def prune_change(memory: Memory, reason: Reason = Reason.FORGOTTEN) -> Change:
    """Make a memory a tombstone, unless it was used or linked since it was read."""
    tier = {"tier": Tier.COLD} if memory.tier == Tier.ARCHIVE else {}
    return destructive(update_change(memory, status=Status.PRUNED, reason=reason, **tier), memory)


def destroy_changes(memory: Memory) -> list[Change]:
    """Take a memory's row away with its tags and sources, unless it was used or linked since it was read."""
    guards = {"revision": memory.revision, "touched": memory.touched}
    return [
        *(Change("tags", (memory.seq, tag), {}, None) for tag in memory.tags),
        *(Change("sources", (memory.seq, source), {}, None) for source in memory.sources),
        Change("memories", memory.seq, guards, None),
    ]


def tag_change(seq: int, tag: str) -> Change:
    """Give a memory a tag."""
    return Change("tags", (seq, tag), None, {})


def source_change(seq: int, source: str, span: str | None = None) -> Change:
    """Give a memory a source."""
    return Change("sources", (seq, source), None, {"span": span})


def box_change(box: int, members: Sequence[int], session: str = "s1", **values: Any) -> Change:
    """Make a box of turns."""
    columns = {
        "session": session,
        "topics": {"a1": MILLION},
        "members": list(members),
        "opened_at": NOW,
        "last_at": NOW,
        **values,
    }
    return Change("boxes", box, None, columns)


def trace_change(trace: int, last_at: int = NOW) -> Change:
    """Make a trace."""
    return Change("traces", trace, None, {"topics": {"a1": MILLION}, "began_at": NOW, "last_at": last_at})


def link_change(source: int, target: int, relation: Relation = Relation.REFERS, **values: Any) -> Change:
    """Link two memories."""
    return Change(
        "links", (source, target, int(relation)), None, {"created_at": NOW, "last_at": NOW, **values}
    )


def unlink_change(link: Link) -> Change:
    """Cut a link as it was read."""
    return Change("links", link.key, link.values, None)


def block(changes: Sequence[Change]) -> Block:
    """Put changes of one table that name the same columns into one block."""
    sorted_changes = sorted(changes, key=lambda change: change.key)
    sides = [
        [dict(side) if side is not None else None for side in (one.before, one.after)]
        for one in sorted_changes
    ]
    names = [name for side in sides[0] for name in side or ()]
    columns = tuple(dict.fromkeys(name for name in names if name not in GUARDS))
    before, after = ([side[place] for side in sides] for place in (0, 1))
    return Block(
        table="links" if sorted_changes[0].table == "links" else "memories",
        columns=columns,
        keys=np.array([change.key for change in sorted_changes], np.int64),
        before=_matrix(columns, before),
        after=_matrix(columns, after),
        revision=_guard("revision", before),
        touched=_guard("touched", before),
    )


def _matrix(columns: Sequence[str], rows: Sequence[Mapping[str, Any] | None]) -> Ints | None:
    if rows[0] is None:
        return None
    values = [[_encode_value(name, (row or {})[name]) for name in columns] for row in rows]
    return np.array(values, np.int64).reshape(len(rows), len(columns))


def _encode_value(name: str, value: Any) -> int:
    if value is None:
        return ABSENT
    return round(value * MILLION) if name in FRACTIONS else int(value)


def _guard(name: str, rows: Sequence[Mapping[str, Any] | None]) -> Ints | None:
    values = [row[name] for row in rows if row is not None and name in row]
    return np.array(values, np.int64) if values else None


def has_own_clock(store: Store) -> bool:
    """Tell whether the leases of a store go by its own clock, as those of a server do, and not by the caller's."""
    return getattr(store, "has_own_clock", False)


async def let_pass(store: Store, micros: int) -> None:
    """Let time pass for a store with a clock of its own; the caller's clock moves as the caller says."""
    if has_own_clock(store):
        await asyncio.sleep(micros / SECOND)


async def keep(
    store: Store, *changes: Entry, scope: str = SCOPE, verb: str = "learn", **more: Any
) -> CommitResult:
    """Commit changes in a run of their own."""
    return await store.commit(scope, changes, make_cause(verb, **more))


async def one(store: Store, seq: int, scope: str = SCOPE) -> Memory:
    """Return a memory that must exist."""
    (memory,) = await store.get(scope, [seq])
    assert memory is not None, f"memory {seq} has no row"
    return memory


async def expect_error(kind: type[E], doing: Awaitable[object]) -> E:
    """Return the error of this kind that something raises; fail where it raises none."""
    try:
        await doing
    except kind as error:
        return error
    raise AssertionError(f"{kind.__name__} was not raised")


async def find_damage(store: Store) -> list[Check]:
    """Return what a store says is damaged; one that does not look through what it holds says nothing."""
    return [check for check in await complete(store).check() if not check.ok]


def vector_column(store: Store, vector: bytes) -> dict[str, bytes]:
    """Return the column of a memory's own vector; none for a store that keeps no vectors."""
    return {"vector": vector} if can(store, VECTORS) else {}
