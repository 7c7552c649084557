"""A memory's row between the two worlds: plain values as changes name them, and what a database keeps.

Knows the columns of `model` and where each lives; knows nothing of transactions or of what a change means.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from hashlib import blake2b
from typing import Any

import orjson

from remanence.core.model import COLUMN, COLUMNS, LINK_COLUMNS, Column, Label, Link, Memory, Relation
from remanence.store.constraints import TIME_BOUND, is_access
from remanence.store.sql.dialect import Dialect, Statement
from remanence.store.sql.names import ScopeNames
from remanence.store.sql.scope import OpenScope

MILLION = 1_000_000
DIGEST_BYTES = 8  # against decay of the medium, not against forgers
Values = Mapping[str, Any]

STATES = tuple(column for column in COLUMNS if column.home == "states")
MEMORIES = tuple(column for column in COLUMNS if column.home == "memories")
DEFAULTS: Values = {
    column.name: int(column.default) if column.labels and column.default is not None else column.default
    for column in COLUMNS
}

_ALIAS = {"memories": "m", "states": "s", "vectors": "v"}
# What of a column can be written as it comes.
_AS_INT = frozenset({"int", "time", "flag", "enum"})


def encode_value(column: Column, value: Any) -> Any:
    """Turn a plain value into what a database keeps; a name stays a name, its number is the caller's to find."""
    if value is None:
        return None
    if column.kind in _AS_INT:
        return int(value)
    if column.kind == "fraction":
        return round(value * MILLION)
    if column.kind == "json":
        return orjson.dumps(dict(value), option=orjson.OPT_SORT_KEYS).decode()
    if column.kind == "numbers":
        return orjson.dumps(list(value)).decode()
    return value


def decode_value(column: Column, value: Any) -> Any:
    """Turn what a database keeps into the plain value; a name's number is the caller's to replace."""
    if value is None:
        return None
    if column.kind == "fraction":
        return value / MILLION
    if column.kind == "json":
        return mapping(value)
    if column.kind == "numbers":
        return numbers(value)
    if column.kind == "accessors":
        return _decode_accessors(value)
    return _check_instant(value) if column.kind == "time" else value


def mapping(text: str) -> dict[str, Any]:
    """Read what a JSON column keeps."""
    read = orjson.loads(text)
    if not isinstance(read, dict):
        raise TypeError(f"{text[:40]!r} is no mapping")
    return read


def numbers(text: str) -> list[int]:
    """Read a list of whole numbers."""
    read = orjson.loads(text)
    if not isinstance(read, list) or not all(type(one) is int for one in read):
        raise TypeError(f"{text[:40]!r} is no list of numbers")
    return read


def _decode_accessors(text: str) -> dict[str, Any] | None:
    if text == "{}":
        return None
    accessors = {
        name: {"uses": uses, "last_at": last_at} for name, (uses, last_at) in sorted(mapping(text).items())
    }
    if not all(map(is_access, accessors.items())):
        raise ValueError(f"{text[:40]!r} says of nobody how often and when")
    return accessors


@lru_cache(maxsize=512)  # requests of a few policies, and what changes name
def select_columns(names: tuple[str, ...]) -> Statement:
    """Return the statement that reads columns of the memories in a list (parameter 2) of a scope (1).

    Each row starts with `seq`; only the tables that the columns need are joined.
    """
    columns = [COLUMN[name] for name in names]
    homes = {column.home for column in columns}
    joins = " JOIN memories m ON m.scope = s.scope AND m.seq = s.seq" if "memories" in homes else ""
    joins += " LEFT JOIN vectors v ON v.scope = s.scope AND v.seq = s.seq" if "vectors" in homes else ""
    return Statement(
        lambda sql: (
            f"SELECT {', '.join(['s.seq', *(place(sql, column) for column in columns)])} FROM states s{joins}"
            f" WHERE s.scope = ?1 AND s.seq {sql.among(2)}"
        )
    )


def place(sql: Dialect, column: Column) -> str:
    """Return a column's name with the alias of its table, or the query that makes it one of several rows."""
    if column.home == "accessors":  # who used a memory, as JSON by name: how often and when last
        return (
            f"(SELECT {sql.object('n.name', 'a.uses, a.last_at')} FROM accessors a"
            " JOIN names n ON n.scope = a.scope AND n.no = a.agent WHERE a.scope = s.scope AND a.seq = s.seq)"
        )
    return f"{_ALIAS[column.home]}.{column.name}"


def read_rows(scope: OpenScope, seqs: Iterable[int], names: tuple[str, ...]) -> dict[int, tuple[Any, ...]]:
    """Return the kept values of some columns by sequence number; a memory that is not there is left out."""
    rows = scope.db.rows(select_columns(names), (scope.no, scope.db.make_list(seqs)))
    return {row[0]: row[1:] for row in rows}


def plain_values(names: ScopeNames, columns: Sequence[str], kept: Sequence[Any]) -> dict[str, Any]:
    """Return plain values by column, from the kept values of columns in order."""
    return {
        name: names.text(value)
        if COLUMN[name].kind == "name" and value is not None
        else decode_value(COLUMN[name], value)
        for name, value in zip(columns, kept, strict=True)
    }


def row_digest(seq: int, kept: Sequence[Any]) -> bytes:
    """Return the check sum of a row of `memories`: its number, and its values as MEMORIES orders them."""
    content = orjson.dumps([seq, *kept], default=bytes.hex)
    return blake2b(content, digest_size=DIGEST_BYTES).digest()


def encoded_link(values: Values) -> tuple[int, int | None, int, int, int, int | None]:
    """Return a link's values as a database keeps them, in the order of LINK_COLUMNS."""
    confidence, resolved_at = values["confidence"], values["resolved_at"]
    return (
        round(values["weight"] * MILLION),
        None if confidence is None else round(confidence * MILLION),
        int(values["count"]),
        int(values["created_at"]),
        int(values["last_at"]),
        None if resolved_at is None else int(resolved_at),
    )


def decoded_link(kept: Sequence[Any]) -> dict[str, Any]:
    """Return a link's plain values from what a database keeps, in the order of LINK_COLUMNS."""
    weight, confidence, count, created_at, last_at, resolved_at = kept
    return {
        "weight": weight / MILLION,
        "confidence": None if confidence is None else confidence / MILLION,
        "count": count,
        "created_at": created_at,
        "last_at": last_at,
        "resolved_at": resolved_at,
    }


def link(kept: Sequence[Any]) -> Link:
    """Build a link from source, target, relation and its kept values."""
    source, target, relation, *values = kept
    values[0] /= MILLION  # weight
    if values[1] is not None:
        values[1] /= MILLION  # confidence
    new_link = object.__new__(Link)
    for put, value in zip(_PUT_LINK, (source, target, _RELATIONS[relation], *values), strict=True):
        put(new_link, value)
    return new_link


_PUT_LINK = tuple(Link.__dict__[name].__set__ for name in ("source", "target", "relation", *LINK_COLUMNS))
_RELATIONS = {int(relation): relation for relation in Relation}
# A memory read whole, the vector apart.
WHOLE = tuple(column for column in COLUMNS if column.name != "vector")
WHOLE_NAMES = tuple(column.name for column in WHOLE)


def _build_maker(column: Column) -> Callable[[Any], Any]:
    labels: type[Label] | None = column.labels
    if labels is not None:
        return dict(zip(map(int, labels), labels, strict=True)).__getitem__
    if column.kind == "time":
        return _check_instant
    return lambda value: decode_value(column, value)


def _check_instant(value: int) -> int:
    if not -TIME_BOUND <= value <= TIME_BOUND:
        raise ValueError(f"{value} is no time")
    return value


BESIDE = (
    "seq",
    "scope",
    "tags",
    "sources",
    "tagged_at",
    "ended",
    "last_action",
)  # what a memory has that is no column of its row
# The initialiser of a frozen class sets each of its 60 fields through `object.__setattr__`, three times as slow.
_PUT_WHOLE = tuple(Memory.__dict__[name].__set__ for name in WHOLE_NAMES)
_PUT_BESIDE = tuple(Memory.__dict__[name].__set__ for name in BESIDE)
_MAKERS = tuple(
    (number, _build_maker(column))
    for number, column in enumerate(WHOLE)
    if column.kind in {"enum", "fraction", "json", "time", "accessors"}
)
_NAMED = tuple(number for number, column in enumerate(WHOLE) if column.kind == "name")


def memory(
    scope: str,
    kept: Sequence[Any],
    texts: Mapping[int, str],
    *,
    tags: Mapping[str, int | None],
    sources: tuple[str, ...],
) -> Memory:
    """Build a memory from its `seq` and kept values in the order of WHOLE, with the names behind its numbers.

    `tags` are given with when each was set.
    """
    seq, *values = kept
    for number, make in _MAKERS:
        if values[number] is not None:
            values[number] = make(values[number])
    for number in _NAMED:
        if values[number] is not None:
            values[number] = texts[values[number]]
    tagged_at = {tag: _check_instant(at) for tag, at in tags.items() if at is not None}
    new_memory = object.__new__(Memory)
    for put, value in zip(_PUT_WHOLE, values, strict=True):
        put(new_memory, value)
    for put, value in zip(_PUT_BESIDE, (seq, scope, tuple(tags), sources, tagged_at, (), None), strict=True):
        put(new_memory, value)
    return new_memory


def names_in(rows: Iterable[Sequence[Any]]) -> set[int]:
    """Return every number of a name in rows of `seq` and the values of WHOLE."""
    return {row[1 + number] for row in rows for number in _NAMED} - {None}
