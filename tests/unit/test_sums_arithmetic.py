"""Check sums of rows: the same one by one and as arrays, in whatever order, and different wherever anything is."""

from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from remanence.store.sql.checksummed_columns import SUMMED
from remanence.store.sql.sums import CHUNK_BITS, MASK, NULL, Sums, hash_value, vector_digest

NUMBERS = st.none() | st.integers(-(2**63) + 1, 2**63 - 1)
SEQS = st.integers(1, 3 << CHUNK_BITS)
TEXTS = st.none() | st.text(max_size=8)
MANY = 20  # so many rows are summed as arrays
KEYED = sorted(table for table, summed in SUMMED.items() if not summed.texts & set(summed.key))
SCOPE = 7

Row = tuple[Any, ...]


@st.composite
def draw_rows(draw: st.DrawFn, table: str, most: int) -> list[Row]:
    """Draw rows of a table with keys that differ."""
    summed = SUMMED[table]

    def values(name: str) -> st.SearchStrategy[Any]:
        if name in summed.texts:
            return st.text(max_size=8) if name in summed.key else TEXTS
        return SEQS if name in summed.key else NUMBERS

    key_at = [1 + summed.columns.index(name) for name in summed.key]
    row = st.tuples(st.just(SCOPE), *map(values, summed.columns))
    return draw(
        st.lists(row, min_size=1, max_size=most, unique_by=lambda row: tuple(row[at] for at in key_at))
    )


@st.composite
def draw_table(draw: st.DrawFn, most: int) -> tuple[str, list[Row]]:
    """Draw a table and rows of it."""
    table = draw(st.sampled_from(sorted(SUMMED)))
    return table, draw(draw_rows(table, most))


def read_totals(sums: Sums, table: str) -> dict[int, int]:
    """Return all sums of a table, once they are counted."""
    sums.write(NoDatabase(), SCOPE)  # type: ignore[arg-type]
    return {chunk: sums.total(chunk, table) for chunk in sorted(sums.chunks)}


class NoDatabase:
    """Takes what is written, and looks that any database can keep it."""

    def run_many(self, _: object, rows: list[Row]) -> None:
        """Look at the sums of each chunk."""
        assert all(0 <= total < 2**62 for _, _, *by in rows for total in by)


def sum_one_by_one(table: str, rows: list[Row]) -> dict[int, int]:
    """Return the sums of rows that were counted alone."""
    totals: dict[int, int] = {}
    for row in rows:
        sums = Sums()
        sums.add_rows(table, [row])
        for chunk, total in read_totals(sums, table).items():
            totals[chunk] = totals.get(chunk, 0) + total & MASK
    return totals


@given(draw_table(2 * MANY))
def test_arrays_and_single_rows_agree(drawn: tuple[str, list[Row]]) -> None:
    """What a commit adds row by row is what many rows at once add, at the bounds of every number too."""
    table, rows = drawn
    sums = Sums()
    sums.add_rows(table, rows)

    assert sum_one_by_one(table, rows) == read_totals(sums, table)


@given(draw_table(2 * MANY), st.randoms(use_true_random=False))
def test_order_is_of_no_account(drawn: tuple[str, list[Row]], random: Any) -> None:
    """Nor is it in how many steps rows are counted, and what comes and goes leaves nothing."""
    table, rows = drawn
    there, again = Sums(), Sums()
    there.add_rows(table, rows)
    mixed = random.sample(rows, len(rows))
    at = random.randrange(len(rows) + 1)
    again.add_rows(table, mixed[:at])
    again.add_rows(table, mixed[at:])

    assert read_totals(there, table) == read_totals(again, table)
    again = Sums()
    again.replace_rows(table, rows, mixed)
    assert set(read_totals(again, table).values()) <= {0}


@given(draw_table(1), st.data())
def test_another_value_is_another_sum(drawn: tuple[str, list[Row]], data: st.DataObject) -> None:
    """Whichever single value of a row changes, also to none and from none."""
    table, (row,) = drawn
    summed = SUMMED[table]
    names = [name for name in summed.columns if name not in summed.key]
    name = data.draw(st.sampled_from(names or [summed.columns[0]]))
    at = 1 + summed.columns.index(name)
    value = data.draw((TEXTS if name in summed.texts else NUMBERS) if names else SEQS)
    other = (*row[:at], value, *row[at + 1 :])

    assert (other == row) == (sum_one_by_one(table, [other]) == sum_one_by_one(table, [row]))


@given(st.sampled_from([table for table, summed in SUMMED.items() if summed.counted]), st.data())
def test_a_row_counts_whatever_it_holds(table: str, data: st.DataObject) -> None:
    """So it is missed when it goes."""
    rows = data.draw(draw_rows(table, 1))

    assert any(sum_one_by_one(table, rows).values())


@given(st.sampled_from(KEYED), st.data(), st.booleans())
def test_changed_columns_are_other_rows(table: str, data: st.DataObject, as_arrays: bool) -> None:
    """What an update adds to the sums, given the columns that change, is what the whole rows differ by."""
    summed = SUMMED[table]
    rows = data.draw(draw_rows(table, 2 * MANY))
    numbers = [name for name in summed.columns if name not in {*summed.key, *summed.texts}]
    names = data.draw(st.lists(st.sampled_from(numbers), unique=True)) if numbers else []
    places = [1 + summed.columns.index(name) for name in names]
    new_rows = [
        tuple(data.draw(NUMBERS) if at in places else value for at, value in enumerate(row)) for row in rows
    ]
    keys = [tuple(row[1 + summed.columns.index(name)] for name in summed.key) for row in rows]
    old, new = ([tuple(row[at] for at in places) for row in side] for side in (rows, new_rows))
    whole, changed = Sums(), Sums()
    whole.replace_rows(table, rows, new_rows)
    if as_arrays:
        sides = [
            {name: make_array([row[at] for row in side]) for at, name in enumerate(names)}
            for side in (old, new)
        ]
        changed.update_arrays(table, [make_array(list(part)) for part in zip(*keys, strict=True)], *sides)
    else:
        changed.update_columns(table, keys, names, old, new)

    assert without_zeros(read_totals(whole, table)) == without_zeros(read_totals(changed, table))


@given(st.lists(SEQS, min_size=1, max_size=2 * MANY, unique=True), st.integers(-5, 5), st.integers(0, 99))
def test_a_counter_counts_by_what_is_added(seqs: list[int], by: int, before: int) -> None:
    """Nobody needs to know what it was."""
    counted, updated = Sums(), Sums()
    keys = [(seq,) for seq in seqs]
    counted.increment_column("states", keys, "uses", by)
    updated.update_columns("states", keys, ["uses"], [(before,)] * len(keys), [(before + by,)] * len(keys))

    assert without_zeros(read_totals(counted, "states")) == without_zeros(read_totals(updated, "states"))


def test_a_row_is_the_same_number_for_ever() -> None:
    """Databases hold sums of these."""
    rows: dict[str, Row] = {
        "tags": (SCOPE, 1, 5, None),
        "heard": (SCOPE, 60_000_000, 3),
        "settings": (SCOPE, "tar", "[1]"),
    }

    assert {
        "tags": {0: 145_601_918_459_681_947},
        "heard": {0: 1_082_283_930_935_978_031},
        "settings": {0: 749_576_697_496_129_966},
    } == {table: sum_one_by_one(table, [row]) for table, row in rows.items()}
    assert [2_706_102_228_738_958_056] * 2 == [hash_value("tar"), vector_digest(b"tar")]


def make_array(values: list[int | None]) -> np.ndarray[Any, np.dtype[np.int64]]:
    """Return numbers as an array, which has a number for none."""
    return np.array([NULL if value is None else value for value in values], np.int64)


def without_zeros(totals: dict[int, int]) -> dict[int, int]:
    """Return sums but those that are 0."""
    return {chunk: total for chunk, total in totals.items() if total}
