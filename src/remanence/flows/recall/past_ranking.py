"""What stood at an instant, ranked: rows of the index that say now what they said then, and texts of then between them.

Knows the index, the audit and the store; what a score is made of is the ranking's to know. Words of who says the same
are weighed by the scope of then, vectors of who stood beside somebody whose text changed by the neighbours of today.
"""

import asyncio
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from remanence.core.local_time import SaidSpan
from remanence.core.model import Memory, Role, Status
from remanence.core.snapshot import means
from remanence.edit.rewind import ChangesSince, mark_ended
from remanence.flows.base.as_of import Rewound, find_position, read_rewound, take_in_changes
from remanence.flows.base.context import Core
from remanence.flows.recall.filters import Filters
from remanence.flows.recall.question import Question, build_query
from remanence.read.entity import is_entity
from remanence.recall.corpus import Bools, Corpus, Floats
from remanence.recall.fuse import CandidateRows, Contextual, RankResult, rank
from remanence.recall.joined import JoinedCorpus, Rows, join_corpora
from remanence.recall.semantic import MeasuredWindows, touched_rows, word_weight
from remanence.store.base import AnswerRows, Arriving
from remanence.text.analysis import asks, stems, term_hash

_SILENT = frozenset({Status.PRUNED, Status.QUARANTINED})  # what lends no words to its neighbours
# Names under which the index keeps the last scope of then, and the vectors of texts of then, until something changes.
_KEPT, _EMBEDDED = "as of", "embedded as of"


@dataclass(frozen=True, slots=True)
class PastFilter:
    """What stood then and may be in an answer: filters as asked, and whether the archive of then is open to it."""

    statuses: tuple[Status, ...]
    thread: str | None
    between: SaidSpan | None
    filters: Filters
    opens: bool

    def is_met_by(self, memory: Memory) -> bool:
        """Tell whether a memory, as it was, passes all of it."""
        filters = self.filters
        return (
            (memory.status in self.statuses or (self.opens and memory.status is Status.ARCHIVED))
            and not is_entity(memory)
            and (self.thread is None or memory.thread == self.thread)
            and (self.between is None or memory.is_said_within(self.between))
            and all(getattr(memory, name) in values for name, values in filters.columns.items())
            and all(any(means(pattern, tag) for tag in memory.tags) for pattern in filters.tags)
            and filters.met_by(memory)
        )


@dataclass(frozen=True, slots=True, eq=False)
class PastScope:
    """A scope as it was at an instant: `changed` as they were, by number, and all that has words as one corpus.

    `kept` are the rows of the index that say now what they said then, `places` where those of them that changed
    otherwise stand among these, with how they were. `texts` are the memories whose words of then no row has;
    `holders` says by stem which of these hold it. `near_rows` are theirs in the corpus with those around them, and
    `near` the vectors of these, if there are any.
    """

    at: int
    rewound: Rewound
    changed: Mapping[int, Memory]
    kept: Rows
    places: Mapping[int, Memory]
    texts: Sequence[Memory]
    joined: JoinedCorpus
    speakers: Sequence[str]
    holders: Mapping[str, Sequence[int]]
    near: MeasuredWindows | None
    near_rows: Rows

    def mark(self, today: Bools, is_marked: Callable[[Memory], bool]) -> Bools:
        """Return by row what was so; `today` has the marks of the index, which hold of what did not change."""
        marks: Bools = self.join(today, lambda memories: np.array([*map(is_marked, memories)], np.bool_))
        return marks

    def join(
        self, today: npt.NDArray[Any], encode: Callable[[Sequence[Memory]], npt.NDArray[Any]]
    ) -> npt.NDArray[Any]:
        """Return a column by row: as the index has it `today` where nothing changed, else as memories had it."""
        values = np.empty(len(self.seq), today.dtype)
        standing = today[self.kept]
        standing[[*self.places]] = encode([*self.places.values()])
        values[self.joined.standing], values[self.joined.archived] = standing, encode(self.texts)
        return values

    @property
    def seq(self) -> npt.NDArray[np.int64]:
        """The numbers of its memories by row."""
        return self.joined.ground.corpus.seq

    def find_holders(self, forms: Sequence[str]) -> Rows:
        """Return which texts hold any form of a word."""
        return np.array(sorted({place for form in forms for place in self.holders.get(form, ())}), np.intp)

    async def read(self, core: Core, seqs: Sequence[int], today: AnswerRows) -> list[Memory | None]:
        """Return memories as they were, each saying what of it held no longer; None for what is erased meanwhile.

        `today` has their rows as they are now. What was written before these were read does not count.
        """
        known = {**self.changed, **{one.seq: one for one in self.texts}}
        late: dict[int, ChangesSince] = {}
        await take_in_changes(core, late, self.rewound.position)
        memories: list[Memory | None] = []
        for seq in seqs:
            since = late.get(seq, ChangesSince())
            then = known.get(seq) or since.rewind(core.scope, seq, today.memories.get(seq))
            memories.append(None if then is None else mark_ended(then, self.at))
        return memories


async def read_past_scope(core: Core, at: int, archived: Mapping[int, Memory]) -> PastScope:
    """Return the scope as it was, kept until something changes; the rows of the index stay still.

    `archived` are the best of an archive that has left the index: those that are in it since before are put in, too.
    """
    past = await _read_kept_scope(core, at)
    unchanged = [one for seq, one in sorted(archived.items()) if seq not in past.rewound.changes]
    return await _build_past(core, at, past.rewound, unchanged) if unchanged else past


async def _read_kept_scope(core: Core, at: int) -> PastScope:
    """Return the scope as it was; instants between which nothing was written are one, and share what is kept."""
    index = core.index
    position, past = index.derived.get(_KEPT, (None, None))
    if position != index.position or past is None or past.at != at:
        since = await find_position(core, at)
        known = past.rewound if position == index.position and past is not None else None
        if known is not None and known.since == since:
            past = replace(past, at=at)
        else:
            past = await _build_past(core, at, await read_rewound(core, at, since, known), ())
        index.derived[_KEPT] = index.position, past
    kept: PastScope = past
    return kept


async def rank_as_of(
    core: Core, past: PastScope, question: Question, among: CandidateRows, pool: int
) -> RankResult:
    """Rank a scope as it was; `among` are the rows of then that may be returned."""
    postings = await core.index.postings(question.forms, every=True)
    return await asyncio.to_thread(_rank_past, core, past, (question, postings), among, pool)


def _rank_past(
    core: Core,
    past: PastScope,
    asked: tuple[Question, Mapping[str, npt.NDArray[np.int64]]],
    among: CandidateRows,
    pool: int,
) -> RankResult:
    index, joined, (question, postings), forms = core.index, past.joined, asked, asked[0].forms
    place = np.full(len(index), -1, np.intp)
    place[past.kept] = np.arange(len(past.kept))
    standing = {stem: place[index.lending_rows(postings[stem])] for stem in forms}
    terms = joined.terms(
        list(forms),
        {stem: rows[rows >= 0] for stem, rows in standing.items()},
        {stem: past.find_holders(some) for stem, some in forms.items()},
    )
    asker, query = question.asked.asker, build_query(core, question, {})
    code = past.speakers.index(asker) if asker in past.speakers else -2
    query = replace(query, asker=None if asker is None else code)
    cosines, contextual = (
        _compare_vectors(core, past, query.vector),
        _compare_contextual(core, past, question),
    )
    return rank(joined.ground, terms, cosines, query, among, pool, contextual)


def _compare_vectors(core: Core, past: PastScope, vector: Floats | None) -> Floats | None:
    standing = core.index.compare(vector)
    if standing is None or vector is None:
        return None
    cosines = past.joined.by_row(standing[past.kept], np.zeros(len(past.texts), np.float32))
    if past.near is not None:
        places = np.searchsorted(past.near_rows, past.joined.archived)
        cosines[past.joined.archived] = past.near.compare(vector)[places]
    return cosines


def _compare_contextual(core: Core, past: PastScope, question: Question) -> Contextual | None:
    """Compare by the model whose vectors stand beside; texts of then have none."""
    own = core.index.compare_contextual(question.model.model, question.model.vector)
    if own is None:
        return None
    nothing = np.zeros(len(past.texts), np.float32)
    cosines = past.joined.by_row(own[0][past.kept], nothing)
    held = past.joined.join_marks(own[1][past.kept], nothing > 0)
    return Contextual(cosines, held, core.embedder.thresholds.weak_below)


async def _build_past(core: Core, at: int, rewound: Rewound, archived: Sequence[Memory]) -> PastScope:
    """Work a scope out as it was; `archived` are memories that changed in nothing since and have no rows."""
    changed = rewound.memories
    by_row = _find_rows_that_say_the_same(core, rewound, changed)
    lacking = [
        one
        for seq, one in changed.items()
        if seq not in by_row and one.status not in _SILENT and not _is_withheld(rewound.today[seq])
    ]
    texts = sorted([*(one for one in lacking if not is_entity(one)), *archived], key=lambda one: one.seq)
    vectors = await _embed_texts(core, [one.text for one in texts])
    return await asyncio.to_thread(_join_texts, core, (at, rewound, changed), by_row, texts, vectors)


def _is_withheld(today: Memory | None) -> bool:
    return today is not None and today.status is Status.QUARANTINED


def _find_rows_that_say_the_same(
    core: Core, rewound: Rewound, changed: Mapping[int, Memory]
) -> dict[int, int]:
    """Return by number the rows of what changed since, but not in its words, which the index still has."""
    same = [
        seq
        for seq, then in changed.items()
        for today in [rewound.today[seq]]
        if today is not None and today.text == then.text and today.status not in _SILENT
    ]
    numbers = np.array(sorted(same), np.int64)
    rows, here = core.index.rows_among(numbers)
    return dict(zip(numbers[here].tolist(), rows.tolist(), strict=True))


async def _embed_texts(core: Core, texts: Sequence[str]) -> npt.NDArray[np.float32]:
    """Embed texts of then as if they came today."""
    if not core.index.dimensions or not texts:
        return np.zeros((len(texts), core.index.dimensions), np.float32)
    vectors: dict[str, Floats] = core.index.derived.setdefault(_EMBEDDED, {})
    if new := [text for text in dict.fromkeys(texts) if text not in vectors]:
        hashes = {term_hash(stem) for text in new for stem in stems(text)}
        known = await core.store.arriving(core.scope, Arriving(terms=sorted(hashes)))
        weight = word_weight(known.memories, known.df)
        vectors |= zip(new, await asyncio.to_thread(core.embedder.embed, new, weight), strict=True)
    return np.array([vectors[text] for text in texts], np.float32)


def _join_texts(
    core: Core,
    when: tuple[int, Rewound, Mapping[int, Memory]],
    by_row: Mapping[int, int],
    texts: Sequence[Memory],
    vectors: Floats,
) -> PastScope:
    """Put texts of then between the rows that say the same."""
    index, (at, rewound, changed) = core.index, when
    stays = np.ones(len(index), np.bool_)
    stays[index.rows_among(np.array(sorted(rewound.changes), np.int64))[0]] = False
    stays[[*by_row.values()]] = True
    kept = np.flatnonzero(stays)
    places = {int(np.searchsorted(kept, row)): changed[seq] for seq, row in by_row.items()}
    standing = _turn_back(index.ground.corpus.take(kept), places)
    corpus, speakers = _build_corpus(core, texts)
    joined = join_corpora(standing, corpus, speakers)
    holders: dict[str, list[int]] = defaultdict(list)
    for place, memory in enumerate(texts):
        for stem in dict.fromkeys(stems(memory.text)):
            holders[stem].append(place)
    near, near_rows = None, touched_rows(joined.ground.windows, joined.archived)
    if index.dimensions and len(texts):
        row_today = np.zeros(len(corpus) + len(kept), np.intp)
        row_today[joined.standing] = kept
        bare = index.bare_vectors.select(row_today[near_rows])
        bare.put(np.searchsorted(near_rows, joined.archived), vectors.astype(np.float16))
        near = MeasuredWindows.measure(joined.ground.corpus.take(near_rows), bare)
    return PastScope(at, rewound, changed, kept, places, texts, joined, speakers, holders, near, near_rows)


def _turn_back(corpus: Corpus, places: Mapping[int, Memory]) -> Corpus:
    """Return rows that say the same with what else of them tells in the ranking, as it was."""
    words, counts, value = corpus.words.copy(), corpus.counts.copy(), corpus.value.copy()
    for place, memory in places.items():
        lends = memory.status not in _SILENT and not is_entity(memory)
        words[place], counts[place], value[place] = memory.words * lends, lends, memory.value or 0
    return replace(corpus, words=words, counts=counts, value=value)


def _build_corpus(core: Core, texts: Sequence[Memory]) -> tuple[Corpus, list[str]]:
    """Return texts of then as the ranking sees them, in the codes of the index, and the speakers by code."""
    speakers = [*core.index.names("speaker")]
    codes = {name: code for code, name in enumerate(speakers)}
    for memory in texts:
        if memory.speaker is not None and memory.speaker not in codes:
            codes[memory.speaker] = len(speakers)
            speakers.append(memory.speaker)
    corpus = Corpus(
        seq=np.array([one.seq for one in texts], np.int64),
        segment=np.array([*_number_segments(core, texts)], np.int32),
        words=np.array([one.words for one in texts], np.int32),
        speaker=np.array([-1 if one.speaker is None else codes[one.speaker] for one in texts], np.int32),
        said_at=np.array([one.said_at for one in texts], np.int64),
        said_local=np.array([one.said_local for one in texts], np.int64),
        value=np.array([one.value or 0 for one in texts], np.float32),
        live=np.zeros(len(texts), np.bool_),
        counts=np.ones(len(texts), np.bool_),
        assistant=np.array([one.role is Role.ASSISTANT for one in texts], np.bool_),
        asks=np.array([asks(one.text) for one in texts], np.bool_),
    )
    return corpus, speakers


def _number_segments(core: Core, texts: Iterable[Memory]) -> Iterable[int]:
    """Yield the segment of each text: its own row's, else that of its session or thread; a run's is not known."""
    index = core.index
    segment = index.ground.corpus.segment
    free = int(segment.max(initial=-1)) + 1
    numbers: dict[tuple[str, str | None], int] = {}
    for memory in texts:
        rows = index.rows_among(np.array([memory.seq], np.int64))[0]
        column = "session" if memory.session is not None else "thread"
        name = memory.session if memory.session is not None else memory.thread
        key = (column, name) if name is not None else ("", memory.id)
        if not len(rows) and name is not None and key not in numbers:
            is_beside = index.column(column) == index.code(column, name)
            if column == "thread":
                is_beside &= index.column("session") < 0
            rows = np.flatnonzero(is_beside)[:1]
        if len(rows):
            numbers.setdefault(key, int(segment[rows[0]]))
        elif key not in numbers:
            numbers[key] = free
            free += 1
        yield int(segment[rows[0]]) if len(rows) else numbers[key]
