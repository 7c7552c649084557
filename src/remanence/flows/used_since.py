"""What use alone has changed since a run does not stand in the way of undoing it, and is kept.

A row goes back to what it would be had the run not been and the use had: a link to its old weight and what use added,
a memory to its old days of use and those since. Knows changes and rows; reads and writes nothing.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from remanence.change import Change
from remanence.flows.uses import grown, seen
from remanence.model import Link, Memory
from remanence.store.rules import BUCKET_BITS, BUCKET_MAX, BUCKETS

_LINK_USE = frozenset({"weight", "count", "last_at"})  # what a use changes in a link
_MEMORY_USE = ("used_at", "use_days", "use_day")  # and what it sets in a memory, beside the counter


def link_kept(change: Change, link: Link) -> Change | None:
    """Let a link's change start from the link as use left it; None where something else has changed it."""
    before, after = dict(change.before or {}), dict(change.after or {})
    now = {name: getattr(link, name) for name in before}
    if not before.keys() >= _LINK_USE or now["count"] <= before["count"]:
        return None
    times = now["count"] - before["count"]
    used = {"weight": grown(before["weight"], times), "count": now["count"], "last_at": now["last_at"]}
    if {**before, **used} != now:
        return None
    back = {
        "weight": grown(after["weight"], times),
        "count": seen(after["count"], times),
        "last_at": now["last_at"],
    }
    return replace(change, before=now, after={**after, **back})


def memory_kept(change: Change, memory: Memory) -> Change:
    """Let a memory's change start from its times of use now."""
    before, after = dict(change.before or {}), dict(change.after or {})
    now = {name: getattr(memory, name) for name in _MEMORY_USE}
    if not before.keys() >= now.keys() or all(before[name] == value for name, value in now.items()):
        return change
    return replace(change, before={**before, **now}, after={**after, **_used(before, after, now)})


def _used(before: Mapping[str, Any], after: Mapping[str, Any], now: Mapping[str, Any]) -> dict[str, Any]:
    """Add the days of use between `before` and `now` to those of `after`."""
    day = max(now["use_day"], after["use_day"])
    was, is_, mine = (_days(row, day) for row in (before, now, after))
    kept = [
        min(old + max(0, late - early), BUCKET_MAX) for old, late, early in zip(mine, is_, was, strict=True)
    ]
    packed = sum(count << BUCKET_BITS * place for place, count in enumerate(kept))
    return {"used_at": now["used_at"], "use_days": packed, "use_day": day}


def _days(row: Mapping[str, Any], day: int) -> list[int]:
    """Return how often a row was used on a day and on each of the six before it."""
    passed = day - row["use_day"]
    return [
        row["use_days"] >> BUCKET_BITS * (place - passed) & BUCKET_MAX if place >= passed else 0
        for place in range(BUCKETS)
    ]
