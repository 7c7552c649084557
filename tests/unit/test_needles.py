"""Pieces of bytes are found by salted hashes wherever they stand, and nowhere else."""

import random

import pytest

from remanence.store import residue_scan
from remanence.store.residue_scan import PIECE_BYTES, SHORTEST, PieceHashes, pieces_of


@pytest.mark.parametrize("seed", range(6))
def test_what_is_found_is_what_stands_there(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """At every place, also across the steps of the search; few letters make many beginnings alike."""
    monkeypatch.setattr(residue_scan, "_STEP_BYTES", 64)
    chance = random.Random(seed)
    letters = b"abcdef "[: 4 + seed % 3] + b" "
    values = [bytes(chance.choices(letters, k=chance.randrange(1, 40))) for _ in range(60)]
    data = (
        bytes(chance.choices(letters, k=600)) + b"\0".join(values[::3]) + bytes(chance.choices(letters, k=5))
    )
    pieces = PieceHashes()
    pieces.add(values)
    wanted = {piece for value in values for piece in pieces_of(value)}
    standing = {(len(piece), pieces._digest(piece)) for piece in wanted if piece in data}

    assert standing == pieces.find_pieces(data)
    assert len(wanted) - len(standing) == len(pieces.without(data))
    assert 0 < len(standing) < len(wanted)
    assert pieces.find_pieces(data) == PieceHashes.decode_hex(pieces.encode_hex()).find_pieces(data)


def test_nothing_is_found_in_what_is_too_short() -> None:
    """Nor by nobody who looks for nothing."""
    pieces = PieceHashes()
    pieces.add([b"Wilhelmina"])

    assert set() == pieces.find_pieces(b"Wilhelm") == PieceHashes().find_pieces(b"Wilhelmina" * PIECE_BYTES)
    assert 1 == len(pieces.find_pieces(b"....Wilhelmina"[: 4 + SHORTEST + 2]))
