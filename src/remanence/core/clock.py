"""The only reader of time. Times are integer microseconds since 1970 in UTC; nobody else asks what time it is."""

import os
import sys
import time
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone
from functools import cache
from pathlib import Path
from typing import Protocol, cast

from remanence.core.errors import InvalidInput, format_value
from remanence.core.signatures import checked_class

SECOND = 1_000_000
MINUTE = 60 * SECOND
HOUR = 60 * MINUTE
DAY = 24 * HOUR
_UNITS = (("years", 365.25 * DAY), ("days", DAY), ("hours", HOUR), ("minutes", MINUTE), ("seconds", SECOND))

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
# float64 holds every microsecond exactly until 2255, which keeps comparisons in the planner exact.
TIME_MAX = int(datetime(2255, 1, 1, tzinfo=UTC).timestamp()) * SECOND


class Clock(Protocol):
    """Source of the time for an engine, in microseconds UTC."""

    def now(self) -> int:
        """Return the present time in microseconds since 1970, UTC."""
        ...


class BootClock(Protocol):
    """A clock that knows of another one, which runs since the machine booted and which nobody sets."""

    def since_boot(self) -> tuple[str, int] | None:
        """Return a name of this boot, and microseconds that ran since then, also while the machine slept."""
        ...


@dataclass(frozen=True, slots=True)
class ClockReading:
    """What the clocks of a machine say at one moment: the wall's, and the one that ran since a boot.

    `boot` is None where there is no such clock: then nothing can tell what passed from what was set.
    """

    wall: int
    boot: str | None = None
    running: int = 0


def read(clock: Clock) -> ClockReading:
    """Read all clocks that a clock knows of."""
    # Before each write: asking a protocol whether this is one takes twenty times as long.
    since = cast("BootClock", clock).since_boot() if hasattr(clock, "since_boot") else None
    wall = clock.now()
    return ClockReading(wall) if since is None else ClockReading(wall, *since)


# The wall's clock is corrected by fractions of a second all the time; more is somebody setting it.
SET_BACK_MIN = MINUTE


class SystemClock:
    """The machine's wall clock; within one process its time falls only if somebody set it back by over a minute."""

    def __init__(self) -> None:
        self._latest = 0

    def now(self) -> int:
        """Return the wall time, at least one microsecond after the last answer unless it was set back meanwhile."""
        wall = time.time_ns() // 1_000
        is_set_back = wall < self._latest - SET_BACK_MIN
        self._latest = wall if is_set_back else max(self._latest + 1, wall)
        return self._latest

    def since_boot(self) -> tuple[str, int] | None:
        """Return a name of this boot, and how long it has run; None where no clock counts sleep too."""
        running = _read_running_clock()
        return None if running is None else (_boot(), running)


def _read_running_clock() -> int | None:
    """Read the clock that nobody sets and that runs on while the machine sleeps."""
    if sys.platform == "linux":
        return time.clock_gettime_ns(time.CLOCK_BOOTTIME) // 1_000
    if (
        sys.platform == "darwin"
    ):  # there the monotonic clock of Python stands still in sleep, and this one does not
        return time.clock_gettime_ns(time.CLOCK_MONOTONIC) // 1_000
    return time.monotonic_ns() // 1_000 if sys.platform == "win32" else None


@cache
def _boot() -> str:
    """Name this boot; where the system gives it no name, each process has one of its own."""
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
    except OSError:
        return f"process {os.urandom(8).hex()}"


def read_monotonic_micros() -> int:
    """Return microseconds that say nothing by themselves: between two of them the process has lived so long.

    While the machine sleeps they stand still, except on Windows, and setting its clock does not move them.
    """
    return time.monotonic_ns() // 1_000


@checked_class
class ManualClock:
    """A clock that moves only when told to, for tests, replays and simulations.

    `boot` is the name of a boot of a machine. With it an engine can tell whether time passed or the clock was set, as
    with the clocks of a machine.
    """

    def __init__(
        self, start: datetime | int = datetime(2026, 1, 1, tzinfo=UTC), *, boot: str | None = None
    ) -> None:
        self._now = to_micros(start)
        self._boot = boot
        self._running = 0

    def now(self) -> int:
        """Return the time last set."""
        return self._now

    def advance(self, *, days: float = 0, hours: float = 0, minutes: float = 0, seconds: float = 0) -> None:
        """Let time pass; negative amounts move the clock back."""
        self._pass(_micros(days * DAY + hours * HOUR + minutes * MINUTE + seconds * SECOND))

    def set(self, moment: datetime | int) -> None:
        """Let time pass until a moment, or go back to it."""
        self._pass(to_micros(moment) - self._now)

    def jump(self, *, days: float = 0, hours: float = 0) -> None:
        """Set the wall's clock ahead, or back, while no time passes."""
        self._now += _micros(days * DAY + hours * HOUR)

    def reboot(self, boot: str) -> None:
        """Begin another boot: of the time until its first reading nobody can tell whether it passed."""
        self._boot, self._running = boot, 0

    def since_boot(self) -> tuple[str, int] | None:
        """Return the name of the boot, and how much time has passed in it; None without one."""
        return None if self._boot is None else (self._boot, self._running)

    def _pass(self, micros: int) -> None:
        self._now += micros
        self._running += max(0, micros)


def _micros(span: float) -> int:
    """Round a span of time, or raise InvalidInput for one that no clock can pass."""
    if not abs(span) < TIME_MAX:
        raise InvalidInput("a clock cannot move that far", recovery="pass finite amounts of time")
    return round(span)


def to_micros(moment: datetime | int) -> int:
    """Turn an aware datetime (or microseconds) into microseconds UTC; a naive datetime is refused."""
    if isinstance(moment, datetime):
        if moment.utcoffset() is None:
            raise InvalidInput(
                "the time has no time zone", recovery="pass an aware datetime, e.g. tzinfo=UTC"
            )
        moment = (moment - _EPOCH) // timedelta(microseconds=1)
    value: object = moment
    if isinstance(value, bool) or not isinstance(value, int):
        raise InvalidInput(
            f"a time cannot be {format_value(value)}", recovery="pass an aware datetime, or microseconds UTC"
        )
    if not -TIME_MAX < moment < TIME_MAX:
        raise InvalidInput(
            f"time {format_value(moment)} is out of range",
            recovery="use times between 1685 and 2255, in microseconds",
        )
    return moment


def to_datetime(micros: int, offset: int = 0) -> datetime:
    """Turn microseconds UTC into an aware datetime: in UTC, or with an offset in seconds east of it."""
    moment = _EPOCH + timedelta(microseconds=micros)
    return moment.astimezone(timezone(timedelta(seconds=offset))) if offset else moment


def format_duration(micros: float) -> str:
    """Write a duration as people do: in whole ones of the largest unit of which it is two or more."""
    for name, unit in _UNITS:
        if micros >= 2 * unit:
            return f"{round(micros / unit):,} {name}"
    return "moments"


def to_span(
    span: tuple[datetime | int, datetime | int] | None, name: str = "between"
) -> tuple[int, int] | None:
    """Turn two times into microseconds UTC; what ends before it begins is refused. `name` is the argument's."""
    if span is None:
        return None
    first, last = to_micros(span[0]), to_micros(span[1])
    check_span(first, last, name)
    return first, last


def check_span(first: int, last: int, name: str) -> None:
    """Refuse a span of time that ends before it begins; `name` is the argument's."""
    if first > last:
        raise InvalidInput("the time span ends before it begins", recovery=f"pass {name}=(earlier, later)")
