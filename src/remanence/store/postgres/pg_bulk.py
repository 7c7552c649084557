"""Statements of one row made into statements of many: their values go as one array a column.

Knows the forms of the statements that `store.sql` runs with many rows: `INSERT … VALUES (…)`, also with ON CONFLICT,
and UPDATE and DELETE of rows by key. Others are left to the driver, which sends them once a row.
"""

import re
import struct
from collections.abc import Sequence
from functools import lru_cache
from itertools import islice
from typing import Any, NamedTuple

import numpy as np
from psycopg import pq
from psycopg.adapt import Dumper

Rows = Sequence[Sequence[Any]]
Column = tuple[Any, ...]

_PARAMETER = re.compile(r"\$(\d+)")
_INSERT = re.compile(r"(INSERT INTO \w+ \((?P<columns>[^()]*)\)) VALUES \((?P<values>[^()]*)\)(?P<rest>.*)")
_CONFLICT = re.compile(r" ON CONFLICT \(([^()]*)\) DO UPDATE .*")
_UPDATE = re.compile(r"(UPDATE \w+ SET .*?) WHERE (?P<where>.*)")
_DELETE = re.compile(r"(DELETE FROM \w+) WHERE (?P<where>.*)")
_BY_KEY = re.compile(r"\w+ = \$\d+(?: AND \w+ = \$\d+)*")
# The head of an array: dimensions, whether it has NULL, the type, its length, the number of its first element.
_HEAD = struct.Struct(">iiIii")
_LENGTH = struct.Struct(">i")
_NULL = _LENGTH.pack(-1)
_EIGHT = _LENGTH.pack(8)
_NUMBER = np.dtype([("length", ">i4"), ("value", ">i8")])
_INT, _TEXT, _BYTES = 20, 25, 17  # oids of bigint, text and bytea


class NumberArray(bytes):
    """An array of bigint as the server takes it."""


class TextArray(bytes):
    """An array of text as the server takes it."""


class BytesArray(bytes):
    """An array of bytea as the server takes it."""


ARRAYS = (NumberArray, TextArray, BytesArray)


class _ArrayDumper(Dumper):
    format = pq.Format.BINARY

    def dump(self, obj: Any) -> bytes:
        """Return what is in the right form already."""
        return bytes(obj)


class NumberArrayDumper(_ArrayDumper):
    """Says that it is an array of bigint."""

    oid = 1016


class TextArrayDumper(_ArrayDumper):
    """Says that it is an array of text."""

    oid = 1009


class BytesArrayDumper(_ArrayDumper):
    """Says that it is an array of bytea."""

    oid = 1001


def pack_numbers(values: Sequence[int | None]) -> NumberArray:
    """Return numbers as an array; OverflowError where one has no room."""
    if None in values:
        cells = [_NULL if value is None else _EIGHT + value.to_bytes(8, signed=True) for value in values]
        return NumberArray(_HEAD.pack(1, 1, _INT, len(values), 1) + b"".join(cells))
    packed = np.empty(len(values), _NUMBER)
    packed["length"] = 8
    packed["value"] = np.array(values, np.int64)
    return NumberArray(_HEAD.pack(1, 0, _INT, len(values), 1) + packed.tobytes())


def pack_texts(values: Sequence[str | None]) -> TextArray:
    """Return texts as an array; UnicodeEncodeError where one is no Unicode."""
    return TextArray(_pack_blobs([None if value is None else value.encode() for value in values], _TEXT))


def pack_bytes(values: Sequence[bytes | None]) -> BytesArray:
    """Return blobs as an array."""
    return BytesArray(_pack_blobs(values, _BYTES))


def _pack_blobs(values: Sequence[bytes | None], oid: int) -> bytes:
    cells: list[bytes] = [_HEAD.pack(1, None in values, oid, len(values), 1)]
    for value in values:
        if value is None:
            cells.append(_NULL)
        else:
            cells += (_LENGTH.pack(len(value)), value)
    return b"".join(cells)


_PACKED: dict[type, Any] = {int: pack_numbers, str: pack_texts, bytes: pack_bytes}


class _StatementParts(NamedTuple):
    """A statement cut at the place where the source of many rows goes; `unique` are parameters that tell rows apart."""

    head: str
    tail: str
    unique: tuple[int, ...]
    source: str  # what stands before the source


class ManyRows(NamedTuple):
    """One statement of many rows, and its values."""

    text: str
    values: list[Any]


def build_many(statement: str, rows: Rows) -> ManyRows | None:
    """Return the statement that does with all rows what the given one does with each; None where there is none.

    A value that all rows share goes once. Two rows that change the same row of a table must follow each other, and so
    must go one by one.
    """
    form = _cut(statement)
    columns = list(zip(*rows, strict=True))
    if form is None or not _is_unique(form.unique, columns):
        return None
    values: list[Any] = []
    names: dict[str, str] = {}  # of each parameter, what stands for it
    arrays: list[str] = []
    for number, column in enumerate(columns, 1):
        if _is_constant(column):
            if column[0] is None:
                names[str(number)] = "NULL"
                continue
            values.append(column[0])
            names[str(number)] = f"${len(values)}"
            continue
        kinds = set(map(type, column)) - {type(None)}
        pack = _PACKED.get(kinds.pop()) if len(kinds) == 1 else None
        if pack is None:
            return None
        values.append(pack(column))
        arrays.append(f"c{number}")
        names[str(number)] = f"given.c{number}"
        names[f"array {number}"] = f"${len(values)}"
    if not arrays:
        return None
    listed = ", ".join(names[f"array {name[1:]}"] for name in arrays)
    source = f"{form.source} unnest({listed}) AS given({', '.join(arrays)})"

    def rename(text: str) -> str:
        return _PARAMETER.sub(lambda found: names[found[1]], text)

    return ManyRows(f"{rename(form.head)} {source}{rename(form.tail)}", values)


@lru_cache(maxsize=512)
def _cut(statement: str) -> _StatementParts | None:
    if found := _INSERT.fullmatch(statement):
        rest, values = found["rest"], found["values"]
        if "$" in rest:
            return None
        conflict = _CONFLICT.fullmatch(rest)
        unique: tuple[int, ...] = ()
        if conflict is not None:
            by_name = dict(zip(_split(found["columns"]), _split(values), strict=True))
            key = [_PARAMETER.fullmatch(by_name[name]) for name in _split(conflict[1])]
            unique = tuple(int(one[1]) for one in key if one is not None)
        return _StatementParts(f"{found[1]} SELECT {values}", rest, unique, "FROM")
    found = _UPDATE.fullmatch(statement) or _DELETE.fullmatch(statement)
    if found is None or not _BY_KEY.fullmatch(found["where"]):
        return None
    is_update = statement.startswith("UPDATE")
    unique = tuple(map(int, _PARAMETER.findall(found["where"]))) if is_update else ()
    return _StatementParts(found[1], f" WHERE {found['where']}", unique, "FROM" if is_update else "USING")


def _split(listed: str) -> list[str]:
    return [name.strip() for name in listed.split(",")]


def _is_unique(parameters: Sequence[int], columns: Sequence[Column]) -> bool:
    """Tell whether no two rows have the same values of these parameters."""
    if not parameters:
        return True
    keys = list(zip(*(columns[number - 1] for number in parameters), strict=True))
    return len(set(keys)) == len(keys)


def _is_constant(column: Column) -> bool:
    first = column[0]
    return bool(column[-1] == first) and all(value == first for value in islice(column, 1, None))
