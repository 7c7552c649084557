"""The passage of a text that is shown where the whole does not fit: whole words, or characters as a reader sees them.

Knows texts and what was asked; must not know how room is measured.
"""

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Sequence
from collections.abc import Set as AbstractSet
from itertools import accumulate

from remanence.core.text_cuts import cut_graphemes, find_sentence_ends
from remanence.text.analysis import UNSPACED, stems

CUT = "…"  # stands where something was left out
PIECES_MIN = 3  # a passage of fewer says little: it is shown only where there is no more room
# Blanks part words; what has none in so many characters is cut all the same.
_WORD_CHARS_MAX = 24
_ASCII_PIECE = re.compile(rf"\S{{1,{_WORD_CHARS_MAX}}}\s*")
_RUN = re.compile(r"\S+\s*")
_SHORTEST_FROM_CHARS = 1_000  # no more is looked at where not even a word fits
_KEPT_SHARE_MIN = 0.5  # of what fits: so much is left, at least, where a passage ends with its sentence


def passage(
    text: str, asked: AbstractSet[str], fits: Callable[[str], bool], *, however_short: bool = False
) -> str | None:
    """Return as much of a text as fits, from where most of the asked stems stand together; None where too little does.

    It begins and ends with a sentence where that costs less than half of it. What fits must still fit when it is
    shorter. Text that is `however_short` is better than none: one word, or of a word its first characters.
    """
    text = text.strip()
    pieces = _cut_pieces(text)
    width = _count_fitting_pieces(pieces, 0, fits)
    if however_short and not width:
        text = text[:_SHORTEST_FROM_CHARS]
        pieces = cut_graphemes(text)
        width = _count_fitting_pieces(pieces, 0, fits)
    least = 1 if however_short else min(PIECES_MIN, len(pieces))
    if width < least:
        return None
    first, last = _find_asked(pieces, width, asked)
    ends = _find_sentence_ends(text, pieces)
    start = 0 if last < width else first - (width - 1 - (last - first)) // 2
    if start:
        start = next((end for end in ends if start < end <= min(first, start + width // 2)), start)
        inside = _count_fitting_pieces(pieces, start, fits)  # fewer: the mark of what was left out takes room
        start, width = (start, inside) if inside >= least else (0, width)
    stop = start + width
    if stop < len(pieces):
        first_stop = max(start + width * _KEPT_SHARE_MIN, last + 1 if last < stop else 0)
        stop = max((end for end in ends if first_stop <= end <= stop), default=stop)
    return _render_passage(pieces, start, stop - start)


def _cut_pieces(text: str) -> list[str]:
    """Cut a text at blanks, and into characters what has none: scripts that are written so, and long runs."""
    if text.isascii():
        return _ASCII_PIECE.findall(text)
    pieces: list[str] = []
    for run in _RUN.findall(text):
        word = run.rstrip()
        if len(word) <= _WORD_CHARS_MAX and not UNSPACED.search(word):
            pieces.append(run)
        else:
            pieces += cut_graphemes(word)
            pieces[-1] += run[len(word) :]
    return pieces


def _find_sentence_ends(text: str, pieces: Sequence[str]) -> list[int]:
    """Return behind how many pieces each sentence ends."""
    places = {place: number for number, place in enumerate(accumulate(map(len, pieces)), start=1)}
    return [places[end] for end in find_sentence_ends(text) if end in places]


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
    return (f"{CUT} " if start > 0 else "") + text + (f" {CUT}" if end < len(pieces) else "")


def _find_asked(pieces: Sequence[str], width: int, asked: AbstractSet[str]) -> tuple[int, int]:
    """Return the first and the last place of where most distinct asked stems stand together, the earliest such."""
    inside: Counter[str] = Counter()
    hits = _list_hits(pieces, asked)
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
    return run


def _list_hits(pieces: Sequence[str], asked: AbstractSet[str]) -> list[tuple[int, str]]:
    """Return where asked stems stand, in order; those of scripts without blanks are two characters or more long."""
    unspaced = [stem for stem in asked if UNSPACED.search(stem)]
    if not unspaced:
        return [(place, stem) for place, piece in enumerate(pieces) for stem in asked & set(stems(piece))]
    spaced = asked - {*unspaced}
    hits = [(place, stem) for place, piece in enumerate(pieces) for stem in spaced & set(stems(piece))]
    ends, text = list(accumulate(map(len, pieces))), "".join(pieces)
    for stem in unspaced:
        at = text.find(stem)
        while at >= 0:
            hits.append((bisect_right(ends, at), stem))
            at = text.find(stem, at + len(stem))
    return sorted(hits)
