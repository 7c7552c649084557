"""Who used a memory is kept with it, and when a flag was set; rules read how many, and how long ago."""

from typing import Any

import pytest

import remanence
from remanence.core.clock import HOUR, ManualClock
from remanence.core.errors import InvalidInput
from tests.flows.conftest import Opener

PURGE = """
version = 1
[[rule]]
name = "purge"
every = "deep"
phase = "purge"
where = "status == 'pruned' and age(status_at) > days(30)"
do = "purge"
"""
# Marked at first sight, swept a day after.
ORPHANS = """
version = 1
[[rule]]
name = "mark"
every = "deep"
phase = "expire"
where = "not linked('*')"
do = "flag"
to = "orphan"
[[rule]]
name = "sweep"
every = "deep"
phase = "value"
where = "age(flagged('orphan')) >= hours(24)"
do = "archive"
"""


def guarded(agents: int) -> str:
    """Return a policy that archives everything but what so many agents used."""
    return f"""
version = 1
[[guard]]
name = "shared"
where = "agents >= {agents}"
[[rule]]
name = "all"
every = "deep"
phase = "expire"
where = "True"
do = "archive"
"""


async def used(memory: remanence.Engine, name: str) -> dict[str, int]:
    """Return how often each agent used a memory."""
    await memory.plan(PURGE)  # which waits until all uses are written
    return {agent: access["uses"] for agent, access in ((await memory.get(name)).accessors or {}).items()}


async def test_each_counted_use_has_its_agent(opener: Opener, clock: ManualClock) -> None:
    """The one that a recall or a frame names, else the engine's own, else nobody; uses that do not count, do not."""
    async with opener() as memory:
        bell = (await memory.learn("the bell rings at nine")).id
        await memory.recall("bell")
        assert {} == await used(memory, bell)
        await memory.recall("bell", agent="bob")
        await memory.recall("bell", agent="eve", count_use=False)
        assert {"bob": 1} == await used(memory, bell)
    clock.advance(hours=1)
    async with opener(agent="ann") as memory:
        await memory.recall("bell")
        await memory.recall("bell", agent="bob")
        await memory.frame("attention", "bell")
        await memory.frame("attention", "bell", agent="cid")
        assert {"ann": 2, "bob": 2, "cid": 1} == await used(memory, bell)
        kept = await memory.get(bell)

    assert kept.accessors is not None
    assert (6, clock.now()) == (kept.uses, kept.accessors["bob"]["last_at"])
    assert {"uses": 2, "last_at": "2026-01-01T01:00:00+00:00"} == kept.to_dict()["accessors"]["ann"]


async def test_a_rule_reads_how_many_agents_used_a_memory(memory: remanence.Engine) -> None:
    """However often each did; `explain` shows the number."""
    shared = await memory.learn("the bell rings at nine")
    alone = await memory.learn("the kiosk sells stamps")
    for agent in ("ann", "bob", "ann", "cid"):
        await memory.recall("bell", agent=agent, limit=1)
        await memory.recall("kiosk", agent="dan", limit=1)

    assert {alone.seq} == set((await memory.plan(guarded(3))).seq.tolist())
    assert {alone.seq, shared.seq} == set((await memory.plan(guarded(4))).seq.tolist())
    shown = str(await memory.explain(shared.id, guarded(4)))
    assert "agents 3" in shown or "agents = 3" in shown


async def test_a_rule_reads_how_many_other_agents_used_a_memory(memory: remanence.Engine) -> None:
    """The one to which it belongs is not counted; where it belongs to nobody all are others."""
    owned = await memory.learn("the bell rings at nine", agent="ann")
    free = await memory.learn("the kiosk sells stamps")
    for agent in ("ann", "bob", "ann"):
        await memory.recall("bell", agent=agent, limit=1)
        await memory.recall("kiosk", agent=agent, limit=1)
    others = guarded(2).replace("agents >=", "other_agents >=")

    assert {owned.seq} == set((await memory.plan(others)).seq.tolist())
    assert "other_agents = 2" in str(await memory.explain(free.id, others))


@pytest.mark.parametrize("preset", ["default", "janitor"])
async def test_what_four_other_agents_link_to_is_not_deleted(
    opener: Opener, clock: ManualClock, preset: str
) -> None:
    """A read notice that is old stays where four agents beside its own used it or have a memory that links to it."""
    async with opener(policy=preset) as memory:
        said: Any = {"category": "notification", "state": "read", "agent": "ann"}
        shared, less, alone = [await memory.learn(f"the bell rings at {n}", **said) for n in range(3)]
        for notice, agents in ((shared, ("bob", "cid", "dan")), (less, ("bob", "cid", "ann", "bob"))):
            for number, agent in enumerate(agents):
                note = await memory.learn(f"{agent} keeps to {notice.seq} {number}", agent=agent)
                await memory.link(note, notice, "refers")
        await memory.recall("the bell rings at 0", agent="eve", limit=1)
        await memory.link(less, alone, "similar")
        clock.advance(days=20)
        await memory.curate()
        deleted = await memory.list(status="pruned")

    assert {less.seq, alone.seq} == {one.seq for one in deleted}


async def test_an_agent_is_a_plain_name(memory: remanence.Engine) -> None:
    """As everywhere; nothing is counted where it is refused."""
    for wrong in ("", " ", "a" * 201):
        with pytest.raises(InvalidInput, match="agent"):
            await memory.recall("bell", agent=wrong)
        with pytest.raises(InvalidInput, match="agent"):
            await memory.frame("attention", agent=wrong)


async def test_no_undo_takes_a_use_back(memory: remanence.Engine) -> None:
    """What was used since a run does not stand in the way of undoing it, nor does it come off."""
    learned = await memory.learn("the bell rings at nine")
    edited = await memory.update(learned.id, severity="low")
    await memory.recall("bell", agent="bob")
    await memory.undo(edited)
    assert {"bob": 1} == await used(memory, learned.id)
    assert learned.run is not None
    gone = await memory.undo(learned.run)
    await memory.undo(gone)

    assert {"bob": 1} == await used(memory, learned.id)


async def test_accessors_go_with_a_purge_and_come_back(memory: remanence.Engine, clock: ManualClock) -> None:
    """Restored, or by undoing the purge, a memory was used by whom it was; doctor finds nothing amiss."""
    learned = await memory.learn("the bell rings at nine", tags=["x"])
    await memory.recall("bell", agent="bob")
    before = await memory.get(learned.id) if await used(memory, learned.id) else None
    clock.advance(days=1)
    for way in ("restore", "undo"):
        await memory.forget(learned.id)
        clock.advance(days=31)
        purged = await memory.apply(await memory.plan(PURGE), allow_destroyed=1)
        assert 1 == purged.counts["purge"]
        if way == "undo":
            await memory.undo(purged)
            await memory.restore(learned.id)
        else:
            await memory.restore(learned.id)
        after = await memory.get(learned.id)
        assert before is not None
        assert (before.accessors, before.tagged_at) == (after.accessors, after.tagged_at)

    assert [] == [check for check in await memory.doctor() if not check.ok]


async def test_accessors_and_times_of_tags_go_out_and_come_in(opener: Opener, clock: ManualClock) -> None:
    """An export names who used a memory and when it was tagged, and an import into another scope keeps that."""
    async with opener(scope="from") as memory:
        learned = await memory.learn("the bell rings at nine", tags=["a"])
        clock.advance(hours=1)
        await memory.tag(learned.id, "b")
        await memory.recall("bell", agent="bob")
        await used(memory, learned.id)
        one = await memory.get(learned.id)
        lines = [line async for line in memory.export()]
    clock.advance(hours=1)
    async with opener(scope="to") as memory:
        await memory.import_(lines, trust="user")
        other = await memory.get(learned.id)
        again = [line async for line in memory.export()]

    assert {"a": clock.now() - 2 * HOUR, "b": clock.now() - HOUR} == other.tagged_at
    assert (one.accessors, one.tagged_at) == (other.accessors, other.tagged_at)
    assert lines[1:-1] == again[1:-1]


@pytest.mark.parametrize(
    "wrong",
    [
        {"accessors": {"bob": {"uses": 0, "last_at": 1}}},
        {"accessors": {"bob": 1}},
        {"accessors": {" ": {"uses": 1, "last_at": 1}}},
        {"accessors": []},
        {"tagged_at": {"c": 1}},
        {"tagged_at": {"a": "noon"}},
        {"tagged_at": []},
    ],
)
async def test_an_export_that_says_otherwise_is_refused(opener: Opener, wrong: dict[str, Any]) -> None:
    """Of the accessors and of the times of tags nothing is believed that no store could keep."""
    async with opener() as memory:
        await memory.learn("the bell rings at nine", tags=["a"])
        import orjson

        header, line, _ = [line async for line in memory.export()]
        lines = [header, orjson.dumps({**orjson.loads(line), **wrong})]
    async with opener(scope="to") as memory:
        with pytest.raises(remanence.IngestError):
            await memory.import_(lines, edited=True)


async def test_an_orphan_is_swept_a_day_after_it_was_marked(
    memory: remanence.Engine, clock: ManualClock
) -> None:
    """Not in the plan that marks it, nor just before its day is over; what was marked later waits longer."""
    first = await memory.learn("the bell rings at nine")
    clock.advance(days=40)
    await memory.apply(await memory.plan(ORPHANS))
    assert ("flag/orphan",) == (await memory.get(first.id)).tags
    clock.advance(hours=12)
    second = await memory.learn("the kiosk sells stamps")
    await memory.apply(await memory.plan(ORPHANS))
    clock.set(clock.now() + 12 * HOUR - 1)
    assert [] == (await memory.plan(ORPHANS)).seq.tolist()
    clock.set(clock.now() + 1)
    done = await memory.apply(await memory.plan(ORPHANS))

    assert {"archive": 1} == dict(done.counts)
    assert ["archived", "inbox"] == [(await memory.get(one.id)).status.label for one in (first, second)]


async def test_a_flag_that_was_taken_off_has_no_age(memory: remanence.Engine, clock: ManualClock) -> None:
    """Set again it is as old as that; a flag that nobody bears is unknown."""
    learned = await memory.learn("the bell rings at nine", tags=["flag/orphan"])
    clock.advance(days=2)
    assert [learned.seq] == (await memory.plan(ORPHANS)).seq.tolist()
    off = await memory.tag(learned.id, "flag/orphan", off=True)
    await memory.tag(learned.id, "flag/orphan")
    assert [] == (await memory.plan(ORPHANS)).seq.tolist()
    await memory.tag(learned.id, "flag/orphan", off=True)
    await memory.undo(off)

    assert [learned.seq] == (await memory.plan(ORPHANS)).seq.tolist()


async def test_the_name_of_a_flag_is_plain(memory: remanence.Engine) -> None:
    """It is one flag, without the prefix of its tag and without a star."""
    for wrong in ("''", "'orph*'", "orphan", "'a', 'b'"):
        with pytest.raises(remanence.PolicyError):
            await memory.plan(ORPHANS.replace("'orphan'", wrong))
