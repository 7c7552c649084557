"""Merging pairs that say the same: who survives, and where the links and counts of the other go.

Knows rows and links as arrays; knows nothing of policies. No chains: a memory takes part in one merge a cycle.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np

from remanence.core.change import MILLION
from remanence.core.clock import HOUR
from remanence.core.effects import STAMPS, TAKE_IN
from remanence.core.model import COUNT_MAX, COUNTERS, SYMMETRIC, Relation
from remanence.core.snapshot import Bools, Floats, Ints, LinkColumns, Snapshot
from remanence.curate.language.view import LinkView, View
from remanence.curate.planner.windows import sort_key
from remanence.curate.policy.rules import Rule

ADDED = tuple(name for name in TAKE_IN.sets if name in COUNTERS)  # what is added up when two become one
USED = ("used_at", "use_days", "use_day")
DWELL = HOUR  # how long a memory that has just taken another in is left alone
KEYED = 16  # more than there are relations
# What is said of a text stays with it; the rest of its links goes to the memory that takes its place.
_STAYING = [int(Relation.NEAR_DUPLICATE), int(Relation.MERGED_FROM)]
_SYMMETRIC = [int(relation) for relation in SYMMETRIC]
_USE_BUCKETS = 7


@dataclass(frozen=True, slots=True)
class Merge:
    """One merge: rows of the survivor and of what it takes in, how sure, and by which rule."""

    survivor: int
    discard: int
    confidence: float
    rule: int


def may_merge(snapshot: Snapshot, one: int, other: int) -> bool:
    """Tell whether two rows may become one: by their words, or because a person says so."""
    seqs = (int(snapshot.seq[one]), int(snapshot.seq[other]))
    pair = (min(seqs), max(seqs))
    return pair in snapshot.same_words or pair == snapshot.only


def candidates(rule: Rule, index: int, view: View) -> list[Merge]:
    """List the pairs that a rule would merge, survivors decided: the first by its order, then the older."""
    links, edges = view.edges(), pairs(rule, view)
    edges = edges[rule.node.run(LinkView(view.on(rule.clock), edges))]
    resting = _find_resting(view, links) & (view.snapshot.only is None)
    edges = edges[~resting[links.source[edges]] & ~resting[links.target[edges]]]
    first = np.minimum(links.source[edges], links.target[edges])
    second = np.maximum(links.source[edges], links.target[edges])
    swap, tied = np.zeros(len(second), np.bool_), np.ones(len(second), np.bool_)
    for node, descending in rule.survivor:
        younger, older = (
            sort_key(view.on(rule.clock).take(rows), node, descending, True) for rows in (second, first)
        )
        swap |= tied & (younger < older)
        tied &= younger == older
    survivors, discards = np.where(swap, second, first), np.where(swap, first, second)
    return [
        Merge(survivor, discard, confidence, index)
        for survivor, discard, confidence in zip(
            survivors.tolist(),
            discards.tolist(),
            links.read_column("confidence", edges).tolist(),
            strict=True,
        )
    ]


def pairs(rule: Rule, view: View) -> Ints:
    """Number the near-duplicates that a rule looks at: sure enough, both in sight and of the same category.

    Which pair a person makes one is not asked about its category.
    """
    links, standing, category = view.edges(), view.find_standing(), view.column("category")
    mask = (links.relation == Relation.NEAR_DUPLICATE) & standing[links.source] & standing[links.target]
    only, seq = view.snapshot.only, view.snapshot.seq
    if only is None:
        mask &= category[links.source] == category[links.target]
    else:
        ends = np.sort([seq[links.source], seq[links.target]], axis=0)
        mask &= (ends[0] == only[0]) & (ends[1] == only[1])
    edges = links.find_uncut(mask)
    sure: Ints = edges[links.read_column("confidence", edges) >= rule.pair_min]
    return sure


def _find_resting(view: View, links: LinkColumns) -> Bools:
    """Tell which memories took another in within the dwell."""
    resting = np.zeros(len(view), np.bool_)
    taking = np.flatnonzero(links.relation == Relation.MERGED_FROM)
    lately = links.read_column("last_at", taking) > view.now - DWELL
    resting[links.source[taking[lately]]] = True
    return resting


def settle(merges: Iterable[Merge], taken: set[int]) -> list[Merge]:
    """Choose merges, the surest first, so that no memory is in two; `taken` are in one already, and grows."""
    choices = []
    for merge in sorted(
        merges, key=lambda merge: (-merge.confidence, merge.survivor, merge.discard, merge.rule)
    ):
        if merge.survivor not in taken and merge.discard not in taken:
            taken |= {merge.survivor, merge.discard}
            choices.append(merge)
    return choices


def survivors_columns(view: View, merges: Sequence[Merge]) -> dict[str, np.ndarray]:
    """Return what the survivors took in: counts added up, the later use, the greater confidence, the lesser trust."""
    keep = np.array([merge.survivor for merge in merges])
    discards = np.array([merge.discard for merge in merges])
    columns = {name: view.column(name).copy() for name in (*TAKE_IN.sets, STAMPS["confidence"])}
    for name in ADDED:
        columns[name][keep] += columns[name][discards]
    columns["used_at"][keep] = np.fmax(columns["used_at"][keep], columns["used_at"][discards])
    last = np.fmax(view.column("said_at"), columns["said_again_at"])
    later = last[discards] > last[keep]
    columns["said_again_at"][keep[later]] = last[discards][later]
    columns["trust"][keep] = np.minimum(columns["trust"][keep], columns["trust"][discards])
    # The greater confidence is taken over, and when that was said.
    own, others = columns["confidence"][keep], columns["confidence"][discards]
    surer = np.isnan(own) & ~np.isnan(others) | (others > own)
    said_at = columns["confidence_at"][discards]
    said_at = np.where(np.isnan(said_at), view.column("learned_at")[discards], said_at)
    columns["confidence"][keep[surer]] = others[surer]
    columns["confidence_at"][keep[surer]] = said_at[surer]
    day = np.maximum(columns["use_day"][keep], columns["use_day"][discards])
    mine = _shift_use_days(columns["use_days"][keep], day - columns["use_day"][keep])
    theirs = _shift_use_days(columns["use_days"][discards], day - columns["use_day"][discards])
    columns["use_days"][keep] = _add_use_days(mine, theirs)
    columns["use_day"][keep] = day
    return columns


def _shift_use_days(packed: Ints, days: Ints) -> Ints:
    """Move day counts on by some days; what is older than seven days falls out."""
    shift = packed << (8 * np.minimum(days, _USE_BUCKETS))
    recent: Ints = np.where(days >= _USE_BUCKETS, 0, shift & ((1 << 8 * _USE_BUCKETS) - 1))
    return recent


def _add_use_days(a: Ints, b: Ints) -> Ints:
    total = np.zeros_like(a)
    for bucket in range(_USE_BUCKETS):
        shift = 8 * bucket
        total |= np.minimum(((a >> shift) & 255) + ((b >> shift) & 255), 255) << shift
    return total


def move_merged_links(view: View, merges: Sequence[Merge]) -> LinkColumns:
    """Return the links after merges: moved to survivors without loops or doubles, and the lineage added.

    Parallel links become one: the greater weight and confidence, the later time, the counts added up.
    """
    whole, standing = view.edges(), view.find_standing()
    links = select_links(whole, whole.find_uncut(np.ones(len(whole), np.bool_)))
    to = np.arange(len(view), dtype=np.int32)
    to[[merge.discard for merge in merges]] = [merge.survivor for merge in merges]
    # By now the discards are out of sight, but they are who is moving.
    standing = standing | (to != np.arange(len(view)))
    moving = (to[links.source] != links.source) | (to[links.target] != links.target)
    moving &= ~np.isin(links.relation, _STAYING) & standing[links.source] & standing[links.target]
    source, target = (
        np.where(moving, to[links.source], links.source),
        np.where(moving, to[links.target], links.target),
    )
    swap = moving & np.isin(links.relation, _SYMMETRIC) & (source > target)
    source, target = np.where(swap, target, source), np.where(swap, source, target)
    new_links = select_links(replace(links, source=source, target=target), source != target)
    return _combine_parallel_links(_with_lineage(new_links, merges, view.now), len(view))


COLUMNS_OF_LINKS = tuple(column.name for column in fields(LinkColumns))


def select_links(links: LinkColumns, where: Ints | Bools) -> LinkColumns:
    """Return some links, by their numbers or by a mask."""
    arrays = {name: getattr(links, name) for name in COLUMNS_OF_LINKS}
    some: Mapping[str, Any] = {
        name: None if array is None or name == "cut" else array[where] for name, array in arrays.items()
    }
    return LinkColumns(**some)


def _with_lineage(links: LinkColumns, merges: Sequence[Merge], now: int) -> LinkColumns:
    sure = np.array([merge.confidence for merge in merges])
    lineage: Mapping[str, Any] = {
        "source": np.array([merge.survivor for merge in merges], np.int32),
        "target": np.array([merge.discard for merge in merges], np.int32),
        "relation": np.full(len(merges), Relation.MERGED_FROM, np.int8),
        "weight": np.full(len(merges), MILLION, np.int32),
        "confidence": np.rint(sure * MILLION).astype(np.int32),
        "last_at": np.full(len(merges), float(now)),
        "count": np.ones(len(merges), np.int32),
        "resolved_at": np.full(len(merges), np.nan),
    }
    return LinkColumns(**{name: np.r_[getattr(links, name), array] for name, array in lineage.items()})


def _combine_parallel_links(links: LinkColumns, rows: int) -> LinkColumns:
    """Make one link of those that have the same ends and relation; what is open on one side is open."""
    keys, first, where = np.unique(link_keys(links, rows), return_index=True, return_inverse=True)
    # A plan that merges has asked for all columns.
    assert links.confidence is not None and links.last_at is not None
    assert links.count is not None and links.resolved_at is not None
    count = np.zeros(len(keys), np.int64)
    np.add.at(count, where, links.count)
    still_open = np.bincount(where, np.isnan(links.resolved_at), minlength=len(keys)) > 0
    some = select_links(links, first)
    np.maximum.at(some.weight, where, links.weight)
    np.maximum.at(some.confidence, where, links.confidence)  # type: ignore[arg-type]
    return replace(
        some,
        last_at=_find_latest_times(links.last_at, where, len(keys)),
        count=np.minimum(count, COUNT_MAX).astype(np.int32),
        resolved_at=np.where(still_open, np.nan, _find_latest_times(links.resolved_at, where, len(keys))),
    )


def _find_latest_times(times: Floats, where: Ints, count: int) -> Floats:
    latest = np.full(count, np.nan)
    np.fmax.at(latest, where, times)
    return latest


def link_keys(links: LinkColumns, rows: int) -> Ints:
    """Number links by (source, target, relation)."""
    return (links.source.astype(np.int64) * rows + links.target) * KEYED + links.relation
