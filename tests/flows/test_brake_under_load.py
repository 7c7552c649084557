"""What a scope that gets many notices a day is rid of in time, and what of a held plan goes on without a person."""

from pathlib import Path

import pytest

import remanence
from remanence.core.clock import DAY, HOUR, ManualClock
from remanence.core.model import Turn
from remanence.curate.planner.plan import Plan
from tests.flows.conftest import Opener

# What a day brings: notices, contexts of sessions, entries.
DAYS = 14
EXPIRING = """
version = 1
name = "expiring"
interval = "10 hours"

[[rule]]
name = "notices"
every = "rapid"
phase = "expire"
where = "category == 'notification' and age(learned_at) > hours(48)"
do = "prune"

[[rule]]
name = "contexts"
every = "rapid"
phase = "expire"
where = "category == 'session_context' and age(learned_at) > hours(24)"
do = "prune"

[[rule]]
name = "entries"
every = "deep"
phase = "expire"
where = "category == 'memory_entry' and age(learned_at) > days(7)"
do = "prune"

[[rule]]
name = "tombstones"
every = "deep"
phase = "purge"
where = "status == 'pruned' and age(status_at) > days(30)"
do = "purge"
"""
# Deletes all entries, and archives what is said.
HELD = (
    EXPIRING.replace("expiring", "held").replace("age(learned_at) > days(7)", "age(learned_at) > hours(1)")
    + """
[[rule]]
name = "said"
every = "deep"
phase = "value"
where = "category == 'message' and age(learned_at) > hours(1)"
do = "archive"
"""
)


async def _day(memory: remanence.Engine, day: int, brings: dict[str, int]) -> None:
    """Learn what a day brings."""
    await memory.learn(
        [
            Turn(f"{category} number {number} of day {day}", category=category)
            for category, count in brings.items()
            for number in range(count)
        ]
    )


async def _standing(memory: remanence.Engine, category: str, older_than: int) -> int:
    """Count the memories of a category that stand and are older than so long."""
    now = (await memory.status()).at
    found = await memory.list(filters={"category": category}, limit=100_000)
    return sum(now - one.learned_at > older_than for one in found)


@pytest.mark.parametrize("brings", [(120, 24, 60), (200, 40, 10)], ids=str)
async def test_nothing_is_overdue_after_a_fortnight(tmp_path: Path, brings: tuple[int, int, int]) -> None:
    """However many notices and contexts a day brings, one run a day is enough, and none is held."""
    clock = ManualClock()
    named = dict(zip(("notification", "session_context", "memory_entry"), brings, strict=True))
    async with remanence.open(tmp_path / "m.db", clock=clock, embedder="none", policy=EXPIRING) as memory:
        ran = None
        for day in range(DAYS):
            await _day(memory, day, named)
            clock.advance(days=1, minutes=1)
            async with memory.session():
                ran = (await memory.status()).automatic.get("curate")

            assert ran is not None
            assert ("done", "") == (ran.outcome, ran.held)
        assert ran is not None
        assert 0 == await _standing(memory, "notification", 2 * DAY)
        assert 0 == await _standing(memory, "session_context", DAY)
        assert 0 == await _standing(memory, "memory_entry", 7 * DAY)
        assert (brings[0] + brings[1], brings[2]) == (ran.exempt, ran.counts["prune"] - ran.exempt)


async def _filled(memory: remanence.Engine, clock: ManualClock) -> None:
    await _day(memory, 0, {"notification": 30, "memory_entry": 20, "message": 10})
    clock.advance(days=3)


async def test_a_plan_counts_apart_what_no_limit_counts(opener: Opener, clock: ManualClock) -> None:
    """It says how many, in words too, and none of them makes it held."""
    async with opener(policy=EXPIRING) as memory:
        await _filled(memory, clock)
        plan = await memory.plan()
        again = Plan.from_json(plan.to_json())

        assert (0, 30, None) == (plan.destroyed, len(plan.exempt), plan.held)
        assert 30 == plan.describe().exempt
        assert "Outside the limits on deletion 30 expire by age" in str(plan)
        assert 30 == (await memory.apply(again)).pruned
        clock.advance(days=31)
        purging = await memory.plan()

        assert (20, 30, {"prune": 20, "purge": 30}) == (
            purging.destroyed,
            len(purging.exempt),
            purging.counts,
        )


async def test_of_a_held_plan_what_destroys_nothing_runs_on(opener: Opener, clock: ManualClock) -> None:
    """Notices expire and messages are archived; what is held stays, and a person is told how to release it."""
    async with opener(policy=HELD) as memory:
        await _filled(memory, clock)
        async with memory.session():
            ran = (await memory.status()).automatic.get("curate")
        statuses = dict((await memory.status()).statuses)
        (item,) = (await memory.review.list()).items

        assert ran is not None
        assert ("done", "share", 20, 30) == (ran.outcome, ran.held, ran.destroyed, ran.exempt)
        assert {"prune": 30, "archive": 10} == dict(ran.counts)
        assert {"active": 20, "archived": 10, "pruned": 30} == statuses
        assert item.commands["apply it"].endswith("--allow-destroyed 20")
        clock.advance(minutes=1)
        assert 20 == (await memory.apply(await memory.plan(), allow_destroyed=20)).pruned
        assert () == (await memory.review.list()).items


async def test_under_a_clock_in_doubt_nothing_expires(opener: Opener, clock: ManualClock) -> None:
    """What no limit counts waits for the clock, too: nobody knows how old anything is."""
    async with opener(policy=EXPIRING, clock=(now := ManualClock(clock.now(), boot="one"))) as memory:
        await _filled(memory, now)
        now.jump(days=365 * 5)
        async with memory.session():
            ran = (await memory.status()).automatic.get("curate")

        assert ran is not None
        assert ("skipped", "clock", 0) == (ran.outcome, ran.held, ran.exempt)
        assert "pruned" not in (await memory.status()).statuses


async def test_what_is_only_called_ephemeral_by_a_rule_is_counted(opener: Opener, clock: ManualClock) -> None:
    """A rule over a class that is durable from arrival, one without an age, and one with a window count as ever."""
    where = "category == 'notification' and age(learned_at) > hours(48)"
    for written in (
        EXPIRING.replace(where, "category == 'notification'"),
        EXPIRING.replace(where, f'{where}"\nkeep = {{ rows = 5 }}\nbecause = "too many'),
    ):
        async with opener(policy=written.replace("expiring", f"expiring-{len(written)}")) as memory:
            await _day(memory, len(written), {"notification": 12})
            clock.advance(hours=72)

            assert 0 == len((await memory.plan()).exempt)


async def test_a_tombstone_that_is_purged_early_is_counted(opener: Opener, clock: ManualClock) -> None:
    """Thirty days were promised; a policy that does not wait so long destroys."""
    early = EXPIRING.replace("days(30)", "days(29)")
    async with opener(policy=early) as memory:
        await _filled(memory, clock)
        await memory.apply(await memory.plan())
        clock.advance(seconds=29 * DAY // 1_000_000 + HOUR // 1_000_000)
        plan = await memory.plan()

        assert (50, 0) == (plan.destroyed, len(plan.exempt))
