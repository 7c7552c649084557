"""What says the same by its words alone becomes one memory, whatever the embedder; all else stays linked."""

import pytest

import remanence
from remanence.core.clock import ManualClock
from remanence.core.model import Relation, Status
from remanence.text.twins import SAME_WORDS, UNSURE_MAX
from tests.flows.conftest import Opener

MERGE = """
version = 1
name = "merge"

[[rule]]
name = "twins"
every = "deep"
phase = "deduplicate"
over = "pairs"
min = 0.85
do = "merge"
where = "both(status == 'active')"
survivor = "seq"
"""
SAME = ("On market days, the ferry comes late", "On market days the ferry comes late!")
MOVED = ("A ferry waits by the quay", "By the quay a ferry waits")


async def _told(memory: remanence.Engine, *texts: str) -> None:
    for text in (*texts, "The heron nests by the weir", "Flour is bought at the mill"):
        await memory.learn(text)
    await memory.consolidate()


async def _sure(memory: remanence.Engine) -> float | None:
    (link,) = [one for one in await memory.links(1) if one.relation is Relation.NEAR_DUPLICATE]
    return link.confidence


async def _statuses(memory: remanence.Engine) -> list[Status]:
    return [(await memory.get(seq)).status for seq in (1, 2)]


@pytest.mark.parametrize("embedder", ["auto", "hashed"])
async def test_the_same_words_are_merged_with_an_embedder_that_nobody_measured(
    opener: Opener, clock: ManualClock, embedder: str
) -> None:
    """They are linked as sure, and a rule makes them one."""
    async with opener(embedder=embedder) as memory:
        await _told(memory, *SAME)
        sure = await _sure(memory)
        clock.advance(hours=2)
        done = await memory.apply(await memory.plan(MERGE), allow_destroyed=1)
        found = await _statuses(memory)

    assert (SAME_WORDS, 1) == (sure, done.counts["merge"])
    assert [Status.ACTIVE, Status.SUPERSEDED] == found


@pytest.mark.parametrize("embedder", ["auto", "hashed"])
async def test_a_clause_elsewhere_keeps_two_memories_linked(
    opener: Opener, clock: ManualClock, embedder: str
) -> None:
    """However alike their vectors, the link is not sure enough, and the plan says why both stay."""
    async with opener(embedder=embedder) as memory:
        await _told(memory, *MOVED)
        sure = await _sure(memory)
        clock.advance(hours=2)
        plan = await memory.plan(MERGE)

    assert (UNSURE_MAX, 0) == (sure, plan.counts.get("merge", 0))
    assert any("their words differ" in note for note in plan.notes)


async def test_both_are_recovered_whatever_was_used_since(opener: Opener, clock: ManualClock) -> None:
    """Undone, both stand with their own tags and sources, and the uses since stay with whom they were counted."""
    async with opener(embedder="auto") as memory:
        await memory.learn(SAME[0], tags=("red",), source="letter")
        await memory.learn(SAME[1], tags=("blue",), source="call", confidence=0.8)
        await _told(memory)
        before = [await memory.get(seq) for seq in (1, 2)]
        clock.advance(hours=2)
        done = await memory.apply(await memory.plan(MERGE), allow_destroyed=1)
        one = await memory.get(1)
        clock.advance(days=1)
        await memory.recall("the ferry on market days", limit=1)
        await memory.rate(1, 1.0)
        restored = await memory.restore(2)
        again = await _statuses(memory)
        await memory.undo(restored)
        await memory.undo(done)
        after = [await memory.get(seq) for seq in (1, 2)]

    assert ({"red", "blue"}, {"letter", "call"}, 0.8) == ({*one.tags}, {*one.sources}, one.confidence)
    assert [Status.ACTIVE, Status.ACTIVE] == again
    assert [(was.text, was.tags, was.sources, was.confidence) for was in before] == [
        (now.text, now.tags, now.sources, now.confidence) for now in after
    ]
    assert [before[0].uses + 1, before[1].uses] == [now.uses for now in after]


async def test_no_link_decides_by_itself(opener: Opener, clock: ManualClock) -> None:
    """Who draws a link, or alters a text after it was drawn, makes no pair one: the texts are read again."""
    async with opener(embedder="auto") as memory:
        await _told(memory, *SAME)
        plan = await memory.plan(MERGE)
        await memory.update(2, text="On market days the ferry comes early.")
        await memory.link(1, 2, "near_duplicate", weight=1.0, confidence=1.0, if_exists="update")
        clock.advance(hours=2)
        late = await memory.apply(plan, allow_destroyed=1)
        again = await memory.plan(MERGE)
        told = await memory.explain(1, MERGE)
        found = await _statuses(memory)

    assert (1, 0, 0) == (plan.counts["merge"], late.counts.get("merge", 0), again.counts.get("merge", 0))
    assert Status.SUPERSEDED not in found
    assert "kept by words that differ" in str(told)


async def test_who_says_it_counts(opener: Opener, clock: ManualClock) -> None:
    """What two people say in the same words stays with either."""
    async with opener(embedder="auto") as memory:
        await memory.learn("I like the quay at dawn.", speaker="Ada")
        await memory.learn("I like the quay, at dawn", speaker="Bea")
        await memory.consolidate()
        await memory.link(1, 2, "near_duplicate", weight=1.0, confidence=1.0)
        clock.advance(hours=2)
        plan = await memory.plan(MERGE)

    assert 0 == plan.counts.get("merge", 0)
