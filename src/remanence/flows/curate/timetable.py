"""The schedule's row of a scope: when which rules were judged last, what is left or fails, and what comes next.

Knows how it is kept and shown; judges no rule and does no work.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from remanence.curate.pace import CADENCES, MISSED_MANY, Mode, Moded, Pace
from remanence.flows.core import QUIET, Core
from remanence.flows.curate.scheduling import held
from remanence.keywords import CadenceName
from remanence.results import Result, minute_of, number, visible
from remanence.store.base import Bookkeeping

ROW = "schedule"


@dataclass(frozen=True, slots=True)
class Failure:
    """Work that failed: how often in a row, when last and why, and when it is tried again."""

    count: int
    at: int
    until: int
    reason: str


@dataclass(frozen=True, slots=True)
class Calm:
    """Until when rules do nothing, as long as the scope stands at a position."""

    position: int
    until: int


@dataclass(frozen=True, slots=True)
class Record:
    """What ticks keep of a scope.

    `last` is when the rules of each cadence were judged, `cursor` the work that the next tick begins with where time
    was up, `unfinished` the cadence whose plan was not carried out to its end. `promised` tells whether something ticks
    by itself, so that a run can be missed.
    """

    at: int = 0
    position: int = 0
    memories: int = 0
    last: Mapping[str, int] = field(default_factory=dict)
    intervals: Mapping[str, int] = field(default_factory=dict)
    moded: Moded = field(default_factory=Moded)
    calm: Mapping[str, Calm] = field(default_factory=dict)
    failures: Mapping[str, Failure] = field(default_factory=dict)
    cursor: str = ""
    unfinished: CadenceName | None = None
    deferred: int = 0
    overran: bool = False
    mirrored: int = 0
    promised: bool = False

    @classmethod
    def read(cls, kept: Mapping[str, Any] | None) -> "Record":
        """Read back what `values` wrote; a scope that no tick has come to has nothing."""
        if kept is None:
            return cls()
        parts = {
            "moded": Moded(**kept["moded"]),
            "calm": {name: Calm(**one) for name, one in kept["calm"].items()},
            "failures": {name: Failure(**one) for name, one in kept["failures"].items()},
        }
        return cls(**{**kept, **parts})

    def values(self) -> dict[str, Any]:
        """Return the same as plain values."""
        return asdict(self)

    @property
    def pace(self) -> Pace:
        """The pace at which it was ticked last, in the mode that it is in."""
        known = {name: self.intervals[name] for name in CADENCES if name in self.intervals}
        return (Pace(known) if known else Pace()).stretched(self.moded.mode)

    def expected(self, pace: Pace, name: CadenceName, position: int) -> int:
        """Return when the rules of a cadence are to be judged next, given where the scope stands."""
        due, calm = pace.next_at(self.last, name), self.calm.get(name)
        return due if calm is None or calm.position != position else max(due, calm.until)

    def failed(self, name: str, at: int, reason: str, until: int) -> "Record":
        """Return it with one more failure of some work."""
        count = self.failures[name].count + 1 if name in self.failures else 1
        return replace(self, failures={**self.failures, name: Failure(count, at, until, reason)})

    def recovered(self, name: str) -> "Record":
        """Return it without failures of some work."""
        return replace(self, failures={one: kept for one, kept in self.failures.items() if one != name})


@dataclass(frozen=True, slots=True, repr=False)
class Timetable(Result):
    """When ticks came to a scope and when they come next, by cadence, and what waits.

    `missed` counts runs that were due and have not taken place since something ticks by itself (`remanence daemon`),
    `deferred` memories whose deletion waits for another day, `held` says why a plan waits for a person, `failures` why
    work of a tick failed; it is tried again. `left` is the work for which there was no time.
    """

    at: int
    mode: Mode
    last: Mapping[str, int | None]
    next: Mapping[str, int]
    missed: Mapping[str, int]
    deferred: int = 0
    held: str = ""
    failures: Mapping[str, str] = field(default_factory=dict)
    left: tuple[str, ...] = ()

    @property
    def is_well(self) -> bool:
        """Tell whether nothing waits for a person, fails or was missed three times."""
        return not (self.held or self.failures or self.late)

    @property
    def late(self) -> tuple[str, ...]:
        """The cadences of which three runs or more were missed."""
        return tuple(name for name, count in self.missed.items() if count >= MISSED_MANY)

    def __str__(self) -> str:
        soonest = min(self.next, key=lambda name: self.next[name])
        told = [
            f"last tick {minute_of(self.at)}, next {minute_of(self.next[soonest])} ({soonest}), {self.mode}"
        ]
        told += [f"{name}: {self.missed[name]:,} runs missed" for name in self.late]
        told += (
            [f"{number(self.deferred, 'memory', 'memories')} deferred to another day"]
            if self.deferred
            else []
        )
        told += [self.held] if self.held else []
        told += [f"{name} failed: {why}" for name, why in self.failures.items()]
        told += [f"left for the next: {', '.join(self.left)}"] if self.left else []
        return visible("; ".join(told))


async def read(core: Core) -> tuple[Record, Mapping[str, Any] | None]:
    """Return what ticks keep of a scope, and until when it needs none, where that is known."""
    booked = await core.store.bookkeep(core.scope, Bookkeeping(core.clock.now(), get=(ROW, QUIET)))
    return Record.read(booked.values.get(ROW)), booked.values.get(QUIET)


async def position_of(core: Core) -> int:
    """Return how far the scope has come."""
    return (await core.store.search(core.scope, ())).position


async def timetable(core: Core) -> Timetable | None:
    """Say when ticks came and come next; None where none ever came."""
    record, _ = await read(core)
    if not record.at:
        return None
    now, position, pace = core.clock.now(), await position_of(core), record.pace
    expected: dict[str, int] = {name: record.expected(pace, name, position) for name in CADENCES}
    missed: dict[str, int] = {
        name: pace.missed(name, expected[name], now) if record.promised else 0 for name in CADENCES
    }
    waits = await held(core)
    return Timetable(
        record.at,
        record.moded.mode,
        {name: record.last.get(name) for name in CADENCES},
        expected,
        missed,
        record.deferred,
        waits.reason if waits is not None else "",
        {name: one.reason for name, one in record.failures.items()},
        tuple(filter(None, [record.cursor, record.unfinished and f"{record.unfinished} rules"])),
    )
