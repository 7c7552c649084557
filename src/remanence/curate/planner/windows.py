"""Windows: which memories lie beyond a limit, or within the first few, in each partition.

Knows sorting and filling; knows nothing of what is then done to them.
"""

from dataclasses import dataclass

import numpy as np

from remanence.core.model import Form, Status
from remanence.core.snapshot import Bools, Ints
from remanence.curate.language.derived import shown_length
from remanence.curate.language.view import Array, Node, View
from remanence.curate.policy.rules import Keep, Rule


@dataclass(frozen=True, slots=True)
class Window:
    """What a window selects, and the rows of partitions that it cannot bring within the budget.

    Of those that are `overfull` the protected memories alone exceed it, and nothing is selected; of those that are
    `unmet` all is selected that may be, and it is not enough.
    """

    rows: Ints
    overfull: Ints
    unmet: Ints


@dataclass(frozen=True, eq=False, slots=True)
class Sight:
    """Which rows a rule looks at, those that it (of a ladder, the last rung) may not touch, and what can be shorter."""

    seen: Bools
    protected: Bools
    shrinks: Bools


def select(rule: Rule, view: View, matched: Ints, sight: Sight) -> Window:
    """Return which of the matched rows that the rule sees lie beyond `keep` or within `top`; all without a window.

    Protected rows are counted first against a budget of tokens or words and never selected by it; what is larger than
    all of it is passed over where the rule says so. A share is of
    all that match, in sight or not: of what is left it would be half, and half of that, for ever. Tombstones are
    not counted, because what a purge takes away must not make the share smaller. A rung of a ladder selects what is
    left to do once all rungs before it have done what they can.
    """
    keep, seen = rule.keep, sight.seen
    is_counted = view.column("status") < Status.PRUNED if keep is not None and keep.unit == "share" else seen
    rows = matched[is_counted[matched]]
    if keep is not None and keep.passes_over:
        rows = rows[shown_length(view, keep.unit)[rows] <= keep.amount]
    nothing = rows[:0]
    if not rule.has_window or not len(rows):
        return Window(rows, nothing, nothing)
    if rule.ladder and rule.effect.form is not None and keep is not None and not keep.is_budget:
        return Window(nothing, nothing, nothing)  # fewer words make no fewer rows
    if _has_room(rule, view, rows):
        return Window(nothing, nothing, nothing)
    shorter = _shorter(view, sight.shrinks)
    if rule.ladder and rule.effect.form is None:
        shown, view = view, shorter
    else:
        shown = view
    first = sight.protected if keep is not None and keep.is_budget else seen
    rows, part, first = _in_order(rule, view, rows, first)
    if keep is None or not keep.is_budget:
        return Window(np.sort(rows[_select_by_place(rule, part) & first]), nothing, nothing)
    there, least = (shown_length(some, keep.unit)[rows] for some in (shown, shorter))
    if rule.effect.form is not None:
        choice, overfull, unmet = _until_it_holds(there, least, part, first, keep)
        return Window(np.sort(rows[choice]), rows[overfull], rows[unmet])
    beyond, overfull = _beyond_budget(there, least if rule.ladder else there, part, first, keep)
    return Window(np.sort(rows[beyond]), rows[overfull], nothing)


def _has_room(rule: Rule, view: View, rows: Ints) -> bool:
    """True if what a rule keeps is a budget that every partition holds as it is; nothing need be sorted then."""
    keep = rule.keep
    if keep is None or not keep.is_budget or rule.ladder:
        return False
    there = np.bincount(_number_partitions(rule, view, rows), shown_length(view, keep.unit)[rows])
    return bool(there.max() <= keep.amount)


def _in_order(rule: Rule, view: View, rows: Ints, first: Bools) -> tuple[Ints, Ints, Bools]:
    """Sort rows by partition, what is counted first before the rest, and by the rule's order; return all three."""
    # Newest first from the start: a stable sort then leaves ties so.
    rows = rows[::-1]
    part, first = _number_partitions(rule, view, rows), first[rows]
    shrinks = rule.keep is not None and rule.keep.is_budget and rule.effect.form is not None
    apart = [] if first.all() or shrinks else [~first]
    keys = [*_sort_keys(rule, view, rows), *apart, *([part] if rule.per else [])]
    if not keys:
        return rows, part, first
    order = np.lexsort(keys)
    return rows[order], part[order] if rule.per else part, first[order]


def _shorter(view: View, shrinks: Bools) -> View:
    """Return the view as it were if all that may be shorter were."""
    if not shrinks.any():
        return view
    return view.evolve({"form": np.where(shrinks, np.int8(Form.CONDENSED), view.column("form"))})


def _select_by_place(rule: Rule, part: Ints) -> Bools:
    """Choose by place within the partition."""
    place, keep = _number_places(part), rule.keep
    if keep is None:
        return np.asarray(place < (rule.top or 0))
    counts = np.bincount(part)
    if keep.unit == "share":
        return np.asarray(place >= np.ceil(keep.amount * counts)[part])
    return np.asarray(place >= _find_marks(keep, counts)[part])


def _find_marks(keep: Keep, there: Array) -> Array:
    """Return how much each partition may hold: the amount, or the lower mark where there is more than that."""
    return np.where(there > keep.amount, np.floor(keep.amount * keep.down_to), keep.amount)


def _number_partitions(rule: Rule, view: View, rows: Ints) -> Ints:
    """Number the partition of each row; an absent name is a partition of its own."""
    if len(rule.per) == 1:
        return view.column(rule.per[0])[rows].astype(np.int64) + 1
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
    last_node, last_descends = rule.order[-1]
    keys = rule.order[:-1] if last_node.text == "seq" and last_descends else rule.order
    return [sort_key(some, node, descending, last) for node, descending in reversed(keys)]


def sort_key(view: View, node: Node, descending: bool, unknown_last: bool) -> Array:
    """Return what sorts memories by an expression, the first lowest; what cannot be compared is put at one end."""
    values = np.broadcast_to(np.asarray(node.run(view), np.float64), len(view))
    if node.type == "label":
        values = np.where(values < 0, np.nan, values)
    ranks = -values if descending else values
    return np.where(np.isnan(ranks), np.inf if unknown_last else -np.inf, ranks)


def _number_places(part: Ints) -> Ints:
    """Return each row's place, from 0, in its run of equal partition numbers."""
    begins = np.flatnonzero(np.r_[True, part[1:] != part[:-1]])
    return np.arange(len(part)) - np.repeat(begins, np.diff(np.r_[begins, len(part)]))


def _until_it_holds(
    there: Ints, least: Ints, part: Ints, first: Bools, keep: Keep
) -> tuple[Bools, Bools, Bools]:
    """Choose what is made shorter, from the last in order on, until each partition's budget holds.

    Return what is chosen, where the protected alone exceed the budget, and where all that is chosen is not enough.
    """
    overfull, counts = _find_overfull(least, part, first, keep), np.bincount(part, there)
    over = (counts - _find_marks(keep, counts))[part]
    gain = there - least
    before = (_sum_running_cost(gain[::-1], part[::-1]) - gain[::-1])[::-1]
    choice = (gain > 0) & (before < over) & ~overfull
    rest = counts - np.bincount(part, np.where(choice, gain, 0))
    return choice, overfull, ~overfull & (rest > keep.amount)[part]


def _find_overfull(cost: Ints, part: Ints, first: Bools, keep: Keep) -> Bools:
    """Tell which rows are of partitions whose protected memories alone exceed the budget."""
    spent = np.bincount(part[first], cost[first], minlength=int(part.max()) + 1)
    # Of nothing, bincount makes integers whatever the weights are.
    overfull: Bools = (spent > keep.amount)[part]
    return overfull


def _beyond_budget(there: Ints, cost: Ints, part: Ints, first: Bools, keep: Keep) -> tuple[Bools, Bools]:
    """Fill each partition's budget greedily: what does not fit is passed over, and the next is tried.

    It is full once what is `there` exceeds it, and is then filled by what each costs. Return what does not fit, and
    where the protected alone exceed the budget; there nothing is moved, because no amount of moving would help.
    """
    overfull = _find_overfull(cost, part, first, keep)
    spent = np.bincount(part[first], cost[first], minlength=int(part.max()) + 1)
    room = np.maximum(_find_marks(keep, np.bincount(part, there)) - spent.astype(np.float64), 0)
    beyond = np.zeros(len(part), np.bool_)
    open_rows = np.flatnonzero(~first & ~overfull)
    while len(open_rows):
        too_big = cost[open_rows] > room[part[open_rows]]
        beyond[open_rows[too_big]] = True
        open_rows = open_rows[~too_big]
        running = _sum_running_cost(cost[open_rows], part[open_rows])
        fits = running <= room[part[open_rows]]
        rows = open_rows[fits]
        room -= np.bincount(part[rows], cost[rows], minlength=len(room))
        open_rows = open_rows[~fits]
    return beyond, overfull


def _sum_running_cost(cost: Ints, part: Ints) -> Array:
    """Sum costs from the beginning of each partition."""
    total = np.cumsum(cost)
    place = _number_places(part) if len(part) else part
    begin = np.arange(len(part)) - place
    return total - np.where(begin > 0, total[begin - 1], 0)
