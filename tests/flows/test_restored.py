"""What somebody restored is left alone for a day, by every policy; a plan, `explain` and a forecast say so alike."""

import remanence
from remanence.core.clock import DAY, ManualClock, to_datetime
from remanence.curate.explain import Explanation
from tests.flows.conftest import Opener

POLICY = """
version = 1
name = "harsh"

[[rule]]
name = "idle"
every = "rapid"
phase = "value"
where = "status == 'active' and age(learned_at) > days(30)"
do = "archive"

[[rule]]
name = "long"
every = "rapid"
phase = "value"
where = "tokens > 30"
do = "shrink"
"""
GRAVE = (
    POLICY.replace('"archive"', '"prune"')
    + '[[rule]]\nname = "gone"\nphase = "purge"\nevery = "rapid"\ndo = "purge"\n'
)
GRAVE += "where = \"status == 'pruned'\"\n"
LONG = (
    "We talked for a while about the weather and other things that do not matter much to anybody. "
    "The boathouse door opens with 4711. It was a nice evening and everybody went home late. Nobody complained."
)


def _guards(told: Explanation) -> set[str]:
    return {one.name for one in told.verdicts if one.what == "guard" and one.truth == "true"}


async def _fallen(memory: remanence.Engine, clock: ManualClock, policy: str = POLICY) -> list[str]:
    """Two memories that a policy has taken."""
    ids = [(await memory.learn(text)).id for text in ("The harbour is closed.", "The boathouse is open.")]
    await memory.consolidate()
    clock.advance(days=31)
    await memory.curate(policy)
    return ids


async def test_what_was_restored_is_left_alone_for_a_day(
    memory: remanence.Engine, clock: ManualClock
) -> None:
    """The guard is named; when the day is over the rule takes it, as the forecast said."""
    ids = await _fallen(memory, clock)
    await memory.restore(ids[0])
    ends = clock.now() + DAY
    told = await memory.forecast(2, POLICY, every=3600)
    kept = await memory.plan(POLICY)
    clock.set(to_datetime(ends - 1))
    late = await memory.plan(POLICY)
    guards = _guards(await memory.explain(ids[0], POLICY))
    clock.set(to_datetime(ends))
    after = await memory.explain(ids[0], POLICY)
    done = await memory.curate(POLICY)

    assert (True, True, {"restored"}) == (kept.empty, late.empty, guards)
    assert [("restored", 1)] == [(one.guard, one.count) for one in kept.refusals]
    assert [(ends, {"archive": 1})] == [(run.at, dict(run.counts)) for run in told.runs]
    assert (set(), 1) == (_guards(after), done.archived)


async def test_a_purged_memory_that_came_back_has_its_day(
    memory: remanence.Engine, clock: ManualClock
) -> None:
    """Neither deleted nor purged again; several that come back in one run have it all."""
    ids = await _fallen(memory, clock, GRAVE)
    clock.advance(days=31)
    await memory.curate(GRAVE)
    await memory.restore(ids)
    clock.advance(hours=23)
    kept = await memory.curate(GRAVE)
    clock.advance(hours=1)

    assert 0 == kept.changes
    assert 2 == (await memory.curate(GRAVE)).counts["purge"]


async def test_a_text_that_was_shown_whole_again_stays_so_for_a_day(
    memory: remanence.Engine, clock: ManualClock
) -> None:
    """Of a condensed memory that stands, too."""
    one = await memory.learn(LONG)
    await memory.consolidate()
    await memory.curate(POLICY)
    shorter = (await memory.get(one.id)).form.label
    await memory.restore(one.id)
    clock.advance(hours=23)
    await memory.curate(POLICY)
    whole = (await memory.get(one.id)).form.label
    clock.advance(hours=1)
    await memory.curate(POLICY)

    assert ("condensed", "full", "condensed") == (shorter, whole, (await memory.get(one.id)).form.label)


async def test_only_restore_gives_that_day_and_verbs_do_not_mind(
    memory: remanence.Engine, clock: ManualClock
) -> None:
    """An undone run never was, an undone `restore` neither; a person forgets what came back as anything else."""
    ids = await _fallen(memory, clock)
    await memory.undo("last")
    again = await memory.curate(POLICY)
    back = await memory.restore(ids)
    taken = await memory.undo(back)
    undone = await memory.explain(ids[0], POLICY)
    await memory.undo(taken)
    await memory.forget(ids[1])

    assert (2, set()) == (again.archived, _guards(undone))
    assert {"restored"} == _guards(await memory.explain(ids[0], POLICY))
    assert "pruned" == (await memory.get(ids[1])).status.label


async def test_a_tick_that_waits_comes_when_the_day_is_over(opener: Opener, clock: ManualClock) -> None:
    """Where nothing else is due no tick is passed by: the scope is calm until the guard ends, and no longer."""
    async with opener(policy=POLICY) as memory:
        await memory.policy.use(POLICY)
        ids = await _fallen(memory, clock)
        await memory.review.settle("clock", "accept")
        await memory.restore(ids[0])
        clock.advance(hours=6)
        statuses = []
        for _ in range(20):
            await memory.run_jobs()
            statuses.append((await memory.get(ids[0])).status.label)
            clock.advance(hours=1)

    assert ["active"] * 18 + ["archived"] * 2 == statuses
