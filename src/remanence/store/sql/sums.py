"""Check sums over the rows of each table: what a commit adds to them, what they should be, and where they differ.

One row of `sums` holds one sum a table for 4,096 memories of a scope in order of arrival. A row counts as the weight of
its key times the sum of its values, each times the coefficient of its column, without the bits above 62, so that both
databases can add two of them. So a sum over rows follows every change of a value by the difference alone, also of a
counter whose old value nobody knows; weights and coefficients are odd, so no change of one value goes unnoticed, and of
others one in 2**62. It guards against decay and edits behind our back, not against forgers.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from hashlib import blake2b
from operator import itemgetter, mul
from typing import Any

import numpy as np
import numpy.typing as npt

from remanence.store.sql.checksummed_columns import SUMMED, SummedTable
from remanence.store.sql.database import Database, Ints
from remanence.store.sql.dialect import Statement, build_insert

Words = npt.NDArray[np.uint64]
Row = Sequence[Any]

CHUNK_BITS = 12
SUMS_VERSION = 3  # raised where other columns are summed, or in another way: sums are then made anew
MASK = (1 << 62) - 1
_WORD = (1 << 64) - 1
# What stands for a value that is not there; no column has room for it.
NULL = -(1 << 63)
# From this many rows on, arrays are the faster.
_MANY = 16
_BATCH = 1 << 12
# Counts a row itself, so that one without other values is missed when it goes.
_THERE = "there"
# What tells the places of a key apart; odd, so that no bit of a part is lost.
_FACTORS = (0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9)
# The constants of splitmix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014).
_FIRST, _SECOND = 0xBF58476D1CE4E5B9, 0x94D049BB133111EB
_WRITE = Statement(
    build_insert("sums", ("scope", "chunk", *SUMMED))
    + " ON CONFLICT (scope, chunk) DO UPDATE SET "
    + ", ".join(f"{table} = (sums.{table} + excluded.{table}) & {MASK}" for table in SUMMED)
)
_READ = Statement(f"SELECT chunk, {', '.join(SUMMED)} FROM sums WHERE scope = ?1")
_DELETE = Statement("DELETE FROM sums WHERE scope = ?1")
_SELECT = {
    table: Statement(f"SELECT {', '.join(summed.columns)} FROM {table} WHERE scope = ?1")
    for table, summed in SUMMED.items()
}


@cache
def _build_coefficient(name: str) -> int:
    """Return the coefficient of a column: the same for ever, whichever columns come beside it."""
    return int.from_bytes(blake2b(name.encode(), digest_size=8).digest()) | 1


def hash_value(value: Any) -> int:
    """Return a text or bytes as a number that a database can keep."""
    content = value if isinstance(value, bytes) else value.encode()
    return int.from_bytes(blake2b(content, digest_size=8).digest()) & MASK


def vector_digest(vector: bytes) -> int:
    """Return the check sum that stands beside a vector."""
    return hash_value(vector)


def _build_getter(places: Sequence[int]) -> Callable[[Row], tuple[int, ...]]:
    """Return what takes these places out of a row, always as a tuple."""
    if len(places) > 1:
        return itemgetter(*places)
    (place,) = places
    return lambda row: (row[place],)


class _Places:
    """Where the key and the texts of a table stand in its rows behind the scope, and a coefficient for each column."""

    def __init__(self, table: str, summed: SummedTable) -> None:
        self.key = [summed.columns.index(name) for name in summed.key]
        self.key_of = _build_getter(self.key)
        self.texts = [at for at, name in enumerate(summed.columns) if name in summed.texts]
        self.by_name = {name: _build_coefficient(f"{table}.{name}") for name in summed.columns}
        self.by_name |= dict.fromkeys(summed.key, 0)
        self.at = list(SUMMED).index(table)
        self.there = _build_coefficient(f"{table}.{_THERE}") * summed.counted
        self.coefficients = [self.by_name[name] for name in summed.columns]
        self.is_chunked = summed.chunked

    def chunk_of(self, key: Row) -> int:
        """Return the chunk of a row by its key."""
        return key[0] >> CHUNK_BITS if self.is_chunked else 0


_PLACES = {table: _Places(table, summed) for table, summed in SUMMED.items()}


def _compute_term(
    key: Sequence[int], coefficients: Sequence[int], values: Sequence[int | None], more: int
) -> int:
    """Return what one row counts, `more` with its values."""
    numbers = [NULL if value is None else value for value in values] if None in values else values
    bits: int = sum(map(mul, key, _FACTORS)) & _WORD
    bits = (bits ^ bits >> 30) * _FIRST & _WORD
    bits = (bits ^ bits >> 27) * _SECOND & _WORD
    weight = (bits ^ bits >> 31) | 1
    total: int = sum(map(mul, coefficients, numbers), more)
    return weight * total & MASK


def _compute_terms(keys: Sequence[Ints], coefficients: Sequence[int], values: Ints, more: int) -> Words:
    """Return what many rows count; `values` has a column for each coefficient."""
    bits = np.zeros(len(values), np.uint64)
    for part, factor in zip(keys, _FACTORS, strict=False):
        bits += part.view(np.uint64) * np.uint64(factor)
    bits = (bits ^ (bits >> np.uint64(30))) * np.uint64(_FIRST)
    bits = (bits ^ (bits >> np.uint64(27))) * np.uint64(_SECOND)
    weights = (bits ^ (bits >> np.uint64(31))) | np.uint64(1)
    total = np.full(len(values), more & _WORD, np.uint64)
    for at, coefficient in enumerate(coefficients):
        if coefficient:
            total += np.ascontiguousarray(values[:, at]).view(np.uint64) * np.uint64(coefficient)
    return weights * total


class Sums:
    """By how much one transaction changes the sums of each table of a scope; rows begin with the scope."""

    def __init__(self) -> None:
        self._by: dict[int, list[int]] = defaultdict(_build_zero_sums)  # by chunk, in the order of SUMMED
        # Whole rows and single cells, counted together at the end: code that runs in one go runs twice as fast.
        self._rows: list[tuple[str, Sequence[Row], int]] = []
        self._cells: list[tuple[str, Sequence[Row], Sequence[int], Sequence[Row], int]] = []

    def add_rows(self, table: str, rows: Sequence[Row]) -> None:
        """Count whole rows in: the scope, then all their columns in order."""
        if rows:
            self._rows.append((table, rows, 1))

    def remove_rows(self, table: str, rows: Sequence[Row]) -> None:
        """Count whole rows out."""
        if rows:
            self._rows.append((table, rows, -1))

    def replace_rows(self, table: str, old: Sequence[Row], new: Sequence[Row]) -> None:
        """Count rows out as they were and in as they become."""
        self.remove_rows(table, old)
        self.add_rows(table, new)

    def update_columns(
        self, table: str, keys: Sequence[Row], names: Sequence[str], old: Sequence[Row], new: Sequence[Row]
    ) -> None:
        """Count some columns of rows out as they were and in as they become; a counter from 0 to what is added.

        Keys are without the scope.
        """
        coefficients = [_PLACES[table].by_name[name] for name in names]
        self._cells += [(table, keys, coefficients, old, -1), (table, keys, coefficients, new, 1)]

    def increment_column(self, table: str, keys: Sequence[Row], name: str, by: int = 1) -> None:
        """Count a column of rows up by some amount; keys are without the scope."""
        coefficients = [_PLACES[table].by_name[name]]
        self._cells.append((table, keys, coefficients, [(by,)] * len(keys), 1))

    def update_arrays(
        self, table: str, keys: Sequence[Ints], old: Mapping[str, Ints | int], new: Mapping[str, Ints | int]
    ) -> None:
        """Do as `update_columns` does with arrays: the columns of the key, and by name one value or one a row.

        Where there is no value, NULL stands.
        """
        coefficients = [_PLACES[table].by_name[name] for name in new]
        for columns, sign in ((old, -1), (new, 1)):
            values = np.empty((len(keys[0]), len(new)), np.int64)
            for at, name in enumerate(new):
                values[:, at] = columns[name]
            self._count(table, keys, _compute_terms(keys, coefficients, values, 0), sign)

    def add_arrays(self, table: str, rows: Ints, sign: int = 1) -> None:
        """Count whole rows, as one array without the scope, in or out."""
        places = _PLACES[table]
        keys = [np.ascontiguousarray(rows[:, at]) for at in places.key]
        self._count(table, keys, _compute_terms(keys, places.coefficients, rows, places.there), sign)

    def write(self, db: Database, scope: int) -> None:
        """Add to the sums of a scope in the database."""
        for table, rows, sign in self._rows:
            self._count_rows(table, [row[1:] for row in rows], sign)
        for table, keys, coefficients, rows, sign in self._cells:
            self._count_cells(table, keys, coefficients, rows, sign)
        totals = [(scope, chunk, *[total & MASK for total in by]) for chunk, by in sorted(self._by.items())]
        if totals:
            db.run_many(_WRITE, totals)

    def total(self, chunk: int, table: str) -> int:
        """Return one sum."""
        return self._by[chunk][_PLACES[table].at] & MASK if chunk in self._by else 0

    @property
    def chunks(self) -> set[int]:
        """The chunks that anything was counted in."""
        return set(self._by)

    def count_table(self, db: Database, scope: int, table: str) -> None:
        """Count all rows of a table in, as they are in the database."""
        batch: list[Row] = []
        for row in db.stream(_SELECT[table], (scope,)):
            batch.append(row)
            if len(batch) == _BATCH:
                self._count_rows(table, batch, 1)
                batch = []
        self._count_rows(table, batch, 1)

    def _count_rows(self, table: str, rows: Sequence[Row], sign: int) -> None:
        places = _PLACES[table]
        if places.texts:
            rows = [_without_texts(row, places.texts) for row in rows]
        if len(rows) >= _MANY:
            self.add_arrays(table, _build_array(rows), sign)
            return
        for row in rows:
            key = places.key_of(row)
            term = _compute_term(key, places.coefficients, row, places.there)
            self._by[places.chunk_of(key)][places.at] += sign * term

    def _count_cells(
        self, table: str, keys: Sequence[Row], coefficients: Sequence[int], rows: Sequence[Row], sign: int
    ) -> None:
        if len(keys) >= _MANY and coefficients:
            columns = [np.array(column, np.int64) for column in zip(*keys, strict=True)]
            self._count(table, columns, _compute_terms(columns, coefficients, _build_array(rows), 0), sign)
            return
        places = _PLACES[table]
        for key, row in zip(keys, rows, strict=True):
            self._by[places.chunk_of(key)][places.at] += sign * _compute_term(key, coefficients, row, 0)

    def _count(self, table: str, keys: Sequence[Ints], terms: Words, sign: int) -> None:
        if not len(terms):
            return
        places = _PLACES[table]
        if places.is_chunked:
            chunks, rows_of = np.unique(keys[0] >> CHUNK_BITS, return_inverse=True)
        else:
            chunks, rows_of = np.zeros(1, np.int64), np.zeros(len(terms), np.intp)
        totals = np.zeros(len(chunks), np.uint64)
        np.add.at(totals, rows_of, terms)
        for chunk, total in zip(chunks.tolist(), totals.tolist(), strict=True):
            self._by[chunk][places.at] += sign * total


def compute(db: Database, scope: int) -> None:
    """Write all sums of a scope anew from the rows."""
    db.run(_DELETE, (scope,))
    sums = Sums()
    for table in SUMMED:
        sums.count_table(db, scope, table)
    sums.write(db, scope)


def find_sum_faults(db: Database, scope: int, name: str) -> Iterator[str]:
    """Yield which tables of a scope, given by number and name, do not hold what was written."""
    stored = {chunk: dict(zip(SUMMED, by, strict=True)) for chunk, *by in db.rows(_READ, (scope,))}
    for table, summed in SUMMED.items():
        sums = Sums()
        sums.count_table(db, scope, table)
        for chunk in sorted(stored.keys() | sums.chunks):
            if stored.get(chunk, {}).get(table, 0) != sums.total(chunk, table):
                first = chunk << CHUNK_BITS
                about = f" from {first} to {first + (1 << CHUNK_BITS) - 1}" if summed.chunked else ""
                yield f"{table} of scope {name!r}{about} are not what was written"


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
