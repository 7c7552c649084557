"""What a result says of itself: values as JSON has them, and one line of a text whatever it holds."""

from dataclasses import dataclass

import pytest

from remanence.core.model import Kind
from remanence.core.results import LINE_CHARS, encode_json_value, format_counts, number, one_line


@dataclass(frozen=True, slots=True)
class Inner:
    """Something that a result holds and that is none itself."""

    used_at: int | None = None
    kind: Kind = Kind.EPISODIC


@pytest.mark.parametrize(
    ("value", "name", "expected"),
    [
        (Inner(0), "", {"used_at": "1970-01-01T00:00:00+00:00", "kind": "episodic"}),
        (Inner(), "", {"used_at": None, "kind": "episodic"}),
        (b"\x00\xff", "", "00ff"),
        ((True, 1, 1.5, None, "x"), "at", [True, 1, 1.5, None, "x"]),
        ({"a": 0, 3: [0]}, "attributes", {"a": 0, "3": [0]}),
        ({"audit": 0, "other": None}, "holds", {"audit": "1970-01-01T00:00:00+00:00", "other": None}),
        (0, "said_at", "1970-01-01T00:00:00+00:00"),
        (0, "uses", 0),
        (frozenset({"x"}), "", ["x"]),
        (ValueError("odd"), "", "odd"),
    ],
)
def test_a_value_is_written_as_json_has_it(value: object, name: str, expected: object) -> None:
    """What JSON has no word for is told by name, in hexadecimal, as a list or as its text."""
    assert expected == encode_json_value(value, name)


def test_a_line_is_one_line_and_no_longer_than_it_may_be() -> None:
    """The longest text is not read to its end."""
    assert "a b" == one_line(" a\n\tb ")
    assert LINE_CHARS == len(one_line("word " * 1_000_000)) and one_line("x" * 101).endswith("x…")
    assert one_line("\x1b[31m").isprintable()


def test_counts_are_said() -> None:
    """What is none is left out, and one is no plural."""
    assert ("a 1,000, b 1", "nothing") == (
        format_counts({"a": 1_000, "b": 1, "c": 0}),
        format_counts({"a": 0}),
    )
    assert ["1 link", "2 links", "0 links"] == [number(count, "link", "links") for count in (1, 2, 0)]
