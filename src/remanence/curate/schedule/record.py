"""What ticks keep of a scope: when which rules were judged last, until when they do nothing, what failed.

Knows the row and what follows from it; knows neither where it is kept nor what a tick does.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from typing import Any

import numpy as np

from remanence.core.keywords import CadenceName
from remanence.core.model import STANDING, Severity
from remanence.core.snapshot import Snapshot
from remanence.curate.planner.plan import Plan
from remanence.curate.schedule.pace import CADENCES, CadenceIntervals, ModeState


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
