"""What later runs changed of what a run left, as the log says it: rows, by columns, and which work was the engine's.

Knows parts of the audit; knows no store. A later run stands in the way of a memory where it changed columns that belong
to those the run changed, and has not been taken back itself. Uses, links and tags that nothing hangs on do not, nor
does what the engine did by itself.
"""

from collections.abc import Collection, Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import cast

import numpy as np

from remanence.core.change import ROWLESS, AuditPart, Cause, Change, Entry, Ints, Row, rows_of
from remanence.core.model import COUNTERS, TEXT_COLUMNS, Status
from remanence.core.owner import BY_ENGINE, owner_of
from remanence.core.score import FADING_TAGS

MEMORY_USE = ("used_at", "use_days", "use_day")  # what a use sets in a memory, beside its counter
# Columns that are true together: of each group at most one run decides. What is in no group stands alone.
_GROUPS = (
    frozenset({"text", "text_at", "speaker", "form", "summary", "vector", *TEXT_COLUMNS}),
    frozenset({"status", "status_at", "reason", "tier", "tier_at", "lifecycle", "valid_from", "valid_to"}),
    frozenset({"confidence", "confidence_at"}),
    frozenset({"state", "state_at"}),
)
# What protects a memory, or says what it is: after a change of it nothing older is taken back.
_DECISIVE = frozenset({"pinned", "holds", "hold_until", "category", "policy_class", "decay", "trust"})
_COUNTED = COUNTERS | {"revision", "touched", "edits", *MEMORY_USE}
_ALL = frozenset("*")


def columns_of(entry: Entry) -> frozenset[str]:
    """Return the columns of memories that an entry changes, `*` for all where a row comes or goes."""
    comes_or_goes = entry.before is None or entry.after is None
    return _ALL if comes_or_goes else frozenset(entry.columns) - _COUNTED


def is_in_the_way(mine: AbstractSet[str], since: AbstractSet[str]) -> bool:
    """Tell whether what was changed since leaves no room to take back what is `mine`."""
    if not since or "*" in mine | since:
        return bool(since)
    if mine and (since & _DECISIVE or not mine.isdisjoint(since)):
        return True
    return any(mine & group and since & group for group in _GROUPS)


@dataclass(frozen=True, slots=True)
class LaterPart:
    """What a part of a later run changed: memories by columns, and entries of other tables.

    Of the engine's own work `entries` has the memories that it made or replaced, too.
    """

    position: int
    cause: Cause
    by_engine: bool
    memories: tuple[tuple[Ints, frozenset[str]], ...]
    entries: tuple[Entry, ...]

    def find_rows(self, rows: AbstractSet[Row], *, made_only: bool = False) -> set[Row]:
        """Return those of some rows of other tables that the part changed, or that it made."""
        tables = {table for table, _ in rows}
        return {
            row
            for entry in self.entries
            if entry.table in tables and not (made_only and entry.before is not None)
            for key in entry.row_keys()
            if (row := (entry.table, key)) in rows
        }


class LaterRuns:
    """The parts of later runs that are not undone, from a position on; `own` names runs that are no later ones."""

    def __init__(self, position: int, own: AbstractSet[str]) -> None:
        self.position = position  # up to here the log was taken in
        self._own = own
        self._parts: dict[tuple[str, int], LaterPart] = {}

    def take_in(self, part: AuditPart) -> None:
        """Take in the next part of the log."""
        cause, self.position = part.cause, part.position
        undone = cast("str", cause.detail.get("undoes")), cause.part
        if self._parts.pop(undone, None) or cause.run in self._own or cause.verb in ROWLESS:
            return
        by_engine = owner_of(cause) == BY_ENGINE
        entries = (
            one for one in part.entries if one.table != "memories" or (by_engine and _makes_or_replaces(one))
        )
        memories = tuple(iterate_revised(part.entries))
        self._parts[cause.run, cause.part] = LaterPart(
            part.position, cause, by_engine, memories, tuple(entries)
        )

    def columns(
        self, seqs: Collection[int], *, by_engine: bool = False, after: int = 0
    ) -> dict[int, frozenset[str]]:
        """Return which columns of memories were changed after a position; by the engine, or by anybody else."""
        wanted = np.array(sorted(seqs), np.int64)
        changed: dict[int, frozenset[str]] = {}
        for part in self._select(by_engine=by_engine):
            for keys, columns in part.memories if part.position > after else ():
                for seq in keys[np.isin(keys, wanted)].tolist():
                    changed[seq] = changed.get(seq, frozenset()) | columns
        return changed

    def find_changed(self, rows: AbstractSet[Row]) -> set[Row]:
        """Return those of some rows of other tables that anybody but the engine changed."""
        return {row for part in self._select() for row in part.find_rows(rows)}

    def find_engine_made(self, rows: AbstractSet[Row]) -> set[Row]:
        """Return those of some rows of other tables that the engine made."""
        return {row for part in self._select(by_engine=True) for row in part.find_rows(rows, made_only=True)}

    def engine_changes(self) -> list[list[Change]]:
        """Return what the engine's own work made or changed, row by row, a list for each part, the newest first."""
        parts = self._select(by_engine=True)[::-1]
        return [list(rows_of(one for one in part.entries if one.after is not None)) for part in parts]

    def runs(self, rows: AbstractSet[Row], mine: AbstractSet[str]) -> list[Cause]:
        """Return why any of these rows was changed, of memories in the way of `mine`; a run once, newest first."""
        seqs = np.array(sorted(key for table, key in rows if table == "memories"), np.int64)
        causes = {
            part.cause.run: part.cause
            for part in self._select()
            if part.find_rows(rows)
            or any(
                is_in_the_way(mine, columns) and np.isin(keys, seqs).any() for keys, columns in part.memories
            )
        }
        return list(reversed(causes.values()))

    def _select(self, *, by_engine: bool = False) -> list[LaterPart]:
        return [part for part in self._parts.values() if part.by_engine == by_engine]


def _makes_or_replaces(entry: Entry) -> bool:
    """Tell whether an entry makes a memory, or gives its place to another one."""
    kinds = (change.after or {} for change, _ in entry.kinds(("status",)))
    return entry.before is None or any(after.get("status") == Status.SUPERSEDED for after in kinds)


def iterate_revised(entries: Sequence[Entry]) -> Iterator[tuple[Ints, frozenset[str]]]:
    """Yield which memories entries revise, by the columns that they change; counts revise none."""
    by_columns: dict[frozenset[str], list[int]] = {}
    for entry in entries:
        if entry.table == "tags":
            fading = [seq for seq, tag in entry.row_keys() if tag in FADING_TAGS]
            by_columns.setdefault(frozenset({"decay"}), []).extend(fading)
        elif entry.table == "memories" and entry.is_revision:
            by_columns.setdefault(columns_of(entry), []).extend(entry.row_keys())
    yield from ((np.array(keys, np.int64), columns) for columns, keys in by_columns.items() if keys)
