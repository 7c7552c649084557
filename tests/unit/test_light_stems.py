"""Regular forms of a word share a key, and whoever looks for them by how words begin finds them all."""

from itertools import pairwise

import pytest

from remanence.text.analysis import stems
from remanence.text.light_stems import CHARS_MAX, has_forms, light_stem, list_beginnings

# Each family as it is written; the index has its words folded and without English endings.
FAMILIES = {
    "de": (
        "kochen kochst gekocht kocht",
        "Haus Hauses Häuser Häusern",
        "Brieftaube Brieftauben",
        "repariert repariere reparieren",
        "Straße Straßen",
        "Fisch Fische Fischen",
        "betten Betten",
        "leises leisen leise",
    ),
    "es": ("hermana hermanas", "aparcamos aparcas aparcó", "callado calladas", "cocinas cociné cocinaban"),
    "fr": ("journal journaux", "l'horloge horloges d'horloge", "chaussette chaussettes", "répare réparé"),
    "pt": ("irmã irmãs", "plantamos planta plantou", "macia macias", "consertou conserta"),
}


@pytest.mark.parametrize(("language", "family"), [(k, one) for k, some in FAMILIES.items() for one in some])
def test_forms_share_a_key_and_are_found_by_their_beginnings(language: str, family: str) -> None:
    """Whichever form is asked for, every other one has its key and begins as it is looked for."""
    words = [stem for word in family.split() for stem in stems(word)]

    assert len(family.split()) == len(words)
    assert 1 == len({light_stem(language, word) for word in words})
    assert all(other.startswith(list_beginnings(language, word)) for word in words for other in words)


@pytest.mark.parametrize(
    ("language", "words"),
    [
        ("de", "Wand Wunde Wind Wein"),
        ("es", "casa caza cosa"),
        ("fr", "cheval chevet chef"),
        ("pt", "mar amor"),
    ],
)
def test_other_words_have_other_keys(language: str, words: str) -> None:
    """What only looks alike is another word."""
    keys = [light_stem(language, *stems(word)) for word in words.split()]

    assert all(one != other for one, other in pairwise(keys))


def test_english_and_unknown_languages_have_no_forms_here() -> None:
    """The index joins English forms itself; a language without rules keeps its words as they are."""
    assert [False, True, True, False] == [has_forms(code) for code in ("en", "de", "it", "xx")]
    assert ("sail", "sail") == (light_stem("xx", "sail"), light_stem("en", "sail"))


@pytest.mark.parametrize("word", ["gpt-4o", "1.2", "42", "ab", "x" * (CHARS_MAX + 1), "煮汤", ""])
def test_what_is_no_word_has_no_forms(word: str) -> None:
    """Numbers, codes, short and endless words are asked for as they are."""
    assert () == list_beginnings("de", word)
