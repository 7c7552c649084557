"""When the present is believed: readings of clocks held against those before."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remanence.core.clock import DAY, HOUR, MINUTE, ClockReading, ManualClock, SystemClock, read
from remanence.core.timekeeping import REST_MAX, SETTLED, Marks, Present, doubt, goes_on, update_clock_marks

T0 = 1_767_225_600_000_000
THEN = ClockReading(T0, "a", 5 * HOUR)
BELIEVED = Marks(believed=THEN)
YEAR = 365 * DAY


def _cause(reading: ClockReading, marks: Marks = BELIEVED, newest_at: int = T0) -> str | None:
    found = doubt(Present(reading, marks), newest_at)
    return None if found is None else found.cause


@pytest.mark.parametrize(
    ("reading", "cause"),
    [
        (ClockReading(T0 + HOUR, "a", 6 * HOUR), None),
        (ClockReading(T0 + YEAR, "a", 5 * HOUR + YEAR), None),  # it ran all the time
        (ClockReading(T0 + HOUR, "a", 5 * HOUR), None),  # ahead by no more than may be
        (ClockReading(T0 + HOUR + 1, "a", 5 * HOUR), "jump"),
        (ClockReading(T0 + YEAR, "a", 5 * HOUR), "jump"),
        (ClockReading(T0 + REST_MAX, "b", 0), None),
        (ClockReading(T0 + REST_MAX + 1, "b", 0), "gap"),
        (ClockReading(T0 + REST_MAX + 1), "gap"),
        (ClockReading(T0 + YEAR, "a", 0), "gap"),  # a machine put back to an earlier state
        (ClockReading(T0 - 1, "a", 6 * HOUR), "back"),
    ],
)
def test_a_reading_is_held_against_the_last_that_was_believed(
    reading: ClockReading, cause: str | None
) -> None:
    """What ran since the boot tells a rest from a jump; where it cannot, a rest of thirty days is believed."""
    assert cause == _cause(reading)


def test_a_clock_that_was_accepted_is_not_back() -> None:
    """Records up to what was accepted hold nothing; one that claims to be of later still, and a clock set back, do."""
    marks = Marks(believed=THEN, accepted=T0 + YEAR)
    reading = ClockReading(T0 + HOUR, "a", 6 * HOUR)

    assert None is _cause(reading, marks, newest_at=T0 + YEAR)
    assert "back" == _cause(reading, marks, newest_at=T0 + YEAR + 1)
    assert "back" == _cause(ClockReading(T0 - 2 * HOUR, "a", 6 * HOUR), marks, newest_at=T0 + YEAR)


def test_without_marks_the_newest_record_tells() -> None:
    """A file that no clock was looked at for has its records; an empty one has nothing to be wrong about."""
    assert None is _cause(ClockReading(T0 + REST_MAX, "a", 0), Marks())
    assert "gap" == _cause(ClockReading(T0 + REST_MAX + 1, "a", 0), Marks())
    assert None is _cause(ClockReading(T0, "a", 0), Marks(), newest_at=0)


def test_a_time_after_a_gap_is_believed_when_it_has_lasted() -> None:
    """A day after its first reading a time that came after a gap is in no doubt any more."""
    late = ClockReading(T0 + YEAR, "b", 0)
    marks = update_clock_marks(Present(late, BELIEVED), T0)

    assert ("gap", late, THEN) == (marks.cause, marks.doubted, marks.believed)
    assert "gap" == _cause(ClockReading(late.wall + SETTLED - 1, "b", SETTLED - 1), marks)
    assert None is _cause(ClockReading(late.wall + SETTLED, "b", SETTLED), marks)
    assert None is _cause(ClockReading(late.wall + SETTLED, "c", 7), marks)
    assert "gap" == _cause(ClockReading(late.wall + SETTLED, "b", 0), marks)  # it jumped again


def test_a_jump_stays_one_after_the_next_boot() -> None:
    """Its day does not make it true; only the clock set right, or a hand, ends it."""
    late = ClockReading(T0 + 3 * HOUR, "a", 5 * HOUR)
    marks = update_clock_marks(Present(late, BELIEVED), T0)

    assert "jump" == _cause(ClockReading(late.wall + 9 * DAY, "a", 5 * HOUR + 9 * DAY), marks)
    assert "jump" == _cause(ClockReading(late.wall + 9 * DAY, "b", 0), marks)
    assert None is _cause(ClockReading(T0 + HOUR, "a", 6 * HOUR), marks)
    assert None is _cause(ClockReading(T0 + 9 * HOUR, "a", 14 * HOUR), marks)


readings = st.builds(
    ClockReading,
    st.integers(T0 - YEAR, T0 + 2 * YEAR),
    st.sampled_from([None, "a", "b"]),
    st.integers(0, 2 * YEAR),
)


@given(st.lists(readings, min_size=1, max_size=6), st.integers(0, T0 + YEAR))
def test_a_look_never_makes_a_doubt_go_away(seen: list[ClockReading], newest_at: int) -> None:
    """However often one looks, a reading in doubt is in the same doubt right after the look, and marks read back."""
    marks = Marks()
    for reading in seen:
        before = _cause(reading, marks, newest_at)
        marks = update_clock_marks(Present(reading, marks), newest_at)

        assert before == _cause(reading, marks, newest_at)
        assert marks == Marks.read(marks.values())


@given(readings, st.integers(0, 3 * YEAR), st.integers(0, 3 * YEAR))
def test_a_clock_that_runs_goes_on(reading: ClockReading, passed: int, further: int) -> None:
    """Time that passes on a machine that runs is never a jump, in one step or in two."""
    later = ClockReading(reading.wall + passed, reading.boot, reading.running + passed)
    marks = update_clock_marks(Present(reading, Marks()), 0)
    after = update_clock_marks(Present(later, marks), reading.wall)
    last = ClockReading(later.wall + further, later.boot, later.running + further)

    assert reading.boot is None or goes_on(reading, later)
    assert "jump" != _cause(later, marks, reading.wall)
    assert "jump" != _cause(last, after, reading.wall)


def test_the_system_clock_follows_a_clock_that_is_set_back(monkeypatch: pytest.MonkeyPatch) -> None:
    """After a jump ahead is mended nothing is written as of later; corrections below a minute never go back."""
    real, ahead = time.time_ns, 0
    monkeypatch.setattr(time, "time_ns", lambda: real() + ahead * 1_000)
    clock = SystemClock()
    first = clock.now()
    ahead = YEAR

    assert first + YEAR <= (jumped := clock.now())

    ahead = YEAR - MINUTE // 2

    assert jumped < clock.now() < jumped + MINUTE

    ahead = 0

    assert first < (mended := clock.now()) < first + YEAR
    assert mended < clock.now()


def test_the_system_clock_knows_what_runs_since_the_boot() -> None:
    """Two readings of one machine are of one boot, and what passed between them is what ran."""
    clock = SystemClock()
    first, second = read(clock), read(clock)

    assert first.boot == second.boot
    assert 0 <= second.running - first.running
    assert goes_on(first, second) or first.boot is None


def test_a_manual_clock_tells_time_that_passes_from_a_clock_that_is_set() -> None:
    """Time that passes runs on both clocks, a jump on one, and a new boot begins at nothing."""
    clock = ManualClock(T0, boot="a")
    clock.advance(hours=2)
    clock.jump(days=1)
    clock.set(T0 + 2 * DAY)

    assert ClockReading(T0 + 2 * DAY, "a", DAY) == read(clock)

    clock.advance(hours=-1)
    clock.reboot("b")

    assert ClockReading(T0 + 2 * DAY - HOUR, "b", 0) == read(clock)
    assert ClockReading(T0) == read(ManualClock(T0))
