"""The shape of one language's word lists. Knows no language and no text."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Lexicon:
    """Word lists of one language, all lower-case, apostrophes straight.

    `stop` are function words: left out of the index, and what tells a language; those that are `weighty` a condensed
    text keeps, since without them it could say something else. `past_endings` mark a past tense on
    words of five letters and more that are not in `not_past`. `months` maps a name to 1–12. `offers` are phrases.
    `case_bearing` are words whose capital changes their meaning even at the start of a sentence, `abbreviations` those
    that mean something else where they are written in capitals alone.
    `opposites` maps a word to those that say the contrary; `negative_prefixes` make a word its own contrary.
    `names_by_capital` is false where ordinary nouns are written with a capital.
    """

    code: str
    stop: frozenset[str]
    negations: frozenset[str]
    weighty: frozenset[str]
    number_words: frozenset[str]
    months: Mapping[str, int]
    time_words: frozenset[str]
    first_person: frozenset[str]
    second_person: frozenset[str]
    past: frozenset[str]
    past_endings: tuple[str, ...]
    not_past: frozenset[str]
    kin: frozenset[str]
    reactions: frozenset[str]
    offers: tuple[str, ...]
    case_bearing: frozenset[str]
    abbreviations: frozenset[str]
    opposites: Mapping[str, frozenset[str]] = field(default_factory=dict)
    negative_prefixes: tuple[str, ...] = ()
    names_by_capital: bool = True


@dataclass(frozen=True, slots=True)
class Contrasts:
    """What tells two texts apart in a script written without blanks: characters that say the contrary, negations."""

    code: str
    opposites: Mapping[str, frozenset[str]]
    negations: tuple[str, ...]


def words(text: str) -> frozenset[str]:
    """Return the words of a list written with blanks between them."""
    return frozenset(text.split())


def months(text: str) -> dict[str, int]:
    """Return name → number from twelve groups separated by blanks, spellings of one month joined by `/`."""
    return {name: number for number, group in enumerate(text.split(), 1) for name in group.split("/")}


def opposites(text: str) -> dict[str, frozenset[str]]:
    """Return word → its opposites, from lines with the words of one side, `|`, and those of the other."""
    by_word: dict[str, frozenset[str]] = {}
    for line in filter(None, map(str.strip, text.splitlines())):
        one, other = map(words, line.split("|"))
        for side, against in ((one, other), (other, one)):
            by_word |= {word: by_word.get(word, frozenset()) | against for word in side}
    return by_word
