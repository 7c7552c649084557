"""When the rules of a scope are due: cadences, how they stretch with what goes on, what was missed, what backs off.

Knows when rules were judged and what work goes on beside; reads no clock and no store, and knows no rule.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, get_args

from remanence.core.clock import MINUTE, SECOND
from remanence.core.keywords import CadenceName
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
