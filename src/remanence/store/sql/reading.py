"""Everything that is read by row: memories, links, postings, vectors, twins and scopes.

Each function runs inside one read transaction, and asks for all of a kind in one statement.
"""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import lru_cache
from operator import itemgetter
from typing import Any

import numpy as np
import numpy.typing as npt
import orjson

from remanence.core.arrival import Segment, Tail
from remanence.core.clock import SECOND
from remanence.core.errors import StoreDamaged
from remanence.core.forbidden import Forbidden
from remanence.core.model import COLUMN, INT_MAX, LINK_COLUMNS, Column, Link, Memory, Relation, Status
from remanence.core.segment import FIRST_IN_SEGMENT, LOOK_BACK, SPACES, count_last_segment
from remanence.store import erasure
from remanence.store.base import (
    AnswerRequest,
    AnswerRows,
    Arriving,
    Find,
    KnownMemory,
    Postings,
    ScopeSize,
    ScopeSurvey,
    WriteContext,
)
from remanence.store.constraints import refuse_unknown_columns
from remanence.store.sql import bookkeeping, erasing, fulltext
from remanence.store.sql.database import Database, Ints, Row, first
from remanence.store.sql.decoding import DECODING
from remanence.store.sql.dialect import Dialect, Statement, list_parameters
from remanence.store.sql.names import MODEL, TAG
from remanence.store.sql.rows import (
    WHOLE,
    WHOLE_NAMES,
    encode_value,
    link,
    mapping,
    memory,
    names_in,
    place,
)
from remanence.store.sql.scope import OpenScope

Vectors = npt.NDArray[np.float16]
Part = tuple[Any, ...]  # a condition of a listing: its kind, and what else its text depends on
Condition = tuple[Part, Sequence[Any]]  # with the values of its parameters

_NOTHING = "{}"  # of a JSON object
_ID, _KEY = 1 + WHOLE_NAMES.index("id"), 1 + WHOLE_NAMES.index("key")  # where a row of a memory has them


def _select_whole(sql: Dialect) -> str:
    """Return what reads whole memories of a scope with their tags and sources, but for the last condition."""
    tags = (
        f"(SELECT {sql.object('n.name', 't.at')} FROM tags t JOIN names n ON n.scope = t.scope AND n.no = t.tag"
        " WHERE t.scope = s.scope AND t.seq = s.seq)"
    )
    sources = (
        f"(SELECT {sql.object('o.source', '1')} FROM sources o WHERE o.scope = s.scope AND o.seq = s.seq)"
    )
    columns = ", ".join(["s.seq", *(place(sql, column) for column in WHOLE), tags, sources])
    return (
        f"SELECT {columns} FROM states s JOIN memories m ON m.scope = s.scope AND m.seq = s.seq"
        " WHERE s.scope = ?1 AND s.seq"
    )


_OF_SEQS = Statement(lambda sql: f"{_select_whole(sql)} {sql.among(2)}")
_NAMED = Statement(
    lambda sql: (
        f"{_select_whole(sql)} IN (SELECT seq FROM memories WHERE scope = ?1 AND seq {sql.among(2)}"
        f" UNION SELECT seq FROM memories WHERE scope = ?1 AND id {sql.among_texts(3)}"
        f" UNION SELECT seq FROM memories WHERE scope = ?1 AND key {sql.among_texts(3)})"
    )
)
# Whether anything is forbidden, and values by name.
_CONTEXT = Statement(
    lambda sql: (
        "SELECT NULL, NULL, CASE WHEN EXISTS (SELECT 1 FROM forbidden WHERE scope = ?1)"
        " OR EXISTS (SELECT 1 FROM erased WHERE scope = ?1) THEN 1 ELSE 0 END"
        f" UNION ALL SELECT name, value, NULL FROM settings WHERE scope = ?1 AND name {sql.among_texts(2)}"
    )
)
_TWIN = (
    "SELECT m.fingerprint, m.key, m.seq, m.id, s.status, s.revision FROM memories m"
    " JOIN states s ON s.scope = m.scope AND s.seq = m.seq WHERE m.scope = ?1"
)
_TWINS_MOST = 256  # fingerprints in one statement
# The last memories of a segment, newest first: a session has an index; threads and runs are looked for among the last
# arrivals, of which as many are read as it takes.
_LAST_OF_SESSIONS = Statement(
    # Without LEFT, SQLite looks at every memory of the scope.
    lambda sql: (
        f"SELECT s.session, s.seq, s.said_at, m.text FROM {sql.from_numbers(2)}"
        f" LEFT JOIN states s{sql.by_index('states_session')} ON s.scope = ?1 AND s.session = given.value"
        " AND s.seq >= coalesce((SELECT t.seq"
        " FROM states t WHERE t.scope = ?1 AND t.session = given.value ORDER BY t.seq DESC"
        f" LIMIT 1 OFFSET {FIRST_IN_SEGMENT - 1}), 0)"
        " LEFT JOIN memories m ON m.scope = s.scope AND m.seq = s.seq"
    )
)
_OF_KIND = {  # the column of the name, and what else holds of its memories
    "thread": ("thread", "s.session IS NULL"),
    "run": ("agent", "s.session IS NULL AND s.thread IS NULL"),
}


def _select_last_of_one(column: str, where: str) -> Statement:
    return Statement(
        lambda sql: (
            f"SELECT s.{column}, s.seq, s.said_at, m.text FROM states s"
            " JOIN memories m ON m.scope = s.scope AND m.seq = s.seq"
            f" WHERE s.scope = ?1 AND s.seq > ?2 AND {where} AND s.{column} {sql.same} ?3"
            f" ORDER BY s.seq DESC LIMIT {FIRST_IN_SEGMENT}"
        )
    )


def _select_last_of_many(column: str, where: str) -> Statement:
    return Statement(
        lambda sql: (
            f"SELECT r.name, r.seq, r.said_at, m.text FROM (SELECT s.{column} AS name, s.seq, s.said_at,"
            f" row_number() OVER (PARTITION BY s.{column} ORDER BY s.seq DESC) AS nth FROM states s"
            f" WHERE s.scope = ?1 AND s.seq > ?2 AND {where}"
            f" AND (s.{column} {sql.among(3)} OR s.{column} IS NULL)) AS r"
            " JOIN memories m ON m.scope = ?1 AND m.seq = r.seq"
            f" WHERE r.nth <= {FIRST_IN_SEGMENT} ORDER BY r.seq DESC"
        )
    )


_LAST_OF_ONE = {kind: _select_last_of_one(*of) for kind, of in _OF_KIND.items()}
_LAST_OF_MANY = {kind: _select_last_of_many(*of) for kind, of in _OF_KIND.items()}
_BEFORE_LAST = Statement(
    f"SELECT seq FROM states WHERE scope = ?1 ORDER BY seq DESC LIMIT 1 OFFSET {LOOK_BACK}"
)
# Vectors joined by the database: no Python object a row, a third less time.
VECTORS_STEP = 4_096
_OWN = "vectors WHERE scope = ?1"
_OF_MODEL = "embeddings WHERE scope = ?1 AND model = ?2"
_LINK = f"SELECT source, target, relation, {', '.join(LINK_COLUMNS)} FROM links"
_FORBIDDEN = Statement("SELECT fold, at, seq FROM forbidden WHERE scope = ?1 ORDER BY fold")
_FORBIDDEN_AMONG = Statement(
    lambda sql: (
        f"SELECT fold, at, seq FROM forbidden WHERE scope = ?1 AND fold {sql.among_texts(2)} ORDER BY fold"
    )
)
_SURVEY = Statement(
    lambda sql: (
        "SELECT n.name, s.position, v.name, v.value FROM scopes s JOIN scope_names n ON n.scope = s.scope"
        f" LEFT JOIN settings v ON v.scope = s.scope AND v.name {sql.among_texts(1)}"
        " WHERE s.position > 0 ORDER BY n.name"
    )
)
_SIZES = Statement(
    lambda sql: (
        f"SELECT n.name, count(*), sum({sql.bytes_of('m.text')}) + coalesce(sum(length(v.vector)), 0)"
        " FROM scope_names n JOIN states s ON s.scope = n.scope"
        " JOIN memories m ON m.scope = s.scope AND m.seq = s.seq"
        " LEFT JOIN vectors v ON v.scope = s.scope AND v.seq = s.seq"
        f" WHERE n.name {sql.among_texts(1)} GROUP BY n.name"
    )
)


def get(scope: OpenScope, wanted: Sequence[int | str]) -> list[Memory | None]:
    """Return whole memories by sequence number, id or key, in the order asked; None where there is none."""
    seqs = {name for name in wanted if isinstance(name, int)}
    texts = {name for name in wanted if isinstance(name, str)}
    if not texts:
        memories = _read_memories(scope, seqs)
        return [memories.get(seq) for seq in wanted]  # type: ignore[arg-type]
    values = scope.no, scope.db.make_list(seqs), scope.db.make_list(texts)
    rows = scope.db.rows(_NAMED, values)
    memories = _build_memories(scope, rows)
    by_name: dict[int | str, int] = {row[_KEY]: row[0] for row in rows if row[_KEY] is not None}
    by_name |= {row[_ID]: row[0] for row in rows} | {seq: seq for seq in seqs}
    return [memories.get(by_name[name]) if name in by_name else None for name in wanted]


def find(scope: OpenScope, asked: Find) -> list[Memory]:
    """List memories by status, tags and columns."""
    refuse_unknown_columns(asked.equal)
    found = _build_conditions(scope, asked)
    if found is None:
        return []
    parts = tuple(part for part, _ in found)
    values = [value for _, some in found for value in some]
    is_inbox = asked.statuses == (Status.INBOX,)
    statement = _build_listing(parts, is_inbox=is_inbox, oldest_first=asked.oldest_first)
    rows = scope.db.rows(statement, (scope.no, asked.limit, *values))
    memories = _build_memories(scope, rows)
    return [memories[seq] for seq in sorted(memories, reverse=not asked.oldest_first)]


def arriving(scope: OpenScope, asked: Arriving) -> WriteContext:
    """Tell a write or a question what it must know: twins, keys, tails of segments, statistics, settings."""
    if not scope.no:
        return WriteContext()
    if scope.row.memories < 0:
        raise ValueError("fewer memories than none")
    rows = scope.db.rows(_CONTEXT, (scope.no, scope.db.make_list(asked.get)))
    twins, keys = _find_twins(scope, asked.fingerprints, asked.keys)
    return WriteContext(
        twins=twins,
        keys=keys,
        tails=_read_tails(scope, asked.segments),
        memories=scope.row.memories,
        df=fulltext.frequencies(scope, asked.terms),
        forbids=any(forbids for name, _, forbids in rows if name is None),
        position=scope.row.position,
        values=bookkeeping.decode_values([row[:2] for row in rows if row[0] is not None]),
        counters=bookkeeping.read_counters(scope, asked.counters) if asked.counters else {},
    )


def search(scope: OpenScope, stems: Sequence[str]) -> Postings:
    """Return the postings of stems; unknown stems have empty ones."""
    return Postings(fulltext.postings(scope, stems), scope.row.position)


def vocabulary(scope: OpenScope, beginnings: Sequence[str]) -> list[str]:
    """Return the stems of a scope that begin with one of these."""
    return fulltext.vocabulary(scope, beginnings)


def vectors(
    scope: OpenScope, after: int, only: Sequence[int] | None, model: str | None = None
) -> tuple[Ints, Vectors]:
    """Return (seq, vectors as float16 rows) above a number, or of some of those only, in order of arrival.

    With a model they are those that are kept of it beside the memories' own.
    """
    source = (
        (_OWN, scope.no) if model is None else (_OF_MODEL, scope.no, scope.names.number(MODEL, model) or 0)
    )
    last = scope.row.latest
    if only is not None:
        wanted = {seq for seq in only if seq > after}
        reader = _Vectors(len(wanted))
        if wanted:
            reader.read(scope, source, (scope.db.make_list(wanted),))
        return reader.join_vectors()
    reader = _Vectors(max(min(last - after, scope.row.held), 0))
    for start in range(after + 1, last + 1, VECTORS_STEP):
        reader.read(scope, source, (start, min(start + VECTORS_STEP - 1, last)))
    return reader.join_vectors()


@lru_cache(maxsize=8)
def _select_vectors(source: str, at: int, *, is_listed: bool) -> tuple[Statement, Statement]:
    """Return what joins vectors of a source, and what joins their numbers: of a list or a range, from a parameter on.

    A range beside a list would be gone through from end to end.
    """

    def only(sql: Dialect) -> str:
        return f" AND seq {sql.among(at)}" if is_listed else f" AND seq BETWEEN ?{at} AND ?{at + 1}"

    joined = Statement(
        lambda sql: (
            "SELECT count(*), min(v.seq), max(v.seq), min(length(v.vector)), max(length(v.vector)),"
            f" {sql.blobs('v.vector')} FROM (SELECT seq, vector FROM {source}{only(sql)} ORDER BY seq) AS v"
        )
    )
    numbers = Statement(
        lambda sql: (
            f"SELECT {sql.column('v.seq')} FROM (SELECT seq FROM {source}{only(sql)} ORDER BY seq) AS v"
        )
    )
    return joined, numbers


class _Vectors:
    """Vectors as they are read, at most so many, each part put where it belongs: joining them costs as much again."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._seqs: list[Ints] = [np.empty(0, np.int64)]
        self._numbers: Vectors = np.empty((0, 0), "<f2")
        self._count = 0

    def read(self, scope: OpenScope, source: tuple[str, *tuple[int, ...]], which: Sequence[Any]) -> None:
        """Take in vectors of a range of numbers, or of a list of them; a source is a table with its parameters."""
        table, *of = source
        joined, numbers = _select_vectors(table, len(source), is_listed=len(which) == 1)
        values = (*of, *which)
        row = scope.db.row(joined, values)
        assert row is not None
        count, least_seq, last_seq, least, most, blob = row
        if not count:
            return
        if not self._count:
            self._numbers = np.empty((self._most, most // 2), "<f2")
        if least != most or most != 2 * self._numbers.shape[1]:
            raise StoreDamaged("vectors differ in size", recovery="embed the memories again")
        self._numbers[self._count : self._count + count] = np.frombuffer(blob, "<f2").reshape(count, -1)
        self._count += count
        if last_seq - least_seq + 1 == count:
            self._seqs.append(np.arange(least_seq, last_seq + 1))
        else:  # some between the first and the last are not there
            self._seqs.append(scope.db.whole_numbers(first(scope.db.row(numbers, values))))

    def join_vectors(self) -> tuple[Ints, Vectors]:
        """Return (seq, vectors)."""
        return np.concatenate(self._seqs), self._numbers[: self._count]


def neighbours(scope: OpenScope, seqs: Sequence[int] | None, relations: Collection[Relation]) -> list[Link]:
    """Return every link, or those of some relations, with one of these memories at an end, in order of its key."""
    of = tuple(sorted({int(one) for one in relations}))
    if seqs is None:
        return [link(row) for row in scope.db.rows(_select_links(of), (scope.no,))]
    if not seqs:
        return []
    rows = scope.db.rows(_select_neighbours(of), (scope.no, scope.db.make_list(set(seqs))))
    by_key = {row[:3]: row for row in rows}  # one between two of these memories is found at both ends
    return [link(by_key[key]) for key in sorted(by_key)]


def _limit_relations(relations: tuple[int, ...]) -> str:
    return f" AND ({' OR '.join(f'relation = {one}' for one in relations)})" if relations else ""


@lru_cache(maxsize=64)
def _select_links(relations: tuple[int, ...]) -> Statement:
    """Return what reads every link of some relations, or of any."""
    is_index_for = relations == (int(Relation.CONTRADICTS),)

    def render(sql: Dialect) -> str:
        # Left alone, SQLite reads all links for the few that contradict each other, to spare itself the ordering.
        index = sql.by_index("links_contradicts") if is_index_for else ""
        only = _limit_relations(relations)
        return f"{_LINK}{index} WHERE scope = ?1{only} ORDER BY source, target, relation"

    return Statement(render)


@lru_cache(maxsize=64)
def _select_neighbours(relations: tuple[int, ...]) -> Statement:
    """Return what reads the links at either end of memories, of some relations or of any."""
    only = _limit_relations(relations)
    # Left alone, SQLite scans the whole scope for the second half: the primary key begins with the scope, too.
    return Statement(
        lambda sql: (
            f"{_LINK} WHERE scope = ?1 AND source {sql.among(2)}{only} UNION ALL"
            f" {_LINK}{sql.by_index('links_target')} WHERE scope = ?1 AND target {sql.among(2)}{only}"
        )
    )


def read_answer(scope: OpenScope, asked: AnswerRequest) -> AnswerRows:
    """Return memories by number, and links."""
    links = neighbours(scope, [*asked.seqs, *asked.rest], asked.relations)
    return AnswerRows(_read_memories(scope, asked.list_memories(links)), links)


def forbidden(scope: OpenScope, folds: Sequence[str] | None) -> list[Forbidden]:
    """Return which of these folds are forbidden or of what was erased, or all that are forbidden, in order."""
    if folds is None:
        return [Forbidden(*row) for row in scope.db.rows(_FORBIDDEN, (scope.no,))]
    if not folds:
        return []
    rows = scope.db.rows(_FORBIDDEN_AMONG, (scope.no, scope.db.make_list(set(folds))))
    entries = [Forbidden(*row) for row in rows]
    erased_names = find_erased_names(scope, [*map(erasure.of_fold, folds)])
    entries += [
        Forbidden(name.removeprefix(erasure.FOLD), at, is_erased=True) for name, at in erased_names.items()
    ]
    return sorted(entries, key=lambda one: one.fold) if erased_names else entries


def find_erased_names(scope: OpenScope, asked: Sequence[str]) -> dict[str, int]:
    """Return which of these names were erased, and when."""
    return erasing.find_marked_names(scope, asked) if asked else {}


def survey(db: Database, names: Sequence[str]) -> dict[str, ScopeSurvey]:
    """Return of every scope that was written to how far it has come, and the values kept by these names."""
    surveys: dict[str, ScopeSurvey] = {}
    with DECODING:
        for scope, position, name, value in db.rows(_SURVEY, (db.make_list(names),)):
            previous = surveys.get(scope) or ScopeSurvey(position, {})
            settings = {} if name is None else {name: orjson.loads(value)}
            surveys[scope] = ScopeSurvey(position, {**previous.values, **settings})
    return surveys


def measure_scopes(db: Database, scope_names: Sequence[str]) -> dict[str, ScopeSize]:
    """Return how many memories each of these scopes has, and the bytes of their texts and vectors."""
    sizes = dict.fromkeys(scope_names, ScopeSize(0, 0))
    if sizes:
        rows = db.rows(_SIZES, (db.make_list(sizes),))
        sizes |= {name: ScopeSize(count, size) for name, count, size in rows}
    return sizes


def _read_memories(scope: OpenScope, seqs: Iterable[int]) -> dict[int, Memory]:
    """Return whole memories by sequence number."""
    wanted = set(seqs)
    if not wanted:
        return {}
    return _build_memories(scope, scope.db.rows(_OF_SEQS, (scope.no, scope.db.make_list(wanted))))


def _build_memories(scope: OpenScope, rows: Sequence[Row]) -> dict[int, Memory]:
    """Return whole memories by sequence number, given their rows."""
    if not rows:
        return {}
    texts = scope.names.read_texts(names_in(rows))
    return {row[0]: _build_memory(scope.name, row, texts) for row in rows}


def _build_memory(scope: str, row: Row, texts: Mapping[int, str]) -> Memory:
    *kept, tags, sources = row
    return memory(
        scope,
        kept,
        texts,
        tags={} if tags == _NOTHING else {name: at for name, (at,) in sorted(mapping(tags).items())},
        sources=() if sources == _NOTHING else tuple(sorted(mapping(sources))),
    )


_INDEXED = frozenset({"id", "key", "fingerprint"})  # columns of memories that are looked up apart
_ARRIVALS = "SELECT seq FROM states WHERE scope = ?1 ORDER BY seq DESC LIMIT"


def _build_among(sql: Dialect, at: int) -> str:
    """Return that a memory is above a number, and one of the last; one bound, since SQLite seeks by one alone."""
    least = f"(SELECT min(a.seq) - 1 FROM ({_ARRIVALS} ?{at + 1}) AS a)"
    return f"s.seq > {sql.greatest(f'CAST(?{at} AS bigint)', least)}"


def _build_said(at: int, *, is_local: bool) -> str:
    """Return that something was said in a span of time, first or again."""
    within = f"{{0}} BETWEEN ?{at} AND ?{at + 1}"
    if is_local:
        within += f" AND {{0}} + s.said_offset * {SECOND} BETWEEN ?{at + 2} AND ?{at + 3}"
    return f"({' OR '.join(f'({within.format(name)})' for name in ('s.said_at', 's.said_again_at'))})"


def _build_ending(sql: Dialect, at: int) -> str:
    """Return that an id ends so; all ids stand in an index, which is read many times faster than the memories."""
    return (
        f"s.seq IN (SELECT seq FROM memories{sql.by_index('memories_id')} WHERE scope = ?1"
        f" AND substr(id, length(id) - CAST(?{at} AS integer) + 1) = ?{at + 1})"
    )


def _build_any_of(sql: Dialect, at: int, name: str, count: int, *, or_null: bool) -> str:
    """Return that a column has one of some values: of one alone by =, of a list by one parameter, of blobs by each."""
    column = COLUMN[name]
    where = name if name in _INDEXED else place(sql, column)
    ways: list[str] = []
    if count == 1:
        ways.append(f"{where} = ?{at}")
    elif count and column.kind == "blob":
        ways.append(f"{where} IN ({list_parameters(count, at)})")
    elif count:
        is_text = column.kind in {"text", "json", "numbers", "accessors"}
        ways.append(f"{where} {sql.among_texts(at) if is_text else sql.among(at)}")
    if or_null:
        ways.append(f"{where} IS NULL")
    either = f"({' OR '.join(ways)})"
    return (
        f"s.seq IN (SELECT seq FROM memories WHERE scope = ?1 AND {either})" if name in _INDEXED else either
    )


# What the parts of a listing say, given the dialect, the number of the first parameter and what else they depend on.
_PARTS: Mapping[str, Callable[..., str]] = {
    "after": lambda _, at: f"s.seq > ?{at}",
    "among": _build_among,
    # An index of one status serves where that alone is asked for, and written so.
    "statuses": lambda _sql, _at, listed: (
        f"s.status IN ({listed})" if not listed.isdigit() else f"s.status = {listed}"
    ),
    "only": lambda sql, at: f"s.seq {sql.among(at)}",
    "before": lambda _, at: f"s.seq < ?{at}",
    "said": lambda _, at, is_local: _build_said(at, is_local=is_local),
    "beginning": lambda _, at: (
        f"s.seq IN (SELECT seq FROM memories WHERE scope = ?1 AND id >= ?{at} AND id < ?{at + 1})"
    ),
    "ending": _build_ending,
    "tag": lambda _, at: (
        f"EXISTS (SELECT 1 FROM tags t WHERE t.scope = s.scope AND t.seq = s.seq AND t.tag = ?{at})"
    ),
    "equal": lambda sql, at, name, count, or_null: _build_any_of(sql, at, name, count, or_null=or_null),
}
_PARAMETERS = {"among": 2, "statuses": 0, "beginning": 2, "ending": 2}  # of others one


def _count_parameters(part: Part) -> int:
    """Return how many parameters a part of a listing takes."""
    if part[0] == "said":
        return 4 if part[1] else 2
    if part[0] == "equal":
        count: int = part[2]
        return count if COLUMN[part[1]].kind == "blob" else min(count, 1)
    return _PARAMETERS.get(part[0], 1)


@lru_cache(maxsize=256)
def _build_listing(parts: tuple[Part, ...], *, is_inbox: bool, oldest_first: bool) -> Statement:
    """Return the statement of a listing: the scope, how many, then the values of its parts."""

    def render(sql: Dialect) -> str:
        conditions, at = ["s.scope = ?1"], 3
        for kind, *more in parts:
            conditions.append(_PARTS[kind](sql, at, *more))
            at += _count_parameters((kind, *more))
        names = {part[1] for part in parts if part[0] == "equal"} - _INDEXED
        homes = {COLUMN[name].home for name in names}
        wide = " JOIN memories m ON m.scope = s.scope AND m.seq = s.seq" if "memories" in homes else ""
        wide += " LEFT JOIN vectors v ON v.scope = s.scope AND v.seq = s.seq" if "vectors" in homes else ""
        # Left alone, SQLite walks the scope by its other index and looks at every memory's status.
        index = sql.by_index("states_inbox") if is_inbox else ""
        order = "ASC" if oldest_first else "DESC"
        return (
            f"{_select_whole(sql)} IN (SELECT s.seq FROM states s{index}{wide} WHERE {' AND '.join(conditions)}"
            f" ORDER BY s.seq {order} LIMIT ?2)"
        )

    return Statement(render)


def _build_conditions(scope: OpenScope, asked: Find) -> list[Condition] | None:
    """Return the parts of a listing with their values; None where a name that nobody used rules all out."""
    found: list[Condition] = []
    # A bound that says nothing is left out: SQLite would rather go by it than look up what is named.
    if asked.among is not None:
        found.append((("among",), (asked.after, asked.among)))
    elif asked.after and asked.only is None:
        found.append((("after",), (asked.after,)))
    if asked.statuses is not None:
        if not asked.statuses:
            return None
        found.append((("statuses", ", ".join(str(int(status)) for status in asked.statuses)), ()))
    if asked.only is not None:
        below = INT_MAX if asked.before is None else asked.before
        only = {seq for seq in asked.only if asked.after < seq < below}
        if not only:
            return None
        found.append((("only",), (scope.db.make_list(only),)))
    elif asked.before is not None:
        found.append((("before",), (asked.before,)))
    if asked.said is not None:
        is_local = asked.said.is_local
        found.append((("said", is_local), asked.said if is_local else asked.said[:2]))
    if asked.beginning:
        found.append((("beginning",), (asked.beginning, asked.beginning + "~")))
    if asked.ending:
        found.append((("ending",), (len(asked.ending), asked.ending)))
    for tag in asked.tags:
        number = scope.names.number(TAG, tag)
        if number is None:
            return None
        found.append((("tag",), (number,)))
    for name, value in asked.equal.items():
        condition = _any_of(scope, COLUMN[name], value if isinstance(value, tuple) else (value,))
        if condition is None:
            return None
        found.append(condition)
    return found


def _any_of(scope: OpenScope, column: Column, values: Sequence[Any]) -> Condition | None:
    """Return the condition that a column has one of some values; None where nobody ever used any of the names."""
    present = [value for value in values if value is not None]
    or_null = len(present) < len(values)
    if column.kind == "name":
        numbers = (scope.names.number(column.name, name) for name in present)
        encoded: list[Any] = [number for number in numbers if number is not None]
    else:
        encoded = [encode_value(column, value) for value in present]
    if not encoded and not or_null:
        return None
    if column.kind == "blob":
        encoded = _pad(encoded)
        return ("equal", column.name, len(encoded), or_null), encoded
    kept = encoded if len(encoded) < 2 else [scope.db.make_list(encoded)]
    return ("equal", column.name, min(len(encoded), 2), or_null), kept


def _pad(values: Sequence[Any]) -> list[Any]:
    """Return values, the last repeated, so that their number is a power of two and few statements serve all."""
    return [*values, *[values[-1]] * ((1 << (len(values) - 1).bit_length()) - len(values))] if values else []


@lru_cache(maxsize=32)
def _select_twins(fingerprints: int, *, has_keys: bool) -> Statement:
    """Return what finds memories by so many fingerprints, or by keys too: the scope, the keys, the fingerprints."""
    by_mark = f"{_TWIN} AND m.fingerprint IN ({list_parameters(fingerprints, 2 + has_keys)})"
    if not has_keys:
        return Statement(by_mark)
    return Statement(
        lambda sql: f"{_TWIN} AND m.key {sql.among_texts(2)}{f' UNION ALL {by_mark}' if fingerprints else ''}"
    )


def _find_twins(
    scope: OpenScope, fingerprints: Sequence[bytes], keys: Sequence[str]
) -> tuple[dict[bytes, KnownMemory], dict[str, KnownMemory]]:
    """Return the best memory of each fingerprint, and that of each key."""
    rows: list[Row] = []
    distinct, listed = list(dict.fromkeys(fingerprints)), [scope.db.make_list(set(keys))] if keys else []
    for at in range(0, max(len(distinct), bool(listed)), _TWINS_MOST):
        marks = _pad(distinct[at : at + _TWINS_MOST])
        rows += scope.db.rows(_select_twins(len(marks), has_keys=bool(listed)), (scope.no, *listed, *marks))
        listed = []
    rows.sort(key=_rank_twin, reverse=True)
    known = [
        (key, KnownMemory(seq, name, Status(status), revision, mark))
        for mark, key, seq, name, status, revision in rows
    ]
    wanted_marks, wanted_keys = set(distinct), set(keys)
    twins = {
        one.fingerprint: one for _, one in known if one.fingerprint in wanted_marks
    }  # the best comes last
    return twins, {key: one for key, one in known if key in wanted_keys}


def _rank_twin(row: Row) -> tuple[bool, bool, int]:
    """Return by what the best of several twins is the first: one that stands, one that waits, the oldest."""
    _, _, seq, _, status, _ = row
    return status > Status.ACTIVE, status != Status.QUARANTINED, seq


def _read_tails(scope: OpenScope, segments: Sequence[Segment]) -> dict[Segment, Tail]:
    """Return the ends of segments that have any, all of a kind by one statement."""
    numbers: dict[str, dict[int | None, Segment]] = defaultdict(dict)
    for segment in segments:
        number = None if segment.name is None else scope.names.number(SPACES[segment.kind], segment.name)
        if number is not None or segment.name is None:
            numbers[segment.kind][number] = segment
    tails: dict[Segment, Tail] = {}
    for kind, wanted in numbers.items():
        latest: dict[Segment, list[Row]] = defaultdict(list)
        for row in _read_last(scope, kind, wanted.keys()):
            if row[0] in wanted:
                latest[wanted[row[0]]].append(row)
        for segment, rows in latest.items():
            _, _, said_at, text = rows[0]
            tails[segment] = Tail(count_last_segment(kind, [at for _, _, at, _ in rows]), said_at, text)
    return tails


def _read_last(scope: OpenScope, kind: str, numbers: Collection[int | None]) -> list[Row]:
    """Return of each name the last memories, newest first: (number of the name, seq, when it was said, text)."""
    listed = scope.db.make_list([number for number in numbers if number is not None])
    if kind == "session":
        found = scope.db.rows(_LAST_OF_SESSIONS, (scope.no, listed))
        return sorted((row for row in found if row[0] is not None), key=itemgetter(1), reverse=True)
    # Where every number has its memory, nothing need be counted.
    since = scope.row.latest - LOOK_BACK
    if scope.row.held != scope.row.latest:
        row = scope.db.row(_BEFORE_LAST, (scope.no,))
        since = 0 if row is None else row[0]
    if len(numbers) == 1:
        (number,) = numbers
        return scope.db.rows(_LAST_OF_ONE[kind], (scope.no, since, number))
    return scope.db.rows(_LAST_OF_MANY[kind], (scope.no, since, listed))
