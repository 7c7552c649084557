"""How rows lie in a graph: properties that people query, and beside them one packed row that gathers read.

Numbers, codes and times are read from the packed row, texts and names from the properties; what a property repeats of
the packed row is for people, and `check` compares it. Knows columns and bytes; knows no statement.
"""

import struct
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import orjson

from remanence.core.change import ABSENT, MILLION
from remanence.core.local_time import SaidSpan
from remanence.core.model import COLUMN, COLUMNS, Link, Memory, Relation, Status
from remanence.store.base import Find, KnownMemory
from remanence.store.constraints import encode_values
from remanence.store.neo4j.neo_queries import TYPES
from remanence.store.row_rules import Row
from remanence.text.analysis import asks, stems, term_hash

_WIDE_INTS = frozenset({"use_days", "revision", "touched"})
_FORMATS = {"enum": "b", "flag": "b", "int": "i", "time": "q", "fraction": "q"}
NARROW = tuple(column for column in COLUMNS if column.kind in _FORMATS)
NARROW_NAMES = frozenset(column.name for column in NARROW)
_FORMAT = {column.name: "q" if column.name in _WIDE_INTS else _FORMATS[column.kind] for column in NARROW}
_FIELDS = (("seq", "q"), *_FORMAT.items(), ("asks", "b"))
_STRUCT = struct.Struct("<" + "".join(code for _, code in _FIELDS))
_WIDTH = {"b": "<i1", "i": "<i4", "q": "<i8"}
ROW = np.dtype([(name, _WIDTH[code]) for name, code in _FIELDS])
_LINK_FIELDS = (
    *(("source", "q"), ("target", "q"), ("relation", "b"), ("weight", "q"), ("confidence", "q")),
    *(("count", "i"), ("created_at", "q"), ("last_at", "q"), ("resolved_at", "q")),
)
_LINK_STRUCT = struct.Struct("<" + "".join(code for _, code in _LINK_FIELDS))
LINK_ROW = np.dtype([(name, _WIDTH[code]) for name, code in _LINK_FIELDS])
_JSON = ("attributes", "holds", "edits", "accessors")
_TEXTS = ("id", "key", "text", "summary", "category", "state", "agent", "speaker", "thread", "session")
WIDE_NAMES = frozenset({*_JSON, *_TEXTS, "fingerprint"})
OWN = ""  # the model of the vectors that are the memories' own
ENTITY = "entity"  # the category of memories that are things and people
_KEY_CHARS_MAX = 500  # of a stem in an index, which takes 8 KB at most
BLOCK_BITS = 10  # a stem's numbers lie in blocks of 1,024 of the scope's


def pack_row(seq: int, row: Row) -> bytes:
    """Return what gathers read of a memory."""
    values = [_pack_value(column.kind, row[column.name]) for column in NARROW]
    return _STRUCT.pack(seq, *values, row["asks"] if "asks" in row else asks(row["text"]))


def unpack_row(packed: bytes) -> tuple[int, dict[str, Any]]:
    """Return a memory's number and its numbers, codes and times, and whether its text asks."""
    seq, *values, is_asking = _STRUCT.unpack(packed)
    row = {
        column.name: _unpack_value(column.kind, value) for column, value in zip(NARROW, values, strict=True)
    }
    row["asks"] = is_asking
    return seq, row


def _pack_value(kind: str, value: Any) -> int:
    if value is None:
        return -1 if kind == "enum" else ABSENT
    return round(value * MILLION) if kind == "fraction" else value  # type: ignore[no-any-return]


def _unpack_value(kind: str, value: int) -> Any:
    if kind == "enum":
        return None if value < 0 else value
    if value == ABSENT and kind in {"time", "fraction"}:
        return None
    return value / MILLION if kind == "fraction" else value


def dump_json(value: Any) -> str:
    """Return a value as the text that is kept of it."""
    return orjson.dumps(value, option=orjson.OPT_SORT_KEYS).decode()


def encode_node(
    scope: str, seq: int, row: Row, tags: Mapping[str, Row], sources: Mapping[str, Row]
) -> dict[str, Any]:
    """Return all properties of a memory's node."""
    return {
        "scope": scope,
        "seq": seq,
        **encode_columns(row, [*NARROW_NAMES, *WIDE_NAMES]),
        **encode_tags(tags),
        **encode_sources(sources),
        "row": pack_row(seq, row),
    }


def encode_columns(row: Row, names: Sequence[str]) -> dict[str, Any]:
    """Return some columns of a memory as properties; None takes one away."""
    properties = {name: _encode_property(name, row[name]) for name in names if name != "vector"}
    if "status" in properties:
        is_pruned = row["status"] == Status.PRUNED
        properties |= {
            "tombstone": is_pruned or None,
            "deleted_at": row["status_at"] if is_pruned else None,
        }
    if "text" in properties:
        properties["bytes"] = len(row["text"].encode())
    return properties


def _encode_property(name: str, value: Any) -> Any:
    column = COLUMN[name]
    if value is None:
        return None
    if column.labels is not None:
        return column.labels(value).label
    if name in _JSON:
        return dump_json(value)
    return value.hex() if name == "fingerprint" else value


def encode_tags(tags: Mapping[str, Row]) -> dict[str, Any]:
    """Return the tags of a memory, in order, and when each was set."""
    if not tags:
        return {"tags": None, "tag_times": None}
    times = [ABSENT if tags[tag]["at"] is None else tags[tag]["at"] for tag in sorted(tags)]
    return {"tags": sorted(tags), "tag_times": times}


def encode_sources(sources: Mapping[str, Row]) -> dict[str, Any]:
    """Return the sources of a memory, in order, and the span of each."""
    if not sources:
        return {"sources": None, "spans": None}
    spans = [dump_json(sources[source].get("span")) for source in sorted(sources)]
    return {"sources": sorted(sources), "spans": spans}


def decode_columns(node: Mapping[str, Any]) -> tuple[int, dict[str, Any]]:
    """Return a memory's number and its columns but the vector, as rules have them."""
    seq, row = unpack_row(node["row"])
    del row["asks"]  # it follows from the text
    row |= {name: node.get(name) for name in _TEXTS}
    row |= {name: None if node.get(name) is None else orjson.loads(node[name]) for name in _JSON}
    row["fingerprint"] = bytes.fromhex(node["fingerprint"])
    return seq, row


def decode_tags(node: Mapping[str, Any]) -> dict[str, Row]:
    """Return the tags of a memory."""
    pairs = zip(node.get("tags") or (), node.get("tag_times") or (), strict=True)
    return {tag: {"at": None if at == ABSENT else at} for tag, at in pairs}


def decode_sources(node: Mapping[str, Any]) -> dict[str, Row]:
    """Return the sources of a memory, as they were said."""
    pairs = zip(node.get("sources") or (), node.get("spans") or (), strict=True)
    return {source: {"span": orjson.loads(span)} for source, span in pairs}


def decode_memory(node: Mapping[str, Any]) -> Memory:
    """Return a whole memory."""
    seq, row = decode_columns(node)
    for column in NARROW:
        if column.labels is not None and row[column.name] is not None:
            row[column.name] = column.labels(row[column.name])
    tags, sources = decode_tags(node), decode_sources(node)
    tagged_at = {tag: one["at"] for tag, one in tags.items() if one["at"] is not None}
    return Memory(
        seq=seq, scope=node["scope"], tags=tuple(tags), sources=tuple(sources), tagged_at=tagged_at, **row
    )


def decode_known(node: Mapping[str, Any]) -> KnownMemory:
    """Return what a write must know of a memory that it meets."""
    seq, row = unpack_row(node["row"])
    return KnownMemory(
        seq, node["id"], Status(row["status"]), row["revision"], bytes.fromhex(node["fingerprint"])
    )


def pack_link(key: tuple[int, int, int], row: Row) -> bytes:
    """Return what is read of a link."""
    numbers = (_pack_value("fraction", row["weight"]), _pack_value("fraction", row["confidence"]))
    times = (row["created_at"], row["last_at"], _pack_value("time", row["resolved_at"]))
    return _LINK_STRUCT.pack(*key, *numbers, row["count"], *times)


def unpack_link(packed: bytes) -> tuple[tuple[int, int, int], dict[str, Any]]:
    """Return a link's key and its values."""
    source, target, relation, weight, confidence, count, created_at, last_at, resolved_at = (
        _LINK_STRUCT.unpack(packed)
    )
    return (source, target, relation), {
        "weight": weight / MILLION,
        "confidence": _unpack_value("fraction", confidence),
        "count": count,
        "created_at": created_at,
        "last_at": last_at,
        "resolved_at": _unpack_value("time", resolved_at),
    }


def encode_link(key: tuple[int, int, int], row: Row | None) -> dict[str, Any]:
    """Return a link as statements name it, with its properties; None for one that goes."""
    source, target, relation = key
    values = None if row is None else {**row, "row": pack_link(key, row)}
    return {"source": source, "target": target, "type": TYPES[Relation(relation)], "values": values}


def list_links(packed: Sequence[bytes]) -> list[Link]:
    """Return links in order of their keys."""
    links = sorted((unpack_link(one) for one in packed), key=lambda one: one[0])
    return [Link(key[0], key[1], Relation(key[2]), **row) for key, row in links]


def encode_find(find: Find) -> dict[str, Any]:
    """Return a listing as values of its statement."""
    equal: dict[str, list[Any]] = {}
    for name, value in find.equal.items():
        some = value if isinstance(value, tuple) else (value,)
        equal[name] = [_encode_property(name, encode_values("memories", {name: one})[name]) for one in some]
    after, before = find.after, 2**63 - 1 if find.before is None else find.before
    if find.only:  # the index is read no further
        after, before = max(after, min(find.only) - 1), min(before, max(find.only) + 1)
    return {
        "after": after,
        "before": before,
        "among": find.among,
        "statuses": None if find.statuses is None else [Status(one).label for one in find.statuses],
        "only": None if find.only is None else list(find.only),
        "beginning": find.beginning,
        "ending": find.ending,
        "tags": list(find.tags),
        "equal": equal,
        "absent": [name for name, values in equal.items() if None in values],
        "said": list(find.said or SaidSpan()),
        "limit": find.limit,
    }


def words_of(text: str) -> frozenset[str]:
    """Return the stems that a text holds."""
    return frozenset(stems(text))


def stem_key(stem: str) -> str:
    """Return what a stem is looked for by: itself, or of one that no index takes the beginning and its hash."""
    return stem if len(stem) <= _KEY_CHARS_MAX else f"{stem[:_KEY_CHARS_MAX]} {term_hash(stem):x}"


def read_rows(packed: Sequence[bytes], kind: np.dtype[Any]) -> npt.NDArray[Any]:
    """Return packed rows as one array with a field for each column."""
    return np.frombuffer(b"".join(packed), kind)
