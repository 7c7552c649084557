"""The lexical arm: BM25F over windows of neighbours, on postings that somebody else fetched. Knows no store.

Source: BM25F, Robertson & Zaragoza 2009, with binary term frequency, and a memory's neighbours, speaker and date as
further fields. The inverse document frequency counts windows, not memories.
"""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from remanence import languages
from remanence.recall.corpus import Bools, Floats, Windows, spread
from remanence.text.analysis import stems
from remanence.text.identifiers import is_identifier

Rows = npt.NDArray[np.intp]

K1 = 1.2
B = 0.75
SPEAKER_WEIGHT = 2.0
DATE_WEIGHT = 1.0
# ln 2: the weight of a word in half of very many windows. Inside a conversation a participant's name says who, and
# not what.
NAME_IDF_MAX = 0.7
# As if so many windows without the word were there (the keep-value's prior): in a small store a window of neighbours
# holds nearly every word of the topic, and such words would weigh nothing.
WINDOWS_PRIOR = 500
# In a large store a word of every fourth memory costs most of the time and orders nothing.
COMMON_SHARE_MAX = 0.25
COMMON_FROM_ROWS = 20_000
# A question of more words is long: of those that no memory holds so many are asked for.
LONG_FROM_STEMS = 1_024
UNHELD_MAX = 256
# Below this share of the rows, going from one that holds a word to its neighbours is cheaper than passing over all.
RARE_SHARE = 1 / 16

# More than the groups in which a number is written: one that shares all but one of them is another number.
IDENTIFIER_FACTOR = 8.0

_DAY = re.compile(r"0?[1-9]|[12]\d|3[01]")
_YEAR = re.compile(r"(?:19|20|21)\d\d")


# Stem → the words that are looked for in place of it, itself the first.
WordForms: TypeAlias = Mapping[str, Sequence[str]]


def name_forms(forms: Sequence[str]) -> str:
    """Return the name under which the windows that hold any of some forms are kept: no word has a blank in it."""
    return forms[0] if len(forms) == 1 else " ".join(forms)


class Term(NamedTuple):
    """The windows that hold a stem, by slot, ascending, and how much of its weight each scores."""

    slots: Rows
    gained: Floats


@dataclass(frozen=True, slots=True)
class Lexical:
    """Scores by row, dampings by slot, the highest score any memory could reach, and each term's weight."""

    scores: Floats
    windows: Windows
    damping: Floats
    best_possible: float
    weights: Mapping[str, float]

    def measure_word_share(self, row: int) -> float:
        """Return the share of the question's words, weighed by how rare they are, that a window holds, however long.

        A word that stands once scores 1 / (1 + damping) of what it could.
        """
        if not self.best_possible:
            return 0.0
        slot = row if self.windows.slot is None else self.windows.slot[row]
        return min(1.0, float(self.scores[row] * (1 + self.damping[slot])) / self.best_possible)

    def measure_identifier_share(self, terms: Mapping[str, Term]) -> float:
        """Return the share of the question's words that are numbers or codes which some memory holds.

        What is asked by its number is no matter of likeness: another number looks like it.
        """
        held = (
            weight for stem, weight in self.weights.items() if is_identifier(stem) and len(terms[stem].slots)
        )
        return sum(held) * (K1 + 1) / self.best_possible if self.best_possible else 0.0


def name_index(names: Sequence[str]) -> dict[str, tuple[int, ...]]:
    """Return stem → codes of the speakers whose name holds it; `names` are listed by code."""
    index: dict[str, list[int]] = {}
    for code, name in enumerate(names):
        for stem in dict.fromkeys(stems(name)):
            index.setdefault(stem, []).append(code)
    return {stem: tuple(codes) for stem, codes in index.items()}


def worth_asking(query: Sequence[str], held: Mapping[str, int], n: int) -> list[str]:
    """Return the distinct stems of a question that can order anything among n memories, `held` of which hold each.

    Where all are too common, they are asked all the same. Of a very long question most words that nobody holds say no
    more than the first of them do: that the answer is weak.
    """
    distinct = list(dict.fromkeys(query))
    if len(distinct) > LONG_FROM_STEMS:
        unheld = [stem for stem in distinct if not held.get(stem)]
        left_out = set(unheld[UNHELD_MAX:])
        distinct = [stem for stem in distinct if stem not in left_out]
    if n < COMMON_FROM_ROWS:
        return distinct
    return [stem for stem in distinct if held.get(stem, 0) <= COMMON_SHARE_MAX * n] or distinct


def lexical_scores(
    windows: Windows,
    damping: Floats,
    query: Sequence[str],
    terms: Mapping[str, Term],
    *,
    names: Mapping[str, tuple[int, ...]],
    names_capped: bool = True,
) -> Lexical:
    """Score every row against the stems of a query.

    `terms` are those of the stems, as `term_of` finds them. `names_capped` says that the search is inside the
    conversation of the people in `names`.
    """
    n = len(damping) if windows.counts is None else int(np.count_nonzero(windows.counts))
    scores = np.zeros(len(damping), np.float32)
    weights: dict[str, float] = {}
    for stem in dict.fromkeys(query):
        slots, gains = terms[stem]
        weight = weigh_stem(stem, len(slots), n)
        weights[stem] = min(weight, NAME_IDF_MAX) if names_capped and stem in names else weight
        scores[slots] += gains * np.float32(weights[stem] * (K1 + 1))
    best_possible = sum(weights.values()) * (K1 + 1)
    return Lexical(windows.to_rows(scores), windows, damping, best_possible, weights)


def word_weights(windows: Windows, terms: Mapping[str, Term], allowed: Bools) -> dict[str, float]:
    """Return what stems tell apart among the rows that are `allowed`, by how many of their windows hold each."""
    n = int(np.count_nonzero(allowed))
    by_slot = allowed if windows.order is None else allowed[windows.order]
    return {stem: _compute_idf(int(np.count_nonzero(by_slot[term.slots])), n) for stem, term in terms.items()}


def term_of(windows: Windows, damping: Floats, stem: str, rows: Rows, codes: tuple[int, ...] = ()) -> Term:
    """Find the windows that hold a stem.

    `damping` is `damping_of(windows)`. `rows` are the ascending positions of those that hold the stem themselves,
    `codes` the speakers whose name does.
    """
    own = windows.to_slots(rows)
    slots, frequency = _measure_frequency(windows, own, _measure_extra(windows, stem, codes))
    if windows.counts is not None:
        counts = windows.counts[slots]
        slots, frequency = slots[counts], frequency[counts]
    return Term(slots, frequency / (frequency + damping[slots]))


def damping_of(windows: Windows) -> Floats:
    """Return k1 × (1 - b + b × length / mean length) by slot."""
    length = windows.length if windows.counts is None else windows.length[windows.counts]
    mean = max(float(length.mean()), 1.0) if len(length) else 1.0
    return (K1 * (1 - B) + (K1 * B / mean) * windows.length).astype(np.float32)


def weigh_stem(stem: str, held: int, n: int) -> float:
    """Return what a stem weighs that so many of n hold."""
    return _compute_idf(held, n) * (IDENTIFIER_FACTOR if is_identifier(stem) else 1.0)


def _compute_idf(held: int, n: int) -> float:
    return math.log1p((n + WINDOWS_PRIOR - held + 0.5) / (held + 0.5))


def _measure_frequency(windows: Windows, own: Rows, extra: Floats | None) -> tuple[Rows, Floats]:
    """Return the slots whose windows hold a stem, and how much of it; `own` hold it themselves."""
    if len(own) < RARE_SHARE * len(windows.length):
        frequency = _spread_from(windows, own)
    else:
        lent = np.zeros_like(windows.length)
        lent[own] = windows.lends[own]
        frequency = spread(lent, windows.share)
    frequency[own] += 1
    if extra is not None:
        frequency += extra
    slots = np.flatnonzero(frequency > 0)
    return slots, frequency[slots]


def _spread_from(windows: Windows, own: Rows) -> Floats:
    """Return what `spread` does, going from the few slots that lend to those around them."""
    totals = np.zeros_like(windows.length)
    lent = windows.lends[own]
    for k, share in enumerate(windows.share, 1):
        after, before = np.searchsorted(own, (k, len(totals) - k))
        totals[own[after:] - k] += share[own[after:] - k] * lent[after:]
        totals[own[:before] + k] += share[own[:before]] * lent[:before]
    return totals


def _measure_extra(windows: Windows, stem: str, codes: tuple[int, ...]) -> Floats | None:
    """Return what speaker and date add to the frequency of a stem, by slot."""
    extra: Floats | None = None
    if codes:
        extra = SPEAKER_WEIGHT * np.isin(windows.speaker, codes).astype(np.float32)
    for values, value in _match_date(windows, stem):
        by_date = DATE_WEIGHT * (values == value).astype(np.float32)
        extra = by_date if extra is None else extra + by_date
    return extra


@cache
def _load_month_stems() -> dict[str, int]:
    return {stem: number for name, number in languages.MONTHS.items() for stem in stems(name)}


def _match_date(windows: Windows, stem: str) -> list[tuple[npt.NDArray[np.int16], int]]:
    if stem in _load_month_stems():
        return [(windows.month, _load_month_stems()[stem])]
    if _DAY.fullmatch(stem):
        return [(windows.day, int(stem))]
    return [(windows.year, int(stem))] if _YEAR.fullmatch(stem) else []
