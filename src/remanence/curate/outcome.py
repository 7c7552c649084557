"""The net outcome of a cycle as arrays: what changes in columns and links between its start and its end.

Knows two states of a scope; knows nothing of how one became the other.
"""

from collections.abc import Iterable

import numpy as np

from remanence.curate.decision import ABSENT, Edits, LinkEdits, Merged, Sides
from remanence.curate.frame import Array
from remanence.curate.merge import link_keys
from remanence.curate.working import GONE, NOBODY, Working
from remanence.effects import TAKE_IN
from remanence.model import COLUMN, COUNTERS
from remanence.snapshot import Bools, Floats, Ints, LinkColumns


def column_edits(working: Working) -> dict[str, Edits]:
    """Return what changes in each column of memories that stay."""
    stays = working.frame.column("status") != GONE
    edits = {}
    for name, start in working.start.items():
        if name.startswith("tag:"):
            continue
        before, after = start, working.frame.column(name)
        if before is after:
            continue
        rows = np.flatnonzero(stays & _differs(before, after) | (stays & _named_anyway(working, name)))
        if len(rows):
            edits[name] = Edits(rows, _integers(name, before[rows]), _integers(name, after[rows]))
    return edits


def _named_anyway(working: Working, name: str) -> Bools | np.bool_:
    """A survivor's uses grow by what it took in, not by a use now: so its times of use are said, changed or not."""
    if name not in TAKE_IN.sets or name in COUNTERS:
        return np.False_
    return np.asarray(working.frame.column("uses") != working.start["uses"])


def _differs(before: Array, after: Array) -> Bools:
    differs = before != after
    if before.dtype.kind == "f":
        differs &= ~(np.isnan(before) & np.isnan(after))
    return np.asarray(differs)


def _integers(name: str, values: Array) -> Ints:
    if COLUMN[name].kind == "time":
        return np.where(np.isnan(values), ABSENT, np.nan_to_num(values)).astype(np.int64)
    whole = values.astype(np.int64)
    return np.where(whole < 0, ABSENT, whole) if COLUMN[name].kind in {"enum", "name"} else whole


def link_edits(working: Working) -> LinkEdits:
    """Return the links that are cut, made or changed."""
    before, after = working.start_links, working.frame.links
    if before is None or after is None:
        return LinkEdits()
    old, new = link_keys(before, len(working.frame)), link_keys(after, len(working.frame))
    keys = _edited(working, before, old, after, new)
    left, right = _rows(before, old, keys), _rows(after, new, keys)
    ends = (
        np.where(left >= 0, before.source[left], after.source[right]) if len(after) else before.source[left]
    )
    others = (
        np.where(left >= 0, before.target[left], after.target[right]) if len(after) else before.target[left]
    )
    seq = working.frame.snapshot.seq
    return LinkEdits(
        seq[ends],
        seq[others],
        keys % 16,
        _side(before, left),
        _side(after, right),
        _cut_by(working, keys),
    )


def _cut_by(working: Working, keys: Ints) -> Ints:
    """Number the rule that cuts each link.

    Without merges no link that was cut is made again, without purges none goes with a memory: all are in the outcome.
    """
    why = np.full(len(keys), NOBODY, np.int64)
    some = bool(working.merges) or len(keys) < _cuts(working)
    for rule, cut in working.cut_by.items():
        mine = cut[np.isin(cut, keys)] if some else cut
        why[np.searchsorted(keys, mine)] = rule
    return why


def _edited(working: Working, before: LinkColumns, old: Ints, after: LinkColumns, new: Ints) -> Ints:
    """Return the keys of links that are not as they were."""
    # Links of purged memories go with them when the plan is applied: to cut one is no change.
    gone = working.frame.column("status") == GONE
    going = old[gone[before.source] | gone[before.target]] if gone.any() else old[:0]
    if not working.merges:
        # Nothing but rules over links has changed them, and those only cut.
        cut = list(working.cut_by.values())
        keys = np.sort(np.concatenate(cut)) if cut else new[:0]
        return np.setdiff1d(keys, going) if len(going) else keys
    mine = ~(gone[after.source] | gone[after.target])
    left = np.setdiff1d(np.setdiff1d(old, new), going)
    return np.union1d(left, new[mine & _changed(before, old, after, new)])


def _cuts(working: Working) -> int:
    """Count the links that rules have cut."""
    return sum(map(len, working.cut_by.values()))


def _changed(before: LinkColumns, old: Ints, after: LinkColumns, new: Ints) -> Bools:
    """Tell which links of the end were not there, or were otherwise, at the start."""
    where = _rows(before, old, new)
    changed = where < 0
    for name in ("weight", "confidence", "last_at", "count", "resolved_at"):
        if getattr(before, name) is None:
            continue
        was, is_ = getattr(before, name)[where], getattr(after, name)
        changed |= (was != is_) & ~(np.isnan(was) & np.isnan(is_))
    return changed


def _rows(links: LinkColumns, keys: Ints, wanted: Ints) -> Ints:
    """Find the rows of links by key, -1 where there is none."""
    if not len(links):
        return np.full(len(wanted), -1)
    order = np.argsort(keys)
    place = np.minimum(np.searchsorted(keys[order], wanted), len(keys) - 1)
    found = order[place]
    return np.where(keys[found] == wanted, found, -1)


def _side(links: LinkColumns, rows: Ints) -> Sides:
    if not len(rows):
        return Sides()
    there = rows >= 0
    if not there.any():
        nothing, absent = np.full(len(rows), np.nan), np.full(len(rows), ABSENT)
        return Sides(nothing, nothing, absent, absent, absent)
    count = np.full(len(rows), ABSENT) if links.count is None else np.where(there, links.count[rows], ABSENT)
    return Sides(
        np.where(there, links.weight[rows], np.nan),
        np.where(there, links.confidence[rows], np.nan),
        _instants(links.last_at, rows),
        count.astype(np.int64),
        _instants(links.resolved_at, rows),
    )


def _instants(times: Floats | None, rows: Ints) -> Ints:
    """Return times of links as integers, ABSENT where there is no link or nobody said."""
    if times is None:
        return np.full(len(rows), ABSENT)
    return np.where((rows >= 0) & ~np.isnan(times[rows]), np.nan_to_num(times[rows]), ABSENT).astype(np.int64)


def merged(working: Working) -> Merged:
    """Return the merges by sequence number."""
    seq = working.frame.snapshot.seq
    pairs = [(seq[merge.survivor], seq[merge.discard]) for merge in working.merges]
    return Merged(
        np.array([pair[0] for pair in pairs], np.int64), np.array([pair[1] for pair in pairs], np.int64)
    )


def united(some: Iterable[Ints], count: int) -> Ints:
    """Unite row numbers, ascending; several times faster than sorting them."""
    mask = np.zeros(count, np.bool_)
    for rows in some:
        mask[rows] = True
    return np.flatnonzero(mask)
