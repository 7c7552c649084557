"""What a server keeps between two requests: answers by key, what was shown, who is logged in, and what it is told.

A file is served by one process, which keeps it in its memory; processes that serve one database keep it there. Knows
places and values; must not know what they mean.
"""

import asyncio
from collections import Counter, defaultdict
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from remanence.core.clock import SECOND
from remanence.flows.base.copies import EVERY_SCOPE

POLL_S = 0.1  # between two looks for what another process wrote, where nothing tells of it
KEPT_S = 24 * 3600.0
BYTES_MAX = 16 << 20  # that is kept for one owner in one kind


class StatePlace(NamedTuple):
    """Where something is kept: its scope, its kind, and its name, which nobody guesses where that matters."""

    scope: str
    kind: str
    name: str


def find_place(kind: str, name: str) -> StatePlace:
    """Return a place of no scope, for what has no text of a memory in it."""
    return StatePlace(EVERY_SCOPE, kind, name)


class ServerState(Protocol):
    """Keeps, finds and tells what servers share."""

    process: str  # the name of this process, "" where there is no other
    on_erasure: list[Callable[[str], Awaitable[None]]]

    async def put(
        self,
        place: StatePlace,
        value: bytes,
        *,
        seconds: float,
        since: int | None = None,
        owner: str = "",
        most: int = 100,
    ) -> None:
        """Keep a value for so long, of one owner at most so many in its kind; with `since` as of that position."""
        ...

    async def find(self, place: StatePlace) -> bytes | None:
        """Return what is kept, b"" where it was emptied by an erasure, None where nothing is."""
        ...

    async def take(self, place: StatePlace) -> bytes | None:
        """Return what is kept and keep it no more: of all who ask one is given it."""
        ...

    async def claim(
        self, place: StatePlace, asked: bytes, holder: str, seconds: float
    ) -> tuple[bytes, bytes | None] | None:
        """Take a place for so long, None; where it is taken, what it was asked with and what is kept there, if any."""
        ...

    async def prolong(self, place: StatePlace, holder: str, seconds: float) -> None:
        """Hold a place that was claimed for longer."""
        ...

    async def drop(self, place: StatePlace, owner: str) -> None:
        """Keep nothing there, if it is the owner's."""
        ...

    async def sweep(self) -> None:
        """Take away what has expired."""
        ...

    def forget(self, scope: str) -> None:
        """Empty all that is kept of a scope, where an erasure did not do so itself."""
        ...

    async def post(self, place: StatePlace, value: bytes, *, seconds: float) -> None:
        """Keep what every process reads, and tell them."""
        ...

    async def read_posts(self, scope: str, kind: str, /) -> dict[str, tuple[int, bytes]]:
        """Return what was posted, each by its name with a number that is another one each time."""
        ...

    async def listen(self, scope: str) -> None:
        """Have writers tell of their commits in a scope, for a minute."""
        ...

    def find_stamp(self, scope: str, /) -> int:
        """Return how often something was told of a scope."""
        ...

    async def wait(self, scope: str, stamp: int, seconds: float, unheard_s: float, /) -> None:
        """Wait until something is told of a scope since a stamp, at most so long; less where nothing can be heard."""
        ...


@dataclass
class _KeptValue:
    owner: str
    expires_at: int
    asked: bytes = b""
    value: bytes | None = None


class ProcessState:
    """What one process keeps in its memory, as no other serves the same."""

    process = ""

    def __init__(self, now: Callable[[], int]) -> None:
        self._now = now
        self._rows: dict[StatePlace, _KeptValue] = {}
        # What has come of a kind and owner, the oldest first, and how many bytes that is.
        self._groups: defaultdict[tuple[str, str], dict[StatePlace, None]] = defaultdict(dict)
        self._sizes: Counter[tuple[str, str]] = Counter()
        self.on_erasure: list[Callable[[str], Awaitable[None]]] = []

    def forget(self, scope: str) -> None:
        """Empty all that is kept of a scope, also what is under way."""
        for place, row in self._rows.items():
            if place.scope == scope and row.value != b"":
                self._sizes[place.kind, row.owner] -= len(row.value or b"")
                row.value = b""

    async def put(
        self,
        place: StatePlace,
        value: bytes,
        *,
        seconds: float,
        since: int | None = None,
        owner: str = "",
        most: int = 100,
    ) -> None:
        """Keep a value; with `since` not where it was emptied while it was under way."""
        old = self._remove(place)
        asked = b"" if old is None else old.asked
        if since is not None and old is not None and old.value == b"":
            value = b""
        group = place.kind, owner
        self._rows[place] = _KeptValue(owner, self._find_end(seconds), asked, value)
        self._groups[group][place] = None
        self._sizes[group] += len(value)
        first = next(iter(self._groups[group]))
        while first != place and (
            len(self._groups[group]) > most or self._sizes[group] > BYTES_MAX or self._find(first) is None
        ):
            self._remove(first)
            first = next(iter(self._groups[group]))

    async def find(self, place: StatePlace) -> bytes | None:
        """Return what is kept."""
        row = self._find(place)
        return None if row is None else row.value

    async def take(self, place: StatePlace) -> bytes | None:
        """Return what is kept and keep it no more."""
        value = await self.find(place)
        if value is not None:
            self._remove(place)
        return value

    async def claim(
        self, place: StatePlace, asked: bytes, holder: str, seconds: float
    ) -> tuple[bytes, bytes | None] | None:
        """Take a place, or return by what it is taken."""
        row = self._find(place)
        if row is not None:
            return row.asked, row.value
        self._remove(place)
        self._rows[place] = _KeptValue(holder, self._find_end(seconds), asked)
        return None

    async def prolong(self, place: StatePlace, holder: str, seconds: float) -> None:
        """Hold a place for longer."""
        if (row := self._rows.get(place)) is not None and row.owner == holder:
            row.expires_at = self._find_end(seconds)

    async def drop(self, place: StatePlace, owner: str) -> None:
        """Keep nothing there."""
        if (row := self._rows.get(place)) is not None and row.owner == owner:
            self._remove(place)

    async def sweep(self) -> None:
        """Take away what has expired."""
        for place in [one for one in self._rows if self._find(one) is None]:
            self._remove(place)

    async def post(self, place: StatePlace, value: bytes, *, seconds: float) -> None:
        """Tell nobody: there is no other process."""

    async def read_posts(self, _scope: str, _kind: str, /) -> dict[str, tuple[int, bytes]]:
        """Return nothing."""
        return {}

    async def listen(self, scope: str) -> None:
        """Do nothing: a file tells of no commits."""

    def find_stamp(self, _scope: str, /) -> int:
        """Return 0."""
        return 0

    async def wait(self, _scope: str, _stamp: int, _seconds: float, unheard_s: float, /) -> None:
        """Wait until it is time to look."""
        await asyncio.sleep(unheard_s)

    def _remove(self, place: StatePlace) -> _KeptValue | None:
        row = self._rows.pop(place, None)
        if row is not None:
            group = place.kind, row.owner
            self._groups[group].pop(place, None)
            self._sizes[group] -= len(row.value or b"")
            if not self._groups[group]:
                del self._groups[group], self._sizes[group]
        return row

    def _find(self, place: StatePlace) -> _KeptValue | None:
        row = self._rows.get(place)
        return row if row is not None and row.expires_at > self._now() else None

    def _find_end(self, seconds: float) -> int:
        return self._now() + round(seconds * SECOND)
