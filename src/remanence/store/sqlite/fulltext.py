"""Full text and the statistics of terms: an index of the texts, kept inside the commit that changes them.

Knows stems and where they are counted; knows nothing of changes, and could be rebuilt from the texts alone. Small
commits put their texts into `waiting`, which every question looks through too; when enough wait, they are indexed
together.
"""

import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from remanence.store.sqlite.dialect import id_list, match, tokens
from remanence.text.analysis import stems, term_hash

Ints = npt.NDArray[np.int64]
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
    entries = list(_entries(scope, texts))
    (waiting,) = connection.execute("SELECT count(*) FROM waiting").fetchone()
    if len(entries) + waiting <= WAITING_MAX:
        connection.executemany(_WAIT, entries)
    else:
        _index(connection, [*_waiting(connection), *entries])
        connection.execute("DELETE FROM waiting")
    return len(entries)


def remove(connection: sqlite3.Connection, scope: int, texts: Texts) -> int:
    """Take texts out again, each exactly as it was put in; return how many of them held words."""
    entries = list(_entries(scope, texts))
    waiting = {entry.seq for entry in _waiting(connection)}
    indexed = [entry for entry in entries if entry.seq not in waiting]
    connection.executemany("DELETE FROM waiting WHERE seq = ?", [(entry.seq,) for entry in entries])
    connection.executemany(_REMOVE, [(entry.seq, entry.stems) for entry in indexed])
    counts = [(*key, df) for key, df in _document_frequencies(indexed).items()]
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
        held = add(connection, scope, texts.fetchall())
        connection.execute("UPDATE scopes SET memories = ? WHERE scope = ?", (held, scope))


def postings(connection: sqlite3.Connection, scope: int, wanted: Sequence[str]) -> dict[str, Ints]:
    """Return the ascending sequence numbers of the memories that hold each stem."""
    waiting = _waiting(connection, scope)
    return {stem: _posting(connection, scope, stem, waiting) for stem in wanted}


def frequencies(connection: sqlite3.Connection, scope: int, terms: Sequence[int]) -> dict[int, int]:
    """Return how many memories hold each term, for those that any memory holds."""
    found = connection.execute(
        "SELECT term, df FROM terms WHERE scope = ? AND term IN (SELECT value FROM json_each(?))",
        (scope, id_list(terms)),
    )
    df: dict[int, int] = dict(found.fetchall())
    blobs = connection.execute("SELECT terms FROM waiting WHERE scope = ?", (scope,)).fetchall()
    if terms and blobs:
        # A few hundred numbers: arrays take twice as long, their instructions being in no cache between two commits.
        late = memoryview(b"".join([blob for (blob,) in blobs])).cast("q")
        for term, more in Counter(filter(frozenset(terms).__contains__, late)).items():
            df[term] = df.get(term, 0) + more
    return df


def waiting_words(connection: sqlite3.Connection) -> Iterator[tuple[str, int]]:
    """Yield (word, seq) of every text that waits to be indexed."""
    return ((word, entry.seq) for entry in _waiting(connection) for word in entry.stems.split())


def waiting_terms(connection: sqlite3.Connection) -> Mapping[tuple[int, int], int]:
    """Return how many waiting texts hold each (scope, term)."""
    return _document_frequencies(_waiting(connection))


def words_of(text: str) -> dict[str, None]:
    """Return the distinct stems of a text in order."""
    return dict.fromkeys(stems(text))


def _entries(scope: int, texts: Texts) -> Iterator[Entry]:
    """Return what the index keeps of each text that holds words."""
    for seq, text in texts:
        distinct = words_of(text)
        if distinct:
            terms = np.fromiter(map(term_hash, distinct), np.int64, len(distinct))
            yield Entry(seq, scope, f" {' '.join(tokens(scope, distinct))} ", terms.tobytes())


def _waiting(connection: sqlite3.Connection, scope: int | None = None) -> list[Entry]:
    rows = connection.execute(
        "SELECT seq, scope, stems, terms FROM waiting WHERE ?1 IS NULL OR scope = ?1 ORDER BY seq", (scope,)
    )
    return [Entry(*row) for row in rows.fetchall()]


def _index(connection: sqlite3.Connection, entries: Sequence[Entry]) -> None:
    connection.executemany(_ADD, [(entry.seq, entry.stems) for entry in entries])
    connection.executemany(_COUNT_UP, [(*key, df) for key, df in _document_frequencies(entries).items()])


def _document_frequencies(entries: Iterable[Entry]) -> Mapping[tuple[int, int], int]:
    """Return how many entries hold each (scope, term)."""
    by_scope: dict[int, list[bytes]] = {}
    for entry in entries:
        by_scope.setdefault(entry.scope, []).append(entry.terms)
    df: dict[tuple[int, int], int] = {}
    for scope, terms in by_scope.items():
        held, counts = np.unique(np.frombuffer(b"".join(terms), np.int64), return_counts=True)
        df.update(zip(((scope, term) for term in held.tolist()), counts.tolist(), strict=True))
    return df


def _posting(connection: sqlite3.Connection, scope: int, stem: str, waiting: Sequence[Entry]) -> Ints:
    # Text to numbers is four times as fast here as one Python integer a row (97,000 rows: 8 ms, not 37).
    (found,) = connection.execute(
        "SELECT group_concat(rowid) FROM words WHERE words MATCH ?", (match(scope, stem),)
    ).fetchone()
    indexed = np.fromstring(found, np.int64, sep=",") if found else np.empty(0, np.int64)
    (word,) = tokens(scope, (stem,))
    word = f" {word} "
    late = [entry.seq for entry in waiting if word in entry.stems]
    return np.sort(np.concatenate((indexed, np.array(late, np.int64)))) if late else indexed
