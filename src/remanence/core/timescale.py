"""Clocks as maps of the time axis: wall time in, the reading of a clock out, both in microseconds.

Every stored time is wall time. A rule on another clock sees all times through such a map, so that fading, age and
idleness mean hours of work, or turns of talk, without a second set of times to keep in step. Maps never fall.
"""

from dataclasses import dataclass
from typing import Literal, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

from remanence.core.clock import DAY, HOUR, MINUTE

Floats: TypeAlias = npt.NDArray[np.float64]
Ints: TypeAlias = npt.NDArray[np.int64]

ClockName: TypeAlias = Literal["wall", "active", "turns"]
CLOCKS: tuple[ClockName, ...] = ("wall", "active", "turns")
TURN = HOUR  # a turn counts as an hour, so that rates per hour become rates per turn
PACE_WINDOW = 30 * DAY  # the present pace is that of the last thirty days,
PACE_LEAST = DAY  # or of a younger scope's whole life, but never of less than a day


@dataclass(frozen=True, eq=False, slots=True)
class Timescale:
    """What a clock reads at any wall time: a rising polyline, flat before it, at its `pace` after it.

    `times` and `readings` ascend together and end at the present; `pace` is the reading gained per wall
    microsecond, on average over the last thirty days.
    """

    times: Floats
    readings: Floats
    pace: float

    def at(self, times: npt.ArrayLike) -> Floats:
        """Return the readings at wall times; an unknown time has an unknown reading."""
        instants = np.asarray(times, np.float64)
        beyond = np.maximum(instants - self.times[-1], 0.0)
        read: Floats = np.interp(instants, self.times, self.readings) + self.pace * beyond
        return read

    def find_wall_time(self, reading: float) -> float | None:
        """Return the wall time at which the clock will read this, at its present pace; None if it never will."""
        return float(self.times[-1] + (reading - self.reading) / self.pace) if self.pace > 0 else None

    @property
    def reading(self) -> float:
        """What the clock reads now."""
        return float(self.readings[-1])


class ClockRecords(Protocol):
    """What clocks are read from; None where it was not asked for."""

    @property
    def spans(self) -> Ints | None:
        """What sessions covered, as (began, ended): disjoint, ascending."""
        ...

    @property
    def heard(self) -> Ints | None:
        """Turns heard, as (minute, turns), ascending."""
        ...


def scales(recorded: ClockRecords, now: int) -> dict[ClockName, Timescale]:
    """Return the clocks that were recorded, read at an instant; the wall's needs no map."""
    clocks: dict[ClockName, Timescale] = {}
    if recorded.spans is not None:
        clocks["active"] = build_active_timescale(recorded.spans, now)
    if recorded.heard is not None:
        clocks["turns"] = turns(recorded.heard, now)
    return clocks


def build_active_timescale(spans: Ints, now: int) -> Timescale:
    """Read cumulative active time from the disjoint, ascending intervals [began, ended] that sessions covered."""
    lengths = spans[:, 1] - spans[:, 0]
    ends = np.cumsum(lengths)
    total = np.clip(now - spans[:, 0], 0, lengths).sum()
    return _scale(spans.ravel(), np.column_stack([ends - lengths, ends]).ravel(), now, float(total))


def turns(heard: Ints, now: int) -> Timescale:
    """Read the number of turns from counts per minute (minute, turns), evenly spread over each minute.

    A minute that is still running has been heard whole by now.
    """
    heard = heard[heard[:, 0] <= now]
    ends = np.cumsum(heard[:, 1]) * TURN
    began = ends - heard[:, 1] * TURN
    until = np.minimum(heard[:, 0] + MINUTE, now)
    points = np.column_stack([heard[:, 0], until]).ravel()
    return _scale(points, np.column_stack([began, ends]).ravel(), now, float(heard[:, 1].sum() * TURN))


def _scale(times: Ints, readings: Ints, now: int, total: float) -> Timescale:
    """Close a polyline at the present; what was recorded later than now has not been yet."""
    past = times < now
    instants = np.append(times[past].astype(np.float64), now)
    read = np.append(readings[past].astype(np.float64), total)
    since = max(now - PACE_WINDOW, instants[0])
    gain = total - float(np.interp(since, instants, read))
    return Timescale(instants, read, gain / max(now - since, PACE_LEAST))
