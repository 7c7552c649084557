"""Case is form in most words and meaning in some: in code, identifiers, names that are words, and abbreviations."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remanence.languages import ABBREVIATIONS, CASE_BEARING
from remanence.text.analysis import fingerprint

FORM = [
    ("I like Tea", "i like tea"),
    ("We sail to Skagen", "we sail to skagen"),
    ("I REALLY like tea", "I really like tea"),
    ("It is broken", "it is broken"),
    ("Who came?", "who came?"),
    ("NASA called", "nasa called"),
    ("I LOVE THIS HARBOUR", "i love this harbour"),
    ("The Ferry Leaves At Noon", "The ferry leaves at noon"),
    ("A 20-Year-Old Boat", "a 20-year-old boat"),
    ("Meet at 5PM, the 1ST", "meet at 5pm, the 1st"),
    ("O'Brien's boat", "o'brien's boat"),
    ("He works in R&D", "he works in r&d"),
    ('She said: "Wait"', 'she said: "wait"'),
    ("I am in London (Soho)", "i am in london (soho)"),
    ("*Important*: bring Salt", "*important*: bring salt"),
    ("Ärger im Amt", "ärger im amt"),
    ("Je vis à Évian", "je vis à évian"),
    ("¿Vienes a Málaga?", "¿vienes a málaga?"),
    ("ПАРОМ УШЁЛ", "паром ушёл"),
    ("Η ΟΔΟΣ ΕΙΝΑΙ ΚΛΕΙΣΤΗ", "η οδος ειναι κλειστη"),
]
MEANING = [
    ("They told us so", "They told US so"),
    ("Ask it first", "Ask IT first"),
    ("Tell me who knows", "Tell me WHO knows"),
    ("The tool aids her", "The tool AIDS her"),
    ("Man sieht es", "MAN sieht es"),
    ("We came in May", "We came in may"),
    ("Call getUser", "Call getuser"),
    ("I use GitHub", "I use github"),
    ("Set MAX_SIZE", "Set max_size"),
    ("See PROJ-12", "See proj-12"),
    ("In room B12", "In room b12"),
    ("Open `Foo bar` now", "Open `foo bar` now"),
    ("Run it with -V", "Run it with -v"),
    ("Call RunAll()", "Call runall()"),
    ("Call Run()", "Call run()"),
    ("It runs V1.2", "It runs v1.2"),
    ("Look in /Etc/x", "Look in /etc/x"),
    (r"Look in C:\Data\x", r"Look in C:\data\x"),
    ("Read https://example.org/A", "Read https://example.org/a"),
    ("Write to Ann@example.org", "Write to ann@example.org"),
    ("Print $HOME", "Print $home"),
    ("Edit Config.Yaml", "Edit config.yaml"),
    ("Config.yaml is new", "config.yaml is new"),
    ("It is new. X86 runs it", "It is new. x86 runs it"),
    ("Take vitamin C", "Take vitamin c"),
    ("The link has 5 Mb", "The link has 5 MB"),
    ("It draws 5 mW", "It draws 5 MW"),
    ("Gehört sie Ihnen", "Gehört sie ihnen"),
    ("Der Weg", "Der weg"),
    ("In Maßen trinken", "in massen trinken"),
]
# Words of an alphabet in which none of those that bear case can be spelled.
plain = st.text("bdfhlqvxyz", min_size=3, max_size=8)
cased = st.sampled_from((str.lower, str.upper, str.capitalize))


@pytest.mark.parametrize(("one", "other"), FORM)
def test_case_that_says_nothing_is_folded(one: str, other: str) -> None:
    """A capital, or capitals alone, in a word that is the same word without them make no other text."""
    assert fingerprint(one) == fingerprint(other)


@pytest.mark.parametrize(("one", "other"), MEANING)
def test_case_that_says_something_is_kept(one: str, other: str) -> None:
    """Code, identifiers, units, abbreviations and names that are words in small letters are told apart."""
    assert fingerprint(one) != fingerprint(other)


@given(st.lists(st.tuples(plain, cased, cased), min_size=1, max_size=8))
def test_the_case_of_plain_words_never_matters(words: list[tuple[str, object, object]]) -> None:
    """However the words of a text are written, it is one text."""
    one, other = (" ".join(word[way](word[0]) for word in words) for way in (1, 2))  # type: ignore[operator]

    assert fingerprint(f"the {one}") == fingerprint(f"the {other}")


@given(st.sampled_from(sorted(CASE_BEARING)))
def test_a_word_that_bears_case_is_kept_wherever_it_stands(word: str) -> None:
    """Its three ways of being written are three texts, also at the start of a sentence."""
    written = {word.lower(), word.upper(), word.capitalize()}

    assert len(written) == len({fingerprint(f"{way} and the rest") for way in written})


@given(st.sampled_from(sorted(ABBREVIATIONS - CASE_BEARING)))
def test_an_abbreviation_is_told_by_its_capitals_alone(word: str) -> None:
    """In capitals it is another word; with one capital it is the word in small letters."""
    small, capital, capitals = (
        fingerprint(f"the {way} is new") for way in (word, word.capitalize(), word.upper())
    )

    assert (small == capital, small == capitals) == (True, False)


@given(st.text(max_size=60), st.text(max_size=60))
def test_only_case_is_folded(one: str, other: str) -> None:
    """Two texts whose letters differ in more than case are two."""
    alike = one.lower() == other.lower()
    forms = {fingerprint(text.lower()) for text in (one, other)}

    assert alike or len(forms) == 1 or fingerprint(one) != fingerprint(other)


@given(st.from_regex(r"[a-z]{2,5}(_[a-z]{2,5}|[A-Z][a-z]{1,4}|\d{1,3})", fullmatch=True))
def test_an_identifier_in_other_letters_is_another(name: str) -> None:
    """A name with an underscore, a capital or a digit inside is kept letter by letter."""
    assert fingerprint(f"call {name} first") != fingerprint(f"call {name.upper()} first")
