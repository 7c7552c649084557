"""Spellings that hide which text it is: signs for letters, letters written twice, letters set apart.

Each has a form in which all such spellings of one text are equal. These forms make more texts equal than a reader
would, so that a text is looked for by one only where it looks disguised in that way. Knows letters; must not know
what the forms are kept for.
"""

import re
import unicodedata
from collections.abc import Callable, Iterator

from remanence.core.patterns import Pattern

SIGNED_WORDS_MIN = 2  # words with signs in them, for a text to look written with signs: one may be a name
SIGNED_SHARE_MIN = 0.25  # of its words
SIGNED_CHARS_MIN = 4  # of a word with a sign between letters: W3C and e2e are shorter
TWICE_WORDS_MIN = (
    2  # words with a letter twice, for a text to look written so: a name may differ in one alone
)
TWICE_SHARE_MIN = 0.4  # of its words; in ordinary sentences it is about one in eight
TWICE = 2
APART_MIN = 4  # letters set apart one after another: fewer are initials

# What stands for a letter; "i" and "l" are both written as 1, so that they are one here.
_SIGNS = str.maketrans("013457@$i", "oleastasl")
_LETTER = r"[^\W\d_\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]"  # of a script that sets words apart
_SIGN = re.compile(r"[013457@$]")
_SIGNED = re.compile(r"(?=[013457@$]*[^\W\d_])(?=[^\W\d_]*[013457@$])(?:[^\W\d_]|[013457@$])+")
_WITHIN = re.compile(r"[^\W\d_][013457@$]{1,2}[^\W\d_]")
_SMALL = re.compile(r"[013457@$]{1,2}")
_TWICE = Pattern(rf"({_LETTER})\1+")
_APART = Pattern(rf"(?<![^\W_]){_LETTER}(?:[ .,*_~|/·•-]{{1,3}}{_LETTER}(?![^\W_])){{{APART_MIN - 1}}}")
_MARKED = Pattern(rf"{_LETTER}(?:\*\*|__|~~)[^\W_]|[a-z][\u0300-\u036f\u0489\u20d0-\u20f0]")
_BESIDE = re.compile(r"[\W_]+")
_EMPHASIS = re.compile(
    r"(?<![\w*])(\*{1,3})(?=[^\s*])([^*\n]*[^\s*])\1(?![\w*])|(?<!\w)(~~|`)(?=\S)([^~`\n]+)\3(?!\w)"
)
_TAG = re.compile(r"</?(?:b|strong|i|em|u|mark|s|del)>", re.IGNORECASE)


def strip_emphasis(text: str) -> str:
    """Return a text without the marks of Markdown and of HTML that set words off."""
    if not any(map(text.__contains__, "*~`<")):
        return text
    bare = _EMPHASIS.sub(lambda found: found.group(2) or found.group(4), _TAG.sub("", text))
    return bare if bare.strip() else text  # marks alone are a text of their own


def read_forms(text: str, *, every: bool) -> Iterator[tuple[str, str]]:
    """Yield the forms of a text of small letters, each with its name: every one, or of the ways it looks hidden in."""
    for name, form_of, looks_hidden in _WAYS:
        if every or looks_hidden(text):
            yield name, form_of(text)


def _replace_signs(text: str) -> str:
    """Write letters for the signs in words that have letters; numbers stay."""
    return " ".join(word.translate(_SIGNS) if any(map(str.isalpha, word)) else word for word in text.split())


def _replace_lone_signs(text: str) -> str:
    """Write letters for one or two signs that stand alone, too: "1 4m" is "I am"."""
    return " ".join(
        word.translate(_SIGNS) if _SMALL.fullmatch(word) else word for word in _replace_signs(text).split()
    )


def _looks_signed(text: str) -> bool:
    """True if a word has a sign between letters, or some have one anywhere."""
    if _SIGN.search(text) is None:
        return False
    words, within = _find_signed_words(text)
    return within >= 1 or _is_many(words, text)


def _looks_signed_throughout(text: str) -> bool:
    """True if several words have a sign between letters; one alone may be a name, and a 4 beside it a number."""
    if _SIGN.search(text) is None:
        return False
    words, within = _find_signed_words(text)
    return within >= SIGNED_WORDS_MIN and _is_many(words, text)


def _find_signed_words(text: str) -> tuple[int, int]:
    """Return how many words mix letters and signs, and how many of these have a sign between letters."""
    words = [word for word in map(_strip_marks, text.split()) if _SIGNED.fullmatch(word)]
    within = [word for word in words if len(word) >= SIGNED_CHARS_MIN and _WITHIN.search(word)]
    return len(words), len(within)


def _strip_marks(word: str) -> str:
    return word.strip(".,;:!?()\"'")


def _is_many(words: int, text: str) -> bool:
    return words >= SIGNED_WORDS_MIN and words >= SIGNED_SHARE_MIN * len(text.split())


def _write_once(text: str) -> str:
    """Write a letter once where it stands twice or more in a row."""
    return _TWICE.sub(r"\1", text)


def _looks_doubled(text: str) -> bool:
    runs = [match for match in _TWICE.finditer(text) if match.group() != "www"]
    if any(match.end() - match.start() > TWICE for match in runs):
        return True
    words = text.split()
    twice = len(runs) and sum(_TWICE.search(word) is not None for word in words)
    return twice >= TWICE_WORDS_MIN and twice >= TWICE_SHARE_MIN * len(words)


def _join_letters(text: str) -> str:
    """Leave out all but letters and digits, and what is drawn over letters."""
    bare = "".join(char for char in unicodedata.normalize("NFD", text) if not unicodedata.combining(char))
    return _BESIDE.sub("", bare)


def _looks_apart(text: str) -> bool:
    return _APART.search(text) is not None or _MARKED.search(text) is not None


_WAYS: tuple[tuple[str, Callable[[str], str], Callable[[str], bool]], ...] = (
    ("signs", _replace_signs, _looks_signed),
    ("alone", _replace_lone_signs, _looks_signed_throughout),
    ("twice", _write_once, _looks_doubled),
    ("apart", _join_letters, _looks_apart),
)
