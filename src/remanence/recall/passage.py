"""The passage of a memory that is shown where the whole does not fit. Knows words, no budget and no store."""

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Sequence
from collections.abc import Set as AbstractSet

from remanence.text.analysis import stems

CUT = "…"  # stands where something was left out
# A passage of fewer words says nothing.
PIECES_MIN = 3
# Blanks part words; what has none in so many characters is cut all the same.
_PIECE = re.compile(r"\S{1,24}\s*")


def passage(text: str, asked: AbstractSet[str], fits: Callable[[str], bool]) -> str | None:
    """Return as much of a text as fits, from where most of the asked stems stand together; None where too little does.

    What fits must still fit when it is shorter.
    """
    pieces = _PIECE.findall(text)
    width = _count_fitting_pieces(pieces, 0, fits)
    if width < min(PIECES_MIN, len(pieces)):
        return None
    start = _start(pieces, width, asked)
    return (
        _render_passage(pieces, start, _count_fitting_pieces(pieces, start, fits))
        if start
        else _render_passage(pieces, 0, width)
    )


def _count_fitting_pieces(pieces: Sequence[str], start: int, fits: Callable[[str], bool]) -> int:
    """Return how many pieces from a place on fit."""
    low, high = 0, 1
    # Doubling first: a text may be a thousand times as long as its room.
    while high <= len(pieces) - start and fits(_render_passage(pieces, start, high)):
        low, high = high, high * 2
    lengths = range(low + 1, min(high, len(pieces) - start + 1))
    return low + bisect_right(lengths, 0, key=lambda length: not fits(_render_passage(pieces, start, length)))


def _render_passage(pieces: Sequence[str], start: int, length: int) -> str:
    end = start + length
    text = "".join(pieces[start:end]).rstrip()
    return f"{CUT} " * (start > 0) + text + f" {CUT}" * (end < len(pieces))


def _start(pieces: Sequence[str], width: int, asked: AbstractSet[str]) -> int:
    """Return where to begin so that most distinct asked stems are shown, the earliest place of those."""
    hits = [(place, stem) for place, piece in enumerate(pieces) for stem in asked & set(stems(piece))]
    inside: Counter[str] = Counter()
    run, best, distinct, last = (0, 0), 0, 0, 0
    for place, stem in hits:
        inside[stem] += 1
        distinct += inside[stem] == 1
        while hits[last][0] <= place - width:
            inside[hits[last][1]] -= 1
            distinct -= inside[hits[last][1]] == 0
            last += 1
        if distinct > best:
            best, run = distinct, (hits[last][0], place)
    first, end = run
    return 0 if end < width else first - (width - 1 - (end - first)) // 2
