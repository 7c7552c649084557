"""Every write as data: a list of changes with a cause, which can be shown, logged, applied and turned round.

Knows the shape of a change and nothing of how a store keeps it.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from remanence.core.model import COLUMNS
from remanence.core.redaction import Names

Ints = npt.NDArray[np.int64]

Table: TypeAlias = Literal["memories", "tags", "links", "sources", "forbidden", "boxes", "traces"]
# memories: seq · tags: (seq, tag) · sources: (seq, source) · links: (source seq, target seq, relation)
# forbidden: the fold of a text · boxes: the seq of the first turn · traces: the first box
Key: TypeAlias = int | str | tuple[int, str] | tuple[int, int, int]
Row: TypeAlias = tuple[str, Any]  # a table, and the key of a row of it
# A lease, and the number that it was given with.
Fence: TypeAlias = tuple[str, int]

# One transaction: at this size it holds the write lock for about half a second and the process about 80 MB more.
PART_CHANGES_MAX = 20_000
BLOCK_ROWS_MAX = 1_000_000  # far more than a part holds: what is larger was never written
GUARDS = frozenset({"revision", "touched"})
ABSENT = int(np.iinfo(np.int64).min)  # what stands for None in an array of integers
MILLION = 1_000_000
FRACTIONS = frozenset({"weight", *(column.name for column in COLUMNS if column.kind == "fraction")})
# Their commits are logged without their rows: they count uses, or embed again, and are never undone.
ROWLESS = frozenset({"use", "embed"})
# Copies memories into another scope: the run is that scope's, and noted in the own one without rows.
PROMOTE = "promote"


@dataclass(frozen=True, slots=True)
class Increment:
    """A counter's change by an amount; its inverse is the negative amount, and it never conflicts."""

    by: int


@dataclass(frozen=True, slots=True)
class Change:
    """One row's change: the columns that change, with their values before and after.

    `before` is None for a row that is created, `after` for one that is destroyed. Where `before` names
    `revision` (or `touched`), the store refuses the whole commit with `Conflict` if that is no longer the
    row's. A new memory has a negative key, a placeholder that the store replaces by the sequence number it
    assigns, there and in tags, sources and links of the same commit that name it.
    """

    table: Table
    key: Key
    before: Mapping[str, Any] | None
    after: Mapping[str, Any] | None

    def __len__(self) -> int:
        return 1

    @property
    def columns(self) -> AbstractSet[str]:
        """The columns that it changes."""
        return {*(self.before or ()), *(self.after or ())} - GUARDS

    @property
    def is_revision(self) -> bool:
        """True if the row comes, goes or gets another revision: counts do none of it."""
        return any(side is None or "revision" in side for side in (self.before, self.after))

    def row_keys(self) -> list[Any]:
        """Return the key of its one row."""
        return [self.key]

    def changes(self) -> Sequence["Change"]:
        """Return itself, the change of its one row."""
        return (self,)

    def split(self, rows: AbstractSet[Row]) -> tuple[Sequence["Change"], Sequence["Change"]]:
        """Return the changes of those of its rows that are among `rows`, and what is left of it."""
        return ((self,), ()) if (self.table, self.key) in rows else ((), (self,))

    def kinds(self, names: Sequence[str]) -> Iterable[tuple["Change", int]]:  # noqa: ARG002 # one row is one kind
        """Return itself, with how many rows it changes."""
        return ((self, 1),)

    def inverse(self) -> "Change":
        """Swap before and after; the revision still rises, so that a stale plan can never pass for a fresh one."""
        before, after = self.after, self.before
        if after is None:
            return Change(self.table, self.key, before, None)
        latest = (after if before is None else before).get("revision")
        after = {name: value for name, value in after.items() if name not in GUARDS}
        if latest is not None:
            after["revision"] = latest + 1
        return Change(self.table, self.key, before, after)


@dataclass(frozen=True, slots=True, eq=False)
class Block:
    """The changes of many rows of one table that change the same columns: the same as one `Change` for each row.

    It holds numbers only, as they are kept: times in microseconds, enumerations as codes, fractions in millionths, and
    ABSENT for None; so no text is ever in one. `keys` ascend: sequence numbers, or source, target and relation of
    links. `before` and `after` have a row for each key and a column for each of `columns`; `before` is None where links
    are made, `after` where they are cut, and rows of memories always stay. `revision` is what each memory must have,
    and so is `touched` where it is given. A reader asks it what it asks of a `Change`, which is a block of one row.
    """

    table: Literal["memories", "links"]
    columns: tuple[str, ...]
    keys: Ints
    before: Ints | None
    after: Ints | None
    revision: Ints | None = None
    touched: Ints | None = None

    def __len__(self) -> int:
        return len(self.keys)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Block):
            return NotImplemented
        return (self.table, self.columns) == (other.table, other.columns) and all(
            a is b if a is None or b is None else np.array_equal(a, b)
            for a, b in zip(self._arrays(), other._arrays(), strict=True)
        )

    __hash__ = None  # type: ignore[assignment] # arrays have none

    def where(self, rows: npt.NDArray[Any] | slice) -> "Block":
        """Return some of its rows, by a mask, by their places or by a slice."""
        keys, *others = (None if array is None else array[rows] for array in self._arrays())
        assert keys is not None
        return Block(self.table, self.columns, keys, *others)

    @property
    def is_revision(self) -> bool:
        """True if its rows come, go or get another revision."""
        return self.revision is not None or self.before is None or self.after is None

    def inverse(self) -> "Block":
        """Swap before and after, as a change does for one row."""
        later = None if self.revision is None else self.revision + 1
        return replace(self, before=self.after, after=self.before, revision=later, touched=None)

    def row_keys(self) -> list[Any]:
        """Return the key of each row, as a change names it."""
        keys = self.keys.tolist()
        return keys if self.table == "memories" else list(map(tuple, keys))

    def changes(self) -> Iterator[Change]:
        """Yield the change of each row."""
        befores, afters = self._values(self.before), self._values(self.after)
        if self.revision is not None:
            for before, after, revision in zip(befores, afters, self.revision.tolist(), strict=True):
                before["revision"], after["revision"] = revision, revision + 1
        if self.touched is not None:
            for before, touched in zip(befores, self.touched.tolist(), strict=True):
                before["touched"] = touched
        for key, before, after in zip(self.row_keys(), befores, afters, strict=True):
            yield Change(self.table, key, before, after)

    def split(self, rows: AbstractSet[Row]) -> tuple[Sequence[Change], Sequence["Block"]]:
        """Return the changes of those of its rows that are among `rows`, and what is left of it."""
        keys = self.row_keys() if rows else ()
        mine = np.array([(self.table, key) in rows for key in keys], np.bool_)
        if not mine.any():
            return (), (self,)
        return tuple(self.where(mine).changes()), () if mine.all() else (self.where(~mine),)

    def kinds(self, names: Sequence[str]) -> Iterable[tuple[Change, int]]:
        """Yield a change for each set of new values of some columns, and how many rows have it.

        It names the other columns without their values, and no row.
        """
        if self.table == "links" or self.after is None:
            cut = self.after is None
            yield Change(self.table, (0, 0, 0), {} if cut else None, None if cut else {}), len(self)
            return
        told = [name for name in names if name in self.columns]
        values = self.after[:, [self.columns.index(name) for name in told]]
        others = dict.fromkeys(self.columns)
        distinct, counts = np.unique(values, axis=0, return_counts=True)
        for row, count in zip(distinct.tolist(), counts.tolist(), strict=True):
            yield Change("memories", 0, {}, {**others, **dict(zip(told, row, strict=True))}), count

    def _arrays(self) -> tuple[Ints | None, ...]:
        return self.keys, self.before, self.after, self.revision, self.touched

    def _values(self, side: Ints | None) -> list[Any]:
        """Return what each row holds on one side, by column."""
        if side is None:
            return [None] * len(self)
        if not self.columns:
            return [{} for _ in range(len(self))]
        values = [unpack_column(name, side[:, place]) for place, name in enumerate(self.columns)]
        return [dict(zip(self.columns, row, strict=True)) for row in zip(*values, strict=True)]


Entry: TypeAlias = Change | Block


def rows_of(entries: Iterable[Entry]) -> Iterator[Change]:
    """Yield the change of each row, those of blocks too."""
    for entry in entries:
        yield from entry.changes()


def row_count(entries: Iterable[Entry]) -> int:
    """Count the rows that change."""
    return sum(map(len, entries))


def edit_rows(
    entries: Iterable[Entry], columns: AbstractSet[str], edit: Callable[[Change], Change]
) -> list[Entry]:
    """Return entries, those that name any of some columns edited row by row, the others as they are."""
    edited: list[Entry] = []
    for entry in entries:
        edited += [entry] if columns.isdisjoint(entry.columns) else map(edit, entry.changes())
    return edited


def number_entries(entries: Iterable[Entry]) -> tuple[list[tuple[int, Change]], list[tuple[int, Block]]]:
    """Number the rows that change, and tell changes of one row, which may hold anything, from arrays of numbers."""
    singles: list[tuple[int, Change]] = []
    blocks: list[tuple[int, Block]] = []
    n = 0
    for entry in entries:
        if isinstance(entry, Block):
            blocks.append((n, entry))
        else:
            singles.append((n, entry))
        n += len(entry)
    return singles, blocks


def unpack_column(name: str, kept: Ints) -> list[Any]:
    """Return a column's values as a change holds them."""
    values = (kept / MILLION).tolist() if name in FRACTIONS else kept.tolist()
    missing = kept == ABSENT
    if not missing.any():
        return list(values)
    return [None if none else value for value, none in zip(values, missing.tolist(), strict=True)]


@dataclass(frozen=True, slots=True)
class Cause:
    """Why a commit happens: the verb, when, for whom, under which policy, as which part of which run.

    `run` names all parts of one run; `final` marks the last part, so that a run killed between two parts shows
    as interrupted. `destroyed` counts against the brake. `fired` names periodic rules that have now fired.
    `planned` tells that the changes were decided on a snapshot that knew all rows of the run, so that
    neighbours of the changed rows are not marked as touched. `turns` is how many turns were heard, for the clock of
    turns. `fence` is the lease that the run relies on and the number it was given with: once another holder has it,
    nothing is written. `counts` are added to counters by name, and `values` put, as `Bookkeeping` does it. `unnamed` is
    whose names an erasure takes out of why parts were done and by whom. `extends` is the run and the number that a
    commit of uses takes, instead of its own, where the part before that one is the last of the scope, of the same agent
    and minute. None of these six is in the log, and no undo takes them back.
    """

    verb: str
    at: int
    run: str
    part: int = 0
    final: bool = True
    actor: str | None = None
    policy: str | None = None
    detail: Mapping[str, Any] = field(default_factory=dict)
    destroyed: int = 0
    fired: tuple[str, ...] = ()
    planned: bool = False
    turns: int = 0
    fence: Fence | None = None
    counts: Mapping[str, int] = field(default_factory=dict)
    values: Mapping[str, Any] = field(default_factory=dict)
    unnamed: Names | None = None
    extends: tuple[str, int] | None = None

    @property
    def closes(self) -> bool:
        """Whether this is the last part of several, which is logged though nothing is in it."""
        return self.final and self.part > 0


@dataclass(frozen=True, slots=True)
class CommitResult:
    """What a store answers to a commit: its position in the change sequence, and the keys it assigned.

    The new memory with the placeholder key `-k` has the sequence number `assigned[k - 1]`. `follows` is the position of
    the scope before, −1 where that is not known. With `is_repeated` this part of the run was written already, and
    this is the answer of that time.
    """

    run: str
    part: int
    position: int
    assigned: tuple[int, ...]
    changes: int
    follows: int = field(default=-1, compare=False)
    is_repeated: bool = field(default=False, compare=False)


@dataclass(frozen=True, slots=True)
class AuditPart:
    """One part of a run as the audit keeps it, with its changes in order.

    A creation is logged by its key and `revision` alone, a destruction with the whole row, anything else with the
    columns that changed. `count` is the number of changes, also where they were not asked for. Of a part that only
    counted uses, or embedded again, nothing is logged but `used`, which memories. `ended_at` is when its images ended,
    or those that nothing keeps; None where it has them all.
    """

    position: int
    cause: Cause
    entries: tuple[Entry, ...]
    digest: str
    count: int = 0
    used: tuple[int, ...] = ()
    ended_at: int | None = None

    @property
    def changes(self) -> tuple[Change, ...]:
        """The change of each row, made anew each time: blocks are kept as they are."""
        return tuple(rows_of(self.entries))


def inverses(entries: Sequence[Entry]) -> list[Entry]:
    """Turn a list of changes round: each inverted, in reverse order."""
    return [entry.inverse() for entry in reversed(entries)]
