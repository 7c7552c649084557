"""How a part of the audit lies in a graph: why it was done as properties, what it changed as one text of JSON.

Knows parts and bytes; knows nothing of rows.
"""

import zlib
from collections.abc import Mapping, Sequence
from typing import Any, cast

import orjson

from remanence.core.change import AuditPart, Cause, Change, CommitResult, Increment
from remanence.core.model import COUNTERS
from remanence.core.snapshot import SINCE_ROWS_MAX
from remanence.store.constraints import TABLE_COLUMNS, memories_of
from remanence.store.erasure import ERASE
from remanence.store.neo4j.neo_transactions import Transaction
from remanence.store.part_rules import entries_digest, header_digest, part_of
from remanence.store.row_rules import Row
from remanence.store.undo_data_pruning import EXPIRE, THROUGH

_SEEN = frozenset({"memories", "tags", "links"})  # tables that a snapshot is made of
_CAUSE = ("verb", "at", "run", "part", "final", "actor", "policy", "destroyed", "planned")
_LEVEL = 1  # of compression: what is most of a part is names of columns


def append_part(
    db: Transaction,
    scope: Mapping[str, Any],
    cause: Cause,
    changes: tuple[Change, ...],
    asked: bytes,
    assigned: Sequence[int],
) -> tuple[AuditPart, dict[str, Any]]:
    """Log a part after the last of a scope; return it, and what the node of the scope says from now on."""
    position = scope["position"]
    last = [AuditPart(position, cause, (), scope["digest"])] if position else []
    part = part_of(last, cause, changes)
    db.run(
        "create_part", part=_encode_part(db.scope, part, asked, assigned), seqs=_list_memories(part.changes)
    )
    return part, {
        "position": part.position,
        "digest": part.digest,
        "newest_at": max(scope.get("newest_at", cause.at), cause.at),
        "last_run": cause.run,
        "last_part": cause.part,
    }


def _encode_part(scope: str, part: AuditPart, asked: bytes, assigned: Sequence[int]) -> dict[str, Any]:
    """Return a part as the properties of its node."""
    cause = part.cause
    seen = {seq for one in part.changes if one.table in _SEEN for seq in memories_of(one.table, one.key)}
    seen.update(part.used)
    return {
        "scope": scope,
        "position": part.position,
        **{name: getattr(cause, name) for name in _CAUSE},
        "fired": list(cause.fired),
        "ends_through": cause.detail.get(THROUGH) if cause.verb in {ERASE, EXPIRE} else None,
        **encode_content(part),
        "digest": part.digest,
        "header": header_digest(part),
        "rest": entries_digest(part),
        "asked": asked,
        "count": part.count,
        "seen": sorted(seen) if len(seen) <= SINCE_ROWS_MAX else None,
        "assigned": assigned[0] if assigned else 0,
        "assigned_count": len(assigned),
    }


def encode_content(part: AuditPart) -> dict[str, Any]:
    """Return what may be taken away of a part: who did it, its detail, what it changed and when that ended."""
    detail = dict(part.cause.detail)
    return {
        "actor": part.cause.actor,
        "detail": orjson.dumps(detail).decode() if detail else None,
        "entries": zlib.compress(orjson.dumps(list(map(_encode_change, part.changes))), _LEVEL)
        if part.entries
        else None,
        "used": list(part.used),
        "ended_at": part.ended_at,
    }


def decode_part(node: Mapping[str, Any]) -> AuditPart:
    """Return a part of the audit."""
    cause = Cause(
        **{name: node.get(name) for name in _CAUSE},  # type: ignore[arg-type]
        fired=tuple(node.get("fired") or ()),
        detail=orjson.loads(node["detail"]) if node.get("detail") else {},
    )
    entries = node.get("entries")
    changes = [] if entries is None else orjson.loads(zlib.decompress(entries))
    return AuditPart(
        position=node["position"],
        cause=cause,
        entries=tuple(map(_decode_change, changes)),
        digest=node["digest"],
        count=node["count"],
        used=tuple(node.get("used") or ()),
        ended_at=node.get("ended_at"),
    )


def decode_result(node: Mapping[str, Any], *, follows: int = -1, is_repeated: bool = False) -> CommitResult:
    """Return the answer that a commit got, from its part."""
    assigned = tuple(range(node["assigned"], node["assigned"] + node["assigned_count"]))
    return CommitResult(
        node["run"], node["part"], node["position"], assigned, node["count"], follows, is_repeated
    )


def _list_memories(changes: Sequence[Change]) -> list[int]:
    """Return the memories of whose history some changes are, each once."""
    return list(dict.fromkeys(seq for one in changes for seq in memories_of(one.table, one.key)))


def _encode_change(change: Change) -> list[Any]:
    return [change.table, change.key, _encode_side(change.before), _encode_side(change.after)]


def _encode_side(side: Row | None) -> dict[str, Any] | None:
    if side is None:
        return None
    return {
        name: value.hex()
        if isinstance(value, bytes)
        else {"by": value.by}
        if isinstance(value, Increment)
        else value
        for name, value in side.items()
    }


def _decode_change(kept: Sequence[Any]) -> Change:
    table, key, before, after = kept
    return Change(
        table,
        cast("Any", tuple(key) if isinstance(key, list) else key),
        _decode_side(table, before),
        _decode_side(table, after),
    )


def _decode_side(table: str, side: Row | None) -> dict[str, Any] | None:
    if side is None:
        return None
    columns = TABLE_COLUMNS[table]
    return {
        name: bytes.fromhex(value)
        if value is not None and columns[name].kind == "blob"
        else Increment(value["by"])
        if name in COUNTERS and isinstance(value, dict)
        else value
        for name, value in side.items()
    }
