"""WordPiece, as BERT cuts a text: the longest piece of a vocabulary first. Must not know what a piece means.

Lower case, accents off; a mark and a Chinese character stand alone.
"""

import unicodedata
from collections.abc import Iterator, Sequence
from itertools import groupby

UNKNOWN = 0  # the first of the vocabulary
WORD_CHARS_MAX = 100  # longer ones are unknown
_INSIDE = "##"  # how the vocabulary writes a piece that begins no word
_ALONE, _BLANK, _LETTER = 0, 1, 2
_CHINESE = (
    (0x4E00, 0x9FFF), (0x3400, 0x4DBF), (0x20000, 0x2A6DF), (0x2A700, 0x2B73F),
    (0x2B740, 0x2B81F), (0x2B920, 0x2CEAF), (0xF900, 0xFAFF), (0x2F800, 0x2FA1F),
)  # fmt: skip


class PieceVocabulary:
    """A vocabulary of pieces, numbered in order; the first is what no piece spells."""

    def __init__(self, vocabulary: Sequence[str]) -> None:
        self._numbers = {piece: number for number, piece in enumerate(vocabulary)}

    def of(self, text: str) -> list[int]:
        """Return the numbers of the pieces of a text, one `UNKNOWN` for each word that cannot be spelled."""
        return [number for word in _words(text) for number in self._cut(word)]

    def _cut(self, word: str) -> list[int]:
        if len(word) > WORD_CHARS_MAX:
            return [UNKNOWN]
        numbers: list[int] = []
        start = 0
        while start < len(word):
            lead = _INSIDE if start else ""
            for end in range(len(word), start, -1):
                number = self._numbers.get(lead + word[start:end])
                if number is not None:
                    break
            else:
                return [UNKNOWN]
            numbers.append(number)
            start = end
        return numbers


def _words(text: str) -> Iterator[str]:
    """Yield what stands between blanks, each mark and each Chinese character alone."""
    if text.isascii() and text.isalnum():
        yield text.lower()
        return
    kept = "".join(char for char in text if char in "\t\n\r" or not _is_control(char))
    bare = "".join(char for char in unicodedata.normalize("NFD", kept) if unicodedata.category(char) != "Mn")
    # One by one: the library knows no other small sigma at the end of a word.
    for kind, run in groupby("".join(map(str.lower, bare)), _kind):
        if kind == _ALONE:
            yield from run
        elif kind == _LETTER:
            yield "".join(run)


def _is_control(char: str) -> bool:
    return char in "\0\ufffd" or unicodedata.category(char) in {"Cc", "Cf", "Co", "Cs"}


def _kind(char: str) -> int:
    if char.isascii():
        return _LETTER if char.isalnum() else _BLANK if char.isspace() else _ALONE
    if char.isspace():
        return _BLANK
    if unicodedata.category(char)[0] == "P" or any(first <= ord(char) <= last for first, last in _CHINESE):
        return _ALONE
    return _LETTER
