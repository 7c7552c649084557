"""When rules are due, which mode suits what goes on, what was missed and what backs off."""

import pytest

from remanence.core.clock import HOUR, MINUTE, SECOND
from remanence.curate.schedule import (
    CadenceIntervals,
    Load,
    Mode,
    ModeState,
    is_dirty,
    pick_slower,
    retry_at,
    with_quicker,
)

NOW = 1_000 * HOUR
JUDGED = dict.fromkeys(("rapid", "standard", "hourly", "deep"), NOW)


@pytest.mark.parametrize(
    ("after", "due"),
    [
        (0, None),
        (5 * MINUTE - 1, None),
        (5 * MINUTE, "rapid"),
        (15 * MINUTE - 1, "rapid"),
        (15 * MINUTE, "standard"),
        (HOUR, "hourly"),
        (6 * HOUR - 1, "hourly"),
        (6 * HOUR, "deep"),
        (-1, "deep"),
    ],
)
def test_the_slowest_cadence_whose_time_has_passed_is_due(after: int, due: str | None) -> None:
    """5, 15, 60 and 360 minutes after it was judged; what was judged later than now, all at once."""
    assert due == CadenceIntervals().due(JUDGED, NOW + after)


def test_what_was_never_judged_is_due() -> None:
    """A scope that no tick came to is due as a whole."""
    assert "deep" == CadenceIntervals().due({}, NOW)
    assert "standard" == CadenceIntervals().due(
        {name: at for name, at in JUDGED.items() if name != "standard"}, NOW
    )


def test_a_cadence_brings_the_quicker_ones() -> None:
    """Of two the slower one is judged, and with it all that are quicker."""
    assert ("rapid", "standard", "hourly") == with_quicker("hourly")
    assert ("hourly", "rapid", None) == (
        pick_slower("hourly", "rapid"),
        pick_slower(None, "rapid"),
        pick_slower(None, None),
    )


@pytest.mark.parametrize(("mode", "minutes"), [("idle", 2.5), ("background", 5), ("minimal", 15)])
def test_a_mode_stretches_all_cadences(mode: Mode, minutes: float) -> None:
    """2.5, 5 and 15 minutes for rapid rules, and the others likewise."""
    pace = CadenceIntervals().scale_to_mode(mode)

    assert minutes * MINUTE == pace.intervals["rapid"]
    assert 72 * minutes * MINUTE == pace.intervals["deep"]


def test_what_was_due_and_did_not_take_place_is_missed() -> None:
    """Whole intervals since the instant at which it was due."""
    expected = NOW + 5 * MINUTE

    assert [0, 0, 1, 3] == [
        CadenceIntervals().count_missed_runs("rapid", expected, NOW + m * MINUTE) for m in (1, 9, 10, 20)
    ]


@pytest.mark.parametrize(
    ("load", "mode"),
    [
        (Load(agents=1), "background"),
        (Load(agents=3), "background"),
        (Load(agents=4), "minimal"),
        (Load(working=True), "background"),
        (Load(urgent=True), "minimal"),
        (Load(memory=0.7), "idle"),
        (Load(memory=0.71), "minimal"),
        (Load(overran=True), "minimal"),
        (Load(), "idle"),
    ],
    ids=str,
)
def test_a_mode_is_taken_when_it_is_asked_for_twice(load: Load, mode: Mode) -> None:
    """One look does not switch, the second does."""
    started: Mode = "background" if mode != "background" else "idle"
    moded = ModeState(started, NOW - HOUR, started, 5, NOW - HOUR)
    once = moded.after(load, NOW)

    assert started == once.mode
    assert mode == once.after(load, NOW + MINUTE).mode


def test_a_mode_lasts_five_minutes() -> None:
    """However often another one is asked for before."""
    busy = Load(agents=4)
    moded = ModeState("idle", NOW, "idle", 1, NOW - HOUR)
    for minute in range(1, 5):
        moded = moded.after(busy, NOW + minute * MINUTE)

        assert "idle" == moded.mode
    assert "minimal" == moded.after(busy, NOW + 5 * MINUTE).mode


def test_it_is_idle_after_ten_minutes_without_work() -> None:
    """No agent and no task in progress for so long; a scope that is seen first was just at work."""
    moded = ModeState().after(Load(), NOW).after(Load(agents=1), NOW + MINUTE)
    modes = [(moded := moded.after(Load(), NOW + m * MINUTE)).mode for m in (2, 10, 11, 12)]

    assert ["background", "background", "background", "idle"] == modes


def test_a_clock_set_back_leaves_no_mode_for_ever() -> None:
    """The mode counts from now then."""
    moded = ModeState("idle", NOW, "idle", 1, NOW).after(Load(agents=4), NOW - HOUR)

    assert "minimal" == moded.after(Load(agents=4), NOW - HOUR + 5 * MINUTE).mode


@pytest.mark.parametrize(
    ("changes", "memories", "dirty"), [(50, 0, False), (51, 0, True), (250, 1_000, False), (251, 1_000, True)]
)
def test_fifty_changes_and_a_fifth_of_the_scope_make_it_dirty(
    changes: int, memories: int, dirty: bool
) -> None:
    """More than both together."""
    assert dirty == is_dirty(changes, memories)


def test_what_fails_is_tried_again_later_each_time() -> None:
    """Twice as long after each failure, at most as long as the slowest cadence."""
    waits = [retry_at(NOW, failures, CadenceIntervals()) - NOW for failures in (0, 1, 2, 100)]

    assert [5 * MINUTE, 10 * MINUTE, 20 * MINUTE, 6 * HOUR] == waits
    assert (
        1 * SECOND
        == retry_at(NOW, 0, CadenceIntervals({**CadenceIntervals().intervals, "rapid": SECOND})) - NOW
    )
