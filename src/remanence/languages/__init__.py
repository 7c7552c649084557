"""Word lists by language, one file each, and which language a text is in. Knows words only, no memories.

The lists of all languages at once are joined when one of them is first asked for: what opens a store and reads no text
needs none. Who is imported at every start therefore writes `languages.ENGLISH` where it is used.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any

from remanence.languages.families import CONTRASTS as _CONTRASTS
from remanence.languages.families import LEXICONS as LEXICONS
from remanence.languages.families import load_common_words
from remanence.languages.language_files import SPACED
from remanence.languages.shapes import Contrasts
from remanence.languages.shapes import Lexicon as Lexicon

ENGLISH: Lexicon
CONTRASTS: tuple[Contrasts, ...]
CASE_BEARING: frozenset[str]
ABBREVIATIONS: frozenset[str]
MONTHS: Mapping[str, int]
CONTRACTIONS: Mapping[str, str]
UNLISTED: frozenset[str]


def __getattr__(name: str) -> Any:
    """Join the lists of all languages when one of them is first asked for."""
    make = _JOINS.get(name)
    if make is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = make()
    return value


def _join(name: str) -> Any:
    return Lexicon.notations[name].join([getattr(lexicon, name) for lexicon in LEXICONS.values()])


def _list_unlisted() -> frozenset[str]:
    # A language that is not of this package may have its frequent words among those of languages without lists.
    further = (lexicon.stop for code, lexicon in LEXICONS.items() if code not in SPACED)
    return load_common_words().unlisted.difference(*further)


_JOINS: Mapping[str, Callable[[], object]] = {
    "ENGLISH": lambda: LEXICONS["en"],
    "CONTRASTS": lambda: tuple(_CONTRASTS.values()),
    "CASE_BEARING": lambda: load_common_words().units | _join("case_bearing"),
    "ABBREVIATIONS": lambda: _join("abbreviations"),
    "MONTHS": lambda: _join("months"),
    "CONTRACTIONS": lambda: _join("contractions"),
    "UNLISTED": _list_unlisted,
}


@cache
def _load_voters() -> Mapping[str, tuple[str, ...]]:
    """Return word → the languages that it speaks for; function words of English too ("in", "so") speak for nobody."""
    english = LEXICONS["en"].stop
    return {
        word: tuple(one.code for one in LEXICONS.values() if word in one.stop)
        for lexicon in LEXICONS.values()
        for word in lexicon.stop - english
    }


@cache
def _load_english_voters() -> frozenset[str]:
    return LEXICONS["en"].stop.difference(*(one.stop for code, one in LEXICONS.items() if code != "en"))


def speaks_foreign(word: str) -> bool:
    """Whether a lower-case word is a function word of a language other than English, and not of English."""
    return word in _load_voters()


def speaks_english(word: str) -> bool:
    """Whether a lower-case word is a function word of English, and of no other language."""
    return word in _load_english_voters()


def language_of(words: Sequence[str]) -> Lexicon:
    """Return the language whose function words outnumber the English ones; at least two must speak for it.

    `words` are lower-case. English wins ties, so a short or mixed text falls back on it.
    """
    voters = _load_voters()
    voting_words = [word for word in words if word in voters]
    if len(voting_words) < 2:
        return LEXICONS["en"]
    votes = Counter(code for word in voting_words for code in voters[word])
    best, count = votes.most_common(1)[0]
    english = sum(word in _load_english_voters() for word in words)
    return LEXICONS[best if count > max(1, english) else "en"]
