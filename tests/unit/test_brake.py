"""How much a plan may destroy, to the memory."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from remanence.core.clock import DAY, HOUR, ClockReading
from remanence.core.snapshot import Snapshot
from remanence.core.timekeeping import Marks, Present
from remanence.curate.language.view import View
from remanence.curate.planner.brake import allowance, check_brake, due_since, find_hold, longest_due, notes
from remanence.curate.planner.diff import PlanDecision
from remanence.curate.policy.compiled import load
from tests.unit.scopes import NOW, row, snapshot


def _scope(memories: int, **more: Any) -> Snapshot:
    return snapshot([row() for _ in range(memories)], **more)


@pytest.mark.parametrize(
    ("memories", "destroyed_today", "left"),
    [(0, 0, 10), (200, 0, 10), (219, 0, 10), (220, 0, 11), (220, 4, 7), (220, 11, 0), (220, 50, 0)],
)
def test_an_automatic_run_may_destroy_ten_a_day_or_a_twentieth(
    memories: int, destroyed_today: int, left: int
) -> None:
    """Whichever is more, less what was destroyed in the day before, and never less than nothing."""
    assert left == allowance(_scope(memories, destroyed_today=destroyed_today))


@pytest.mark.parametrize(("destroyed", "memories"), [(0, 0), (10, 0), (10, 8), (10, 40), (25, 100)])
def test_ten_or_a_quarter_are_let_through(destroyed: int, memories: int) -> None:
    """Ten memories, or a quarter of the scope, need no yes."""
    assert check_brake(_scope(memories), NOW, destroyed) is None


@pytest.mark.parametrize(
    ("destroyed", "memories", "most"), [(11, 0, "10"), (11, 40, "10"), (12, 44, "25%"), (26, 100, "25%")]
)
def test_more_than_ten_and_a_quarter_are_held(destroyed: int, memories: int, most: str) -> None:
    """To a share somebody can say yes; the words say how much of how many."""
    hold = check_brake(_scope(memories), NOW, destroyed)

    assert hold is not None
    assert not hold.clock
    assert f"it would destroy {destroyed} of {memories} memories, more than {most}" == hold.why


def _looked(wall: int, believed: ClockReading) -> dict[str, Any]:
    return {"present": Present(ClockReading(wall), Marks(believed=believed)), "newest_at": NOW}


def test_a_clock_before_the_newest_record_holds_whatever_is_destroyed() -> None:
    """Nobody says yes to a clock in doubt; the words say how it is accepted."""
    scope = _scope(8, newest_at=NOW + 1)
    hold = check_brake(scope, NOW, 0)

    assert hold is not None
    assert hold.clock
    assert "newest record" in hold.why
    assert "review settle clock accept" in hold.why
    assert () == notes(scope, NOW)
    assert check_brake(_scope(8, newest_at=NOW), NOW, 0) is None


def test_a_long_gap_holds_only_what_runs_by_itself() -> None:
    """A plan by hand goes on, with a note; an automatic one waits, and its reason is no note."""
    scope = _scope(8, **_looked(NOW + 31 * DAY, ClockReading(NOW)))
    by_hand, by_itself = (check_brake(scope, NOW, 0, automatic=automatic) for automatic in (False, True))

    assert by_hand is None
    assert by_itself is not None
    assert by_itself.clock
    assert "goes on after a day" in by_itself.why
    assert 1 == len(notes(scope, NOW))
    assert () == notes(scope, NOW, automatic=True)
    assert 11 == int(check_brake(scope, NOW, 11).why.split()[3])  # type: ignore[union-attr]


def test_without_a_look_at_the_clocks_a_rest_is_believed() -> None:
    """Where nobody looked, only a record of later than now can tell that the clock is wrong."""
    scope = _scope(8, newest_at=NOW - 900 * DAY)

    assert check_brake(scope, NOW, 0, automatic=True) is None
    assert () == notes(scope, NOW)


def test_what_held_a_plan_before_is_told_apart() -> None:
    """The share holds as long as the plan says just that of itself; any other words are of a clock."""
    made = PlanDecision("scope", "policy", "", NOW, 1, False, (), destroyed=13, memories=48)
    why = "it would destroy 13 of 48 memories, more than 25%"
    share, clock = find_hold(replace(made, held=why)), find_hold(replace(made, held="the clock jumped"))
    fewer = find_hold(replace(made, held=why, destroyed=12))

    assert find_hold(made) is None
    assert share is not None
    assert clock is not None
    assert fewer is not None
    assert (False, True, True) == (share.clock, clock.clock, fewer.clock)
    assert ("the clock jumped", why) == (clock.why, fewer.why)


IDLE = """
version = 1
[[rule]]
name = "idle"
every = "deep"
phase = "expire"
where = "age(learned_at) > hours(10)"
do = "prune"
"""
ALWAYS = IDLE.replace('"age(learned_at) > hours(10)"', '"True"').replace('name = "idle"', 'name = "always"')


def test_a_rule_is_due_from_the_moment_at_which_its_condition_holds() -> None:
    """To the second, up to ten years back; what held all the time is due since then."""
    rows = [row(learned_at=NOW - 11 * HOUR), row(learned_at=NOW - 30 * DAY)]
    (idle,), (always,) = load(IDLE).rules, load(ALWAYS).rules
    frame, both = View(snapshot(rows), NOW), np.arange(2)
    since = due_since(frame, idle, both)

    assert [NOW - HOUR, NOW - 30 * DAY + 10 * HOUR] == pytest.approx(since.tolist(), abs=1_000_000)
    assert [float(NOW - 3_650 * DAY)] * 2 == pytest.approx(due_since(frame, always, both).tolist(), abs=1e6)
    assert [1, 0] == longest_due(frame, [(idle, both)]).tolist()
    assert [0, 1] == longest_due(frame, [(always, both)]).tolist()
    assert [0, 1] == longest_due(frame, [(idle, both[1:] - 1), (always, both[1:])])[::-1].tolist()
