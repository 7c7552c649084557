"""How a part of the audit lies in a graph: why it was done as properties, what it changed as it lies in SQL.

A part has the same digests in every store on a server or in a file, so that a scope goes from one to another with its
audit as it is. Knows parts and bytes; knows nothing of rows of memories.
"""

import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import orjson

from remanence.core.change import ROWLESS, AuditPart, Cause, Change, CommitResult, Increment, rows_of
from remanence.core.snapshot import SINCE_ROWS_MAX
from remanence.store.audit_parts import UNCHAINED, USE, part_digest
from remanence.store.constraints import memories_of
from remanence.store.erasure import ERASE
from remanence.store.neo4j.neo_transactions import Transaction
from remanence.store.row_rules import Row
from remanence.store.sql import audit, block_log
from remanence.store.sql.audit import HEADER, PartContent, PartImages
from remanence.store.sql.rows import DEFAULTS
from remanence.store.sql.use_parts import UsePart
from remanence.store.undo_data_pruning import EXPIRE, THROUGH

_SEEN = frozenset({"memories", "tags", "links"})  # tables that a snapshot is made of
_CAUSE = ("verb", "at", "run", "part", "final", "actor", "policy", "destroyed", "planned")
_LEVEL = 1  # of compression: what is most of a part is names of columns


class ShapeNumbers:
    """The numbers of the shapes of logged updates, as the node of a scope has them in two lists."""

    def __init__(self, scope: Mapping[str, Any]) -> None:
        self._numbers = dict(zip(scope.get("shapes", ()), scope.get("shape_numbers", ()), strict=True))
        self._count = len(self._numbers)

    def make(self, columns: Iterable[str]) -> tuple[int, str]:
        """Return the number of a shape, given one where it has none, and its text."""
        text = ",".join(columns)
        number = self._numbers.setdefault(text, max(self._numbers.values(), default=0) + 1)
        return number, text

    def list_values(self) -> dict[str, Any]:
        """Return what the node of the scope says of them from now on, where any was made."""
        if len(self._numbers) == self._count:
            return {}
        return {"shapes": [*self._numbers], "shape_numbers": [*self._numbers.values()]}


class AuditLine(NamedTuple):
    """A part as SQL keeps it, or several parts of uses: its plain header, digests, content and what emptied it.

    `own` is what it is known by, `entries` the digest of what it changed when it was written, `asked` of what was asked
    for. Each that emptied it is given with the digests of why it was done and of what was left.
    """

    header: tuple[Any, ...]
    own: bytes
    entries: bytes
    asked: bytes
    content: PartContent
    emptied: tuple[tuple[int, bytes, bytes], ...] = ()

    @property
    def position(self) -> int:
        """Where its first part stands."""
        return int(self.header[0])

    def list_parts(self) -> list[UsePart]:
        """Return its parts, which is one but where uses went on."""
        return audit.parts_of(self.header, self.asked)


def append_part(
    db: Transaction,
    scope: Mapping[str, Any],
    cause: Cause,
    changes: tuple[Change, ...],
    asked: bytes,
    assigned: Sequence[int],
) -> tuple[AuditPart, dict[str, Any]]:
    """Log a part after the last of a scope; return it, and what the node of the scope says from now on."""
    shapes = ShapeNumbers(scope)
    images = PartImages(scope["position"] + 1, len(changes), asked)
    _add_changes(images, cause.verb, changes, shapes)
    images.sort()
    header = audit.build_header(images.position, cause, images.count)
    entries = audit.entries_digest(images.shapes, images.rows, images.blocks)
    why = audit.header_digest(header, db.scope, asked)
    content = PartContent(images.rows, images.blocks)
    line = AuditLine(header, audit.own_digest(why, entries), entries, asked, content)
    (node,) = encode_line(db.scope, line, images.shapes)
    node |= {"assigned": assigned[0] if assigned else 0, "assigned_count": len(assigned)}
    seqs = dict.fromkeys(seq for one in changes for seq in memories_of(one.table, one.key))
    db.run("create_parts", rows=[[node, [] if cause.verb in ROWLESS else [*seqs]]])
    previous = scope.get("digest", UNCHAINED.hex())
    return decode_part(node), {
        "position": images.position,
        "before": previous,
        "digest": part_digest(bytes.fromhex(previous), why, entries).hex(),
        "newest_at": max(scope.get("newest_at", cause.at), cause.at),
        "last_run": cause.run,
        "last_part": cause.part,
        **shapes.list_values(),
    }


def _add_changes(images: PartImages, verb: str, changes: Sequence[Change], shapes: ShapeNumbers) -> None:
    """Give the images of a part what it changed, as the rules say it."""
    if verb in ROWLESS:
        images.add_used({seq for one in changes for seq in memories_of(one.table, one.key)})
        return
    links: list[tuple[int, Change]] = []
    for n, change in enumerate(changes):
        if verb == ERASE:
            images.add_destruction(n, change, {})
        elif change.before is None and change.table == "links":
            links.append((n, change))
        elif change.before is None:
            images.add_creation(n, change, (change.after or {}).get("revision", 1))
        elif change.after is None:
            images.add_destruction(n, change, _select_told(change.table, change.before))
        else:
            _add_update(images, n, change, shapes)
    images.add_links(links)


def _select_told(table: str, row: Row) -> dict[str, Any]:
    """Return what is kept of a row that goes: of a memory what is otherwise than by default."""
    if table != "memories":
        return dict(row)
    return {name: _encode_hex(row[name]) for name, default in DEFAULTS.items() if row[name] != default}


def _add_update(images: PartImages, n: int, change: Change, shapes: ShapeNumbers) -> None:
    before, after = change.before or {}, change.after or {}
    counters = [name for name, value in after.items() if isinstance(value, Increment)]
    columns = [name for name in after if name not in counters and name != "revision"]
    number, text = shapes.make((*columns, *counters))
    images.shapes[number] = text
    old = [_encode_hex(before[name]) for name in columns] + [None] * len(counters)
    old += [before["revision"]] if "revision" in before else []
    new = [_encode_hex(after[name]) for name in columns] + [{"by": after[name].by} for name in counters]
    images.add_update(n, change, number, old, audit.json_text(new))


def _encode_hex(value: Any) -> Any:
    return value.hex() if isinstance(value, bytes) else value


def encode_line(
    scope: str, line: AuditLine, shapes: Mapping[int, str], ended_at: int | None = None
) -> list[dict[str, Any]]:
    """Return the nodes of a line, one for each of its parts; the first has the content of all."""
    cause = audit.cause_of(line.header)
    parts = line.list_parts()
    used = block_log.used_in(line.content.blocks)
    used = used if len(used) == len(parts) else [()] * len(parts)
    nodes = []
    for number, (part, seqs) in enumerate(zip(parts, used, strict=True)):
        known_by = line.own
        if cause.verb == USE:
            known_by = audit.use_digest(replace(cause, at=part.at, part=cause.part + number), part)
        nodes.append(
            {
                "scope": scope,
                **{name: getattr(cause, name) for name in _CAUSE},
                "position": part.position,
                "at": part.at,
                "part": cause.part + number,
                "count": part.changes,
                "asked": part.asked,
                "fired": list(cause.fired),
                "ends_through": cause.detail.get(THROUGH) if cause.verb in {ERASE, EXPIRE} else None,
                "digest": known_by.hex(),
                "used": list(seqs),
                "line": None if number == 0 else line.position,
            }
        )
    at, changes, packed = (line.header[HEADER.index(name)] for name in ("at", "changes", "parts"))
    nodes[0] |= {"own": line.own, "rest": line.entries, **encode_content(line, shapes)}
    if packed is not None:
        nodes[0]["uses"] = orjson.dumps([at, changes, packed.hex(), line.asked.hex()]).decode()
    for node in nodes:
        node |= {"seen": _list_seen(node, line, shapes), "ended_at": ended_at}
    return nodes


def encode_content(line: AuditLine, shapes: Mapping[int, str]) -> dict[str, Any]:
    """Return what may be taken away of a line: who did it, its detail and what it changed, with what it was before."""
    header = dict(zip(HEADER, line.header, strict=True))
    content = line.content
    rows = [row[1:] for row in content.rows]
    blocks = [[_encode_hex(value) for value in row[1:]] for row in content.blocks]
    told = {str(number): shapes[number] for number in sorted(content.shapes)}
    packed = zlib.compress(orjson.dumps([told, rows, blocks]), _LEVEL) if content else None
    emptied = [f"{by} {why.hex()} {left.hex()}" for by, why, left in line.emptied]
    return {
        "actor": header["actor"],
        "detail": header["detail"],
        "kept": packed,
        "emptied": emptied or None,
    }


def _list_seen(node: Mapping[str, Any], line: AuditLine, shapes: Mapping[int, str]) -> list[int] | None:
    """Return the memories of which a snapshot since before must tell something else; None where they are many."""
    entries = audit.decode_entries(line.content, shapes)
    seen = {seq for one in rows_of(entries) if one.table in _SEEN for seq in memories_of(one.table, one.key)}
    seen.update(node["used"])
    return sorted(seen) if len(seen) <= SINCE_ROWS_MAX else None


def decode_line(node: Mapping[str, Any]) -> tuple[AuditLine, dict[int, str]]:
    """Return the line whose first part a node is, and the shapes that it names."""
    at, changes, packed, asked = node["at"], node["count"], None, node["asked"]
    if node.get("uses"):
        at, changes, parts_hex, asked_hex = orjson.loads(node["uses"])
        packed, asked = bytes.fromhex(parts_hex), bytes.fromhex(asked_hex)
    cause = _decode_cause(node)
    header = audit.build_header(node["position"], cause, changes)
    values = dict(zip(HEADER, header, strict=True)) | {
        "at": at,
        "parts": packed,
        "detail": node.get("detail"),
    }
    content, shapes = _decode_content(node)
    emptied = tuple(
        (int(by), bytes.fromhex(why), bytes.fromhex(left))
        for by, why, left in map(str.split, node.get("emptied") or ())
    )
    line = AuditLine(tuple(values.values()), node["own"], node["rest"], asked, content, emptied)
    return line, shapes


def decode_part(node: Mapping[str, Any]) -> AuditPart:
    """Return a part of the audit."""
    content, shapes = _decode_content(node)
    return AuditPart(
        position=node["position"],
        cause=_decode_cause(node),
        entries=tuple(audit.decode_entries(content, shapes)),
        digest=node["digest"],
        count=node["count"],
        used=tuple(node.get("used") or ()),
        ended_at=node.get("ended_at"),
    )


def _decode_cause(node: Mapping[str, Any]) -> Cause:
    return Cause(
        **{name: node.get(name) for name in _CAUSE},  # type: ignore[arg-type]
        fired=tuple(node.get("fired") or ()),
        detail=orjson.loads(node["detail"]) if node.get("detail") else {},
    )


def _decode_content(node: Mapping[str, Any]) -> tuple[PartContent, dict[int, str]]:
    """Return what a part changed, and the shapes that it names."""
    if node.get("kept") is None:
        return PartContent(), {}
    told, rows, blocks = orjson.loads(zlib.decompress(node["kept"]))
    position = node["position"]
    content = PartContent(
        [(position, *row) for row in rows],
        [
            (position, *row[:-2], *(None if one is None else bytes.fromhex(one) for one in row[-2:]))
            for row in blocks
        ],
    )
    return content, {int(number): text for number, text in told.items()}


def decode_result(node: Mapping[str, Any], *, follows: int = -1, is_repeated: bool = False) -> CommitResult:
    """Return the answer that a commit got, from its part."""
    assigned = tuple(range(node["assigned"], node["assigned"] + node["assigned_count"]))
    return CommitResult(
        node["run"], node["part"], node["position"], assigned, node["count"], follows, is_repeated
    )
