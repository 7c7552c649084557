"""Whether the full text and its statistics are those of the texts: both as sums that no order changes.

Knows words, numbers of memories and the tables of the index; mends nothing. Words are numbered as they are met, so that
what is done for each word of each memory is done with arrays.
"""

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b

import numpy as np
import numpy.typing as npt

from remanence.store.sqlite import fulltext
from remanence.store.sqlite.dialect import WORDS_VIEW, tokens
from remanence.text.analysis import stems_once, term_hash

Ints = npt.NDArray[np.int64]
Words = npt.NDArray[np.uint64]

# FTS5's ascii tokeniser folds these, and nothing else.
_FOLD = {upper: upper + 32 for upper in range(ord("A"), ord("Z") + 1)}
_TEXTS = "SELECT seq, scope, text FROM memories"
_HELD = "SELECT term, count(*), group_concat(doc) FROM temp.held GROUP BY term"
_TEXTS_AT_ONCE, _WORDS_AT_ONCE = 1_024, 256
_ODD = np.uint64(0x9E3779B97F4A7C15)
# The constants of splitmix64, as `mixing` has them.
_FIRST, _SECOND = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)


def find_word_faults(connection: sqlite3.Connection) -> Iterator[str]:
    """Yield what the index and its statistics hold that the texts do not say, or the other way round."""
    said, held = WordTally(), WordTally()
    numbers: dict[int, Numbers] = {}
    holding: dict[int, int] = {}
    rows = connection.execute(_TEXTS)
    while batch := rows.fetchmany(_TEXTS_AT_ONCE):
        _count_texts(batch, numbers, holding, said)
    connection.execute(WORDS_VIEW)
    words = connection.execute(_HELD)
    while indexed := words.fetchmany(_WORDS_AT_ONCE):
        terms, counts, docs = zip(*indexed, strict=True)
        hashes = np.array(list(map(hash_word, terms)), np.uint64)
        held.add(np.repeat(hashes, counts), np.fromstring(",".join(docs), np.int64, sep=","))
    for word, seq in fulltext.waiting_words(connection):
        held.add(np.array([hash_word(_fold_token(word))], np.uint64), np.array([seq], np.int64))
    if held != said:
        yield f"full text holds {held.pairs} words of memories where the texts have {said.pairs}, or others"
    yield from _statistics(connection, numbers, holding)


@dataclass(slots=True)
class WordTally:
    """How many pairs of a word and a memory there are, and their sum."""

    pairs: int = 0
    total: np.uint64 = field(default_factory=lambda: np.uint64(0))

    def add(self, words: Words, seqs: Ints) -> "WordTally":
        """Count pairs in, and return this; a sum of hashes alone would not tell who has which word."""
        mixed = words ^ (seqs.view(np.uint64) * _ODD)
        mixed = (mixed ^ (mixed >> np.uint64(30))) * _FIRST
        mixed = (mixed ^ (mixed >> np.uint64(27))) * _SECOND
        self.pairs += len(seqs)
        with np.errstate(over="ignore"):
            self.total += np.add.reduce(mixed ^ (mixed >> np.uint64(31)))
        return self


class Numbers(dict[str, int]):
    """The number of each stem of a scope, in order of first sight, with how many memories hold it."""

    def __init__(self, scope: int) -> None:
        self._scope = scope
        self._hashes: list[int] = []
        self.counts: Ints = np.zeros(0, np.int64)

    def __missing__(self, stem: str) -> int:
        number = self[stem] = len(self)
        (token,) = tokens(self._scope, (stem,))
        self._hashes.append(hash_word(_fold_token(token)))
        return number

    def count(self, texts: Sequence[tuple[int, dict[str, None]]], said: WordTally) -> None:
        """Count the stems of some texts, each with the number of its memory."""
        lengths = np.fromiter((len(stems) for _, stems in texts), np.int64, len(texts))
        found: list[int] = []
        for _, stems in texts:
            found.extend(map(self.__getitem__, stems))
        given = np.array(found, np.int64)
        counts = np.bincount(given, minlength=len(self))
        counts[: len(self.counts)] += self.counts
        self.counts = counts
        hashes = np.array(self._hashes, np.uint64)
        seqs = np.repeat(np.fromiter((seq for seq, _ in texts), np.int64, len(texts)), lengths)
        words = hashes[given]
        if len(set(self._hashes)) < len(self._hashes):
            pairs = np.unique(np.stack((words.view(np.int64), seqs)), axis=1)
            words, seqs = pairs[0].view(np.uint64), pairs[1]
        said.add(words, seqs)


def _count_texts(
    rows: Iterable[tuple[int, int, str]],
    numbers: dict[int, Numbers],
    holding: dict[int, int],
    said: WordTally,
) -> None:
    """Count the stems of texts, scope by scope, and which memories hold any."""
    by_scope: dict[int, list[tuple[int, dict[str, None]]]] = {}
    for seq, scope, text in rows:
        by_scope.setdefault(scope, []).append((seq, dict.fromkeys(stems_once(text))))
    for scope, texts in by_scope.items():
        holding[scope] = holding.get(scope, 0) + sum(bool(stems) for _, stems in texts)
        numbers.setdefault(scope, Numbers(scope)).count(texts, said)


def _statistics(
    connection: sqlite3.Connection, numbers: dict[int, Numbers], holding: dict[int, int]
) -> Iterator[str]:
    counted: dict[tuple[int, int], int] = {}
    for scope, stems in numbers.items():
        for stem, count in zip(stems, stems.counts.tolist(), strict=True):
            key = scope, term_hash(stem)
            counted[key] = counted.get(key, 0) + count
    kept = {(scope, term): df for scope, term, df in connection.execute("SELECT scope, term, df FROM terms")}
    for key, df in fulltext.waiting_terms(connection).items():
        kept[key] = kept.get(key, 0) + df
    wrong = [key for key in kept.keys() | counted.keys() if kept.get(key, 0) != counted.get(key, 0)]
    if wrong:
        yield f"{len(wrong)} terms are counted wrongly"
    for scope, memories in connection.execute("SELECT scope, memories FROM scopes").fetchall():
        if memories != holding.get(scope, 0):
            yield f"scope {scope} counts {memories} memories with words, there are {holding.get(scope, 0)}"


def hash_word(token: str) -> int:
    """Return a word of the index as a number of 64 bits."""
    return int.from_bytes(blake2b(token.encode("utf-8", "surrogatepass"), digest_size=8).digest())


def _fold_token(token: str) -> str:
    return token if token == token.lower() else token.translate(_FOLD)
