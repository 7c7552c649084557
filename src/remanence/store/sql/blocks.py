"""The blocks of one commit: all rows compared in one reading, then written in as few statements as their values allow.

Knows arrays of memories' states and of links; knows nothing of single changes.
"""

from collections.abc import Iterator, Sequence
from functools import lru_cache, partial
from typing import Any

import numpy as np

from remanence.core.change import ABSENT, Block, Ints
from remanence.core.errors import InvalidInput
from remanence.core.model import LINK_COLUMNS
from remanence.store.block_rules import STATED, refuse_moves
from remanence.store.constraints import LINK_DEFAULTS
from remanence.store.sql.audit import shape_of
from remanence.store.sql.columns import build_query, gather
from remanence.store.sql.decoding import DECODING
from remanence.store.sql.dialect import Statement, build_insert
from remanence.store.sql.rows import encoded_link
from remanence.store.sql.transaction import CommitContext, Key

# Where less than one row in so many has values of its own, rows that share them are written by one statement.
_SHARED_MIN = 4
_RELATION_BITS = 4
_KEY = ("source", "target", "relation")
# A link in one number, so that one list names many: from the first source and the lowest target on, and its relation.
_CUT = Statement(
    lambda sql: (
        f"DELETE FROM links WHERE scope = ?1 AND source {sql.among(2)} AND target BETWEEN ?3 AND ?4"
        f" AND ((source - ?5) * (?4 - ?3 + 1) + target - ?3) * {1 << _RELATION_BITS} + relation {sql.among(6)}"
    )
)
_NUMBERS_MAX = 1 << 63 - _RELATION_BITS
_MAKE = Statement(build_insert("links", ("scope", *_KEY, *LINK_COLUMNS)))
_NO_VALUE = f"{ABSENT + 1} - 1"


@lru_cache(maxsize=128)
def _select_states(names: tuple[str, ...]) -> Statement:
    """Return what reads the numbers of memories in a list (parameter 2), and columns of them."""
    return build_query(
        ["seq", *(f"coalesce({name}, {_NO_VALUE})" for name in names)],
        lambda sql: f"FROM states WHERE scope = ?1 AND seq {sql.among(2)}",
    )


_STAND = _select_states(())
# Links of one memory may be many: those to others than the lowest and the highest that are meant need no look.
_READ_LINKS = build_query(
    [*_KEY, *(f"coalesce({name}, {_NO_VALUE})" for name in LINK_COLUMNS)],
    lambda sql: f"FROM links WHERE scope = ?1 AND source {sql.among(2)} AND target BETWEEN ?3 AND ?4",
)


@lru_cache(maxsize=256)
def _update_states(names: tuple[str, ...], *, many: bool) -> Statement:
    """Return what sets columns of a memory (parameter 2), or of `many` in a list."""
    sets = ", ".join([*(f"{name} = ?{at}" for at, name in enumerate(names, 3)), "revision = revision + 1"])
    return Statement(
        lambda sql: f"UPDATE states SET {sets} WHERE scope = ?1 AND seq {sql.among(2) if many else '= ?2'}"
    )


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
            work.images.block(n, block, self._whole.get(n), partial(shape_of, work.images, work.names))

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
        (standing,) = self._read_arrays(_STAND, self._work.db.make_list(ends.tolist()))
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
        rows = self._read(block.keys, tuple(names))
        expected = np.column_stack([*guards, block.before])  # type: ignore[list-item]
        self._stated[n] = rows[:, [names.index(name) for name in STATED]]
        return (rows[:, : expected.shape[1]] != expected).any(axis=1)

    def _read(self, seqs: Ints, names: tuple[str, ...]) -> Ints:
        """Return columns of memories, row by row as they are asked for; one that is gone has no revision."""
        found, *columns = self._read_arrays(_select_states(names), self._work.db.make_list(seqs.tolist()))
        rows = np.full((len(seqs), len(names)), ABSENT)
        rows[np.searchsorted(seqs, found)] = np.column_stack(columns)
        return rows

    def _read_arrays(self, query: Statement, *values: Any) -> list[Ints]:
        """Return what a query of the scope answers as arrays, of one length."""
        with DECODING:
            return gather(self._work.db, query, (self._work.no, *values))

    def _compared_links(self, n: int, block: Block) -> Any:
        """Read links; tell which are not as they should be: there where they are cut, and not where they are made."""
        there = np.zeros(len(block), np.bool_)
        values = np.full((len(block), len(LINK_COLUMNS)), ABSENT)
        if len(block):
            sources = self._work.db.make_list(np.unique(block.keys[:, 0]).tolist())
            found = self._read_arrays(_READ_LINKS, sources, *_bounds(block.keys))
            read, places = _find_places(block.keys, np.column_stack(found[:3]))
            there[places] = True
            values[places] = np.column_stack(found[3:])[read]
        if block.before is None:
            return there
        self._whole[n] = values
        columns = [LINK_COLUMNS.index(name) for name in block.columns]
        return ~there | (values[:, columns] != block.before).any(axis=1)

    def _update(self, block: Block) -> None:
        """Set the columns of memories: in one statement for each set of values, or row by row."""
        assert block.before is not None and block.after is not None and block.revision is not None
        work = self._work
        work.sums.update_arrays(
            "states",
            [block.keys],
            {**dict(zip(block.columns, block.before.T, strict=True)), "revision": block.revision},
            {**dict(zip(block.columns, block.after.T, strict=True)), "revision": block.revision + 1},
        )
        groups = group_equal_rows(block.after)
        if groups is None:
            columns = [[work.no] * len(block), block.keys.tolist(), *map(_sql_values, block.after.T)]
            work.db.run_many(_update_states(block.columns, many=False), zip(*columns, strict=True))
            return
        work.db.run_many(
            _update_states(block.columns, many=True),
            [
                (work.no, work.db.make_list(block.keys[rows].tolist()), *_sql_values(block.after[rows[0]]))
                for rows in groups
            ],
        )

    def _cut(self, block: Block, whole: Ints) -> None:
        self._work.sums.add_arrays("links", np.column_stack([block.keys, whole]), -1)
        db = self._work.db
        least, greatest = _bounds(block.keys)
        width = greatest - least + 1
        for first, last in _ranges(block.keys, _NUMBERS_MAX // width):
            source, target, relation = block.keys[first:last].T
            base = int(source[0])
            codes = ((source - base) * width + target - least << _RELATION_BITS) + relation
            sources, links = db.make_list(np.unique(source).tolist()), db.make_list(codes.tolist())
            db.run(_CUT, (self._work.no, sources, least, greatest, base, links))

    def _make(self, block: Block) -> None:
        rows = np.column_stack([block.keys, _add_defaults(block)])
        self._work.sums.add_arrays("links", rows)
        columns = [[self._work.no] * len(rows), *map(_sql_values, rows.T)]
        self._work.db.run_many(_MAKE, zip(*columns, strict=True))


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


def _bounds(keys: Ints) -> tuple[int, int]:
    """Return the lowest and the highest target of links."""
    return int(keys[:, 1].min()), int(keys[:, 1].max())


def _ranges(keys: Ints, most: int) -> Iterator[tuple[int, int]]:
    """Yield from where to where links lie whose sources are less than so many numbers apart."""
    first = 0
    while first < len(keys):
        last = int(np.searchsorted(keys[:, 0], keys[first, 0] + most))
        yield first, last
        first = last


def _find_places(keys: Ints, read: Ints) -> tuple[Ints, Ints]:
    """Return which links that were read are among ascending keys, and where there.

    Each link becomes one number: the rank of its source and of its target among those of the keys, and its relation.
    """
    sources, targets = np.unique(keys[:, 0]), np.unique(keys[:, 1])

    def encode(links: Ints) -> Ints:
        ranks = np.searchsorted(sources, links[:, 0]) * (len(targets) + 1)
        ranks += np.searchsorted(targets, links[:, 1])
        return ranks << _RELATION_BITS | links[:, 2]

    meant = np.flatnonzero(np.isin(read[:, 1], targets))
    codes, wanted = encode(read[meant]), encode(keys)
    places = np.minimum(np.searchsorted(wanted, codes), len(keys) - 1)
    same = wanted[places] == codes
    return meant[same], places[same]


def _add_defaults(block: Block) -> Ints:
    """Return all columns of links that are made, with the defaults of what is not said."""
    assert block.after is not None
    whole = np.array([[ABSENT if value is None else value for value in _DEFAULTS]]).repeat(len(block), 0)
    whole[:, [LINK_COLUMNS.index(name) for name in block.columns]] = block.after
    return whole


_DEFAULTS = encoded_link(LINK_DEFAULTS)


def _sql_values(values: Ints) -> list[int | None]:
    """Return numbers as a database takes them."""
    numbers = values.tolist()
    return [None if value == ABSENT else value for value in numbers] if ABSENT in values else numbers
