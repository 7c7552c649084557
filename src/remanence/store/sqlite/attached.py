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
from remanence.store.sqlite.audit import json_text, shape_of
from remanence.store.sqlite.dialect import DECODING, id_list
from remanence.store.sqlite.rows import decode_value, decoded_link, encode_value, encoded_link
from remanence.store.sqlite.string_ids import TAG
from remanence.store.sqlite.transaction import CommitContext, Key

_VALUES = ", ".join(LINK_COLUMNS)
_NUMBERED = {
    "boxes": ("box", BOX_COLUMNS),
    "traces": ("trace", TRACE_COLUMNS),
}  # by table its key and its columns


def _put_numbered(table: str, key: str, columns: Sequence[str]) -> str:
    return (
        f"INSERT INTO {table} (scope, {key}, {', '.join(columns)}) VALUES (?, ?{', ?' * len(columns)})"
        f" ON CONFLICT (scope, {key}) DO UPDATE SET {', '.join(f'{name} = excluded.{name}' for name in columns)}"
    )


_SELECT = {
    "tags": "SELECT at FROM tags WHERE scope = ? AND seq = ? AND tag = ?",
    "sources": "SELECT span FROM sources WHERE scope = ? AND seq = ? AND source = ?",
    "links": f"SELECT {_VALUES} FROM links WHERE scope = ? AND source = ? AND target = ? AND relation = ?",
    "forbidden": "SELECT at, seq FROM forbidden WHERE scope = ? AND fold = ?",
    **{
        table: f"SELECT {', '.join(columns)} FROM {table} WHERE scope = ? AND {key} = ?"
        for table, (key, columns) in _NUMBERED.items()
    },
}
_PUT = {
    "tags": (
        "INSERT INTO tags (scope, seq, tag, at) VALUES (?, ?, ?, ?)"
        " ON CONFLICT (scope, seq, tag) DO UPDATE SET at = excluded.at"
    ),
    "sources": (
        "INSERT INTO sources (scope, seq, source, span) VALUES (?, ?, ?, ?)"
        " ON CONFLICT (scope, seq, source) DO UPDATE SET span = excluded.span"
    ),
    "links": (
        f"INSERT INTO links (scope, source, target, relation, {_VALUES})"
        f" VALUES (?, ?, ?, ?{', ?' * len(LINK_COLUMNS)}) ON CONFLICT (scope, source, target, relation) DO UPDATE"
        f" SET {', '.join(f'{name} = excluded.{name}' for name in LINK_COLUMNS)}"
    ),
    "forbidden": (
        "INSERT INTO forbidden (scope, fold, at, seq) VALUES (?, ?, ?, ?)"
        " ON CONFLICT (scope, fold) DO UPDATE SET at = excluded.at, seq = excluded.seq"
    ),
    **{table: _put_numbered(table, key, columns) for table, (key, columns) in _NUMBERED.items()},
}
_DELETE = {
    "tags": "DELETE FROM tags WHERE scope = ? AND seq = ? AND tag = ?",
    "sources": "DELETE FROM sources WHERE scope = ? AND seq = ? AND source = ?",
    "links": "DELETE FROM links WHERE scope = ? AND source = ? AND target = ? AND relation = ?",
    "forbidden": "DELETE FROM forbidden WHERE scope = ? AND fold = ?",
    **{table: f"DELETE FROM {table} WHERE scope = ? AND {key} = ?" for table, (key, _) in _NUMBERED.items()},
}
_ORDER = (*HANGING, *APART)

Row = Mapping[str, Any]


class AttachedChanges:
    """What one commit does to all tables but that of memories, step by step."""

    def __init__(self, work: CommitContext) -> None:
        self._work = work
        self._taken: dict[str, list[tuple[int, Change]]] = {}  # by table, those that any change is of
        self._rows: dict[tuple[str, Any], Row] = {}
        self._kept: dict[tuple[str, Any], tuple[Any, ...]] = {}

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
            for _, change in entries:
                new = not created.isdisjoint(memories_of(table, change.key))
                row = None if new else self._row(table, change.key)
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
                    shape = shape_of(images, self._work.names, self._work.connection, values)
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
        cursor = self._work.connection.execute(
            "SELECT seq FROM json_each(?) AS given CROSS JOIN states ON seq = given.value WHERE scope = ?",
            (id_list(seqs), self._work.no),
        )
        missing = seqs - {seq for (seq,) in cursor.fetchall()} | seqs & set(gone)
        for (table, key), ends in ends_by_key.items() if missing else ():
            for seq in missing.intersection(ends):
                raise InvalidInput(
                    f"{table} {key} would name memory {seq}, which does not exist",
                    recovery="destroy a memory together with its tags, links and sources",
                )

    def write(self) -> None:
        """Write what is new or other, then take away what goes; the check sums change alike."""
        for table, entries in self._taken.items():
            put = [self._put(table, change) for _, change in entries if change.after is not None]
            if put:
                self._work.connection.executemany(_PUT[table], put)
                self._work.sums.add_rows(table, put)
        for table, entries in self._taken.items():
            keys = [self._encode_key(table, change.key) for _, change in entries if change.after is None]
            if keys:
                self._work.connection.executemany(_DELETE[table], keys)
        for table in self._taken:
            before = [
                (*self._encode_key(of, key), *row) for (of, key), row in self._kept.items() if of == table
            ]
            self._work.sums.remove_rows(table, before)

    def _row(self, table: str, key: Any) -> Row | None:
        """Read a row and keep it for later."""
        stored_row = self._work.connection.execute(_SELECT[table], self._encode_key(table, key)).fetchone()
        if stored_row is None:
            return None
        with DECODING:
            row = self._rows[table, key] = _READ[table](stored_row)
        self._kept[table, key] = stored_row
        return row

    def _encode_key(self, table: str, key: Any) -> tuple[Any, ...]:
        """Return a row's key as SQLite keeps it, the scope in front."""
        if table == "tags":
            return self._work.no, key[0], self._work.number(TAG, key[1])
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
        return (*key, *(encode_value(columns[name], whole[name]) for name in _NAMES[table]))


def _key_of(taken: tuple[int, Change]) -> Any:
    return taken[1].key


def _fits_row(table: str, before: Row | None, row: Row | None) -> bool:
    if not before or row is None:
        return True
    return all(row[name] == value for name, value in encode_values(table, before).items())


# Of tables whose values are kept in the order of their columns.
_NAMES: Mapping[str, tuple[str, ...]] = {
    "tags": ("at",),
    "sources": ("span",),
    "forbidden": ("at", "seq"),
    "boxes": BOX_COLUMNS,
    "traces": TRACE_COLUMNS,
}


def _as_kept(table: str) -> Callable[[Sequence[Any]], Row]:
    columns = [TABLE_COLUMNS[table][name] for name in _NAMES[table]]
    return lambda kept: {
        column.name: decode_value(column, value) for column, value in zip(columns, kept, strict=True)
    }


_READ: Mapping[str, Callable[[Sequence[Any]], Row]] = {
    "links": decoded_link,
    **{table: _as_kept(table) for table in _NAMES},
}
