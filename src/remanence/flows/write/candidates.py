"""The older memories that a text may change, shown to a model beside it: alike by words and by vector, no threshold."""

import asyncio
import itertools
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from remanence.core.model import Memory, Relation
from remanence.core.segment import TURN
from remanence.flows.base.context import Core
from remanence.llm.base import Extractor
from remanence.recall.corpus import Bools, Floats
from remanence.recall.lexical import K1, B
from remanence.recall.nearest import nearest
from remanence.recall.quantized import QuantizedVectors
from remanence.store.base import Arriving
from remanence.text.analysis import stems, term_hash

Rows = npt.NDArray[np.intp]

STEMS_MAX = 10  # the rarest of a text; the others order little and cost most
MOST = 12
BARE_MOST = 2  # turns in which a writer found nothing, or to which it has not listened
OWN_FIRST = 8  # of one's own words one is shown so many before anybody's
RANKED_MAX = 3 * MOST  # some of them are left out, as their facts are among them
LAST_SAID = 200  # of the same speaker, however little they are alike: updates often share no word
LEXICAL_MAX = 200  # the best by words, whose vectors are compared too


@dataclass(frozen=True, slots=True, eq=False)
class CandidateColumns:
    """What is looked through: by row, how many words, who speaks, when it was said, and whether it stands."""

    words: npt.NDArray[np.int32]
    speaker: npt.NDArray[np.int32]
    said_at: npt.NDArray[np.int64]
    stands: Bools
    vectors: QuantizedVectors | None = None


class RankedRow(NamedTuple):
    """A row to compare with, and whether the same speaker said it."""

    row: int
    is_own: bool


def rarest(df: Mapping[str, int]) -> list[str]:
    """Return the stems of a text that the fewest memories hold, the rarest first."""
    return sorted(df, key=lambda stem: (df[stem], stem))[:STEMS_MAX]


def last_said(field: CandidateColumns, row: int) -> Rows:
    """Return what the speaker of a row said last before it, nothing where nobody is named."""
    if field.speaker[row] < 0:
        return np.empty(0, np.intp)
    own = np.flatnonzero(field.speaker == field.speaker[row])
    own = own[_match_older(field, row, own)]
    if len(own) <= LAST_SAID:
        return own
    return own[np.argpartition(field.said_at[own], -LAST_SAID)[-LAST_SAID:]]


def older_alike(
    field: CandidateColumns, row: int, postings: Mapping[str, Rows], near: Rows
) -> list[RankedRow]:
    """Return the rows to compare one with, the likeliest first, then more of its speaker; `near` are the nearest.

    Older ones alone: said before, or at the same time and arrived before. Without vectors all cosines are 0.
    """
    word_rows, lexical = _by_words(field, row, postings)
    rows = np.union1d(word_rows, near)
    rows = rows[_match_older(field, row, rows)]
    if not len(rows):
        return []
    words = np.zeros(len(rows), np.float32)
    here = np.isin(word_rows, rows)
    words[np.searchsorted(rows, word_rows[here])] = lexical[here]
    cosines = _compute_cosines(field, row, rows)
    score = _scale_scores(words) + _scale_scores(cosines)
    order = np.lexsort((-rows, -score))
    own = field.speaker[rows] == field.speaker[row]
    best = np.concatenate([order[:RANKED_MAX], order[own[order]][:RANKED_MAX]])
    best = best[np.sort(np.unique(best, return_index=True)[1])]
    return [RankedRow(*one) for one in zip(rows[best].tolist(), own[best].tolist(), strict=True)]


def choose_own_first(ranked: Sequence[RankedRow], bare: Collection[int] = ()) -> list[RankedRow]:
    """Choose those to compare with of the likeliest: a few of the same speaker first, then anybody's.

    Rows that are `bare` come last, as far as there is room.
    """
    telling = [one for one in ranked if one.row not in bare]
    first = [one for one in telling if one.is_own][:OWN_FIRST]
    rest = [one for one in ranked if one.row in bare][:BARE_MOST]
    return [*first, *(one for one in telling if one not in first), *rest][:MOST]


def _by_words(field: CandidateColumns, row: int, postings: Mapping[str, Rows]) -> tuple[Rows, Floats]:
    """Return the best rows by words, ascending, with their scores."""
    groups = [rows for rows in postings.values() if len(rows)]
    if not groups:
        return np.empty(0, np.intp), np.empty(0, np.float32)
    candidates, at = np.unique(np.concatenate(groups), return_inverse=True)
    n = len(field.stands)
    weights = np.repeat(
        [np.log1p((n - len(rows) + 0.5) / (len(rows) + 0.5)) for rows in groups], list(map(len, groups))
    )
    mean = max(1.0, float(field.words.mean()))
    score = (
        np.bincount(at, weights, len(candidates))
        * (K1 + 1)
        / (1 + K1 * (1 - B + B * field.words[candidates] / mean))
    )
    score[~_match_older(field, row, candidates)] = 0.0
    if len(candidates) > LEXICAL_MAX:
        best = np.sort(np.argpartition(-score, LEXICAL_MAX)[:LEXICAL_MAX])
        candidates, score = candidates[best], score[best]
    return candidates, score.astype(np.float32)


def _match_older(field: CandidateColumns, row: int, rows: Rows) -> Bools:
    times, mine = field.said_at[rows], field.said_at[row]
    older: Bools = field.stands[rows] & ((times < mine) | ((times == mine) & (rows < row)))
    return older


def _compute_cosines(field: CandidateColumns, row: int, rows: Rows) -> Floats:
    if field.vectors is None:
        return np.zeros(len(rows), np.float32)
    cosines: Floats = field.vectors[rows] @ field.vectors[row]
    return np.maximum(cosines, 0.0)


def _scale_scores(scores: Floats) -> Floats:
    """Scale to 0–1 by the greatest."""
    most = float(scores.max())
    return scores / most if most > 0 else scores


COLUMNS = frozenset({"status", "words", "speaker", "said_at", "category"})
NEAREST = 40  # by vector, of whom the older ones count


async def candidates(core: Core, memories: Sequence[Memory]) -> dict[int, list[int]]:
    """Return by the number of each memory those of the older ones that it may change, the likeliest first.

    Those nearest by vector and what the same speaker said last are among them. A turn of which facts were found gives
    way to these; where a writer finds them, those of which none was found come last, and few: hardly one holds what
    could change.
    """
    if not memories:
        return {}
    stems_by_seq = await asyncio.to_thread(_read_stems, memories)
    terms = {term for mine in stems_by_seq.values() for term in mine.values()}
    context = await core.store.arriving(core.scope, Arriving(terms=list(terms)))
    rare_stems = {
        seq: rarest({stem: context.df.get(term, 0) for stem, term in mine.items()})
        for seq, mine in stems_by_seq.items()
    }
    postings = (
        await core.store.search(core.scope, sorted({one for mine in rare_stems.values() for one in mine}))
    ).rows
    vectors = core.index.dimensions > 0
    now = core.clock.now()
    async with core.index.hold_rows(now, COLUMNS, vectors=vectors, tags=frozenset({TURN})):
        ranked = await asyncio.to_thread(_find_alike, core, rare_stems, postings)
        rows = sorted({one.row for mine in ranked.values() for one in mine})
        seqs = dict(zip(rows, core.index.seq[rows].tolist(), strict=True))
        turns = (await core.index.match_tag(TURN, now))[rows]
        bare = turns & (core.index.column("category")[rows] < 0)
    read = await _filter_with_facts(core, {seqs[row] for row in itertools.compress(rows, turns.tolist())})
    last = isinstance(core.writer, Extractor)
    bare_rows = frozenset(itertools.compress(rows, bare.tolist())) if last else frozenset[int]()
    found: dict[int, list[int]] = {}
    for seq, mine in ranked.items():
        best = choose_own_first([one for one in mine if seqs[one.row] not in read], bare_rows)
        found[seq] = [seqs[one.row] for one in best]
    return found


async def _filter_with_facts(core: Core, turns: Collection[int]) -> set[int]:
    """Return of some turns those of which facts were found."""
    links = await core.store.neighbours(core.scope, sorted(turns), Relation.LEARNED_FROM) if turns else []
    return {link.target for link in links}


def _read_stems(memories: Sequence[Memory]) -> dict[int, dict[str, int]]:
    return {one.seq: {stem: term_hash(stem) for stem in stems(one.text)} for one in memories}


def _find_alike(
    core: Core,
    asked: Mapping[int, Sequence[str]],
    postings: Mapping[str, np.ndarray[tuple[int], np.dtype[np.int64]]],
) -> dict[int, list[RankedRow]]:
    index = core.index
    rows = index.rows_of(asked)
    near = [np.empty(0, np.intp)] * len(rows)
    if index.dimensions:
        near = [one.rows for one in nearest(index.bare_vectors, rows, index.stands, least=0.0, most=NEAREST)]
    field = CandidateColumns(
        index.column("words"),
        index.column("speaker"),
        index.column("said_at"),
        index.stands,
        index.bare_vectors if index.dimensions else None,
    )
    near = [np.union1d(some, last_said(field, row)) for some, row in zip(near, rows.tolist(), strict=True)]
    lending = {stem: index.lending_rows(found) for stem, found in postings.items()}
    return {
        seq: older_alike(field, row, {stem: lending[stem] for stem in mine if stem in lending}, alike)
        for row, (seq, mine), alike in zip(rows.tolist(), asked.items(), near, strict=True)
    }
