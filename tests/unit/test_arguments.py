"""What is refused is refused wherever it is passed, and says what to pass."""

import pytest

from remanence.core.arguments import check_count, check_fraction, check_memory, check_name
from remanence.core.errors import InvalidInput
from remanence.core.model import NAME_CHARS_MAX


@pytest.mark.parametrize(
    "name", [None, "", " ", "a\nb", "\x1b[2J", "x" * (NAME_CHARS_MAX + 1), 7, b"bytes", ["a"]]
)
def test_a_name_is_plain_text(name: object) -> None:
    """Nothing at all is no name either; whoever may leave one out does not ask."""
    with pytest.raises(InvalidInput, match="a tag must be 1 to 200") as refused:
        check_name("a tag", name)

    assert "pass a shorter plain name for a tag" == refused.value.recovery


@pytest.mark.parametrize("name", [None, True, 1.0, [1], b"a"])
def test_a_memory_is_named_by_a_number_or_a_text(name: object) -> None:
    """True is no number here."""
    with pytest.raises(InvalidInput, match="names no memory"):
        check_memory(name)


@pytest.mark.parametrize("value", [None, True, -0.001, 1.001, float("nan"), float("inf"), "0.5"])
def test_a_fraction_is_between_0_and_1(value: object) -> None:
    """What is no number is between nothing."""
    with pytest.raises(InvalidInput, match="not between 0 and 1"):
        check_fraction("a signal", value)


@pytest.mark.parametrize("value", [None, True, 0, 11, 1.0, "5"])
def test_a_count_is_whole_and_bounded(value: object) -> None:
    """The recovery names both bounds."""
    with pytest.raises(InvalidInput) as refused:
        check_count("limit", value, 1, 10)

    assert "pass a whole number from 1 to 10" == refused.value.recovery


def test_the_bounds_themselves_are_fine() -> None:
    """Nothing is refused that is allowed."""
    check_name("a tag", "x" * NAME_CHARS_MAX)
    check_memory("key")
    for fraction in (0, 0.0, 1):
        check_fraction("a signal", fraction)
    for count in (1, 10):
        check_count("limit", count, 1, 10)
