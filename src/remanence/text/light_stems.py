"""What the regular forms of a word have in common, by language: a key for comparing words, never shown or stored.

Words come as the index has them: folded, without accents, often with endings cut off by the rules of English. Knows
words only. Sources: CISTEM for German (Weissweiler & Fraser 2017, "Developing a Stemmer for German Based on a
Comparative Analysis of Publicly Available Stemmers", written here from its description), Snowball for the others.
"""

import re
from functools import cache

import Stemmer

CHARS_MIN = 3  # of a word that has forms
CHARS_MAX = 40  # longer ones are data
CHANGED_MAX = 1  # so many letters at the end of a key may be others in a form: journal, journaux
PREFIX_MIN = 3
_GERMAN, _ENGLISH, _FRENCH = "de", "en", "fr"
_ELIDED = ("l'", "d'", "j'", "n'", "s'", "m'", "t'", "qu'")
_ELIDING = ("a", "e", "h", "i", "o", "u", "y")
_GERMAN_PREFIX = "ge"
_ENDING_IN_MOS = ("es", "pt")
# What is one sound is one sign while endings are taken off, so that none is cut through.
_SIGNS = (("sch", "$"), ("ei", "%"), ("ie", "&"))
_FOLDED = str.maketrans({"ä": "a", "ö": "o", "ü": "u", "ß": "ss"})
_TWICE, _MARKED = re.compile(r"(.)\1"), re.compile(r"(.)\*")


def has_forms(language: str) -> bool:
    """Whether forms of a language's words are known here; those of English the index joins by itself."""
    return language == _GERMAN or (language != _ENGLISH and _load_stemmer(language) is not None)


def light_stem(language: str, word: str) -> str:
    """Return the key that the forms of a word share in a language that has some."""
    if language == _GERMAN:
        return _stem_german(word)
    if language == _FRENCH:
        word = word[word.find("'") + 1 :]
    stemmer = _load_stemmer(language)
    # The index takes an s off whatever ends so: of "nosotros hablamos" it has "hablamo".
    restored = f"{word}s" if language in _ENDING_IN_MOS and word.endswith("mo") else word
    return word if stemmer is None else str(stemmer.stemWord(restored))


def list_beginnings(language: str, word: str) -> tuple[str, ...]:
    """Return how words begin that may be forms of a word; none for what has no forms."""
    if not word.replace("'", "").isalpha() or not CHARS_MIN <= len(word) <= CHARS_MAX:
        return ()
    stem = light_stem(language, word)
    if len(stem) < PREFIX_MIN:
        return ()
    if language == _GERMAN:
        return stem, _GERMAN_PREFIX + stem
    begins = stem[: max(PREFIX_MIN, len(stem) - CHANGED_MAX)]
    elided = _ELIDED if language == _FRENCH and begins.startswith(_ELIDING) else ()
    return begins, *(short + begins for short in elided)


@cache
def _load_stemmer(language: str) -> "Stemmer.Stemmer | None":
    """Return Snowball's rules of a language by its code, None where it has none."""
    try:
        stemmer = Stemmer.Stemmer(language)
    except KeyError:
        return None
    stemmer.maxCacheSize = 0  # nothing stays here of words that are erased
    return stemmer


def _stem_german(word: str) -> str:
    """Take *ge-* and endings off, as CISTEM does where case says nothing."""
    stem = word.translate(_FOLDED)
    if stem.startswith(_GERMAN_PREFIX) and len(stem) >= 6:
        stem = stem[2:]
    for sound, sign in _SIGNS:
        stem = stem.replace(sound, sign)
    stem = _TWICE.sub(r"\1*", stem)
    while len(stem) > 3:
        if len(stem) > 5 and stem.endswith(("em", "er", "nd")):
            stem = stem[:-2]
        elif stem.endswith(("t", "e", "s", "n")):
            stem = stem[:-1]
        else:
            break
    stem = _MARKED.sub(r"\1\1", stem)
    for sound, sign in reversed(_SIGNS):
        stem = stem.replace(sign, sound)
    return stem
