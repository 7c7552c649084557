"""Whole scopes from one store to another: how rows go from thread to thread, and what is said of a scope under way.

Knows pages of rows; must not know what is in one.
"""

from collections.abc import Iterator, Sequence
from queue import Empty, Full, Queue
from typing import Any, NamedTuple, TypeAlias

from remanence.core.errors import NotFound, StoreUnavailable, format_value

Page: TypeAlias = tuple[str, Sequence[Sequence[Any]]]  # the name of a table, and rows of it
PAGES_WAITING = 8
MOVED = -1  # the position of a scope whose rows are in another store now
_ARRIVING = (
    -2
)  # less the position of a scope that is moved here, and is not written to until it is here alone
_LOOK_S = 0.05  # between two looks whether the other side has given up


class ScopeContent(NamedTuple):
    """What a scope holds: how far it has come, how many rows that are, and a hash of all of them."""

    position: int
    rows: int
    digest: str


class PipeBroken(StoreUnavailable):
    """One side of a copy has ended; why, the other side says."""


class RowPipe:
    """Pages of rows on their way: one thread sends them, another takes them."""

    def __init__(self) -> None:
        self._pages: Queue[Page | None] = Queue(PAGES_WAITING)
        self._has_ended = False

    def send(self, page: Page | None) -> None:
        """Send a page, None behind the last one; wait while enough of them wait."""
        while not self._has_ended:
            try:
                self._pages.put(page, timeout=_LOOK_S)
            except Full:
                continue
            return
        raise PipeBroken("the other store took no more rows", recovery="see why, and begin again")

    def iterate_pages(self) -> Iterator[Page]:
        """Yield the pages that come, up to the last."""
        while True:
            try:
                page = self._pages.get(timeout=_LOOK_S)
            except Empty:
                if self._has_ended:
                    raise PipeBroken(
                        "the other store sent no more rows", recovery="see why, and begin again"
                    ) from None
                continue
            if page is None:
                return
            yield page

    def end(self) -> None:
        """Let neither side wait for the other any more."""
        self._has_ended = True


def is_arriving(position: int) -> bool:
    """Tell whether a scope at a position is being moved here, and is still where it comes from."""
    return position <= _ARRIVING


def mark_arriving(position: int) -> int:
    """Return the position of a scope that is moved here, or of one that was, once it is here alone."""
    return _ARRIVING - position


def build_moved_refusal(scope: str, place: str) -> NotFound:
    """Return that a scope is in another store now."""
    return NotFound(f"scope {format_value(scope)} was moved to {place}", recovery=describe_way(place))


def build_arriving_refusal(scope: str) -> StoreUnavailable:
    """Return that a scope is not written to yet."""
    return StoreUnavailable(
        f"scope {format_value(scope)} is being moved here: until that is done it is read alone",
        recovery="wait, or if the move was stopped begin it again: remanence move",
    )


def describe_way(place: str) -> str:
    """Return what to do about a scope that was moved to a place."""
    return f"open it there: --db {place}"
