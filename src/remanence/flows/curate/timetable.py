"""The schedule's row of a scope: when which rules were judged last, what is left or fails, and what comes next.

Knows how it is kept and shown; judges no rule and does no work.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from remanence.core.results import Result, minute_of, number, visible
from remanence.curate.schedule.pace import CADENCES, MISSED_MANY, Mode
from remanence.curate.schedule.record import Record
from remanence.flows.base.context import QUIET, Core
from remanence.flows.curate.scheduling import find_held_run
from remanence.store.base import Bookkeeping

ROW = "schedule"


@dataclass(frozen=True, slots=True, repr=False)
class Timetable(Result):
    """When ticks came to a scope and when they come next, by cadence, and what waits.

    `missed` counts runs that were due and have not taken place since something ticks by itself (`schedule run`),
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
        parts = [
            f"last tick {minute_of(self.at)}, next {minute_of(self.next[soonest])} ({soonest}), {self.mode}"
        ]
        parts += [f"{name}: {self.missed[name]:,} runs missed" for name in self.late]
        parts += (
            [f"{number(self.deferred, 'memory', 'memories')} deferred to another day"]
            if self.deferred
            else []
        )
        parts += [self.held] if self.held else []
        parts += [f"{name} failed: {why}" for name, why in self.failures.items()]
        parts += [f"left for the next: {', '.join(self.left)}"] if self.left else []
        return visible("; ".join(parts))


async def read(core: Core) -> tuple[Record, Mapping[str, Any] | None, int]:
    """Return what ticks keep of a scope, until when it needs none, where that is known, and how far it has come."""
    books = await core.store.bookkeep(core.scope, Bookkeeping(core.clock.now(), get=(ROW, QUIET)))
    return Record.read(books.values.get(ROW)), books.values.get(QUIET), books.position


async def position_of(core: Core) -> int:
    """Return how far the scope has come."""
    return (await core.store.bookkeep(core.scope, Bookkeeping(core.clock.now()))).position


async def timetable(core: Core) -> Timetable | None:
    """Say when ticks came and come next; None where none ever came."""
    record, _, position = await read(core)
    if not record.at:
        return None
    now, pace = core.clock.now(), record.pace
    expected: dict[str, int] = {name: record.compute_due_at(pace, name, position) for name in CADENCES}
    missed_runs: dict[str, int] = {
        name: pace.count_missed_runs(name, expected[name], now) if record.promised else 0 for name in CADENCES
    }
    waits = await find_held_run(core)
    return Timetable(
        record.at,
        record.moded.mode,
        {name: record.last.get(name) for name in CADENCES},
        expected,
        missed_runs,
        record.deferred,
        waits.reason if waits is not None else "",
        {name: one.reason for name, one in record.failures.items()},
        tuple(filter(None, [record.cursor, record.unfinished and f"{record.unfinished} rules"])),
    )
