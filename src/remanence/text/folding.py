"""The keys under which a forbidden text is refused: what all spellings of one text share that look alike."""

import unicodedata
from hashlib import blake2b

from remanence.text.analysis import folded_text, normalize_nfkc
from remanence.text.confusables import LOOKALIKES

FOLD_VERSION = 1
_PERSON = b"remanence-fold%02d" % FOLD_VERSION
_MEANT = {ord(char): letter for letter, chars in LOOKALIKES.items() for char in chars}
_CLOSING = " .!…。．"


def fold_keys(text: str) -> tuple[str, ...]:
    """Return the keys of a text, as 32 hex digits each; texts that share one are the same but for how they look.

    One folds case, compatibility forms, blanks and what is not seen; the other, besides, letters that look alike. The
    first alone would miss a letter of another alphabet, the second alone capitals of that alphabet. The third folds
    what an exact repeat may differ in: quotes around the whole, typographic marks, repeated ones.
    """
    plain = _normalize_spacing(text)
    plain_again = _normalize_spacing(folded_text(plain) or plain)
    return tuple(
        dict.fromkeys((_key(plain), _key(_replace_lookalikes(plain)), _key(_replace_lookalikes(plain_again))))
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


def _key(folded: str) -> str:
    return blake2b(
        folded.casefold().encode("utf-8", "surrogatepass"), digest_size=16, person=_PERSON
    ).hexdigest()
