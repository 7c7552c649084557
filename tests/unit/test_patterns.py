"""A pattern is compiled when it is first used, and finds what it finds compiled."""

import re

from remanence.core.patterns import Pattern


def test_a_pattern_is_compiled_at_its_first_use_and_once() -> None:
    """Made, it costs nothing; a wrong one is told when it is used."""
    wrong, pattern = Pattern("("), Pattern(r"B\d", re.IGNORECASE)
    assert "compiled" not in vars(wrong) | vars(pattern)
    found = pattern.search("a b1")

    assert found is not None
    assert found.re is pattern.regex is pattern.regex


def test_a_pattern_looks_where_it_is_told() -> None:
    """In the whole text, or in a part of it."""
    pattern, text = Pattern(r"b\d"), "b1 b2 b3"

    assert ["b1", "b2", "b3"] == [found.group() for found in pattern.finditer(text)]
    assert ["b2"] == [found.group() for found in pattern.finditer(text, 2, 6)]
    assert (None, "b2") == (pattern.match(text, 2), (pattern.match(text, 3) or [""])[0])
    assert "b2" == (pattern.search(text, 1) or [""])[0]
    assert "- - -" == pattern.sub(lambda found: "-", text) == pattern.sub("-", text)
    assert (["b1", "b2", "b3"], ["", " ", " ", ""]) == (pattern.findall(text), pattern.split(text))
    assert (None, "b2") == (pattern.fullmatch(text), (pattern.fullmatch("b2") or [""])[0])
