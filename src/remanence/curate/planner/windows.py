"""Windows: which memories lie beyond a limit, or within the first few, in each partition.

Knows sorting and filling; knows nothing of what is then done to them.
"""

from dataclasses import dataclass

import numpy as np

from remanence.curate.language.derived import shown_length
from remanence.curate.language.view import Array, Node, View
from remanence.curate.policy.rules import Keep, Rule
from remanence.model import Status
from remanence.snapshot import Bools, Ints


@dataclass(frozen=True, slots=True)
class Window:
    """What a window selects, and the rows of partitions whose protected memories alone exceed the budget."""

    rows: Ints
    overfull: Ints


def select(rule: Rule, view: View, matched: Ints, seen: Bools, protected: Bools) -> Window:
    """Return which of the matched rows that the rule sees lie beyond `keep` or within `top`; all without a window.

    Protected rows are counted first against a budget of tokens or words and never selected by it; what is larger than
    all of it is passed over where the rule says so. A share is of
    all that match, in sight or not: of what is left it would be half, and half of that, for ever. Tombstones are
    not counted, because what a purge takes away must not make the share smaller.
    """
    keep = rule.keep
    counted = view.column("status") < Status.PRUNED if keep is not None and keep.unit == "share" else seen
    rows = matched[counted[matched]]
    if keep is not None and keep.passes_over:
        rows = rows[shown_length(view, keep.unit)[rows] <= keep.amount]
    nothing = rows[:0]
    if not rule.windowed or not len(rows):
        return Window(rows, nothing)
    # Newest first from the start: a stable sort then leaves ties so.
    rows = rows[::-1]
    part = _partitions(rule, view, rows)
    first = (protected if keep is not None and keep.is_budget else seen)[rows]
    keys = [*_sort_keys(rule, view, rows), *([] if first.all() else [~first]), *([part] if rule.per else [])]
    if keys:
        order = np.lexsort(keys)
        rows, part, first = rows[order], part[order], first[order]
    if keep is not None and keep.is_budget:
        beyond, overfull = _beyond_budget(shown_length(view, keep.unit)[rows], part, first, keep)
        return Window(np.sort(rows[beyond]), rows[overfull])
    return Window(np.sort(rows[_chosen(rule, part) & first]), nothing)


def _chosen(rule: Rule, part: Ints) -> Bools:
    """Choose by place within the partition."""
    place, keep = _places(part), rule.keep
    if keep is None:
        return np.asarray(place < (rule.top or 0))
    counts = np.bincount(part)
    if keep.unit == "share":
        return np.asarray(place >= np.ceil(keep.amount * counts)[part])
    return np.asarray(place >= _mark(keep, counts)[part])


def _mark(keep: Keep, there: Array) -> Array:
    """Return how much each partition may hold: the amount, or the lower mark where there is more than that."""
    return np.where(there > keep.amount, np.floor(keep.amount * keep.down_to), keep.amount)


def _partitions(rule: Rule, view: View, rows: Ints) -> Ints:
    """Number the partition of each row; an absent name is a partition of its own."""
    part = np.zeros(len(rows), np.int64)
    for name in rule.per:
        codes = view.column(name)[rows].astype(np.int64) + 1
        part = part * (int(codes.max()) + 1) + codes
        part = np.unique(part, return_inverse=True)[1].astype(np.int64)
    return part


def _sort_keys(rule: Rule, view: View, rows: Ints) -> list[Array]:
    """Return sort keys for lexsort, the first of the rule last.

    What cannot be compared is kept by `keep` and left out by `top`: unknown protects.
    """
    some = view.take(rows)
    last = rule.top is not None
    keys = rule.order[:-1] if _newest_first(rule.order[-1]) else rule.order
    return [sort_key(some, node, descending, last) for node, descending in reversed(keys)]


def _newest_first(key: tuple[Node, bool]) -> bool:
    return key[0].text == "seq" and key[1]


def sort_key(view: View, node: Node, descending: bool, unknown_last: bool) -> Array:
    """Return what sorts memories by an expression, the first lowest; what cannot be compared is put at one end."""
    values = np.broadcast_to(np.asarray(node.run(view), np.float64), len(view))
    if node.type == "label":
        values = np.where(values < 0, np.nan, values)
    ranked = -values if descending else values
    return np.where(np.isnan(ranked), np.inf if unknown_last else -np.inf, ranked)


def _places(part: Ints) -> Ints:
    """Return each row's place, from 0, in its run of equal partition numbers."""
    begins = np.flatnonzero(np.r_[True, part[1:] != part[:-1]])
    return np.arange(len(part)) - np.repeat(begins, np.diff(np.r_[begins, len(part)]))


def _beyond_budget(cost: Ints, part: Ints, first: Bools, keep: Keep) -> tuple[Bools, Bools]:
    """Fill each partition's budget greedily: what does not fit is passed over, and the next is tried.

    Return what does not fit, and where the protected alone exceed the budget; there nothing is moved, because no
    amount of moving would help.
    """
    spent = np.bincount(part[first], cost[first], minlength=int(part.max()) + 1)
    # Of nothing, bincount makes integers whatever the weights are.
    overfull = (spent > keep.amount)[part]
    left = np.maximum(_mark(keep, np.bincount(part, cost)) - spent.astype(np.float64), 0)
    beyond = np.zeros(len(part), np.bool_)
    open_rows = np.flatnonzero(~first & ~overfull)
    while len(open_rows):
        too_big = cost[open_rows] > left[part[open_rows]]
        beyond[open_rows[too_big]] = True
        open_rows = open_rows[~too_big]
        running = _running(cost[open_rows], part[open_rows])
        fits = running <= left[part[open_rows]]
        taken = open_rows[fits]
        left -= np.bincount(part[taken], cost[taken], minlength=len(left))
        open_rows = open_rows[~fits]
    return beyond, overfull


def _running(cost: Ints, part: Ints) -> Array:
    """Sum costs from the beginning of each partition."""
    total = np.cumsum(cost)
    place = _places(part) if len(part) else part
    begin = np.arange(len(part)) - place
    return total - np.where(begin > 0, total[begin - 1], 0)
