"""Leases, values, counters and what sessions covered, as the reference store keeps them beside its memories.

Knows names, times and holders; knows nothing of scopes.
"""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from remanence.store.base import LEASES_MOST


def merge_span(spans: Sequence[tuple[int, int]], cover: tuple[int, int]) -> list[tuple[int, int]]:
    """Return spans with one interval more, which takes in all that it meets; an empty one covers nothing."""
    met = [span for span in spans if span[0] <= cover[1] and span[1] >= cover[0]]
    union = min(span[0] for span in (cover, *met)), max(span[1] for span in (cover, *met))
    apart = [span for span in spans if span not in met]
    return sorted([*apart, union]) if union[0] < union[1] else apart


def lease(
    leases: dict[str, tuple[str, int, int]], name: str, holder: str, until: int, *, now: int
) -> int | None:
    """Take or renew a lease; return its fence, or None where another holds it."""
    held_by, held_until, fence = leases.get(name, ("", now, 0))
    if held_by != holder and now < held_until <= now + LEASES_MOST * (until - now):
        return None
    leases[name] = (holder, until, fence + (held_by != holder))
    return leases[name][2]


def release(leases: dict[str, tuple[str, int, int]], name: str, holder: str) -> None:
    """Free a lease; its fence stays, so that the next holder's is higher."""
    held_by, until, fence = leases.get(name, ("", 0, 0))
    if held_by == holder:
        leases[name] = ("", min(until, 0), fence)


def put(values: Mapping[str, Any], new: Mapping[str, Any]) -> dict[str, Any]:
    """Return values as JSON keeps them with some set anew, without those that are set to None."""
    entries = {**values, **json.loads(json.dumps(dict(new)))}
    return {name: value for name, value in entries.items() if value is not None}


def add_counts(counters: Counter[str], counts: Mapping[str, int]) -> Counter[str]:
    """Return the counters with so much added; one that comes to 0 is gone."""
    totals = Counter(counters)
    totals.update(counts)
    return Counter({name: count for name, count in totals.items() if count})
