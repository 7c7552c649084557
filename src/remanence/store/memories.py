"""The memories of one commit: compared, imaged, then written to their three tables and to the full text.

Knows columns, counters and transitions; knows nothing of tags, links and sources.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from remanence.change import GUARDS, Change, Increment
from remanence.model import COLUMN, COLUMNS, Column, Status
from remanence.store import lexicon
from remanence.store.audit import shape_of
from remanence.store.dialect import id_list
from remanence.store.rows import DEFAULTS, DIGESTED, MEMORIES, STATES, plain_values, read_rows, row_digest
from remanence.store.rules import count_use, refuse_state, refuse_transition
from remanence.store.work import Key, Work

# Read of every row that is updated, besides what its change names.
_ALWAYS = ("revision", "touched", "status", "tier", "reason")
_USE = ("used_at", "use_days", "use_day")
_STATED = ("status", "tier", "reason")
_ALL = tuple(column.name for column in COLUMNS)

_STATE_NAMES = tuple(column.name for column in STATES)
_STATE_DEFAULTS = tuple((column.name, DEFAULTS[column.name]) for column in STATES)
# Columns of a new state whose plain value is not what is kept.
_CONVERTED = tuple(
    (at, column) for at, column in enumerate(STATES) if column.kind in {"enum", "flag", "fraction", "name"}
)
_TOUCHED_AT = _STATE_NAMES.index("touched")


def _insert(table: str, columns: Sequence[str]) -> str:
    return f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({', '.join('?' * len(columns))})"


_INSERT_MEMORY = _insert("memories", ("seq", "scope", *(column.name for column in MEMORIES), "digest"))
_INSERT_STATE = _insert("states", ("seq", "scope", *_STATE_NAMES))
_INSERT_VECTOR = _insert("vectors", ("seq", "vector"))
_PUT_VECTOR = _INSERT_VECTOR + " ON CONFLICT (seq) DO UPDATE SET vector = excluded.vector"
_TAKEN = (
    "SELECT EXISTS (SELECT 1 FROM memories WHERE scope = ?1 AND id = ?2)"
    " OR EXISTS (SELECT 1 FROM memories WHERE scope = ?1 AND key = ?3)"
    " OR EXISTS (SELECT 1 FROM memories m JOIN states s ON s.seq = m.seq"
    "            WHERE m.scope = ?1 AND m.fingerprint = ?4 AND s.status < 2)"
    " OR EXISTS (SELECT 1 FROM memories WHERE seq = ?5)"
)
# Above this share of repeated values one statement for all rows of equal values is the faster.
_REPEATED_MIN = 4

Kind = tuple[tuple[str, ...], tuple[tuple[str, int], ...]]


@dataclass(slots=True)
class _Group:
    """Updates that name the same columns: which are set, which counted, and their rows as they were."""

    before: tuple[str, ...]
    columns: tuple[Column, ...]  # set to a value
    counters: tuple[str, ...]  # changed by an amount
    shape: tuple[str, ...]
    uses: bool  # `uses` grows
    taken: list[tuple[int, Change]] = field(default_factory=list)
    rows: dict[int, tuple[Any, ...]] = field(default_factory=dict)

    def read(self) -> tuple[str, ...]:
        """Return the columns to read of each row."""
        asked = (
            *_ALWAYS,
            *self.before,
            *(column.name for column in self.columns),
            *(_USE if self.uses else ()),
        )
        return tuple(dict.fromkeys(asked))


class Memories:
    """What one commit does to memories, step by step."""

    def __init__(self, work: Work) -> None:
        self._work = work
        self._created: list[tuple[int, Change]] = []
        self._groups: dict[Kind, _Group] = {}
        self._destroyed: list[tuple[int, Change]] = []
        self._gone: dict[int, dict[str, Any]] = {}
        self._sound: set[tuple[Any, ...]] = set()

    @property
    def created(self) -> set[int]:
        """The sequence numbers of new memories."""
        return {change.key for _, change in self._created}  # type: ignore[misc]

    @property
    def destroyed(self) -> list[int]:
        """The sequence numbers of memories whose rows go."""
        return [change.key for _, change in self._destroyed]  # type: ignore[misc]

    @property
    def changed(self) -> list[int]:
        """The sequence numbers of memories whose content or state changes."""
        return [change.key for group in self._groups.values() if group.columns for _, change in group.taken]  # type: ignore[misc]

    def take(self, n: int, change: Change) -> None:
        """Sort one change in."""
        if change.before is None:
            self._created.append((n, change))
        elif change.after is None:
            self._destroyed.append((n, change))
        else:
            kind = _kind(change.before, change.after)
            group = self._groups.get(kind)
            if group is None:
                group = self._groups[kind] = _group(kind)
            group.taken.append((n, change))

    def conflicts(self) -> Iterator[Key]:
        """Yield every row that is not as its change says it was."""
        yield from self._taken()
        for group in self._groups.values():
            yield from self._stale(group)
        yield from self._missing()

    def images(self) -> None:
        """Give the audit what each change did."""
        work = self._work
        for n, change in self._created:
            work.images.created(n, change, (change.after or {}).get("revision", 1))
        for group in self._groups.values():
            self._image(group)
        for n, change in self._destroyed:
            row = self._gone[change.key]  # type: ignore[index]
            work.images.destroyed(
                n, change, {name: _hex(value) for name, value in row.items() if value != DEFAULTS[name]}
            )

    def update(self) -> None:
        """Write all updates."""
        for group in self._groups.values():
            self._write(group)

    def create(self) -> None:
        """Write all new memories, and index their texts."""
        if not self._created:
            return
        work, rows, states, vectors = self._work, [], [], []
        for _, change in self._created:
            after = change.after or {}
            rows.append(self._memory_row(change.key, after))
            states.append(self._state_row(change.key, after))
            if after.get("vector") is not None:
                vectors.append((change.key, after["vector"]))
        work.connection.executemany(_INSERT_MEMORY, rows)
        work.connection.executemany(_INSERT_STATE, states)
        work.connection.executemany(_INSERT_VECTOR, vectors)
        texts = [(change.key, (change.after or {})["text"]) for _, change in self._created]
        work.words += lexicon.add(work.connection, work.no, texts)  # type: ignore[arg-type]

    def destroy(self) -> None:
        """Take rows away that no tag, link or source names any more."""
        if not self._destroyed:
            return
        work, seqs = self._work, [(seq,) for seq in self.destroyed]
        work.words -= lexicon.remove(
            work.connection, work.no, [(seq, row["text"]) for seq, row in self._gone.items()]
        )
        for table in ("vectors", "states", "memories"):
            work.connection.executemany(f"DELETE FROM {table} WHERE seq = ?", seqs)

    def _taken(self) -> Iterator[Key]:
        """Yield new memories whose id, key or number is taken, or whose text an inbox or active memory has."""
        claimed: set[tuple[str, Any]] = set()
        for _, change in self._created:
            after = change.after or {}
            stands = after.get("status", Status.INBOX) in {Status.INBOX, Status.ACTIVE}
            mark = after["fingerprint"] if stands else None
            claims = {("id", after["id"]), ("key", after.get("key")), ("fingerprint", mark)}
            claims = {claim for claim in claims if claim[1] is not None}
            asked = (self._work.no, after["id"], after.get("key"), mark, change.key)
            (taken,) = self._work.connection.execute(_TAKEN, asked).fetchone()
            if taken or claims & claimed:
                yield "memories", change.key
            claimed |= claims

    def _stale(self, group: _Group) -> Iterator[Key]:
        """Read the rows of a group; yield those that are gone or hold something else than `before` says."""
        work, read = self._work, group.read()
        group.rows = read_rows(work.connection, work.no, _keys(group.taken), read)
        compared = [(name, read.index(name), COLUMN[name]) for name in group.before]
        for _, change in group.taken:
            row = group.rows.get(change.key)  # type: ignore[arg-type]
            if row is None or not self._matches(change.before or {}, row, compared):
                yield "memories", change.key

    def _matches(
        self, before: Mapping[str, Any], row: Sequence[Any], compared: Sequence[tuple[str, int, Column]]
    ) -> bool:
        for name, at, column in compared:
            value = before[name]
            if value.__class__ is Increment:
                continue
            kept = self._expected(column, value)
            if row[at] != kept:
                return False
        return True

    def _expected(self, column: Column, value: Any) -> Any:
        """Return what SQLite keeps for a value; a name that nobody ever used equals nothing."""
        if column.kind == "name" and value is not None:
            return self._work.names.number(self._work.connection, column.name, value) or -1
        return self._work.kept(column, value)

    def _missing(self) -> Iterator[Key]:
        """Read whole the rows that go; yield those that are gone already or changed."""
        work = self._work
        kept = read_rows(work.connection, work.no, _keys(self._destroyed), _ALL) if self._destroyed else {}
        for _, change in self._destroyed:
            row = kept.get(change.key)  # type: ignore[arg-type]
            compared = [(name, _ALL.index(name), COLUMN[name]) for name in change.before or {}]
            if row is None or not self._matches(change.before or {}, row, compared):
                yield "memories", change.key
            else:
                self._gone[change.key] = plain_values(work.connection, work.names, _ALL, row)  # type: ignore[index]

    def _image(self, group: _Group) -> None:
        """Give the audit a group's columns as they were and as they become."""
        work, read = self._work, group.read()
        shape = shape_of(work.images, work.names, work.connection, group.shape)
        places = [
            (column, read.index(column.name), column.kind in {"int", "time", "enum", "flag"})
            for column in group.columns
        ]
        blank = [None] * len(group.counters)
        revised = bool(group.columns)
        for n, change in group.taken:
            row = group.rows[change.key]  # type: ignore[index]
            after = change.after or {}
            old = [row[at] if as_is else work.imaged(column, row[at]) for column, at, as_is in places]
            new = [self._after_image(column, after[column.name], as_is) for column, _, as_is in places]
            new += [{"by": after[name].by} for name in group.counters]
            work.images.updated(n, change, shape, [*old, *blank, row[0]] if revised else [*old, *blank], new)

    def _after_image(self, column: Column, value: Any, as_is: bool) -> Any:
        if value is None:
            return None
        return int(value) if as_is else self._work.imaged(column, self._work.kept(column, value))

    def _write(self, group: _Group) -> None:
        """Write one group of updates; values that many rows share are written by one statement."""
        columns = [column for column in group.columns if column.home == "states"]
        sets = [f"{column.name} = ?" for column in columns]
        sets += [f"{name} = {name} + ?" for name in group.counters]
        extra = [name for name in _USE if group.uses and name not in {column.name for column in columns}]
        sets += [f"{name} = ?" for name in extra]
        sets += ["revision = revision + 1"] * bool(group.columns) + ["touched = touched + 1"] * bool(
            group.counters
        )
        read = group.read()
        by_values: dict[tuple[Any, ...], list[int]] = defaultdict(list)
        for _, change in group.taken:
            seq, after = change.key, change.after or {}
            row = group.rows[seq]  # type: ignore[index]
            values = [self._work.kept(column, after[column.name]) for column in columns]
            values += [after[name].by for name in group.counters]
            self._refuse(seq, after, dict(zip(_ALWAYS, row, strict=False)))
            if extra:
                counted = count_use(dict(zip(read, row, strict=True)), self._work.cause.at, after["uses"].by)
                values += [counted[name] for name in extra]
            by_values[tuple(values)].append(seq)  # type: ignore[arg-type]
        if sets:
            self._set(", ".join(sets), by_values)
        self._write_wide(group)

    def _set(self, sets: str, by_values: Mapping[tuple[Any, ...], list[int]]) -> None:
        """Set the same columns of many rows, row by row or in one statement for each set of values."""
        connection = self._work.connection
        rows = sum(map(len, by_values.values()))
        if rows < _REPEATED_MIN * len(by_values):
            each = [(*values, seq) for values, seqs in by_values.items() for seq in seqs]
            connection.executemany(f"UPDATE states SET {sets} WHERE seq = ?", each)
            return
        statement = f"UPDATE states SET {sets} WHERE seq IN (SELECT value FROM json_each(?))"
        connection.executemany(statement, [(*values, id_list(seqs)) for values, seqs in by_values.items()])

    def _refuse(self, seq: Any, after: Mapping[str, Any], old: Mapping[str, Any]) -> None:
        """Raise where a memory would come to a state it may not be in; each kind of move is judged once."""
        if not any(name in after for name in _STATED):
            return
        new = {name: after.get(name, old[name]) for name in _STATED}
        move = (old["status"], new["status"], new["tier"], new["reason"] is None)
        if move not in self._sound:
            refuse_transition(seq, old["status"], new["status"], self._work.cause.verb)
            refuse_state(seq, new)
            self._sound.add(move)

    def _write_wide(self, group: _Group) -> None:
        """Write what lives outside `states`: text and identity with their index and digest, and vectors."""
        work, read = self._work, group.read()
        wide = [column for column in group.columns if column.home == "memories"]
        names = {column.name for column in group.columns}
        seqs = list(_keys(group.taken))
        if "text" in names:
            at = read.index("text")
            work.words -= lexicon.remove(
                work.connection, work.no, [(seq, group.rows[seq][at]) for seq in seqs]
            )
            work.words += lexicon.add(work.connection, work.no, list(_values(group, "text")))
        if wide:
            sets = ", ".join(f"{column.name} = ?" for column in wide)
            values = [
                (*(work.kept(column, (change.after or {})[column.name]) for column in wide), change.key)
                for _, change in group.taken
            ]
            work.connection.executemany(f"UPDATE memories SET {sets} WHERE seq = ?", values)
        if "vector" in names:
            given = list(_values(group, "vector"))
            work.connection.executemany(_PUT_VECTOR, [pair for pair in given if pair[1] is not None])
            gone = [(seq,) for seq, vector in given if vector is None]
            work.connection.executemany("DELETE FROM vectors WHERE seq = ?", gone)
        if names.intersection(DIGESTED):
            self._digest(seqs)

    def _digest(self, seqs: Sequence[int]) -> None:
        """Compute the digests of rows anew from what now stands there."""
        work = self._work
        rows = read_rows(work.connection, work.no, seqs, DIGESTED)
        digests = [
            (row_digest(work.scope, plain_values(work.connection, work.names, DIGESTED, row)), seq)
            for seq, row in rows.items()
        ]
        work.connection.executemany("UPDATE memories SET digest = ? WHERE seq = ?", digests)

    def _memory_row(self, seq: Any, after: Mapping[str, Any]) -> tuple[Any, ...]:
        work = self._work
        row = {name: after.get(name, DEFAULTS[name]) for name in DIGESTED}
        row["role"] = int(row["role"])
        kept = [work.kept(column, after.get(column.name)) for column in MEMORIES]
        return (seq, work.no, *kept, row_digest(work.scope, row))

    def _state_row(self, seq: Any, after: Mapping[str, Any]) -> list[Any]:
        values = [after.get(name, default) for name, default in _STATE_DEFAULTS]
        for at, column in _CONVERTED:
            if values[at] is not None:
                values[at] = self._work.kept(column, values[at])
        values[_TOUCHED_AT] = 0
        refuse_move = (None, values[0], values[1], values[2] is None)
        if refuse_move not in self._sound:
            refuse_state(seq, dict(zip(_STATE_NAMES, values, strict=True)))
            self._sound.add(refuse_move)
        return [seq, self._work.no, *values]


def _kind(before: Mapping[str, Any], after: Mapping[str, Any]) -> Kind:
    """Return what makes updates alike: the columns they name, and which of them are counted up or down."""
    marks = tuple(
        [
            (name, 0 if value.__class__ is not Increment else 2 if value.by > 0 else 1)
            for name, value in after.items()
            if name not in GUARDS
        ]
    )
    return tuple(before), marks


def _group(kind: Kind) -> _Group:
    before, marks = kind
    columns = tuple(COLUMN[name] for name, mark in marks if not mark)
    counters = tuple(name for name, mark in marks if mark)
    shape = (*(column.name for column in columns), *counters)
    return _Group(before, columns, counters, shape, uses=("uses", 2) in marks)


def _keys(taken: Iterable[tuple[int, Change]]) -> Iterator[int]:
    return (change.key for _, change in taken)  # type: ignore[misc]


def _values(group: _Group, name: str) -> Iterator[tuple[int, Any]]:
    return ((change.key, (change.after or {})[name]) for _, change in group.taken)  # type: ignore[misc]


def _hex(value: Any) -> Any:
    return value.hex() if isinstance(value, bytes) else value
