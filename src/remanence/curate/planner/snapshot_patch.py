"""A snapshot brought up to date by what has changed since: the same as one that is read anew, field by field.

Knows arrays, names and links of snapshots; knows no store and decides nothing.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from remanence.core.snapshot import Among, Ints, LinkColumns, Snapshot, is_among
from remanence.curate.planner.carried import meets, select_memories
from remanence.curate.planner.merge import COLUMNS_OF_LINKS, link_keys, select_links

Column = TypeVar("Column", bound=npt.NDArray[Any])
Names = Mapping[str, tuple[str, ...]]


class _PatchSides(NamedTuple):
    """The snapshot from before and what has changed since, and which rows of both, one behind the other, are left."""

    old: Snapshot
    new: Snapshot
    rows: Ints

    def join_columns(self, one: Column, other: Column) -> Column:
        """Return a column of what is left."""
        column: Column = np.concatenate([one, other])[self.rows]  # type: ignore[assignment]
        return column


def patch_snapshot(old: Snapshot, new: Snapshot, among: Among | None) -> Snapshot | None:
    """Return a snapshot with what has changed since, of the memories that meet `among` and the ends of their links.

    None where they do not fit: a link whose end is in neither.
    """
    assert new.changed is not None
    stale = np.union1d(new.changed, new.seq)
    stay = np.flatnonzero(~is_among(old.seq, stale))
    rows = np.concatenate([stay, len(old) + np.arange(len(new))])
    both = np.concatenate([old.seq, new.seq])
    sides = _PatchSides(old, new, rows[np.argsort(both[rows])])
    seq = both[sides.rows]
    links = None
    if new.links is not None:
        links = _links(sides, seq)
        if links is None:
            return None
    columns, names = _columns(sides)
    whole = replace(
        new,
        seq=seq,
        columns=columns,
        names=names,
        tags={tag: sides.join_columns(old.tags[tag], mask) for tag, mask in new.tags.items()},
        tagged_at={tag: sides.join_columns(old.tagged_at[tag], at) for tag, at in new.tagged_at.items()},
        links=links,
        agents=_counts(sides, "agents"),
        other_agents=_counts(sides, "other_agents"),
        sharing_agents=_counts(sides, "sharing_agents"),
        changed=None,
    )
    return _without_unused_names(whole if among is None else _select_memories(whole, among))


def _columns(sides: _PatchSides) -> tuple[dict[str, npt.NDArray[np.generic]], dict[str, tuple[str, ...]]]:
    """Return the columns of what is left, and the names of either side under one numbering."""
    columns: dict[str, npt.NDArray[np.generic]] = {}
    names: dict[str, tuple[str, ...]] = {}
    for name in sides.new.columns:
        old, fresh = sides.old.columns[name], sides.new.columns[name]
        if name in sides.new.names:
            old_names, more = sides.old.names[name], sides.new.names[name]
            into = names[name] = old_names if old_names == more else tuple(sorted({*old_names, *more}))
            columns[name] = sides.join_columns(
                _renumber_codes(old, old_names, into), _renumber_codes(fresh, more, into)
            )
        else:
            columns[name] = sides.join_columns(old, fresh)
    return columns, names


def _renumber_codes(
    codes: npt.NDArray[np.generic], names: tuple[str, ...], into: tuple[str, ...]
) -> npt.NDArray[np.generic]:
    """Return codes of names by another numbering; what is absent stays so."""
    if names == into:
        return codes
    places = {name: place for place, name in enumerate(into)}
    by_code = np.array([*(places.get(name, -1) for name in names), -1], np.int32)
    numbers: npt.NDArray[np.generic] = by_code[codes]
    return numbers


def _counts(sides: _PatchSides, name: str) -> Ints | None:
    old, new = getattr(sides.old, name), getattr(sides.new, name)
    return None if new is None else sides.join_columns(old, new)


def _links(sides: _PatchSides, seq: Ints) -> LinkColumns | None:
    """Return the links, in order: of what changed those that it has now; None where an end of one has no row."""
    old, new = sides.old, sides.new
    assert old.links is not None
    assert new.links is not None
    assert new.changed is not None
    ends = [old.seq[old.links.source], old.seq[old.links.target]]
    stays = ~(is_among(ends[0], new.changed) | is_among(ends[1], new.changed))
    source = np.concatenate([ends[0][stays], new.seq[new.links.source]])
    target = np.concatenate([ends[1][stays], new.seq[new.links.target]])
    if not (is_among(source, seq).all() and is_among(target, seq).all()):
        return None
    rest, fresh = select_links(old.links, stays), new.links
    columns: dict[str, Any] = {
        name: None
        if getattr(fresh, name) is None
        else np.concatenate([getattr(rest, name), getattr(fresh, name)])
        for name in COLUMNS_OF_LINKS
    }
    places = (np.searchsorted(seq, each).astype(np.int32) for each in (source, target))
    columns |= dict(zip(("source", "target"), places, strict=True))
    links = LinkColumns(**columns)
    return select_links(links, np.argsort(link_keys(links, len(seq))))


def _select_memories(snapshot: Snapshot, among: Among) -> Snapshot:
    """Leave out memories that do not meet it and are at no end of a link of one that does."""
    is_kept = meets(snapshot, among)
    if snapshot.links is None:
        return select_memories(snapshot, is_kept)
    of_kept = is_kept[snapshot.links.source] | is_kept[snapshot.links.target]
    links = snapshot.links if of_kept.all() else select_links(snapshot.links, of_kept)
    is_kept[links.source] = is_kept[links.target] = True
    return select_memories(replace(snapshot, links=links), is_kept)


def _without_unused_names(snapshot: Snapshot) -> Snapshot:
    """Number names anew where no row bears one any more."""
    columns, names = dict(snapshot.columns), dict(snapshot.names)
    for name, labels in snapshot.names.items():
        borne = np.zeros(len(labels) + 1, np.bool_)
        borne[columns[name]] = True
        if not borne[:-1].all():
            names[name] = tuple(one for one, there in zip(labels, borne.tolist(), strict=False) if there)
            columns[name] = _renumber_codes(columns[name], labels, names[name])
    return replace(snapshot, columns=columns, names=names)
