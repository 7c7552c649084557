"""The only reader of time. Times are integer microseconds since 1970 in UTC; nobody else asks what time it is."""

import time
from datetime import UTC, datetime, timedelta
from typing import Protocol

from remanence.errors import InvalidInput, shown
from remanence.signatures import checked_class

SECOND = 1_000_000
MINUTE = 60 * SECOND
HOUR = 60 * MINUTE
DAY = 24 * HOUR

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
# float64 holds every microsecond exactly until 2255, which keeps comparisons in the planner exact.
TIME_MAX = int(datetime(2255, 1, 1, tzinfo=UTC).timestamp()) * SECOND


class Clock(Protocol):
    """Something that says what time it is, in microseconds UTC."""

    def now(self) -> int:
        """Return the present time in microseconds since 1970, UTC."""
        ...


class SystemClock:
    """The machine's wall clock; within one process it never goes back."""

    def __init__(self) -> None:
        self._latest = 0

    def now(self) -> int:
        """Return the wall time, at least one microsecond after the last answer."""
        self._latest = max(self._latest + 1, time.time_ns() // 1_000)
        return self._latest


def lived() -> int:
    """Return microseconds that say nothing by themselves: between two of them the process has lived so long.

    While the machine sleeps they stand still, except on Windows, and setting its clock does not move them.
    """
    return time.monotonic_ns() // 1_000


@checked_class
class ManualClock:
    """A clock that moves only when told to, for tests, replays and simulations."""

    def __init__(self, start: datetime | int = datetime(2026, 1, 1, tzinfo=UTC)) -> None:
        self._now = to_micros(start)

    def now(self) -> int:
        """Return the time last set."""
        return self._now

    def advance(self, *, days: float = 0, hours: float = 0, minutes: float = 0, seconds: float = 0) -> None:
        """Move the clock; negative amounts move it back."""
        self._now += round(days * DAY + hours * HOUR + minutes * MINUTE + seconds * SECOND)

    def set(self, moment: datetime | int) -> None:
        """Put the clock to a moment."""
        self._now = to_micros(moment)


def to_micros(moment: datetime | int) -> int:
    """Turn an aware datetime (or microseconds) into microseconds UTC; a naive datetime is refused."""
    if isinstance(moment, datetime):
        if moment.tzinfo is None:
            raise InvalidInput(
                "a time without a time zone", recovery="pass an aware datetime, e.g. tzinfo=UTC"
            )
        moment = (moment - _EPOCH) // timedelta(microseconds=1)
    given: object = moment
    if isinstance(given, bool) or not isinstance(given, int):
        raise InvalidInput(
            f"a time cannot be {shown(given)}", recovery="pass an aware datetime, or microseconds UTC"
        )
    if not -TIME_MAX < moment < TIME_MAX:
        raise InvalidInput(
            f"time {shown(moment)} is out of range",
            recovery="use times between 1685 and 2255, in microseconds",
        )
    return moment


def to_datetime(micros: int) -> datetime:
    """Turn microseconds UTC into an aware datetime."""
    return _EPOCH + timedelta(microseconds=micros)
