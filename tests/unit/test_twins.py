"""Exact, near or distinct."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remanence.languages import CONTRASTS, LEXICONS, NEGATIVE_PREFIXES, OPPOSITES, Lexicon
from remanence.languages.shapes import Contrasts
from remanence.text import twins
from remanence.text.analysis import fingerprint
from remanence.text.twins import SAME_WORDS, UNSURE_MAX, SimilarityThresholds, same_words, sureness, verdict

BANDS = SimilarityThresholds(similar=0.6, near=0.9)


def test_the_same_words_are_exact_whatever_the_vectors_say() -> None:
    """Texts of one fingerprint are one memory."""
    assert verdict("I keep bees.", "i keep bees", 0.1, BANDS).kind == "exact"


def test_a_paraphrase_above_the_band_is_near() -> None:
    """Alike, and nothing would be lost: near, with the similarity as reason."""
    twin = verdict("Ada keeps bees on the roof", "Ada has bees up on the roof", 0.95, BANDS)

    assert ("near", ("similarity 0.95 ≥ 0.90",)) == (twin.kind, twin.reasons)


@pytest.mark.parametrize(
    ("label", "kind"),
    [("Note", "near"), ("Reminder", "near"), ("Hinweis", "near"), ("Ben", "distinct"), ("Quay", "distinct")],
)
def test_a_label_before_a_colon_is_no_name(label: str, kind: str) -> None:
    """A line that says what sort of line it is says the same as without; who speaks is another matter."""
    said = "Ada Holt keeps bees on the roof of the pier house"

    assert kind == verdict(said, f"{label}: {said}", 0.95, BANDS).kind
    assert kind == verdict(f"{label}: {said}", said, 0.95, BANDS).kind


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
        ("Take 20 ml of syrup", "Take 20 l of syrup", "what is counted"),
        ("It costs three francs", "It costs three pounds", "what is counted"),
        ("Ada phoned Bo", "Bo phoned Ada", "names change places"),
        ("Move 3 crates to bay 8", "Move 8 crates to bay 3", "numbers change places"),
        ("the gull chased the crab", "the crab chased the gull", "the same words"),
        ("the valve stays closed before the pump", "the valve stays closed after the pump", "opposites"),
        ("Prices went up in spring", "Prices went down in spring", "opposites"),
        ("The ferry docks on the left", "The ferry docks on the right", "opposites"),
        ("The shed is locked", "The shed is unlocked", "opposites"),
        ("The claim is possible", "The claim is impossible", "opposites"),
        ("She disagrees with the board", "She agrees with the board", "opposites"),
        ("They opened the sluice", "They shut the sluice", "opposites"),
        (r"The log is in C:\a\b", r"The log is in C:\a\c", "code"),
        (r"The log is in C:\a\b", r"The log is in D:\a\b", "code"),
        (r"The log (C:\ferry\log) is long", r"The log (C:\ferry\logs) is long", "code"),
        ("The log is in c:/ferry/log.", "The log is in c:/ferry/list.", "code"),
        (r"The log is in \\pier\pub", r"The log is in \\pier\priv", "code"),
        (r"The log is in ..\ferry\log", r"The log is in ..\barge\log", "code"),
        (r"The log is in C:\My boats\log", r"The log is in C:\My boats\list", "code"),
        ("Die Schleuse ist offen", "Die Schleuse ist geschlossen", "opposites"),
        ("La barca sube por el río", "La barca baja por el río", "opposites"),
        ("Le quai est à gauche", "Le quai est à droite", "opposites"),
        ("O barco chegou cedo", "O barco chegou tarde", "opposites"),
        ("船在桥的左边", "船在桥的右边", "opposites"),
        ("船停在桥边", "船不停在桥边", "negations"),
        ("船は橋の右にある", "船は橋の左にある", "opposites"),
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
    ("one", "other", "kind"),
    [
        ("the dog is fit", "the dog is unfit", "distinct"),
        ("the ox is asleep", "the unox is asleep", "near"),
    ],
)
def test_what_is_left_of_a_word_without_its_prefix_has_three_letters(one: str, other: str, kind: str) -> None:
    """A shorter rest is no word of its own, so that the prefix denies nothing; either text may have the prefix."""
    assert (kind, kind) == (verdict(one, other, 0.99, BANDS).kind, verdict(other, one, 0.99, BANDS).kind)


def test_what_only_one_text_counts_is_no_difference() -> None:
    """Things are counted differently where each text counts what the other does not."""
    assert "near" == verdict("he owns 9 boats", "he surely owns boats, 9", 0.99, BANDS).kind


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


SPOKEN = [
    (word, against)
    for listed in (*(each.opposites for each in LEXICONS.values()), *(each.opposites for each in CONTRASTS))
    for word, contrary in listed.items()
    for against in sorted(contrary)
]


def test_a_word_and_its_opposite_are_never_one_memory() -> None:
    """In every language, a word's opposite in its place makes another text: neither near nor an exact repeat."""
    texts = [(f"zuv kel {word} ora min", f"zuv kel {against} ora min") for word, against in SPOKEN]
    verdicts = {verdict(one, other, 1.0, BANDS).kind for one, other in texts}

    assert {"distinct"} == verdicts
    assert [] == [pair for pair in texts if fingerprint(pair[0]) == fingerprint(pair[1])]


@pytest.mark.parametrize("each", [*LEXICONS.values(), *CONTRASTS], ids=lambda each: each.code)
def test_opposition_is_mutual(each: Lexicon | Contrasts) -> None:
    """What a word is the opposite of is its opposite, and no word is its own."""
    for word, contrary in each.opposites.items():
        assert word not in contrary
        assert all(word in each.opposites[against] for against in contrary)


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


_WORDS = [*sorted(OPPOSITES)[::7], "happy", "possible", "kiln", "do", "able", "hot", "cold"]
_PREFIXED = st.builds(str.__add__, st.sampled_from(["", "", *NEGATIVE_PREFIXES]), st.sampled_from(_WORDS))
_SAYINGS = st.lists(_PREFIXED, min_size=1, max_size=6).map(" ".join)


@given(old=_SAYINGS, new=_SAYINGS)
def test_no_opposites_escape_the_look_that_comes_before(old: str, new: str) -> None:
    """What is looked at first, all words of a text at once, rules out no pair of a word and its contrary."""
    one, other = (Counter(twins._read_text(text).words) for text in (old, new))
    opposed = list(twins._find_contraries(set(one - other), set(other - one)))
    reasons = verdict(old, new, 1.0, BANDS).reasons

    assert bool(opposed) == any(reason.startswith("opposites") for reason in reasons)


@given(old=_SAYINGS, new=_SAYINGS)
def test_a_word_and_its_contrary_keep_two_texts_apart_either_way(old: str, new: str) -> None:
    """Neither text has to come first."""
    assert verdict(old, new, 1.0, BANDS).kind == verdict(new, old, 1.0, BANDS).kind
