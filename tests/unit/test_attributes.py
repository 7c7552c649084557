"""An attribute answers to itself, a list to each of its items; asked for is a value, none, or any of several."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from remanence.core.attributes import AttributeColumn, parse_attribute_filter, scalars, value_of
from remanence.core.errors import InvalidInput

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats(allow_nan=False)
    | st.text(max_size=80),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=6,
)


@pytest.mark.parametrize(
    ("value", "count"),
    [
        ("x", 1),
        (3, 1),
        (True, 1),
        (["x", "x", 1, 1.0, True], 3),
        ([], 0),
        ({"x": 1}, 0),
        ([[1], {}, None], 0),
        (2**70, 0),
    ],
)
def test_what_a_value_answers_to(value: object, count: int) -> None:
    """A mapping, a list in a list and a number that no store keeps answer to nothing; equal items count once."""
    assert count == len(scalars(value))


def test_a_long_text_is_kept_as_its_digest() -> None:
    """So that a value of a megabyte takes no more room than a word; a half character is no fault."""
    long, broken = "x" * 1_000_000, "\ud800" * 100
    ((kind, kept),) = scalars(long)

    assert ("digest", 32) == (kind, len(str(kept)))
    assert parse_attribute_filter("a", long).is_met(long) and not parse_attribute_filter("a", long).is_met(
        long + "x"
    )
    assert parse_attribute_filter("a", broken).is_met(broken)
    assert not parse_attribute_filter("a", kept).is_met(long)


@given(
    stored=st.lists(JSON, max_size=12),
    asked=st.lists(
        st.none() | st.text(max_size=80) | st.integers(-9, 9) | st.booleans(), min_size=1, max_size=4
    ),
)
def test_a_column_says_what_each_value_says(stored: list[object], asked: list[object]) -> None:
    """Row by row the same as the value alone, in whatever order values came."""
    column, filter_ = AttributeColumn(), parse_attribute_filter("a", asked)
    codes = np.array([column.code(value) for value in stored], np.int32)

    assert [filter_.is_met(value) for value in stored] == column.match_codes(codes, filter_).tolist()


def test_a_memory_without_attributes_has_none() -> None:
    """Neither has one that lacks the name."""
    assert [None, None, 1] == [value_of(None, "a"), value_of({"b": 1}, "a"), value_of({"a": 1}, "a")]


@pytest.mark.parametrize("value", [[], (), set(), [[1]], {"a": 1}, float("inf"), b"x", 2**63])
def test_what_nothing_can_be_is_refused(value: object) -> None:
    """With what can be asked for."""
    with pytest.raises(InvalidInput, match="the filter a ") as refused:
        parse_attribute_filter("a", value)

    assert "None" in refused.value.recovery or "leave the filter out" in refused.value.recovery
