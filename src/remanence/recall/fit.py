"""The cut of a ranking to a limit and a token budget. Knows ranks and sizes, no texts."""

from collections.abc import Collection, Mapping, Sequence
from types import MappingProxyType

SAID = "what stands here already says it"


def fit(
    tokens: Sequence[int],
    limit: int,
    budget: int | None,
    same: Mapping[int, Collection[int]] = MappingProxyType({}),
) -> tuple[list[int], list[tuple[int, str]]]:
    """Return (places kept, places dropped with the reason), in order of rank.

    `tokens` are sizes by rank. Greedy: what does not fit is skipped, so that one oversized memory does not block those
    behind it. `same` maps a place to those that say the same, of which one alone is kept. Nothing is said of what ranks
    below the last place that the limit allows.
    """
    kept: list[int] = []
    dropped: list[tuple[int, str]] = []
    used = 0
    for place, size in enumerate(tokens):
        if len(kept) == limit:
            break
        if any(other in kept for other in same.get(place, ())):
            dropped.append((place, SAID))
            continue
        if budget is not None and used + size > budget:
            dropped.append((place, _reason(size, budget, used)))
            continue
        kept.append(place)
        used += size
    return kept, dropped


def _reason(size: int, budget: int, used: int) -> str:
    if size > budget:
        return f"its {size} tokens are more than the whole budget of {budget}"
    return f"its {size} tokens do not fit into the {budget - used} left of {budget}"
