"""A plan that is shown names the memories it would touch, as they read, and what is kept from it; its file does not."""

import pytest

import remanence
from remanence.core.clock import DAY, ManualClock
from remanence.core.errors import InvalidInput
from remanence.curate.planner.plan import Plan
from remanence.curate.planner.plan_report import render
from remanence.flows.curate.curating import describe
from tests.flows.conftest import Measured, Opener

POLICY = """
version = 1
name = "quiet"

[[rule]]
name = "idle"
every = "deep"
phase = "value"
where = "status == 'active' and idle > days(30)"
do = "archive"
because = "nobody used it for a month"

[[rule]]
name = "weak"
every = "deep"
phase = "links"
over = "links"
where = "weight < 0.2"
do = "unlink"
"""
SECRET = "The boathouse door opens with 4711."


async def _filled(
    memory: remanence.Engine, clock: ManualClock, texts: int = 8
) -> list[remanence.LearnResult]:
    """Some memories, 40 days old, the first of them pinned; a weak link between two, and a fresh one."""
    learned = [await memory.learn(f"{SECRET} Note {number}\x1b[2J.") for number in range(texts)]
    await memory.consolidate()
    await memory.pin(learned[0].id)
    clock.advance(days=40)
    learned += [await memory.learn(f"Today {day} is fine.") for day in "ab"]
    await memory.consolidate()
    await memory.link(learned[-2].id, learned[-1].id, "supports", weight=0.1)
    return learned


async def test_a_plan_shows_what_goes(memory: remanence.Engine, clock: ManualClock) -> None:
    """Each rule with its memories (short id, age, text in one line) and its reason; what is kept, by which guard."""
    await _filled(memory, clock)
    before = (await memory.status()).tokens

    plan = await memory.plan(POLICY)
    lines = str(plan).splitlines()
    receipt = await memory.apply(plan)
    after = (await memory.status()).tokens

    assert "  archive 7 memories  [idle] because nobody used it for a month" == lines[1]
    assert "    #2 40 days old  The boathouse door opens with 4711. Note 1" == lines[2].partition("�")[0]
    assert ["    and 2 more", "  cut 1 link  [weak]", "    #9 to #10"] == lines[7:10]
    assert f"Active tokens: {sum(before.values())} before, {sum(after.values())} after." == lines[10]
    assert "  kept: 1 memory of [idle] by pinned because somebody pinned it" == lines[11]
    assert lines[12].startswith("    #1 40 days old  The boathouse")
    assert [] == [line for line in lines if not line.isprintable()]
    assert 7 == receipt.archived


async def test_the_report_of_a_plan_lists_as_many_as_are_asked_for(
    memory: remanence.Engine, clock: ManualClock
) -> None:
    """The plan shows five of an action; the report any number, of a plan from a file too, with texts uncut."""
    await _filled(memory, clock)
    plan = await memory.plan(POLICY)
    some = plan.describe()
    every = await describe(memory._core, Plan.from_json(plan.to_json()), 100)

    assert [("archive", 7, 5), ("unlink", 1, 0)] == [
        (act.name, act.count, len(act.memories)) for act in some.acts
    ]
    assert [7, 0] == [len(act.memories) for act in every.acts]
    assert ((9, 10),) == every.acts[1].links
    assert [seq for act in plan.actions() for seq in act.seqs] == [
        memory.seq for memory in every.acts[0].memories
    ]
    assert all((one.text or "").startswith(SECRET) for one in every.acts[0].memories)
    assert some.digest == every.digest == plan.digest
    assert (some.tokens_before, some.tokens_after) == (every.tokens_before, every.tokens_after)
    assert "more" not in str(every)
    assert "archive 7" in repr(every)


async def test_the_file_of_a_plan_holds_no_text(memory: remanence.Engine, clock: ManualClock) -> None:
    """What is shown beside a plan is not part of it: neither its file nor its digest knows a text."""
    await _filled(memory, clock)
    plan = await memory.plan(POLICY)
    read = Plan.from_json(plan.to_json())

    assert "4711" in str(plan)
    assert "4711" not in plan.to_json()
    assert "    #2, #3, #4, #5, #6, …" in str(read).splitlines()
    assert plan.digest == read.digest


async def test_a_merge_says_into_which(opener: Opener, clock: ManualClock) -> None:
    """Of two that become one the plan names both."""
    merging = (
        'version = 1\nname = "merging"\n[[rule]]\nname = "twins"\nevery = "deep"\nphase = "deduplicate"\n'
        'over = "pairs"\nmin = 0.9\ndo = "merge"\nwhere = "both(status == \'active\')"\n'
    )

    async with opener(embedder=Measured()) as memory:
        await memory.learn(["The tide bell rings at noon.", "At noon the tide bell rings."])
        await memory.consolidate()
        await memory.link(1, 2, "near_duplicate", confidence=0.99)
        clock.advance(hours=2)
        plan = await memory.plan(merging)
    (act,) = plan.describe().acts

    assert ("merge", 1) == (act.name, act.count)
    assert {1, 2} == {act.memories[0].seq, *act.into}
    assert f" into #{act.into[0]}  " in str(plan)


async def test_a_plan_of_another_scope_is_not_described(opener: Opener, clock: ManualClock) -> None:
    """Its numbers mean other memories here."""
    async with opener() as memory:
        await _filled(memory, clock)
        plan = await memory.plan(POLICY)
    async with opener(scope="other") as memory:
        with pytest.raises(InvalidInput, match="is for scope"):
            await describe(memory._core, plan, 5)


@pytest.mark.parametrize("width", [1, 60, 100, 400])
async def test_a_line_is_as_wide_as_is_asked_for(
    width: int, memory: remanence.Engine, clock: ManualClock
) -> None:
    """Texts are cut to the width, and never to less than twenty characters."""
    await memory.learn("x" * 1_000)
    await memory.consolidate()
    clock.advance(days=40)
    (shown,) = [line for line in render((await memory.plan(POLICY)).describe(), width) if " #1 " in line]

    assert max(width, len(shown.partition("x")[0]) + 20) == len(shown)
    assert shown.endswith("x…")


async def test_an_automatic_run_reads_no_texts(memory: remanence.Engine, clock: ManualClock) -> None:
    """Nobody looks at it: a plan is described only where a person asked for it."""
    await _filled(memory, clock)
    read: list[int] = []
    get = memory._core.store.get

    async def counted(scope: str, names: list[int]) -> object:
        read.append(len(names))
        return await get(scope, names)

    memory._core.store.get = counted  # type: ignore[method-assign,assignment]
    await memory.curate(POLICY)

    assert 0 == sum(read)
    assert 40 * DAY < clock.now()
