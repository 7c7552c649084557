"""How many tokens a language model counts in a text, estimated from above. Knows characters, no vocabulary.

A character costs something alone, after the one before it and after the two before it; of digits each three cost about
one token. What each costs was fitted by `benchmarks.token_costs` to two public vocabularies, and a margin added.
"""

from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

import numpy as np
import numpy.typing as npt

from remanence.core.text_caches import text_cache

Ints = npt.NDArray[np.intp]

COSTS_PATH = Path(__file__).with_name("token_costs.npz")
TOKENS_VERSION = 1  # raised where costs or ways to count change: stored counts are then made anew
UNIT = 24  # costs are kept in parts of a token
# Up to so many characters, words that were met before are worth more than arrays; a longer word is data, met once.
_FEW_CHARS = 1_200
_WORD_CHARS_MAX = 40
_WORDS_CACHED = 32_768
# Texts are worked in batches of about so many characters, which the processor's own cache has room for.
_BATCH_CHARS = 16_384

_LETTERS, _SIGNS, _PLANES, _BLOCK_BITS = 30, 89, 0x10000, 7
PAIRS = _LETTERS**3  # where the costs of pairs begin, after those of triples
CHARS = PAIRS + _SIGNS**2
DIGITS = CHARS + _PLANES + (0x110000 >> _BLOCK_BITS)
NOTHING = DIGITS + 1

_CLASSED = 0x2000  # above, no character is a Latin letter
_SPACE, _LINE_END, _DIGIT, _ACCENTED, _OTHER = range(5)
_PUNCTUATION = [code for code in range(33, 127) if not chr(code).isalnum()]


def _build_classes() -> tuple[Ints, Ints]:
    """Return what a character counts as in a triple (case and marks aside) and in a pair, by its code."""
    letter, sign = np.full(_CLASSED, _LETTERS - 1), np.full(_CLASSED, _OTHER)
    accents = [*range(0xC0, 0xD7), *range(0xD8, 0xF7), *range(0xF8, 0x250), *range(0x1E00, 0x1F00)]
    letter[accents], sign[accents] = _LETTERS - 3, _ACCENTED
    letter[ord("'")] = _LETTERS - 2
    letter[[ord(" "), ord("\n")]] = 0
    sign[ord(" ")], sign[ord("\n")] = _SPACE, _LINE_END
    sign[ord("0") : ord("9") + 1] = _DIGIT
    sign[_PUNCTUATION] = np.arange(5, 5 + len(_PUNCTUATION))
    for number, first in enumerate("aA"):
        code = ord(first)
        letter[code : code + 26] = np.arange(1, 27)
        sign[code : code + 26] = np.arange(5 + len(_PUNCTUATION), 31 + len(_PUNCTUATION)) + 26 * number
    return letter, sign


_LETTER, _SIGN = _build_classes()


def token_counts(texts: Sequence[str]) -> list[int]:
    """Estimate the tokens of texts, each with the line end behind it; no sum of lines is less than their whole."""
    if sum(map(len, texts)) <= _FEW_CHARS:
        return list(map(_count_tokens, texts))
    counts = [0] * len(texts)
    for places in _cut_batches(texts):
        for place, count in zip(places, _count_batch([texts[place] for place in places]), strict=True):
            counts[place] = count
    return counts


def _count_tokens(text: str) -> int:
    """Count the tokens of one text word by word: of what stands before a blank, the word behind it costs the same."""
    parts = f"\n{text}\n".split(" ")
    spent = sum([_word(part) if len(part) <= _WORD_CHARS_MAX else _word_spent(part) for part in parts])
    # The line end before the text is not of it, and behind it there is no blank.
    return max(-(-(spent - _word("\n")) // UNIT), 1)


def _word_spent(word: str) -> int:
    """Return what a word between two blanks costs, the second blank included."""
    costs, letters, signs = _list_scalars()
    spent = before = last = digits = 0
    sign = _SPACE
    for code in map(ord, word + " "):
        is_classed = code < _CLASSED
        letter, after = letters[code] if is_classed else _LETTERS - 1, signs[code] if is_classed else _OTHER
        spent += costs[(before * _LETTERS + last) * _LETTERS + letter] + costs[PAIRS + sign * _SIGNS + after]
        spent += costs[CHARS + (code if code < _PLANES else _PLANES + (code >> _BLOCK_BITS))]
        if after == _DIGIT:
            spent += costs[NOTHING if digits % 3 else DIGITS]
            digits += 1
        else:
            spent += costs[NOTHING]
            digits = 0
        before, last, sign = last if letter else 0, letter, after
    return spent


_word = text_cache(_WORDS_CACHED)(_word_spent)


def features(text: str) -> Iterator[Ints]:
    """Yield which costs are due for each character of a text but the first: of triple, pair, character and digits."""
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32).astype(np.intp)
    low, is_classed = np.minimum(codes, _CLASSED - 1), codes < _CLASSED
    letter = np.where(is_classed, _LETTER[low], _LETTERS - 1)
    sign = np.where(is_classed, _SIGN[low], _OTHER)
    before = np.zeros_like(letter)
    before[2:] = letter[:-2]
    # What stands before a blank is no matter to the word behind it.
    before[1:] *= letter[:-1] > 0
    yield (before[1:] * _LETTERS + letter[:-1]) * _LETTERS + letter[1:]
    yield PAIRS + sign[:-1] * _SIGNS + sign[1:]
    yield block(codes)[1:]
    yield _mark_thirds(sign == _DIGIT)[1:]


def block(codes: Ints) -> Ints:
    """Return the place of the cost of a character: its own, beyond the basic plane that of its block."""
    places: Ints = CHARS + np.where(codes < _PLANES, codes, _PLANES + (codes >> _BLOCK_BITS))
    return places


def _mark_thirds(digit: npt.NDArray[np.bool_]) -> Ints:
    """Return where a group of three digits begins, as the place of its cost; elsewhere that of no cost."""
    place = np.arange(len(digit))
    since = place - np.maximum.accumulate(np.where(digit, -1, place))
    return np.where(digit & (since % 3 == 1), DIGITS, NOTHING)


def _cut_batches(texts: Sequence[str]) -> Iterator[list[int]]:
    """Yield the places of texts that are worked together; those of ASCII alone are, since they are worked faster."""
    for plain in (True, False):
        batch: list[int] = []
        chars = 0
        for place, text in enumerate(texts):
            if text.isascii() is plain:
                batch.append(place)
                chars += len(text)
            if chars > _BATCH_CHARS:
                yield batch
                batch, chars = [], 0
        if batch:
            yield batch


def _count_batch(texts: Sequence[str]) -> list[int]:
    batch = "\n" + "\n".join(texts) + "\n"
    spent = _ascii_spent(batch) if batch.isascii() else _measure_costs(batch)
    ends = np.cumsum([len(text) + 1 for text in texts])
    sums = np.add.reduceat(spent, np.concatenate(([0], ends[:-1])))
    counts: list[int] = np.maximum(-(-sums // UNIT), 1).tolist()
    return counts


def _measure_costs(text: str) -> npt.NDArray[np.int32]:
    """Return what each character costs after those before it, from the second on."""
    costs = _read_costs()
    spent: npt.NDArray[np.int32] = sum(costs[place].astype(np.int32) for place in features(text))  # type: ignore[assignment]
    return spent


def _ascii_spent(text: str) -> npt.NDArray[np.int32]:
    """Return the same for ASCII, where one table holds what a pair and its second character cost together."""
    codes = np.frombuffer(text.encode(), np.uint8)
    letter, code = _LETTER.take(codes), codes.astype(np.int32)
    before = np.zeros_like(letter)
    before[2:] = letter[:-2]
    before[1:] *= letter[:-1] > 0
    spent = _ascii_pairs().take((code[:-1] << 7) + code[1:])
    spent += _read_costs().take((before[1:] * _LETTERS + letter[:-1]) * _LETTERS + letter[1:])
    digit = _SIGN.take(codes) == _DIGIT
    if digit.any():
        spent += _read_costs()[_mark_thirds(digit)[1:]]
    return spent


@cache
def _ascii_pairs() -> npt.NDArray[np.int32]:
    """Return by two ASCII characters what their pair costs, and the second alone."""
    costs, sign = _read_costs().astype(np.int32), _SIGN[:128]
    pairs: npt.NDArray[np.int32] = costs[PAIRS + sign[:, None] * _SIGNS + sign] + costs[CHARS : CHARS + 128]
    return pairs.ravel()


@cache
def _list_scalars() -> "tuple[memoryview[int], memoryview[int], memoryview[int]]":
    """Return costs, letters and signs as what single numbers are quickly taken from."""
    return memoryview(_read_costs()), memoryview(_LETTER), memoryview(_SIGN)  # type: ignore[arg-type]


@cache
def _read_costs() -> npt.NDArray[np.int8]:
    with np.load(COSTS_PATH) as archive:
        costs: npt.NDArray[np.int8] = archive["costs"]
    return costs
