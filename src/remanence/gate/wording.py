"""What a fitted scorer reads in a text: how its words begin, alone and one after another, as places in a table."""

import re
from collections.abc import Iterator, Sequence
from zlib import crc32

import numpy as np
import numpy.typing as npt

from remanence.core.text_caches import text_cache

Places = npt.NDArray[np.int64]

SIZE = 1 << 16  # places in a table of weights
ROWS = 4  # places a word has: alone, after the word before it, after two, and after the one before that
BEFORE = 2  # what stands before the first word of a piece: nothing, twice
STEM_CHARS = 5  # of the beginning of a word; what follows is mostly its ending
QUOTED = "\x02"  # stands before each word that is quoted
_AFTER, _BEFORE, _SECOND, _SPREAD = 0x1F35, 0x9E37, 0x85EBD, 0x1E3779B97F4A7C15
_SHIFT = 40

# Chinese and Japanese have a character for a word; all numbers are one, signs count.
_TOKEN = re.compile(
    "\x02?(?:[\u3040-\u30ff\u3400-\u9fff]|[^\\W\\d_\u3040-\u30ff\u3400-\u9fff]+|\\d+)|[^\\w\\s\x02]"
)


def words_in(sentence: str) -> list[str]:
    """Return the words, signs and characters of a sentence of small letters."""
    return _TOKEN.findall(sentence)


def matches(sentence: str) -> Iterator[re.Match[str]]:
    """Yield the words of a sentence with where they stand."""
    return _TOKEN.finditer(sentence)


@text_cache(32_768)
def _stem(word: str) -> int:
    """Return a number for how a word begins."""
    begins = "0" if word.isdecimal() else word[: STEM_CHARS + word.startswith(QUOTED)]
    return crc32(begins.encode("utf-8", "surrogatepass"))


def places(pieces: Sequence[Sequence[str]]) -> Places:
    """Return the places of each word of some pieces of text, two rows of nothing before each piece."""
    numbers: list[int] = []
    for tokens in pieces:
        numbers += (0, 0)
        numbers += map(_stem, tokens)
    stem = np.array(numbers, np.int64)
    place_rows = np.zeros((ROWS, len(stem)), np.int64)
    after = stem[2:] * _AFTER
    before = stem[1:-1] * _BEFORE
    place_rows[0] = stem
    place_rows[1, 2:] = after + before
    second = stem[:-2] * _SECOND
    place_rows[2, 2:] = place_rows[1, 2:] + second
    place_rows[3, 2:] = after + second
    # Multiplied by an odd number, the high bits of a product depend on all bits; those are the place.
    place_rows *= _SPREAD
    place_rows >>= _SHIFT
    place_rows &= SIZE - 1
    return place_rows
