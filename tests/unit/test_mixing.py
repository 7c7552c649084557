"""Rows as numbers of a field: the same one by one and as arrays, and different wherever anything is."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from remanence.store.sqlite import mixing

NUMBERS = st.integers(-(2**63) + 1, 2**63 - 1)
COEFFICIENTS = [mixing.coefficient(f"column {number}") for number in range(60)]
ROWS = st.integers(1, 60).flatmap(
    lambda width: st.lists(
        st.tuples(st.tuples(NUMBERS, NUMBERS), st.lists(st.none() | NUMBERS, min_size=width, max_size=width)),
        min_size=1,
        max_size=20,
    )
)


@given(ROWS)
def test_arrays_and_single_rows_agree(rows: list[tuple[tuple[int, int], list[int | None]]]) -> None:
    """What a commit adds row by row is what doctor adds up from arrays, at the bounds of every number too."""
    keys = [np.array(column, np.int64) for column in zip(*(key for key, _ in rows), strict=True)]
    values = [[mixing.NULL if value is None else value for value in row] for _, row in rows]
    coefficients = COEFFICIENTS[: len(values[0])]
    terms = mixing.rows(keys, coefficients, np.array(values, np.int64))

    assert [mixing.row(key, coefficients, row) for key, row in rows] == terms.tolist()
    assert [sum(terms.tolist()) % mixing.PRIME] == mixing.sum_ranges(terms, np.array([0]))


@given(st.tuples(NUMBERS, NUMBERS), st.lists(NUMBERS, min_size=3, max_size=3), st.integers(0, 2), NUMBERS)
def test_another_value_is_another_row(key: tuple[int, int], row: list[int], at: int, value: int) -> None:
    """Also where none stands in for one."""
    others = [[*row[:at], other, *row[at + 1 :]] for other in (value, None)]
    same = [other == row for other in others]

    assert same == [
        mixing.row(key, COEFFICIENTS, row) == mixing.row(key, COEFFICIENTS, other) for other in others
    ]


def test_a_row_is_the_same_number_for_ever() -> None:
    """Files hold sums of these."""
    assert [1_270_581_009_605_680_099, 131_945_788_551_623_696, 400_259_219_525_264_111] == [
        mixing.row((1,), [mixing.coefficient("states.pinned")], [1]),
        mixing.row((2, 5), [mixing.coefficient("states.pinned")], [None]),
        mixing.hash_value("tar"),
    ]
