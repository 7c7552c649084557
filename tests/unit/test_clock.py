"""Times, and the clocks that tell them."""

import sys
import time
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest

from remanence.core.clock import (
    DAY,
    HOUR,
    MINUTE,
    SECOND,
    TIME_MAX,
    ClockReading,
    ManualClock,
    SystemClock,
    read,
    read_monotonic_micros,
    to_datetime,
    to_micros,
)
from remanence.core.errors import InvalidInput

NOW = 1_790_000_000_000_000


def test_units_are_counted_in_microseconds() -> None:
    """A day has 24 hours of 60 minutes of 60 seconds."""
    assert (1_000_000, 60_000_000, 3_600_000_000, 86_400_000_000) == (SECOND, MINUTE, HOUR, DAY)
    assert datetime(2255, 1, 1, tzinfo=UTC) == to_datetime(TIME_MAX)
    assert 1_000_000 == to_micros(datetime(1970, 1, 1, 0, 0, 1, tzinfo=UTC))


def _machine(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Let a machine's wall clock say what the one number in this list says, in nanoseconds."""
    wall = [NOW * 1_000]
    monkeypatch.setattr(time, "time_ns", lambda: wall[0])
    return wall


def test_no_two_moments_of_a_process_are_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """While the wall stands still each answer is one microsecond after the last, and no further."""
    wall = _machine(monkeypatch)
    clock = SystemClock()

    assert [NOW, NOW + 1, NOW + 2] == [clock.now() for _ in range(3)]

    wall[0] += 9_999

    assert NOW + 9 == clock.now()


def test_a_clock_is_set_back_by_more_than_a_minute(monkeypatch: pytest.MonkeyPatch) -> None:
    """Up to a minute it is corrected, and goes on from its last answer."""
    wall = _machine(monkeypatch)
    clock = SystemClock()
    clock.now()
    wall[0] -= MINUTE * 1_000

    assert NOW + 1 == clock.now()

    wall[0] -= 2_000

    assert NOW - MINUTE - 2 == clock.now()


@pytest.mark.skipif(sys.platform != "linux", reason="another clock runs through sleep elsewhere")
def test_a_boot_has_a_name_and_runs_in_microseconds() -> None:
    """The kernel names it, and its clock is the one that runs while the machine sleeps."""
    name, running = SystemClock().since_boot() or ("", 0)

    assert Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip() == name
    assert 0 <= time.clock_gettime(time.CLOCK_BOOTTIME) - running / SECOND < 600


def test_what_a_process_lived_is_in_microseconds() -> None:
    """It says nothing by itself, and never goes back."""
    before, known = read_monotonic_micros(), time.monotonic()
    after = read_monotonic_micros()

    assert 0 <= after - before
    assert 0 <= known - before / SECOND < 600


def test_time_passes_by_its_units() -> None:
    """All at once, also back; what passed is counted, and what went back is not."""
    clock = ManualClock(NOW, boot="a")
    clock.advance(days=1, hours=2, minutes=3, seconds=4)

    assert NOW + 93_784 * SECOND == clock.now()
    assert ("a", 93_784 * SECOND) == clock.since_boot()

    clock.jump(days=1, hours=-1)

    assert NOW + 93_784 * SECOND + 23 * HOUR == clock.now()

    clock.set(NOW)

    assert ClockReading(NOW, "a", 93_784 * SECOND) == read(clock)


def test_a_clock_moves_less_than_all_the_time_there_is() -> None:
    """The first amount that no clock can pass is refused, in both directions."""
    clock = ManualClock(0)
    for days in (TIME_MAX // DAY, -(TIME_MAX // DAY)):
        with pytest.raises(InvalidInput, match="move that far"):
            clock.jump(days=days)
    clock.jump(days=TIME_MAX // DAY - 1)

    assert TIME_MAX - DAY == clock.now()


@pytest.mark.parametrize("moment", [TIME_MAX, -TIME_MAX, True, 1.0, "2026"])
def test_what_is_no_time_is_refused(moment: object) -> None:
    """True is no number, and what float64 cannot hold is out of range."""
    with pytest.raises(InvalidInput, match="time"):
        to_micros(moment)  # type: ignore[arg-type]


@pytest.mark.parametrize("moment", [TIME_MAX - 1, -TIME_MAX + 1, 0])
def test_a_time_is_itself(moment: int) -> None:
    """Microseconds come and go as they are."""
    assert moment == to_micros(moment) == to_micros(to_datetime(moment))


def test_a_time_of_another_zone_is_the_same_time() -> None:
    """One without a zone is none."""
    east = timezone(timedelta(hours=2))

    assert 0 == to_micros(datetime(1970, 1, 1, 2, tzinfo=east))
    with pytest.raises(InvalidInput, match="time zone"):
        to_micros(datetime(1970, 1, 1))  # noqa: DTZ001
