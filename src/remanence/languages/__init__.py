"""Word lists by language, one file each, and which language a text is in. Knows words only, no memories."""

from collections import Counter
from collections.abc import Sequence

from remanence.languages.de import GERMAN
from remanence.languages.en import CONTRACTIONS, ENGLISH
from remanence.languages.es import SPANISH
from remanence.languages.fr import FRENCH
from remanence.languages.ja import JAPANESE
from remanence.languages.lexicon import Contrasts, Lexicon
from remanence.languages.pt import PORTUGUESE
from remanence.languages.units import UNITS
from remanence.languages.unlisted import UNLISTED
from remanence.languages.zh import CHINESE

LEXICONS: dict[str, Lexicon] = {
    lexicon.code: lexicon for lexicon in (ENGLISH, GERMAN, SPANISH, FRENCH, PORTUGUESE)
}
CONTRASTS: tuple[Contrasts, ...] = (CHINESE, JAPANESE)

# Words that are function words of English too speak for nobody ("in", "so", "an").
_SPEAKS_FOR: dict[str, tuple[str, ...]] = {
    word: tuple(lexicon.code for lexicon in LEXICONS.values() if word in lexicon.stop)
    for lexicon in LEXICONS.values()
    for word in lexicon.stop - ENGLISH.stop
}
_SPEAKS_ENGLISH = ENGLISH.stop.difference(
    *(lexicon.stop for lexicon in LEXICONS.values() if lexicon is not ENGLISH)
)

CASE_BEARING: frozenset[str] = UNITS.union(*(lexicon.case_bearing for lexicon in LEXICONS.values()))
ABBREVIATIONS: frozenset[str] = frozenset().union(*(lexicon.abbreviations for lexicon in LEXICONS.values()))
MONTHS: dict[str, int] = {
    name: number for lexicon in LEXICONS.values() for name, number in lexicon.months.items()
}
# Of all languages at once: a short text does not say which it is in, and a pair of one of them keeps two apart.
OPPOSITES: dict[str, frozenset[str]] = {}
for _listed in (
    *(lexicon.opposites for lexicon in LEXICONS.values()),
    *(script.opposites for script in CONTRASTS),
):
    for _word, _against in _listed.items():
        OPPOSITES[_word] = OPPOSITES.get(_word, frozenset()) | _against
NEGATIVE_PREFIXES: tuple[str, ...] = tuple(
    dict.fromkeys(prefix for lexicon in LEXICONS.values() for prefix in lexicon.negative_prefixes)
)

__all__ = [
    "ABBREVIATIONS", "CASE_BEARING", "CONTRACTIONS", "CONTRASTS", "ENGLISH", "LEXICONS", "MONTHS",
    "NEGATIVE_PREFIXES", "OPPOSITES", "UNLISTED", "Lexicon", "language_of", "speaks_foreign",
]  # fmt: skip


def speaks_foreign(word: str) -> bool:
    """Whether a lower-case word is a function word of a language other than English, and not of English."""
    return word in _SPEAKS_FOR


def language_of(words: Sequence[str]) -> Lexicon:
    """Return the language whose function words outnumber the English ones; at least two must speak for it.

    `words` are lower-case. English wins ties, so a short or mixed text falls back on it.
    """
    voting_words = [word for word in words if word in _SPEAKS_FOR]
    if len(voting_words) < 2:
        return ENGLISH
    votes = Counter(code for word in voting_words for code in _SPEAKS_FOR[word])
    best, count = votes.most_common(1)[0]
    return LEXICONS[best] if count > max(1, sum(word in _SPEAKS_ENGLISH for word in words)) else ENGLISH
