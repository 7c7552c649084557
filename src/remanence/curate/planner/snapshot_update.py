"""A snapshot moved on without reading the scope again: by what a plan does, or by what a store says has changed.

Knows arrays, names and links of snapshots and what a plan changes in them; knows no store and decides nothing.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from remanence.core.change import ABSENT, FRACTIONS, MILLION
from remanence.core.effects import action
from remanence.core.model import COLUMN, Status
from remanence.core.snapshot import (
    TAG,
    Among,
    Bools,
    Holds,
    Ints,
    LinkColumns,
    Snapshot,
    is_among,
    means,
)
from remanence.curate.planner.diff import Edits, LinkEdits, PlanDecision
from remanence.curate.planner.merge import COLUMNS_OF_LINKS, link_keys, select_links

Array = npt.NDArray[Any]
_TABLES = ("columns", "tags", "tagged_at")  # arrays by name, a row for each memory, and single ones
_COUNTS = ("agents", "other_agents", "sharing_agents")


def apply_plan_to_snapshot(snapshot: Snapshot, plan: PlanDecision) -> Snapshot:
    """Return the scope as it stands once a plan is done; a plan that is empty writes nothing."""
    if plan.empty:
        return snapshot
    rows = np.searchsorted(snapshot.seq, plan.seq)
    columns = {**snapshot.columns}
    for name, edits in plan.columns.items():
        columns[name] = _apply_edits(name, columns[name], rows, edits)
    names = {**snapshot.names, "state": plan.states} if plan.states else snapshot.names
    outcome = replace(
        snapshot,
        position=snapshot.position + 1,
        columns=columns,
        names=names,
        tags=_change_tags(snapshot, plan),
        tagged_at=_change_tag_times(snapshot, plan),
        links=None if snapshot.links is None else _change_links(snapshot, plan.links),
        fired={**snapshot.fired, **dict.fromkeys(plan.fired, plan.now)},
        newest_at=max(snapshot.newest_at, plan.now),
    )
    stays = np.ones(len(snapshot), np.bool_)
    stays[rows[plan.purged]] = False
    return select_memories(outcome, stays) if len(plan.purged) else outcome


def patch_snapshot(old: Snapshot, new: Snapshot, among: Among | None) -> Snapshot | None:
    """Return a snapshot with what has changed since, of the memories that meet `among` and the ends of their links.

    It is the same as one that is read anew, field by field. None where they do not fit: a link whose end is in neither.
    """
    assert new.changed is not None
    stay = np.flatnonzero(~is_among(old.seq, np.union1d(new.changed, new.seq)))
    both = np.concatenate([old.seq, new.seq])
    rows = np.concatenate([stay, len(old) + np.arange(len(new))])
    rows = rows[np.argsort(both[rows])]
    links = None
    if new.links is not None:
        links = _patch_links(old, new, both[rows])
        if links is None:
            return None
    old, new = _share_names(old, new)
    whole = replace(new, **_take_rows((old, new), rows), links=links, changed=None)
    return _without_unused_names(whole if among is None else _select_concerned(whole, among))


def activate_inbox(snapshot: Snapshot, now: int) -> Snapshot:
    """Return the scope once the inbox has become active."""
    status = snapshot.columns["status"]
    waits = status == Status.INBOX
    if not waits.any():
        return snapshot
    columns = {
        **snapshot.columns,
        "status": np.where(waits, np.int8(Status.ACTIVE), status),
        "status_at": np.where(waits, float(now), snapshot.columns["status_at"]),
    }
    return replace(snapshot, position=snapshot.position + 1, columns=columns)


def select_memories(snapshot: Snapshot, kept: Bools) -> Snapshot:
    """Return the snapshot of some of its memories, with the links between these."""
    if kept.all():
        return snapshot
    links = snapshot.links
    if links is not None:
        inner = select_links(links, kept[links.source] & kept[links.target])
        places = (np.cumsum(kept) - 1).astype(np.int32)
        links = replace(inner, source=places[inner.source], target=places[inner.target])
    return replace(snapshot, **_take_rows((snapshot,), kept), links=links)


def _take_rows(parts: Sequence[Snapshot], rows: Ints | Bools) -> dict[str, Any]:
    """Return the arrays of some rows of snapshots that lie one behind the other, links apart."""

    def join(arrays: Sequence[Array]) -> Array:
        return (arrays[0] if len(arrays) == 1 else np.concatenate(arrays))[rows]

    last = parts[-1]
    tables = {
        table: {name: join([getattr(part, table)[name] for part in parts]) for name in getattr(last, table)}
        for table in _TABLES
    }
    counts = {
        name: None if getattr(last, name) is None else join([getattr(part, name) for part in parts])
        for name in _COUNTS
    }
    return {"seq": join([part.seq for part in parts]), **tables, **counts}


def meets(snapshot: Snapshot, among: Among) -> Bools:
    """Tell which memories of a snapshot meet at least one of several descriptions."""
    mask: Bools = np.logical_or.reduce([_mark_holding(snapshot, holds) for holds in among])
    return mask


def _mark_holding(snapshot: Snapshot, holds: Holds) -> Bools:
    mask = np.ones(len(snapshot), np.bool_)
    for name, values in holds.items():
        if name == TAG:
            mask &= np.logical_or.reduce([snapshot.tags[str(tag)] for tag in values])
            continue
        names = snapshot.names.get(name, ())
        codes = [
            names.index(one) if isinstance(one, str) else one
            for one in values
            if not isinstance(one, str) or one in names
        ]
        column = snapshot.columns[name]
        # Codes are few: a table of them is read faster than a list is searched. What is absent is -1, the last place.
        most = len(names) if names else int(column.max(initial=0))
        table = np.zeros(max([*codes, most]) + 2, np.bool_)
        table[codes] = True
        mask &= table[column]
    return mask


def _apply_edits(name: str, column: Array, rows: Ints, edits: Edits) -> Array:
    """Return a column after edits, as a snapshot holds it: the way back from whole numbers."""
    copy = column.copy()
    after, kind = edits.after, COLUMN[name].kind
    if kind in {"time", "fraction"}:
        values = after / MILLION if kind == "fraction" else after.astype(np.float64)
        copy[rows[edits.rows]] = np.where(after == ABSENT, np.nan, values)
    else:
        copy[rows[edits.rows]] = np.where(after == ABSENT, -1, after) if kind in {"enum", "name"} else after
    return copy


def _change_tags(snapshot: Snapshot, plan: PlanDecision) -> dict[str, Bools]:
    """Return who bears tags: flags come and go, and what is taken in hands on the others."""
    tags = {pattern: mask.copy() for pattern, mask in snapshot.tags.items()}
    for name, tag, seqs in plan.iterate_tag_changes():
        rows, given = np.searchsorted(snapshot.seq, seqs), action(name).adds_row
        for pattern in (one for one in tags if one == tag or (given and means(one, tag))):
            tags[pattern][rows] = given
    keep, discards = (
        np.searchsorted(snapshot.seq, seqs) for seqs in (plan.merges.survivor, plan.merges.discard)
    )
    for pattern, mask in tags.items():
        if not pattern.startswith("flag/"):  # a flag speaks of the text that bears it
            mask[keep] |= mask[discards]
    return tags


def _change_tag_times(snapshot: Snapshot, plan: PlanDecision) -> dict[str, Any]:
    """Return when tags were set: what is given is new, what is taken has no time."""
    times = {tag: instants.copy() for tag, instants in snapshot.tagged_at.items()}
    for name, tag, seqs in plan.iterate_tag_changes():
        if tag in times:
            now = plan.now if action(name).adds_row else np.nan
            times[tag][np.searchsorted(snapshot.seq, seqs)] = now
    return times


def _change_links(snapshot: Snapshot, edits: LinkEdits) -> LinkColumns:
    """Return the links after edits: those that change are taken out, and put back as they are then."""
    links = snapshot.links
    assert links is not None
    if not len(edits):
        return links
    source, target = (
        np.searchsorted(snapshot.seq, seqs).astype(np.int32) for seqs in (edits.source, edits.target)
    )
    changed = LinkColumns(source, target, edits.relation.astype(np.int8), **_unpack_sides(edits.after, links))
    rows = len(snapshot)
    stays = select_links(links, ~np.isin(link_keys(links, rows), link_keys(changed, rows)))
    return _join_links(stays, select_links(changed, edits.stays), rows)


def _unpack_sides(side: Mapping[str, Ints], like: LinkColumns) -> dict[str, Any]:
    """Return columns of links as a snapshot holds them, of those that it has."""
    columns: dict[str, Any] = {}
    for name, values in side.items():
        if getattr(like, name) is None:
            continue
        if name.endswith("_at"):
            columns[name] = np.where(values == ABSENT, np.nan, values)
        else:  # a fraction that nobody said is -1, and no count is below 0
            columns[name] = np.maximum(values, -1 if name in FRACTIONS else 0).astype(np.int32)
    return columns


def _patch_links(old: Snapshot, new: Snapshot, seq: Ints) -> LinkColumns | None:
    """Return the links, in order: of what changed those that it has now; None where an end of one has no row."""
    assert old.links is not None
    assert new.links is not None
    assert new.changed is not None
    has_changed = is_among(old.seq, new.changed)
    stays = ~(has_changed[old.links.source] | has_changed[old.links.target])
    parts = []
    for snapshot, links in ((old, select_links(old.links, stays)), (new, new.links)):
        source, target = snapshot.seq[links.source], snapshot.seq[links.target]
        if not (is_among(source, seq).all() and is_among(target, seq).all()):
            return None
        ends = [np.searchsorted(seq, end).astype(np.int32) for end in (source, target)]
        parts.append(replace(links, source=ends[0], target=ends[1]))
    return _join_links(parts[0], parts[1], len(seq))


def _join_links(some: LinkColumns, others: LinkColumns, rows: int) -> LinkColumns:
    """Return the links of both in order, in the columns that the others have."""
    columns: dict[str, Any] = {
        name: None if getattr(others, name) is None else np.r_[getattr(some, name), getattr(others, name)]
        for name in COLUMNS_OF_LINKS
    }
    links = LinkColumns(**columns)
    return select_links(links, np.argsort(link_keys(links, rows), kind="stable"))


def _share_names(old: Snapshot, new: Snapshot) -> tuple[Snapshot, Snapshot]:
    """Number the names of two snapshots alike."""
    names = {
        name: labels if labels == old.names[name] else tuple(sorted({*old.names[name], *labels}))
        for name, labels in new.names.items()
    }
    return _number_names(old, names), _number_names(new, names)


def _number_names(snapshot: Snapshot, names: Mapping[str, tuple[str, ...]]) -> Snapshot:
    """Give names other numbers; what is absent stays so."""
    columns = dict(snapshot.columns)
    for name, labels in names.items():
        if labels != snapshot.names[name]:
            places = {label: place for place, label in enumerate(labels)}
            numbers = [*(places.get(label, -1) for label in snapshot.names[name]), -1]
            columns[name] = np.array(numbers, np.int32)[columns[name]]
    return replace(snapshot, columns=columns, names=names)


def _without_unused_names(snapshot: Snapshot) -> Snapshot:
    """Number names anew where no row bears one any more."""
    names = dict(snapshot.names)
    for name, labels in snapshot.names.items():
        borne = np.zeros(len(labels) + 1, np.bool_)
        borne[snapshot.columns[name]] = True
        names[name] = tuple(one for one, there in zip(labels, borne.tolist(), strict=False) if there)
    return _number_names(snapshot, names)


def _select_concerned(snapshot: Snapshot, among: Among) -> Snapshot:
    """Leave out memories that do not meet it and are at no end of a link of one that does."""
    is_kept = meets(snapshot, among)
    if snapshot.links is None:
        return select_memories(snapshot, is_kept)
    of_kept = is_kept[snapshot.links.source] | is_kept[snapshot.links.target]
    links = snapshot.links if of_kept.all() else select_links(snapshot.links, of_kept)
    is_kept[links.source] = is_kept[links.target] = True
    return select_memories(replace(snapshot, links=links), is_kept)
