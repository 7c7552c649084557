"""The keys under which a forbidden text is refused: what all spellings of one text share that look alike.

Knows texts and hashes; must not know where they are kept.
"""

import unicodedata
from hashlib import blake2b

from remanence.text.analysis import folded_text, normalize_nfkc
from remanence.text.confusables import LOOKALIKES
from remanence.text.disguises import read_forms, strip_emphasis

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
        keys.append(_key(form, (_DISGUISE_PERSON % name).encode()))
    return tuple(dict.fromkeys(keys))


def _keys_of(plain: str) -> tuple[str, ...]:
    plain_again = _normalize_spacing(folded_text(plain) or plain)
    return _key(plain), _key(_replace_lookalikes(plain)), _key(_replace_lookalikes(plain_again))


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


def _key(folded: str, person: bytes = _PERSON) -> str:
    return blake2b(
        folded.casefold().encode("utf-8", "surrogatepass"), digest_size=16, person=person
    ).hexdigest()
