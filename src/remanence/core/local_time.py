"""Times where something was said: an instant in UTC, with how far the clocks there stood east of UTC.

A local time is counted in microseconds as if the clock there showed UTC, so the day it falls on is the day there.
Knows instants and offsets; must not know memories, nor which zones there are.
"""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta, tzinfo
from typing import Any, NamedTuple

from remanence.core.clock import DAY, SECOND, TIME_MAX, check_span, to_datetime, to_micros
from remanence.core.errors import InvalidInput
from remanence.core.results import date_of

OFFSET_MAX = 86_399  # seconds from UTC that clocks can stand: less than a day
_SECOND = timedelta(seconds=1)
_UTC = "UTC"  # what every zone of UTC is called; Z and +00:00 are read as it, London in winter is called GMT
_EVER = TIME_MAX + DAY  # beyond each local time, also in the microseconds of one


class SaidTime(NamedTuple):
    """When something was said: the instant, and the offset there in seconds east of UTC, 0 where nobody knows it."""

    at: int
    offset: int


def place_time(moment: datetime | int, zone: tzinfo | None) -> SaidTime:
    """Return when something was said, with the offset that its time has, else the one that a zone had then.

    UTC, however it is written, names an instant and no place. A time without any zone is one of the clocks in the
    `zone`: where these skipped it, it keeps the offset before, and where they showed it twice, the first of both is
    meant. Without a zone such a time is refused.
    """
    own = None
    if isinstance(moment, datetime):
        if zone is not None and moment.utcoffset() is None:
            moment = moment.replace(tzinfo=zone)
        own = moment.utcoffset()
        own = None if moment.tzname() == _UTC else own
    at = to_micros(moment)
    own = to_datetime(at).astimezone(zone).utcoffset() if own is None and zone is not None else own
    own = timedelta() if own is None else own
    if own % _SECOND:
        raise InvalidInput(
            f"the offset {own} of a time is not in whole seconds", recovery="write it like 09:30-04:00"
        )
    return SaidTime(at, own // _SECOND)


def to_local(at: Any, offset: Any) -> Any:
    """Return local times of instants and offsets, each a number or an array of them."""
    return at + offset * SECOND


LOCAL = ("said_at", "said_offset")  # the columns that tell a local time
SAID = (
    "said_at",
    "said_again_at",
    "said_offset",
)  # the columns that tell when something was said first and last


def read_said_local(columns: Mapping[str, Any]) -> Any:
    """Return the local times that columns tell: of arrays an array."""
    return to_local(*(columns[name] for name in LOCAL))


class SaidSpan(NamedTuple):
    """From when to when something was said, both included, by instants and by the clocks where it was said."""

    first: int = -_EVER
    last: int = _EVER
    local_first: int = -_EVER
    local_last: int = _EVER

    @property
    def is_local(self) -> bool:
        """Whether a bound is a time of the clocks where something was said."""
        return self[2:] != (-_EVER, _EVER)

    def holds(self, at: Any, local: Any) -> Any:
        """Tell whether a time lies in it, given as an instant and as the local time; of arrays, which of the times."""
        return (
            (at >= self.first) & (at <= self.last) & (local >= self.local_first) & (local <= self.local_last)
        )

    def holds_either(self, at: Any, again: Any, offset: Any) -> Any:
        """Tell whether the first or the last time that something was said lies in it; of arrays, of which."""
        return self.holds(at, to_local(at, offset)) | self.holds(again, to_local(again, offset))


def is_wall_time(moment: datetime | int) -> bool:
    """Tell whether a time has no zone: it is one of the clocks where something was said."""
    return isinstance(moment, datetime) and moment.utcoffset() is None


def to_said_span(
    span: tuple[datetime | int, datetime | int] | None, name: str = "between"
) -> SaidSpan | None:
    """Read a span of time: a bound without a zone is a time of the clocks where something was said, others instants.

    What ends before it begins is refused. `name` is the argument's.
    """
    if span is None:
        return None
    (first, starts_local), (last, ends_local) = map(_read_bound, span)
    slack = DAY if starts_local != ends_local else 0  # no two clocks are farther apart
    check_span(first, last + slack, name)
    bounds = SaidSpan()
    bounds = bounds._replace(local_first=first) if starts_local else bounds._replace(first=first)
    return bounds._replace(local_last=last) if ends_local else bounds._replace(last=last)


def _read_bound(moment: datetime | int) -> tuple[int, bool]:
    is_local = is_wall_time(moment)
    return to_micros(
        moment.replace(tzinfo=UTC) if isinstance(moment, datetime) and is_local else moment
    ), is_local


class SaidTimes:
    """What the columns of a memory tell of when it was said: first and, where it was said again, last."""

    __slots__ = ()
    said_at: int
    said_again_at: int | None
    said_offset: int

    @property
    def said_local(self) -> int:
        """When it was said by the clocks there, in microseconds as if these showed UTC."""
        return int(to_local(self.said_at, self.said_offset))

    @property
    def said_day(self) -> str:
        """The day there on which it was said, such as `2026-01-31`."""
        return date_of(self.said_local)

    @property
    def last_said_at(self) -> int:
        """When it was said last, in microseconds: an exact repeat is a newer word of the same text."""
        return self.said_at if self.said_again_at is None else self.said_again_at

    @property
    def last_said_day(self) -> str:
        """The day there on which it was said last."""
        return date_of(to_local(self.last_said_at, self.said_offset))

    @property
    def said_again(self) -> str:
        """Say on which day it was said last, "" where that is the day that it was said first."""
        if self.said_again_at is None:
            return ""
        return "" if self.last_said_day == self.said_day else f"said again {self.last_said_day}"

    def is_said_within(self, span: SaidSpan) -> bool:
        """Tell whether it was said, or said again last, within a span."""
        return bool(span.holds_either(self.said_at, self.last_said_at, self.said_offset))
