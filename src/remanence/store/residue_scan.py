"""Whether bytes still hold what was erased: it is looked for by salted hashes of its pieces, so it need not be kept.

Knows bytes and hashes; knows nothing of tables.
"""

import re
import secrets
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from hashlib import blake2b

import numpy as np
import numpy.typing as npt

PIECE_BYTES = 16
DISTINCT_MIN = 4  # bytes of the first eight; a vector has runs of zeros, and so has every file
SHORTEST = 8  # what is shorter stands by chance in every file
KEPT_MAX = 20_000  # pieces, spread over all that was erased; at 13 bytes each
_SALT_BYTES = 16
_DIGEST_BYTES = 8
_FILTER_BITS = 20
_STEP_BYTES = 256 * 1_024  # looked through at once; most of what stands in many places is found in the first
_KEPT_BYTES = 1 + _DIGEST_BYTES + 4
_Prefixes = npt.NDArray[np.uint32]
_WORD = re.compile(rb"[^\s]+")


def pieces_of(value: bytes) -> Iterator[bytes]:
    """Yield pieces of a value: from the beginning of each word, and every eight bytes for where there are no blanks."""
    words = {match.start() for match in _WORD.finditer(value)}
    for start in words | set(range(0, len(value), SHORTEST)):
        piece = value[start : start + PIECE_BYTES]
        if (
            len(piece) >= (SHORTEST if start in words else PIECE_BYTES)
            and len(set(piece[:SHORTEST])) >= DISTINCT_MIN
        ):
            yield piece


@dataclass(slots=True)
class PieceHashes:
    """Salted hashes of pieces of bytes: of the first eight bytes of each, and of the whole with its length."""

    salt: bytes = field(default_factory=lambda: secrets.token_bytes(_SALT_BYTES))
    held: dict[int, set[tuple[int, bytes]]] = field(default_factory=dict)  # prefix → (length, digest)

    def __len__(self) -> int:
        return sum(map(len, self.held.values()))

    def add(self, values: Iterable[bytes]) -> None:
        """Look for these values from now on."""
        distinct = list({piece for value in values for piece in pieces_of(value)})
        if not distinct:
            return
        prefixes = self._hash_words(np.frombuffer(b"".join(one[:SHORTEST] for one in distinct), "<u8"))
        for prefix, piece in zip(prefixes.tolist(), distinct, strict=True):
            self.held.setdefault(prefix, set()).add((len(piece), self._digest(piece)))

    def drop_excess(self) -> None:
        """Keep so many pieces as have room, spread evenly."""
        step = -(-len(self.held) // KEPT_MAX)
        if step > 1:
            self.held = {prefix: self.held[prefix] for prefix in sorted(self.held)[::step]}

    def without(self, data: bytes) -> "PieceHashes":
        """Return the pieces that do not stand in some bytes."""
        matches = self.find_pieces(data)
        rest = {prefix: pieces - matches for prefix, pieces in self.held.items()}
        return PieceHashes(self.salt, {prefix: pieces for prefix, pieces in rest.items() if pieces})

    def find_pieces(self, data: bytes) -> set[tuple[int, bytes]]:
        """Return the pieces that stand in some bytes."""
        matches: set[tuple[int, bytes]] = set()
        looked_at: set[bytes] = set()
        prefixes, begins = self._list_beginnings(matches)
        for start in range(0, len(data) - SHORTEST + 1 if len(prefixes) else 0, _STEP_BYTES):
            ends = min(start + _STEP_BYTES + SHORTEST - 1, len(data))
            before = len(matches)
            for at, prefix in self._places(data, (start, ends), prefixes, begins):
                piece = data[at : at + PIECE_BYTES]
                if piece not in looked_at:
                    looked_at.add(piece)
                    pieces = self.held[prefix]
                    lengths = {length for length, _ in pieces}
                    matches |= pieces & {(length, self._digest(piece[:length])) for length in lengths}
            if len(matches) > before:  # what was found stands in many places, and is not looked for any more
                prefixes, begins = self._list_beginnings(matches)
        return matches

    def encode_hex(self) -> str:
        """Return all as hex digits, as they are kept until it is proven that nothing is left."""
        rows = b"".join(
            prefix.to_bytes(4) + bytes([length]) + digest
            for prefix, pieces in sorted(self.held.items())
            for length, digest in sorted(pieces)
        )
        return (self.salt + rows).hex()

    @classmethod
    def decode_hex(cls, kept: str) -> "PieceHashes":
        """Return what was packed."""
        data = bytes.fromhex(kept)
        pieces = cls(data[:_SALT_BYTES])
        for at in range(_SALT_BYTES, len(data), _KEPT_BYTES):
            row = data[at : at + _KEPT_BYTES]
            pieces.held.setdefault(int.from_bytes(row[:4]), set()).add((row[4], row[5:]))
        return pieces

    def _list_beginnings(self, found: set[tuple[int, bytes]]) -> tuple[_Prefixes, npt.NDArray[np.bool_]]:
        """Return how what is not found yet begins, in order, and for each run of first bits whether any begins so."""
        prefixes = np.array(
            sorted(one for one, pieces in self.held.items() if not pieces <= found), np.uint32
        )
        begins = np.zeros(1 << _FILTER_BITS, np.bool_)
        begins[prefixes >> (32 - _FILTER_BITS)] = True
        return prefixes, begins

    def _places(
        self, data: bytes, within: tuple[int, int], known: _Prefixes, begins: npt.NDArray[np.bool_]
    ) -> Iterator[tuple[int, int]]:
        """Yield where pieces may begin that are known, and how each begins."""
        for start in range(within[0], min(within[0] + SHORTEST, within[1] - SHORTEST + 1)):
            words = np.frombuffer(data, "<u8", (within[1] - start) // SHORTEST, start)
            hits = np.flatnonzero(begins[(words * self._factor) >> np.uint64(64 - _FILTER_BITS)])
            hashes = self._hash_words(words[hits])
            same = np.isin(hashes, known)
            yield from zip((hits[same] * SHORTEST + start).tolist(), hashes[same].tolist(), strict=True)

    @property
    def _factor(self) -> np.uint64:
        return np.uint64(int.from_bytes(self.salt[:8]) | 1)

    def _hash_words(self, words: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint32]:
        """Mix eight bytes into four by the salt."""
        hashes: npt.NDArray[np.uint32] = ((words * self._factor) >> np.uint64(32)).astype(np.uint32)
        return hashes

    def _digest(self, piece: bytes) -> bytes:
        return blake2b(piece, digest_size=_DIGEST_BYTES, key=self.salt).digest()
