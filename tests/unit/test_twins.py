"""Exact, near or distinct."""

import pytest

from remanence.twins import Bands, verdict

BANDS = Bands(similar=0.6, near=0.9)


def test_the_same_words_are_exact_whatever_the_vectors_say() -> None:
    """Texts of one fingerprint are one memory."""
    assert verdict("I keep bees.", "i keep bees", 0.1, BANDS).kind == "exact"


def test_a_paraphrase_above_the_band_is_near() -> None:
    """Alike, and nothing would be lost: near, with the similarity as reason."""
    twin = verdict("Ada keeps bees on the roof", "Ada has bees up on the roof", 0.95, BANDS)

    assert ("near", ("similarity 0.95 ≥ 0.90",)) == (twin.kind, twin.reasons)


def test_below_the_band_is_distinct() -> None:
    """Not alike enough is distinct, even with most words in common."""
    assert verdict("Ada keeps bees", "Ada keeps geese", 0.7, BANDS).kind == "distinct"


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("The budget is $5", "The budget is $50", "numbers"),
        ("The meeting is at two", "The meeting is at four", "numbers"),
        ("It was -5 outside", "It was 5 outside", "numbers"),
        ("She likes mussels", "She does not like mussels", "negations"),
        ("Peanuts are fine", "Peanuts are never fine", "negations"),
        ("Ada lives in Turku", "Bo lives in Turku", "names"),
        ("We moved to John Kim", "We moved to John Lim", "names"),
        ("The exam is on Monday", "The exam is on Tuesday", "dates"),
        ("He came in May", "He came in June", "dates"),
        ("Call get_user() first", "Call set_user() first", "code"),
        ("We ship v1.2", "We ship v1.3", "code"),
        ("She codes in C++", "She codes in C#", "code"),
        ("She is home", "She is home?", "one asks"),
        ("Er trinkt Kaffee und das ist gut", "Er trinkt keinen Kaffee und das ist gut", "negations"),
    ],
)
def test_what_a_merge_would_lose_makes_texts_distinct(old: str, new: str, reason: str) -> None:
    """However alike two texts look, one number, negation, name, date, code or question keeps them apart."""
    twin = verdict(old, new, 0.99, BANDS)

    assert twin.kind == "distinct"
    assert any(found.startswith(reason) for found in twin.reasons)


def test_without_vectors_the_words_in_common_decide() -> None:
    """With no similarity given, shared content words stand in for it."""
    alike = verdict("the old boat needs paint", "the boat is old and needs paint", None, BANDS)
    unlike = verdict("the old boat needs paint", "the new car needs fuel", None, BANDS)

    assert ("near", "distinct") == (alike.kind, unlike.kind)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Ada paid 5 for bread", "Ada paid for bread"),
        ("Peanuts are fine", "Peanuts are not fine"),
        ("She met Bo there", "She was there"),
        ("Run it with `--fast`", "Run it"),
        ("It is on Monday", "It is on"),
    ],
)
def test_a_verdict_does_not_depend_on_which_came_first(one: str, other: str) -> None:
    """What only one text has keeps them apart, whichever of them it is."""
    assert ("distinct", "distinct") == (
        verdict(one, other, 0.99, BANDS).kind,
        verdict(other, one, 0.99, BANDS).kind,
    )
