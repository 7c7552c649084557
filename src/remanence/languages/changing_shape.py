"""The words by which one language tells that something is otherwise than before. Knows no text."""

import re
from dataclasses import dataclass

from remanence.patterns import Pattern

BEGINNING_CHARS = (3, 4)  # of a phrase that is how a word begins, to find it quickly


@dataclass(frozen=True, slots=True)
class Changing:
    """Signs of one language, as patterns for texts in small letters.

    `now` say that something holds from now on, `shifts` that a value became another one, `ends` that something is
    over, given up or gone, `turns` that a state is the contrary of before, `news` that something is new. `doubts` say
    that nothing changed: what is supposed, wished, planned, heard, past or comes beside what was. `denies` deny;
    `mine` speak of the speaker. `opening` are the words, and the beginnings of words, that some sign of change begins
    with; in a language that is not `spaced`, the signs.
    """

    code: str
    now: Pattern
    shifts: Pattern
    ends: Pattern
    turns: Pattern
    news: Pattern
    doubts: Pattern
    denies: Pattern
    mine: Pattern
    opening: frozenset[str]
    spaced: bool = True


_SIGNS = ("now", "shifts", "ends", "turns", "news", "denies")


def changing(code: str, *, spaced: bool = True, **listed: str) -> Changing:
    """Make the patterns of a language from phrases with `/` between them; one that ends in `*` is how a word begins."""
    phrases = {name: _phrases(text) for name, text in listed.items()}
    patterns = {name: _pattern(some, spaced=spaced) for name, some in phrases.items()}
    signs = {phrase for name in _SIGNS for phrase in phrases[name]}
    opening = frozenset(map(_opening, signs)) if spaced else frozenset(signs)
    return Changing(code, **patterns, opening=opening, spaced=spaced)


def _phrases(text: str) -> list[str]:
    """Return the phrases of a list, the longest first."""
    found = {" ".join(one.split()) for one in text.split("/") if one.strip()}
    return sorted(found, key=lambda phrase: (-len(phrase), phrase))


def _opening(phrase: str) -> str:
    first = phrase.split(maxsplit=1)[0]
    return first[:-1][: BEGINNING_CHARS[-1]] if first.endswith("*") else first


def _pattern(phrases: list[str], *, spaced: bool) -> Pattern:
    if not spaced:
        return Pattern("|".join(map(re.escape, phrases)))
    alternatives = (
        re.escape(phrase[:-1]) + r"[\w'-]*+" if phrase.endswith("*") else re.escape(phrase)
        for phrase in phrases
    )
    return Pattern(rf"(?<![\w'])(?:{'|'.join(alternatives)})(?!\w)")
