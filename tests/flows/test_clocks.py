"""A clock in doubt archives and destroys nothing, says why, and can be accepted."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

import remanence
from remanence.core.clock import DAY, ManualClock, SystemClock
from remanence.core.errors import InvalidInput, PlanHeld
from remanence.core.model import Turn
from remanence.core.receipt import AutomaticRun
from remanence.curate.planner.plan import Plan
from remanence.flows.base.clocks import CLOCK
from remanence.store.base import Bookkeeping
from tests.command_line import typed
from tests.flows.conftest import Opener

# Archives and prunes what is old, by itself once in an hour.
POLICY = """
version = 1
name = "old"
interval = "1 hours"

[[rule]]
name = "old-notes"
every = "deep"
phase = "expire"
where = "age(learned_at) > days(20) and category == 'observation'"
do = "prune"
because = "test"

[[rule]]
name = "old-facts"
every = "deep"
phase = "value"
where = "status == 'active' and age(learned_at) > days(20)"
do = "archive"
because = "test"
"""


@pytest.fixture
def clock() -> ManualClock:
    """The clocks of a machine."""
    return ManualClock(boot="first")


async def _fill(memory: remanence.Engine) -> None:
    """Some facts, and few enough notes that the brake lets them go."""
    await memory.learn([Turn(f"fact number {k}", category="knowledge") for k in range(20)])
    await memory.learn([Turn(f"note number {k}", category="observation") for k in range(4)])
    await memory.consolidate()


async def _session(memory: remanence.Engine, clock: ManualClock) -> AutomaticRun:
    """Work for two hours, and return what became of the run before it."""
    await memory.begin_session()
    clock.advance(hours=2)
    await memory.end_session()
    last = (await memory.status()).automatic.get("curate")
    assert last is not None
    return last


async def _statuses(memory: remanence.Engine) -> Mapping[str, int]:
    return (await memory.status()).statuses


async def _clock(memory: remanence.Engine) -> tuple[str, str]:
    """What doctor says of the clock."""
    (found,) = [check for check in await memory.doctor() if check.name == "clock"]
    assert found.ok
    return found.detail, found.advice


async def test_a_rest_through_which_the_machine_ran_is_one(opener: Opener, clock: ManualClock) -> None:
    """However long: what ran since the boot says that it passed, so what is due goes."""
    async with opener(policy=POLICY) as memory:
        await _fill(memory)
        clock.advance(days=400)
        last = await _session(memory, clock)

        assert ("done", {"archived": 20, "pruned": 4}) == (last.outcome, await _statuses(memory))
        assert () == (await memory.plan()).notes


@pytest.mark.parametrize("days", [0.05, 40, 5 * 365])
async def test_a_jump_of_a_machine_that_runs_holds_every_plan(
    opener: Opener, clock: ManualClock, days: float
) -> None:
    """By itself and by hand: nothing is archived or destroyed until the clock is set right."""
    async with opener(policy=POLICY) as memory:
        await _fill(memory)
        clock.advance(days=30)
        clock.jump(days=days)
        last = await _session(memory, clock)
        plan = await memory.plan()
        for which in (plan, Plan.from_json(plan.to_json())):
            for allowed in (None, 0, 24):
                with pytest.raises(PlanHeld, match="jumped") as held:
                    await memory.apply(which, allow_destroyed=allowed)

                assert "remanence review settle clock accept" in held.value.recovery
                assert "plan again" in held.value.recovery

        assert ("skipped", {"active": 24}) == (last.outcome, await _statuses(memory))
        assert "the clock jumped" in last.reason
        assert plan.held is not None
        assert "jumped" in (await _clock(memory))[0]

        clock.jump(days=-days)

        assert "done" == (await _session(memory, clock)).outcome
        assert {"archived": 20, "pruned": 4} == await _statuses(memory)


async def test_a_small_jump_is_none(opener: Opener, clock: ManualClock) -> None:
    """Up to an hour a clock may be corrected."""
    async with opener(policy=POLICY) as memory:
        await _fill(memory)
        clock.advance(days=30)
        clock.jump(hours=1)

        assert "done" == (await _session(memory, clock)).outcome


async def test_writing_under_a_jumped_clock_makes_it_no_truer(opener: Opener, clock: ManualClock) -> None:
    """A record of the future is not the last record from which the next plan counts."""
    async with opener(policy=POLICY) as memory:
        await _fill(memory)
        clock.jump(days=400)
        await memory.learn("said in the future")
    async with opener(policy=POLICY) as memory:
        clock.advance(hours=3)
        await memory.learn("said a little later")
        last = await _session(memory, clock)

        assert "the clock jumped" in last.reason

    clock.reboot("second")
    async with opener(policy=POLICY) as memory:
        clock.advance(days=3)
        last = await _session(memory, clock)

        assert "the clock jumped" in last.reason
        assert {"active": 26} == await _statuses(memory)


async def test_after_a_long_gap_an_automatic_run_does_nothing_and_says_why(
    opener: Opener, clock: ManualClock
) -> None:
    """After another boot nobody can tell a rest from a wrong clock; a plan by hand shows the gap and goes on."""
    async with opener(policy=POLICY) as memory:
        await _fill(memory)
    clock.advance(days=31)
    clock.reboot("second")
    async with opener(policy=POLICY) as memory:
        await memory.learn("back again")
        last = await _session(memory, clock)

        assert ("skipped", {"active": 25}) == (last.outcome, await _statuses(memory))
        assert "the last record is 31 days old (2026-01-01 00:00 UTC): nothing was written" in last.reason

        plan = await memory.plan()

        assert None is plan.held
        assert any(note.startswith("the last record is 31 days old") for note in plan.notes)
        assert "the last record is 31 days old" in str(plan)

        await memory.apply(plan)

        assert {"active": 1, "archived": 20, "pruned": 4} == await _statuses(memory)


async def test_without_a_clock_that_tells_a_short_rest_is_believed(
    opener: Opener, clock: ManualClock
) -> None:
    """Thirty days may pass on another machine."""
    async with opener(policy=POLICY) as memory:
        await _fill(memory)
    clock.advance(days=30)
    clock.reboot("second")
    async with opener(policy=POLICY) as memory:
        assert "done" == (await _session(memory, clock)).outcome


async def test_a_gap_is_believed_after_a_day(opener: Opener, clock: ManualClock) -> None:
    """Automatic runs go on by themselves when the time after the gap has lasted a day."""
    async with opener(policy=POLICY) as memory:
        await _fill(memory)
    clock.advance(days=400)
    clock.reboot("second")
    async with opener(policy=POLICY) as memory:
        first = await _session(memory, clock)
        clock.advance(hours=20)
        second = await _session(memory, clock)
        clock.advance(hours=0.5)
        third = await _session(memory, clock)

        assert ["skipped", "skipped", "done"] == [first.outcome, second.outcome, third.outcome]
        assert {"archived": 20, "pruned": 4} == await _statuses(memory)


@pytest.mark.parametrize("jumped", [True, False])
async def test_a_clock_can_be_accepted(opener: Opener, clock: ManualClock, jumped: bool) -> None:
    """Whoever knows that the clock is right says so, and plans go on."""
    async with opener(policy=POLICY) as memory:
        await _fill(memory)
    if jumped:
        clock.jump(days=400)
    else:
        clock.advance(days=400)
        clock.reboot("second")
    async with opener(policy=POLICY) as memory:
        held = await _session(memory, clock)
        said = await memory.review.settle("clock", "accept")
        again = await memory.review.settle("clock", "accept")
        done = await _session(memory, clock)

        assert ("skipped", "done") == (held.outcome, done.outcome)
        assert said.notes[0] in held.reason
        assert ("nothing was in doubt",) == again.notes
        assert ("it goes on from the last record", "") == await _clock(memory)


async def test_a_record_of_the_future_does_not_hold_plans_for_ever(
    opener: Opener, clock: ManualClock
) -> None:
    """Doctor names the run that claims to be of later; the accepted present holds until another such record."""
    async with opener(policy=POLICY) as memory:
        await _fill(memory)
        clock.advance(days=30)
        clock.jump(days=900)
        await memory.learn("said in the future")
        (wrong,) = await memory.history(limit=1)
        clock.jump(days=-900)
        last = await _session(memory, clock)
        with pytest.raises(PlanHeld, match="the newest record of this scope is of a later time"):
            await memory.curate()
        detail, advice = await _clock(memory)

        assert "the newest record of this scope is of a later time" in last.reason
        assert f"run {wrong.run} (learn) says 2028-07-19 00:00" in detail
        assert "review settle clock accept" in advice

        await memory.review.settle("clock", "accept")

        assert "done" == (await _session(memory, clock)).outcome
        assert {"active": 1, "archived": 20, "pruned": 4} == await _statuses(memory)

        clock.jump(days=2_000)
        await memory.learn("said in another future")
        clock.jump(days=-2_000)
        (late,) = await memory.history(limit=1)

        assert late.run in (await _clock(memory))[0]
        assert wrong.run not in (await _clock(memory))[0]
        assert (await memory.plan()).held is not None


async def test_an_accepted_clock_that_is_set_back_is_in_doubt(opener: Opener, clock: ManualClock) -> None:
    """The moment at which it was accepted is one that it does not stand before."""
    async with opener(policy=POLICY) as memory:
        await _fill(memory)
        clock.jump(days=900)
        await memory.learn("said in the future")
        clock.jump(days=-900)
        await memory.review.settle("clock", "accept")
        clock.jump(days=-2)
        held = (await memory.plan()).held

        assert held is not None
        assert "it was at 2026-01-01 00:00 UTC before" in held


async def test_what_was_written_at_the_moment_of_acceptance_is_of_its_time(
    opener: Opener, clock: ManualClock
) -> None:
    """Only records of later than the accepted moment need to be accepted: a clock then set back stands before them."""
    async with opener(policy=POLICY) as memory:
        await memory.learn("said now")
        await memory.review.settle("clock", "accept")
        clock.jump(hours=-0.5)
        held = (await memory.plan()).held

        assert held is not None
        assert "the clock is set back" in held


async def test_an_old_file_has_its_records(opener: Opener, clock: ManualClock) -> None:
    """Where no clock was ever looked at, the last record says when the memory was last at work."""
    async with opener(policy=POLICY) as memory:
        await _fill(memory)
    async with opener(policy=POLICY) as memory:
        await memory._core.store.bookkeep("default", Bookkeeping(clock.now(), put={CLOCK: None}))
        clock.advance(days=31)
        last = await _session(memory, clock)

        assert "or the clock is set wrong" in last.reason


async def test_a_clock_of_ones_own_need_not_know_of_boots(opener: Opener) -> None:
    """One that only says what time it is works, and its long rests are doubted."""

    class Watch:
        moment = ManualClock().now()

        def now(self) -> int:
            return self.moment

    watch = Watch()
    async with opener(policy=POLICY, clock=watch) as memory:
        await _fill(memory)
        watch.moment += 31 * DAY
        await memory.begin_session()
        last = (await memory.status()).automatic.get("curate")

        assert last is not None
        assert "or the clock is set wrong" in last.reason


async def test_a_heartbeat_keeps_what_the_clocks_say(opener: Opener, clock: ManualClock) -> None:
    """A session in which nothing is written moves the moment from which a jump is counted."""
    async with opener(policy=POLICY) as memory:
        await _fill(memory)
        await memory.begin_session()
        clock.advance(days=29)
        await memory.status()  # beats
    clock.advance(days=29)
    clock.reboot("second")
    async with opener(policy=POLICY) as memory:
        assert "done" == (await _session(memory, clock)).outcome


def _said(*words: str) -> Any:
    done = typed(*words, "--json")
    assert 0 == done.exit_code, done.output
    return json.loads(done.stdout)


def test_the_command_line_names_the_run_and_accepts_the_clock(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`doctor` says which run claims to be of later, `review settle clock accept` lets plans go on."""
    monkeypatch.chdir(tmp_path)
    with remanence.sync.open("memory.db", clock=ManualClock(SystemClock().now() + 90 * DAY)) as memory:
        memory.learn("said in the future")
        (wrong,) = memory.history(limit=1)
    path = ("--db", "memory.db")
    (found,) = [check for check in _said("doctor", *path) if check["name"] == "clock"]
    held = _said("plan", "--policy", "default", *path)["held"]
    accepted = _said("review", "settle", "clock", "accept", *path)["notes"][0]

    assert wrong.run in found["detail"]
    assert held.startswith("the clock is set back: the newest record")
    assert accepted == "the clock is set back: the newest record of this scope is of a later time"
    assert None is _said("plan", "--policy", "default", *path)["held"]
    assert "nothing was in doubt" == _said("review", "settle", "clock", "accept", *path)["notes"][0]


REINFORCING = """
version = 1
name = "best"
interval = "40 hours"

[[rule]]
name = "best"
every = "deep"
phase = "reinforce"
where = "status == 'active'"
do = "reinforce"
period = "40 hours"
because = "test"
"""


async def test_what_ran_in_the_future_is_due_again(opener: Opener, clock: ManualClock) -> None:
    """A run and a rule that fired under a clock that was ahead do not rest until that time comes."""
    async with opener(policy=REINFORCING) as memory:
        await _fill(memory)
        clock.jump(days=900)
        await memory.review.settle("clock", "accept")
        await memory.curate()
        clock.jump(days=-900)
        await memory.review.settle("clock", "accept")

        assert (await memory.status()).is_due
        assert 24 == (await memory.curate()).reinforced


@pytest.mark.parametrize("hours", [float("nan"), float("inf"), 1e300])
def test_no_clock_moves_beyond_its_times(hours: float) -> None:
    """An amount of time that is none is refused, and the clock stays where it is."""
    clock = ManualClock()
    before = clock.now()
    for move in (clock.advance, clock.jump):
        with pytest.raises(InvalidInput, match="move that far"):
            move(hours=hours)

    assert before == clock.now()
