"""Who adopts a policy is told first what it will do to this very memory, and nothing has happened by then."""

from datetime import timedelta

import pytest

import remanence
from remanence.core.clock import ManualClock, to_datetime
from remanence.core.model import Turn
from tests.flows.conftest import Opener

NOTES = 20


async def _learn_diary(memory: remanence.Engine, clock: ManualClock) -> None:
    """Learn what was said a year ago, a day each."""
    began = to_datetime(clock.now()) - timedelta(days=400)
    turns = [
        Turn(f"On walk {n} we met at pond {n}.", said_at=began + timedelta(days=n)) for n in range(NOTES)
    ]
    await memory.learn(turns)


async def test_a_policy_that_archives_an_old_diary_is_told_of(opener: Opener, clock: ManualClock) -> None:
    """A dry run stores nothing, adopting says the same, and what is said comes true within the week."""
    async with opener() as memory:
        await _learn_diary(memory, clock)
        dry = await memory.policy.use("engram", dry_run=True)
        before = (await memory.status()).policy
        done = await memory.policy.use("engram")
        standing = len(await memory.list())
        for _ in range(dry.days * 24):
            clock.advance(hours=1)
            await memory.run_jobs()
        left = len(await memory.list())

    assert (True, False, "engram") == (dry.dry_run, done.dry_run, done.name)
    assert before is None
    assert (NOTES, NOTES, NOTES) == (dry.active, done.active, standing)
    assert (done.leaving, done.counts) == (dry.leaving, dry.counts)
    assert NOTES - left == done.leaving > 0.2 * NOTES
    assert done.is_severe
    assert f"warning: {done.leaving} of {NOTES} active memories" in str(done)


@pytest.mark.parametrize("policy", ["default", "janitor", "mvs"])
async def test_a_policy_that_takes_nothing_away_warns_of_nothing(opener: Opener, policy: str) -> None:
    """Of what was learned today none leaves within a week."""
    async with opener() as memory:
        await memory.learn("The heron nests by the weir.")
        done = await memory.policy.use(policy, dry_run=True)

    assert (1, 0, False) == (done.active, done.leaving, done.is_severe)
    assert str(done).startswith(f"would adopt {policy}; within 7 days")
