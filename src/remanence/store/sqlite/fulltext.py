"""Full text and the statistics of terms: an index of the texts, kept inside the commit that changes them, and checked.

Knows stems and where they are counted; knows nothing of changes, and could be rebuilt from the texts alone. Small
commits put their texts into `waiting`, which every question looks through too; when enough wait, they are indexed
together. Its check compares sums that no order changes: what is done for each word of each memory is done with arrays.
"""

import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import orjson

from remanence.store.sqlite.dialect import WORDS_VIEW, id_list, match, tokens
from remanence.text.analysis import stems, stems_once, term_hash

Ints = npt.NDArray[np.int64]
Words = npt.NDArray[np.uint64]
# FTS5's ascii tokeniser folds these, and nothing else.
_FOLD = {upper: upper + 32 for upper in range(ord("A"), ord("Z") + 1)}
_TEXTS = "SELECT seq, scope, text FROM memories"
_HELD = "SELECT term, count(*), group_concat(doc) FROM temp.held GROUP BY term"
# Between a beginning and itself with the last character there is behind it stands all that begins so.
_BEGINNING = (
    "SELECT t.term FROM json_each(?) AS given CROSS JOIN temp.held_terms t"
    " WHERE t.term >= given.value AND t.term < given.value || char(1114111)"
)
_TEXTS_AT_ONCE, _WORDS_AT_ONCE = 1_024, 256
_ODD = np.uint64(0x9E3779B97F4A7C15)
# The constants of splitmix64, as `mixing` has them.
_FIRST, _SECOND = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)


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
        for _, stemmed in texts:
            found.extend(map(self.__getitem__, stemmed))
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


Texts = Iterable[tuple[int, str]]  # (seq, text)
# Indexing one text alone dirties 30 pages, 64 texts together 3 each; looking through 64 costs 50 µs.
WAITING_MAX = 64
_WAIT = "INSERT INTO waiting (seq, scope, stems, terms) VALUES (?, ?, ?, ?)"
_ADD = "INSERT INTO words (rowid, stems) VALUES (?, ?)"
_REMOVE = "INSERT INTO words (words, rowid, stems) VALUES ('delete', ?, ?)"
_COUNT_UP = (
    "INSERT INTO terms (scope, term, df) VALUES (?, ?, ?)"
    " ON CONFLICT (scope, term) DO UPDATE SET df = df + excluded.df"
)
_COUNT_DOWN = "UPDATE terms SET df = df - ?3 WHERE scope = ?1 AND term = ?2"
_DROP = "DELETE FROM terms WHERE scope = ?1 AND term = ?2 AND df = 0"


class Entry(NamedTuple):
    """A text as the index keeps it: its words behind their scope, with a blank at each side, and its terms."""

    seq: int
    scope: int
    stems: str
    terms: bytes  # 8 bytes each


def add(connection: sqlite3.Connection, scope: int, texts: Texts) -> int:
    """Take new texts in; return how many of them hold words."""
    entries = list(_build_entries(scope, texts))
    (waiting,) = connection.execute("SELECT count(*) FROM waiting").fetchone()
    if len(entries) + waiting <= WAITING_MAX:
        connection.executemany(_WAIT, entries)
    else:
        arrived = [*_read_waiting_entries(connection), *entries]
        connection.executemany(_ADD, [(entry.seq, entry.stems) for entry in arrived])
        connection.executemany(_COUNT_UP, [(*key, df) for key, df in _document_frequencies(arrived).items()])
        connection.execute("DELETE FROM waiting")
    return len(entries)


def remove(connection: sqlite3.Connection, scope: int, texts: Texts) -> int:
    """Take texts out again, each exactly as it was put in; return how many of them held words."""
    entries = list(_build_entries(scope, texts))
    waiting = {entry.seq for entry in _read_waiting_entries(connection)}
    index_entries = [entry for entry in entries if entry.seq not in waiting]
    connection.executemany("DELETE FROM waiting WHERE seq = ?", [(entry.seq,) for entry in entries])
    connection.executemany(_REMOVE, [(entry.seq, entry.stems) for entry in index_entries])
    counts = [(*key, df) for key, df in _document_frequencies(index_entries).items()]
    connection.executemany(_COUNT_DOWN, counts)
    connection.executemany(_DROP, [count[:2] for count in counts])
    return len(entries)


def rebuild(connection: sqlite3.Connection) -> None:
    """Make the whole index anew from the texts."""
    connection.execute("INSERT INTO words (words) VALUES ('delete-all')")
    connection.execute("DELETE FROM waiting")
    connection.execute("DELETE FROM terms")
    connection.execute("UPDATE scopes SET memories = 0")
    for (scope,) in connection.execute("SELECT scope FROM scopes").fetchall():
        texts = connection.execute("SELECT seq, text FROM memories WHERE scope = ? ORDER BY seq", (scope,))
        count = add(connection, scope, texts.fetchall())
        connection.execute("UPDATE scopes SET memories = ? WHERE scope = ?", (count, scope))


def postings(connection: sqlite3.Connection, scope: int, wanted: Sequence[str]) -> dict[str, Ints]:
    """Return the ascending sequence numbers of the memories that hold each stem."""
    waiting = _read_waiting_entries(connection, scope)
    return {stem: _read_posting(connection, scope, stem, waiting) for stem in wanted}


def vocabulary(connection: sqlite3.Connection, scope: int, beginnings: Sequence[str]) -> list[str]:
    """Return the stems of a scope that begin with one of these, in order."""
    begins = tokens(scope, beginnings)
    rows = connection.execute(_BEGINNING, (orjson.dumps(begins).decode(),)).fetchall()
    late = (word for entry in _read_waiting_entries(connection, scope) for word in entry.stems.split())
    words = {term for (term,) in rows} | set(filter(lambda word: word.startswith(tuple(begins)), late))
    return sorted(word.partition(":")[2] for word in words)


def frequencies(connection: sqlite3.Connection, scope: int, terms: Sequence[int]) -> dict[int, int]:
    """Return how many memories hold each term, for those that any memory holds."""
    rows = connection.execute(
        "SELECT term, df FROM terms WHERE scope = ?1 AND term IN (SELECT value FROM json_each(?2))"
        " UNION ALL SELECT NULL, terms FROM waiting WHERE scope = ?1",
        (scope, id_list(terms)),
    ).fetchall()
    df: dict[int, int] = {term: count for term, count in rows if term is not None}
    blobs = [blob for term, blob in rows if term is None]
    if terms and blobs:
        # A few hundred numbers: arrays take twice as long, their instructions being in no cache between two commits.
        late = memoryview(b"".join(blobs)).cast("q")
        for term, more in Counter(filter(frozenset(terms).__contains__, late)).items():
            df[term] = df.get(term, 0) + more
    return df


def waiting_words(connection: sqlite3.Connection) -> Iterator[tuple[str, int]]:
    """Yield (word, seq) of every text that waits to be indexed."""
    return ((word, entry.seq) for entry in _read_waiting_entries(connection) for word in entry.stems.split())


def waiting_terms(connection: sqlite3.Connection) -> Mapping[tuple[int, int], int]:
    """Return how many waiting texts hold each (scope, term)."""
    return _document_frequencies(_read_waiting_entries(connection))


def words_of(text: str) -> dict[str, None]:
    """Return the distinct stems of a text in order."""
    return dict.fromkeys(stems(text))


def _build_entries(scope: int, texts: Texts) -> Iterator[Entry]:
    """Return what the index keeps of each text that holds words."""
    for seq, text in texts:
        distinct = words_of(text)
        if distinct:
            terms = np.fromiter(map(term_hash, distinct), np.int64, len(distinct))
            yield Entry(seq, scope, f" {' '.join(tokens(scope, distinct))} ", terms.tobytes())


def _read_waiting_entries(connection: sqlite3.Connection, scope: int | None = None) -> list[Entry]:
    rows = connection.execute(
        "SELECT seq, scope, stems, terms FROM waiting WHERE ?1 IS NULL OR scope = ?1 ORDER BY seq", (scope,)
    )
    return [Entry(*row) for row in rows.fetchall()]


def _document_frequencies(entries: Iterable[Entry]) -> Mapping[tuple[int, int], int]:
    """Return how many entries hold each (scope, term)."""
    by_scope: dict[int, list[bytes]] = {}
    for entry in entries:
        by_scope.setdefault(entry.scope, []).append(entry.terms)
    df: dict[tuple[int, int], int] = {}
    for scope, terms in by_scope.items():
        unique_terms, counts = np.unique(np.frombuffer(b"".join(terms), np.int64), return_counts=True)
        df.update(zip(((scope, term) for term in unique_terms.tolist()), counts.tolist(), strict=True))
    return df


def _read_posting(connection: sqlite3.Connection, scope: int, stem: str, waiting: Sequence[Entry]) -> Ints:
    # Text to numbers is four times as fast here as one Python integer a row (97,000 rows: 8 ms, not 37).
    (row_ids,) = connection.execute(
        "SELECT group_concat(rowid) FROM words WHERE words MATCH ?", (match(scope, stem),)
    ).fetchone()
    seqs = np.fromstring(row_ids, np.int64, sep=",") if row_ids else np.empty(0, np.int64)
    (word,) = tokens(scope, (stem,))
    word = f" {word} "
    late = [entry.seq for entry in waiting if word in entry.stems]
    return np.sort(np.concatenate((seqs, np.array(late, np.int64)))) if late else seqs


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
    for word, seq in waiting_words(connection):
        held.add(np.array([hash_word(_fold_token(word))], np.uint64), np.array([seq], np.int64))
    if held != said:
        yield f"full text holds {held.pairs} words of memories where the texts have {said.pairs}, or others"
    yield from _check_statistics(connection, numbers, holding)


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


def _check_statistics(
    connection: sqlite3.Connection, numbers: dict[int, Numbers], holding: dict[int, int]
) -> Iterator[str]:
    counted: dict[tuple[int, int], int] = {}
    for scope, known in numbers.items():
        for stem, count in zip(known, known.counts.tolist(), strict=True):
            key = scope, term_hash(stem)
            counted[key] = counted.get(key, 0) + count
    kept = {(scope, term): df for scope, term, df in connection.execute("SELECT scope, term, df FROM terms")}
    for key, df in waiting_terms(connection).items():
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
