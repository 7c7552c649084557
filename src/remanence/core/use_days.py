"""On which of seven days a memory was used, and how often: counts packed in bytes, the newest day lowest."""

from collections.abc import Mapping
from typing import Any

BUCKETS = 7
BUCKET_BITS = 8
BUCKET_MAX = (1 << BUCKET_BITS) - 1


def add_use_days(
    before: Mapping[str, Any], after: Mapping[str, Any], now: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the use columns of `after` with the uses that `now` has beyond `before`."""
    day = max(now["use_day"], after["use_day"])
    earlier, later, own = (_count_days(row, day) for row in (before, now, after))
    counts = [
        min(mine + max(0, new - old), BUCKET_MAX) for mine, new, old in zip(own, later, earlier, strict=True)
    ]
    use_days = sum(count << BUCKET_BITS * place for place, count in enumerate(counts))
    return {"used_at": now["used_at"], "use_days": use_days, "use_day": day}


def _count_days(row: Mapping[str, Any], day: int) -> list[int]:
    """Return how often a row was used on a day and on each of the six before it."""
    age = day - row["use_day"]
    return [
        row["use_days"] >> BUCKET_BITS * (place - age) & BUCKET_MAX if place >= age else 0
        for place in range(BUCKETS)
    ]
