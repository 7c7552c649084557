"""What memories were at an instant, from what was logged since: what the first change had before it is what was then.

Knows changes and memories as values; knows no store. Uses and vectors are not in the log: of uses today's stand, and so
does the revision, by which an edit is guarded.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from operator import attrgetter
from typing import Any, cast

from remanence.core.change import Change, Increment
from remanence.core.model import COLUMN, Memory
from remanence.core.results import date_of

_BESIDE = {"tags", "sources", "tagged_at", "ended", "last_action", "revision"}
_FIELDS = frozenset(one.name for one in fields(Memory)) - _BESIDE
_NAMES = tuple(one.name for one in fields(Memory))
_PLACES = {name: place for place, name in enumerate(_NAMES)}
_VALUES = attrgetter(*_NAMES)
REWOUND = frozenset({"memories", "tags", "sources"})  # tables whose rows make up a memory as of an instant


@dataclass(slots=True)
class ChangesSince:
    """What the log says of one memory since an instant, taken in from the oldest change on.

    `was_there` is None where its row never came or went. `columns` had these values then, `added` is by how much
    counters rose since, `row` the whole row where it went since. `parts` says by table which of its tags and
    sources changed first how: what one had before, None for one that came since.
    """

    was_there: bool | None = None
    columns: dict[str, Any] = field(default_factory=dict)
    added: dict[str, int] = field(default_factory=dict)
    row: Mapping[str, Any] | None = None
    parts: dict[str, dict[Any, Mapping[str, Any] | None]] = field(default_factory=dict)

    def take_in(self, change: Change) -> None:
        """Take in the next change of the memory, or of a tag or source of it."""
        if change.table != "memories":
            name = cast("tuple[int, Any]", change.key)[1]
            self.parts.setdefault(change.table, {}).setdefault(name, change.before)
            return
        if self.was_there is None:
            self.was_there = change.before is not None
        if self.row is not None or not self.was_there or change.before is None:
            return
        if change.after is None:
            self.row = change.before
            return
        for name, value in change.after.items():
            if isinstance(value, Increment):
                if name not in self.columns:
                    self.added[name] = self.added.get(name, 0) + value.by
            elif name in change.before and name not in self.columns:
                self.columns[name] = change.before[name]

    def rewind(self, scope: str, seq: int, today: Memory | None) -> Memory | None:
        """Return the memory as it was, from its row of today; None where it was not there yet, or was erased since."""
        is_erased = (
            not self.row if self.row is not None else today is None
        )  # of what is erased a number is logged
        if self.was_there is False or is_erased:
            return None
        # A row that went and came again is another one: what it had then is in the image of the first.
        latest = None if self.row is not None else today
        row = dict(self.row) if self.row is not None else {name: getattr(latest, name) for name in self.added}
        row |= self.columns
        row |= {name: row[name] - by for name, by in self.added.items()}
        columns = {name: _name_value(name, value) for name, value in row.items() if name in _FIELDS}
        columns |= self._rewind_lists(latest)
        if latest is not None:
            return _replace_columns(latest, columns)
        return Memory(**{"seq": seq, "scope": scope, **columns})

    def _rewind_lists(self, latest: Memory | None) -> dict[str, Any]:
        """Return the tags, with when they were set, and the sources that it had."""
        tags = self._list("tags", () if latest is None else latest.tags)
        times = {} if latest is None else dict(latest.tagged_at)
        times |= {tag: row["at"] for tag, row in self.parts.get("tags", {}).items() if row and "at" in row}
        return {
            "tags": tags,
            "tagged_at": {tag: times[tag] for tag in tags if times.get(tag) is not None},
            "sources": self._list("sources", () if latest is None else latest.sources),
        }

    def _list(self, table: str, today: Sequence[str]) -> tuple[str, ...]:
        parts = self.parts.get(table, {})
        kept = {name for name in today if parts.get(name, {}) is not None}
        return tuple(sorted(kept | {name for name, before in parts.items() if before is not None}))


def mark_ended(memory: Memory, at: int) -> Memory:
    """Let a memory say that it had expired by an instant, where it had."""
    has_expired = memory.valid_to is not None and memory.valid_to <= at
    marks = (f"expired {date_of(memory.valid_to)}",) if has_expired else ()
    return replace(memory, ended=marks, last_action=None)


def _replace_columns(memory: Memory, columns: Mapping[str, Any]) -> Memory:
    """Return a memory with other columns, as `replace` does for three times the cost, which thousands feel."""
    values = [*_VALUES(memory)]
    for name, value in columns.items():
        values[_PLACES[name]] = value
    return Memory(*values)


def _name_value(name: str, value: Any) -> Any:
    column = COLUMN.get(name)
    return value if value is None or column is None or column.labels is None else column.labels(value)
