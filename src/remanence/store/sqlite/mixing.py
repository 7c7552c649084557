"""The arithmetic of check sums: rows as numbers of a field of 2**61 - 1 elements, one by one or as arrays.

A row is the weight of its key times the sum of its values, each times the coefficient of its column. So a sum over rows
follows every change of a value by the difference alone, also of a counter whose old value nobody knows, and whatever
else changes goes unnoticed once in 2**61. It guards against decay and edits behind our back, not against forgers.
Knows numbers only.
"""

from collections.abc import Sequence
from functools import cache
from hashlib import blake2b
from operator import mul
from typing import Any

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]
Words = npt.NDArray[np.uint64]

_BITS = 61
PRIME = (1 << _BITS) - 1
# What stands for a value that is not there; no column has room for it.
NULL = -(1 << 63)
_WORD = (1 << 64) - 1
# What tells the places of a key apart; odd, so that no bit of a part is lost.
_FACTORS = (0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9)
# The constants of splitmix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014).
_FIRST, _SECOND = 0xBF58476D1CE4E5B9, 0x94D049BB133111EB
# Weights are odd and below 2**60: in the field, and never 0.
_SPARE_BITS = 4
# A coefficient in three parts of 21 bits: times 32 bits, and summed over 64 columns, it stays below 2**59.
_PART_BITS, _PARTS = 21, 3
_HALF = 32


def row(key: Sequence[int], coefficients: Sequence[int], values: Sequence[int | None], more: int = 0) -> int:
    """Return a row as a number of the field, `more` with its values."""
    numbers = [NULL if value is None else value for value in values] if None in values else values
    bits: int = sum(map(mul, key, _FACTORS)) & _WORD
    bits = (bits ^ bits >> 30) * _FIRST & _WORD
    bits = (bits ^ bits >> 27) * _SECOND & _WORD
    weight = (bits ^ bits >> 31) >> _SPARE_BITS | 1
    total: int = sum(map(mul, coefficients, numbers), more)
    return weight * total % PRIME


def weights(keys: Sequence[Ints]) -> Words:
    """Return the weights of many rows, whose keys stand side by side."""
    bits = np.zeros(len(keys[0]), np.uint64)
    for part, factor in zip(keys, _FACTORS, strict=False):
        bits += part.view(np.uint64) * np.uint64(factor)
    bits = (bits ^ (bits >> np.uint64(30))) * np.uint64(_FIRST)
    bits = (bits ^ (bits >> np.uint64(27))) * np.uint64(_SECOND)
    return (bits ^ (bits >> np.uint64(31))) >> np.uint64(_SPARE_BITS) | np.uint64(1)


def rows(keys: Sequence[Ints], coefficients: Sequence[int], values: Ints, more: int = 0) -> Words:
    """Return many rows as numbers of the field; `values` has a column for each coefficient, NULL where none is."""
    mask = (1 << _PART_BITS) - 1
    parts = np.array([[one >> _PART_BITS * part & mask for part in range(_PARTS)] for one in coefficients])
    low, high = (values & 0xFFFFFFFF) @ parts, (values >> _HALF) @ parts
    total = np.full(len(values), more, np.uint64)
    for part in range(_PARTS):
        for half, up in ((low, 0), (high, _HALF)):
            value = half[:, part]
            positive: Ints = np.where(value < 0, value + PRIME, value)  # both are below 2**60
            total = _reduce_sum(
                total + _rotate_bits(positive.view(np.uint64), (_PART_BITS * part + up) % _BITS)
            )
    return _multiply_words(weights(keys), total)


def sum_ranges(terms: Words, starts: Ints) -> list[int]:
    """Return the sum of each stretch of terms, the stretches beginning at `starts`."""
    low = np.add.reduceat(terms & np.uint64(0xFFFFFFFF), starts)
    high = np.add.reduceat(terms >> np.uint64(_HALF), starts)
    return [((more << _HALF) + less) % PRIME for more, less in zip(high.tolist(), low.tolist(), strict=True)]


@cache
def coefficient(name: str) -> int:
    """Return the coefficient of a column: the same for ever, whichever columns come beside it."""
    return int.from_bytes(blake2b(name.encode(), digest_size=8).digest()) % PRIME


def hash_value(value: Any) -> int:
    """Return a text or bytes as a number of the field."""
    content = value if isinstance(value, bytes) else value.encode()
    return int.from_bytes(blake2b(content, digest_size=8).digest()) % PRIME


def _rotate_bits(value: Words, bits: int) -> Words:
    """Return numbers of the field times a power of two, which turns their bits round."""
    if bits == 0:
        return value
    return (value << np.uint64(bits)) & np.uint64(PRIME) | value >> np.uint64(_BITS - bits)


def _multiply_words(first: Words, second: Words) -> Words:
    """Multiply in the field, by halves of 32 bits."""
    half, mask = np.uint64(_HALF), np.uint64(0xFFFFFFFF)
    first_low, first_high, second_low, second_high = (
        first & mask,
        first >> half,
        second & mask,
        second >> half,
    )
    low = first_low * second_low
    middle = first_low * second_high + first_high * second_low
    high = first_high * second_high << np.uint64(2 * _HALF - _BITS)
    total = (low & np.uint64(PRIME)) + (low >> np.uint64(_BITS)) + high
    total += _rotate_bits(middle & np.uint64(PRIME), _HALF) + (middle >> np.uint64(_BITS)) * np.uint64(
        1 << _HALF
    )
    return _reduce_sum((total & np.uint64(PRIME)) + (total >> np.uint64(_BITS)))


def _reduce_sum(value: Words) -> Words:
    """Return numbers below twice the prime in the field."""
    below: Words = np.where(value >= PRIME, value - np.uint64(PRIME), value)
    return below
