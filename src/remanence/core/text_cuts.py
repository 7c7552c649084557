"""Where a text of any script may be cut: at the end of a sentence, else between two characters as a reader sees them.

Knows signs and scripts, no words; must not know why a text is cut.
"""

import unicodedata
from collections.abc import Iterator
from enum import IntEnum
from functools import lru_cache

from remanence.core.patterns import Pattern

GRAPHEME_CHARS_MAX = 32  # a longer pile of marks is no character; Unicode's own limit for streams is 30 marks
# What ends a sentence wherever it stands (Sentence_Terminal of Unicode, without the marks of ASCII), and what ends one
# before a blank alone: elsewhere it stands in numbers, names and addresses.
_ENDS = (
    "\u0589\u061d-\u061f\u06d4\u0700-\u0702\u07f9\u0837\u0839\u083d\u083e\u0964\u0965\u0e5a\u0e5b\u0f0d-\u0f12"
    "\u104a\u104b\u1362\u1367\u1368\u166e\u1735\u1736\u17d4\u17d5\u1803\u1809\u1944\u1945\u1aa8-\u1aab\u1b5a\u1b5b"
    "\u1b5e\u1b5f\u1b7d-\u1b7f\u1c3b\u1c3c\u1c7e\u1c7f\u203c\u203d\u2047-\u2049\u2cf9-\u2cfb\u2e2e\u2e3c\u3002\ua4ff"
    "\ua60e\ua60f\ua6f3\ua6f7\ua876\ua877\ua8ce\ua8cf\ua92f\ua9c8\ua9c9\uaa5d-\uaa5f\uaaf0\uaaf1\uabeb\ufe52\ufe56"
    "\ufe57\uff01\uff0e\uff1f\uff61"
)
_CLOSING = r"\"'”’»)\]}」』】》〉〕）］"
_SENTENCE_END = Pattern(
    rf"(?:[{_ENDS}]++[{_ENDS}.!?…]*+[{_CLOSING}]*+|(?<![.!?…])[.!?…]++[{_CLOSING}]*+(?=\s))\s*+"
)
# The combining class of what ties a consonant to the next one, and those of it that stand visibly between the two.
_VIRAMA, _VISIBLE_VIRAMAS = 9, "\u0e3a\u0eba\u103a"


class _Joining(IntEnum):
    """What a sign does beside others: nothing, or it belongs to the one before it, or ties the one behind it."""

    PLAIN = 0
    EXTENDS = 1
    JOINER = 2
    VIRAMA = 3
    BEFORE = 4
    FLAG_HALF = 5
    JAMO = 6
    LEADING_JAMO = 7


def find_sentence_ends(text: str, start: int = 0, end: int | None = None) -> Iterator[int]:
    """Yield the places behind the sentences of a text, or of a part, and behind the blanks after them; not its end."""
    whole = len(text) if end is None else end
    return (found.end() for found in _SENTENCE_END.finditer(text, start, whole))


def find_word_end(text: str, most: int) -> int:
    """Return where to cut a text to so many characters: at the last blank of their second half, else at a character."""
    blank = text.rfind(" ", most // 2, most + 1)
    return blank if blank >= 0 else step_back(text, most)


def step_back(text: str, place: int) -> int:
    """Return the last place up to this one at which a text may be cut without parting a character."""
    for before in range(place, max(0, place - GRAPHEME_CHARS_MAX), -1):
        if not _parts_character(text, before):
            return before
    return place


def cut_graphemes(text: str) -> list[str]:
    """Return the characters of a text as a reader sees them."""
    kinds = [] if text.isascii() else list(map(_kind_of, text))
    if not any(kinds):
        return list(text)
    pieces, begin = [], 0
    for place in range(1, len(text) + 1):
        touches = place < len(text) and (kinds[place] or kinds[place - 1])
        if not touches or place - begin >= GRAPHEME_CHARS_MAX or not _parts_character(text, place):
            pieces.append(text[begin:place])
            begin = place
    return pieces


def _parts_character(text: str, place: int) -> bool:
    """Tell whether a cut here would part what a reader sees as one character."""
    if not 0 < place < len(text):
        return False
    before, after = _kind_of(text[place - 1]), _kind_of(text[place])
    if after in (_Joining.EXTENDS, _Joining.JOINER, _Joining.VIRAMA) or before in (
        _Joining.JOINER,
        _Joining.BEFORE,
    ):
        return True
    if before is _Joining.VIRAMA:
        return text[place].isalpha()
    if before is after is _Joining.FLAG_HALF:
        return _count_flag_halves(text, place) % 2 == 1
    if after is _Joining.JAMO:
        return before in (_Joining.JAMO, _Joining.LEADING_JAMO) or _is_syllable(text[place - 1])
    return before is _Joining.LEADING_JAMO and (after is _Joining.LEADING_JAMO or _is_syllable(text[place]))


@lru_cache(maxsize=4_096)
def _kind_of(sign: str) -> _Joining:
    code = ord(sign)
    if code == 0x200D:
        return _Joining.JOINER
    if 0x1F1E6 <= code <= 0x1F1FF:
        return _Joining.FLAG_HALF
    if unicodedata.combining(sign) == _VIRAMA and sign not in _VISIBLE_VIRAMAS:
        return _Joining.VIRAMA
    # Beside marks: Thai and Lao AM, voiced signs of half width, skin tones, the letters in a flag of a region.
    if unicodedata.category(sign)[0] == "M" or sign in "\u200c\u0e33\u0eb3\uff9e\uff9f":
        return _Joining.EXTENDS
    if 0x1F3FB <= code <= 0x1F3FF or 0xE0020 <= code <= 0xE007F:
        return _Joining.EXTENDS
    if 0x1100 <= code <= 0x115F or 0xA960 <= code <= 0xA97C:
        return _Joining.LEADING_JAMO
    if 0x1160 <= code <= 0x11FF or 0xD7B0 <= code <= 0xD7FB:
        return _Joining.JAMO
    is_before = 0x600 <= code <= 0x605 or code in (0x6DD, 0x70F, 0x8E2)  # Arabic signs over what follows
    return _Joining.BEFORE if is_before else _Joining.PLAIN


def _count_flag_halves(text: str, place: int) -> int:
    """Return how many halves of flags stand right before a place, as far as a character may reach."""
    count = 0
    while count < min(place, GRAPHEME_CHARS_MAX) and _kind_of(text[place - 1 - count]) is _Joining.FLAG_HALF:
        count += 1
    return count


def _is_syllable(sign: str) -> bool:
    return "\uac00" <= sign <= "\ud7a3"
