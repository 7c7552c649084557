"""An attribute answers to itself, a list to each of its items; asked for is a value, none, or any of several."""

import operator
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from remanence.core.attributes import AttributeColumn, parse_attribute_filter, scalars, value_of
from remanence.core.errors import InvalidInput

NUMBERS = {int, float}
COMPARED = {"gt": operator.gt, "gte": operator.ge, "lt": operator.lt, "lte": operator.le}
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


def test_of_a_long_text_its_beginning_and_its_digest_are_kept() -> None:
    """So that a value of a megabyte takes little more room than a word; a half character is no fault."""
    long, broken = "x" * 1_000_000, "\ud800" * 100
    ((kind, kept),) = scalars(long)

    assert ("text", 96) == (kind, len(str(kept)))
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


TEXTS = ["", "x", "xy", "y", "x" * 63, "x" * 64, "x" * 64 + "y", "x" * 65, "ÿ", "\U0010ffff"]
BOUND = st.sampled_from([text for text in TEXTS if len(text) <= 64])
COUNT = st.sampled_from([-1, 0, 0.5, 1, 1.0, 2])
OPERATORS = st.fixed_dictionaries(
    {}, optional={"prefix": BOUND, "not": st.none() | BOUND | st.lists(COUNT, min_size=1)}
)
RANGES = [
    st.fixed_dictionaries({low: bound}, optional={high: bound})
    for bound in (BOUND, COUNT)
    for low, high in (("gt", "lte"), ("gte", "lt"), ("lt", "gte"))
]
ITEM = st.sampled_from(TEXTS) | COUNT | st.booleans() | st.none()
NEAR = ITEM | st.lists(ITEM, max_size=3)


@given(stored=st.lists(NEAR, min_size=4, max_size=12), asked=st.one_of(OPERATORS.filter(bool), *RANGES))
def test_operators_mean_what_they_say(stored: list[Any], asked: dict[str, Any]) -> None:
    """Of the stored value itself, of any length, and of the column alike."""
    column, filter_ = AttributeColumn(), parse_attribute_filter("a", asked)
    early = np.array([column.code(value) for value in stored[:2]], np.int32)
    column.match_codes(early, filter_)  # what is kept of this must not outlive the values to come
    codes = np.array([column.code(value) for value in stored], np.int32)

    def lies_within(item: Any) -> bool:
        bounds = {name: bound for name, bound in asked.items() if name in COMPARED}
        alike = [
            type(one) in NUMBERS if type(item) in NUMBERS else type(one) is type(item)
            for one in bounds.values()
        ]
        return all(alike) and all(COMPARED[name](item, bound) for name, bound in bounds.items())

    def will_do(value: Any) -> bool:
        items = value if isinstance(value, list) else [value]
        wrong = asked.get("not", ())
        is_denied = (
            value is None
            if wrong is None
            else any(
                type(item) is not bool and item in (wrong if isinstance(wrong, list) else [wrong])
                for item in items
            )
        )
        begins = any(isinstance(item, str) and item.startswith(asked.get("prefix", "")) for item in items)
        return (
            not ("not" in asked and is_denied)
            and ("prefix" not in asked or begins)
            and (COMPARED.keys().isdisjoint(asked) or any(lies_within(item) for item in items))
        )

    assert [will_do(value) for value in stored] == [filter_.is_met(value) for value in stored]
    assert [will_do(value) for value in stored] == column.match_codes(codes, filter_).tolist()


@pytest.mark.parametrize("value", [[], (), set(), [[1]], {}, float("inf"), b"x", 2**63])
def test_what_nothing_can_be_is_refused(value: object) -> None:
    """With what can be asked for."""
    with pytest.raises(InvalidInput, match="the filter a ") as refused:
        parse_attribute_filter("a", value)

    assert any(one in refused.value.recovery for one in ("None", "leave the filter out", "name one of gt"))
