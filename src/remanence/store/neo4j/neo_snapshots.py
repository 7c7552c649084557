"""A scope frozen as columns, gathered as packed rows in ranges of sequence numbers. Knows arrays and nodes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

import numpy as np
import numpy.typing as npt
import orjson

from remanence.core.attributes import AttributeColumn, value_of
from remanence.core.change import ABSENT, GUARDS, MILLION
from remanence.core.clock import DAY
from remanence.core.errors import InvalidInput
from remanence.core.model import COLUMN, Relation, Status
from remanence.core.snapshot import (
    RESTING,
    RESTING_ON,
    SINCE_PARTS_MAX,
    SINCE_ROWS_MAX,
    LinkColumns,
    Snapshot,
    SnapshotRequest,
    is_among,
    means,
)
from remanence.store.base import Ints
from remanence.store.constraints import refuse_wanted
from remanence.store.erasure import ERASE
from remanence.store.neo4j.neo_rows import LINK_ROW, ROW, read_rows
from remanence.store.neo4j.neo_settings import read_clocks
from remanence.store.neo4j.neo_transactions import Transaction
from remanence.store.undo_data_pruning import EXPIRE

_ROWS_AT_ONCE = 10_000
_NAMES = ("category", "state", "agent", "speaker", "thread", "session")  # in the order of the statements
_NEVER_SEEN = frozenset({ERASE, EXPIRE})  # they take away what the audit said


@dataclass(slots=True)
class PackedRows:
    """Packed rows and what else is read of the same memories, in order of arrival."""

    rows: npt.NDArray[Any]
    names: list[list[str | None]] = field(default_factory=list)
    tags: list[list[str]] = field(default_factory=list)
    tag_times: list[list[int]] = field(default_factory=list)
    accessors: list[str] = field(default_factory=list)
    attributes: list[str] = field(default_factory=list)


def read_snapshot(db: Transaction, wanted: SnapshotRequest, now: int) -> Snapshot:
    """Return the columns that are asked for."""
    refuse_wanted(wanted)
    scope = db.read_scope()
    spans, heard = read_clocks(db, wanted.clocks)
    names = sorted(name for name in wanted.columns if COLUMN[name].kind == "name")
    changed = _find_changed(db, wanted.since, scope.get("position", 0))
    seqs, links = _choose_rows(db, wanted, changed)
    gathered = _gather(db, wanted, bool(names) or wanted.agents, seqs, scope.get("latest_seq", 0))
    seq = np.ascontiguousarray(gathered.rows["seq"]).astype(np.int64)
    columns: dict[str, npt.NDArray[Any]] = {
        name: _read_column(gathered.rows, name) for name in (wanted.columns | GUARDS) - {*names}
    }
    labels: dict[str, tuple[str, ...]] = {}
    for name in names:
        place = _NAMES.index(name)
        labels[name], columns[name] = _code_names([row[place] for row in gathered.names])
    destroyed = db.row("sum_destroyed", after=now - DAY, until=now)
    return Snapshot(
        scope=db.scope,
        position=scope.get("position", 0),
        seq=seq,
        whole=scope.get("memories", 0),
        columns=columns,
        names=labels,
        tags={pattern: _find_tagged(gathered, pattern) for pattern in wanted.tags},
        tagged_at={tag: _read_tagged_at(gathered, tag) for tag in wanted.tagged_at},
        **_count_agents(db, gathered, seq) if wanted.agents else {},
        links=None if wanted.links is None or links is None else _build_links(seq, links, wanted.links),
        fired=orjson.loads(scope.get("fired", "{}")),
        newest_at=scope.get("newest_at", 0),
        destroyed_today=0 if destroyed is None else destroyed["destroyed"],
        spans=spans,
        heard=heard,
        asks=gathered.rows["asks"].astype(np.bool_) if wanted.asks else None,
        attributes={name: _code_attribute(gathered, name) for name in wanted.attributes},
        link_count=scope.get("links", 0) if wanted.link_count else None,
        changed=changed,
    )


def _find_changed(db: Transaction, since: int | None, position: int) -> Ints | None:
    """Return, ascending, the memories that parts after a position are about; None where that is not known."""
    if since is None or not 0 <= since <= position or position - since > SINCE_PARTS_MAX:
        return None
    rows = db.rows("read_seen", after=since, limit=SINCE_PARTS_MAX)
    if any(row["seen"] is None or row["verb"] in _NEVER_SEEN for row in rows):
        return None
    seqs = {*chain.from_iterable(row["seen"] for row in rows)}
    return np.array(sorted(seqs), np.int64) if len(seqs) <= SINCE_ROWS_MAX else None


def _choose_rows(
    db: Transaction, wanted: SnapshotRequest, changed: Ints | None
) -> tuple[set[int] | None, npt.NDArray[Any] | None]:
    """Return which memories are read, None for all, and the links that go with them."""
    if changed is not None:
        return _choose_linked(db, changed.tolist())
    if wanted.only is not None:
        return _choose_linked(db, wanted.only) if wanted.links is not None else ({*wanted.only}, None)
    links = wanted.links is not None
    if wanted.among is None:
        return None, read_rows(db.collect("read_scope_links", types=None), LINK_ROW) if links else None
    choices = [{name: _list_labels(name, values) for name, values in one.items()} for one in wanted.among]
    seqs = db.collect("select_rows", choices=choices)
    if not links:
        return {*seqs}, None
    return _choose_linked(db, seqs)


def _choose_linked(db: Transaction, seqs: Sequence[int]) -> tuple[set[int], npt.NDArray[Any]]:
    """Return some memories and those at the other ends of their links, and these links."""
    links = read_rows(db.collect("read_neighbours", seqs=list(seqs), types=None) if seqs else [], LINK_ROW)
    return {*seqs, *links["source"].tolist(), *links["target"].tolist()}, links


def _list_labels(name: str, values: Any) -> list[Any]:
    labels = COLUMN[name].labels if name in COLUMN else None
    return [value if labels is None else labels(value).label for value in values]


def _gather(
    db: Transaction, wanted: SnapshotRequest, names: bool, seqs: set[int] | None, latest: int
) -> PackedRows:
    asked = {
        "names": names,
        "tags": bool(wanted.tags or wanted.tagged_at),
        "accessors": wanted.agents,
        "attributes": bool(wanted.attributes),
    }
    ranges: list[dict[str, Any]]
    if seqs is None:
        ranges = [{"after": n, "through": n + _ROWS_AT_ONCE} for n in range(0, latest, _ROWS_AT_ONCE)]
        packed = list(chain.from_iterable(db.collect("gather_rows", **one) for one in ranges))
        statement = "gather_details"
    else:
        ranges = [{"seqs": sorted(seqs)}]
        packed = db.collect("read_rows", **ranges[0])
        statement = "gather_some_details"
    found = [db.row(statement, **one, **asked) for one in ranges] if any(asked.values()) else []
    details = {
        name: list(chain.from_iterable(answer[name] for answer in found if answer is not None))
        for name in ("names", "tags", "tag_times", "accessors", "attributes")
    }
    rows = read_rows(packed, ROW)
    return PackedRows(rows[np.argsort(rows["seq"], kind="stable")], **details)


def _read_column(rows: npt.NDArray[Any], name: str) -> npt.NDArray[Any]:
    """Return a column of numbers, codes or times as a snapshot has it."""
    column = COLUMN[name]
    if column.kind not in {"enum", "int", "flag", "time", "fraction"}:
        raise InvalidInput(
            f"{name} is in no snapshot", recovery="ask for numbers, names, times and enums only"
        )
    kept = rows[name]
    if column.kind == "enum":
        return np.ascontiguousarray(kept)
    if column.kind in {"int", "flag"}:
        return kept.astype(np.int64)
    values = kept / MILLION if column.kind == "fraction" else kept.astype(np.float64)
    return np.where(kept == ABSENT, np.nan, values)


def _code_names(values: Sequence[str | None]) -> tuple[tuple[str, ...], npt.NDArray[np.int32]]:
    """Return the names in order, and of each value its code."""
    names = tuple(sorted({value for value in values if value is not None}))
    codes: dict[str | None, int] = {name: code for code, name in enumerate(names)}
    codes[None] = -1
    return names, np.array([codes[value] for value in values], np.int32)


def _find_tagged(gathered: PackedRows, pattern: str) -> npt.NDArray[np.bool_]:
    return np.array([any(means(pattern, tag) for tag in tags) for tags in gathered.tags], np.bool_)


def _read_tagged_at(gathered: PackedRows, tag: str) -> npt.NDArray[np.float64]:
    """Return since when memories have a tag, NaN where they have not."""
    pairs = zip(gathered.tags, gathered.tag_times, strict=True)
    times = [times[tags.index(tag)] if tag in tags else ABSENT for tags, times in pairs]
    kept = np.array(times, np.int64)
    return np.where(kept == ABSENT, np.nan, kept.astype(np.float64))


def _code_attribute(gathered: PackedRows, name: str) -> tuple[AttributeColumn, npt.NDArray[np.int32]]:
    column = AttributeColumn()
    rows = [orjson.loads(text) if text else None for text in gathered.attributes]
    return column, np.array([column.code(value_of(row, name)) for row in rows], np.int32)


def _count_agents(db: Transaction, gathered: PackedRows, seq: Ints) -> Mapping[str, Any]:
    """Return how many agents used each memory, how many others did, and how many others did or rest on it."""
    kinds = [Relation(one).name for one in RESTING_ON]
    statuses = [Status(one).label for one in RESTING]
    rows = db.rows("list_resting", seqs=seq.tolist(), types=kinds, statuses=statuses)
    resting = {row["seq"]: {*row["agents"]} for row in rows}
    used = [
        (names[_NAMES.index("agent")], {*orjson.loads(text)} if text else set(), resting.get(number, set()))
        for number, names, text in zip(seq.tolist(), gathered.names, gathered.accessors, strict=True)
    ]
    return {
        "agents": np.array([len(by) for _, by, _ in used], np.int64),
        "other_agents": np.array([len(by - {own}) for own, by, _ in used], np.int64),
        "sharing_agents": np.array([len((by | on) - {own, None}) for own, by, on in used], np.int64),
    }


def _build_links(seq: Ints, rows: npt.NDArray[Any], wanted: frozenset[str]) -> LinkColumns:
    """Return links by the places of their ends, in order of their keys."""
    rows = rows[np.lexsort((rows["relation"], rows["target"], rows["source"]))]
    rows = rows[
        is_among(rows["source"].astype(np.int64), seq) & is_among(rows["target"].astype(np.int64), seq)
    ]
    return LinkColumns(
        source=np.searchsorted(seq, rows["source"]).astype(np.int32),
        target=np.searchsorted(seq, rows["target"]).astype(np.int32),
        relation=rows["relation"].astype(np.int8),
        **{name: _read_link_column(rows, name) for name in ("weight", *wanted)},
    )


def _read_link_column(rows: npt.NDArray[Any], name: str) -> npt.NDArray[Any]:
    """Return a column of links: fractions in millionths, -1 where nobody said, times with NaN."""
    kept = rows[name]
    if name in {"last_at", "resolved_at"}:
        return np.where(kept == ABSENT, np.nan, kept.astype(np.float64))
    return np.where(kept == ABSENT, -1, kept).astype(np.int32)
