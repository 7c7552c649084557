"""One scope made ready for many questions, and what its segments lend. Knows arrays of a scope, no questions."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from remanence.recall.corpus import Codes, Corpus, Floats, Windows, windows_of
from remanence.recall.lexical import damping_of, name_index

Rows = npt.NDArray[np.intp]

WORTH_SHARE = 0.4
# Where assistants talk most, length and form say little about worth.
WORTH_SHARE_ASSISTANTS = 0.1
# What a memory gets of the best evidence in its segment, in chats; long replies of assistants are found worse with it.
SESSION_SHARE = 0.2
# The value that counts as full: one extraordinary memory must not shrink all others.
WORTH_PERCENTILE = 95


@dataclass(frozen=True, slots=True)
class Ground:
    """One scope made ready for many queries: work it out again when memories came or went.

    `damping` is that of the lexical arm. `raised` is by how much each row's keep-value raises its score. `names` maps a
    stem to the codes of speakers. `session_share` is what a memory gets of the best in its segment, whose number by
    row is `segment`; `answers` are the rows whose predecessor in the segment asks, `asked` these predecessors.
    """

    corpus: Corpus
    windows: Windows
    names: Mapping[str, tuple[int, ...]]
    damping: Floats
    raised: Floats
    session_share: float
    segment: Codes
    answers: Rows
    asked: Rows


def ground_of(corpus: Corpus, speakers: Sequence[str]) -> Ground:
    """Make a scope ready; `speakers` lists the names by code."""
    mostly_assistants = len(corpus) > 0 and float(corpus.words[corpus.assistant].sum()) > 0.5 * float(
        corpus.words.sum()
    )
    windows = windows_of(corpus)
    answers, questions = _find_answers(corpus, windows)
    return Ground(
        corpus=corpus,
        windows=windows,
        names=name_index(speakers),
        damping=damping_of(windows),
        raised=1
        + np.float32(WORTH_SHARE_ASSISTANTS if mostly_assistants else WORTH_SHARE) * _scale_worth(corpus),
        session_share=0.0 if mostly_assistants else SESSION_SHARE,
        segment=_number_segments(windows),
        answers=answers,
        asked=questions,
    )


def _number_segments(windows: Windows) -> Codes:
    """Return by row which of the segments it belongs to, in the order of their slots."""
    begins = np.zeros(len(windows.length), np.int32)
    begins[windows.starts[1:]] = 1
    numbers = np.cumsum(begins, dtype=np.int32)
    return numbers if windows.slot is None else numbers[windows.slot]


def _find_answers(corpus: Corpus, windows: Windows) -> tuple[Rows, Rows]:
    """Return the rows that follow a question in their segment, and the rows that ask."""
    asking = corpus.asks if windows.order is None else corpus.asks[windows.order]
    follows = np.ones(len(asking), np.bool_)
    follows[windows.starts] = False
    slots = np.flatnonzero(follows[1:] & asking[:-1]) + 1
    if windows.order is None:
        return slots, slots - 1
    return windows.order[slots], windows.order[slots - 1]


def compute_session_lift(ground: Ground, evidence: Floats, candidates: Rows, places: Rows) -> Floats:
    """Return what the candidates in some places get of the best evidence in their segments."""
    if not ground.session_share or not len(places):
        return np.zeros(len(places), np.float32)
    rows, begins, which = list_segment_rows(ground, candidates[places])
    best = np.maximum.reduceat(spread_out(ground, evidence, candidates)[rows], begins)
    best *= np.float32(ground.session_share)
    session: Floats = best[which]
    return session


def list_segment_rows(ground: Ground, of: Rows) -> tuple[Rows, Rows, Rows]:
    """Return the rows of the segments of some rows, where among them each segment begins, and which is whose."""
    numbers, which = np.unique(ground.segment[of], return_inverse=True)
    starts, last = ground.windows.starts, len(ground.windows.starts) - 1
    ends = np.where(numbers < last, starts[np.minimum(numbers + 1, last)], len(ground.corpus))
    lengths = ends - starts[numbers]
    begins = np.cumsum(lengths) - lengths
    slots = np.arange(int(lengths.sum())) + np.repeat(starts[numbers] - begins, lengths)
    return slots if ground.windows.order is None else ground.windows.order[slots], begins, which


def spread_out(ground: Ground, evidence: Floats, candidates: Rows) -> Floats:
    """Return evidence by row, nothing for what is not in the running."""
    if len(candidates) == len(ground.corpus):
        return evidence
    by_row = np.zeros(len(ground.corpus), np.float32)
    by_row[candidates] = evidence
    return by_row


def select_candidates(by_row: npt.NDArray[Any], candidates: Rows) -> npt.NDArray[Any]:
    """Return an array by row as one by place among the candidates."""
    return by_row if len(by_row) == len(candidates) else by_row[candidates]


def _scale_worth(corpus: Corpus) -> Floats:
    """Scale keep-values to 0–1, full at the percentile."""
    if not len(corpus):
        return corpus.value
    values = corpus.value[corpus.counts]
    full = _percentile(values, WORTH_PERCENTILE) if len(values) else 0.0
    return np.clip(corpus.value / full, 0, 1).astype(np.float32) if full > 0 else np.zeros_like(corpus.value)


def _percentile(values: Floats, percent: float) -> float:
    """Return what `np.percentile` does, without the masked arrays that it imports (8 ms of a first recall)."""
    place = (len(values) - 1) * percent / 100
    low, share = int(place), values.dtype.type(place % 1)
    high = min(low + 1, len(values) - 1)
    a, b = np.partition(values, [low, high])[[low, high]]
    return float(a + (b - a) * share if share < 0.5 else b - (b - a) * (1 - share))
