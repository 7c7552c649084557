"""The tags, links and sources of one commit, what it forbids, boxes and traces: compared, imaged, written.

Knows their keys and values; knows memories only as what they hang on.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from operator import itemgetter
from typing import Any

from remanence.core.box import BOX_COLUMNS, TRACE_COLUMNS
from remanence.core.change import Change
from remanence.core.errors import InvalidInput
from remanence.core.model import LINK_COLUMNS
from remanence.store.constraints import (
    APART,
    HANGING,
    REVISING,
    TABLE_COLUMNS,
    defaults,
    encode_values,
    memories_of,
)
from remanence.store.sql.audit import json_text, shape_of
from remanence.store.sql.decoding import DECODING
from remanence.store.sql.dialect import Dialect, Statement, build_insert
from remanence.store.sql.names import TAG
from remanence.store.sql.rows import decode_value, decoded_link, encode_value, encoded_link
from remanence.store.sql.scope import OpenScope
from remanence.store.sql.transaction import CommitContext, Key

# By table: the columns of its key behind the scope, and those of its values.
_COLUMNS: Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "tags": (("seq", "tag"), ("at",)),
    "sources": (("seq", "source"), ("span",)),
    "links": (("source", "target", "relation"), LINK_COLUMNS),
    "forbidden": (("fold",), ("at", "seq")),
    "boxes": (("box",), BOX_COLUMNS),
    "traces": (("trace",), TRACE_COLUMNS),
}
# What narrows rows further than a list of the first parts of their keys: links of one memory may be many.
_BETWEEN = {"links": " AND target BETWEEN ?3 AND ?4"}


def _build_select(table: str) -> Statement:
    """Return what reads the rows whose keys begin with one of a list."""
    (first, *others), values = _COLUMNS[table]

    def render(sql: Dialect) -> str:
        listed = sql.among_texts(2) if table == "forbidden" else sql.among(2)
        columns = ", ".join(("scope", first, *others, *values))
        return f"SELECT {columns} FROM {table} WHERE scope = ?1 AND {first} {listed}{_BETWEEN.get(table, '')}"

    return Statement(render)


def _build_put(table: str) -> Statement:
    key, values = _COLUMNS[table]
    return Statement(build_insert(table, ("scope", *key, *values), ("scope", *key)))


def _build_delete(table: str) -> Statement:
    key, _ = _COLUMNS[table]
    same = " AND ".join(f"{name} = ?{at}" for at, name in enumerate(("scope", *key), 1))
    return Statement(f"DELETE FROM {table} WHERE {same}")


_SELECT = {table: _build_select(table) for table in _COLUMNS}
_PUT = {table: _build_put(table) for table in _COLUMNS}
_DELETE = {table: _build_delete(table) for table in _COLUMNS}
_STANDING = Statement(lambda sql: f"SELECT seq FROM states WHERE scope = ?1 AND seq {sql.among(2)}")
_ORDER = (*HANGING, *APART)

Row = Mapping[str, Any]


class AttachedChanges:
    """What one commit does to all tables but that of memories, step by step."""

    def __init__(self, work: CommitContext) -> None:
        self._work = work
        self._taken: dict[str, list[tuple[int, Change]]] = {}  # by table, those that any change is of
        self._rows: dict[tuple[str, Any], Row] = {}
        self._kept: dict[
            str, list[tuple[Any, ...]]
        ] = {}  # by table, the rows that are there, as they are kept

    @property
    def ends(self) -> set[int]:
        """Every memory at whose side something is written."""
        return {
            seq
            for table, entries in self._taken.items()
            for _, change in entries
            for seq in memories_of(table, change.key)
        }

    @property
    def revised_seqs(self) -> set[int]:
        """Every memory that says something else by a tag."""
        return {
            seq
            for table in REVISING
            for _, change in self._taken.get(table, ())
            for seq in memories_of(table, change.key)
        }

    def take(self, n: int, change: Change) -> None:
        """Sort one change in."""
        self._taken.setdefault(change.table, []).append((n, change))

    def conflicts(self, created: set[int]) -> Iterator[Key]:
        """Read every row but those of memories that come with this commit; yield those that are not as was said."""
        self._taken = {table: self._taken[table] for table in _ORDER if table in self._taken}
        for table, entries in self._taken.items():
            entries.sort(key=_key_of)  # rows that lie together are read and written together
            self._read(table, created)
            for _, change in entries:
                row = self._rows.get((table, change.key))
                if (row is None) is (change.before is not None) or not _fits_row(table, change.before, row):
                    yield table, change.key

    def images(self) -> None:
        """Give the audit what each change did."""
        images = self._work.images
        link_entries: list[tuple[int, Change]] = []
        for table, entries in self._taken.items():
            for n, change in entries:
                row = self._rows.get((table, change.key))
                if change.after is None:
                    images.add_destruction(n, change, row or {})
                elif row is None and table == "links":
                    link_entries.append((n, change))
                elif row is None:
                    images.add_creation(n, change)
                else:
                    values = encode_values(table, change.after)
                    shape = shape_of(images, self._work.names, values)
                    after = json_text(list(values.values()))
                    images.add_update(n, change, shape, [row[name] for name in values], after)
        images.add_links(sorted(link_entries, key=itemgetter(0)))

    def refuse_dangling(self, created: set[int], gone: Iterable[int]) -> None:
        """Raise InvalidInput for a row that would name a memory which does not exist at the end."""
        ends_by_key = {
            (table, change.key): memories_of(table, change.key)
            for table, entries in self._taken.items()
            for _, change in entries
            if change.after is not None
        }
        seqs = {seq for ends in ends_by_key.values() for seq in ends} - created
        if not seqs:
            return
        rows = self._work.db.rows(_STANDING, (self._work.no, self._work.db.make_list(seqs)))
        missing = seqs - {seq for (seq,) in rows} | seqs & set(gone)
        for (table, key), ends in ends_by_key.items() if missing else ():
            for seq in missing.intersection(ends):
                raise InvalidInput(
                    f"{table} {key} would name memory {seq}, which does not exist",
                    recovery="destroy a memory together with its tags, links and sources",
                )

    def write(self) -> None:
        """Write what is new or other, then take away what goes; the check sums change alike."""
        work = self._work
        puts = {
            table: [self._put(table, change) for _, change in entries if change.after is not None]
            for table, entries in self._taken.items()
        }
        work.scope.write_names()
        for table, rows in puts.items():
            if rows:
                work.db.run_many(_PUT[table], rows)
        for table, entries in self._taken.items():
            keys = [self._encode_key(table, change.key) for _, change in entries if change.after is None]
            if keys:
                work.db.run_many(_DELETE[table], keys)
            work.sums.replace_rows(table, self._kept.get(table, ()), puts[table])

    def _read(self, table: str, created: set[int]) -> None:
        """Read the rows of a table that changes are of, and keep them for later; new memories have none."""
        keys = {
            self._encode_key(table, change.key): change.key
            for _, change in self._taken[table]
            if created.isdisjoint(memories_of(table, change.key))
        }
        if not keys:
            return
        work, count = self._work, 1 + len(_COLUMNS[table][0])
        values = [work.no, work.db.make_list({key[1] for key in keys})]
        if table in _BETWEEN:
            targets = [key[2] for key in keys]
            values += [min(targets), max(targets)]
        rows = work.db.rows(_SELECT[table], values)
        kept = self._kept[table] = [row for row in rows if row[:count] in keys]
        with DECODING:
            for row in kept:
                self._rows[table, keys[row[:count]]] = _READ[table](row[count:])

    def _encode_key(self, table: str, key: Any) -> tuple[Any, ...]:
        """Return a row's key as a database keeps it, the scope in front."""
        if table == "tags":
            return self._work.no, key[0], self._work.names.make(TAG, key[1])
        return (self._work.no, key) if table in APART else (self._work.no, *key)

    def _put(self, table: str, change: Change) -> tuple[Any, ...]:
        key = self._encode_key(table, change.key)
        values = encode_values(table, change.after or {})
        if table == "sources":
            return (*key, values.get("span"))
        row = self._rows.get((table, change.key), {})
        whole = {**defaults(table, self._work.cause.at), **row, **values}
        if table == "links":
            return (*key, *encoded_link(whole))
        columns = TABLE_COLUMNS[table]
        return (*key, *(encode_value(columns[name], whole[name]) for name in _COLUMNS[table][1]))


def read_tables(scope: OpenScope) -> dict[str, dict[Any, Row]]:
    """Return all rows of the tables but that of memories, by their keys."""
    tables: dict[str, dict[Any, Row]] = {}
    for table, (key, values) in _COLUMNS.items():
        statement = Statement(f"SELECT {', '.join((*key, *values))} FROM {table} WHERE scope = ?1")
        tables[table] = {
            _decode_key(scope, table, row[: len(key)]): _READ[table](row[len(key) :])
            for row in scope.db.rows(statement, (scope.no,))
        }
    return tables


def _decode_key(scope: OpenScope, table: str, kept: tuple[Any, ...]) -> Any:
    if table == "tags":
        return kept[0], scope.names.text(kept[1])
    return kept[0] if table in APART else kept


def _key_of(taken: tuple[int, Change]) -> Any:
    return taken[1].key


def _fits_row(table: str, before: Row | None, row: Row | None) -> bool:
    if not before or row is None:
        return True
    return all(row[name] == value for name, value in encode_values(table, before).items())


def _as_kept(table: str) -> Callable[[Sequence[Any]], Row]:
    columns = [TABLE_COLUMNS[table][name] for name in _COLUMNS[table][1]]
    return lambda kept: {
        column.name: decode_value(column, value) for column, value in zip(columns, kept, strict=True)
    }


_READ: Mapping[str, Callable[[Sequence[Any]], Row]] = {
    "links": decoded_link,
    **{table: _as_kept(table) for table in _COLUMNS if table != "links"},
}
