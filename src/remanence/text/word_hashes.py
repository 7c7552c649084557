"""What stands for archived memories where their texts leave the index: their words as hashes of 12 bits, packed.

One part holds those of up to 1,024 memories that arrived one after another, with what tells where each belongs. Knows
numbers and bytes, the same in every store; knows nothing of where parts are kept.
"""

import zlib
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from remanence.core.clock import MINUTE
from remanence.text.analysis import asks, stems, term_hash

Ints = npt.NDArray[np.int64]

HASH_BITS = 12
HASHES = 1 << HASH_BITS
PART_BITS = 10
# So many memories share a part: enough to pack well, few enough to be written again.
PART_ROWS = 1 << PART_BITS
WORD_HASHES_VERSION = 1  # raised where other hashes, or other columns, are kept: parts are then made anew
# Where a memory belongs, by the numbers of names, 0 for none; when it was said, in minutes; its length and its value.
NAMED = ("session", "thread", "agent", "speaker")
COLUMNS = (*NAMED, "role", "minute", "words", "worth", "asks")
WORDS_MOST = 65_535
# A value in steps of 4 %, up to 2**16: it is a factor of at most 1.4 in a ranking.
_WORTH_STEPS, _WORTH_MOST = 16, 255
_WORTHS: npt.NDArray[np.float32] = (np.exp2(np.arange(_WORTH_MOST + 1) / _WORTH_STEPS) - 1).astype(np.float32)
_COUNT_BYTES = 4
_LEVEL = 6  # 9 makes parts half a percent smaller in four times the time
# Recall holds the parts of a whole archive: no wider than need be.
_WIDTHS: Mapping[str, type[np.signedinteger[Any] | np.unsignedinteger[Any]]] = {
    "role": np.int8,
    "minute": np.int64,
    "worth": np.uint8,
    "asks": np.int8,
}


@dataclass(frozen=True, slots=True)
class WordHashPart:
    """Some memories: sequence numbers, ascending, their columns, and the rows of these that hold each hash.

    `rows` are those of one hash after another, ascending, `starts` tells where those of each hash begin, and the end.
    """

    seq: Ints
    columns: Mapping[str, npt.NDArray[Any]]
    rows: npt.NDArray[np.uint16]
    starts: npt.NDArray[np.int32]

    def __len__(self) -> int:
        """Return how many memories there are."""
        return len(self.seq)

    def find_rows(self, number: int) -> npt.NDArray[np.uint16]:
        """Return, ascending, the rows that hold a hash."""
        return self.rows[self.starts[number] : self.starts[number + 1]]


def part_of(seq: int) -> int:
    """Return the number of the part that a memory belongs to."""
    return seq >> PART_BITS


def hashes_of(words: Iterable[str]) -> list[int]:
    """Return the distinct hashes of some stems, ascending."""
    return sorted({hash_of(word) for word in set(words)})


def hash_of(stem: str) -> int:
    """Return the hash of one stem."""
    return term_hash(stem) & (HASHES - 1)


def worth_code(value: float | None) -> int:
    """Return a keep-value in the few steps that are kept of it."""
    return min(_WORTH_MOST, round(_WORTH_STEPS * float(np.log2(1 + max(0.0, value or 0.0)))))


def worth_of(codes: npt.NDArray[Any]) -> npt.NDArray[np.float32]:
    """Return keep-values, as far as they are known."""
    worths: npt.NDArray[np.float32] = _WORTHS[codes]
    return worths


@dataclass(frozen=True, slots=True)
class WordHashRow:
    """One archived memory, its columns in order."""

    seq: int
    columns: tuple[int, ...]
    hashes: Sequence[int]


def row(seq: int, text: str, named: Sequence[int | None], rest: Mapping[str, Any]) -> WordHashRow:
    """Return what is kept of a memory; `named` are the numbers of `NAMED`, `rest` role, said_at, words and value."""
    columns = (
        *(number or 0 for number in named),
        int(rest["role"]),
        int(rest["said_at"]) // MINUTE,
        min(WORDS_MOST, int(rest["words"])),
        worth_code(rest["value"]),
        int(asks(text)),
    )
    return WordHashRow(seq, columns, hashes_of(stems(text)))


def part_from(rows: Iterable[WordHashRow]) -> WordHashPart:
    """Return some memories as a part."""
    sorted_rows = sorted(rows, key=lambda one: one.seq)
    seq = np.array([one.seq for one in sorted_rows], np.int64)
    columns = [np.array([one.columns[at] for one in sorted_rows], np.int64) for at in range(len(COLUMNS))]
    counts = [len(one.hashes) for one in sorted_rows]
    hashes = np.array([value for one in sorted_rows for value in one.hashes], np.int64)
    pairs = hashes * len(sorted_rows) + np.repeat(np.arange(len(sorted_rows)), counts)
    return _part(seq, _pack_columns(columns), np.sort(pairs))


def merge(part: WordHashPart, gone: Collection[int], fresh: WordHashPart) -> WordHashPart:
    """Return a part without the memories that go and with those that come."""
    stays = ~np.isin(part.seq, np.fromiter(gone, np.int64, len(gone)))
    seq = np.concatenate([part.seq[stays], fresh.seq])
    order = np.argsort(seq)
    columns = {
        name: np.concatenate([part.columns[name][stays], fresh.columns[name]])[order] for name in COLUMNS
    }
    place = np.empty(len(seq), np.int64)
    place[order] = np.arange(len(seq))
    is_kept = stays[part.rows]
    rows = np.concatenate([np.cumsum(stays)[part.rows[is_kept]] - 1, fresh.rows + np.count_nonzero(stays)])
    pairs = np.concatenate([_hashes(part)[is_kept], _hashes(fresh)]) * len(seq) + place[rows]
    return _part(seq[order], columns, np.sort(pairs))


def rows_of(part: WordHashPart) -> list[WordHashRow]:
    """Return the memories of a part one by one."""
    order = np.argsort(part.rows, kind="stable")
    ends = np.searchsorted(part.rows[order], np.arange(len(part) + 1))
    hashes = _hashes(part)[order].tolist()
    columns = zip(*(part.columns[name].tolist() for name in COLUMNS), strict=True)
    return [
        WordHashRow(seq, values, hashes[start:end])
        for seq, values, start, end in zip(
            part.seq.tolist(), columns, ends[:-1].tolist(), ends[1:].tolist(), strict=True
        )
    ]


def _part(seq: Ints, columns: Mapping[str, npt.NDArray[Any]], pairs: Ints) -> WordHashPart:
    """Return a part of its pairs of hash and row, ascending, each as one number."""
    firsts = np.arange(HASHES + 1) * max(1, len(seq))
    starts = np.searchsorted(pairs, firsts)
    rows = pairs - np.repeat(firsts[:-1], np.diff(starts))
    return WordHashPart(seq, columns, rows.astype(np.uint16), starts.astype(np.int32))


def _hashes(part: WordHashPart) -> Ints:
    """Return the hash of each pair of a part."""
    return np.repeat(np.arange(HASHES), np.diff(part.starts))


def pack(part: WordHashPart) -> bytes:
    """Pack memories in order of arrival: each column as differences, its bytes by rank, and all that compressed.

    The words are pairs of hash and row in order, as the gaps between them: ten bits a word where a list of hashes for
    each memory would take twelve and their number.
    """
    pairs = _hashes(part) * len(part) + part.rows
    numbers = [part.seq, *(part.columns[name].astype(np.int64) for name in COLUMNS), pairs]
    sizes = np.array([len(part), len(pairs)], "<u4").tobytes()
    return zlib.compress(sizes + b"".join(map(_planes, numbers)), _LEVEL)


def unpack_hash_part(packed: bytes) -> WordHashPart:
    """Return the memories of a part as arrays; raises ValueError where it holds none."""
    try:
        content = zlib.decompress(packed)
    except zlib.error as error:
        raise ValueError(f"a part of the word hashes cannot be read: {error}") from error
    count, words = np.frombuffer(content, "<u4", 2).tolist()
    at, sizes = 2 * _COUNT_BYTES, [count] * (1 + len(COLUMNS)) + [words]
    if len(content) != at + 8 * sum(sizes):
        raise ValueError("a part of the word hashes has another length than it says")
    numbers = []
    for size in sizes:
        numbers.append(_from_planes(content, at, size))
        at += 8 * size
    seq, *columns, pairs = numbers
    return _part(seq, _pack_columns(columns), pairs)


def _pack_columns(columns: Sequence[Ints]) -> dict[str, npt.NDArray[Any]]:
    """Return columns by name, each as wide as it must be; raises ValueError where a number does not fit."""
    by_name = {}
    for name, wide in zip(COLUMNS, columns, strict=True):
        by_name[name] = wide.astype(_WIDTHS.get(name, np.int32))
        if not np.array_equal(by_name[name], wide):
            raise ValueError(f"a part of the word hashes has a {name} that none can be")
    return by_name


def _planes(values: Ints) -> bytes:
    """Return the differences of values, signs in the lowest bit, as one row of bytes a rank."""
    steps = np.diff(values, prepend=0)
    zigzag = ((steps << 1) ^ (steps >> 63)).astype("<u8")
    return zigzag.view(np.uint8).reshape(-1, 8).T.tobytes()


def _from_planes(content: bytes, at: int, size: int) -> Ints:
    planes = np.frombuffer(content, np.uint8, 8 * size, at).reshape(8, size)
    zigzag = np.ascontiguousarray(planes.T).view("<u8").reshape(-1)
    steps = (zigzag >> np.uint64(1)).astype(np.int64) ^ -(zigzag & np.uint64(1)).astype(np.int64)
    return np.cumsum(steps)


NO_PART = part_from(())
