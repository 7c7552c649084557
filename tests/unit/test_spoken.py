"""Which languages a scope speaks, and which words of a question say nothing there."""

import pytest

from remanence.recall.spoken import HeardText, SpokenLanguages, hear_text

GERMAN = ["Gestern habe ich mit der Nachbarin gekocht.", "Ich habe das Rad in den Keller gestellt."] * 5
ENGLISH = ["The car is with the mechanic until Friday.", "She sold her old car to the neighbours."] * 5
FRENCH = ["Je reste chez moi, car il pleut et je suis malade.", "Nous avons mangé avec les voisins."] * 3


def _hear(*texts: str) -> SpokenLanguages:
    return SpokenLanguages([hear_text(text) for text in texts])


@pytest.mark.parametrize(
    ("text", "language"),
    [
        (GERMAN[0], "de"),
        (ENGLISH[0], "en"),
        (FRENCH[1], "fr"),
        ("Parkhaus Nord", ""),
        ("Ich parke.", ""),
    ],
)
def test_a_text_of_which_nothing_tells_the_language_has_none(text: str, language: str) -> None:
    """One function word is too little to tell a language, and none is not English."""
    assert language == hear_text(text).language


def test_a_language_is_spoken_where_one_text_of_a_hundred_speaks_it() -> None:
    """One in two hundred is a quotation."""
    rest = [HeardText("en", frozenset())] * 99

    assert ("de",) == SpokenLanguages([hear_text(GERMAN[0]), *rest]).foreign
    assert () == SpokenLanguages([hear_text(GERMAN[0]), *rest, *rest]).foreign


@pytest.mark.parametrize(
    ("question", "languages"),
    [
        ("was koche ich", ("de",)),
        ("wo ist die", ("de",)),
        ("what car did she sell", ("en",)),
        ("car", ("fr",)),
        ("parkhaus nord", ("de", "fr")),
    ],
)
def test_a_question_is_in_the_language_that_most_of_its_words_speak_for(
    question: str, languages: tuple[str, ...]
) -> None:
    """Where no word speaks for any, it may be in each that is spoken."""
    spoken = _hear(*GERMAN, *ENGLISH, *FRENCH)

    assert set(languages) == set(spoken.guess_languages(question.split()))


def test_a_scope_of_english_alone_asks_in_english() -> None:
    """Nothing is asked otherwise there than before."""
    spoken = _hear(*ENGLISH)

    assert ("en",) == spoken.guess_languages(["wo", "parke", "ich"])
    assert not spoken.is_function_word("ich", ["en"])


def test_a_pronoun_that_the_texts_hold_says_nothing() -> None:
    """It does where the question is in another language, or where no text holds it."""
    spoken = _hear(*GERMAN, *ENGLISH, *FRENCH)

    assert spoken.is_function_word("ich", ["de"])
    assert not spoken.is_function_word("ich", ["fr"])
    assert not spoken.is_function_word("dessen", ["de"])
    assert not spoken.is_function_word("keller", ["de"])


def test_a_function_word_that_no_memory_holds_says_nothing() -> None:
    """It could only make an answer look weaker than it is; any other word that nobody holds does so rightly."""
    spoken = _hear(*GERMAN)

    assert spoken.is_function_word("dessen", ["de"], is_held=False)
    assert not spoken.is_function_word("anker", ["de"], is_held=False)
    assert not spoken.is_function_word("dessen", ["fr"], is_held=False)


def test_words_that_only_ask_are_left_out_though_no_text_holds_them() -> None:
    """What answers a question lacks its interrogative."""
    spoken = _hear(*GERMAN)

    assert spoken.is_function_word("wessen", ["de"])
    assert not spoken.is_function_word("wessen", ["fr", "en"])


def test_french_car_does_not_eat_the_english_car() -> None:
    """A function word that more texts of another language hold means something."""
    assert not _hear(*ENGLISH, *FRENCH).is_function_word("car", ["fr"])
    assert _hear(*FRENCH).is_function_word("car", ["fr"])
