"""When the rules of a scope are due, how cadences stretch and back off, and the record that ticks keep of it.

Knows when rules were judged and what work goes on beside; reads no clock and no store, and knows no rule.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from typing import Any, Literal, get_args

import numpy as np

from remanence.core.clock import MINUTE, SECOND
from remanence.core.keywords import CadenceName
from remanence.core.model import STANDING, Severity
from remanence.core.snapshot import Snapshot
from remanence.curate.planner.plan import Plan
from remanence.curate.policy.rules import EVERY

Mode = Literal["idle", "background", "minimal"]
CADENCES: Sequence[CadenceName] = get_args(CadenceName)
assert list(CADENCES) == sorted(EVERY, key=lambda name: EVERY[name])
# How long one tick may take, looked at between parts (A.5 of the Jochi design).
WITHIN: Mapping[CadenceName, int] = {
    "rapid": 2 * SECOND,
    "standard": 5 * SECOND,
    "hourly": 10 * SECOND,
    "deep": 30 * SECOND,
}
STRETCH: Mapping[Mode, float] = {"idle": 0.5, "background": 1.0, "minimal": 3.0}  # 2.5, 5 and 15 minutes
SWITCH_AFTER = 5 * MINUTE  # so long a mode stays, and
SWITCH_SEEN = 2  # so many looks in a row must ask for another
QUIET_FOR = 10 * MINUTE  # without agents and tasks it is idle
AGENT_SEEN = 90 * SECOND  # an agent is at work whose heart beat within that time
AGENTS_MANY = 4
MEMORY_MOST = 0.7  # of the machine's
DIRTY_MIN, DIRTY_SHARE = 50, 0.2  # so many changes, and so much of the scope, make a tick due before its time
MISSED_MANY = 3
DOUBLINGS_MAX = 8  # of the time between two tries


@dataclass(frozen=True, slots=True)
class Load:
    """What goes on in a scope: agents at work, whether a task is in progress or a grave one is pending.

    `memory` is the share of the machine's memory that this process takes, None where nobody knows; `overran` whether
    the last tick took longer than it may.
    """

    agents: int = 0
    working: bool = False
    urgent: bool = False
    memory: float | None = None
    overran: bool = False


@dataclass(frozen=True, slots=True)
class ModeState:
    """Which mode a scope is in and since when, which one was asked for last, how often in a row, and the last work."""

    mode: Mode = "background"
    since: int = 0
    wish: Mode = "background"
    seen: int = 0
    busy_at: int | None = None

    def after(self, load: Load, now: int) -> "ModeState":
        """Return the mode after another look: another one only if it is asked for twice, and this one has lasted."""
        is_busy = bool(load.agents or load.working or self.busy_at is None or self.busy_at > now)
        busy_at = now if is_busy or self.busy_at is None else self.busy_at
        wish = _pick_mode(load, now - busy_at)
        seen = self.seen + 1 if wish == self.wish else 1
        since = min(self.since, now)
        if wish != self.mode and seen >= SWITCH_SEEN and now - since >= SWITCH_AFTER:
            return ModeState(wish, now, wish, seen, busy_at)
        return replace(self, since=since, wish=wish, seen=seen, busy_at=busy_at)


def _pick_mode(load: Load, quiet: int) -> Mode:
    """Say which mode suits what goes on."""
    if load.agents >= AGENTS_MANY or load.urgent or load.overran or (load.memory or 0.0) > MEMORY_MOST:
        return "minimal"
    return "idle" if not load.agents and not load.working and quiet >= QUIET_FOR else "background"


@dataclass(frozen=True, slots=True)
class CadenceIntervals:
    """How long after it was judged last the rules of each cadence are due again, in microseconds."""

    intervals: Mapping[CadenceName, int] = field(
        default_factory=lambda: {name: EVERY[name] for name in CADENCES}
    )

    def scale_to_mode(self, mode: Mode) -> "CadenceIntervals":
        """Return the pace of a mode."""
        return CadenceIntervals({name: int(every * STRETCH[mode]) for name, every in self.intervals.items()})

    def due(self, last: Mapping[str, int], now: int) -> CadenceName | None:
        """Return the slowest cadence that is due; what was judged at a later time than now is."""
        for name in reversed(CADENCES):
            at = last.get(name)
            if at is None or not at <= now < at + self.intervals[name]:
                return name
        return None

    def next_at(self, last: Mapping[str, int], name: CadenceName) -> int:
        """Return when a cadence is due again."""
        return last.get(name, -self.intervals[name]) + self.intervals[name]

    def count_missed_runs(self, name: CadenceName, expected: int, now: int) -> int:
        """Count how many runs have not taken place that were due from some instant on."""
        return max(0, (now - expected) // self.intervals[name])


def with_quicker(cadence: CadenceName) -> tuple[CadenceName, ...]:
    """Return a cadence and those that are quicker: their rules are judged together."""
    return tuple(CADENCES[: CADENCES.index(cadence) + 1])


def pick_slower(one: CadenceName | None, other: CadenceName | None) -> CadenceName | None:
    """Return the slower of two cadences, either of which may be none."""
    return max((name for name in (one, other) if name is not None), key=CADENCES.index, default=None)


def is_dirty(changes: int, memories: int) -> bool:
    """Tell whether so much has changed that a tick is due before its time."""
    return changes > DIRTY_MIN + DIRTY_SHARE * memories


def retry_at(now: int, failures: int, pace: CadenceIntervals) -> int:
    """Say when something that failed so often in a row is tried again: later each time, within the slowest cadence."""
    return now + min(pace.intervals["rapid"] << min(failures, DOUBLINGS_MAX), pace.intervals["deep"])


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

    `last` is when the rules of each cadence were judged, `position` where the scope stood when any were judged last,
    `cursor` the work that the next tick begins with where time was up, `unfinished` the cadence whose plan was not
    carried out to its end. `promised` tells whether something ticks by itself, so that a run can be missed.
    """

    at: int = 0
    position: int = 0
    memories: int = 0
    last: Mapping[str, int] = field(default_factory=dict)
    intervals: Mapping[str, int] = field(default_factory=dict)
    moded: ModeState = field(default_factory=ModeState)
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
            "moded": ModeState(**kept["moded"]),
            "calm": {name: Calm(**one) for name, one in kept["calm"].items()},
            "failures": {name: Failure(**one) for name, one in kept["failures"].items()},
        }
        return cls(**{**kept, **parts})

    def values(self) -> dict[str, Any]:
        """Return the same as plain values."""
        plain = {one.name: getattr(self, one.name) for one in fields(self)}
        parts = {
            "moded": asdict(self.moded),
            "calm": {name: asdict(one) for name, one in self.calm.items()},
            "failures": {name: asdict(one) for name, one in self.failures.items()},
        }
        return {**plain, **parts}

    @property
    def pace(self) -> CadenceIntervals:
        """The pace at which it was ticked last, in the mode that it is in."""
        by_cadence = {name: self.intervals[name] for name in CADENCES if name in self.intervals}
        return (CadenceIntervals(by_cadence) if by_cadence else CadenceIntervals()).scale_to_mode(
            self.moded.mode
        )

    def compute_due_at(self, pace: CadenceIntervals, name: CadenceName, position: int) -> int:
        """Return when the rules of a cadence are to be judged next, given where the scope stands."""
        due, calm = pace.next_at(self.last, name), self.calm.get(name)
        return due if calm is None or calm.position != position else max(due, calm.until)

    def record_failure(self, name: str, at: int, reason: str, until: int) -> "Record":
        """Return it with one more failure of some work."""
        count = self.failures[name].count + 1 if name in self.failures else 1
        return replace(self, failures={**self.failures, name: Failure(count, at, until, reason)})

    def remove_failures(self, name: str) -> "Record":
        """Return it without failures of some work."""
        if name not in self.failures:
            return self
        return replace(self, failures={one: failure for one, failure in self.failures.items() if one != name})

    def record_judgement(
        self, names: Sequence[CadenceName], now: int, plan: Plan, calm: Mapping[CadenceName, Calm]
    ) -> "Record":
        """Return it once the rules of some cadences were judged by a plan, and for how long each do nothing more."""
        last: dict[str, int] = {**self.last, **dict.fromkeys(names, now)}
        calms = {name: one for name, one in self.calm.items() if name not in names}
        calms |= {name: calm[name] for name in names if name in calm}
        return replace(self, last=last, calm=calms, deferred=sum(len(one.seqs) for one in plan.deferred))


def tasks(snapshot: Snapshot) -> tuple[bool, bool]:
    """Tell whether a task is in progress, and whether a grave one is pending."""
    columns, names = snapshot.columns, snapshot.names
    if "task" not in names["category"]:
        return False, False
    is_task = columns["category"] == names["category"].index("task")
    is_task &= np.logical_or.reduce([columns["status"] == status for status in STANDING])
    states = {name: code for code, name in enumerate(names["state"])}
    grave = np.greater_equal(columns["severity"], Severity.HIGH)
    working = is_task & (columns["state"] == states.get("in_progress", -2))
    urgent = is_task & (columns["state"] == states.get("pending", -2)) & grave
    return bool(working.any()), bool(urgent.any())
