"""Exact, near or distinct."""

import pytest

from remanence.text.analysis import fingerprint
from remanence.text.twins import (
    SAME_WORDS,
    SURE,
    UNSURE_MAX,
    SimilarityThresholds,
    same_words,
    sureness,
    verdict,
)

BANDS = SimilarityThresholds(similar=0.6, near=0.9)
MEASURED = SimilarityThresholds(similar=0.6, near=0.9, calibrated=True)


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
        ("船は港にある", "船は港にある？", "one asks"),
        ("القارب في الميناء", "القارب في الميناء؟", "one asks"),
        ("Er trinkt Kaffee und das ist gut", "Er trinkt keinen Kaffee und das ist gut", "negations"),
        ("Ada is not vegan but Bo is tall", "Ada is vegan but Bo is not tall", "negations"),
        ("The probe uses llama-2", "The probe uses llama-2b", "identifiers"),
        ("The seat is C14", "The seat is C41", "identifiers"),
        ("Edit sluice.toml first", "Edit sluice.json first", "identifiers"),
        ("the gull chased the crab", "the crab chased the gull", "the same words"),
        (r"The log is in C:\a\b", r"The log is in C:\a\c", "code"),
        (r"The log is in C:\a\b", r"The log is in D:\a\b", "code"),
        (r"The log (C:\ferry\log) is long", r"The log (C:\ferry\logs) is long", "code"),
        ("The log is in c:/ferry/log.", "The log is in c:/ferry/list.", "code"),
        (r"The log is in \\pier\pub", r"The log is in \\pier\priv", "code"),
        (r"The log is in ..\ferry\log", r"The log is in ..\barge\log", "code"),
        (r"The log is in C:\My boats\log", r"The log is in C:\My boats\list", "code"),
        ("船停在桥边", "船不停在桥边", "negations"),
        ("妈妈送给爸爸", "爸爸送给妈妈", "the same words"),
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


def test_three_words_of_five_in_common_are_enough() -> None:
    """The share is of all words that say something in either text, and its bound is within."""
    alike = verdict("boat needs paint brush", "boat needs paint roller", None, BANDS)
    unlike = verdict("boat needs paint brush", "boat needs ropes forever", None, BANDS)

    assert ("near", ("words in common 0.60 ≥ 0.60",)) == (alike.kind, alike.reasons)
    assert ("distinct", ("words in common 0.33 < 0.60",)) == (unlike.kind, unlike.reasons)


def test_the_band_is_within() -> None:
    """A similarity of just as much as the band is near; the reason says it."""
    twin = verdict("Ada keeps bees on the roof", "Ada has bees up on the roof", 0.9, BANDS)

    assert ("near", ("similarity 0.90 ≥ 0.90",)) == (twin.kind, twin.reasons)
    assert not BANDS.calibrated


def test_a_reason_shows_three_and_says_that_there_are_more() -> None:
    """Three of what differs are shown; what only one text has stands against nothing."""
    three = verdict("Berths 11 12 13 are free", "Berths are free", 0.99, BANDS)
    four = verdict("Berths 11 12 13 14 are free", "Berths are free", 0.99, BANDS)

    assert "numbers differ: 11, 12, 13 / –" in three.reasons
    assert "numbers differ: 11, 12, 13 … / –" in four.reasons


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


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("At dawn the barge passes under the bridge", "The barge passes under the bridge at dawn"),
        ("We paint the hull every spring", "Every spring we paint the hull"),
        ("Am Abend singt der Chor in der Halle", "Der Chor singt am Abend in der Halle"),
        ("Ada keeps her kayak in the shed", "Ada stores her kayak in the shed"),
        ("The 9 boats need new ropes", "The 9 boats require new ropes"),
        ("Bo never eats mussels at home", "Bo never eats mussels at his home"),
        (r"Bo stores the log in C:\a\b.", r"Bo keeps the log in C:\a\b"),
    ],
)
def test_what_moves_with_its_function_words_says_the_same(one: str, other: str) -> None:
    """A sentence that begins elsewhere, or says one thing with another word, is near."""
    assert "near" == verdict(one, other, 0.99, BANDS).kind


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("I don't eat mushrooms", "I do not eat mushrooms."),
        ("Tell them we're late", "Tell them we are late"),
        ("At the quay, Ada sells eel", "At the quay Ada sells eel!"),
        ("The workshop (by the forge) opens, then closes", "the workshop (by the forge) opens, then closes."),
        ("¡Quedamos en la plaza!", "Quedamos, en la plaza"),
        ("钥匙在花盆下面。", "钥匙在花盆下面"),
    ],
)
def test_marks_between_words_and_short_forms_change_nothing(one: str, other: str) -> None:
    """The same words in the same order say the same; an embedder that nobody measured is as sure of them as can be."""
    sure = sureness(one, other, 0.9, BANDS)

    assert same_words(one, other)
    assert same_words(other, one)
    assert (1.0 if fingerprint(one) == fingerprint(other) else SAME_WORDS) == sure


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("A few neighbours came", "Few neighbours came"),
        ("The kiln is almost cold", "The kiln is cold"),
        ("On Mondays we rest", "We rest on Mondays"),
        ("Trabajo en el taller", "Trabajó en el taller"),
        ("Her grade was an A+.", "Her grade was an A−."),
        ("The trial went well :)", "The trial went well :("),
        ("The trial went well :)", "The trial went well"),
        ("Call Ada, the nurse, and Bo", "Call Ada, the nurse and Bo"),
        ("No, smoking is allowed", "No smoking is allowed"),
        ("The nurse has left", "The nurse has left?"),
        ("The US office pays", "The us office pays"),
        ("There were 5!", "There were 5"),
        ("We will man the long-haul boats", "We will man the long haul boats"),
        ("!!!", "???"),
    ],
)
def test_whatever_else_differs_keeps_two_texts_apart(one: str, other: str) -> None:
    """An article, an accent, a sign, a clause elsewhere, a second comma: each changes now and then what is said."""
    assert not same_words(one, other)
    assert not same_words(other, one)
    assert UNSURE_MAX == sureness(one, other, 0.999, BANDS)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("the valve stays closed before the pump", "the valve stays closed after the pump"),
        ("Prices went up in spring", "Prices went down in spring"),
        ("The ferry docks on the left", "The ferry docks on the right"),
        ("The shed is locked", "The shed is unlocked"),
        ("The claim is possible", "The claim is impossible"),
        ("She disagrees with the board", "She agrees with the board"),
        ("They opened the sluice", "They shut the sluice"),
        ("Die Schleuse ist offen", "Die Schleuse ist geschlossen"),
        ("La barca sube por el río", "La barca baja por el río"),
        ("Le quai est à gauche", "Le quai est à droite"),
        ("O barco chegou cedo", "O barco chegou tarde"),
        ("船在桥的左边", "船在桥的右边"),
        ("船は橋の右にある", "船は橋の左にある"),
        ("Take 20 ml of syrup", "Take 20 l of syrup"),
        ("It costs three francs", "It costs three pounds"),
        ("Ada phoned Bo", "Bo phoned Ada"),
        ("Move 3 crates to bay 8", "Move 8 crates to bay 3"),
    ],
)
def test_a_word_that_differs_keeps_two_texts_apart_however_alike_they_are(one: str, other: str) -> None:
    """It may be the opposite of the other one: they are linked at most, under any embedder."""
    assert UNSURE_MAX >= sureness(one, other, 1.0, MEASURED)
    assert UNSURE_MAX >= sureness(other, one, 1.0, MEASURED)


@pytest.mark.parametrize(
    ("one", "other", "sure"),
    [
        ("At dawn the barge passes under the bridge", "The barge passes under the bridge at dawn", SURE),
        ("We paint the hull every spring", "Every spring we paint the hull", SURE),
        ("Nora bakes at home on Mondays", "On Mondays, Nora bakes at home", SURE),
        ("Ada keeps her kayak in the shed", "Ada stores her kayak in the shed", UNSURE_MAX),
        ("Even the children paid for it", "The children even paid for it", UNSURE_MAX),
        ("Le chat suit la chèvre", "La chèvre suit le chat", UNSURE_MAX),
        ("Turkey is far in winter", "In winter turkey is far", UNSURE_MAX),
        ("On Monday, not on Friday, we rest", "Not on Friday, we rest on Monday", UNSURE_MAX),
    ],
)
def test_a_clause_may_stand_elsewhere_where_an_embedder_was_measured(
    one: str, other: str, sure: float
) -> None:
    """One begins with what closes the other, all words are the same, and nothing is denied or named in its place."""
    assert sure == sureness(one, other, 0.97, MEASURED) == sureness(other, one, 0.97, MEASURED)
    assert not same_words(one, other)
    assert UNSURE_MAX == sureness(one, other, 0.97, BANDS)
