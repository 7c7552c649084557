"""Which of many texts share most of their words and pairs of words, by MinHash signatures. Knows texts and arrays.

The share that two sets have in common (Jaccard) is the share of hash functions under which their least elements agree.
Texts are compared only where some of these agree as a band, so that not all pairs are looked at (Broder 1997).
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from itertools import islice, pairwise

import numpy as np
import numpy.typing as npt

from remanence.core.text_caches import clear_with_texts
from remanence.languages import CONTRACTIONS
from remanence.text.analysis import readings, term_hash

# Pairs of which four fifths are the same share one of 24 bands of 4 in all but 4 of a million cases, of three fifths in
# 96 of 100, of two fifths in 46.
BANDS, ROWS = 24, 4
FUNCTIONS = BANDS * ROWS
# A text is compared with so many that follow it in a bucket: thousands of one template would make millions of pairs.
NEIGHBOURS_MAX = 4
ERROR = 0.1  # how far a share that is told by so many functions is off: more in about 1 of 100
BLOCK = 4_096  # pairs of signatures that are compared at once
SHARED_MIN = (
    0.8  # from here on two texts are near duplicates by their words, unless something keeps them apart
)
_ALL_BITS = (1 << 64) - 1
# Signatures that are kept in the process, by the digest of their texts, the latest: 500 bytes each. A scope is looked
# through each six hours, and most of its texts are as they were.
SIGNED_MAX = 20_000

Hashes = npt.NDArray[np.uint64]
Signatures = npt.NDArray[np.uint16]
Rows = npt.NDArray[np.int64]

_signed: dict[bytes, tuple[bytes, int, bool]] = {}
clear_with_texts(_signed.clear)


@dataclass(frozen=True, slots=True)
class SignatureBatch:
    """The signatures of some texts, a row each; `said` is 0 where a text has no word.

    Texts that differ in what has a digit in it have different `numbers`.
    """

    signatures: Signatures
    numbers: Hashes
    said: npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Pairs:
    """Rows that are alike, the earlier one first, and how much they share, as far as signatures tell."""

    first: Rows
    second: Rows
    shared: npt.NDArray[np.float64]


def words_of(text: str) -> list[str]:
    """Return the words that count as the same in two texts: case folded, English short forms written out."""
    folded_words = (word for reading in readings(text) for word in reading.folded)
    return [part for word in folded_words for part in CONTRACTIONS.get(word, word).split(" ")]


def shared_words(one: str, other: str) -> float:
    """Return the share of words and pairs of words that two texts have in common, exactly."""
    first, second = (words_of(text) for text in (one, other))
    mine, theirs = ({*words, *pairwise(words)} for words in (first, second))
    return len(mine & theirs) / max(1, len(mine | theirs))


def compute_signatures(texts: Sequence[str]) -> SignatureBatch:
    """Return the signatures of some texts; those that were signed lately are not read again."""
    keys = [blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest() for text in texts]
    known = {key: signed for key in keys if (signed := _signed.get(key)) is not None}
    new = {key: text for key, text in zip(keys, texts, strict=True) if key not in known}
    batch = _sign_texts(new.values())
    rows = (row.tobytes() for row in batch.signatures)
    known |= zip(new, zip(rows, batch.numbers.tolist(), batch.said.tolist(), strict=True), strict=True)
    _signed.update((key, known[key]) for key in new)
    for key in list(islice(_signed, max(0, len(_signed) - SIGNED_MAX))):
        _signed.pop(key, None)
    signatures = np.frombuffer(b"".join(known[key][0] for key in keys), np.uint16).reshape(-1, FUNCTIONS)
    numbers, said = ([known[key][place] for key in keys] for place in (1, 2))
    return SignatureBatch(signatures, np.array(numbers, np.uint64), np.array(said, np.bool_))


def _sign_texts(texts: Iterable[str]) -> SignatureBatch:
    word_lists = [words_of(text) for text in texts]
    lengths = np.array([len(words) for words in word_lists], np.int64)
    hashes = np.array([term_hash(word) for words in word_lists for word in words], np.uint64)
    totals = [
        sum(term_hash(word) for word in words if not word.isalpha() and any(map(str.isdigit, word)))
        & _ALL_BITS
        for words in word_lists
    ]
    numbers = np.array(totals, np.uint64)
    return SignatureBatch(_sign_words(hashes, lengths), numbers, lengths > 0)


def join_signatures(parts: Sequence[SignatureBatch]) -> SignatureBatch:
    """Return the signatures of several parts, one after the other; there is one at least."""
    return SignatureBatch(
        np.concatenate([part.signatures for part in parts]),
        np.concatenate([part.numbers for part in parts]),
        np.concatenate([part.said for part in parts]),
    )


def _sign_words(words: Hashes, lengths: Rows) -> Signatures:
    """Return for each text the least hash of its words and pairs of words under each function."""
    has_words = lengths > 0
    signatures = np.zeros((len(lengths), FUNCTIONS), np.uint16)
    if not len(words):
        return signatures
    ends = np.cumsum(lengths[has_words])
    starts = np.r_[0, ends[:-1]]
    pair_hashes = _mix_hashes(
        words[:-1] * np.uint64(3) + words[1:]
    )  # the last word of a text and the first of the next
    pair_hashes = np.r_[pair_hashes, _mix_hashes(words[-1:])]
    pair_hashes[ends - 1] = _mix_hashes(words[ends - 1])  # is no pair: the word again
    own = _mix_hashes(words)
    for function, (factor, more) in enumerate(_FUNCTIONS):
        least = np.minimum(own * factor + more >> np.uint64(32), pair_hashes * factor + more >> np.uint64(32))
        # Of the least of 32 bits the lower half is kept: two different ones agree in it once in 65,536 times.
        signatures[has_words, function] = np.minimum.reduceat(least, starts) & np.uint64(0xFFFF)
    return signatures


def _mix_hashes(hashes: Hashes) -> Hashes:
    """Spread hashes over all bits (the finisher of SplitMix64)."""
    bits = (hashes ^ hashes >> np.uint64(30)) * np.uint64(0xBF58476D1CE4E5B9)
    bits = (bits ^ bits >> np.uint64(27)) * np.uint64(0x94D049BB133111EB)
    return bits ^ bits >> np.uint64(31)


# Odd factors, the same in every process.
_FUNCTIONS = [
    (factor | np.uint64(1), more)
    for factor, more in _mix_hashes(
        np.arange(1, 2 * FUNCTIONS + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    ).reshape(-1, 2)
]


def find_similar_pairs(given: SignatureBatch, groups: npt.NDArray[np.int64], least: float) -> Pairs:
    """Return the pairs of one group that seem to share so much, and have the same numbers, the most alike first."""
    bands = [_pair_band(given, groups, band, least - ERROR) for band in range(BANDS)]
    first, second = (np.concatenate(ends) for ends in zip(*bands, strict=True))
    keys = np.unique(first * len(given.said) + second)
    first, second = np.divmod(keys, max(1, len(given.said)))
    shared = _measure_overlap(given.signatures, first, second)
    order = np.lexsort((second, first, -shared))
    return Pairs(first[order], second[order], shared[order])


def _pair_band(
    given: SignatureBatch, groups: npt.NDArray[np.int64], band: int, least: float
) -> tuple[Rows, Rows]:
    """Return the pairs in the buckets of one band."""
    rows = np.flatnonzero(given.said)
    key = given.numbers[rows] + _mix_hashes(groups[rows].astype(np.uint64))
    for function in range(band * ROWS, (band + 1) * ROWS):
        key = _mix_hashes(key + given.signatures[rows, function])
    order = np.argsort(key, kind="stable")
    key, rows = key[order], rows[order]
    ends: list[tuple[Rows, Rows]] = []
    for step in range(1, NEIGHBOURS_MAX + 1):
        at = np.flatnonzero(key[step:] == key[:-step])
        first, second = rows[at], rows[at + step]
        much = _measure_overlap(given.signatures, first, second) >= least
        ends.append((first[much], second[much]))
    return np.concatenate([one for one, _ in ends]), np.concatenate([other for _, other in ends])


def _measure_overlap(signatures: Signatures, first: Rows, second: Rows) -> npt.NDArray[np.float64]:
    shared = np.zeros(len(first))
    for start in range(0, len(first), BLOCK):
        some = slice(start, start + BLOCK)
        shared[some] = (signatures[first[some]] == signatures[second[some]]).mean(axis=1)
    return shared
