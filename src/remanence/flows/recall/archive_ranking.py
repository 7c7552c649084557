"""What stands ranked with archived memories that have left the index: the best of these by hashes are read for it.

Knows both indexes and the store; what a score is made of is the ranking's to know.
"""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np

from remanence.core.clock import MINUTE
from remanence.core.model import STANDING, Memory, Status
from remanence.core.snapshot import SnapshotRequest
from remanence.flows.base.context import Core
from remanence.flows.base.extra_vectors import QuestionVector
from remanence.flows.indexes.archive_index import Archive
from remanence.flows.recall.filters import ArchiveFilter
from remanence.flows.recall.narrowing import find_passing
from remanence.read.entity import THREAD
from remanence.recall.corpus import Bools, Corpus, Floats
from remanence.recall.fuse import Contextual, Query, RankResult, rank
from remanence.recall.joined import JoinedCorpus, Rows, join_corpora
from remanence.recall.quantized import QuantizedVectors
from remanence.recall.semantic import MeasuredWindows, touched_rows
from remanence.store.base import AnswerRows, Ints
from remanence.text.analysis import stems
from remanence.text.word_hashes import NAMED

READ_MOST = 10  # archived texts that one recall reads
# So many of the best by hashes are looked at where a filter asks for what hashes do not tell: with more, the rest is
# as good as unfindable.
LOOKED_AT = 5_000
_FOUND = STANDING | {Status.ARCHIVED}  # what was archived may have been taken back meanwhile
_TOLD = frozenset({*NAMED, "role"})  # the columns of a filter that need no look at the memories


@dataclass(frozen=True, slots=True)
class RankQuestion:
    """A question as it is ranked, its asker by name, and what a model made of it; no vector where nothing has one."""

    query: Query
    asker: str | None
    model_vector: QuestionVector


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
    core: Core, left: tuple[Archive, ArchiveFilter], question: RankQuestion, allowed: Bools, pool: int
) -> ArchiveRanking | None:
    """Rank rows of the index, which stays still, with the best of the archive; None where nothing of that comes up."""
    archive, archive_filter = left
    memories = await read_best_archived(core, left, question)
    if not memories:
        return None
    rows = np.searchsorted(archive.seq, sorted(memories))
    near = touched_rows(archive.ground.windows, rows)
    forms = {stem: question.query.forms_of(stem) for stem in question.query.stems}
    postings = await core.index.postings(forms, every=True)
    vectors = await _vectors(core, archive.seq[near].tolist(), question)
    beside = _ArchiveNeighbours(archive, rows, near, memories)
    ranking, seqs = await asyncio.to_thread(
        _rank_with_archive,
        core,
        beside,
        question,
        (postings, vectors),
        (allowed, archive_filter.lowered),
        pool,
    )
    return ArchiveRanking(ranking, seqs)


async def read_best_archived(
    core: Core, left: tuple[Archive, ArchiveFilter], question: RankQuestion
) -> dict[int, Memory]:
    """Read the best of the archive by hashes, by number; the rows of the index, which has none of them, stay still."""
    archive, archive_filter = left
    rows = await _pick_rows(core, archive, question, archive_filter)
    # Where somebody moves it faster than both are read, what has just left the index may be in it still.
    seqs = [seq for seq in archive.seq[rows].tolist() if seq not in core.index]
    read = await core.store.get(core.scope, seqs) if seqs else []
    return {one.seq: one for one in read if one is not None and one.status in _FOUND}


@dataclass(frozen=True, slots=True)
class _ArchiveNeighbours:
    """Rows of the archive that were picked, with those around them, and the memories of the former."""

    archive: Archive
    picked: Rows
    near: Rows
    memories: Mapping[int, Memory]

    @property
    def places(self) -> Rows:
        """Where those that were picked stand among those around them."""
        return np.searchsorted(self.near, self.picked)

    def find_holders(self, forms: Sequence[str]) -> Rows:
        """Return by place who holds any form of a word: by the text where it was read, else by its hash."""
        holds = np.logical_or.reduce([self.archive.holding_among(word, self.near) for word in forms])
        for place in self.places.tolist():
            seq = int(self.archive.seq[self.near[place]])
            holds[place] = not set(forms).isdisjoint(stems(self.memories[seq].text))
        return np.flatnonzero(holds)


_Vectors = tuple[tuple[Ints, Any], tuple[Ints, Any] | None]


async def _vectors(core: Core, seqs: Sequence[int], question: RankQuestion) -> _Vectors:
    """Read the vectors of archived memories: their own, and those of the model that the question was asked by."""
    none = np.zeros(0, np.int64), np.zeros((0, 0), np.float16)
    own = await core.store.vectors(core.scope, only=seqs) if core.index.dimensions else none
    if not core.index.has_contextual(question.model_vector.model):
        return own, None
    return own, await core.store.vectors(core.scope, only=seqs, model=question.model_vector.model)


async def _pick_rows(core: Core, archive: Archive, question: RankQuestion, wanted: ArchiveFilter) -> Rows:
    """Return the rows of the archive that match best by hashes and pass the filters, ascending."""
    allowed = _filter_rows(archive, wanted)
    tells_all = _tells_all(wanted)
    most = READ_MOST if tells_all else LOOKED_AT
    ranking = await asyncio.to_thread(archive.rank_rows, question.query, question.asker, allowed, most)
    rows = ranking.rows
    if not tells_all and len(rows):
        passing = await _match_archive_filter(core, archive.seq[rows].tolist(), wanted)
        rows = rows[np.isin(archive.seq[rows], passing)]
    return np.sort(rows[:READ_MOST])


def _tells_all(wanted: ArchiveFilter) -> bool:
    filters = wanted.filters
    more = filters.tags or filters.has_more or filters.columns.keys() - _TOLD
    return not more and wanted.between is None


def _filter_rows(archive: Archive, wanted: ArchiveFilter) -> Bools:
    """Return the rows that pass the filters, as far as the archive tells; entities say nothing."""
    columns = archive.columns
    allowed: Bools = ~archive.match_name("thread", THREAD)
    if wanted.thread is not None:
        allowed &= archive.match_name("thread", wanted.thread)
    if wanted.between is not None:
        first, last = (at // MINUTE for at in wanted.between)
        allowed &= (columns["minute"] >= first) & (columns["minute"] <= last)
    for name, values in wanted.filters.columns.items():
        if name in _TOLD:
            codes = [code for value in values for code in _codes(archive, name, value)]
            allowed &= np.isin(columns[name], codes)
    return allowed


def _codes(archive: Archive, column: str, value: Any) -> Sequence[int]:
    """Return the numbers by which a value of a filter stands in a column."""
    if value is None:
        return (0,) if column in NAMED else ()
    return archive.numbers.get(value, ()) if column in NAMED else (int(value),)


async def _match_archive_filter(core: Core, seqs: Sequence[int], wanted: ArchiveFilter) -> Ints:
    """Return which memories pass the filters, by their columns and tags, not by their texts."""
    filters, now = wanted.filters, core.clock.now()
    request = SnapshotRequest(
        filters.list_columns(wanted.between), tags=frozenset(filters.tags), only=tuple(seqs)
    )
    snapshot = await core.store.snapshot(core.scope, request, now)
    passes = filters.match_rows(snapshot, wanted.between)
    if filters.has_more:
        passes &= np.isin(snapshot.seq, await find_passing(core, filters))
    passing_seqs: Ints = snapshot.seq[passes]
    return passing_seqs


def _rank_with_archive(
    core: Core,
    beside: _ArchiveNeighbours,
    question: RankQuestion,
    read: tuple[Mapping[str, Ints], _Vectors],
    masks: tuple[Bools, bool],
    pool: int,
) -> tuple[RankResult, list[int]]:
    """Put the memories that were read between those that stand, and rank both."""
    index, (postings, vectors), (allowed, is_lowered) = core.index, read, masks
    archive_corpus, speakers = _recode_archived_rows(core, beside)
    both = join_corpora(index.ground.corpus, archive_corpus, speakers)
    is_picked = np.zeros(len(beside.near), np.bool_)
    is_picked[beside.places] = True
    query = question.query
    terms = both.terms(
        query.stems,
        {stem: index.lending_rows(postings[stem]) for stem in query.stems},
        {stem: beside.find_holders(query.forms_of(stem)) for stem in query.stems},
    )
    asker = None if question.asker is None else _code_among(speakers, question.asker)
    ranking = rank(
        both.ground,
        terms,
        _own_cosines(core, beside, both, query, vectors[0]),
        replace(query, asker=asker),
        both.join_marks(allowed, is_picked),
        pool,
        _contextual(core, beside, both, question, vectors[1]),
        both.join_marks(np.zeros(len(allowed), np.bool_), is_picked) if is_lowered else None,
    )
    return ranking, both.ground.corpus.seq[ranking.rows].tolist()


def _code_among(speakers: Sequence[str], name: str) -> int:
    return speakers.index(name) if name in speakers else -2


def _recode_archived_rows(core: Core, beside: _ArchiveNeighbours) -> tuple[Corpus, list[str]]:
    """Return archived rows as the ranking sees them, in the codes of the index, and the speakers by code."""
    index, archive, near = core.index, beside.archive, beside.near
    whole, standing = archive.ground.corpus, index.ground.corpus
    speakers = [*index.names("speaker")]
    codes = {name: code for code, name in enumerate(speakers)}
    speaker = []
    for code in whole.speaker[near].tolist():
        name = archive.speakers[code] if code >= 0 else None
        if name is not None and name not in codes:
            codes[name] = len(speakers)
            speakers.append(name)
        speaker.append(-1 if name is None else codes[name])
    own = whole.segment[near]
    segment = own + (int(standing.segment.max(initial=-1)) + 1)
    for number in np.unique(own).tolist():
        at = int(near[np.flatnonzero(own == number)[0]])
        rows = _beside_rows(core, archive, at)
        if len(rows):
            segment[own == number] = standing.segment[rows[0]]
    columns = {name: getattr(whole, name)[near] for name in Corpus.__dataclass_fields__}
    columns |= {
        "segment": segment,
        "speaker": np.array(speaker, np.int32),
        "live": np.zeros(len(near), np.bool_),
    }
    for place in beside.places.tolist():  # what was read is known exactly
        memory = beside.memories[int(archive.seq[near[place]])]
        columns["words"][place], columns["said_at"][place] = memory.words, memory.said_at
        columns["value"][place] = memory.value or 0
    return Corpus(**columns), speakers


def _beside_rows(core: Core, archive: Archive, row: int) -> Rows:
    """Return the rows of the index that are of the session of an archived memory, else of its thread."""
    index = core.index
    for column in ("session", "thread"):
        number = int(archive.columns[column][row])
        if number:
            rows = index.column(column) == index.code(column, archive.names[number])
            return np.flatnonzero(rows if column == "session" else rows & (index.column("session") < 0))
    return np.zeros(0, np.intp)


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
    archive, near, (seqs, vectors) = beside.archive, beside.near, read
    bare = QuantizedVectors.make_empty(len(near), len(vector))
    at = np.searchsorted(archive.seq[near], seqs)
    bare.put(at, vectors)
    has_own = np.zeros(len(near), np.bool_)
    has_own[at] = True
    return MeasuredWindows.measure(archive.ground.corpus.take(near), bare).compare(vector), has_own
