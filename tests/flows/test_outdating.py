"""Consolidation compares what is new with its candidates: what no longer holds gives way, or is linked as at odds."""

from dataclasses import replace

import remanence
from remanence.clock import ManualClock
from remanence.llm.base import Judgement
from remanence.model import Relation, Status
from tests.flows.conftest import Opener
from tests.flows.test_newest_truth import claims, links

OLD, NEW = (
    "The hut on the lake has twelve beds.",
    "These days the hut on the lake has room for nine, not twelve.",
)
LEASE, DEARER = "The lease for the boat shed is 310 a month.", "Letter came: the lease goes up to 355."


async def told(
    memory: remanence.Engine, clock: ManualClock, *texts: str, speaker: str = "Ana"
) -> list[remanence.Learned]:
    """Learn some texts an hour apart."""
    learned = []
    for text in texts:
        learned.append(await memory.learn(text, speaker=speaker))
        clock.advance(hours=1)
    return learned


async def test_an_update_that_shares_no_claim_is_linked_and_stands_above(
    opener: Opener, clock: ManualClock
) -> None:
    """Once; and `undo` of the consolidation takes the link back."""
    async with opener(embedder="auto") as memory:
        old, new = await told(memory, clock, LEASE, DEARER)
        done = await memory.consolidate()
        drawn = await links(memory, Relation.CONTRADICTS)
        answer = await memory.recall("What is the lease for the boat shed?", count_use=False)
        again = await memory.consolidate()
        assert done.run is not None
        await memory.undo(done.run)
        left = await links(memory, Relation.CONTRADICTS)

    assert (1, 0) == (done.contradictions, done.superseded)
    assert [(old.seq, new.seq)] == drawn
    assert [new.id, old.id] == [hit.id for hit in answer.memories]
    assert 0 == again.contradictions
    assert [] == left


async def test_a_sure_update_takes_the_place_in_the_commit_that_undo_takes_back(
    opener: Opener, clock: ManualClock
) -> None:
    """Status, times, link and claims at once, also where the older one is in the inbox still."""
    text = "Since May the hut on the lake has nine beds."
    async with opener(embedder="auto") as memory:
        old, new = await told(memory, clock, "The hut on the lake: twelve beds.", text)
        before = replace(await memory.get(old.id), revision=0, touched=0)
        done = await memory.consolidate()
        was, now = await memory.get(old.id), await memory.get(new.id)
        drawn = await links(memory, Relation.SUPERSEDES)
        similar = await links(memory, Relation.SIMILAR)
        assert done.run is not None
        await memory.undo(done.run)
        after = replace(await memory.get(old.id), revision=0, touched=0)

    assert (0, 1) == (done.contradictions, done.superseded)
    assert (Status.SUPERSEDED, now.said_at) == (was.status, was.valid_to)
    assert (Status.ACTIVE, now.said_at) == (now.status, now.valid_from)
    assert [(new.seq, old.seq)] == drawn
    assert [] == similar
    assert before == after


async def test_what_is_protected_or_said_by_others_stands(opener: Opener, clock: ManualClock) -> None:
    """A pin, a hold, identity, another speaker: the two are at odds at most."""
    old, new = "The hut on the lake: twelve beds.", "Since May the hut on the lake has nine beds."
    for guard in ("pin", "hold", "self"):
        async with opener(embedder="auto", scope=guard) as memory:
            first = await memory.learn(old, speaker="Ana", tags=["self/value"] if guard == "self" else [])
            if guard == "pin":
                await memory.pin(first.id)
            if guard == "hold":
                await memory.hold(first.id, "audit")
            clock.advance(hours=1)
            await memory.learn(new, speaker="Ana")
            done = await memory.consolidate()
            stands = (await memory.get(first.id)).status

        assert (guard, Status.ACTIVE, 1, 0) == (guard, stands, done.contradictions, done.superseded)


async def test_three_values_in_one_inbox_come_to_the_last(opener: Opener, clock: ManualClock) -> None:
    """Each takes the place of the one before it, in one commit."""
    texts = ["The hut on the lake: twelve beds."]
    texts += [f"Now the hut on the lake has {number} beds." for number in ("nine", "seven")]
    async with opener(embedder="auto") as memory:
        learned = await told(memory, clock, *texts)
        await memory.consolidate()
        found = [(await memory.get(one.id)).status for one in learned]
        held = await claims(memory, *(one.seq for one in learned))
        doctored = await memory.doctor()

    assert [Status.SUPERSEDED, Status.SUPERSEDED, Status.ACTIVE] == found
    assert all(one.replaced_by is not None for one in held if one.seq != learned[-1].seq)
    assert [] == [one for one in doctored if not one.ok]


async def test_a_fact_is_not_at_odds_with_its_own_turn(opener: Opener, clock: ManualClock) -> None:
    """Nor are two facts of one turn with each other."""
    async with opener(embedder="auto") as memory:
        turn, one, other = await told(
            memory,
            clock,
            "The lease was 310, it goes up to 355 now.",
            "The lease goes up to 355 now.",
            "Since May the lease is 355 a month.",
        )
        for fact in (one, other):
            await memory.link(fact.id, turn.id, "learned_from")
        done = await memory.consolidate()

    assert (0, 0) == (done.contradictions, done.superseded)


async def test_of_a_contradiction_the_one_believed_more_is_above(opener: Opener, clock: ManualClock) -> None:
    """Whatever was said last and however often it was confirmed; a frame says so too."""
    async with opener(embedder="auto") as memory:
        user = await memory.learn("The library closes at nine.", speaker="Ana")
        clock.advance(hours=1)
        page = await memory.learn("The library closes at eight.", speaker="page", trust="outside")
        await memory.consolidate()
        await memory.confirm(page.id)
        answer = await memory.recall("When does the library close?", count_use=False)
        framed = await memory.frame("attention", "When does the library close?")

    assert [user.id, page.id] == [hit.id for hit in answer.memories]
    assert [(), (user.id,)] == [hit.contradicted_by for hit in answer.memories]
    assert [user.id, page.id] == [hit.id for hit in framed.memories]


async def test_a_pair_that_rules_and_judge_name_counts_once(opener: Opener, clock: ManualClock) -> None:
    """Contradictions are counted by pair, whoever names it, and from whichever end."""

    class Contradicts:
        name = "contradicts"

        async def judge(self, text: str, identity: str, others: dict[str, str]) -> Judgement:
            del text, identity
            return Judgement(0.5, dict.fromkeys(others, 1.0))

    async with opener(embedder="auto", writer=Contradicts()) as memory:
        await told(memory, clock, LEASE, DEARER)
        done = await memory.consolidate()
        drawn = await links(memory, Relation.CONTRADICTS)

    assert 1 == done.contradictions == len(drawn)
