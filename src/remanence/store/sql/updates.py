"""The updates of memories in one commit, in groups that name the same columns, so that what they share is done once.

Knows columns, counters and transitions; knows nothing of creation and destruction.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from operator import itemgetter
from typing import Any, NamedTuple

from remanence.core.change import GUARDS, Change, Increment
from remanence.core.model import COLUMN, Column, PolicyClass, Status
from remanence.store.constraints import as_far_as, count_use, refuse_class, refuse_state, refuse_transition
from remanence.store.sql import embeddings, fulltext, uses_by_agent
from remanence.store.sql.audit import json_text, shape_of
from remanence.store.sql.decoding import DECODING
from remanence.store.sql.dialect import Dialect, Statement, build_insert
from remanence.store.sql.rows import MEMORIES, read_rows, row_digest
from remanence.store.sql.sums import vector_digest
from remanence.store.sql.transaction import CommitContext, Key

# Read of every row that is updated, besides what its change names.
_ALWAYS = ("revision", "touched", "status", "tier", "reason")
_STATED = _ALWAYS[2:]
_USE = ("used_at", "use_days", "use_day")
_TOLD = tuple(column.name for column in MEMORIES)
_AS_IS = frozenset({"int", "time", "enum", "flag"})
# From this many rows of equal values on, one statement for all of them is the faster.
_REPEATED_MIN = 4
_PUT_VECTOR = Statement(build_insert("vectors", ("scope", "seq", "vector", "digest"), ("scope", "seq")))
_CLEAR_VECTORS = Statement(lambda sql: f"DELETE FROM vectors WHERE scope = ?1 AND seq {sql.among(2)}")

# Columns of `before`; columns of `after` with 0 for a value, 1 for a counter going down, 2 for one going up.
Row = Mapping[str, Any]
Kind = tuple[tuple[str, ...], tuple[tuple[str, int], ...]]


class ColumnPosition(NamedTuple):
    """A column that a group names: where it stands in the rows read, and whether it is kept as it comes."""

    name: str
    at: int
    as_is: bool
    column: Column


class _NewValues(NamedTuple):
    """What an update sets: the values of `states` as kept, their image, and what they make of status and tier."""

    kept: tuple[Any, ...]
    image: str
    state: tuple[Any, ...]  # of _STATED, None where it stays as it was; empty where no such column is named


@dataclass(slots=True)
class _Group:
    """Updates that name the same columns: which are compared, set and counted, and their rows as they were."""

    before: tuple[ColumnPosition, ...]
    columns: tuple[ColumnPosition, ...]
    counters: tuple[str, ...]
    read: tuple[str, ...]
    uses: bool  # `uses` grows
    wide: bool  # something outside `states` is set
    as_is: bool  # all that is set is kept as it comes
    stated: tuple[
        int, ...
    ]  # where status, tier and reason stand in `columns`, -1 where not; empty where none does
    taken: list[tuple[int, Change]] = field(default_factory=list)
    rows: dict[int, tuple[Any, ...]] = field(default_factory=dict)
    known: dict[tuple[Any, ...], _NewValues] = field(default_factory=dict)

    @property
    def names(self) -> tuple[str, ...]:
        """The columns that are set to a value."""
        return tuple(slot.name for slot in self.columns)

    @property
    def seqs(self) -> list[int]:
        """The memories of this group."""
        return [change.key for _, change in self.taken]  # type: ignore[misc]

    def limit(self) -> None:
        """Let counters stop at their bounds, so that the audit tells by how much each has changed."""
        for name in self.counters:
            at = self.read.index(name)
            for place, (n, change) in enumerate(self.taken):
                row, by = self.rows.get(change.key), (change.after or {})[name].by  # type: ignore[arg-type]
                if row is not None and (far := as_far_as(row[at], by)) != by:
                    before = {**(change.before or {}), name: Increment(-far)}
                    after = {**(change.after or {}), name: Increment(far)}
                    self.taken[place] = n, Change("memories", change.key, before, after)

    def values(self, name: str) -> list[tuple[int, Any]]:
        """Return (seq, new value) of a column."""
        return [(change.key, (change.after or {})[name]) for _, change in self.taken]  # type: ignore[misc]


class Updates:
    """What one commit does to memories that stay, step by step."""

    def __init__(self, work: CommitContext) -> None:
        self._work = work
        self._groups: dict[Kind, _Group] = {}
        self._sound: set[tuple[Any, ...]] = set()

    @property
    def changes(self) -> Iterator[Change]:
        """The updates that were sorted in."""
        return (change for group in self._groups.values() for _, change in group.taken)

    @property
    def numbered_changes(self) -> Iterator[tuple[int, Change]]:
        """The updates that were sorted in, with their numbers in the commit."""
        return (one for group in self._groups.values() for one in group.taken)

    @property
    def changed_seqs(self) -> list[int]:
        """The sequence numbers of memories whose content or state changes."""
        return [seq for group in self._groups.values() if group.columns for seq in group.seqs]

    @property
    def unkeyed_seqs(self) -> list[int]:
        """The sequence numbers of memories that lose their key or change it."""
        return [seq for group in self._groups.values() if "key" in group.names for seq in group.seqs]

    def take(self, n: int, change: Change) -> None:
        """Sort one update in."""
        # What makes updates alike: the columns they name, and which of them are counted up or down.
        marks = [
            (name, 0 if value.__class__ is not Increment else 2 if value.by > 0 else 1)
            for name, value in (change.after or {}).items()
            if name not in GUARDS
        ]
        kind = tuple(change.before or {}), tuple(marks)
        group = self._groups.get(kind)
        if group is None:
            group = self._groups[kind] = _build_group(kind)
        group.taken.append((n, change))

    def conflicts(self) -> Iterator[Key]:
        """Read the rows; yield those that are gone or hold something else than `before` says."""
        self._read()
        for group in self._groups.values():
            for _, change in group.taken:
                row = group.rows.get(change.key)  # type: ignore[arg-type]
                if row is None or not matches(self._work, group.before, change.before or {}, row):
                    yield "memories", change.key
            group.limit()

    def _read(self) -> None:
        """Read the rows of all groups, in one statement of those whose columns lie in the same tables."""
        together: dict[frozenset[str], list[_Group]] = defaultdict(list)
        for group in self._groups.values():
            together[frozenset(COLUMN[name].home for name in group.read)].append(group)
        for groups in together.values():
            names = tuple(dict.fromkeys(name for group in groups for name in group.read))
            rows = read_rows(self._work.scope, sorted(seq for group in groups for seq in group.seqs), names)
            for group in groups:
                choose = itemgetter(*map(names.index, group.read)) if group.read != names else tuple
                group.rows = {seq: choose(rows[seq]) for seq in group.seqs if seq in rows}

    def images(self) -> None:
        """Give the audit every group's columns as they were and as they become."""
        work = self._work
        for group in self._groups.values():
            shape = shape_of(work.images, work.names, (*group.names, *group.counters))
            blank = [None] * len(group.counters)
            has_columns = bool(group.columns)
            for n, change in group.taken:
                row = group.rows[change.key]  # type: ignore[index]
                old = [
                    row[at] if as_is else work.encode_image(column, row[at])
                    for _, at, as_is, column in group.columns
                ]
                old += [*blank, row[0]] if has_columns else blank
                work.images.add_update(n, change, shape, old, self._find_new_values(group, change).image)

    def write(self) -> None:
        """Write all updates."""
        uses: list[tuple[int, Any]] = []
        for group in self._groups.values():
            self._write(group)
            self._write_wide(group)
            if group.uses and self._work.cause.verb == "use":
                uses += [(seq, value.by) for seq, value in group.values("uses")]
        uses_by_agent.count(self._work, uses)

    def _find_new_values(self, group: _Group, change: Change) -> _NewValues:
        """Return what an update sets; equal updates of a group share it."""
        after = change.after or {}
        if group.wide:  # texts and JSON are not worth remembering
            return self._build_new_values(group, after)
        values_key = (
            *[after[slot.name] for slot in group.columns],
            *[after[name].by for name in group.counters],
        )
        new = group.known.get(values_key)
        if new is None:
            new = group.known[values_key] = self._build_new_values(group, after)
        return new

    def _build_new_values(self, group: _Group, after: Mapping[str, Any]) -> _NewValues:
        work = self._work
        stored_values = [
            _as_int(after[name]) if as_is else work.encode_value(column, after[name])
            for name, _, as_is, column in group.columns
        ]
        image = stored_values
        if not group.as_is:
            image = [
                work.encode_image(slot.column, value)
                for slot, value in zip(group.columns, stored_values, strict=True)
            ]
        amounts = [after[name].by for name in group.counters]
        states = stored_values
        if group.wide:
            states = [
                value
                for slot, value in zip(group.columns, stored_values, strict=True)
                if slot.column.home == "states"
            ]
        return _NewValues(
            kept=(*states, *amounts),
            image=json_text([*image, *({"by": amount} for amount in amounts)]),
            state=tuple([(at >= 0, stored_values[at] if at >= 0 else None) for at in group.stated]),
        )

    def _write(self, group: _Group) -> None:
        """Write one group's states; values that many rows share are written by one statement."""
        if "policy_class" in group.names:
            self._refuse_classes(group)
        extra = [name for name in _USE if group.uses and name not in group.names]
        by_values: dict[tuple[Any, ...], list[int]] = defaultdict(list)
        new_values: list[tuple[Any, ...]] = []
        for _, change in group.taken:
            row = group.rows[change.key]  # type: ignore[index]
            new = self._find_new_values(group, change)
            if new.state:
                self._refuse(change.key, row, new.state)
            values = new.kept
            if extra:
                use_values = count_use(
                    dict(zip(group.read, row, strict=True)),
                    self._work.cause.at,
                    (change.after or {})["uses"].by,
                )
                values += tuple(use_values[name] for name in extra)
            by_values[values].append(change.key)  # type: ignore[arg-type]
            new_values.append(values)
        # Another vector says nothing else of a memory.
        revises = bool(group.columns) and self._work.cause.verb != "embed"
        steps = ("revision",) * revises + ("touched",) * bool(group.counters)
        states = tuple(slot.name for slot in group.columns if slot.column.home == "states")
        assigned = states, group.counters, tuple(extra), steps
        if any(assigned):
            self._set_columns(assigned, by_values)
            self._update_sums(group, (extra, steps), new_values)

    def _update_sums(
        self,
        group: _Group,
        beside: tuple[Sequence[str], Sequence[str]],
        new: Sequence[tuple[Any, ...]],
    ) -> None:
        """Change the check sums as the states of a group change; counters by what is added to them."""
        states = [slot for slot in group.columns if slot.column.home == "states"]
        extra, steps = beside
        names = (*(slot.name for slot in states), *group.counters, *extra, *steps)
        before, after = (0,) * len(group.counters), (1,) * len(steps)
        set_at, extra_at = [slot.at for slot in states], [group.read.index(name) for name in extra]
        old = []
        for seq in group.seqs:
            row = group.rows[seq]
            old.append(
                (*[row[at] for at in set_at], *before, *[row[at] for at in extra_at], *((0,) * len(steps)))
            )
        self._work.sums.update_columns(
            "states", [(seq,) for seq in group.seqs], names, old, [(*values, *after) for values in new]
        )

    def _refuse_classes(self, group: _Group) -> None:
        """Raise where a memory would come to a policy class that it may not come to."""
        at = group.read.index("policy_class")
        for seq, new in group.values("policy_class"):
            with DECODING:
                was = PolicyClass(group.rows[seq][at])
            refuse_class(seq, was, new, self._work.cause.verb)

    def _set_columns(
        self, assigned: tuple[tuple[str, ...], ...], by_values: Mapping[tuple[Any, ...], list[int]]
    ) -> None:
        """Set the same columns of many rows, row by row or in one statement for each set of values."""
        work = self._work
        work.scope.write_names()
        rows = sum(map(len, by_values.values()))
        if rows < _REPEATED_MIN * len(by_values):
            each = [(work.no, seq, *values) for values, seqs in by_values.items() for seq in seqs]
            work.db.run_many(_update_states(assigned, many=False), each)
            return
        each = [(work.no, work.db.make_list(seqs), *values) for values, seqs in by_values.items()]
        work.db.run_many(_update_states(assigned, many=True), each)

    def _refuse(self, seq: Any, row: Sequence[Any], state: Sequence[tuple[bool, Any]]) -> None:
        """Raise where a memory would come to a state it may not be in; each kind of move is judged once."""
        move = (row[2:5], *state)
        if move in self._sound:
            return
        new = {
            name: value if is_named else old
            for name, old, (is_named, value) in zip(_STATED, row[2:5], state, strict=True)
        }
        with DECODING:
            was = Status(row[2])
        refuse_transition(seq, was, new["status"], self._work.cause.verb)
        refuse_state(seq, new)
        self._sound.add(move)

    def _write_wide(self, group: _Group) -> None:
        """Write what lives outside `states`: text and identity with their index and digest, and vectors."""
        work, names = self._work, group.names
        wide = [slot for slot in group.columns if slot.column.home == "memories"]
        if "text" in names:
            at = group.read.index("text")
            work.words -= fulltext.remove(work.scope, [(seq, group.rows[seq][at]) for seq in group.seqs])
            work.words += fulltext.add(work.scope, group.values("text"))
            embeddings.drop(work, group.seqs)
        if wide:
            work.db.run_many(
                _update_memories(tuple(slot.name for slot in wide)),
                [self._build_wide_row(group, wide, change) for _, change in group.taken],
            )
        if "vector" in names:
            self._write_vectors(group)

    def _build_wide_row(self, group: _Group, wide: Sequence[ColumnPosition], change: Change) -> list[Any]:
        """Return what a row of `memories` becomes: scope and number, the digest of the whole row, and what is set."""
        seq: Any = change.key
        new = {
            slot.name: self._work.encode_value(slot.column, (change.after or {})[slot.name]) for slot in wide
        }
        row = {**dict(zip(group.read, group.rows[seq], strict=True)), **new}
        return [self._work.no, seq, row_digest(seq, [row[name] for name in _TOLD]), *new.values()]

    def _write_vectors(self, group: _Group) -> None:
        work, at = self._work, group.read.index("vector")
        vectors = group.values("vector")
        put = [(work.no, seq, vector, vector_digest(vector)) for seq, vector in vectors if vector is not None]
        if put:
            work.db.run_many(_PUT_VECTOR, put)
        if cleared_seqs := [seq for seq, vector in vectors if vector is None]:
            work.db.run(_CLEAR_VECTORS, (work.no, work.db.make_list(cleared_seqs)))
        old = [(seq, group.rows[seq][at]) for seq in group.seqs]
        work.sums.remove_rows(
            "vectors", [(work.no, seq, vector_digest(vector)) for seq, vector in old if vector is not None]
        )
        work.sums.add_rows("vectors", [(no, seq, digest) for no, seq, _, digest in put])


def matches(
    work: CommitContext, slots: Sequence[ColumnPosition], before: Mapping[str, Any], row: Sequence[Any]
) -> bool:
    """Tell whether a row as read holds what `before` says, counters aside."""
    for name, at, as_is, column in slots:
        value = before[name]
        if (as_is and row[at] == value) or value.__class__ is Increment:
            continue
        if as_is or row[at] != _encode_expected(work, column, value):
            return False
    return True


@lru_cache(maxsize=256)
def slots(names: tuple[str, ...], read: tuple[str, ...]) -> tuple[ColumnPosition, ...]:
    """Return where columns stand in rows read."""
    return tuple(
        ColumnPosition(name, read.index(name), COLUMN[name].kind in _AS_IS, COLUMN[name]) for name in names
    )


def _encode_expected(work: CommitContext, column: Column, value: Any) -> Any:
    """Return what a database keeps for a value; a name that nobody ever used equals nothing."""
    if column.kind == "name" and value is not None:
        return work.names.number(column.name, value) or -1
    return work.encode_value(column, value)


@lru_cache(maxsize=512)
def _update_states(assigned: tuple[tuple[str, ...], ...], *, many: bool) -> Statement:
    """Return what updates a state (parameter 2), or `many` in a list; the values follow in order.

    `assigned` are the columns that are set, those to which something is added, others that are set, and those that go
    up by one.
    """
    states, counters, extra, steps = assigned
    terms = [*[(name, "") for name in states], *[(name, f"{name} + ") for name in counters]]
    terms += [(name, "") for name in extra]
    sets = [f"{name} = {before}?{at}" for at, (name, before) in enumerate(terms, 3)]
    sets += [f"{name} = {name} + 1" for name in steps]

    def render(sql: Dialect) -> str:
        rows = sql.among(2) if many else "= ?2"
        return f"UPDATE states SET {', '.join(sets)} WHERE scope = ?1 AND seq {rows}"

    return Statement(render)


@lru_cache(maxsize=64)
def _update_memories(names: tuple[str, ...]) -> Statement:
    """Return what updates columns of a row of `memories` and its digest."""
    sets = ", ".join(f"{name} = ?{at}" for at, name in enumerate(("digest", *names), 3))
    return Statement(f"UPDATE memories SET {sets} WHERE scope = ?1 AND seq = ?2")


def _as_int(value: Any) -> int | None:
    return None if value is None else int(value)


def _build_group(kind: Kind) -> _Group:
    before, marks = kind
    columns = [name for name, mark in marks if not mark]
    uses = ("uses", 2) in marks
    told = _TOLD if any(COLUMN[name].home == "memories" for name in columns) else ()
    counters = tuple(name for name, mark in marks if mark)
    read = tuple(dict.fromkeys((*_ALWAYS, *before, *columns, *counters, *(_USE if uses else ()), *told)))
    return _Group(
        before=slots(before, read),
        columns=slots(tuple(columns), read),
        counters=counters,
        read=read,
        uses=uses,
        as_is=all(COLUMN[name].kind in _AS_IS for name in columns),
        stated=()
        if set(_STATED).isdisjoint(columns)
        else tuple(columns.index(name) if name in columns else -1 for name in _STATED),
        wide=any(COLUMN[name].home != "states" for name in columns),
    )
