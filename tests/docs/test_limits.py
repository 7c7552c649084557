"""What the pages say that the product cannot or never does rests on a test, or on somebody who read it."""

import pytest

from tests.docs import limits

WORDS_MAX = 35_000
CONCEPT_WORDS_MAX = 8_500
THERE = "tests/docs/test_limits.py::test_every_claim_is_listed"


def test_every_claim_is_listed() -> None:
    """No page says "never" unread: a sentence that is new or changed is held against the code and listed."""
    assert [] == limits.complaints(limits.collect_keys(), limits.read_list())


def test_some_claims_rest_on_tests() -> None:
    """A day is what is left where no test can tell: most claims have a test."""
    rests = [one for keys in limits.read_list().values() for one in keys.values()]

    assert 2 * sum(isinstance(one, str) for one in rests) > len(rests)


def test_concepts_and_how_tos_stay_short() -> None:
    """Who adds a page takes one away, or says it once where two pages said it."""
    words = sum(len(path.read_text(encoding="utf-8").split()) for path in limits.pages()[1:])

    assert words <= WORDS_MAX


def test_concepts_stay_short() -> None:
    """The concept pages can be read in half an hour."""
    texts = [path.read_text(encoding="utf-8") for path in limits.pages() if path.parent.name == "concepts"]

    assert sum(len(text.split()) for text in texts) <= CONCEPT_WORDS_MAX


@pytest.mark.parametrize(
    ("said", "known", "expected"),
    [
        (["a"], {"a": THERE}, []),
        (["a"], {}, ["p.md: not listed: a"]),
        ([], {"a": THERE}, ["p.md: not said: a"]),
        (
            ["a"],
            {"a": "tests/docs/test_limits.py::test_gone"},
            ["p.md: no test tests/docs/test_limits.py::test_gone"],
        ),
        (["a"], {"a": "tests/docs/gone.py::test_gone"}, ["p.md: no test tests/docs/gone.py::test_gone"]),
    ],
)
def test_what_is_wrong_is_told(said: list[str], known: dict[str, str], expected: list[str]) -> None:
    """A sentence that is not listed, one that no page says, and a test that is not there."""
    assert expected == limits.complaints({"p.md": said}, {"p.md": known})


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("It runs. It is never\nlate. It ends.", ["It is never late."]),
        ("* It cannot fly\n* It can walk", ["* It cannot fly"]),
        ("| a | never |\n|---|---|\n| b | often |", ["| a | never |"]),
        ("```python\nprint('never')\n```\n", []),
        ("# It never ends\n\nNevertheless it runs; a missing key is none.", []),
    ],
)
def test_claims_are_sentences_of_prose(text: str, expected: list[str]) -> None:
    """However lines are broken; an item and a row stand alone, and code claims nothing."""
    assert expected == [*limits.claims(text)]
