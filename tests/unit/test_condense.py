"""What is left of a text without its small words: what it says, in its order, and nothing of what must not be lost."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remanence.languages import LEXICONS
from remanence.text.analysis import vital_tokens, words
from remanence.text.condense import condense_text

NEGATIONS = frozenset().union(*(lexicon.negations for lexicon in LEXICONS.values()))
ENGLISH = "I went rowing with my sister on Tuesday, and she did not lose 3 of the oars."
SENTENCES = (
    ENGLISH,
    "Will met us at the IT desk of the US team (and the dog) before noon.",
    'She said "I will not be there before the end of it" and left the room.',
    "Use `git commit -am it` and then call it() with --all of the flags.",
    "The door is not to be opened after ten, or the alarm of the hall goes off.",
    "There were no seats in the second row, so we stood until it was over.",
)


@pytest.mark.parametrize(
    ("text", "short"),
    [
        (ENGLISH, "went rowing sister Tuesday, not lose 3 oars."),
        (
            "Er hat die Heizung gestern nicht ausgeschaltet, aber wir haben es erst am Montag gemerkt.",
            "Heizung gestern nicht ausgeschaltet, erst Montag gemerkt.",
        ),
        (
            "No vimos al gato en la cocina y la puerta estaba abierta hasta las tres.",
            "No vimos gato cocina puerta abierta hasta tres.",
        ),
        (
            "Nous n'avons pas vu le chat dans la cuisine, mais il est toujours là.",
            "n'avons pas vu chat cuisine, toujours là.",
        ),
        (
            "Eu não vi o gato na cozinha, mas ele estava com a minha irmã em Lisboa.",
            "não vi gato cozinha, com irmã Lisboa.",
        ),
    ],
)
def test_small_words_go_in_each_language(text: str, short: str) -> None:
    """Negations, numbers, names, dates and words that a sentence hangs on stay, in their order and with their marks."""
    assert short == condense_text(text)


@pytest.mark.parametrize(
    "text",
    [
        "Ho visto il gatto in cucina e non mi ha guardato, ma sono stato molto contento anche per questo.",
        "Jag har inte varit på det och jag är till mycket av det som är i det.",
        "我们在北京见过他的妹妹。",
        "for i in range(10): if x is not None and y: return [i for i in x]",
        "select name from users where id is not null and age in (1, 2)",
        "milk, eggs, bread, the salt",
        "What was that? It was him.",
        "The end",
        "Oslo",
    ],
)
def test_what_is_in_no_listed_language_or_is_code_stays_whole(text: str) -> None:
    """So do lists, and texts of small words alone."""
    assert text == condense_text(text)


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        (SENTENCES[1], ["Will", "IT", "US", "before", "(dog)"]),
        (SENTENCES[2], ['"I will not be there before the end of it"']),
        (SENTENCES[3], ["`git commit -am it`", "it()", "--all"]),
        (SENTENCES[4], ["not", "after ten", "or", "off"]),
        (SENTENCES[5], ["no seats", "second", "until", "over"]),
    ],
)
def test_what_a_sentence_hangs_on_stays(text: str, kept: list[str]) -> None:
    """Names that look like small words, quotations, code, negations, numbers, and words that have an opposite."""
    short = condense_text(text)

    assert [] == [part for part in kept if part not in short]
    assert len(words(short)) < len(words(text))


def test_lines_stay_lines() -> None:
    """A list stays a list, and no mark is put to the line before."""
    text = "- the milk of the farm\n- the eggs and the bread\n\nand also: buy some of it for me"

    assert "- milk farm\n- eggs bread\n\nbuy some" == condense_text(text)


def amounts(text: str) -> set[str]:
    """Return the numbers that a text writes in digits."""
    return {amount for amount in vital_tokens(text).numbers if any(map(str.isdigit, amount))}


@given(st.integers(0, 2**32), st.text(max_size=40))
def test_nothing_vital_is_lost(seed: int, more: str) -> None:
    """Whatever stands together: words in their order, no number, negation, date or code less, and never longer."""
    random = Random(seed)
    small = sorted(LEXICONS[random.choice(list(LEXICONS))].stop)
    parts = [*random.choices(SENTENCES, k=3), " ".join(random.choices(small, k=6)) + ".", more]
    random.shuffle(parts)
    text = random.choice([" ", "\n"]).join(parts).replace("\0", "")
    short = condense_text(text)
    rest = iter(words(text))
    negated = [word for word in map(str.casefold, words(text)) if word in NEGATIONS]

    assert all(word in rest for word in words(short))
    assert len(short) <= len(text)
    assert (amounts(text), vital_tokens(text).code) == (amounts(short), vital_tokens(short).code)
    assert negated == [word for word in map(str.casefold, words(short)) if word in NEGATIONS]
    assert short == condense_text(text)
