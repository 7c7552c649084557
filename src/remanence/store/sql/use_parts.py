"""Several parts of uses in one line of the audit: when each was and what it used, as few bytes.

Knows numbers and bytes; knows nothing of runs. Numbers are written seven bits a byte, the last without the highest bit.
"""

from collections.abc import Iterable, Sequence
from itertools import accumulate
from typing import NamedTuple

ASKED_BYTES = 8


class UsePart(NamedTuple):
    """One part of a line: where it stands, when it was, how many rows it changed, the digest of what was asked for."""

    position: int
    at: int
    changes: int
    asked: bytes


def pack_part(part: UsePart, after: UsePart | None) -> bytes:
    """Return a part as it is kept after another, or first."""
    position, at = (part.position, 0) if after is None else (after.position, after.at)
    return _numbers((part.position - position, part.at - at, part.changes)) + part.asked


def unpack_parts(kept: bytes, position: int) -> list[UsePart]:
    """Return the parts of a line that begins at a position; raise ValueError where the bytes are something else."""
    parts: list[UsePart] = []
    place, at = 0, 0
    while place < len(kept):
        (step, later, changes), place = _read(kept, place, 3)
        asked_digest, place = kept[place : place + ASKED_BYTES], place + ASKED_BYTES
        position, at = position + step, at + later
        parts.append(UsePart(position, at, changes, asked_digest))
    if place != len(kept):
        raise ValueError("the last part of a line is cut short")
    return parts


def pack_used(seqs: Sequence[int]) -> bytes:
    """Return which memories a part used, given ascending: their count, the first, and the steps to the others."""
    return _numbers((len(seqs), *(seq - before for before, seq in zip((0, *seqs), seqs, strict=False))))


def unpack_used(kept: bytes, rows: int) -> list[tuple[int, ...]]:
    """Return which memories each part used; raise ValueError where they are not so many, or the bytes are cut."""
    seq_lists: list[tuple[int, ...]] = []
    place = 0
    while place < len(kept):
        (count,), place = _read(kept, place, 1)
        if not 0 <= count <= rows:
            raise ValueError("a part used more than its line")
        steps, place = _read(kept, place, count)
        seq_lists.append(tuple(accumulate(steps)))
    if sum(map(len, seq_lists)) != rows:
        raise ValueError(f"a line does not hold {rows} uses")
    return seq_lists


def _numbers(values: Iterable[int]) -> bytes:
    varints = bytearray()
    for value in values:
        rest = value << 1 if value >= 0 else ~(value << 1)  # the sign is the lowest bit
        while rest > 0x7F:
            varints.append(rest & 0x7F | 0x80)
            rest >>= 7
        varints.append(rest)
    return bytes(varints)


def _read(kept: bytes, place: int, count: int) -> tuple[list[int], int]:
    """Return so many numbers from a place on, and where they end."""
    numbers: list[int] = []
    for _ in range(count):
        value = shift = 0
        while True:
            if place >= len(kept) or shift > 63:
                raise ValueError("a number is cut short")
            byte, place = kept[place], place + 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                break
        numbers.append(value >> 1 if not value & 1 else ~(value >> 1))
    return numbers, place
