"""Full text and the statistics of terms: an index of the texts, kept inside the commit that changes them, and checked.

Knows stems and where they stand; knows nothing of changes, and could be rebuilt from the texts alone. Small commits put
their texts into `waiting`, which every question looks through too; when enough wait, they are indexed together.

A stem has one row that grows, its tail: the numbers that came last, 4 bytes each, with the hash of the stem and the
count of all memories that hold it. A tail of enough numbers is emptied into blocks. A block stands under the first
number that it holds and has the hash 0, so that a hash finds one row; it is the greatest of its numbers, how many bytes
a distance takes, and each number as the distance from the one before. A number stands in one place, and blocks may
overlap: a text that is changed goes to the tail again.
"""

from array import array
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from itertools import groupby, islice
from operator import itemgetter
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from remanence.core.model import INT_MAX
from remanence.store.sql.database import Ints, first
from remanence.store.sql.dialect import Statement, build_insert
from remanence.store.sql.scope import OpenScope
from remanence.text.analysis import stems, stems_once, term_hash

Words = npt.NDArray[np.uint64]
Texts = Iterable[tuple[int, str]]  # (seq, text)
Entry = tuple[int, list[str]]  # a text as the index keeps it: (seq, under what its stems stand)

# To index one text alone writes a page a word; looking through 64 texts costs 50 µs.
WAITING_MAX = 64
TAIL = INT_MAX  # the number of the block that grows
_UNHASHED = 0  # the hash of a full block; that of no stem
_NUMBER_BYTES = 4
_FULL = 256  # numbers in a tail that is emptied: it stays in its page
_BLOCK_MAX = 512
_TURNS = 13
_HEAD_BYTES = 5
_DISTANCES: Mapping[int, np.dtype[Any]] = {1: np.dtype("u1"), 2: np.dtype("<u2"), 4: np.dtype("<u4")}
_NUMBERS = np.dtype("<u4")
# Of 4 bytes each, so many characters fit in a key of PostgreSQL, whose limit is 2,704 bytes.
_STEM_CHARS_MAX = 600
_LAST_CHARACTER = "\U0010ffff"
_TEXTS_AT_ONCE, _ROWS_AT_ONCE, _STEMS_KNOWN = 1_024, 4_096, 1 << 20
_ODD = np.uint64(0x9E3779B97F4A7C15)
# The constants of splitmix64, as `sums` has them.
_FIRST, _SECOND = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)

COLUMNS = ("scope", "stem", "block", "term", "count", "seqs")
_COUNT_WAITING = Statement("SELECT count(*) FROM waiting WHERE scope = ?1")
_WAIT = Statement(build_insert("waiting", ("scope", "seq", "stems", "terms")))
# The stems of a text stand with a blank at each side, their hashes take 8 bytes each.
_READ_WAITING = Statement("SELECT seq, stems, terms FROM waiting WHERE scope = ?1 ORDER BY seq")
_END_WAITING = Statement("DELETE FROM waiting WHERE scope = ?1")
_TAKE_WAITING = Statement(
    lambda sql: f"DELETE FROM waiting WHERE scope = ?1 AND seq {sql.among(2)} RETURNING seq"
)
_APPEND = Statement(
    lambda sql: (
        f"{build_insert('postings', COLUMNS)} ON CONFLICT (scope, stem, block) DO UPDATE"
        f" SET seqs = {sql.concatenate('postings.seqs', 'excluded.seqs')}, count = postings.count + excluded.count"
    )
)
_FIND_FULL = Statement(
    lambda sql: (
        f"SELECT stem, term, count, seqs FROM postings WHERE scope = ?1 AND stem {sql.among_texts(2)}"
        f" AND block = {TAIL} AND length(seqs) >= {_FULL * _NUMBER_BYTES}"
    )
)
_PUT = Statement(build_insert("postings", COLUMNS, ("scope", "stem", "block")))
_DELETE = Statement("DELETE FROM postings WHERE scope = ?1 AND stem = ?2 AND block = ?3")
# The tail, and the blocks that can hold a number of these bounds.
_FIND_HOLDING = Statement(
    lambda sql: (
        "SELECT stem, block, term, count, seqs FROM postings"
        f" WHERE scope = ?1 AND stem {sql.among_texts(2)}"
        f" AND (block = {TAIL} OR (block <= ?3 AND substr(seqs, 1, {_NUMBER_BYTES}) >= ?4))"
    )
)
_EMPTY = Statement("DELETE FROM postings WHERE scope = ?1")
_PAGE = Statement(
    f"SELECT seq, text FROM memories WHERE scope = ?1 AND seq > ?2 ORDER BY seq LIMIT {_TEXTS_AT_ONCE}"
)
_TEXTS = Statement("SELECT seq, text FROM memories WHERE scope = ?1")
_ALL = Statement("SELECT stem, block, term, count, seqs FROM postings WHERE scope = ?1 ORDER BY stem, block")
# What waits comes with what was asked for: the stems of a text under its number below 0.
_SEARCH = Statement(
    lambda sql: (
        f"SELECT stem, block, seqs FROM postings WHERE scope = ?1 AND stem {sql.among_texts(2)}"
        " UNION ALL SELECT stems, -seq, NULL FROM waiting WHERE scope = ?1"
    )
)
# Between a beginning and itself with the last character there is behind it stands all that begins so; without LEFT,
# SQLite looks at every stem.
_BEGINNING = Statement(
    lambda sql: (
        f"SELECT p.stem, p.block FROM {sql.from_texts(2)} LEFT JOIN postings p ON p.scope = ?1"
        f" AND p.stem >= given.value AND p.stem < given.value || ?3 AND p.block = {TAIL}"
        " UNION ALL SELECT stems, -seq FROM waiting WHERE scope = ?1"
    )
)
# Left alone, SQLite looks at every row of the scope.
_FREQUENCIES = Statement(
    lambda sql: (
        f"SELECT term, count, NULL FROM postings{sql.by_index('postings_term')}"
        f" WHERE scope = ?1 AND term {sql.among(2)}"
        " UNION ALL SELECT NULL, NULL, terms FROM waiting WHERE scope = ?1"
    )
)


class _PostingBlock(NamedTuple):
    """A row of `postings` without its scope."""

    stem: str
    block: int
    term: int
    memories: int
    seqs: bytes


def add(scope: OpenScope, texts: Texts) -> int:
    """Take new texts in; return how many of them hold words."""
    arrived = list(texts)
    entries = list(_build_entries(arrived))
    if arrived and _is_due(scope, [seq for seq, _ in arrived], len(entries)):
        waiting = [(seq, text.split()) for seq, text, _ in scope.db.rows(_READ_WAITING, (scope.no,))]
        _index_entries(scope, [*waiting, *entries])
        if waiting:
            scope.db.run(_END_WAITING, (scope.no,))
    elif entries:
        scope.db.run_many(
            _WAIT, [(scope.no, seq, f" {' '.join(keys)} ", _pack_terms(keys)) for seq, keys in entries]
        )
    return len(entries)


def remove(scope: OpenScope, texts: Texts) -> int:
    """Take texts out again, each exactly as it was put in; return how many of them held words."""
    entries = list(_build_entries(texts))
    if not entries:
        return 0
    listed = scope.db.make_list([seq for seq, _ in entries])
    waited = {seq for (seq,) in scope.db.rows(_TAKE_WAITING, (scope.no, listed))}
    gone: dict[str, list[int]] = defaultdict(list)
    for seq, keys in entries:
        if seq not in waited:
            for stem in keys:
                gone[stem].append(seq)
    if gone:
        _cut(scope, gone)
    return len(entries)


def rebuild(scope: OpenScope) -> None:
    """Make the whole index of a scope anew from the texts."""
    scope.db.run(_END_WAITING, (scope.no,))
    scope.db.run(_EMPTY, (scope.no,))
    memories, after = 0, 0
    while texts := scope.db.rows(_PAGE, (scope.no, after)):
        entries = list(_build_entries(texts))
        _index_entries(scope, entries)
        memories, after = memories + len(entries), texts[-1][0]
    scope.row = scope.row._replace(memories=memories)


def postings(scope: OpenScope, wanted: Sequence[str]) -> dict[str, Ints]:
    """Return the ascending sequence numbers of the memories that hold each stem."""
    keys = {stem: _build_key(stem) for stem in wanted}
    found: dict[str, list[tuple[int, bytes]]] = {key: [] for key in keys.values()}
    late: dict[str, list[int]] = defaultdict(list)
    rows = scope.db.rows(_SEARCH, (scope.no, scope.db.make_list(found))) if found else []
    for text, block, seqs in rows:
        if seqs is not None:
            found[text].append((block, seqs))
            continue
        for key in (key for key in found if f" {key} " in text):
            late[key].append(-block)
    read = {key: _read_numbers(blocks, late.get(key, ())) for key, blocks in found.items()}
    return {stem: read[key] for stem, key in keys.items()}


def vocabulary(scope: OpenScope, beginnings: Sequence[str]) -> list[str]:
    """Return the stems of a scope that begin with one of these, in order."""
    begins = tuple({_replace_blanks(beginning[:_STEM_CHARS_MAX]) for beginning in beginnings})
    if not begins:
        return []
    values = scope.no, scope.db.make_list(begins), _LAST_CHARACTER
    words: set[str] = set()
    for text, block in scope.db.rows(_BEGINNING, values):
        if block == TAIL:
            words.add(text)
        elif block is not None:
            words.update(one for one in text.split() if one.startswith(begins))
    return sorted(words)


def frequencies(scope: OpenScope, terms: Sequence[int]) -> dict[int, int]:
    """Return how many memories hold each term, for those that any memory holds."""
    if not terms:
        return {}
    rows = scope.db.rows(_FREQUENCIES, (scope.no, scope.db.make_list(terms)))
    df: dict[int, int] = {term: count for term, count, _ in rows if term is not None}
    blobs = [blob for term, _, blob in rows if term is None]
    if blobs:
        # A few hundred numbers: arrays take twice as long, their instructions being in no cache between two commits.
        late = memoryview(b"".join(blobs)).cast("q")
        for term, more in Counter(filter(frozenset(terms).__contains__, late)).items():
            df[term] = df.get(term, 0) + more
    return df


def words_of(text: str) -> dict[str, None]:
    """Return the distinct stems of a text in order."""
    return dict.fromkeys(stems(text))


def _build_keys(found: Iterable[str]) -> list[str]:
    """Return under what distinct stems stand: each itself, but where it is very long, or has a blank in it."""
    distinct = list(dict.fromkeys(found))
    text = "".join(distinct)
    if len(text) > _STEM_CHARS_MAX or not text.isalnum():
        return list(dict.fromkeys(map(_build_key, distinct)))
    return distinct


def _build_key(stem: str) -> str:
    """Return under what a stem stands: one that is very long under its beginning with its hash."""
    if len(stem) > _STEM_CHARS_MAX:
        mark = blake2b(stem.encode("utf-8", "surrogatepass"), digest_size=_HEAD_BYTES).hexdigest()
        stem = stem[: _STEM_CHARS_MAX - len(mark)] + mark
    return _replace_blanks(stem)


def _replace_blanks(stem: str) -> str:
    """Return a stem that can stand between blanks in a text that a database keeps; those of texts do as they are."""
    return stem if stem.isalnum() else stem.replace(" ", "\ufffd").replace("\0", "\ufffd")


def _build_entries(texts: Texts) -> Iterator[Entry]:
    """Return what the index keeps of each text that holds words."""
    for seq, text in texts:
        keys = _build_keys(stems(text))
        if keys:
            yield seq, keys


def _pack_terms(keys: Iterable[str]) -> bytes:
    return array("q", map(term_hash, keys)).tobytes()


def _is_due(scope: OpenScope, seqs: Sequence[int], count: int) -> bool:
    """Tell whether texts that arrive are indexed, with all that wait, rather than wait as well.

    New memories are counted by their numbers: whichever commit has one that 64 divides indexes. Nothing is asked so.
    """
    if count > WAITING_MAX:
        return True
    least, greatest = min(seqs), max(seqs)
    if least > scope.opened.latest:
        return greatest // WAITING_MAX > (least - 1) // WAITING_MAX
    return int(first(scope.db.row(_COUNT_WAITING, (scope.no,)))) + count > WAITING_MAX


def _index_entries(scope: OpenScope, entries: Sequence[Entry]) -> None:
    """Put the numbers of texts to the tails of their stems, and empty those that are full."""
    added: dict[str, bytearray] = defaultdict(bytearray)
    for seq, keys in entries:
        number = seq.to_bytes(_NUMBER_BYTES, "little")
        for stem in keys:
            added[stem] += number
    if not added:
        return
    rows = [
        (scope.no, stem, TAIL, term_hash(stem), len(numbers) // _NUMBER_BYTES, bytes(numbers))
        for stem, numbers in sorted(added.items())
    ]
    scope.db.run_many(_APPEND, rows)
    # Most stems of a batch are rare: a part of those that came once is looked at each time.
    turn = max(seq for seq, _ in entries)
    grown = [row[1] for row in rows if row[4] > 1 or (row[3] + turn) % _TURNS == 0]
    full = scope.db.rows(_FIND_FULL, (scope.no, scope.db.make_list(grown))) if grown else []
    put: list[_PostingBlock] = []
    for stem, term, count, seqs in full:
        numbers = np.sort(np.frombuffer(seqs, _NUMBERS).astype(np.int64))
        put.append(_PostingBlock(stem, TAIL, term, count, b""))
        put += [_pack(stem, part) for part in np.array_split(numbers, -(-len(numbers) // _BLOCK_MAX))]
    if put:
        scope.db.run_many(_PUT, [(scope.no, *row) for row in put])


def _cut(scope: OpenScope, gone: Mapping[str, list[int]]) -> None:
    """Take numbers away from stems; rows that hold none are deleted."""
    least, greatest = min(map(min, gone.values())), max(map(max, gone.values()))
    bounds = greatest, least.to_bytes(_NUMBER_BYTES, "big")
    rows = scope.db.rows(_FIND_HOLDING, (scope.no, scope.db.make_list(gone), *bounds))
    put: list[_PostingBlock] = []
    deleted: list[tuple[str, int]] = []
    tails: dict[str, _PostingBlock] = {}
    left: Counter[str] = Counter()  # how many numbers of a stem went
    for row in map(_PostingBlock._make, rows):
        went = gone[row.stem]
        if row.block == TAIL:
            tails[row.stem] = row
            if len(went) == 1 and went[0].to_bytes(_NUMBER_BYTES, "little") not in row.seqs:
                continue  # mostly, where a stem has blocks
        numbers = _unpack(row.block, row.seqs)
        stay = numbers[numbers != went[0] if len(went) == 1 else ~np.isin(numbers, went)]
        if len(stay) == len(numbers):
            continue
        left[row.stem] += len(numbers) - len(stay)
        if row.block == TAIL:
            tails[row.stem] = row._replace(seqs=stay.astype(_NUMBERS).tobytes())
            continue
        if not len(stay) or stay[0] != row.block:
            deleted.append((row.stem, row.block))
        put += [_pack(row.stem, stay)] if len(stay) else []
    for stem, tail in tails.items():
        if tail.memories <= left[stem]:
            deleted.append((stem, TAIL))
        elif left[stem]:
            put.append(tail._replace(memories=tail.memories - left[stem]))
    if deleted:
        scope.db.run_many(_DELETE, [(scope.no, *key) for key in deleted])
    if put:
        scope.db.run_many(_PUT, [(scope.no, *row) for row in put])


def _pack(stem: str, numbers: Ints) -> _PostingBlock:
    """Return the block of ascending numbers."""
    distances = np.zeros(len(numbers), np.int64)
    np.subtract(numbers[1:], numbers[:-1], out=distances[1:])
    most = int(distances.max())
    width = 1 if most < 1 << 8 else 2 if most < 1 << 16 else 4
    head = int(numbers[-1]).to_bytes(_NUMBER_BYTES, "big") + bytes((width,))
    seqs = head + distances.astype(_DISTANCES[width]).tobytes()
    return _PostingBlock(stem, int(numbers[0]), _UNHASHED, len(numbers), seqs)


def _unpack(block: int, seqs: bytes) -> Ints:
    """Return the numbers of one row, those of a tail in the order in which they came."""
    if block == TAIL:
        return np.frombuffer(seqs, _NUMBERS).astype(np.int64)
    distances = np.frombuffer(seqs, _DISTANCES[seqs[_NUMBER_BYTES]], offset=_HEAD_BYTES)
    return np.cumsum(distances, dtype=np.int64) + block


def _unpack_blocks(blocks: Sequence[int], packed: Sequence[bytes]) -> tuple[Ints, Ints]:
    """Return the numbers of full blocks one behind the other, and how many each has."""
    if len({seqs[_NUMBER_BYTES] for seqs in packed}) == 1:  # mostly: then all are read at once
        width = packed[0][_NUMBER_BYTES]
        content = b"".join([seqs[_HEAD_BYTES:] for seqs in packed])
        distances = np.frombuffer(content, _DISTANCES[width]).astype(np.int64)
        lengths = np.array([len(seqs) - _HEAD_BYTES for seqs in packed], np.int64) // width
    else:
        parts = [np.frombuffer(seqs, _DISTANCES[seqs[_NUMBER_BYTES]], offset=_HEAD_BYTES) for seqs in packed]
        distances = np.concatenate(parts, dtype=np.int64)
        lengths = np.array([len(part) for part in parts], np.int64)
    if not lengths.all():
        raise ValueError("a block without numbers")
    totals = np.cumsum(distances)
    starts = np.cumsum(lengths) - lengths
    return totals + np.repeat(
        np.array(blocks, np.int64) - totals[starts] + distances[starts], lengths
    ), lengths


def _read_numbers(rows: Sequence[tuple[int, bytes]], late: Sequence[int]) -> Ints:
    """Return the ascending numbers of a stem from its rows, and from what waits."""
    parts = [np.array(late, np.int64)] if late else []
    ordered = sorted(rows)
    if ordered and ordered[-1][0] == TAIL:
        parts.insert(0, np.frombuffer(ordered.pop()[1], _NUMBERS).astype(np.int64))
    if ordered:
        parts.insert(0, _unpack_blocks(*zip(*ordered, strict=True))[0])
    if not parts:
        return np.empty(0, np.int64)
    numbers = np.concatenate(parts) if len(parts) > 1 else parts[0]
    if not (numbers[1:] > numbers[:-1]).all():
        numbers.sort(kind="stable")  # it is nearly in order
    return numbers


@dataclass(slots=True)
class WordTally:
    """How many pairs of a word and a memory there are, and their sum."""

    pairs: int = 0
    total: np.uint64 = field(default_factory=lambda: np.uint64(0))

    def add(self, words: Words, seqs: Ints) -> None:
        """Count pairs in; a sum of hashes alone would not tell who has which word."""
        mixed = words ^ (seqs.view(np.uint64) * _ODD)
        mixed = (mixed ^ (mixed >> np.uint64(30))) * _FIRST
        mixed = (mixed ^ (mixed >> np.uint64(27))) * _SECOND
        self.pairs += len(seqs)
        with np.errstate(over="ignore"):
            self.total += np.add.reduce(mixed ^ (mixed >> np.uint64(31)))


class _Hashes(dict[str, int]):
    """The hash of each stem that was met, until they are too many."""

    def __missing__(self, stem: str) -> int:
        if len(self) >= _STEMS_KNOWN:
            self.clear()
        number = self[stem] = term_hash.__wrapped__(stem)
        return number


def find_word_faults(scope: OpenScope) -> Iterator[str]:
    """Yield what the index and its statistics hold that the texts do not say, or the other way round."""
    said, held, hashes = WordTally(), WordTally(), _Hashes()
    memories = _count_texts(scope, hashes, said)
    wrong = _count_postings(scope, hashes, held)
    for seq, text, terms in scope.db.stream(_READ_WAITING, (scope.no,)):
        words = np.array([hashes[stem] for stem in text.split()], np.int64)
        held.add(words.view(np.uint64), np.full(len(words), seq))
        wrong += int(words.tobytes() != terms)
    if held != said:
        yield f"full text holds {held.pairs} words of memories where the texts have {said.pairs}, or others"
    if wrong:
        yield f"{wrong} terms are counted wrongly"
    if scope.row.memories != memories:
        yield f"scope {scope.name!r} counts {scope.row.memories} memories with words, there are {memories}"


def _count_texts(scope: OpenScope, hashes: _Hashes, said: WordTally) -> int:
    """Count the stems of all texts; return how many texts hold any."""
    memories = 0
    texts = scope.db.stream(_TEXTS, (scope.no,))
    while batch := list(islice(texts, _TEXTS_AT_ONCE)):
        found: list[int] = []
        lengths: list[int] = []
        for _, text in batch:
            keys = _build_keys(stems_once(text))
            found.extend(map(hashes.__getitem__, keys))
            lengths.append(len(keys))
        memories += sum(map(bool, lengths))
        seqs = np.array([seq for seq, _ in batch], np.int64)
        said.add(np.array(found, np.uint64), np.repeat(seqs, lengths))
    return memories


def _count_postings(scope: OpenScope, hashes: _Hashes, held: WordTally) -> int:
    """Count what the index holds; return of how many stems the statistics are wrong."""
    wrong = 0
    batch: list[_PostingBlock] = []
    for _, rows in groupby(scope.db.stream(_ALL, (scope.no,)), key=itemgetter(0)):
        batch += map(_PostingBlock._make, rows)
        if len(batch) >= _ROWS_AT_ONCE:
            wrong += _count_batch(batch, hashes, held)
            batch = []
    return wrong + (_count_batch(batch, hashes, held) if batch else 0)


def _count_batch(batch: Sequence[_PostingBlock], hashes: _Hashes, held: WordTally) -> int:
    """Count the rows of some stems; return of how many of these the statistics are wrong."""
    tails = [row for row in batch if row.block == TAIL]
    blocks = [row for row in batch if row.block != TAIL]
    numbers = np.frombuffer(b"".join([row.seqs for row in tails]), _NUMBERS).astype(np.int64)
    lengths = np.array([len(row.seqs) // _NUMBER_BYTES for row in tails], np.int64)
    held.add(np.repeat(_hash_rows(tails, hashes), lengths), numbers)
    counted = dict(zip((row.stem for row in tails), lengths.tolist(), strict=True))
    wrong = {row.stem for row in tails if row.term != hashes[row.stem]}
    if blocks:
        numbers, lengths = _unpack_blocks([row.block for row in blocks], [row.seqs for row in blocks])
        held.add(np.repeat(_hash_rows(blocks, hashes), lengths), numbers)
        for row, length in zip(blocks, lengths.tolist(), strict=True):
            counted[row.stem] = counted.get(row.stem, 0) + length
            if row.memories != length or row.term != _UNHASHED:
                wrong.add(row.stem)
    counts = {row.stem: row.memories for row in tails}
    return len(wrong | {stem for stem, count in counted.items() if counts.get(stem) != count})


def _hash_rows(rows: Sequence[_PostingBlock], hashes: _Hashes) -> Words:
    return np.array([hashes[row.stem] for row in rows], np.uint64)
