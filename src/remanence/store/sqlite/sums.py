"""Check sums over the rows of each table: what a commit adds to them, what they should be, and where they differ.

One row of `sums` holds one sum a table for 4,096 memories in order of arrival, or as many names or scopes. Knows which
columns are summed; knows nothing of why a row changes.
"""

import sqlite3
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from operator import itemgetter
from typing import Any

import numpy as np
import numpy.typing as npt

from remanence.store.checksummed_columns import SUMMED, SummedTable
from remanence.store.sqlite import mixing
from remanence.store.sqlite.mixing import NULL, PRIME, coefficient, hash_value
from remanence.store.sqlite.packed import whole_numbers

Ints = npt.NDArray[np.int64]
Row = Sequence[Any]

CHUNK_BITS = 12
SUMS_VERSION = 2  # raised where other columns are summed, or in another way: sums are then made anew
# From this many rows on, arrays are the faster.
_MANY = 16
_BATCH = 1 << 12
# Counts a row itself, so that one without other values is missed when it goes.
_THERE = "there"


def _build_getter(places: Sequence[int]) -> Callable[[Row], tuple[int, ...]]:
    """Return what takes these places out of a row, always as a tuple."""
    if len(places) > 1:
        return itemgetter(*places)
    (place,) = places
    return lambda row: (row[place],)


class _Places:
    """Where the key and the texts of a table stand in its rows, and a coefficient for each column, 0 for the key's."""

    def __init__(self, table: str, summed: SummedTable) -> None:
        self.key = [summed.columns.index(name) for name in summed.key]
        self.key_of = _build_getter(self.key)
        self.texts = [at for at, name in enumerate(summed.columns) if name in summed.texts]
        self.by_name = {name: coefficient(f"{table}.{name}") for name in (_THERE, *summed.columns)}
        self.by_name |= dict.fromkeys(summed.key, 0)
        self.at = list(SUMMED).index(table)
        self.there = self.by_name[_THERE] * summed.counted
        self.coefficients = [self.by_name[name] for name in summed.columns]


_PLACES = {table: _Places(table, summed) for table, summed in SUMMED.items()}
_WRITE = (
    f"INSERT INTO sums (chunk, {', '.join(SUMMED)}) VALUES (?{', ?' * len(SUMMED)}) ON CONFLICT (chunk) DO UPDATE SET "
    + ", ".join(f"{table} = ({table} + excluded.{table}) % {PRIME}" for table in SUMMED)
)


class Sums:
    """By how much one commit changes the sums of each table."""

    def __init__(self) -> None:
        self._by: dict[int, list[int]] = defaultdict(_build_zero_sums)  # by chunk, in the order of SUMMED
        # Whole rows and single cells, counted together at the end: code that runs in one go runs twice as fast.
        self._rows: list[tuple[str, Sequence[Row], int]] = []
        self._cells: list[tuple[str, Sequence[Row], Sequence[int], Sequence[Row], int]] = []

    def add_rows(self, table: str, rows: Sequence[Row]) -> None:
        """Count whole rows in, all their columns in order."""
        if rows:
            self._rows.append((table, rows, 1))

    def remove_rows(self, table: str, rows: Sequence[Row]) -> None:
        """Count whole rows out."""
        if rows:
            self._rows.append((table, rows, -1))

    def update_columns(
        self, table: str, keys: Sequence[Row], names: Sequence[str], old: Sequence[Row], new: Sequence[Row]
    ) -> None:
        """Count some columns of rows out as they were and in as they become; a counter from 0 to what is added."""
        coefficients = [_PLACES[table].by_name[name] for name in names]
        self._cells += [(table, keys, coefficients, old, -1), (table, keys, coefficients, new, 1)]

    def increment_column(self, table: str, keys: Sequence[Row], name: str, by: int = 1) -> None:
        """Count a column of rows up by some amount."""
        coefficients = [_PLACES[table].by_name[name]]
        self._cells.append((table, keys, coefficients, [(by,)] * len(keys), 1))

    def changed_alike(
        self, table: str, keys: Sequence[Ints], old: Mapping[str, Ints | int], new: Mapping[str, Ints | int]
    ) -> None:
        """Do as `changed` does with arrays: the columns of the key, and by name one value or one a row.

        Where there is no value, `mixing.NULL` stands.
        """
        coefficients = [_PLACES[table].by_name[name] for name in new]
        for columns, sign in ((old, -1), (new, 1)):
            values = np.empty((len(keys[0]), len(new)), np.int64)
            for at, name in enumerate(new):
                values[:, at] = columns[name]
            self._count(table, keys, mixing.rows(keys, coefficients, values), sign)

    def write(self, connection: sqlite3.Connection) -> None:
        """Add to the sums in the file."""
        for table, rows, sign in self._rows:
            self._count_rows(table, rows, sign)
        for table, keys, coefficients, rows, sign in self._cells:
            self._count_cells(table, keys, coefficients, rows, sign)
        for chunk, totals in self._by.items():
            connection.execute(_WRITE, (chunk, *[total % PRIME for total in totals]))

    def total(self, chunk: int, table: str) -> int:
        """Return one sum."""
        return self._by[chunk][_PLACES[table].at] % PRIME if chunk in self._by else 0

    @property
    def chunks(self) -> set[int]:
        """The chunks that anything was counted in."""
        return set(self._by)

    def count(self, table: str, rows: Ints, sign: int = 1) -> None:
        """Count whole rows, as arrays, in or out."""
        places = _PLACES[table]
        keys = [np.ascontiguousarray(rows[:, at]) for at in places.key]
        self._count(table, keys, mixing.rows(keys, places.coefficients, rows, places.there), sign)

    def _count_rows(self, table: str, rows: Sequence[Row], sign: int) -> None:
        places = _PLACES[table]
        if places.texts:
            rows = [_without_texts(row, places.texts) for row in rows]
        if len(rows) >= _MANY:
            self.count(table, _build_array(rows), sign)
            return
        for row in rows:
            key = places.key_of(row)
            term = mixing.row(key, places.coefficients, row, places.there)
            self._by[key[0] >> CHUNK_BITS][places.at] += sign * term

    def _count_cells(
        self, table: str, keys: Sequence[Row], coefficients: Sequence[int], rows: Sequence[Row], sign: int
    ) -> None:
        if len(keys) >= _MANY and coefficients:
            columns = [np.array(column, np.int64) for column in zip(*keys, strict=True)]
            self._count(table, columns, mixing.rows(columns, coefficients, _build_array(rows)), sign)
            return
        at = _PLACES[table].at
        for key, row in zip(keys, rows, strict=True):
            self._by[key[0] >> CHUNK_BITS][at] += sign * mixing.row(key, coefficients, row)

    def _count(self, table: str, keys: Sequence[Ints], terms: mixing.Words, sign: int) -> None:
        if not len(terms):
            return
        at, chunks = _PLACES[table].at, keys[0] >> CHUNK_BITS
        order = np.argsort(chunks, kind="stable")
        chunks = chunks[order]
        starts = np.flatnonzero(np.diff(chunks, prepend=chunks[0] - 1))
        sums = mixing.sum_ranges(terms[order], starts)
        for chunk, total in zip(chunks[starts].tolist(), sums, strict=True):
            self._by[chunk][at] += sign * total


def record(
    connection: sqlite3.Connection, table: str, removed: Sequence[Row] = (), added: Sequence[Row] = ()
) -> None:
    """Write what rows that go and rows that come change at the sums, where no commit does."""
    sums = Sums()
    sums.remove_rows(table, removed)
    sums.add_rows(table, added)
    sums.write(connection)


def vector_digest(vector: bytes) -> int:
    """Return the check sum that stands beside a vector."""
    return hash_value(vector)


def compute_table_sums(connection: sqlite3.Connection, table: str) -> Sums:
    """Return the sums of a table from its rows."""
    sums = Sums()
    if SUMMED[table].texts:
        rows = connection.execute(f"SELECT {', '.join(SUMMED[table].columns)} FROM {table}")
        while batch := rows.fetchmany(_BATCH):
            sums.count(table, _build_array([_without_texts(row, _PLACES[table].texts) for row in batch]))
        return sums
    for numbers in _numbers(connection, table, SUMMED[table]):
        sums.count(table, numbers)
    return sums


def compute(connection: sqlite3.Connection) -> None:
    """Write all sums anew from the rows."""
    connection.execute("DELETE FROM sums")
    for table in SUMMED:
        compute_table_sums(connection, table).write(connection)


def find_sum_faults(connection: sqlite3.Connection) -> Iterator[str]:
    """Yield which tables do not hold what was written, and about which memories, names or scopes."""
    sum_rows = connection.execute(f"SELECT chunk, {', '.join(SUMMED)} FROM sums").fetchall()
    stored_sums = {chunk: dict(zip(SUMMED, by, strict=True)) for chunk, *by in sum_rows}
    for table, summed_table in SUMMED.items():
        computed_sums = compute_table_sums(connection, table)
        for chunk in sorted(stored_sums.keys() | computed_sums.chunks):
            if stored_sums.get(chunk, {}).get(table, 0) != computed_sums.total(chunk, table):
                first = chunk << CHUNK_BITS
                last = first + (1 << CHUNK_BITS) - 1
                yield f"{table} of {summed_table.about} {first} to {last} are not what was written"


def _numbers(connection: sqlite3.Connection, table: str, summed: SummedTable) -> Iterator[Ints]:
    """Yield all rows of a table of numbers, some thousands at once, by way of hex digits: no object a value."""
    width, order = len(summed.columns), ", ".join(summed.columns[: summed.key_width])
    digits = ", ".join(f"ifnull({name}, {NULL})" for name in summed.columns)
    marks = ", ".join("?" * summed.key_width)
    last: tuple[int, ...] = ()
    while True:
        after = f"WHERE ({order}) > ({marks})" if last else ""
        (hex_digits,) = connection.execute(
            f"SELECT group_concat(printf('{'%016x' * width}', {digits}), '')"
            f" FROM (SELECT * FROM {table} {after} ORDER BY {order} LIMIT {_BATCH})",
            last,
        ).fetchone()
        if hex_digits is None:
            return
        rows = whole_numbers(hex_digits, width)
        yield rows
        before, last = last, tuple(rows[-1, : summed.key_width].tolist())
        if last <= before:
            raise ValueError(f"the rows of {table} are in no order")


def _build_zero_sums() -> list[int]:
    return [0] * len(SUMMED)


def _without_texts(row: Row, texts: Sequence[int]) -> list[Any]:
    """Return a row with hashes for its texts."""
    values = list(row)
    for at in texts:
        values[at] = NULL if values[at] is None else hash_value(values[at])
    return values


def _build_array(rows: Sequence[Row]) -> Ints:
    return np.array([[NULL if value is None else value for value in row] for row in rows], np.int64)
