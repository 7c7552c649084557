"""Arrays out of the rows of the reference store: columns of a snapshot.

Knows rows and arrays; knows nothing of scopes.
"""

from collections.abc import Collection, Mapping, Sequence
from collections.abc import Set as AbstractSet
from itertools import chain
from typing import Any

import numpy as np
import numpy.typing as npt

from remanence.core.attributes import AttributeColumn, Codes, value_of
from remanence.core.change import MILLION, AuditPart
from remanence.core.errors import InvalidInput
from remanence.core.model import Column
from remanence.core.snapshot import (
    RESTING,
    RESTING_ON,
    SINCE_PARTS_MAX,
    SINCE_ROWS_MAX,
    TAG,
    Among,
    LinkColumns,
    SnapshotRequest,
    means,
)
from remanence.store.base import Ints
from remanence.store.constraints import memories_of
from remanence.store.erasure import ERASE
from remanence.store.row_rules import Row
from remanence.store.undo_data_pruning import EXPIRE

_SEEN = frozenset({"memories", "tags", "links"})  # tables that a snapshot is made of
Chosen = tuple[list[tuple[int, Row]], Mapping[tuple[int, int, int], Row], Ints | None]


def pick_rows(
    tables: Mapping[str, Mapping[Any, Row]], wanted: SnapshotRequest, log: Sequence[AuditPart]
) -> Chosen:
    """Return the memories that are asked for, in order, and the links: of some memories theirs, with both ends.

    Where it is asked and known which have changed since, they and their neighbours are returned, and which these are.
    """
    changed_seqs = _changed_since(log, wanted.since)
    if changed_seqs is not None:
        return *_select_linked_rows(tables, frozenset(changed_seqs.tolist())), changed_seqs
    if wanted.only is not None and wanted.links is not None:
        return *_select_linked_rows(tables, frozenset(wanted.only)), None
    whole, links = tables["memories"], tables["links"]
    only = whole.keys() if wanted.only is None else set(wanted.only)
    rows = {seq: row for seq, row in whole.items() if seq in only}
    if wanted.among is not None:
        bearing: dict[str, set[int]] = {}
        for owner, tag in tables["tags"]:
            bearing.setdefault(tag, set()).add(owner)
        rows = {seq: row for seq, row in rows.items() if _meets(seq, row, wanted.among, bearing)}
        links = {key: link for key, link in links.items() if rows.keys() & key[:2]}
        ends = {end for key in links for end in key[:2]} if wanted.links is not None else set()
        rows |= {seq: whole[seq] for seq in ends}
    return sorted(rows.items()), links, None


def _changed_since(log: Sequence[AuditPart], position: int | None) -> Ints | None:
    """Return, ascending, the memories that parts after a position are about or say were used; None where unknown.

    An erasure and the end of images take away what the log said.
    """
    if position is None or not 0 <= position <= (log[-1].position if log else 0):
        return None
    parts = [part for part in log if part.position > position]
    if len(parts) > SINCE_PARTS_MAX or any(part.cause.verb in {ERASE, EXPIRE} for part in parts):
        return None
    keys = ((one.table, one.key) for part in parts for one in part.changes if one.table in _SEEN)
    seqs = frozenset(chain.from_iterable(part.used for part in parts)).union(
        chain.from_iterable(memories_of(*key) for key in keys)
    )
    return np.array(sorted(seqs), np.int64) if len(seqs) <= SINCE_ROWS_MAX else None


def _select_linked_rows(
    tables: Mapping[str, Mapping[Any, Row]], changed: AbstractSet[int]
) -> tuple[list[tuple[int, Row]], Mapping[tuple[int, int, int], Row]]:
    """Return some memories and those at the other ends of their links, in order, and these links."""
    links = {key: link for key, link in tables["links"].items() if changed & {*key[:2]}}
    seqs = changed | {*chain.from_iterable(key[:2] for key in links)}
    whole = tables["memories"]
    return [(seq, whole[seq]) for seq in sorted(seqs) if seq in whole], links


def agents_of(rows: Sequence[tuple[int, Row]], tables: Mapping[str, Mapping[Any, Row]]) -> Mapping[str, Any]:
    """Return how many agents used each memory, how many others did, and how many others did or rest on it."""
    whole, resting = tables["memories"], dict[int, set[str | None]]()
    for source, target, relation in tables["links"]:
        if relation in RESTING_ON and whole[source]["status"] in RESTING:
            resting.setdefault(target, set()).add(whole[source]["agent"])
    used = [(row["agent"], {*(row["accessors"] or ())}, resting.get(seq, set())) for seq, row in rows]
    return {
        "agents": np.array([len(by) for _, by, _ in used], np.int64),
        "other_agents": np.array([len(by - {own}) for own, by, _ in used], np.int64),
        "sharing_agents": np.array([len((by | on) - {own, None}) for own, by, on in used], np.int64),
    }


def _meets(seq: int, row: Row, among: Among, bearing: Mapping[str, Collection[int]]) -> bool:
    """Tell whether a memory holds all that any choice says."""
    return any(
        all(
            any(seq in bearing.get(str(tag), ()) for tag in values) if name == TAG else row[name] in values
            for name, values in holds.items()
        )
        for holds in among
    )


def array(column: Column, values: list[Any], names: tuple[str, ...]) -> npt.NDArray[Any]:
    """Return a column of memories as a snapshot has it."""
    match column.kind:
        case "enum":
            return np.array([-1 if value is None else value for value in values], np.int8)
        case "name":
            return np.array([-1 if value is None else names.index(value) for value in values], np.int32)
        case "int" | "flag":
            return np.array(values, np.int64)
        case "time" | "fraction":
            return np.array([np.nan if value is None else value for value in values], np.float64)
        case _:
            raise InvalidInput(
                f"{column.name} is in no snapshot", recovery="ask for numbers, names, times and enums only"
            )


def tag_mask(seq: Ints, pattern: str, tags: Collection[tuple[int, str]]) -> npt.NDArray[np.bool_]:
    """Tell which memories have a tag that a pattern means."""
    owners = {owner for owner, tag in tags if means(pattern, tag)}
    return np.array([number in owners for number in seq.tolist()], np.bool_)


def tagged_at(seq: Ints, tag: str, tags: Mapping[tuple[int, str], Row]) -> npt.NDArray[np.float64]:
    """Return since when memories have a tag, NaN where they have not."""
    times = [tags.get((number, tag), {}).get("at") for number in seq.tolist()]
    return np.array([np.nan if at is None else at for at in times], np.float64)


def attribute(rows: Sequence[Row], name: str) -> tuple[AttributeColumn, Codes]:
    """Return an attribute's values and the code of each memory's."""
    column = AttributeColumn()
    codes = [column.code(value_of(row["attributes"], name)) for row in rows]
    return column, np.array(codes, np.int32)


def link_columns(
    seq: Ints, links: Mapping[tuple[int, int, int], Row], wanted: Collection[str]
) -> LinkColumns:
    """Return links by the places of their ends, with what is wanted of them."""
    keys = sorted(links)
    ends = np.array(keys, np.int64).reshape(-1, 3)
    columns = {name: _of_links([links[key][name] for key in keys], name) for name in ("weight", *wanted)}
    return LinkColumns(
        source=np.searchsorted(seq, ends[:, 0]).astype(np.int32),
        target=np.searchsorted(seq, ends[:, 1]).astype(np.int32),
        relation=ends[:, 2].astype(np.int8),
        **columns,
    )


def _of_links(values: Sequence[Any], name: str) -> npt.NDArray[Any]:
    """Return a column of links: fractions in millionths, -1 where nobody said, times with NaN."""
    if name in {"last_at", "resolved_at"}:
        return np.array([np.nan if value is None else value for value in values], np.float64)
    if name == "count":
        return np.array(values, np.int32)
    return np.array([-1 if value is None else round(value * MILLION) for value in values], np.int32)
