"""What recall keeps of archived memories whose texts have left its index: hashes of their words, ranked like words.

Knows numbers and hashes; the few best are read and ranked with what stands by `leaving`.
"""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from remanence.clock import MINUTE
from remanence.flows.setting_rows import row_of
from remanence.model import Role
from remanence.recall.corpus import Bools, Corpus
from remanence.recall.fuse import Ground, Query, Ranked, ground_of, rank
from remanence.recall.lexical import term_of
from remanence.segment import segments
from remanence.store.base import Bookkeeping, Store
from remanence.word_hashes import COLUMNS, HASHES, NAMED, Part, hash_of, unpacked, worth_of

Ints = npt.NDArray[np.int64]
Rows = npt.NDArray[np.intp]


INDEXED_MOST = "archive_indexed_most"  # the setting, and what it is where nobody has set it
INDEXED_MOST_BUILT_IN = 200_000


async def is_left_out(store: Store, scope: str, now: int) -> bool:
    """Tell whether more memories are archived than the index of recall is to hold."""
    name = row_of(INDEXED_MOST)
    row = (await store.bookkeep(scope, Bookkeeping(now, get=(name,)))).values.get(name)
    most = INDEXED_MOST_BUILT_IN if row is None else row["value"]
    return (await store.archive_words(scope, None)).held > int(most)


@dataclass(frozen=True, slots=True)
class Archive:
    """The archived memories of a scope at one moment, in order of arrival; names are numbers of the store, 0 for none.

    `numbers` maps the names of each column to theirs. `rows` are those that hold each hash, one hash after another,
    `starts` where each begins.
    """

    seq: Ints
    columns: Mapping[str, Ints]
    numbers: Mapping[str, Mapping[str, int]]
    rows: npt.NDArray[np.int32]
    starts: Ints
    ground: Ground
    speakers: Sequence[str]

    def holding(self, stem: str) -> Rows:
        """Return, ascending, the rows that hold the hash of a stem."""
        number = hash_of(stem)
        return self.rows[self.starts[number] : self.starts[number + 1]].astype(np.intp)

    def number(self, column: str, name: str) -> int:
        """Return the number of a name in a column, or −1, which no row has."""
        return self.numbers[column].get(name, -1)

    def holding_among(self, stem: str, rows: Rows) -> Bools:
        """Tell which of some rows, ascending, hold the hash of a stem."""
        number = hash_of(stem)
        held = self.rows[self.starts[number] : self.starts[number + 1]]
        if not len(held):
            return np.zeros(len(rows), np.bool_)
        found: Bools = held[np.minimum(np.searchsorted(held, rows), len(held) - 1)] == rows
        return found

    def best(self, query: Query, asker: str | None, allowed: Bools, limit: int) -> Ranked:
        """Rank by hashes alone, as words are ranked; `asker` is a speaker's name."""
        ground, terms = self.ground, {}
        for stem in query.stems:
            rows, codes = self.holding(stem), self.ground.names.get(stem, ())
            terms[stem] = term_of(ground.windows, ground.damping, stem, rows, codes)
        code = self.speakers.index(asker) if asker in self.speakers else None
        plain = Query(query.text, query.stems, None, code, query.within_conversation)
        return rank(ground, terms, None, plain, allowed, limit)


class ArchiveIndex:
    """The archive of one scope; `at` brings it up to date."""

    def __init__(self, store: Store, scope: str) -> None:
        self._store = store
        self._scope = scope
        self._position = -1
        self._parts: dict[int, Part] = {}
        self._names: dict[int, str] = {}
        self._archive: Archive | None = None
        self._turn = asyncio.Lock()

    def forget(self) -> None:
        """Keep nothing."""
        self._position, self._parts, self._names, self._archive = -1, {}, {}, None

    async def read(self) -> tuple[Archive, int]:
        """Return the archive, and at which position of the scope."""
        async with self._turn:
            read = await self._store.archive_words(self._scope, self._position)
            if read.parts or self._archive is None:
                self._archive = None  # where this is cancelled half-way, the parts are put together again
                self._parts |= await asyncio.to_thread(_unpacked, read.parts)
                self._names |= read.names
                self._archive = await asyncio.to_thread(_archive, self._parts, self._names)
            self._position = read.position
            return self._archive, read.position


def _unpacked(parts: Mapping[int, bytes]) -> dict[int, Part]:
    return {number: unpacked(packed) for number, packed in parts.items()}


def _archive(parts: Mapping[int, Part], names: Mapping[int, str]) -> Archive:
    """Put the parts together."""
    ordered = [parts[number] for number in sorted(parts) if len(parts[number])]
    seq = _joined([part.seq for part in ordered])
    columns = {name: _joined([part.columns[name] for part in ordered]) for name in COLUMNS}
    rows, starts = _by_hash(ordered)
    used = {name: [number for number in np.unique(columns[name]).tolist() if number] for name in NAMED}
    numbers = {name: {names[number]: number for number in some} for name, some in used.items()}
    speakers = [names[number] for number in used["speaker"]]
    codes = np.where(columns["speaker"] > 0, np.searchsorted(used["speaker"], columns["speaker"]), -1)
    corpus = corpus_of(seq, columns, codes, *(columns[name] - 1 for name in NAMED[:3]))
    return Archive(seq, columns, numbers, rows, starts, ground_of(corpus, speakers), speakers)


def _by_hash(parts: Sequence[Part]) -> tuple[npt.NDArray[np.int32], Ints]:
    """Return the rows that hold each hash, one hash after another, and where each begins."""
    first, rows = 0, []
    for part in parts:
        rows.append(part.rows.astype(np.int32) + np.int32(first))
        first += len(part)
    hashes = np.concatenate([part.hashes for part in parts]) if parts else np.zeros(0, np.uint16)
    order = np.argsort(hashes, kind="stable")  # within one hash rows ascend already
    starts = np.concatenate(([0], np.cumsum(np.bincount(hashes, minlength=HASHES))))
    return (np.concatenate(rows) if rows else np.zeros(0, np.int32))[order], starts


def corpus_of(
    seq: Ints, columns: Mapping[str, Ints], speaker: Ints, session: Ints, thread: Ints, agent: Ints
) -> Corpus:
    """Return archived memories as the ranking sees them; names are codes, −1 for none."""
    said_at = columns["minute"] * MINUTE
    count = len(seq)
    return Corpus(
        seq=seq,
        segment=segments(session.astype(np.int32), thread.astype(np.int32), agent.astype(np.int32), said_at),
        words=columns["words"].astype(np.int32),
        speaker=speaker.astype(np.int32),
        said_at=said_at,
        value=worth_of(columns["worth"]),
        live=np.ones(count, np.bool_),
        counts=np.ones(count, np.bool_),
        assistant=columns["role"] == Role.ASSISTANT,
        asks=columns["asks"] > 0,
    )


def _joined(arrays: Iterable[Ints]) -> Ints:
    found = [*arrays]
    return np.concatenate(found) if found else np.zeros(0, np.int64)
