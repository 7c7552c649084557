"""A scope frozen as columns, read in ranges inside one read transaction.

Knows which expression stands for each column and what `Snapshot` promises; knows nothing of rules.
"""

import sys
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import chain, pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from remanence.core.attributes import AttributeColumn, Codes
from remanence.core.change import GUARDS
from remanence.core.clock import DAY
from remanence.core.errors import InvalidInput
from remanence.core.model import COLUMN, Column, Decay
from remanence.core.snapshot import (
    RESTING,
    RESTING_ON,
    Among,
    Bools,
    Floats,
    Ints,
    LinkColumns,
    Snapshot,
    SnapshotRequest,
    is_among,
    means,
)
from remanence.store.constraints import TIME_BOUND, refuse_wanted
from remanence.store.sql import bookkeeping
from remanence.store.sql.changed_since import changed_since
from remanence.store.sql.columns import build_query, cut_list, gather
from remanence.store.sql.dialect import Dialect, Statement
from remanence.store.sql.names import TAG
from remanence.store.sql.rows import MILLION, mapping
from remanence.store.sql.scope import OpenScope
from remanence.text.analysis import ASKING

Array = npt.NDArray[Any]
Rows = tuple[Ints, dict[str, Array]]  # sequence numbers, and columns by name
Shape = tuple[tuple[str, ...], ...]  # of several conditions the columns that each names
Condition = tuple[Shape | None, Sequence[Any]]  # with the lists that the columns must be in, as parameters

ROWS_STEP = 1 << 14
LINKS_STEP = 1 << 12
_LINKS_EACH = 4  # room for links at first, for each memory
# A table of row numbers by sequence number is made up to this many times as long as there are rows.
_SPREAD_MAX = 8
_NO_TIME = TIME_BOUND + 1  # stands for a time that is not there
_ABSENT = {"enum": -1, "name": 0, "fraction": -1, "time": _NO_TIME}
_KINDS = {
    "enum": np.int8,
    "name": np.int32,
    "int": np.int64,
    "flag": np.int64,
    "time": np.float64,
    "fraction": np.float64,
}
_ALWAYS = ("source", "target", "relation", "weight")
_LINK_KINDS: Mapping[str, type[np.generic]] = {
    "source": np.int32,
    "target": np.int32,
    "relation": np.int8,
    "weight": np.int32,
    "confidence": np.int32,
    "count": np.int32,
    "last_at": np.float64,
    "resolved_at": np.float64,
}
_LINK_EXPRESSIONS = {
    "confidence": "coalesce(confidence, -1)",
    "resolved_at": f"coalesce(resolved_at, {_NO_TIME})",
}
_LAST_CHARACTER = chr(sys.maxunicode)

_DESTROYED = (
    "SELECT CAST(coalesce(sum(destroyed), 0) AS bigint){} FROM runs"
    " WHERE scope = ?1 AND at > ?2 AND at <= ?3 AND destroyed > 0"
)
_READ_COUNTS = Statement(_DESTROYED.format(", NULL"))
_READ_COUNTS_AND_LINKS = Statement(_DESTROYED.format(", (SELECT count(*) FROM links WHERE scope = ?1)"))
_FIRED = Statement("SELECT rule, at FROM fired WHERE scope = ?1")


def snapshot(scope: OpenScope, wanted: SnapshotRequest, now: int) -> Snapshot:
    """Freeze the scope as columns."""
    columns = _list_columns(wanted)
    changed_seqs = None
    if wanted.since is not None and wanted.since <= scope.row.position:
        changed_seqs = changed_since(scope, wanted.since)
    some = changed_seqs
    if some is None and wanted.only is not None and wanted.links is not None:
        some = np.unique(np.array(wanted.only, np.int64))
    if some is not None:
        seq, arrays, links = _read_near(scope, columns, (some, wanted.links))
    else:
        seq, arrays, links = _read(scope, columns, wanted)
    is_few = some is not None or wanted.only is not None
    part = seq if is_few or wanted.among is not None else None
    texts = _encode_names(scope, arrays, [column.name for column in columns if column.kind == "name"])
    counts = scope.db.row(
        _READ_COUNTS_AND_LINKS if wanted.link_count else _READ_COUNTS, (scope.no, now - DAY, now)
    )
    assert counts is not None
    agents, others = _count_agents(scope, seq, part) if wanted.agents else (None, None)
    return Snapshot(
        scope=scope.name,
        position=scope.row.position,
        seq=seq,
        whole=scope.row.held,
        columns=arrays,
        names=texts,
        tags=_match_tags(scope, seq, wanted.tags, is_few=is_few),
        tagged_at=_read_tagged_times(scope, seq, wanted.tagged_at, is_few=is_few),
        agents=agents,
        other_agents=others,
        sharing_agents=_count_sharing_agents(scope, seq, part) if wanted.agents else None,
        links=links,
        fired=dict(scope.db.rows(_FIRED, (scope.no,))),
        newest_at=scope.row.newest_at,
        destroyed_today=counts[0],
        spans=bookkeeping.clock(scope, "active") if "active" in wanted.clocks else None,
        heard=bookkeeping.clock(scope, "turns") if "turns" in wanted.clocks else None,
        asks=_match_questions(scope, seq, is_few=is_few) if wanted.asks else None,
        attributes=_read_attributes(scope, seq, wanted.attributes) if wanted.attributes else {},
        link_count=counts[1],
        changed=changed_seqs,
    )


def _list_columns(wanted: SnapshotRequest) -> list[Column]:
    refuse_wanted(wanted)
    columns = [COLUMN[name] for name in sorted(wanted.columns | GUARDS)]
    for column in columns:
        if column.kind not in _KINDS:
            raise InvalidInput(
                f"{column.name} is in no snapshot", recovery="ask for numbers, names, times and enums only"
            )
    return columns


def _read(
    scope: OpenScope, columns: Sequence[Column], wanted: SnapshotRequest
) -> tuple[Ints, dict[str, Array], LinkColumns | None]:
    """Return numbers, columns and links of all memories, or of those that are among some or meet a condition."""
    condition = _list_conditions(scope, wanted.among)
    if wanted.only is not None:
        seq, arrays = _read_listed(scope, columns, sorted(set(wanted.only)), condition)
    else:
        seq, arrays = _read_all(scope, columns, condition)
    if wanted.links is None:
        return seq, arrays, None
    if wanted.among is None:
        return seq, arrays, _read_links(scope, seq, wanted.links)
    adjacent_links = _read_adjacent_links(scope, seq, wanted.links)
    beyond = np.setdiff1d(np.concatenate([adjacent_links["source"], adjacent_links["target"]]), seq)
    seq, arrays = _merge_rows((seq, arrays), _read_listed(scope, columns, beyond.tolist()))
    return seq, arrays, _build_link_columns(adjacent_links, _RowNumbers(seq))


def _read_near(
    scope: OpenScope, columns: Sequence[Column], which: tuple[Ints, Collection[str] | None]
) -> tuple[Ints, dict[str, Array], LinkColumns | None]:
    """Return the same of some memories and of their neighbours; links are of the former."""
    some, links = which
    adjacent_links = _read_adjacent_links(scope, some, links or ())
    near = np.union1d(some, np.concatenate([adjacent_links["source"], adjacent_links["target"]]))
    seq, arrays = _read_listed(scope, columns, near.tolist())
    return seq, arrays, None if links is None else _build_link_columns(adjacent_links, _RowNumbers(seq))


def _read_all(scope: OpenScope, columns: Sequence[Column], condition: Condition) -> Rows:
    """Return the rows of all memories, or of those that meet a condition."""
    shape, lists = condition
    query = _build_states_query(tuple(column.name for column in columns), shape, is_listed=False)

    def read_parts() -> Iterator[list[Ints]]:
        after, count = 0, ROWS_STEP
        while count == ROWS_STEP:
            part = gather(scope.db, query, (scope.no, after, ROWS_STEP, *lists))
            yield part
            count = len(part[0])
            after = int(part[0][-1]) if count else after

    # Another program may have written how many there are: there are no more than numbers.
    return _put_together(columns, min(scope.row.held, scope.row.latest), read_parts())


def _read_listed(
    scope: OpenScope, columns: Sequence[Column], seqs: Sequence[int], condition: Condition = (None, ())
) -> Rows:
    """Return the rows of some memories, given ascending, or of those of them that meet a condition."""
    shape, lists = condition
    query = _build_states_query(tuple(column.name for column in columns), shape, is_listed=True)
    parts = (
        gather(scope.db, query, (scope.no, scope.db.make_list(some), ROWS_STEP, *lists))
        for some in cut_list(seqs, ROWS_STEP)
    )
    return _put_together(columns, len(seqs), parts)


def _put_together(columns: Sequence[Column], count: int, parts: Iterable[Sequence[Ints]]) -> Rows:
    """Return the rows of parts that were read, which are no more than so many."""
    # Made for all from the start: columns that grow would lie twice in memory, and leave holes in it.
    seq, end = np.empty(count, np.int64), 0
    arrays: dict[str, Array] = {column.name: np.empty(count, _KINDS[column.kind]) for column in columns}
    for numbers, *rest in parts:
        begin, end = end, end + len(numbers)
        if end > count:
            raise ValueError("more memories than a scope holds")
        seq[begin:end] = numbers
        for column, kept in zip(columns, rest, strict=True):
            arrays[column.name][begin:end] = _decode_column(column, kept)
    if end == count:
        return seq, arrays
    return seq[:end].copy(), {name: array[:end].copy() for name, array in arrays.items()}


def _decode_column(column: Column, kept: Ints) -> Array:
    """Turn a column as it was read into what a snapshot holds; names are still numbers of the store."""
    # Where a memory stands may be unknown, and a guard protects it then; without a decay class it has no strength.
    if column.name == "decay" and kept.max(initial=0) > max(Decay):
        raise ValueError("an unknown decay class")
    if column.kind == "fraction":
        return np.where(kept < 0, np.nan, kept / MILLION)
    if column.kind == "time":
        return np.where(kept == _NO_TIME, np.nan, kept)
    return kept


@lru_cache(maxsize=256)  # requests of a few policies
def _build_states_query(names: tuple[str, ...], shape: Shape | None, *, is_listed: bool) -> Statement:
    """Return what reads columns of memories in a list, or behind a number; either is parameter 2.

    Parameter 3 is how many at most; behind it are the lists that columns must be in, where that is a condition.
    """

    def build_source(sql: Dialect) -> str:
        which = f"seq {sql.among(2)}" if is_listed else "seq > ?2"
        condition = "" if shape is None else f" AND {_build_condition(sql, shape, 4)}"
        return f"FROM states WHERE scope = ?1 AND {which}{condition} ORDER BY seq LIMIT ?3"

    return build_query(["seq", *map(_build_expression, names)], build_source)


def _build_expression(name: str) -> str:
    """Return a column as it is read: a number, another one where there is none."""
    column = COLUMN[name]
    return f"coalesce({name}, {_ABSENT[column.kind]})" if column.nullable else name


def _build_condition(sql: Dialect, shape: Shape, parameter: int) -> str:
    """Return the condition that one of several is met: each of its columns, and one of the tags, is in its list."""
    any_of = []
    for names in shape:
        all_of = []
        for name in names:
            all_of.append(_build_one_condition(sql, name, parameter))
            parameter += 1
        any_of.append(" AND ".join(all_of) or "1 = 1")
    return f"({' OR '.join(any_of) or '1 = 0'})"


def _build_one_condition(sql: Dialect, name: str, parameter: int) -> str:
    if name != TAG and COLUMN[name].kind != "name":
        return f"{name} {sql.among(parameter)}"
    codes = (
        f"(SELECT no FROM names WHERE scope = ?1 AND space = '{name}' AND name {sql.among_texts(parameter)})"
    )
    if name != TAG:
        return f"{name} IN {codes}"
    return f"seq IN (SELECT seq FROM tags WHERE scope = ?1 AND tag IN {codes})"


def _list_conditions(scope: OpenScope, among: Among | None) -> Condition:
    """Return the shape of a condition, and the lists of its values as parameters."""
    if among is None:
        return None, []
    shape = tuple(tuple(sorted(holds)) for holds in among)
    lists = []
    for names, holds in zip(shape, among, strict=True):
        for name in names:
            is_name = name == TAG or COLUMN[name].kind == "name"
            values = sorted(map(str, holds[name])) if is_name else sorted(map(int, holds[name]))
            lists.append(scope.db.make_list(values))
    return shape, lists


def _merge_rows(one: Rows, other: Rows) -> Rows:
    """Put two disjoint parts of the rows in one order."""
    if not len(other[0]):
        return one
    seq = np.concatenate([one[0], other[0]])
    order = np.argsort(seq)
    return seq[order], {
        name: np.concatenate([array, other[1][name]])[order] for name, array in one[1].items()
    }


def _encode_names(
    scope: OpenScope, arrays: dict[str, Array], columns: Sequence[str]
) -> dict[str, tuple[str, ...]]:
    """Replace the store's numbers in some columns by codes into the sorted names of each; return these."""
    indexed = {column: _index_numbers(arrays[column]) for column in columns}
    texts = scope.names.read_texts(
        {number for used, _ in indexed.values() for number in used.tolist() if number}
    )
    names = {}
    for column, (used, places) in indexed.items():
        names[column] = tuple(sorted(texts[number] for number in used.tolist() if number))
        codes = {text: code for code, text in enumerate(names[column])}
        of_used = [codes[texts[number]] if number else -1 for number in used.tolist()]
        arrays[column] = np.array(of_used, np.int32)[places] if len(used) else np.empty(0, np.int32)
    return names


def _index_numbers(numbers: Array) -> tuple[Ints, Array]:
    """Return which numbers there are, ascending, and the place of each row's among them."""
    most = int(numbers.max(initial=0))
    if most > _SPREAD_MAX * len(numbers):
        return np.unique(numbers, return_inverse=True)
    # Without sorting all rows: a table by number, since names are numbered as they come.
    is_used = np.zeros(most + 1, np.bool_)
    is_used[numbers] = True
    return np.flatnonzero(is_used), (np.cumsum(is_used, dtype=np.int32) - 1)[numbers]


def _match_tags(scope: OpenScope, seq: Ints, patterns: Collection[str], *, is_few: bool) -> dict[str, Bools]:
    """Tell by pattern which memories have a tag that it means: a name, or all that begin alike (`self/*`)."""
    masks = {pattern: np.zeros(len(seq), np.bool_) for pattern in patterns}
    if not masks or not len(seq):
        return masks
    tags, ends, (tagged,) = _read_tags(scope, seq, patterns, is_few=is_few, is_timed=False)
    for pattern in patterns:
        meant = [
            tagged[begin:end]
            for tag, (begin, end) in zip(tags, pairwise(ends), strict=True)
            if means(pattern, tag)
        ]
        masks[pattern] = is_among(seq, np.sort(np.concatenate([tagged[:0], *meant])))
    return masks


def _read_tagged_times(
    scope: OpenScope, seq: Ints, tags: Collection[str], *, is_few: bool
) -> dict[str, Floats]:
    """Return by tag when each memory got it; NaN where it lacks it, or nobody noted when."""
    times = {tag: np.full(len(seq), np.nan) for tag in tags}
    if not times or not len(seq):
        return times
    found, ends, (tagged, at) = _read_tags(scope, seq, tags, is_few=is_few, is_timed=True)
    here = is_among(tagged, seq) & (at != _NO_TIME)
    for tag, (begin, end) in zip(found, pairwise(ends), strict=True):
        if tag not in times:
            continue
        of_tag = np.flatnonzero(here[begin:end]) + begin
        times[tag][np.searchsorted(seq, tagged[of_tag])] = at[of_tag]
    return times


def _read_tags(
    scope: OpenScope, seq: Ints, patterns: Collection[str], *, is_few: bool, is_timed: bool
) -> tuple[list[str], list[int], list[Ints]]:
    """Return tags, those that patterns mean among them, where the rows of each begin, and the columns of these rows.

    Of few memories all tags are read.
    """
    if is_few:
        stems, values = 0, [scope.no, scope.db.make_list(seq.tolist())]
    else:
        beginnings = [pattern[:-1] for pattern in patterns if pattern.endswith("*") and not is_timed]
        plain = [pattern for pattern in patterns if is_timed or not pattern.endswith("*")]
        ranges = [(start, start + _LAST_CHARACTER) for start in beginnings]
        stems, values = len(ranges), [scope.no, scope.db.make_list(plain), *chain.from_iterable(ranges)]
    query = _build_tags_query(stems, is_few=is_few, is_timed=is_timed)
    tag, *columns = gather(scope.db, query, values)
    numbers, begins = np.unique(tag, return_index=True)
    texts = scope.names.read_texts(numbers.tolist())
    return [texts[number] for number in numbers.tolist()], [*begins.tolist(), len(tag)], columns


@lru_cache(maxsize=64)
def _build_tags_query(stems: int, *, is_few: bool, is_timed: bool) -> Statement:
    """Return what reads the tags of memories in a list, or tags in a list and such as begin in so many ways."""

    def build_source(sql: Dialect) -> str:
        ranges = "".join(f" OR name >= ?{3 + 2 * at} AND name < ?{4 + 2 * at}" for at in range(stems))
        names = f"space = '{TAG}' AND (name {sql.among_texts(2)}{ranges})"
        of_names = f"tag IN (SELECT no FROM names WHERE scope = ?1 AND {names})"
        return f"FROM tags WHERE scope = ?1 AND {f'seq {sql.among(2)}' if is_few else of_names} ORDER BY tag, seq"

    return build_query(["tag", "seq", *([f"coalesce(at, {_NO_TIME})"] if is_timed else [])], build_source)


def _count_agents(scope: OpenScope, seq: Ints, part: Ints | None) -> tuple[Ints, Ints]:
    """Return how many agents used each memory, and how many of them it does not belong to; `part` is read alone."""
    counted = np.zeros((2, len(seq)), np.int64)
    if not len(seq):
        return counted[0], counted[1]
    values = (scope.no, *_list_part(scope, part))
    used, *counts = gather(scope.db, _USERS_OF_ALL if part is None else _USERS, values)
    here = is_among(used, seq)
    counted[:, np.searchsorted(seq, used[here])] = [count[here] for count in counts]
    return counted[0], counted[1]


def _count_sharing_agents(scope: OpenScope, seq: Ints, part: Ints | None) -> Ints:
    """Return how many agents to which each memory does not belong used it, or have a memory that rests on it."""
    counted = np.zeros(len(seq), np.int64)
    if not len(seq):
        return counted
    values = (scope.no, *_list_part(scope, part))
    shared, counts = gather(scope.db, _SHARERS_OF_ALL if part is None else _SHARERS, values)
    here = is_among(shared, seq)
    counted[np.searchsorted(seq, shared[here])] = counts[here]
    return counted


def _list_part(scope: OpenScope, part: Ints | None) -> list[Any]:
    return [] if part is None else [scope.db.make_list(part.tolist())]


def _build_users_query(*, is_part: bool) -> Statement:
    def build_source(sql: Dialect) -> str:
        among = f" AND a.seq {sql.among(2)}" if is_part else ""
        return (
            f"FROM (SELECT a.seq, CASE WHEN a.agent {sql.different} s.agent THEN 1 ELSE 0 END AS other"
            " FROM accessors a JOIN states s ON s.scope = a.scope AND s.seq = a.seq"
            f" WHERE a.scope = ?1{among}) AS used GROUP BY seq"
        )

    return build_query(["seq", "count(*)", "sum(other)"], build_source)


def _build_sharers_query(*, is_part: bool) -> Statement:
    resting = f"l.relation IN ({_numbers(RESTING_ON)}) AND s.status IN ({_numbers(RESTING)})"

    def build_source(sql: Dialect) -> str:
        using, resting_on = (
            f" AND {name} {sql.among(2)}" if is_part else "" for name in ("a.seq", "l.target")
        )
        return (
            f"FROM (SELECT a.seq, a.agent FROM accessors a WHERE a.scope = ?1{using}"
            " UNION SELECT l.target, s.agent FROM links l JOIN states s ON s.scope = l.scope AND s.seq = l.source"
            f" WHERE l.scope = ?1 AND {resting} AND s.agent IS NOT NULL{resting_on}) AS c"
            " JOIN states o ON o.scope = ?1 AND o.seq = c.seq"
            f" WHERE c.agent {sql.different} o.agent GROUP BY c.seq"
        )

    return build_query(["c.seq", "count(*)"], build_source)


def _numbers(members: Iterable[int]) -> str:
    return ", ".join(str(int(one)) for one in sorted(members))


_USERS, _USERS_OF_ALL = _build_users_query(is_part=True), _build_users_query(is_part=False)
_SHARERS, _SHARERS_OF_ALL = _build_sharers_query(is_part=True), _build_sharers_query(is_part=False)


def _build_questions_query(*, is_few: bool) -> Statement:
    def build_source(sql: Dialect) -> str:
        plain, others = (
            " OR ".join(sql.holds("text", f"'{mark}'") for mark in ASKING if mark.isascii() is is_ascii)
            for is_ascii in (True, False)
        )
        # Looking for a sign beyond ASCII costs the more; most texts hold none, which their length tells.
        asks = f"({plain} OR length(text) <> {sql.bytes_of('text')} AND ({others}))"
        few = f" AND seq {sql.among(2)}" if is_few else ""
        return f"FROM memories WHERE scope = ?1{few} AND {asks}"

    return build_query(["seq"], build_source)


_QUESTIONS, _QUESTIONS_OF_ALL = _build_questions_query(is_few=True), _build_questions_query(is_few=False)


def _match_questions(scope: OpenScope, seq: Ints, *, is_few: bool) -> Bools:
    """Tell for each memory whether its text holds a question mark; of few of a scope only their texts are read."""
    values = (scope.no, *_list_part(scope, seq if is_few else None))
    (asking,) = gather(scope.db, _QUESTIONS if is_few else _QUESTIONS_OF_ALL, values)
    return is_among(seq, np.sort(asking))


@lru_cache(maxsize=64)
def _build_attributes_query(names: int) -> Statement:
    """Return what reads the attributes of all memories, or of those that hold one of so many texts."""

    def build(sql: Dialect) -> str:
        held = " OR ".join(sql.holds("attributes", f"?{2 + at}") for at in range(names))
        return (
            "SELECT seq, attributes FROM memories WHERE scope = ?1 AND attributes IS NOT NULL"
            f"{f' AND ({held})' if held else ''} ORDER BY seq"
        )

    return Statement(build)


def _read_attributes(
    scope: OpenScope, seq: Ints, names: Collection[str]
) -> dict[str, tuple[AttributeColumn, Codes]]:
    """Read some attributes of all memories in one walk over those that may have any of them."""
    # A name that JSON could write in another way is looked for in every row.
    plain = all(name.isascii() and name.isprintable() and not {'"', "\\"} & set(name) for name in names)
    looked_for = [f'"{name}"' for name in names] if plain else []
    columns = {name: AttributeColumn() for name in names}
    seqs: list[int] = []
    codes: dict[str, list[int]] = {name: [] for name in names}
    for number, text in scope.db.stream(_build_attributes_query(len(looked_for)), (scope.no, *looked_for)):
        attributes = mapping(text)
        seqs.append(number)
        for name, column in columns.items():
            codes[name].append(column.code(attributes.get(name)))
    row_attributes = {}
    for name, column in columns.items():
        row_codes = np.full(len(seq), -1, np.int32)
        row_codes[np.searchsorted(seq, np.array(seqs, np.int64))] = codes[name]
        row_attributes[name] = (column, row_codes)
    return row_attributes


def _list_link_names(wanted: Collection[str]) -> tuple[str, ...]:
    return tuple(name for name in _LINK_KINDS if name in wanted or name in _ALWAYS)


@lru_cache(maxsize=64)
def _build_links_query(names: tuple[str, ...], end: str | None) -> Statement:
    """Return what reads columns of links whose sources are in a range, or of which one end is in a list."""

    def build_source(sql: Dialect) -> str:
        which = "source BETWEEN ?2 AND ?3" if end is None else f"{end} {sql.among(2)}"
        order = " ORDER BY source, target, relation" if end is None else ""
        return f"FROM links WHERE scope = ?1 AND {which}{order}"

    return build_query([_LINK_EXPRESSIONS.get(name, name) for name in names], build_source)


def _read_adjacent_links(scope: OpenScope, seq: Ints, wanted: Collection[str]) -> dict[str, Array]:
    """Return the links that have some of the scope's memories at an end, these still by their sequence numbers."""
    names = _list_link_names(wanted)
    parts = [[np.empty(0, np.int64)] * len(names)]
    for end in ("source", "target"):
        for some in cut_list(seq.tolist(), LINKS_STEP):
            columns = gather(scope.db, _build_links_query(names, end), (scope.no, scope.db.make_list(some)))
            if end == "target":  # what begins at one of them was read as well
                is_new = ~is_among(columns[0], seq)
                columns = [column[is_new] for column in columns]
            parts.append(columns)
    found = dict(zip(names, map(np.concatenate, zip(*parts, strict=True)), strict=True))
    order = np.lexsort((found["relation"], found["target"], found["source"]))
    return {name: array[order] for name, array in found.items()}


def _build_link_columns(found: Mapping[str, Ints], row_of: "_RowNumbers") -> LinkColumns:
    """Return links with their ends as row numbers."""
    return LinkColumns(**{name: _decode_link_column(name, kept, row_of) for name, kept in found.items()})


def _read_links(scope: OpenScope, seq: Ints, wanted: Collection[str]) -> LinkColumns:
    """Return the links of a scope with some of their columns, their ends as row numbers."""
    names = _list_link_names(wanted)
    row_of, end = _RowNumbers(seq), 0
    # Room that is not written to takes no memory, and parts put together in the end would lie there twice.
    columns: dict[str, Array] = {name: np.empty(_LINKS_EACH * len(seq), _LINK_KINDS[name]) for name in names}
    for rows in _read_all_links(scope, seq, names):
        begin, end = end, end + len(rows[0])
        for name, kept in zip(names, rows, strict=True):
            roomy = columns[name]
            if end > len(roomy):
                columns[name] = np.empty(2 * end, roomy.dtype)
                columns[name][: len(roomy)] = roomy
            columns[name][begin:end] = _decode_link_column(name, kept, row_of)
    return LinkColumns(**{name: array[:end] for name, array in columns.items()})


def _read_all_links(scope: OpenScope, seq: Ints, names: tuple[str, ...]) -> Iterator[list[Ints]]:
    """Yield the columns of the links of all memories range by range, in order."""
    query = _build_links_query(names, None)
    for some in cut_list(seq, LINKS_STEP):
        yield gather(scope.db, query, (scope.no, int(some[0]), int(some[-1])))


def _decode_link_column(name: str, kept: Ints, row_of: "_RowNumbers") -> Array:
    """Turn a column of links as it was read into what a snapshot holds."""
    if name in {"source", "target"}:
        return row_of(kept)
    if name == "resolved_at":
        return np.where(kept == _NO_TIME, np.nan, kept)
    return kept.astype(_LINK_KINDS[name])


class _RowNumbers:
    """Row numbers by sequence number: a table where the numbers lie close, else a search."""

    def __init__(self, seq: Ints) -> None:
        self._seq = seq
        self._table: npt.NDArray[np.int32] | None = None
        if len(seq) and int(seq[-1] - seq[0]) < _SPREAD_MAX * len(seq):
            self._table = np.zeros(int(seq[-1] - seq[0]) + 1, np.int32)
            self._table[seq - seq[0]] = np.arange(len(seq), dtype=np.int32)

    def __call__(self, seqs: Ints) -> npt.NDArray[np.int32]:
        if self._table is not None:
            rows: npt.NDArray[np.int32] = self._table[seqs - self._seq[0]]
            return rows
        return np.searchsorted(self._seq, seqs).astype(np.int32)
