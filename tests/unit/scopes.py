"""Scopes for tests of the planner: snapshots from rows, random ones, and what a plan's changes make of them."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, cast

import numpy as np

from remanence.core.change import MILLION, Change, Increment
from remanence.core.clock import DAY, HOUR
from remanence.core.model import COLUMN, COLUMNS, Decay, Lifecycle, Relation, Status, Tier
from remanence.core.snapshot import LinkColumns, Snapshot
from remanence.curate.planner.plan import Plan

NOW = 1_790_000_000_000_000
Row = dict[str, Any]
LinkKey = tuple[int, int, int]
COLUMNS_KEPT = tuple(
    column.name for column in COLUMNS if column.kind in {"enum", "name", "time", "fraction", "flag", "int"}
)


def row(**values: Any) -> Row:
    """Make a memory learned ten days ago, active, hot and otherwise plain; labels may be given by name."""
    learned = values.get("learned_at", NOW - 10 * DAY)
    made: Row = {column.name: column.default for column in COLUMNS if column.name in COLUMNS_KEPT}
    made |= {
        "status": Status.ACTIVE,
        "tier": Tier.HOT,
        "kind": 1,
        "category": "message",
        "decay": Decay.STANDARD,
        "lifecycle": Lifecycle.CANDIDATE,
        "said_at": learned,
        "learned_at": learned,
        "status_at": learned,
        "tier_at": learned,
        "tokens": 10,
        "words": 8,
        "short_tokens": 6,
        "short_words": 5,
        "tags": (),
        "accessors": (),
    }
    for name, value in values.items():
        labels = COLUMN[name].labels if name in COLUMN else None
        made[name] = labels[value.upper()] if labels is not None and isinstance(value, str) else value
    if made["status"] == Status.ARCHIVED:
        made["tier"] = Tier.ARCHIVE
    return made


def link(
    weight: float = 0.5,
    confidence: float | None = None,
    last_at: int = NOW - DAY,
    count: int = 1,
    resolved_at: int | None = None,
) -> Row:
    """Make a link's values."""
    return {
        "weight": weight,
        "confidence": confidence,
        "last_at": last_at,
        "count": count,
        "created_at": last_at,
        "resolved_at": resolved_at,
    }


def worked(*hours_ago: tuple[float, float]) -> np.ndarray:
    """Return the spans of sessions from and to so many hours ago."""
    return np.array(
        [[NOW - round(began * HOUR), NOW - round(ended * HOUR)] for began, ended in hours_ago], np.int64
    ).reshape(-1, 2)


def _near(links: Mapping[LinkKey, Row]) -> frozenset[tuple[int, int]]:
    """Say of all near duplicates that they have the same words."""
    near = Relation.NEAR_DUPLICATE
    return frozenset((min(one, other), max(one, other)) for one, other, relation in links if relation == near)


def snapshot(
    rows: Sequence[Row] | Mapping[int, Row],
    links: Mapping[LinkKey, Row] | None = None,
    patterns: Iterable[str] = (),
    **more: Any,
) -> Snapshot:
    """Freeze rows, numbered from 1 where they have no number, with all columns that exist."""
    by_seq = dict(rows) if isinstance(rows, Mapping) else dict(enumerate(rows, 1))
    seqs = sorted(by_seq)
    ordered = [by_seq[seq] for seq in seqs]
    names = {
        name: tuple(sorted({one[name] for one in ordered if one[name] is not None}))
        for name in COLUMNS_KEPT
        if COLUMN[name].kind == "name"
    }
    columns = {
        name: _array(name, [one[name] for one in ordered], names.get(name, ())) for name in COLUMNS_KEPT
    }
    return Snapshot(
        scope="test",
        position=7,
        seq=np.array(seqs, np.int64),
        columns=columns,
        names=names,
        agents=np.array([len(one["accessors"]) for one in ordered], np.int64),
        other_agents=(
            others := np.array([len({*one["accessors"]} - {one["agent"]}) for one in ordered], np.int64)
        ),
        sharing_agents=others,
        tags={pattern: np.array([_bears(one, pattern) for one in ordered], np.bool_) for pattern in patterns},
        links=_links(seqs, links or {}),
        **{"same_words": _near(links or {}), **more},
    )


def _array(name: str, values: Sequence[Any], names: tuple[str, ...]) -> Any:
    match COLUMN[name].kind:
        case "enum":
            return np.array([-1 if value is None else int(value) for value in values], np.int8)
        case "name":
            return np.array([-1 if value is None else names.index(value) for value in values], np.int32)
        case "time" | "fraction":
            return np.array([np.nan if value is None else value for value in values], np.float64)
        case _:
            return np.array(values, np.int64)


def _bears(one: Row, pattern: str) -> bool:
    if pattern.endswith("*"):
        return any(tag.startswith(pattern[:-1]) for tag in one["tags"])
    return pattern in one["tags"]


def _links(seqs: Sequence[int], links: Mapping[LinkKey, Row]) -> LinkColumns:
    place = {seq: index for index, seq in enumerate(seqs)}
    keys = sorted(links)
    values = [links[key] for key in keys]
    return LinkColumns(
        np.array([place[key[0]] for key in keys], np.int32),
        np.array([place[key[1]] for key in keys], np.int32),
        np.array([key[2] for key in keys], np.int8),
        np.array([round(one["weight"] * MILLION) for one in values], np.int32),
        np.array(
            [-1 if one["confidence"] is None else round(one["confidence"] * MILLION) for one in values],
            np.int32,
        ),
        np.array([np.nan if one["last_at"] is None else one["last_at"] for one in values], np.float64),
        np.array([one["count"] for one in values], np.int32),
        np.array(
            [np.nan if one["resolved_at"] is None else one["resolved_at"] for one in values], np.float64
        ),
    )


class World:
    """Rows and links in plain dicts, to which changes are applied as a store would."""

    def __init__(
        self,
        rows: Sequence[Row],
        links: Mapping[LinkKey, Row] | None = None,
        spans: np.ndarray | None = None,
        heard: np.ndarray | None = None,
    ) -> None:
        self.rows = {seq: dict(one) for seq, one in enumerate(rows, 1)}
        self.links = {key: dict(one) for key, one in (links or {}).items()}
        self.spans, self.heard = spans, heard

    def snapshot(self, patterns: Iterable[str] = (), **more: Any) -> Snapshot:
        """Freeze the world as it is."""
        return snapshot(self.rows, self.links, patterns, **{"spans": self.spans, "heard": self.heard, **more})

    def apply(self, plan: Plan) -> None:
        """Do what a plan says; every old value that it names must be right, and no key may be named twice."""
        seen: set[Any] = set()
        for group in plan.changes():
            for change in group:
                key = (change.table, change.key)
                assert key not in seen
                seen.add(key)
                self._apply(change)
        for one in self.rows.values():
            assert (one["status"] == Status.ARCHIVED) == (one["tier"] == Tier.ARCHIVE)
            assert one["status"] in {Status.INBOX, Status.ACTIVE} or one["reason"] is not None

    def _apply(self, change: Change) -> None:
        match change.table:
            case "memories":
                self._memory(change)
            case "links":
                self._link(change)
            case "tags":
                seq, tag = cast("tuple[int, str]", change.key)
                tags = self.rows[seq]["tags"]
                assert (tag in tags) == (change.after is None)
                self.rows[seq]["tags"] = (
                    (*tags, tag) if change.before is None else tuple(it for it in tags if it != tag)
                )

    def _memory(self, change: Change) -> None:
        seq: int = change.key  # type: ignore[assignment]
        one = self.rows[seq]
        before = change.before or {}
        for name, value in before.items():
            if not isinstance(value, Increment):
                assert one[name] == value
        if change.after is None:
            del self.rows[seq]
            self.links = {key: values for key, values in self.links.items() if seq not in key[:2]}
            return
        for name, value in change.after.items():
            one[name] = one[name] + value.by if isinstance(value, Increment) else value

    def _link(self, change: Change) -> None:
        key: LinkKey = change.key  # type: ignore[assignment]
        if change.before is None:
            assert key not in self.links
            self.links[key] = {**link(), **(change.after or {})}
            return
        for name, value in change.before.items():
            assert self.links[key][name] == value
        if change.after is None:
            del self.links[key]
        else:
            self.links[key] |= change.after


def linked(
    *pairs: tuple[int, int], relation: Relation = Relation.SIMILAR, **values: Any
) -> dict[LinkKey, Row]:
    """Link pairs of memories alike."""
    return {(source, target, int(relation)): link(**values) for source, target in pairs}


__all__ = ["DAY", "HOUR", "NOW", "World", "link", "linked", "row", "snapshot", "worked"]
