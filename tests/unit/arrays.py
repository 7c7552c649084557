"""Small corpora for the tests of the recall arms."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from remanence.recall.corpus import Corpus, windows_of
from remanence.recall.lexical import Term, damping_of, name_index, term_of
from remanence.text.analysis import asks, stems, words

DAY = 86_400_000_000


@dataclass(frozen=True)
class Said:
    """One memory of a test corpus."""

    text: str
    session: int = 0  # -1: it stands alone
    speaker: int = 0
    said_at: int = 0
    value: float = 0.0
    live: bool = True
    assistant: bool = False
    counts: bool = True


def corpus_of(said: Sequence[Said]) -> Corpus:
    """Lay memories out as arrays."""
    return Corpus(
        seq=np.arange(1, len(said) + 1),
        segment=np.array([_segment(row, one) for row, one in enumerate(said)], np.int32),
        words=np.array([len(words(one.text)) for one in said], np.int32),
        speaker=np.array([one.speaker for one in said], np.int32),
        said_at=np.array([one.said_at for one in said], np.int64),
        said_local=np.array([one.said_at for one in said], np.int64),
        value=np.array([one.value for one in said], np.float32),
        live=np.array([one.live for one in said], np.bool_),
        counts=np.array([one.counts for one in said], np.bool_),
        assistant=np.array([one.assistant for one in said], np.bool_),
        asks=np.array([asks(one.text) for one in said], np.bool_),
    )


def _segment(row: int, one: Said) -> int:
    """Return the code of a memory's segment: its session, or its own where it has none."""
    return one.session if one.session >= 0 else 1_000 + row


def postings_of(said: Sequence[Said]) -> dict[str, npt.NDArray[np.intp]]:
    """Index the stems of memories by row."""
    found: dict[str, list[int]] = {}
    for row, one in enumerate(said):
        for stem in set(stems(one.text)):
            found.setdefault(stem, []).append(row)
    return {stem: np.array(rows, np.intp) for stem, rows in found.items()}


def terms_of(said: Sequence[Said], query: Sequence[str], names: Sequence[str] = ()) -> dict[str, Term]:
    """Find which windows hold the stems of a question."""
    windows, postings, codes = windows_of(corpus_of(said)), postings_of(said), name_index(names)
    nowhere = np.empty(0, np.intp)
    return {
        stem: term_of(windows, damping_of(windows), stem, postings.get(stem, nowhere), codes.get(stem, ()))
        for stem in query
    }
