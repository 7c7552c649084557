"""Clocks as maps of the time axis: active hours and turns, read at any wall time."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from remanence.core.clock import HOUR, MINUTE
from remanence.core.timescale import TURN, Timescale, build_active_timescale, turns

DAY_ONE = 1_767_225_600 * 1_000_000  # a whole minute


def _spans(*hours: tuple[float, float]) -> np.ndarray:
    return np.array([[DAY_ONE + a * HOUR, DAY_ONE + b * HOUR] for a, b in hours], np.int64).reshape(-1, 2)


def test_active_time_stands_still_between_sessions() -> None:
    """Ten hours of work with 240 idle hours between are ten active hours (TC-D-004)."""
    scale = build_active_timescale(_spans((0, 5), (245, 250)), DAY_ONE + 250 * HOUR)

    assert 10 * HOUR == scale.reading
    assert [0, 5 * HOUR, 5 * HOUR, 7 * HOUR] == scale.at(
        [DAY_ONE - HOUR, DAY_ONE + 5 * HOUR, DAY_ONE + 100 * HOUR, DAY_ONE + 247 * HOUR]
    ).tolist()


def test_a_scope_without_sessions_has_no_active_time() -> None:
    """Without sessions the clock reads 0 at every time, so nothing has aged; unknown stays unknown."""
    scale = build_active_timescale(_spans(), DAY_ONE)

    assert [0, 0] == scale.at([0, DAY_ONE + 9 * HOUR]).tolist()
    assert np.isnan(scale.at([np.nan])[0])


def test_the_future_goes_on_at_the_present_pace() -> None:
    """Half of each day was worked, so ten days on the clock will read five days more."""
    now = DAY_ONE + 48 * HOUR
    scale = build_active_timescale(_spans((0, 12), (24, 36)), now)

    assert scale.reading + 120 * HOUR == scale.at(now + 240 * HOUR)


def test_turns_of_the_running_minute_count_whole() -> None:
    """What was heard this minute has been heard, also on a clock that stands still."""
    heard = np.array([[DAY_ONE, 3], [DAY_ONE + 5 * MINUTE, 2]], np.int64)

    assert 3 * TURN == turns(heard[:1], DAY_ONE).reading
    assert [0, 3 * TURN, 4 * TURN, 5 * TURN] == turns(heard, DAY_ONE + 5 * MINUTE + 30_000_000).at(
        [
            DAY_ONE - 1,
            DAY_ONE + 2 * MINUTE,
            DAY_ONE + 5 * MINUTE + 15_000_000,
            DAY_ONE + 5 * MINUTE + 30_000_000,
        ]
    ).tolist()


_LENGTHS = st.lists(st.tuples(st.integers(0, 10**9), st.integers(0, 10**9)), max_size=6)


@given(_LENGTHS, st.integers(0, 10**10), st.lists(st.integers(-(10**10), 10**11), min_size=2, max_size=8))
def test_a_clock_never_falls(lengths: list[tuple[int, int]], now: int, asked: list[int]) -> None:
    """A later wall time never has an earlier reading, past or future."""
    at, spans = 0, []
    for gap, length in lengths:
        spans.append([at + gap, at + gap + length])
        at += gap + length + 1
    scale: Timescale = build_active_timescale(np.array(spans, np.int64).reshape(-1, 2), now)
    readings = scale.at(sorted(asked))

    assert bool(np.all(np.diff(readings) >= 0))
    assert bool(np.all(readings >= 0))
