"""Whether the present can be believed: what a machine's clocks say now, held against what they said before.

Knows readings of clocks and the time of the newest record; reads no clock and keeps nothing.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from remanence.core.clock import DAY, HOUR, ClockReading, to_datetime

JUMP_MAX = HOUR  # what the wall's clock may gain or lose against the one that runs since the machine booted
REST_MAX = 30 * DAY  # where nothing tells a rest from a jump, a longer one is doubted
SETTLED = DAY  # a time that came after such a rest is believed when it has gone on for so long

Cause = Literal["back", "jump", "gap"]


@dataclass(frozen=True, slots=True)
class Marks:
    """What is kept of the clocks of a scope.

    `believed` is the last reading that was in no doubt, `doubted` the first since then that was, and `cause` why.
    Records up to `accepted` were accepted, wherever the clock stands.
    """

    believed: ClockReading | None = None
    doubted: ClockReading | None = None
    cause: Cause | None = None
    accepted: int = 0

    @classmethod
    def read(cls, kept: Mapping[str, Any] | None) -> "Marks":
        """Read back what `values` wrote; nothing is kept of a scope that no clock was looked at for."""
        if kept is None:
            return cls()
        believed, doubted = (
            ClockReading(*kept[name]) if kept[name] else None for name in ("believed", "doubted")
        )
        return cls(believed, doubted, kept["cause"], kept["accepted"])

    def values(self) -> dict[str, Any]:
        """Return the same as plain values."""
        return {
            "believed": _encode_reading(self.believed),
            "doubted": _encode_reading(self.doubted),
            "cause": self.cause,
            "accepted": self.accepted,
        }


@dataclass(frozen=True, slots=True)
class Present:
    """What the clocks say now, and what is kept of what they said before."""

    reading: ClockReading
    marks: Marks = Marks()


@dataclass(frozen=True, slots=True)
class Doubt:
    """Why the present cannot be believed.

    Of a `gap` nobody can tell whether it was a rest; a clock that stands `back` or made a `jump` is wrong or was.
    """

    cause: Cause
    why: str


def doubt(present: Present, newest_at: int) -> Doubt | None:
    """Say why the present cannot be believed, with the newest record of the scope, or None."""
    reading, marks = present.reading, present.marks
    if reading.wall < newest_at and newest_at > marks.accepted:
        return Doubt("back", "the clock is set back: the newest record of this scope is of a later time")
    if marks.believed is None:
        return _gap(reading, newest_at) if newest_at else None
    if reading.wall < marks.believed.wall - JUMP_MAX:
        return Doubt("back", f"the clock is set back: it was at {_day(marks.believed.wall)} before")
    if marks.cause == "jump" and marks.doubted is not None and goes_on(marks.doubted, reading):
        return _describe_jump(marks.believed, marks.doubted)
    if not _same_boot(marks.believed, reading):
        return None if _is_gap_over(marks, reading) else _gap(reading, marks.believed.wall)
    return (
        _describe_jump(marks.believed, reading)
        if measure_clock_gain(marks.believed, reading) > JUMP_MAX
        else None
    )


def update_clock_marks(present: Present, newest_at: int) -> Marks:
    """Return what is to be kept after a look at the clocks."""
    reading, marks = present.reading, present.marks
    finding = doubt(present, newest_at)
    if finding is None:
        return Marks(believed=reading, accepted=marks.accepted)
    if finding.cause == "back":
        return marks
    if marks.doubted is not None and marks.cause == finding.cause and goes_on(marks.doubted, reading):
        return marks
    believed = marks.believed or ClockReading(newest_at)
    return Marks(believed, reading, finding.cause, marks.accepted)


def goes_on(since: ClockReading, reading: ClockReading) -> bool:
    """Tell whether a reading may be later on the same time as another."""
    if _same_boot(since, reading):
        return abs(measure_clock_gain(since, reading)) <= JUMP_MAX
    return 0 <= reading.wall - since.wall <= REST_MAX


def measure_clock_gain(since: ClockReading, reading: ClockReading) -> int:
    """Return what the wall's clock gained between two readings of one boot, against the clock that was not set."""
    return (reading.wall - since.wall) - (reading.running - since.running)


def is_ahead(at: int, now: int) -> bool:
    """Tell whether a run says of itself that it was later than now: the clock was wrong then."""
    return at > now + JUMP_MAX


def _same_boot(since: ClockReading, reading: ClockReading) -> bool:
    """Tell whether a clock ran through both readings; one that is not named, or went back, tells nothing."""
    return since.boot is not None and since.boot == reading.boot and since.running <= reading.running


def _is_gap_over(marks: Marks, reading: ClockReading) -> bool:
    """Tell whether the time after a gap has gone on for long enough."""
    since = marks.doubted
    return since is not None and goes_on(since, reading) and reading.wall - since.wall >= SETTLED


def _gap(reading: ClockReading, last: int) -> Doubt | None:
    gap = reading.wall - last
    if gap <= REST_MAX:
        return None
    why = (
        f"the last record is {gap // DAY:,} days old ({_day(last)}): nothing was written for that long,"
        " or the clock is set wrong"
    )
    return Doubt("gap", why)


def _describe_jump(since: ClockReading, reading: ClockReading) -> Doubt:
    hours = (
        measure_clock_gain(since, reading) / HOUR
        if _same_boot(since, reading)
        else (reading.wall - since.wall) / HOUR
    )
    long = f"{hours:,.1f} hours" if hours < 48 else f"{hours / 24:,.0f} days"
    return Doubt("jump", f"the clock jumped {long} ahead of {_day(since.wall)} while the machine ran")


def _encode_reading(reading: ClockReading | None) -> list[Any] | None:
    return None if reading is None else [reading.wall, reading.boot, reading.running]


def _day(micros: int) -> str:
    return f"{to_datetime(micros):%Y-%m-%d %H:%M} UTC"
