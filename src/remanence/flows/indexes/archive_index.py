"""What recall keeps of archived memories whose texts have left its index: hashes of their words, ranked like words.

Knows numbers and hashes; the few best are read and ranked with what stands by `leaving`.
"""

import asyncio
import logging
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from remanence.core.arrival import WriteContext
from remanence.core.change import CommitResult
from remanence.core.clock import MINUTE
from remanence.core.errors import InvalidInput, StoreUnavailable, format_value
from remanence.core.model import Role
from remanence.core.segment import Codes, segments
from remanence.flows.indexes.arm import KeptTerms
from remanence.recall.corpus import Bools, Corpus
from remanence.recall.fuse import Ground, Query, RankResult, ground_of, rank
from remanence.recall.lexical import Term, name_forms, term_of
from remanence.store.base import ArchiveWords, setting_row
from remanence.store.capabilities import ArchiveWordStore
from remanence.text.word_hashes import (
    COLUMNS,
    NAMED,
    NO_PART,
    PART_ROWS,
    WordHashPart,
    hash_of,
    hashes_of,
    worth_of,
)

Ints = npt.NDArray[np.int64]
Rows = npt.NDArray[np.intp]
LOG = logging.getLogger(__name__)

# Archived memories that recall keeps whole; of more it keeps hashes of their words: measured, see decision 60.
INDEXED_MAX = 200_000
# The settings of a recall: what it leaves out, and how much links of the best answers add, in percent.
LEAVES_OUT, LINKS = "recall_leaves_out", "recall_links"
LINKS_BUILT_IN = 0
ARCHIVED, STALE = "archived", "stale"  # what may be left out
WEIGHED = (setting_row(LEAVES_OUT), setting_row(LINKS))  # what has to be read of a scope to weigh its archive


# Texts whose words are not indexed yet are read whole by a question, no more than so many; the rest it indexes first.
READ_WHOLE_MOST = PART_ROWS
# Where the words of more memories wait, the index of recall holds the archive, however large, until they are indexed.
INDEXED_FIRST_MOST = 20_000


class ArchiveWeight(NamedTuple):
    """How recall finds what is archived, and where the scope stands.

    `is_open` tells whether it does without being asked to, `by_hashes` whether by hashes of words; where it `waits`, it
    would, but that the words of too many memories wait. `links` is what that setting says, and `leaves_stale` whether
    what is stale is left out: they are read with these.
    """

    position: int
    is_open: bool
    by_hashes: bool
    waits: bool
    links: int
    leaves_stale: bool


async def weigh_archive(
    store: ArchiveWordStore, scope: str, known: WriteContext, counted: ArchiveWords | None = None
) -> tuple[ArchiveWeight, ArchiveWords]:
    """Say how recall finds what is archived: by hashes of words where it is more than the index is to hold.

    Return how many words there are, too; `counted` were these at their position. `known` is of the scope, with the
    values of `WEIGHED`.
    """
    leaves_out, links = map(known.values.get, WEIGHED)
    left_out = parse_left_out("" if leaves_out is None else leaves_out["value"])
    if counted is None or counted.position != known.position or counted.waiting:
        counted = await store.archive_words(scope, None)
    is_large, waits = counted.held + counted.waiting > INDEXED_MAX, counted.waiting > INDEXED_FIRST_MOST
    by_hashes = is_large and not waits
    weight = ArchiveWeight(
        known.position,
        ARCHIVED not in left_out,
        by_hashes,
        is_large and waits,
        LINKS_BUILT_IN if links is None else int(links["value"]),
        STALE in left_out,
    )
    return weight, counted


def parse_left_out(words: str) -> frozenset[str]:
    """Read what recall leaves out: `archived`, `stale`, or both with a comma between."""
    left_out = frozenset(word.strip() for word in words.split(",") if word.strip())
    if not left_out <= {ARCHIVED, STALE}:
        raise InvalidInput(
            f"{LEAVES_OUT} is {format_value(words)}",
            recovery=f"use {ARCHIVED}, {STALE}, or both with a comma between",
        )
    return left_out


async def index_words(
    store: ArchiveWordStore,
    scope: str,
    most: int = 0,
    stopping: Callable[[], bool] = lambda: False,
    waiting: int | None = None,
) -> int:
    """Index the words of archived memories, a part at a time, until those of at most so many wait; return of how many.

    Nothing is lost where it stops or is killed: the next one goes on. How many are `waiting` is read unless it is said.
    """
    to_index = (await store.archive_words(scope, None)).waiting if waiting is None else waiting
    for _ in range(to_index):
        if to_index <= most or stopping():
            break
        to_index = await store.index_archive(scope)
    return to_index


@dataclass(frozen=True, slots=True)
class Archive:
    """The archived memories of a scope at one moment, in order of arrival; names are numbers of the store, 0 for none.

    `first` is the row at which each part begins, `names` those behind the numbers, `numbers` all that one name has: one
    as a session, another as a thread.
    """

    seq: Ints
    columns: Mapping[str, npt.NDArray[Any]]
    parts: Sequence[WordHashPart]
    first: Ints
    names: Mapping[int, str]
    numbers: Mapping[str, Sequence[int]]
    ground: Ground
    speakers: Sequence[str]
    terms: KeptTerms = field(default_factory=KeptTerms)

    def find_rows(self, forms: Sequence[str]) -> Rows:
        """Return, ascending, the rows that hold the hash of any of some words."""
        found = []
        for number in hashes_of(forms):
            per_part = [part.find_rows(number) for part in self.parts]
            found.append(
                np.concatenate(per_part).astype(np.intp) + np.repeat(self.first, [*map(len, per_part)])
            )
        return found[0] if len(found) == 1 else np.unique(np.concatenate(found))

    def match_name(self, column: str, name: str) -> Bools:
        """Tell which rows have a name in a column."""
        return np.isin(self.columns[column], self.numbers.get(name, ()))

    def holding_among(self, stem: str, rows: Rows) -> Bools:
        """Tell which of some rows, ascending, hold the hash of a stem."""
        number, mask = hash_of(stem), np.zeros(len(rows), np.bool_)
        which = np.searchsorted(self.first, rows, "right") - 1
        for part in np.unique(which).tolist():
            here = which == part
            mask[here] = np.isin(rows[here] - self.first[part], self.parts[part].find_rows(number))
        return mask

    def rank_rows(self, query: Query, asker: str | None, allowed: Bools, limit: int) -> RankResult:
        """Rank by hashes alone, as words are ranked; `asker` is a speaker's name."""
        ground = self.ground
        terms = {stem: self._term(query.forms_of(stem)) for stem in query.stems}
        code = self.speakers.index(asker) if asker in self.speakers else None
        plain = replace(query, vector=None, asker=code, contextual=None)
        return rank(ground, terms, None, plain, allowed, limit)

    def _term(self, forms: Sequence[str]) -> Term:
        """Return the windows that hold the hash of any form of a stem, which is the first."""
        stem, name = forms[0], name_forms(forms)
        term = self.terms[name]
        if term is None:
            ground = self.ground
            codes = ground.names.get(stem, ())
            term = term_of(ground.windows, ground.damping, stem, self.find_rows(forms), codes)
            self.terms.keep(name, term)
        return term


class ArchiveIndex:
    """The archive of one scope; `at` brings it up to date."""

    def __init__(self, store: ArchiveWordStore, scope: str) -> None:
        self._store = store
        self._scope = scope
        self._position = -1
        self._parts: dict[int, WordHashPart] = {}
        self._names: dict[int, str] = {}
        self._archive: Archive | None = None
        self._counted: ArchiveWords | None = None
        self._turn = asyncio.Lock()
        self._indexing: asyncio.Task[int] | None = None
        self._stopped = False

    def forget(self) -> None:
        """Keep nothing."""
        self._position, self._parts, self._names, self._archive = -1, {}, {}, None

    def pass_over(self, done: CommitResult) -> None:
        """Go on past a commit that changed nothing that is counted here, where it is the next."""
        if self._counted is not None and self._counted.position == done.follows >= 0:
            self._counted = replace(self._counted, position=done.position)

    async def weigh(self, known: WriteContext) -> ArchiveWeight:
        """Say how recall finds what is archived; where nobody wrote since it was asked last, nothing is counted.

        `known` is of the scope, with the values of `WEIGHED`.
        """
        weight, self._counted = await weigh_archive(self._store, self._scope, known, self._counted)
        return weight

    async def read(self) -> tuple[Archive, int]:
        """Return the archive, and from which position of the scope on it is as it is now."""
        async with self._turn:
            with suppress(StoreUnavailable):  # a store that takes no writes is read as it stands
                await index_words(self._store, self._scope, READ_WHOLE_MOST)
            read = await self._store.archive_words(self._scope, self._position)
            if read.parts or self._archive is None:
                self._archive = None  # where this is cancelled half-way, the parts are put together again
                self._parts |= read.parts
                self._names |= read.names
                self._archive = await asyncio.to_thread(_archive, self._parts, self._names)
            self._position = read.position
            return self._archive, read.changed

    def begin_indexing(self) -> None:
        """Index all words that wait, beside the verbs, unless that is under way; a store that takes none keeps them."""
        if self._indexing is None or self._indexing.done():
            if self._indexing is not None and not self._indexing.cancelled():
                self._indexing.exception()  # looked at: it is tried again
            work = index_words(self._store, self._scope, stopping=lambda: self._stopped)
            self._indexing = asyncio.create_task(work)

    async def stop_indexing(self) -> None:
        """End with the part that is under way; the next opening goes on."""
        self._stopped = True
        if self._indexing is not None:
            await asyncio.wait([self._indexing])
            if not self._indexing.cancelled() and (error := self._indexing.exception()) is not None:
                LOG.warning("not all archived words were indexed: %s; the next opening goes on", error)


def _archive(parts: Mapping[int, WordHashPart], names: Mapping[int, str]) -> Archive:
    """Put the parts together."""
    sorted_parts = [parts[number] for number in sorted(parts) if len(parts[number])] or [NO_PART]
    seq = np.concatenate([part.seq for part in sorted_parts])
    columns = {name: np.concatenate([part.columns[name] for part in sorted_parts]) for name in COLUMNS}
    first = np.cumsum([0, *map(len, sorted_parts)])[:-1]
    speakers, codes = _encode_numbers(columns["speaker"])
    numbers: dict[str, list[int]] = defaultdict(list)
    for number, name in names.items():
        numbers[name].append(number)
    corpus = corpus_of(seq, columns, codes, *(columns[name] - 1 for name in NAMED[:3]))
    speaker_names = [names[number] for number in speakers]
    return Archive(
        seq, columns, sorted_parts, first, names, numbers, ground_of(corpus, speaker_names), speaker_names
    )


def _encode_numbers(numbers: npt.NDArray[Any]) -> tuple[list[int], npt.NDArray[np.int32]]:
    """Return the distinct numbers, ascending, and the place of each among them, −1 for 0."""
    used = np.zeros(int(numbers.max(initial=0)) + 1, np.bool_)
    used[numbers] = True
    used[0] = False
    codes = (np.cumsum(used) - 1).astype(np.int32)
    codes[0] = -1
    return np.flatnonzero(used).tolist(), codes[numbers]


def corpus_of(
    seq: Ints,
    columns: Mapping[str, npt.NDArray[Any]],
    speaker: Codes,
    session: Codes,
    thread: Codes,
    agent: Codes,
) -> Corpus:
    """Return archived memories as the ranking sees them; names are codes, −1 for none."""
    said_at = columns["minute"] * MINUTE
    count = len(seq)
    return Corpus(
        seq=seq,
        segment=segments(session, thread, agent, said_at),
        words=columns["words"],
        speaker=speaker,
        said_at=said_at,
        value=worth_of(columns["worth"]),
        live=np.ones(count, np.bool_),
        counts=np.ones(count, np.bool_),
        assistant=columns["role"] == Role.ASSISTANT,
        asks=columns["asks"] > 0,
    )
