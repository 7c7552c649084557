"""What stands ranked with archived memories that have left the index: full text finds these, and the best are put in.

Knows the index and the store; what a score is made of is the ranking's to know.
"""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from remanence.core.model import STANDING, Memory, Role, Status
from remanence.core.segment import segments
from remanence.core.snapshot import Snapshot, SnapshotRequest
from remanence.flows.base.context import Core
from remanence.flows.base.extra_vectors import QuestionVector
from remanence.flows.indexes.scope_index import ASKS, GROUND
from remanence.flows.recall.filters import ArchiveFilter
from remanence.flows.recall.narrowing import find_passing
from remanence.read.entity import THREAD
from remanence.recall.corpus import NEIGHBOUR_WEIGHTS, Bools, Codes, Corpus, Floats, spread
from remanence.recall.fuse import Contextual, Query, RankResult, lower_archived, rank
from remanence.recall.joined import JoinedCorpus, Rows, join_corpora
from remanence.recall.lexical import weigh_stem
from remanence.recall.quantized import QuantizedVectors
from remanence.recall.semantic import MeasuredWindows
from remanence.store.base import AnswerRows, Ints

# So many of what is archived are looked at, the best by their words and those around them: at first, and then until
# enough of them pass the filters.
LOOKED_AT = 400, 4_000, 40_000
ENOUGH = 50
_FOUND = tuple(STANDING | {Status.ARCHIVED})  # what was archived may have been taken back meanwhile
_COLUMNS = frozenset({"status", *GROUND}) - {ASKS}


@dataclass(frozen=True, slots=True)
class RankQuestion:
    """A question as it is ranked, its asker by name, and what a model made of it; no vector where nothing has one.

    `memories` is how many of the scope hold words.
    """

    query: Query
    asker: str | None
    model_vector: QuestionVector
    memories: int


class PastReader(Protocol):
    """A scope as it was at an instant, whose memories are read as they were."""

    async def read(self, core: Core, seqs: Sequence[int], today: AnswerRows) -> list[Memory | None]:
        """Return memories as they were, by what they are today; None for one that is nowhere any more."""
        ...


@dataclass(frozen=True, slots=True)
class ArchiveRanking:
    """What was ranked, by number, and the scope of then that it was."""

    ranked: RankResult
    seqs: list[int]
    past: PastReader | None = None


async def ranked_with_archive(
    core: Core,
    wanted: ArchiveFilter,
    question: RankQuestion,
    by_row: tuple[Bools, Mapping[str, Floats]],
    pool: int,
) -> ArchiveRanking | None:
    """Rank rows of the index, which stays still, with the best of the archive; None where nothing of that comes up.

    By row it is told what may be returned, and what scores are multiplied by.
    """
    postings = await _read_postings(core, question)
    best = await _read_best(core, wanted, question, postings)
    if best is None:
        return None
    beside = await asyncio.to_thread(_recode, core, *best)
    vectors = await _vectors(core, beside.corpus.seq.tolist(), question)
    ranking, seqs = await asyncio.to_thread(
        _rank_with_archive, core, beside, question, (postings, vectors), (*by_row, wanted.lowered), pool
    )
    return ArchiveRanking(ranking, seqs)


async def read_best_archived(core: Core, wanted: ArchiveFilter, question: RankQuestion) -> dict[int, Memory]:
    """Read the best of the archive, by number; the rows of the index, which has none of them, stay still.

    What is taken back in this very moment is left out: nobody would tell here that it was archived before.
    """
    best = await _read_best(core, wanted, question, await _read_postings(core, question))
    if best is None:
        return {}
    snapshot, scores = best
    order = np.argsort(-scores, kind="stable")[:ENOUGH]
    seqs = snapshot.seq[np.sort(order[scores[order] > 0])].tolist()
    read = await core.store.get(core.scope, seqs)
    return {one.seq: one for one in read if one is not None and one.status is Status.ARCHIVED}


async def _read_postings(core: Core, question: RankQuestion) -> Mapping[str, Ints]:
    query = question.query
    return await core.index.postings({stem: query.forms_of(stem) for stem in query.stems}, every=True)


async def _read_best(
    core: Core, wanted: ArchiveFilter, question: RankQuestion, postings: Mapping[str, Ints]
) -> tuple[Snapshot, Floats] | None:
    """Return columns of what is archived and matches best by words, and scores, 0 for what no filter lets through.

    None where nothing comes up.
    """
    seqs, scores = await asyncio.to_thread(_score_words, core.index.seq, postings, question.memories)
    filters = wanted.filters
    if filters.has_more and len(seqs):
        scores = scores * np.isin(seqs, await find_passing(core, filters), assume_unique=True)
        seqs, scores = seqs[scores > 0], scores[scores > 0]
    if not len(seqs):
        return None
    columns, tags = _COLUMNS | filters.list_columns(wanted.between), frozenset(filters.tags)
    for most in (*LOOKED_AT, len(seqs)):
        best = np.sort(_take_best(scores, most))
        request = SnapshotRequest(columns, tags=tags, asks=True, only=tuple(seqs[best].tolist()))
        snapshot = await core.store.snapshot(core.scope, request, core.clock.now())
        passes = _pass(snapshot, wanted)
        if np.count_nonzero(passes) >= ENOUGH or most >= len(seqs):
            passing_scores = scores[best][np.searchsorted(seqs[best], snapshot.seq)] * passes
            return (snapshot, passing_scores) if passes.any() else None
    raise AssertionError("unreachable")


def _score_words(standing: Ints, postings: Mapping[str, Ints], memories: int) -> tuple[Ints, Floats]:
    """Return, ascending, who holds any stem or stands beside one that does, and what these weigh; not what has rows.

    Who is beside another by number is of the same session more often than not; the ranking knows better.
    """
    held = {stem: seqs for stem, seqs in postings.items() if len(seqs)}
    if not held:
        return np.zeros(0, np.int64), np.zeros(0, np.float32)
    reach = len(NEIGHBOUR_WEIGHTS)
    first = min(int(seqs[0]) for seqs in held.values()) - reach
    weights = np.zeros(max(int(seqs[-1]) for seqs in held.values()) + reach + 1 - first, np.float32)
    for stem, seqs in held.items():
        weights[seqs - first] += np.float32(weigh_stem(stem, len(seqs), max(memories, len(seqs))))
    shares = enumerate(map(np.float32, NEIGHBOUR_WEIGHTS), 1)
    scores = weights + spread(weights, tuple(np.broadcast_to(share, len(weights) - k) for k, share in shares))
    places = standing - first
    scores[places[(places >= 0) & (places < len(scores))]] = 0
    rows = np.flatnonzero(scores)
    return rows + first, scores[rows]


def _take_best(scores: Floats, most: int) -> Rows:
    """Return the places of the best; of equals the later ones."""
    if len(scores) <= most:
        return np.arange(len(scores))
    # Numbers that no two share, so that of equals the later are taken without a sort of all.
    ranks = scores + np.arange(len(scores)) * (1e-9 / len(scores))
    return np.argpartition(ranks, len(ranks) - most)[-most:]


def _pass(snapshot: Snapshot, wanted: ArchiveFilter) -> Bools:
    """Tell which memories pass the filters by their columns and tags."""
    passes = wanted.filters.match_rows(snapshot, wanted.between)
    passes &= np.isin(snapshot.columns["status"], _FOUND) & ~_has_name(snapshot, "thread", THREAD)
    if wanted.thread is not None:
        passes &= _has_name(snapshot, "thread", wanted.thread)
    return passes


def _has_name(snapshot: Snapshot, column: str, name: str) -> Bools:
    """Tell which memories of a snapshot have a name in a column."""
    names = snapshot.names[column]
    matches: Bools = snapshot.columns[column] == (names.index(name) if name in names else -2)
    return matches


@dataclass(frozen=True, slots=True)
class _ArchiveNeighbours:
    """Archived memories in the codes of the index: those that were picked, and others around them for their windows.

    `speakers` are the names by code.
    """

    corpus: Corpus
    is_picked: Bools
    speakers: Sequence[str]

    def find_holders(self, posting: Ints) -> Rows:
        """Return by row who is among the ascending numbers of those that hold a stem."""
        seqs = self.corpus.seq
        at = np.minimum(np.searchsorted(posting, seqs), len(posting) - 1)
        return np.flatnonzero(posting[at] == seqs) if len(posting) else np.zeros(0, np.intp)


def _recode(core: Core, snapshot: Snapshot, scores: Floats) -> _ArchiveNeighbours:
    """Return rows of a snapshot as the ranking sees them, in the codes of the index."""
    columns: Mapping[str, npt.NDArray[Any]] = snapshot.columns
    index, is_picked = core.index, scores > 0
    stays = is_picked | (columns["status"] == int(Status.ARCHIVED))
    stays &= ~index.rows_among(snapshot.seq)[
        1
    ]  # where another archives it meanwhile, it stands here all the same
    said_at = np.asarray(columns["said_at"]).astype(np.int64)
    segment = segments(columns["session"], columns["thread"], columns["agent"], said_at)
    stays &= np.isin(segment, segment[is_picked])
    speakers = [*index.names("speaker")]
    codes = {name: code for code, name in enumerate(speakers)}
    recoded = [codes.setdefault(name, len(codes)) for name in snapshot.names["speaker"]]
    corpus = Corpus(
        seq=snapshot.seq,
        segment=_match_segments(core, snapshot, segment),
        words=columns["words"].astype(np.int32),
        speaker=np.array([*recoded, -1], np.int32)[columns["speaker"]],
        said_at=said_at,
        value=np.nan_to_num(columns["value"].astype(np.float32)),
        live=np.zeros(len(snapshot), np.bool_),
        counts=np.ones(len(snapshot), np.bool_),
        assistant=columns["role"] == Role.ASSISTANT,
        asks=np.asarray(snapshot.asks),
    )
    return _ArchiveNeighbours(corpus.take(np.flatnonzero(stays)), is_picked[stays], [*codes])


def _match_segments(core: Core, snapshot: Snapshot, segment: Codes) -> Codes:
    """Return the numbers of segments: those of the index where it has memories of the same session or thread."""
    index = core.index
    standing = index.ground.corpus.segment
    matched = segment + (int(standing.max(initial=-1)) + 1)
    columns: Mapping[str, npt.NDArray[Any]] = snapshot.columns
    has_session, among = columns["session"] >= 0, index.column("session") >= 0
    for column, here, there in (("session", has_session, among), ("thread", ~has_session, ~among)):
        codes, rows = index.column(column), np.flatnonzero(there & (index.column(column) >= 0))
        known = np.full(int(codes.max(initial=-1)) + 1, -1, np.int32)
        known[codes[rows]] = standing[rows]
        own = [index.code(column, name) for name in snapshot.names[column]]
        by_code = np.array([known[code] if 0 <= code < len(known) else -1 for code in [*own, -1]], np.int32)
        found = by_code[columns[column]]
        matched = np.where(here & (found >= 0), found, matched)
    return matched


_Vectors = tuple[tuple[Ints, Any], tuple[Ints, Any] | None]


async def _vectors(core: Core, seqs: Sequence[int], question: RankQuestion) -> _Vectors:
    """Read the vectors of archived memories: their own, and those of the model that the question was asked by."""
    none = np.zeros(0, np.int64), np.zeros((0, 0), np.float16)
    own = await core.store.vectors(core.scope, only=seqs) if core.index.dimensions else none
    if not core.index.has_contextual(question.model_vector.model):
        return own, None
    return own, await core.store.vectors(core.scope, only=seqs, model=question.model_vector.model)


def _rank_with_archive(
    core: Core,
    beside: _ArchiveNeighbours,
    question: RankQuestion,
    read: tuple[Mapping[str, Ints], _Vectors],
    by_row: tuple[Bools, Mapping[str, Floats], bool],
    pool: int,
) -> tuple[RankResult, list[int]]:
    """Put the memories that were picked between those that stand, and rank both."""
    index, (postings, vectors), (allowed, row_factors, is_lowered) = core.index, read, by_row
    both = join_corpora(index.ground.corpus, beside.corpus, beside.speakers)
    query = question.query
    terms = both.terms(
        query.stems,
        {stem: index.lending_rows(postings[stem]) for stem in query.stems},
        {stem: beside.find_holders(postings[stem]) for stem in query.stems},
    )
    asker = None if question.asker is None else _code_among(beside.speakers, question.asker)
    ones = np.ones(len(beside.corpus), np.float32)
    factors: dict[str, Floats] = {name: both.by_row(values, ones) for name, values in row_factors.items()}
    if is_lowered:
        factors |= lower_archived(both.join_marks(np.zeros(len(allowed), np.bool_), beside.is_picked))
    ranking = rank(
        both.ground,
        terms,
        _own_cosines(core, beside, both, query, vectors[0]),
        replace(query, asker=asker),
        both.join_marks(allowed, beside.is_picked),
        pool,
        _contextual(core, beside, both, question, vectors[1]),
        factors,
    )
    return ranking, both.ground.corpus.seq[ranking.rows].tolist()


def _code_among(speakers: Sequence[str], name: str) -> int:
    return speakers.index(name) if name in speakers else -2


def _own_cosines(
    core: Core, beside: _ArchiveNeighbours, both: JoinedCorpus, query: Query, read: tuple[Ints, Any]
) -> Floats | None:
    own = core.index.compare(query.vector)
    if own is None or query.vector is None:
        return None
    return both.by_row(own, _compare_windows(beside, query.vector, read)[0])


def _contextual(
    core: Core,
    beside: _ArchiveNeighbours,
    both: JoinedCorpus,
    question: RankQuestion,
    read: tuple[Ints, Any] | None,
) -> Contextual | None:
    vector = question.query.contextual
    own = core.index.compare_contextual(question.model_vector.model, vector)
    if own is None or read is None or vector is None:
        return None
    cosines, has = _compare_windows(beside, vector, read)
    floor = core.embedder.thresholds.weak_below
    return Contextual(both.by_row(own[0], cosines), both.join_marks(own[1], has), floor)


def _compare_windows(
    beside: _ArchiveNeighbours, vector: Floats, read: tuple[Ints, Any]
) -> tuple[Floats, Bools]:
    """Compare the windows of archived memories with a question; the second tells which have a vector of their own."""
    corpus, (seqs, vectors) = beside.corpus, read
    bare = QuantizedVectors.make_empty(len(corpus), len(vector))
    at = np.searchsorted(corpus.seq, seqs)
    bare.put(at, vectors)
    has_own = np.zeros(len(corpus), np.bool_)
    has_own[at] = True
    return MeasuredWindows.measure(corpus, bare).compare(vector), has_own
