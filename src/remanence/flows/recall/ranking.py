"""Ranks the candidates, the third stage of a recall: rows of the index, or the scope as it was at an instant.

Archived memories that are not in the index are added. Knows how the rows come together; what a score is made of is in
`recall.fuse`.
"""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from remanence.core.later import import_later
from remanence.core.local_time import read_said_local
from remanence.core.model import STANDING, Memory, Role, Status
from remanence.core.segment import segments
from remanence.core.snapshot import Snapshot, SnapshotRequest
from remanence.flows.base.context import Core
from remanence.flows.indexes.index_columns import ASKS, GROUND, RANKED
from remanence.flows.recall.candidate_rows import RecallReach, find_candidates
from remanence.flows.recall.filters import ArchiveFilter, find_passing
from remanence.flows.recall.question import RECALLED, Question, build_query, match_forms
from remanence.read.entity import THREAD
from remanence.recall.corpus import NEIGHBOUR_WEIGHTS, Bools, Codes, Corpus, Floats, spread
from remanence.recall.fit import select_places_to_read
from remanence.recall.fuse import (
    CandidateRows,
    Contextual,
    Query,
    RankResult,
    RankStep,
    RankSteps,
    lower_archived,
    rank,
    rank_by_steps,
    weigh_lifecycles,
)
from remanence.recall.joined import JoinedCorpus, Rows, join_corpora
from remanence.recall.lexical import weigh_stem, word_weights
from remanence.recall.quantized import QuantizedVectors
from remanence.recall.semantic import MeasuredWindows
from remanence.store.base import Ints
from remanence.text.tokens import token_counts

if TYPE_CHECKING:
    from remanence.flows.recall import link_walk, past_ranking

import_later(globals())

# So many of what is archived are looked at, the best by their words and those around them: at first, and then until
# enough of them pass the filters.
LOOKED_AT = 400, 4_000, 40_000
ENOUGH = 50
_FOUND = tuple(STANDING | {Status.ARCHIVED})  # what was archived may have been taken back meanwhile
_COLUMNS = frozenset({"status", *GROUND}) - {ASKS}


@dataclass(frozen=True, slots=True)
class MemoryRanking:
    """What was ranked, the scope of an instant that it was, where one was asked about, and what was left out by why."""

    ranked: RankResult
    past: "past_ranking.PastScope | None" = None
    left_out: Mapping[str, int] = field(default_factory=dict)


async def rank_memories(core: Core, question: Question, reach: RecallReach, pool: int) -> MemoryRanking:
    """Rank what a question reaches, and where links count let what they lead to join."""
    asked, index = reach.asked, core.index
    asked.trace.note_archive(reach.archive)
    columns, model, stands_at = RANKED | reach.columns, question.model.arm, question.context.position
    # What is said of more than the best rests on the true vectors of all.
    needs_all = asked.explain or asked.why_not is not None or asked.as_of is not None or reach.settings.links
    async with index.hold_rows(
        core.clock.now(), columns, windows=True, vectors=bool(needs_all), model=model, stands_at=stands_at
    ):
        asked.trace.mark("index")
        if not reach.settings.links or asked.as_of is not None:  # links are not told as of an instant
            return await _rank_rows_and_archive(core, replace(question, asked=asked), reach, pool)
        whole = replace(question, asked=replace(asked, budget=None))  # no size tells what links will raise
        found = await _rank_rows_and_archive(core, whole, reach, pool)
        linked = await link_walk.add_links(core, found.ranked, reach.settings.links, pool, asked.trace)
        return replace(found, ranked=linked)


async def _rank_rows_and_archive(
    core: Core, question: Question, reach: RecallReach, pool: int
) -> MemoryRanking:
    """Rank what the index holds, which stays still, and with it what has left it for the archive."""
    question, asked = await match_forms(core, question), question.asked
    among = await find_candidates(core, reach)
    unindexed = reach.archive if core.index.leaves_archive else None
    if asked.as_of is not None:
        return replace(await _rank_as_of(core, question, reach, among, pool), left_out=among.left_out)
    if unindexed is not None:
        joint = await ranked_with_archive(core, unindexed, question, among, pool)
        if joint is not None:
            asked.trace.note_ranking(joint, pool)
            return MemoryRanking(joint, left_out=among.left_out)
    return MemoryRanking(await rank_rows(core, question, among, pool), left_out=among.left_out)


async def _rank_as_of(
    core: Core, question: Question, reach: RecallReach, among: CandidateRows, pool: int
) -> MemoryRanking:
    """Rank what stood at an instant; `among` are the rows that may be returned by what they are now."""
    index, asked = core.index, question.asked
    unindexed = reach.archive if index.leaves_archive else None
    archived = {} if unindexed is None else await read_best_archived(core, unindexed, question)
    past = await past_ranking.read_past_scope(core, asked.at(core), archived)
    wanted = past_ranking.PastFilter(
        asked.filters.statuses or RECALLED,
        asked.thread,
        asked.between,
        asked.filters,
        reach.settings.is_open and not asked.filters.by_status,
    )
    factors: dict[str, Floats] = {}
    if wanted.opens:
        rows = index.match_statuses([Status.ARCHIVED])
        factors |= lower_archived(past.mark(rows, lambda one: one.status is Status.ARCHIVED))
    if reach.settings.weighs_lifecycle:
        column = index.column("lifecycle")
        factors |= weigh_lifecycles(
            past.join(column, lambda memories: index.encode_column("lifecycle", memories))
        )
    then = CandidateRows(past.mark(among.allowed, wanted.is_met_by), factors)
    ranked = await past_ranking.rank_as_of(core, past, question, then, pool)
    return MemoryRanking(ranked, past)


async def rank_rows(core: Core, question: Question, among: CandidateRows, pool: int) -> RankResult:
    """Rank rows of the index by a question whose words were matched with their forms."""
    asked = question.asked
    postings = await core.index.postings(question.forms, every=asked.of_entities)
    steps = _rank_index(core, question, postings, among, pool)
    step = await asyncio.to_thread(_go_on, steps, None)
    while not isinstance(step, RankResult):
        step = await asyncio.to_thread(_go_on, steps, await core.index.compare_rows(*step))
    asked.trace.note_ranking(step, pool)
    return step


def _go_on(steps: RankSteps, cosines: Floats | None) -> RankStep | RankResult:
    """Return which cosines are needed next, or what was ranked by all of them."""
    try:
        return next(steps) if cosines is None else steps.send(cosines)
    except StopIteration as end:  # no future takes it
        ranked: RankResult = end.value
        return ranked


def _rank_index(
    core: Core,
    question: Question,
    postings: Mapping[str, npt.NDArray[np.int64]],
    among: CandidateRows,
    pool: int,
) -> RankSteps:
    index, asked, forms, allowed = core.index, question.asked, question.forms, among.allowed
    if asked.of_entities:
        ground, terms = index.among_all(forms, postings)
    else:
        ground, terms = index.ground, index.terms(forms, postings)
    weights = word_weights(ground.windows, terms, allowed) if index.dimensions else {}
    query = build_query(core, question, weights)
    contextual = index.compare_contextual(question.model.model, question.model.vector, allowed)
    beside = None if contextual is None else Contextual(*contextual, core.embedder.thresholds.weak_below)
    cosines = index.compare_roughly(query.vector, allowed)
    ranked = yield from rank_by_steps(ground, terms, cosines, query, among, pool, beside)
    if asked.budget is not None and core.counts is token_counts:  # what else counts may find lines shorter
        tokens = index.column("tokens")[ranked.rows].tolist()
        ranked = ranked.select(select_places_to_read(tokens, asked.budget, asked.read_ahead))
    return replace(ranked, parts=tuple(ranked.parts))  # as the index stands now


async def ranked_with_archive(
    core: Core,
    wanted: ArchiveFilter,
    question: Question,
    among: CandidateRows,
    pool: int,
) -> RankResult | None:
    """Rank rows of the index, which stays still, with the best of the archive; None where nothing of that comes up."""
    postings = await _read_postings(core, question)
    best = await _read_best(core, wanted, question, postings)
    if best is None:
        return None
    beside = await asyncio.to_thread(_recode_rows, core, *best)
    seqs = beside.corpus.seq.tolist()
    none = np.zeros(0, np.int64), np.zeros((0, 0), np.float16)
    own = await core.store.vectors(core.scope, only=seqs) if core.index.dimensions else none
    by_model = None
    if core.index.has_contextual(question.model.model):
        by_model = await core.store.vectors(core.scope, only=seqs, model=question.model.model)
    vectors: _Vectors = own, by_model
    return await asyncio.to_thread(
        _rank_with_archive, core, beside, question, (postings, vectors), (among, wanted.lowered), pool
    )


async def read_best_archived(core: Core, wanted: ArchiveFilter, question: Question) -> dict[int, Memory]:
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


async def _read_postings(core: Core, question: Question) -> Mapping[str, Ints]:
    return await core.index.postings(question.forms, every=True)


async def _read_best(
    core: Core, wanted: ArchiveFilter, question: Question, postings: Mapping[str, Ints]
) -> tuple[Snapshot, Floats] | None:
    """Return columns of what is archived and matches best by words, and scores, 0 for what no filter lets through.

    None where nothing comes up.
    """
    seqs, scores = await asyncio.to_thread(_score_words, core.index.seq, postings, question.context.memories)
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
        passes = _match_rows(snapshot, wanted)
        if np.count_nonzero(passes) >= ENOUGH or most >= len(seqs):
            passing_scores = scores[best][np.searchsorted(seqs[best], snapshot.seq)] * passes
            return (snapshot, passing_scores) if passes.any() else None
    raise AssertionError("unreachable")


def _score_words(standing: Ints, postings: Mapping[str, Ints], memories: int) -> tuple[Ints, Floats]:
    """Return, ascending, the numbers and word scores of memories that hold a stem or are neighbours of one.

    Those that have rows in the index are left out. A neighbour by number is of the same session more often than not.
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


def _match_rows(snapshot: Snapshot, wanted: ArchiveFilter) -> Bools:
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


def _recode_rows(core: Core, snapshot: Snapshot, scores: Floats) -> _ArchiveNeighbours:
    """Return rows of a snapshot as the ranking sees them, in the codes of the index."""
    columns: Mapping[str, npt.NDArray[Any]] = snapshot.columns
    index, is_picked = core.index, scores > 0
    stays = is_picked | (columns["status"] == int(Status.ARCHIVED))
    stays &= ~index.rows_among(snapshot.seq)[
        1
    ]  # where another archives it meanwhile, it stands here all the same
    said_at = np.asarray(columns["said_at"]).astype(np.int64)
    asks, names = np.asarray(snapshot.asks), ("session", "thread", "agent", "speaker")
    segment = segments(said_at, asks, *(columns[name] for name in names))
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
        said_local=read_said_local(columns).astype(np.int64),
        value=np.nan_to_num(columns["value"].astype(np.float32)),
        live=np.zeros(len(snapshot), np.bool_),
        counts=np.ones(len(snapshot), np.bool_),
        assistant=columns["role"] == Role.ASSISTANT,
        asks=asks,
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


def _rank_with_archive(
    core: Core,
    beside: _ArchiveNeighbours,
    question: Question,
    read: tuple[Mapping[str, Ints], _Vectors],
    candidates: tuple[CandidateRows, bool],
    pool: int,
) -> RankResult:
    """Put the memories that were picked between those that stand, and rank both."""
    index, (postings, vectors), (among, is_lowered) = core.index, read, candidates
    forms = question.forms
    both = join_corpora(index.ground.corpus, beside.corpus, beside.speakers)
    terms = both.terms(
        list(forms),
        {stem: index.lending_rows(postings[stem]) for stem in forms},
        {stem: beside.find_holders(postings[stem]) for stem in forms},
    )
    query, asked = build_query(core, question, {}), question.asked
    asker = None if asked.asker is None else _code_among(beside.speakers, asked.asker)
    ones = np.ones(len(beside.corpus), np.float32)
    factors: dict[str, Floats] = {name: both.by_row(values, ones) for name, values in among.factors.items()}
    if is_lowered:
        factors |= lower_archived(both.join_marks(np.zeros(len(among.allowed), np.bool_), beside.is_picked))
    return rank(
        both.ground,
        terms,
        _own_cosines(core, beside, both, query, vectors[0]),
        replace(query, asker=asker),
        CandidateRows(both.join_marks(among.allowed, beside.is_picked), factors),
        pool,
        _compare_contextual(core, beside, both, question, vectors[1]),
    )


def _code_among(speakers: Sequence[str], name: str) -> int:
    return speakers.index(name) if name in speakers else -2


def _own_cosines(
    core: Core, beside: _ArchiveNeighbours, both: JoinedCorpus, query: Query, read: tuple[Ints, Any]
) -> Floats | None:
    own = core.index.compare(query.vector)
    if own is None or query.vector is None:
        return None
    return both.by_row(own, _compare_windows(beside, query.vector, read)[0])


def _compare_contextual(
    core: Core,
    beside: _ArchiveNeighbours,
    both: JoinedCorpus,
    question: Question,
    read: tuple[Ints, Any] | None,
) -> Contextual | None:
    vector = question.model.vector
    own = core.index.compare_contextual(question.model.model, vector)
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
