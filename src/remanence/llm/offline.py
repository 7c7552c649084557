"""Embedders that need no model: hashed words and character n-grams, and none at all. Knows only texts."""

import re
from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from remanence.languages import Lexicon
from remanence.llm.base import SimilarityThresholds, Vectors, WordWeight, unit_rows
from remanence.text.analysis import lexicon_of, readings, term_hash

DIMENSIONS = 256
GRAM_CHARS = (3, 4)
GRAM_SHARE = 0.5  # all n-grams of a word together weigh half of the word itself
STOP_WEIGHT = 0.25
_CACHE_SIZE = 16_384
_BLANK = re.compile(r"\s+")


class HashedEmbedder:
    """Words and their character n-grams, hashed into 256 signed places; deterministic on every machine."""

    name = "hashed-256-v1"
    dimensions = DIMENSIONS
    # Not calibrated: such vectors see spelling, not meaning, so they only link.
    thresholds = SimilarityThresholds(similar=0.5, near=0.85, weak_below=0.265)

    def embed(self, texts: Sequence[str], weight: WordWeight | None = None) -> Vectors:
        """Return one unit row per text; words weigh what `weight` says of their stem, else alike."""
        rows = np.zeros((len(texts), DIMENSIONS), np.float32)
        for row, text in zip(rows, texts, strict=True):
            _fill_row(row, text, weight)
        return unit_rows(rows)


class NoEmbedder:
    """Makes no vectors: recall goes by words alone."""

    name = "none"
    dimensions = 0
    thresholds = SimilarityThresholds(similar=1.0, near=1.0, weak_below=0.38)

    def embed(self, texts: Sequence[str], weight: WordWeight | None = None) -> Vectors:  # noqa: ARG002
        """Return (n, 0)."""
        return np.zeros((len(texts), 0), np.float32)


def embed_word(word: str) -> Vectors:
    """Return the unit vector of one word."""
    row = np.zeros(DIMENSIONS, np.float32)
    places, values = _place_word(word.casefold())
    row[places] = values
    unit: Vectors = row / np.linalg.norm(row)
    return unit


def _fill_row(row: Vectors, text: str, weight: WordWeight | None) -> None:
    read = readings(text)
    lexicon = lexicon_of(read)
    for reading in read:
        for _, form, stem in reading.weighed:
            places, values = _place_word(form)
            row[places] += np.float32(_weigh_word(form, stem, lexicon, weight)) * values
    if not row.any() and (chunk := _BLANK.sub("", text)):
        # Nothing but marks or emoji: they are all the text has.
        places, values = _place_word(chunk[:64])
        row[places] += values


def _weigh_word(folded: str, stem: str, lexicon: Lexicon, weight: WordWeight | None) -> float:
    if not stem or folded in lexicon.stop:
        return STOP_WEIGHT
    return 1.0 if weight is None else weight(stem)


@lru_cache(maxsize=_CACHE_SIZE)
def _place_word(word: str) -> tuple[np.ndarray[tuple[int], np.dtype[np.intp]], Vectors]:
    """Return (distinct places, signed values) of a word and its n-grams."""
    padded_word = f"^{word}$"
    grams = [padded_word[i : i + size] for size in GRAM_CHARS for i in range(len(padded_word) - size + 1)]
    row = np.zeros(DIMENSIONS, np.float32)
    _hash_into(row, word, 1.0)
    for gram in grams:
        _hash_into(row, gram, GRAM_SHARE / len(grams) ** 0.5)
    places = np.flatnonzero(row)
    return places, row[places]


def _hash_into(row: Vectors, token: str, value: float) -> None:
    hash_value = term_hash(token)
    row[hash_value % DIMENSIONS] += value if hash_value >> 32 & 1 else -value
