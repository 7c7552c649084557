"""A scope frozen as columns, read packed and in ranges inside one read transaction.

Knows which bits each column needs and what `Snapshot` promises; knows nothing of rules.
"""

import sqlite3
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import groupby
from typing import Any

import numpy as np
import numpy.typing as npt

from remanence.core.attributes import AttributeColumn, Codes
from remanence.core.change import GUARDS
from remanence.core.clock import DAY
from remanence.core.errors import InvalidInput
from remanence.core.model import COLUMN, COUNT_MAX, Column, Decay
from remanence.core.snapshot import (
    RESTING,
    RESTING_ON,
    TAG,
    Holds,
    LinkColumns,
    Snapshot,
    SnapshotRequest,
    is_among,
)
from remanence.store.constraints import TIME_BOUND, refuse_wanted
from remanence.store.sqlite import bookkeeping
from remanence.store.sqlite.changed_since import changed_since
from remanence.store.sqlite.dialect import id_list
from remanence.store.sqlite.packed import PackedField, Packing, UnpackedRows, gather
from remanence.store.sqlite.rows import MILLION, mapping
from remanence.store.sqlite.string_ids import SCOPE, StringIds
from remanence.text.analysis import ASKING

Ints = npt.NDArray[np.int64]
Array = npt.NDArray[Any]

ROWS_STEP = 1 << 14
LINKS_STEP = 1 << 12
# Every time a snapshot can hold exactly lies within 2**53 microseconds of 1970; moved up by that, 54 bits hold it.
_EPOCH, _TIME_BITS = TIME_BOUND + 1, 54
# A scope with this share of all rows is read by walking the table, a smaller one by its index.
_DENSE = 0.25
_LINKS_EACH = 4  # room for links at first, for each memory
# A table of row numbers by sequence number is made up to this many times as long as there are rows.
_SPREAD_MAX = 8
_ROW_BITS, _RELATION_BITS = 28, 4
_KINDS = {
    "enum": np.int8,
    "name": np.int32,
    "int": np.int64,
    "flag": np.int64,
    "time": np.float64,
    "fraction": np.float64,
}


def snapshot(
    connection: sqlite3.Connection, names: StringIds, scope: str, wanted: SnapshotRequest, now: int
) -> Snapshot:
    """Freeze the scope as columns."""
    columns = _list_columns(wanted)
    no = names.number(connection, SCOPE, scope) or 0
    row = connection.execute("SELECT position, newest_at, held FROM scopes WHERE scope = ?", (no,)).fetchone()
    position, newest, count = row or (0, 0, 0)
    changed_seqs = None
    if wanted.since is not None and wanted.since <= position:
        changed_seqs = changed_since(connection, no, wanted.since)
    part: Ints | None
    if changed_seqs is None and wanted.only is not None and wanted.links is not None:
        only_seqs = np.unique(np.array(wanted.only, np.int64))
        seq, arrays, links = _read_near(connection, no, columns, count, (only_seqs, wanted.links))
        part = seq
    elif changed_seqs is None:
        among = ""
        if wanted.among is not None:
            any_of = (_build_holds_condition(connection, names, no, holds) for holds in wanted.among)
            among = f" AND ({' OR '.join(any_of) or '0'})"
        seq, arrays, links = _read(connection, no, columns, count, (among, wanted))
        part = None if among == "" else seq
    else:
        seq, arrays, links = _read_near(connection, no, columns, count, (changed_seqs, wanted.links))
        part = seq
    texts = {
        column.name: _encode_names(connection, names, arrays, column.name)
        for column in columns
        if column.kind == "name"
    }
    (destroyed_count,) = connection.execute(
        "SELECT coalesce(sum(destroyed), 0) FROM runs WHERE scope = ? AND at > ? AND at <= ? AND destroyed > 0",
        (no, now - DAY, now),
    ).fetchone()
    count_query = "SELECT count(*) FROM links WHERE scope = ?"
    agents, others = _count_agents(connection, no, seq, part) if wanted.agents else (None, None)
    sharing = _count_sharing_agents(connection, no, seq, part) if wanted.agents else None
    return Snapshot(
        scope=scope,
        position=position,
        seq=seq,
        whole=count,
        columns=arrays,
        names=texts,
        tags={pattern: _tag_mask(connection, no, pattern, seq) for pattern in wanted.tags},
        tagged_at={tag: _tagged_at(connection, no, tag, seq) for tag in wanted.tagged_at},
        agents=agents,
        other_agents=others,
        sharing_agents=sharing,
        links=links,
        fired=dict(connection.execute("SELECT rule, at FROM fired WHERE scope = ?", (no,)).fetchall()),
        newest_at=newest,
        destroyed_today=destroyed_count,
        spans=bookkeeping.clock(connection, no, "active") if "active" in wanted.clocks else None,
        heard=bookkeeping.clock(connection, no, "turns") if "turns" in wanted.clocks else None,
        asks=_match_questions(connection, no, seq, few=wanted.only is not None) if wanted.asks else None,
        attributes=_read_attributes(connection, no, seq, wanted.attributes) if wanted.attributes else {},
        link_count=connection.execute(count_query, (no,)).fetchone()[0] if wanted.link_count else None,
        changed=changed_seqs,
    )


def _read(
    connection: sqlite3.Connection,
    no: int,
    columns: Sequence[Column],
    count: int,
    which: tuple[str, SnapshotRequest],
) -> tuple[Ints, dict[str, Array], LinkColumns | None]:
    """Return numbers, columns and links of a scope's memories, which are so many, or of those that meet a condition."""
    among, request = which
    seq, arrays = _rows(connection, no, columns, count, (among, request.only))
    if request.links is None:
        return seq, arrays, None
    if request.among is None:
        return seq, arrays, _read_links(connection, no, seq, request.links)
    adjacent_links = _read_adjacent_links(connection, no, seq, count, request.links)
    beyond = np.setdiff1d(np.concatenate([adjacent_links["source"], adjacent_links["target"]]), seq)
    rest = _rows(connection, no, columns, len(beyond), ("", beyond.tolist()))
    seq, arrays = _merge_rows((seq, arrays), rest)
    return seq, arrays, _build_link_columns(connection, no, adjacent_links, _RowNumbers(seq), request.links)


def _read_near(
    connection: sqlite3.Connection,
    no: int,
    columns: Sequence[Column],
    count: int,
    which: tuple[Ints, Collection[str] | None],
) -> tuple[Ints, dict[str, Array], LinkColumns | None]:
    """Return the same of some memories and of their neighbours; links are of the former."""
    some, links = which
    adjacent_links = _read_adjacent_links(connection, no, some, count, links or ())
    near = np.union1d(some, np.concatenate([adjacent_links["source"], adjacent_links["target"]]))
    seq, arrays = _rows(connection, no, columns, len(near), ("", near.tolist()))
    return (
        seq,
        arrays,
        None
        if links is None
        else _build_link_columns(connection, no, adjacent_links, _RowNumbers(seq), links),
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


def _pack_column(column: Column) -> PackedField:
    """Return the bits of one column; what may be absent is 0 there and everything else one higher."""
    name = column.name
    if column.kind == "enum":
        return PackedField(name, f"coalesce({name}, -1) + 1", 4)
    if column.kind == "flag":
        return PackedField(name, name, 1)
    if column.kind == "fraction":
        return PackedField(name, f"coalesce({name}, -1) + 1", 20 if column.limit <= 1 else 40)
    if column.kind == "name":
        return PackedField(name, f"coalesce({name}, 0)", 32)
    if column.kind == "time":
        return PackedField(name, f"coalesce({name} + {_EPOCH}, 0)", _TIME_BITS)
    if name == "use_days":
        return PackedField(name, name, 64)
    return PackedField(name, f"{name} & 4294967295", 32)


@lru_cache(maxsize=64)  # requests of a few policies
def _packing_of_rows(names: tuple[str, ...]) -> Packing:
    """Return where the columns of memories lie, behind their sequence numbers."""
    return Packing([PackedField("seq", "seq - ?1", 16), *(_pack_column(COLUMN[name]) for name in names)])


def _unpack_column(column: Column, rows: UnpackedRows) -> Array:
    """Turn a column's bits into the array that a snapshot holds; names are still numbers of the store."""
    name = column.name
    if column.kind == "enum":
        codes = (rows.read_unsigned(name) - 1).astype(np.int8)
        # Where a memory stands may be unknown, and a guard protects it then; without a decay class it has no strength.
        if name == "decay" and codes.max(initial=0) > max(Decay):
            raise ValueError("an unknown decay class")
        return codes
    if column.kind == "fraction":
        millionths = rows.read_unsigned(name) - 1
        return np.where(millionths < 0, np.nan, millionths / MILLION)
    if column.kind == "time":
        micros = rows.read_unsigned(name)
        return np.where(micros == 0, np.nan, micros - _EPOCH)
    if column.kind == "name":
        return rows.read_unsigned(name).astype(np.int32)
    return rows.read_unsigned(name) if column.kind == "flag" else rows.read_signed(name)


def _build_holds_condition(connection: sqlite3.Connection, names: StringIds, no: int, holds: Holds) -> str:
    """Return a condition: each column holds one of its labels or names, and one of the tags is there."""
    conditions = []
    for name, values in sorted(holds.items()):
        is_name = name == TAG or COLUMN[name].kind == "name"
        codes = (names.number(connection, name, str(one)) if is_name else int(one) for one in values)
        code_list = ", ".join(str(code) for code in codes if code is not None)
        if name == TAG:
            conditions.append(f"seq IN (SELECT seq FROM tags WHERE scope = {no} AND tag IN ({code_list}))")
        else:
            conditions.append(f"{name} IN ({code_list})")
    return " AND ".join(conditions)


def _merge_rows(
    one: tuple[Ints, dict[str, Array]], other: tuple[Ints, dict[str, Array]]
) -> tuple[Ints, dict[str, Array]]:
    """Put two disjoint parts of the rows in one order."""
    if not len(other[0]):
        return one
    seq = np.concatenate([one[0], other[0]])
    order = np.argsort(seq)
    return seq[order], {
        name: np.concatenate([array, other[1][name]])[order] for name, array in one[1].items()
    }


def _rows(
    connection: sqlite3.Connection,
    no: int,
    columns: Sequence[Column],
    count: int,
    which: tuple[str, Sequence[int] | None],
) -> tuple[Ints, dict[str, Array]]:
    """Return sequence numbers and columns of memories of a scope, which has so many in all.

    `which` of them are read are those that meet a condition, and where numbers are given these.
    """
    among, only = which
    packing = _packing_of_rows(tuple(column.name for column in columns))
    if only is None:
        bounds, dense = _read_extent(connection, no)
        # Another program may have written how many there are: there are no more than numbers.
        count = max(0, min(count, bounds[1] - bounds[0] + 1))
        source = (
            f"FROM states{' NOT INDEXED' if dense else ''} WHERE seq BETWEEN ?1 AND ?2 AND scope = {no}{among}"
            " ORDER BY seq"
        )
        ranges = gather(connection, packing, source, bounds, ROWS_STEP)
    else:
        count = len(only)
        ranges = _read_row_ranges(connection, packing, (no, among), only)
    # Made for all from the start: columns that grow would lie twice in memory, and leave holes in it.
    seq, end = np.empty(count, np.int64), 0
    arrays: dict[str, Array] = {column.name: np.empty(count, _KINDS[column.kind]) for column in columns}
    for base, rows in ranges:
        begin, end = end, end + len(rows)
        seq[begin:end] = rows.read_unsigned("seq") + base
        for column in columns:
            arrays[column.name][begin:end] = _unpack_column(column, rows)
    if end == count:
        return seq, arrays
    return seq[:end].copy(), {name: array[:end].copy() for name, array in arrays.items()}


def _read_row_ranges(
    connection: sqlite3.Connection, packing: Packing, which: tuple[int, str], only: Sequence[int]
) -> Iterator[tuple[int, UnpackedRows]]:
    """Yield (base, rows) of some memories: only the ranges that they lie in are looked at."""
    no, among = which
    by_base: dict[int, list[int]] = {}
    for number in sorted(set(only)):
        by_base.setdefault(number - number % ROWS_STEP, []).append(number)
    # The numbers are no part of the statement, which is then read once, and not for each list anew; the sign keeps
    # SQLite from walking the whole range.
    source = (
        "FROM states WHERE +seq BETWEEN ?1 AND ?2 AND seq IN (SELECT value FROM json_each(?3))"
        f" AND +scope = {no}{among} ORDER BY seq"
    )
    for base, numbers in by_base.items():
        bounds = (base, base + ROWS_STEP - 1)
        yield from gather(connection, packing, source, bounds, ROWS_STEP, [id_list(numbers)])


def _read_extent(connection: sqlite3.Connection, no: int) -> tuple[tuple[int, int], bool]:
    """Return the first and last sequence number of a scope, and whether it fills a good part of the table."""
    (first,) = connection.execute("SELECT min(seq) FROM states WHERE scope = ?", (no,)).fetchone()
    (last,) = connection.execute("SELECT max(seq) FROM states WHERE scope = ?", (no,)).fetchone()
    given_out = connection.execute("SELECT seq FROM sqlite_sequence WHERE name = 'memories'").fetchone()
    row = connection.execute("SELECT memories FROM scopes WHERE scope = ?", (no,)).fetchone()
    if first is None:
        return (1, 0), False
    if (
        first < 1 or given_out is None or last > given_out[0]
    ):  # or else the ranges between would be read for ever
        raise ValueError("a sequence number that no memory has")
    return (first, last), bool(row) and row[0] >= _DENSE * (last - first + 1)


def _encode_names(
    connection: sqlite3.Connection, names: StringIds, arrays: dict[str, Array], column: str
) -> tuple[str, ...]:
    """Replace the store's numbers by codes into the sorted names of a column; return these."""
    array = arrays[column]
    used, places = _index_numbers(array)
    texts = names.read_texts(connection, [number for number in used.tolist() if number])
    sorted_texts = sorted(texts.values())
    codes = {text: code for code, text in enumerate(sorted_texts)}
    of_used = [codes[texts[number]] if number else -1 for number in used.tolist()]
    arrays[column] = np.array(of_used, np.int32)[places] if len(used) else np.empty(0, np.int32)
    return tuple(sorted_texts)


def _index_numbers(numbers: Array) -> tuple[Ints, Array]:
    """Return which numbers there are, ascending, and the place of each row's among them."""
    most = int(numbers.max(initial=0))
    if most > _SPREAD_MAX * len(numbers):
        return np.unique(numbers, return_inverse=True)
    # Without sorting all rows: a table by number, since names are numbered as they come.
    is_used = np.zeros(most + 1, np.bool_)
    is_used[numbers] = True
    return np.flatnonzero(is_used), (np.cumsum(is_used, dtype=np.int32) - 1)[numbers]


def _tag_mask(connection: sqlite3.Connection, no: int, pattern: str, seq: Ints) -> npt.NDArray[np.bool_]:
    """Tell for each memory whether it has a tag that the pattern means: a name, or all that begin alike (`self/*`)."""
    # What GLOB would read into a name is escaped; only a star at the end means anything.
    stem, star = (pattern[:-1], "*") if pattern.endswith("*") else (pattern, "")
    (seq_text,) = connection.execute(
        "SELECT group_concat(seq) FROM tags WHERE scope = ? AND tag IN"
        " (SELECT no FROM names WHERE space = 'tag' AND name GLOB ?)",
        (no, "".join(f"[{sign}]" if sign in "*?[" else sign for sign in stem) + star),
    ).fetchone()
    return (
        is_among(seq, np.sort(np.fromstring(seq_text, np.int64, sep=",")))
        if seq_text
        else np.zeros(len(seq), np.bool_)
    )


def _tagged_at(connection: sqlite3.Connection, no: int, tag: str, seq: Ints) -> npt.NDArray[np.float64]:
    """Return when each memory got a tag; NaN where it lacks it, or nobody noted when."""
    rows = connection.execute(
        "SELECT seq, at FROM tags WHERE at IS NOT NULL AND scope = ? AND tag IN"
        " (SELECT no FROM names WHERE space = 'tag' AND name = ?)",
        (no, tag),
    )
    pairs = _filter_read_rows(np.array(rows.fetchall(), np.int64).reshape(-1, 2), seq)
    times = np.full(len(seq), np.nan)
    times[np.searchsorted(seq, pairs[:, 0])] = pairs[:, 1]
    return times


def _count_agents(connection: sqlite3.Connection, no: int, seq: Ints, part: Ints | None) -> tuple[Ints, Ints]:
    """Return how many agents used each memory, and how many of them it does not belong to; `part` is read alone."""
    rows = connection.execute(
        "SELECT seq, count(*), sum(a.agent IS NOT s.agent) FROM accessors a JOIN states s USING (scope, seq)"
        f" WHERE a.scope = ?1{_among_part('a.seq', part)} GROUP BY seq",
        (no, *_part_parameters(part)),
    )
    triples = _filter_read_rows(np.array(rows.fetchall(), np.int64).reshape(-1, 3), seq)
    counts = np.zeros((2, len(seq)), np.int64)
    counts[:, np.searchsorted(seq, triples[:, 0])] = triples[:, 1:].T
    return counts[0], counts[1]


def _count_sharing_agents(connection: sqlite3.Connection, no: int, seq: Ints, part: Ints | None) -> Ints:
    """Return how many agents to which each memory does not belong used it, or have a memory that rests on it."""
    rows = connection.execute(
        "WITH concerned (seq, agent) AS ("
        f"SELECT a.seq, a.agent FROM accessors a WHERE a.scope = ?1{_among_part('a.seq', part)}"
        " UNION SELECT l.target, s.agent FROM links l JOIN states s ON s.seq = l.source"
        f" WHERE l.scope = ?1 AND l.relation IN ({_numbers(RESTING_ON)}) AND s.status IN ({_numbers(RESTING)})"
        f" AND s.agent IS NOT NULL{_among_part('l.target', part)})"
        " SELECT c.seq, count(*) FROM concerned c JOIN states o ON o.seq = c.seq"
        " WHERE c.agent IS NOT o.agent GROUP BY c.seq",
        (no, *_part_parameters(part)),
    )
    pairs = _filter_read_rows(np.array(rows.fetchall(), np.int64).reshape(-1, 2), seq)
    counts = np.zeros(len(seq), np.int64)
    counts[np.searchsorted(seq, pairs[:, 0])] = pairs[:, 1]
    return counts


def _numbers(members: Iterable[int]) -> str:
    return ", ".join(str(int(one)) for one in sorted(members))


def _among_part(column: str, part: Ints | None) -> str:
    return "" if part is None else f" AND {column} IN (SELECT value FROM json_each(?2))"


def _part_parameters(part: Ints | None) -> tuple[str, ...]:
    return () if part is None else (id_list(part.tolist()),)


def _filter_read_rows(rows: Ints, seq: Ints) -> Ints:
    """Return those rows whose first number is that of a memory that is read."""
    return rows[is_among(rows[:, 0], seq)] if len(rows) else rows


def _like_condition(marks: Iterable[str]) -> str:
    return " OR ".join(f"text LIKE '%{mark}%'" for mark in marks)


# Looking for a sign beyond ASCII means reading each, one by one; most texts hold none, which their length tells.
_ASKS = (
    f"{_like_condition(filter(str.isascii, ASKING))} OR length(text) <> length(CAST(text AS BLOB))"
    f" AND ({_like_condition(mark for mark in ASKING if not mark.isascii())})"
)


def _match_questions(
    connection: sqlite3.Connection, no: int, seq: Ints, *, few: bool
) -> npt.NDArray[np.bool_]:
    """Tell for each memory whether its text holds a question mark; of few of a scope only their texts are read."""
    given: tuple[object, ...] = (id_list(seq.tolist()),)
    source = "json_each(?) AS given CROSS JOIN memories ON seq = given.value"
    if not few:
        bounds, dense = _read_extent(connection, no)
        given = (no, *bounds)
        source = f"memories{' NOT INDEXED' if dense else ''} WHERE scope = ? AND seq BETWEEN ? AND ?"
    statement = f"SELECT group_concat(seq) FROM {source} AND ({_ASKS})"
    (seq_text,) = connection.execute(statement, given).fetchone()
    return np.isin(seq, np.fromstring(seq_text, np.int64, sep=",") if seq_text else ())


def _read_attributes(
    connection: sqlite3.Connection, no: int, seq: Ints, names: Collection[str]
) -> dict[str, tuple[AttributeColumn, Codes]]:
    """Read some attributes of all memories in one walk over those that may have any of them."""
    (first, last), dense = _read_extent(connection, no)
    # A name that JSON could write in another way is looked for in every row.
    plain = all(name.isascii() and name.isprintable() and not {'"', "\\"} & set(name) for name in names)
    condition = " OR ".join("instr(attributes, ?)" for _ in names) if plain else "1"
    rows = connection.execute(
        f"SELECT seq, attributes FROM memories{' NOT INDEXED' if dense else ''}"
        f" WHERE scope = ? AND seq BETWEEN ? AND ? AND attributes IS NOT NULL AND ({condition})",
        (no, first, last, *((f'"{name}"' for name in names) if plain else ())),
    )
    columns = {name: AttributeColumn() for name in names}
    seqs: list[int] = []
    codes: dict[str, list[int]] = {name: [] for name in names}
    for number, text in rows:
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


_TARGET_BITS = 26  # up to so many bits the ends, the relation and the weight of a link fit into one word
_OF_LINKS = {
    "confidence": PackedField("confidence", "coalesce(confidence, -1) + 1", 20),
    "count": PackedField("count", "count", COUNT_MAX.bit_length()),
    "last_at": PackedField("last_at", f"last_at + {_EPOCH}", _TIME_BITS),
}


def _pick_packing(latest: int, wanted: Collection[str]) -> Packing:
    """Return where the columns of links lie, in as few words as they need."""
    return _packing_of_links(_TARGET_BITS if latest < 1 << _TARGET_BITS else 40, frozenset(wanted))


@lru_cache(maxsize=16)
def _packing_of_links(target_bits: int, wanted: frozenset[str]) -> Packing:
    return Packing(
        [
            PackedField("source", "source - ?1", 14),
            PackedField("relation", "relation", 4),
            PackedField("weight", "weight", 20),
            PackedField("target", "target", target_bits),
            *(field for name, field in _OF_LINKS.items() if name in wanted),
        ]
    )


def _read_adjacent_links(
    connection: sqlite3.Connection, no: int, seq: Ints, count: int, wanted: Collection[str]
) -> dict[str, Array]:
    """Return the links that have some of the scope's memories at an end, these still by their sequence numbers."""
    bounds, _ = _read_extent(connection, no)
    packing = _pick_packing(bounds[1], wanted)
    if len(seq) > _DENSE * count:
        source = (
            f"FROM links WHERE scope = {no} AND source BETWEEN ?1 AND ?2 ORDER BY source, target, relation"
        )
        parts = gather(connection, packing, source, bounds, LINKS_STEP)
    else:
        seq_list = id_list(seq.tolist())
        rows = connection.execute(_SOURCES, (no, seq_list, no, seq_list)).fetchall()
        parts = _of_sources(connection, packing, no, [number for (number,) in rows])
    names = [name for name in _LINK_KINDS if name in wanted or name in _ALWAYS]
    chunks: dict[str, list[Array]] = {name: [np.empty(0, np.int64)] for name in names}
    for base, rows_of in parts:
        for name in names:
            chunks[name].append(_of_link(name, rows_of, base, lambda seqs: seqs))
    columns = {name: np.concatenate(some) for name, some in chunks.items()}
    mine = is_among(columns["source"], seq) | is_among(columns["target"], seq)
    return {name: array[mine] for name, array in columns.items()}


_SOURCES = (
    "SELECT source FROM links WHERE scope = ? AND source IN (SELECT value FROM json_each(?))"
    " UNION SELECT source FROM links INDEXED BY links_target"
    " WHERE scope = ? AND target IN (SELECT value FROM json_each(?)) ORDER BY source"
)


def _of_sources(
    connection: sqlite3.Connection, packing: Packing, no: int, sources: Sequence[int]
) -> Iterator[tuple[int, UnpackedRows]]:
    """Yield (base, rows) of the links that begin at some memories, which ascend."""
    source = (
        f"FROM links WHERE scope = {no} AND +source BETWEEN ?1 AND ?2"
        " AND source IN (SELECT value FROM json_each(?3)) ORDER BY source, target, relation"
    )
    for base, numbers in groupby(sources, lambda number: number - number % LINKS_STEP):
        bounds = (base, base + LINKS_STEP - 1)
        yield from gather(connection, packing, source, bounds, LINKS_STEP, [id_list(numbers)])


def _build_link_columns(
    connection: sqlite3.Connection,
    no: int,
    found: Mapping[str, Array],
    row_of: "_RowNumbers",
    wanted: Collection[str],
) -> LinkColumns:
    """Return links with their ends as row numbers."""
    kinds = {name: array.astype(_LINK_KINDS[name]) for name, array in found.items()}
    ends = {name: row_of(found[name]) for name in ("source", "target")}
    links = LinkColumns(**{**kinds, **ends})
    if "resolved_at" not in wanted:
        return links
    return replace(links, resolved_at=_read_resolved_times(connection, no, row_of, links))


def _read_links(connection: sqlite3.Connection, no: int, seq: Ints, wanted: Collection[str]) -> LinkColumns:
    """Return the links of a scope with some of their columns, their ends as row numbers."""
    source = f"FROM links WHERE scope = {no} AND source BETWEEN ?1 AND ?2 ORDER BY source, target, relation"
    bounds = (int(seq[0]), int(seq[-1])) if len(seq) else (1, 0)
    row_of, end = _RowNumbers(seq), 0
    # Room that is not written to takes no memory, and parts put together in the end would lie there twice.
    columns: dict[str, Array] = {
        name: np.empty(_LINKS_EACH * len(seq), kind)
        for name, kind in _LINK_KINDS.items()
        if name in wanted or name in _ALWAYS
    }
    for base, rows in gather(connection, _pick_packing(bounds[1], wanted), source, bounds, LINKS_STEP):
        begin, end = end, end + len(rows)
        for name, array in columns.items():
            roomy = array
            if end > len(array):
                columns[name] = roomy = np.empty(2 * end, array.dtype)
                roomy[: len(array)] = array
            roomy[begin:end] = _of_link(name, rows, base, row_of)
    link_columns = LinkColumns(**{name: array[:end] for name, array in columns.items()})
    if "resolved_at" not in wanted:
        return link_columns
    return replace(link_columns, resolved_at=_read_resolved_times(connection, no, row_of, link_columns))


_ALWAYS = ("source", "target", "relation", "weight")
_LINK_KINDS: Mapping[str, type[np.generic]] = {
    "source": np.int32,
    "target": np.int32,
    "relation": np.int8,
    "weight": np.int32,
    "confidence": np.int32,
    "count": np.int32,
    "last_at": np.float64,
}


def _of_link(name: str, rows: UnpackedRows, base: int, row_of: Callable[[Ints], Array]) -> Array:
    """Unpack one column of some links."""
    values = rows.read_unsigned(name)
    if name == "source":
        values += base
    if name in {"source", "target"}:
        return row_of(values)
    if name == "confidence":
        values -= 1
    return (values - _EPOCH if name == "last_at" else values).astype(_LINK_KINDS[name])


def _read_resolved_times(
    connection: sqlite3.Connection, no: int, row_of: "_RowNumbers", links: LinkColumns
) -> npt.NDArray[np.float64]:
    """Return when each link was resolved: few are, so these are read by their own index and found in their places."""
    rows = connection.execute(
        "SELECT source, target, relation, resolved_at FROM links INDEXED BY links_resolved"
        " WHERE scope = ? AND resolved_at IS NOT NULL",
        (no,),
    ).fetchall()
    times = np.full(len(links), np.nan)
    resolved_rows = np.array(rows, np.int64).reshape(-1, 4)
    source, target, relation, resolved_at = resolved_rows[
        row_of.has(resolved_rows[:, 0]) & row_of.has(resolved_rows[:, 1])
    ].T
    keys = _build_link_keys(links.source, links.target, links.relation)
    wanted_keys = _build_link_keys(row_of(source), row_of(target), relation)
    places = np.searchsorted(keys, wanted_keys)
    here = np.isin(wanted_keys, keys)
    times[places[here]] = resolved_at[here]
    return times


def _build_link_keys(source: Array, target: Array, relation: Array) -> Ints:
    """Return one number a link, which ascend as links do."""
    return (source.astype(np.int64) << _ROW_BITS | target.astype(np.int64)) << _RELATION_BITS | relation


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

    def has(self, seqs: Ints) -> npt.NDArray[np.bool_]:
        """Tell which of these memories have a row."""
        return is_among(seqs, self._seq)
