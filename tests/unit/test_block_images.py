"""Arrays of whole numbers as bytes: exact, small, and never misread."""

import zlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from remanence.core.change import ABSENT
from remanence.store.sql.block_log import pack_arrays, unpack_arrays
from remanence.store.sql.blocks import group_equal_rows

INTS = st.integers(-(2**63), 2**63 - 1)


@given(
    st.integers(0, 40).flatmap(lambda n: st.lists(arrays(np.int64, n, elements=INTS), min_size=1, max_size=4))
)
def test_numbers_come_back(given: list[np.ndarray]) -> None:
    """Whatever they are, also where a difference overflows."""
    found = unpack_arrays(pack_arrays(given), len(given[0]), len(given))

    assert [array.tolist() for array in given] == [array.tolist() for array in found]


def test_what_follows_a_rule_costs_hardly_anything() -> None:
    """A constant, a run, and what is absent throughout."""
    count = 20_000
    same, run, absent = np.full(count, 1_790_000_000_000_000), np.arange(count), np.full(count, ABSENT)

    assert len(pack_arrays([same, run, absent])) < 100


def test_neighbours_cost_what_their_distance_costs() -> None:
    """Keys of every tenth memory take about a byte each, or less."""
    keys = np.cumsum(np.random.default_rng(1).integers(1, 20, 20_000))

    assert len(pack_arrays([keys])) < 20_000


@pytest.mark.parametrize("count", [1, 3])
def test_damage_is_no_numbers(count: int) -> None:
    """Bytes that are no image, are cut short, or hold more than they should."""
    image = pack_arrays([np.arange(9) ** 2, np.arange(9)])
    content = zlib.decompress(image)
    cut = [zlib.compress(content[:at]) for at in (0, 5, 19, 30, len(content) - 1)]
    width = zlib.compress(bytes([3]) + content[1:])
    bomb = zlib.compress(bytes(10_000_000))
    for wrong in (b"", image[:-3], b"x" + image, width, bomb, *cut):
        with pytest.raises(ValueError, match="image"):
            unpack_arrays(wrong, 9, 2)
    with pytest.raises(ValueError, match="image"):
        unpack_arrays(image, 9, count)
    for rows in (12, -1, 2**40):
        with pytest.raises(ValueError, match="image"):
            unpack_arrays(image, rows, 2)


@given(arrays(np.int64, st.tuples(st.integers(1, 60), st.integers(1, 3)), elements=st.integers(-1, 2)))
def test_rows_of_equal_values_are_together(rows: np.ndarray) -> None:
    """Each row is in one group, with all rows like it; there are no groups where hardly any two are alike."""
    groups = group_equal_rows(rows)
    sets: dict[tuple[int, ...], list[int]] = {}
    for place, row in enumerate(map(tuple, rows.tolist())):
        sets.setdefault(row, []).append(place)
    few = len(rows) <= 4 or len(sets) * 4 <= len(rows)

    assert few == (groups is not None)
    assert groups is None or sorted(sets.values()) == sorted(group.tolist() for group in groups)
