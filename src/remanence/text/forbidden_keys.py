"""The keys under which a forbidden text is refused: the same for all spellings of it that look alike.

Disguises (signs for letters, letters twice, letters set apart) have forms in which all such spellings are equal. These
forms make more texts equal than a reader would, so that a text is looked for by one only where it looks disguised in
that way. Knows texts and hashes; must not know where they are kept.
"""

import re
import unicodedata
from collections.abc import Callable, Iterator
from hashlib import blake2b

from remanence.core.patterns import Pattern
from remanence.text.analysis import folded_text, normalize_nfkc
from remanence.text.confusables import LOOKALIKES

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


FOLD_VERSION = 1
_PERSON = b"remanence-fold%02d" % FOLD_VERSION
_DISGUISE_PERSON = "remanence-%s1"  # and the five letters of a disguise
_MEANT = {ord(char): letter for letter, chars in LOOKALIKES.items() for char in chars}
_CLOSING = " .!…。．"


def fold_keys(text: str) -> tuple[str, ...]:
    """Return the keys by which a text is looked for, as 32 hex digits each; who shares one looks the same.

    One folds case, compatibility forms, blanks and what is not seen; the other, besides, letters that look alike. The
    first alone would miss a letter of another alphabet, the second alone capitals of that alphabet. The third folds
    what an exact repeat may differ in: quotes around the whole, typographic marks, repeated ones. Where words are set
    off by marks, there are the same without them; a text that looks disguised has a key for each way it does.
    """
    return _make_keys(text, every=False)


def ban_keys(text: str) -> tuple[str, ...]:
    """Return the keys under which a text is refused: its `fold_keys`, and one for each way to disguise it."""
    return _make_keys(text, every=True)


def _make_keys(text: str, *, every: bool) -> tuple[str, ...]:
    plain = _normalize_spacing(text)
    unmarked = strip_emphasis(plain)
    keys = [*_keys_of(plain), *(_keys_of(_normalize_spacing(unmarked)) if unmarked != plain else ())]
    for name, form in read_forms(_replace_lookalikes(unmarked).casefold(), every=every):
        keys.append(_digest_key(form, (_DISGUISE_PERSON % name).encode()))
    return tuple(dict.fromkeys(keys))


def _keys_of(plain: str) -> tuple[str, ...]:
    plain_again = _normalize_spacing(folded_text(plain) or plain)
    return (
        _digest_key(plain),
        _digest_key(_replace_lookalikes(plain)),
        _digest_key(_replace_lookalikes(plain_again)),
    )


def _replace_lookalikes(plain: str) -> str:
    return unicodedata.normalize("NFC", unicodedata.normalize("NFD", plain).translate(_MEANT))


class _VisibleCharacters(dict[int, str | None]):
    """Character → itself, or None for one that is not seen or only chooses between drawings of another."""

    def __missing__(self, code: int) -> str | None:
        char = chr(code)
        unseen = unicodedata.category(char) in _UNSEEN and not char.isspace()
        is_variation = 0xFE00 <= code <= 0xFE0F or 0xE0100 <= code <= 0xE01EF
        self[code] = None if unseen or is_variation else char
        return self[code]


_UNSEEN = frozenset({"Cf", "Cc", "Co", "Cn"})
_SEEN = _VisibleCharacters()


def _normalize_spacing(text: str) -> str:
    """Return a text in compatibility form with one blank between words and without what is not seen."""
    visible_text = text if text.isascii() else normalize_nfkc(text).translate(_SEEN)
    return " ".join(visible_text.split()).rstrip(_CLOSING) or text


def _digest_key(folded: str, person: bytes = _PERSON) -> str:
    return blake2b(
        folded.casefold().encode("utf-8", "surrogatepass"), digest_size=16, person=person
    ).hexdigest()
