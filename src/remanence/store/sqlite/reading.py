"""Everything that is read by row: memories, links, postings, vectors, twins and scopes.

Each function runs inside one read transaction; none binds a list that grows with what is asked.
"""

import sqlite3
from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import orjson

from remanence.core.arrival import Segment, Tail
from remanence.core.clock import SECOND
from remanence.core.errors import StoreDamaged
from remanence.core.forbidden import Forbidden
from remanence.core.model import COLUMN, LINK_COLUMNS, Column, Link, Memory, Relation, Status
from remanence.core.segment import FIRST_IN_SEGMENT, LOOK_BACK, SPACES, count_last_segment
from remanence.store import erasure
from remanence.store.base import (
    AnswerRequest,
    AnswerRows,
    Arriving,
    Find,
    KnownMemory,
    Postings,
    ScopeSurvey,
    WriteContext,
)
from remanence.store.constraints import refuse_unknown_columns
from remanence.store.sqlite import bookkeeping, erasing, fulltext
from remanence.store.sqlite.commits import position_of
from remanence.store.sqlite.dialect import DECODING, id_list
from remanence.store.sqlite.rows import (
    WHOLE_NAMES,
    encode_value,
    link,
    memory,
    names_in,
    place,
    select_statement,
)
from remanence.store.sqlite.string_ids import MODEL, NAMES_GONE, SCOPE, TAG, StringIds

Ints = npt.NDArray[np.int64]

_WHOLE = select_statement(WHOLE_NAMES)
_TWIN = (
    "SELECT m.seq, m.id, s.status, s.revision, m.fingerprint FROM memories m JOIN states s ON s.seq = m.seq"
    " WHERE m.scope = ? AND m.{column} = ? ORDER BY s.status > 1, s.status <> 5, m.seq LIMIT 1"
)
# The last memories of a segment, newest first: a session has an index; threads and runs are looked for among the last
# arrivals, of which as many are read as it takes.
_LATEST = (
    "SELECT seq, said_at FROM (SELECT seq, said_at, session, thread, agent FROM states WHERE scope = ?1"
    f" ORDER BY seq DESC LIMIT {LOOK_BACK}) WHERE session IS NULL AND "
)
_TAILS = {
    "session": "SELECT seq, said_at FROM states WHERE scope = ?1 AND session = ?2 ORDER BY seq DESC",
    "thread": f"{_LATEST} thread = ?2",
    "run": f"{_LATEST} thread IS NULL AND agent IS ?2",
}


# Vectors joined by SQLite: no Python object a row, a third less time.
VECTORS_STEP = 4_096
_JOINED = (
    "SELECT count(*), min(seq), max(seq), min(length(vector)), max(length(vector)),"
    " CAST(group_concat(vector, '') AS BLOB) FROM ({rows})"
)
_CONTEXT = (
    "SELECT coalesce((SELECT memories FROM scopes WHERE scope = ?1), 0),"
    " coalesce((SELECT position FROM scopes WHERE scope = ?1), 0),"
    " EXISTS (SELECT 1 FROM forbidden WHERE scope = ?1) OR EXISTS (SELECT 1 FROM erased WHERE scope = ?1),"
    " (SELECT value FROM meta WHERE name = ?2),"
    " (SELECT json_group_object(settings.name, settings.value) FROM json_each(?3) AS given CROSS JOIN settings"
    " ON settings.scope = ?1 AND settings.name = given.value)"
)
# What hangs on memories, by kind, in one statement: each costs a trip where the file is far away.
_TAG, _SOURCE = range(2)
_DETAILS = (
    f"SELECT {_TAG}, tags.seq, name, at FROM json_each(?1) AS given"
    " CROSS JOIN tags ON tags.scope = ?2 AND tags.seq = given.value JOIN names ON no = tag"
    f" UNION ALL SELECT {_SOURCE}, sources.seq, source, NULL FROM json_each(?1) AS given"
    " CROSS JOIN sources ON sources.scope = ?2 AND sources.seq = given.value ORDER BY 2, 3"
)
_NUMBERS = "SELECT group_concat(seq) FROM ({rows})"  # where some between the first and the last are not there


def get(
    connection: sqlite3.Connection, names: StringIds, scope: str, wanted: Sequence[int | str]
) -> list[Memory | None]:
    """Return whole memories by sequence number, id or key, in the order asked; None where there is none."""
    no = names.number(connection, SCOPE, scope)
    if no is None:
        return [None] * len(wanted)
    seqs = [name if isinstance(name, int) else _seq_of(connection, no, name) for name in wanted]
    memories = _read_memories(connection, names, scope, no, {seq for seq in seqs if seq is not None})
    return [None if seq is None else memories.get(seq) for seq in seqs]


def find(connection: sqlite3.Connection, names: StringIds, scope: str, asked: Find) -> list[Memory]:
    """List memories by status, tags and columns."""
    refuse_unknown_columns(asked.equal)
    no = names.number(connection, SCOPE, scope)
    conditions = None if no is None else _build_conditions(connection, names, no, asked)
    if no is None or conditions is None:
        return []
    order = "ASC" if asked.oldest_first else "DESC"
    where = " AND ".join(condition for condition, _ in conditions)
    values = [value for _, parameters in conditions for value in parameters]
    wide = " JOIN memories m ON m.seq = s.seq" * any(COLUMN[name].home == "memories" for name in asked.equal)
    # Left alone, SQLite walks the scope by its other index and looks at every memory's status.
    inbox = " INDEXED BY states_inbox" if asked.statuses == (Status.INBOX,) else ""
    rows = connection.execute(
        f"SELECT s.seq FROM states s{inbox}{wide} WHERE {where} ORDER BY s.seq {order} LIMIT ?",
        (*values, asked.limit),
    )
    seqs = [seq for (seq,) in rows.fetchall()]
    memories = _read_memories(connection, names, scope, no, seqs)
    return [memories[seq] for seq in seqs]


def arriving(connection: sqlite3.Connection, names: StringIds, scope: str, asked: Arriving) -> WriteContext:
    """Tell a write or a question what it must know: twins, keys, tails of segments, statistics, settings."""
    no = names.number(connection, SCOPE, scope)
    wanted = (no, NAMES_GONE, orjson.dumps([*asked.get]).decode())
    memories, position, forbids, times_gone, values = connection.execute(_CONTEXT, wanted).fetchone()
    if names.is_behind(times_gone):
        names.follow(connection)
        return arriving(connection, names, scope, asked)
    if no is None:
        return WriteContext()
    if memories < 0:
        raise ValueError("fewer memories than none")
    twins = ((mark, _find_twin(connection, no, "fingerprint", mark)) for mark in asked.fingerprints)
    keys = ((key, _find_twin(connection, no, "key", key)) for key in asked.keys)
    tails = ((segment, _read_tail(connection, names, no, segment)) for segment in asked.segments)
    return WriteContext(
        twins={mark: twin for mark, twin in twins if twin is not None},
        keys={key: twin for key, twin in keys if twin is not None},
        tails={segment: tail for segment, tail in tails if tail is not None},
        memories=memories,
        df=fulltext.frequencies(connection, no, asked.terms) if asked.terms else {},
        forbids=bool(forbids),
        position=position,
        values=bookkeeping.decode_values(orjson.loads(values).items()),
        counters=bookkeeping.read_counters(connection, no, asked.counters),
    )


def search(connection: sqlite3.Connection, names: StringIds, scope: str, stems: Sequence[str]) -> Postings:
    """Return the postings of stems; unknown stems have empty ones."""
    no = names.number(connection, SCOPE, scope)
    if no is None:
        return Postings({stem: np.empty(0, np.int64) for stem in stems}, 0)
    return Postings(fulltext.postings(connection, no, stems), position_of(connection, no))


def vocabulary(
    connection: sqlite3.Connection, names: StringIds, scope: str, beginnings: Sequence[str]
) -> list[str]:
    """Return the stems of a scope that begin with one of these."""
    no = names.number(connection, SCOPE, scope)
    return [] if no is None else fulltext.vocabulary(connection, no, beginnings)


def vectors(
    connection: sqlite3.Connection,
    names: StringIds,
    scope: str,
    which: tuple[int, Sequence[int] | None],
    model: str | None = None,
) -> tuple[Ints, npt.NDArray[np.float16]]:
    """Return (seq, vectors as float16 rows) above a number, or of some of those only, in order of arrival.

    With a model they are those that are kept of it beside the memories' own.
    """
    no, (after, only) = names.number(connection, SCOPE, scope), which
    source = "vectors v ON v.seq = s.seq"
    if model is not None:
        source = f"embeddings v ON v.seq = s.seq AND v.model = {names.number(connection, MODEL, model) or 0}"
    elif only is None:
        return _all_vectors(connection, no, after)
    if only is None:
        return _of_model(connection, (no, after), source)
    rows = (
        "SELECT v.seq, v.vector FROM json_each(?3) AS given CROSS JOIN states s ON s.seq = given.value"
        f" JOIN {source} WHERE s.scope = ?1 AND s.seq > ?2 ORDER BY s.seq"
    )
    reader = _Vectors(len(only))
    reader.read(connection, rows, (no, after, id_list(set(only))))
    return reader.join_vectors()


def _all_vectors(
    connection: sqlite3.Connection, no: int | None, after: int
) -> tuple[Ints, npt.NDArray[np.float16]]:
    """Return all vectors of a scope above `after` by ranges; states are asked only where others' stand between."""
    count, first, last = connection.execute(
        "SELECT count(*), min(seq), max(seq) FROM states WHERE scope = ? AND seq > ?", (no, after)
    ).fetchone()
    reader = _Vectors(count)
    rows = "SELECT seq, vector FROM vectors WHERE seq BETWEEN ? AND ? ORDER BY seq"
    whose: tuple[int | None, ...] = ()
    if count and count < last - first + 1:
        rows = (
            "SELECT s.seq, v.vector FROM states s JOIN vectors v ON v.seq = s.seq"
            " WHERE s.seq BETWEEN ? AND ? AND s.scope = ? ORDER BY s.seq"
        )
        whose = (no,)
    for start in range(first, last + 1, VECTORS_STEP) if count else ():
        reader.read(connection, rows, (start, min(start + VECTORS_STEP - 1, last), *whose))
    return reader.join_vectors()


def _of_model(
    connection: sqlite3.Connection, above: tuple[int | None, int], source: str
) -> tuple[Ints, npt.NDArray[np.float16]]:
    """Return all vectors of a model in a scope above a number, by ranges."""
    no, after = above
    count, first, last = connection.execute(
        f"SELECT count(*), min(s.seq), max(s.seq) FROM states s JOIN {source} WHERE s.scope = ? AND s.seq > ?",
        (no, after),
    ).fetchone()
    reader = _Vectors(count)
    rows = (
        f"SELECT s.seq, v.vector FROM states s JOIN {source} WHERE s.seq BETWEEN ? AND ? AND s.scope = ?"
        " ORDER BY s.seq"
    )
    for start in range(first, last + 1, VECTORS_STEP) if count else ():
        reader.read(connection, rows, (start, min(start + VECTORS_STEP - 1, last), no))
    return reader.join_vectors()


class _Vectors:
    """Vectors as they are read, at most so many, each part put where it belongs: joining them costs as much again."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._seqs: list[Ints] = [np.empty(0, np.int64)]
        self._numbers: npt.NDArray[np.float16] = np.empty((0, 0), "<f2")
        self._count = 0

    def read(self, connection: sqlite3.Connection, rows: str, values: tuple[Any, ...]) -> None:
        """Take in what a query for numbers and vectors finds."""
        count, first, last, least, most, blob = connection.execute(
            _JOINED.format(rows=rows), values
        ).fetchone()
        if not count:
            return
        if not self._count:
            self._numbers = np.empty((self._most, most // 2), "<f2")
        if least != most or most != 2 * self._numbers.shape[1]:
            raise StoreDamaged("vectors differ in size", recovery="embed the memories again")
        self._numbers[self._count : self._count + count] = np.frombuffer(blob, "<f2").reshape(count, -1)
        self._count += count
        if last - first + 1 == count:
            self._seqs.append(np.arange(first, last + 1))
            return
        (numbers,) = connection.execute(_NUMBERS.format(rows=rows), values).fetchone()
        self._seqs.append(np.fromstring(numbers, np.int64, sep=","))

    def join_vectors(self) -> tuple[Ints, npt.NDArray[np.float16]]:
        """Return (seq, vectors)."""
        return np.concatenate(self._seqs), self._numbers[: self._count]


def neighbours(
    connection: sqlite3.Connection,
    names: StringIds,
    scope: str,
    seqs: Sequence[int] | None,
    relations: Collection[Relation],
) -> list[Link]:
    """Return every link, or those of some relations, with one of these memories at an end, in order of its key."""
    no = names.number(connection, SCOPE, scope)
    only = " OR ".join(f"relation = {int(one)}" for one in relations)
    only = only and f" AND ({only})"
    columns = f"source, target, relation, {', '.join(LINK_COLUMNS)}"
    if seqs is None:
        # Left alone, SQLite reads all links for the few that contradict each other, to spare itself the ordering.
        index_hint = " INDEXED BY links_contradicts" if relations == (Relation.CONTRADICTS,) else ""
        every = (
            f"SELECT {columns} FROM links{index_hint} WHERE scope = ?{only} ORDER BY source, target, relation"
        )
        return [link(row) for row in connection.execute(every, (no,)).fetchall()]
    # Left alone, SQLite scans the whole scope for the second half: the primary key begins with the scope, too.
    rows = connection.execute(
        f"SELECT {columns} FROM json_each(?1) CROSS JOIN links ON scope = ?2 AND source = value{only}"
        f" UNION ALL SELECT {columns} FROM json_each(?1)"
        f" CROSS JOIN links INDEXED BY links_target ON scope = ?2 AND target = value{only}",
        (id_list(set(seqs)), no),
    )
    by_key = {
        row[:3]: row for row in rows.fetchall()
    }  # one between two of these memories is found at both ends
    return [link(by_key[key]) for key in sorted(by_key)]


def read_answer(
    connection: sqlite3.Connection, names: StringIds, scope: str, asked: AnswerRequest
) -> AnswerRows:
    """Return memories by number, and links."""
    no = names.number(connection, SCOPE, scope)
    if no is None:
        return AnswerRows({}, [])
    links = neighbours(connection, names, scope, [*asked.seqs, *asked.rest], asked.relations)
    return AnswerRows(_read_memories(connection, names, scope, no, asked.list_memories(links)), links)


def forbidden(
    connection: sqlite3.Connection, names: StringIds, scope: str, folds: Sequence[str] | None
) -> list[Forbidden]:
    """Return which of these folds are forbidden or of what was erased, or all that are forbidden, in order."""
    no = names.number(connection, SCOPE, scope)
    if folds is None:
        rows = connection.execute("SELECT fold, at, seq FROM forbidden WHERE scope = ? ORDER BY fold", (no,))
    else:
        rows = connection.execute(
            "SELECT fold, at, seq FROM json_each(?) CROSS JOIN forbidden ON scope = ? AND fold = value ORDER BY fold",
            (orjson.dumps(sorted(set(folds))).decode(), no),
        )
    entries = [Forbidden(*row) for row in rows.fetchall()]
    erased_names = erasing.find_marked_names(connection, no, map(erasure.of_fold, folds or ()))
    entries += [
        Forbidden(name.removeprefix(erasure.FOLD), at, is_erased=True) for name, at in erased_names.items()
    ]
    return sorted(entries, key=lambda one: one.fold) if erased_names else entries


def find_erased_names(
    connection: sqlite3.Connection, names: StringIds, scope: str, asked: Sequence[str]
) -> dict[str, int]:
    """Return which of these names were erased, and when."""
    return erasing.find_marked_names(connection, names.number(connection, SCOPE, scope), asked)


def survey(connection: sqlite3.Connection, names: Sequence[str]) -> dict[str, ScopeSurvey]:
    """Return of every scope that was written to how far it has come, and the values kept by these names."""
    marks = ", ".join("?" * len(names))
    rows = connection.execute(
        "SELECT names.name, position, settings.name, value FROM scopes JOIN names ON names.no = scopes.scope"
        f" LEFT JOIN settings ON settings.scope = scopes.scope AND settings.name IN ({marks}) ORDER BY names.name",
        tuple(names),
    )
    surveys: dict[str, ScopeSurvey] = {}
    with DECODING:
        for scope, position, name, value in rows:
            previous = surveys.get(scope) or ScopeSurvey(position, {})
            settings = {} if name is None else {name: orjson.loads(value)}
            surveys[scope] = ScopeSurvey(position, {**previous.values, **settings})
    return surveys


def _seq_of(connection: sqlite3.Connection, scope: int, name: str) -> int | None:
    """Return the sequence number behind an id or, failing that, a key."""
    for column in ("id", "key"):
        row = connection.execute(
            f"SELECT seq FROM memories WHERE scope = ? AND {column} = ?", (scope, name)
        ).fetchone()
        if row is not None:
            return int(row[0])
    return None


def _read_memories(
    connection: sqlite3.Connection,
    names: StringIds,
    scope: str,
    no: int,
    seqs: Iterable[int],
) -> dict[int, Memory]:
    """Return whole memories by sequence number."""
    seq_list = id_list(seqs)
    rows = connection.execute(_WHOLE, (seq_list, no)).fetchall()
    texts = names.read_texts(connection, names_in(rows))
    tags: dict[int, dict[str, int | None]] = defaultdict(dict)
    sources: dict[int, list[str]] = defaultdict(list)
    for kind, seq, text, at in connection.execute(_DETAILS, (seq_list, no)):
        if kind == _TAG:
            tags[seq][text] = at
        else:
            sources[seq].append(text)
    return {
        row[0]: memory(scope, row, texts, tags=tags.get(row[0], {}), sources=tuple(sources.get(row[0], ())))
        for row in rows
    }


Condition = tuple[str, tuple[Any, ...]]
_BEGINNING = "s.seq IN (SELECT seq FROM memories WHERE scope = ? AND id >= ? AND id < ?)"
_ENDING = "s.seq IN (SELECT seq FROM memories WHERE scope = ? AND substr(id, -?) = ?)"
_ARRIVALS = "SELECT seq FROM states WHERE scope = ? ORDER BY seq DESC LIMIT ?"


def _build_conditions(
    connection: sqlite3.Connection, names: StringIds, no: int, asked: Find
) -> list[Condition] | None:
    """Return the conditions of a listing with their values; None where a name that nobody used rules all out."""
    conditions: list[Condition] = [("s.scope = ?", (no,))]
    if asked.among is None:
        conditions.append(("s.seq > ?", (asked.after,)))
    else:  # one bound, since SQLite seeks by one alone
        conditions.append(
            (f"s.seq > max(?, (SELECT min(seq) - 1 FROM ({_ARRIVALS})))", (asked.after, no, asked.among))
        )
    if asked.statuses is not None:
        statuses = ", ".join(str(int(status)) for status in asked.statuses)
        # An index of one status serves where that alone is asked for, and written so.
        conditions.append(
            (f"s.status = {statuses}" if len(asked.statuses) == 1 else f"s.status IN ({statuses})", ())
        )
    if asked.only is not None:
        conditions.append(("s.seq IN (SELECT value FROM json_each(?))", (id_list(set(asked.only)),)))
    if asked.before is not None:
        conditions.append(("s.seq < ?", (asked.before,)))
    if asked.said is not None:
        span, within = asked.said, "{0} BETWEEN ? AND ?"
        if span.is_local:
            within += f" AND {{0}} + s.said_offset * {SECOND} BETWEEN ? AND ?"
        either = " OR ".join(f"({within.format(name)})" for name in ("s.said_at", "s.said_again_at"))
        conditions.append((f"({either})", 2 * (span if span.is_local else span[:2])))
    if asked.beginning:
        conditions.append((_BEGINNING, (no, asked.beginning, asked.beginning + "~")))
    # All ids of a scope stand in an index, which is read many times faster than the memories.
    if asked.ending:
        conditions.append((_ENDING, (no, len(asked.ending), asked.ending)))
    for tag in asked.tags:
        number = names.number(connection, TAG, tag)
        conditions.append(
            (
                "EXISTS (SELECT 1 FROM tags t WHERE t.scope = s.scope AND t.seq = s.seq AND t.tag = ?)",
                (number,),
            )
        )
    for name, value in asked.equal.items():
        condition = _any_of(connection, names, COLUMN[name], value if isinstance(value, tuple) else (value,))
        if condition is None:
            return None
        conditions.append(condition)
    return conditions


def _any_of(
    connection: sqlite3.Connection, names: StringIds, column: Column, values: Sequence[Any]
) -> Condition | None:
    """Return the condition that a column has one of some values; None where nobody ever used any of the names."""
    present_values = [value for value in values if value is not None]
    if column.kind == "name":
        numbers = (names.number(connection, column.name, name) for name in present_values)
        encoded_values: list[Any] = [number for number in numbers if number is not None]
    else:
        encoded_values = [encode_value(column, value) for value in present_values]
    ways = [f"{place(column)} IN ({', '.join('?' * len(encoded_values))})"] * bool(encoded_values)
    ways += [f"{place(column)} IS NULL"] * (len(present_values) < len(values))
    return (f"({' OR '.join(ways)})", tuple(encoded_values)) if ways else None


def _find_twin(connection: sqlite3.Connection, scope: int, column: str, value: Any) -> KnownMemory | None:
    row = connection.execute(_TWIN.format(column=column), (scope, value)).fetchone()
    if row is None:
        return None
    seq, name, status, revision, mark = row
    return KnownMemory(seq, name, Status(status), revision, mark)


def _read_tail(connection: sqlite3.Connection, names: StringIds, scope: int, segment: Segment) -> Tail | None:
    column, name = SPACES[segment.kind], segment.name
    number = None if name is None else names.number(connection, column, name)
    if number is None and name is not None:
        return None
    query = f"{_TAILS[segment.kind]} LIMIT {FIRST_IN_SEGMENT}"
    latest = connection.execute(query, (scope, number)).fetchall()
    if not latest:
        return None
    (text,) = connection.execute("SELECT text FROM memories WHERE seq = ?", (latest[0][0],)).fetchone()
    said_at = [at for _, at in latest]
    return Tail(count_last_segment(segment.kind, said_at), said_at[0], text)
