"""Where an item of the review stands among those of its sort, how that is written, and which of them one list has.

Knows places and texts; must not know what waits, nor where it is kept.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeVar, get_args

from remanence.core.errors import InvalidInput, format_value

Sort = Literal["contradiction", "quarantine", "proposal", "held plan", "clock in doubt", "interrupted run"]
Place = tuple[int | float | str, ...]  # the greatest first part stands first, the least of the rest
T = TypeVar("T")
CLOCK = "clock"  # what the one item about the clock is called

# What a place is made of, by sort: how sure and both ends; a memory; a memory, which of its lists, what is in it;
# when it was held; 0 for the one clock; a position of the audit.
_PARTS: Mapping[Sort, tuple[type[int] | type[float] | type[str], ...]] = {
    "contradiction": (float, int, int),
    "quarantine": (int,),
    "proposal": (int, int, str),
    "held plan": (int,),
    "clock in doubt": (int,),
    "interrupted run": (int,),
}
_SORTS: Mapping[str, Sort] = {sort.split()[0]: sort for sort in get_args(Sort)}  # by what cursors begin with


@dataclass(frozen=True, slots=True)
class ReviewPage:
    """At most so many items of each sort, or of one, also behind a place; `behind` counts what comes after."""

    limit: int
    only: Sort | None = None
    after: Place = ()
    behind: dict[str, int] = field(default_factory=dict)

    def cut(self, sort: Sort, entries: Iterable[tuple[Place, T]]) -> list[tuple[str, T]]:
        """Return what this page has of a sort, in order, each with its cursor."""
        if self.only not in (None, sort):
            return []
        rows = sorted(entries, key=lambda entry: rank_place(entry[0]))
        if self.after:
            rows = [row for row in rows if rank_place(row[0]) > rank_place(self.after)]
        if len(rows) > self.limit:
            self.behind[sort] = len(rows) - self.limit
        return [(write_cursor(sort, place), entry) for place, entry in rows[: self.limit]]


def write_cursor(sort: Sort, place: Place) -> str:
    """Write down where an item stands: it says so also once the item is settled."""
    return "/".join([sort.split()[0], *map(str, place)])


def read_cursor(cursor: str) -> tuple[Sort, Place]:
    """Read where an item stands; raise InvalidInput for what is no cursor."""
    word, _, rest = cursor.partition("/")
    sort = _SORTS.get(word)
    try:
        if sort is not None:
            parts = _PARTS[sort]
            written = rest.split("/", len(parts) - 1)
            return sort, tuple(read(part) for read, part in zip(parts, written, strict=True))
    except ValueError:
        pass
    raise InvalidInput(
        f"{format_value(cursor)} is no place in a list of what waits",
        recovery="give the `cursor` of an item that `review list` gave",
    )


def read_item(name: str) -> tuple[Sort, Place] | None:
    """Read which item a person means by its cursor, of a contradiction also without how sure it is, or by `clock`."""
    word, _, rest = name.partition("/")
    if name == CLOCK:
        return "clock in doubt", (0,)
    if not rest or word not in _SORTS:
        return None
    if word == "contradiction" and rest.count("/") == 1:
        return read_cursor(f"{word}/0/{rest}")
    return read_cursor(name)


def rank_place(place: Place) -> Place:
    """Return what items are sorted by."""
    first, *rest = place
    return (-float(first), *rest)
