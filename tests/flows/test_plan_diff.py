"""A plan that was kept is compared with now: what is still done, what is left out and why, and what is due besides."""

import pytest

import remanence
from remanence.core.clock import ManualClock
from remanence.core.errors import InvalidInput
from remanence.curate.planner.plan import Plan
from remanence.curate.planner.plan_report import PlanDiff
from tests.flows.conftest import Opener

POLICY = """
version = 1
name = "quiet"

[[rule]]
name = "idle"
every = "deep"
phase = "value"
where = "status == 'active' and idle > days(30)"
do = "archive"

[[rule]]
name = "weak"
every = "deep"
phase = "links"
over = "links"
where = "weight < 0.2"
do = "unlink"
"""


async def _kept(memory: remanence.Engine, clock: ManualClock) -> tuple[Plan, list[str]]:
    """A plan, as its file holds it, that archives six memories and cuts a link; two are not old enough yet."""
    ids = [(await memory.learn(f"Note {name} is about the harbour.")).id for name in "abcdef"]
    await memory.consolidate()
    clock.advance(days=20)
    ids += [(await memory.learn(text)).id for text in ("Mind the boathouse door.", "The slipway is wet.")]
    await memory.consolidate()
    clock.advance(days=15)
    await memory.link(ids[6], ids[7], "supports", weight=0.1)
    return Plan.from_json((await memory.plan(POLICY)).to_json()), ids


def _left(diff: PlanDiff) -> dict[str, tuple[str, list[tuple[str, str | None]], bool]]:
    return {
        one.memory.id or "": (one.why, [(done.verb, done.actor) for done in one.since], one.again)
        for act in diff.left
        for one in act.memories
        if one.other is None
    }


async def test_a_plan_of_now_differs_in_nothing(memory: remanence.Engine, clock: ManualClock) -> None:
    """All of it is done as it says, and a look at it writes nothing."""
    plan, _ = await _kept(memory, clock)
    before = (await memory.history(limit=1))[0].run
    diff = await memory.plan(POLICY, compare=plan)

    assert diff.is_same
    assert [("archive", 6), ("unlink", 1)] == [(act.name, act.count) for act in diff.same]
    assert "Nothing has changed." == str(diff).splitlines()[1]
    assert before == (await memory.history(limit=1))[0].run


async def test_what_happened_since_is_told_of_each_memory_that_is_left_out(
    opener: Opener, clock: ManualClock
) -> None:
    """By which verb, whom, when and in which run; `apply` then leaves out just these and does just the others."""
    async with opener(agent="ana") as memory:
        plan, ids = await _kept(memory, clock)
        pinned = await memory.pin(ids[0])
        await memory.update(ids[1], text="Note b is about something else.")
        await memory.hold(ids[2], "law")
        await memory.forget(ids[3])
        clock.advance(days=16)
        diff = await memory.plan(POLICY, compare=plan)
        receipt = await memory.apply(plan, policy=POLICY)
        again = await memory.plan(POLICY, compare=plan)

    changed = "changed, used or linked since the plan was made"
    assert {
        ids[0]: ("protected: pinned", [("pin", "ana")], False),
        ids[1]: (changed, [("update", "ana")], True),
        ids[2]: ("protected: held", [("hold", "ana")], False),
        ids[3]: (changed, [("forget", "ana")], False),
    } == _left(diff)
    assert [("archive", 2)] == [(act.name, act.count) for act in diff.same]
    assert [("archive", 4), ("unlink", 1)] == [(act.name, act.count) for act in diff.left]
    assert {ids[1], ids[6], ids[7]} == {one.id for act in diff.added for one in act.memories}
    assert pinned.run in str(diff)
    assert (2, 5) == (receipt.archived, len(receipt.skipped))
    assert receipt.run == again.applied
    assert ("curate", "ana") in _left(again)[ids[4]][1]


async def test_uses_since_are_told_and_counted(memory: remanence.Engine, clock: ManualClock) -> None:
    """A memory that was used is not idle any more: each verb stands there once, with how often."""
    plan, ids = await _kept(memory, clock)
    for _ in range(3):
        clock.advance(hours=1)
        await memory.recall("harbour note c", limit=1, agent="ben")
    diff = await memory.plan(POLICY, compare=plan)
    (left,) = [one for act in diff.left for one in act.memories if one.memory.id == ids[2]]

    assert {"use"} == {one.verb for one in left.since}
    assert "ben" == left.since[0].actor
    assert left.since[0].time <= diff.time


async def test_a_policy_that_changed_is_told(memory: remanence.Engine, clock: ManualClock) -> None:
    """The plan of now is that of the policy in force: its rules that are new or gone are named."""
    plan, _ = await _kept(memory, clock)
    await memory.policy.use(POLICY.replace("days(30)", "days(50)").replace('"weak"', '"frail"'))
    diff = await memory.plan(compare=plan)

    assert not diff.is_same
    assert ["1 rule is new: frail", "1 rule is gone: weak"] == list(diff.policy_changes[1:])
    assert {"its policy does not do this now"} == {why for why, _, _ in _left(diff).values()}
    assert [("unlink", 1)] == [(act.name, act.count) for act in diff.same]


async def test_a_plan_of_another_memory_is_refused(memory: remanence.Engine, clock: ManualClock) -> None:
    """One of another scope, of another file, or of a later state of this one; and one whose policy nobody named."""
    plan, _ = await _kept(memory, clock)
    async with remanence.open(scope="other", clock=clock, embedder="hashed") as other:
        with pytest.raises(InvalidInput, match="for scope 'default'"):
            await other.plan(POLICY, compare=plan)
    async with remanence.open(clock=clock, embedder="hashed") as another:
        with pytest.raises(InvalidInput, match="no policy"):
            await another.plan(compare=plan)
        with pytest.raises(InvalidInput, match="of another memory"):
            await another.plan(POLICY, compare=plan)
        clock.advance(days=1)
        for number in range(plan.position):
            await another.learn(f"A thing of its own, number {number}.")
        with pytest.raises(InvalidInput, match="of another memory"):
            await another.plan(POLICY, compare=plan)


async def test_what_a_comparison_does_not_take_is_refused(
    memory: remanence.Engine, clock: ManualClock
) -> None:
    """Overrides are those of the plan; and a plan by itself has no limit."""
    plan, _ = await _kept(memory, clock)
    with pytest.raises(InvalidInput, match="its own overrides"):
        await memory.plan(POLICY, compare=plan, overrides={})  # type: ignore[call-overload] # what is refused
    with pytest.raises(InvalidInput, match="a comparison lists"):
        await memory.plan(POLICY, limit=3)  # type: ignore[call-overload] # what is refused
