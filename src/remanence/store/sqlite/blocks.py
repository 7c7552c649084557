"""The blocks of one commit: all rows compared in one reading, then written in as few statements as their values allow.

Knows arrays of memories' states and of links; knows nothing of single changes.
"""

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import chain
from typing import Any

import numpy as np
import orjson

from remanence.core.change import ABSENT, Block, Ints
from remanence.core.errors import InvalidInput
from remanence.core.model import LINK_COLUMNS
from remanence.store.block_rules import STATED, refuse_moves
from remanence.store.constraints import LINK_DEFAULTS
from remanence.store.sqlite.audit import shape_of
from remanence.store.sqlite.dialect import DECODING
from remanence.store.sqlite.packed import whole_numbers
from remanence.store.sqlite.rows import encoded_link
from remanence.store.sqlite.transaction import CommitContext, Key

# Where less than one row in so many has values of its own, rows that share them are written by one statement.
_SHARED_MIN = 4
# A link's key in one number, so that one JSON array names many: source above the first one, target, relation.
_TARGET_AT, _SOURCE_AT = 4, 42
_SOURCES_MAX = 1 << 63 - _SOURCE_AT
_KEY = (
    f"(value >> {_SOURCE_AT}) + ?3 AS source, (value >> {_TARGET_AT}) & {(1 << _SOURCE_AT - _TARGET_AT) - 1} AS target,"
    f" value & {(1 << _TARGET_AT) - 1} AS relation FROM json_each(?1)"
)
_VALUES = ", ".join(f"coalesce({name}, {ABSENT + 1} - 1)" for name in LINK_COLUMNS)
_READ_LINKS = (
    f"SELECT place, {_VALUES} FROM (SELECT key AS place, {_KEY}) AS given CROSS JOIN links ON links.scope = ?2"
    " AND links.source = given.source AND links.target = given.target AND links.relation = given.relation"
)
_CUT = f"DELETE FROM links WHERE scope = ?2 AND (source, target, relation) IN (SELECT {_KEY})"
_MAKE = (
    f"INSERT INTO links (scope, source, target, relation, {', '.join(LINK_COLUMNS)})"
    f" VALUES (?, ?, ?, ?{', ?' * len(LINK_COLUMNS)})"
)
_STAND = "SELECT seq FROM json_each(?) AS given CROSS JOIN states ON seq = given.value WHERE scope = ?"


class Blocks:
    """What one commit does to blocks of rows, step by step; `taken` has the number of each block's first row."""

    def __init__(self, work: CommitContext, taken: Sequence[tuple[int, Block]]) -> None:
        self._work = work
        self._taken = taken
        self._stated: dict[int, Ints] = {}  # of memories: what STATED was
        self._whole: dict[int, Ints] = {}  # of links that are cut: all their columns

    @property
    def changed_seqs(self) -> list[int]:
        """The sequence numbers of memories whose state changes."""
        return [seq for _, block in self._iterate_table_blocks("memories") for seq in block.keys.tolist()]

    @property
    def ends(self) -> set[int]:
        """Every memory of which a link is made or cut."""
        return {
            seq
            for _, block in self._iterate_table_blocks("links")
            for seq in np.unique(block.keys[:, :2]).tolist()
        }

    def conflicts(self) -> Iterator[Key]:
        """Read all rows; yield those that are gone or hold something else than `before` says."""
        for n, block in self._taken:
            wrong = (
                self._compare_memories(n, block)
                if block.table == "memories"
                else self._compared_links(n, block)
            )
            if wrong.any():
                yield from ((block.table, key) for key in block.where(wrong).row_keys())

    def images(self) -> None:
        """Give the audit every block as it was and as it becomes."""
        work = self._work
        for n, block in self._taken:
            work.images.block(
                n, block, self._whole.get(n), partial(shape_of, work.images, work.names, work.connection)
            )

    def refuse(self, gone: Sequence[int]) -> None:
        """Raise InvalidInput for a state that may not be, and for a link of a memory that will not exist."""
        for n, block in self._iterate_table_blocks("memories"):
            refuse_moves(block.keys, self._stated[n], block, self._work.cause.verb)
        link_ends = [
            block.keys[:, :2] for _, block in self._iterate_table_blocks("links") if block.after is not None
        ]
        ends = np.unique(np.concatenate(link_ends)) if link_ends else np.empty(0, np.int64)
        if not len(ends):
            return
        standing = _matrix(self._work.connection.execute(_STAND, (_json(ends), self._work.no)).fetchall(), 1)
        missing = np.setdiff1d(ends, np.setdiff1d(standing, gone))
        if len(missing):
            raise InvalidInput(
                f"a link would name memory {missing[0]}, which does not exist",
                recovery="destroy a memory together with its tags, links and sources",
            )

    def write(self) -> None:
        """Write all rows."""
        for n, block in self._taken:
            if block.table == "memories":
                self._update(block)
            elif block.after is None:
                self._cut(block, self._whole[n])
            else:
                self._make(block)

    def _iterate_table_blocks(self, table: str) -> Iterator[tuple[int, Block]]:
        return ((n, block) for n, block in self._taken if block.table == table)

    def _compare_memories(self, n: int, block: Block) -> Any:
        """Read memories; tell which are not as they should be."""
        guards = [block.revision, *([] if block.touched is None else [block.touched])]
        names = ["revision", *(["touched"] if block.touched is not None else []), *block.columns]
        names += [name for name in STATED if name not in names]
        rows = self._read(block.keys, names)
        expected = np.column_stack([*guards, block.before])  # type: ignore[list-item]
        self._stated[n] = rows[:, [names.index(name) for name in STATED]]
        return (rows[:, : expected.shape[1]] != expected).any(axis=1)

    def _read(self, seqs: Ints, names: Sequence[str]) -> Ints:
        """Return columns of memories, row by row as they are asked for; one that is gone has no revision."""
        columns = ", ".join(f"coalesce({name}, {ABSENT + 1} - 1)" for name in names)
        (digits,) = self._work.connection.execute(
            f"SELECT group_concat(printf('{'%016x' * (1 + len(names))}', key, {columns}), '')"
            " FROM json_each(?) AS given CROSS JOIN states ON seq = given.value WHERE scope = ?",
            (_json(seqs), self._work.no),
        ).fetchone()
        numbers = whole_numbers(digits or "", 1 + len(names))
        rows = np.full((len(seqs), len(names)), ABSENT)
        rows[numbers[:, 0]] = numbers[:, 1:]
        return rows

    def _compared_links(self, n: int, block: Block) -> Any:
        """Read links; tell which are not as they should be: there where they are cut, and not where they are made."""
        there = np.zeros(len(block), np.bool_)
        values = np.full((len(block), len(LINK_COLUMNS)), ABSENT)
        for first, last in _ranges(block.keys):
            rows = self._work.connection.execute(
                _READ_LINKS, self._link_parameters(block.keys[first:last])
            ).fetchall()
            numbers = _matrix(rows, 1 + len(LINK_COLUMNS))
            there[first + numbers[:, 0]] = True
            values[first + numbers[:, 0]] = numbers[:, 1:]
        if block.before is None:
            return there
        self._whole[n] = values
        places = [LINK_COLUMNS.index(name) for name in block.columns]
        return ~there | (values[:, places] != block.before).any(axis=1)

    def _link_parameters(self, keys: Ints) -> tuple[str, int, int]:
        """Return what names links of neighbouring sources in a statement."""
        base = int(keys[0, 0])
        codes = keys[:, 0] - base << _SOURCE_AT | keys[:, 1] << _TARGET_AT | keys[:, 2]
        return _json(codes), self._work.no, base

    def _update(self, block: Block) -> None:
        """Set the columns of memories: in one statement for each set of values, or row by row."""
        assert block.before is not None and block.after is not None and block.revision is not None
        self._work.sums.changed_alike(
            "states",
            [block.keys],
            {**dict(zip(block.columns, block.before.T, strict=True)), "revision": block.revision},
            {**dict(zip(block.columns, block.after.T, strict=True)), "revision": block.revision + 1},
        )
        sets = ", ".join([*(f"{name} = ?" for name in block.columns), "revision = revision + 1"])
        execute = self._work.connection.executemany
        groups = group_equal_rows(block.after)
        if groups is None:
            columns = [*map(_sql_values, block.after.T), block.keys.tolist()]
            execute(f"UPDATE states SET {sets} WHERE seq = ?", zip(*columns, strict=True))
            return
        execute(
            f"UPDATE states SET {sets} WHERE seq IN (SELECT value FROM json_each(?))",
            [(*_sql_values(block.after[rows[0]]), _json(block.keys[rows])) for rows in groups],
        )

    def _cut(self, block: Block, whole: Ints) -> None:
        self._work.sums.count("links", self._rows(block, whole), -1)
        for first, last in _ranges(block.keys):
            self._work.connection.execute(_CUT, self._link_parameters(block.keys[first:last]))

    def _make(self, block: Block) -> None:
        assert block.after is not None
        rows = self._rows(block, _add_defaults(block))
        self._work.sums.count("links", rows)
        self._work.connection.executemany(_MAKE, zip(*map(_sql_values, rows.T), strict=True))

    def _rows(self, block: Block, values: Ints) -> Ints:
        """Return links as rows of their table."""
        return np.column_stack([np.full(len(block), self._work.no), block.keys, values])


def group_equal_rows(rows: Ints) -> list[Ints] | None:
    """Return the places of rows of equal values, set by set; None where hardly any two rows are equal."""
    code, count = np.zeros(len(rows), np.int64), 1
    for column in rows.T:
        if len(column) and (column != column[0]).any():
            values, inverse = np.unique(column, return_inverse=True)
            both, code = np.unique(code * len(values) + inverse, return_inverse=True)
            count = len(both)
        if count * _SHARED_MIN > len(rows) > _SHARED_MIN:
            return None
    order = np.argsort(code, kind="stable")
    return np.split(order, np.flatnonzero(np.diff(code[order])) + 1)


def _ranges(keys: Ints) -> Iterator[tuple[int, int]]:
    """Yield from where to where links lie whose sources one statement can name."""
    first = 0
    while first < len(keys):
        last = int(np.searchsorted(keys[:, 0], keys[first, 0] + _SOURCES_MAX))
        yield first, last
        first = last


def _add_defaults(block: Block) -> Ints:
    """Return all columns of links that are made, with the defaults of what is not said."""
    assert block.after is not None
    whole = np.array([[ABSENT if value is None else value for value in _DEFAULTS]]).repeat(len(block), 0)
    whole[:, [LINK_COLUMNS.index(name) for name in block.columns]] = block.after
    return whole


_DEFAULTS = encoded_link(LINK_DEFAULTS)


def _sql_values(values: Ints) -> list[int | None]:
    """Return numbers as SQLite takes them."""
    numbers = values.tolist()
    return [None if value == ABSENT else value for value in numbers] if ABSENT in values else numbers


def _matrix(rows: Sequence[Sequence[int]], width: int) -> Ints:
    """Return rows of whole numbers as one array."""
    with DECODING:
        return np.fromiter(chain.from_iterable(rows), np.int64, len(rows) * width).reshape(-1, width)


def _json(values: Ints) -> str:
    return orjson.dumps(np.ascontiguousarray(values), option=orjson.OPT_SERIALIZE_NUMPY).decode()
