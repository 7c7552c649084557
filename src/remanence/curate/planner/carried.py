"""A snapshot carried forward: the scope as it stands once a plan is done, without reading it again.

Knows columns, tags and links of a snapshot and what a plan changes in them; decides nothing.
"""

from collections.abc import Mapping
from dataclasses import fields, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from remanence.core.change import ABSENT, FRACTIONS, MILLION
from remanence.core.clock import DAY
from remanence.core.effects import action
from remanence.core.model import COLUMN, Status
from remanence.core.snapshot import TAG, Among, Bools, Holds, Ints, LinkColumns, Snapshot, means
from remanence.curate.planner.diff import SIDES, Edits, LinkEdits, PlanDecision
from remanence.curate.planner.merge import link_keys, select_links

Array = npt.NDArray[Any]


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
        tags=_tags(snapshot, plan),
        tagged_at=_tagged_at(snapshot, plan),
        links=None if snapshot.links is None else _links(snapshot, plan.links),
        fired={**snapshot.fired, **dict.fromkeys(plan.fired, plan.now)},
        newest_at=max(snapshot.newest_at, plan.now),
    )
    stays = np.ones(len(snapshot), np.bool_)
    stays[rows[plan.purged]] = False
    return select_memories(outcome, stays) if len(plan.purged) else outcome


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

    def of(arrays: Mapping[str, Any]) -> dict[str, Any]:
        return {name: array[kept] for name, array in arrays.items()}

    agents, others, sharing = snapshot.agents, snapshot.other_agents, snapshot.sharing_agents
    return replace(
        snapshot,
        seq=snapshot.seq[kept],
        columns=of(snapshot.columns),
        tags=of(snapshot.tags),
        tagged_at=of(snapshot.tagged_at),
        links=None if snapshot.links is None else _select_inner_links(snapshot.links, kept),
        agents=None if agents is None else agents[kept],
        other_agents=None if others is None else others[kept],
        sharing_agents=None if sharing is None else sharing[kept],
    )


def meets(snapshot: Snapshot, among: Among) -> Bools:
    """Tell which memories of a snapshot meet at least one of several descriptions."""
    mask: Bools = np.logical_or.reduce([_holds(snapshot, holds) for holds in among])
    return mask


def destroyed_since(runs: list[tuple[int, int]], now: int) -> int:
    """Count what automatic runs, each with its instant, destroyed in the 24 hours before now."""
    return sum(count for at, count in runs if now - DAY < at <= now)


def _holds(snapshot: Snapshot, holds: Holds) -> Bools:
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
    elif kind in {"enum", "name"}:
        copy[rows[edits.rows]] = np.where(after == ABSENT, -1, after)
    else:
        copy[rows[edits.rows]] = after
    return copy


def _tags(snapshot: Snapshot, plan: PlanDecision) -> dict[str, Bools]:
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


def _tagged_at(snapshot: Snapshot, plan: PlanDecision) -> dict[str, Any]:
    times = {tag: instants.copy() for tag, instants in snapshot.tagged_at.items()}
    for name, tag, seqs in plan.iterate_tag_changes():
        if tag in times:
            now = plan.now if action(name).adds_row else np.nan
            times[tag][np.searchsorted(snapshot.seq, seqs)] = now
    return times


def _select_inner_links(links: LinkColumns, kept: Bools) -> LinkColumns:
    """Return the links both ends of which are kept, their ends numbered anew."""
    places = (np.cumsum(kept) - 1).astype(np.int32)
    inner = select_links(links, kept[links.source] & kept[links.target])
    return replace(inner, source=places[inner.source], target=places[inner.target])


def _links(snapshot: Snapshot, edits: LinkEdits) -> LinkColumns:
    """Return the links after edits: those that change are taken out, and put back as they are then."""
    links = snapshot.links
    assert links is not None
    if not len(edits):
        return links
    ends = [np.searchsorted(snapshot.seq, seqs).astype(np.int32) for seqs in (edits.source, edits.target)]
    relation = edits.relation.astype(np.int8)
    new_links = LinkColumns(ends[0], ends[1], relation, **_unpack_sides(edits.after, links))
    old_keys, keys = link_keys(links, len(snapshot)), link_keys(new_links, len(snapshot))
    stays = select_links(links, ~np.isin(old_keys, keys))
    there = select_links(new_links, edits.stays)
    sides = ((one.name, getattr(stays, one.name), getattr(there, one.name)) for one in fields(LinkColumns))
    both: dict[str, Any] = {name: None if old is None else np.r_[old, new] for name, old, new in sides}
    union = LinkColumns(**both)
    return select_links(union, np.argsort(link_keys(union, len(snapshot)), kind="stable"))


def _unpack_sides(sides: Mapping[str, Ints], like: LinkColumns) -> dict[str, Any]:
    """Return columns of links as a snapshot holds them, of those that it has."""
    columns: dict[str, Any] = {}
    for name in SIDES:
        if getattr(like, name) is None:
            continue
        values = sides[name]
        if name in FRACTIONS:
            columns[name] = np.where(values == ABSENT, -1, values).astype(np.int32)
        elif name == "count":
            columns[name] = np.maximum(values, 0).astype(np.int32)
        else:
            columns[name] = np.where(values == ABSENT, np.nan, values)
    return columns
