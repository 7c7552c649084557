"""Which rows of memories a listing asks for. Knows rows as they are kept; must not know where they are."""

from collections.abc import Callable
from typing import Any

from remanence.core.local_time import read_said_local
from remanence.store.base import Find
from remanence.store.constraints import encode_values
from remanence.store.row_rules import Row


def compile_find(find: Find) -> Callable[[int, Row], bool]:
    """Return what tells whether a memory, by its number and row, is asked for; its tags are not looked at."""
    only = frozenset(find.only or ())
    by_column = {name: _any_of(name, value) for name, value in find.equal.items()}

    def fits(seq: int, row: Row) -> bool:
        return (
            seq > find.after
            and (find.before is None or seq < find.before)
            and (find.statuses is None or row["status"] in find.statuses)
            and (find.only is None or seq in only)
            and (find.said is None or find.said.holds(row["said_at"], read_said_local(row)))
            and row["id"].startswith(find.beginning)
            and row["id"].endswith(find.ending)
            and all(row[name] in values for name, values in by_column.items())
        )

    return fits


def _any_of(name: str, value: Any) -> list[Any]:
    """Return what a column may be, as it is kept."""
    return [
        encode_values("memories", {name: one})[name]
        for one in (value if isinstance(value, tuple) else (value,))
    ]
