"""Consolidation compares what is new with its candidates: what may hold no longer is linked, or is at odds."""

import pytest

import remanence
from remanence.core.clock import ManualClock
from remanence.core.model import Relation, Status
from remanence.llm.base import Judgement
from tests.flows.conftest import Opener
from tests.flows.test_newest_truth import links

OLD, NEW = (
    "The hut on the lake has twelve beds.",
    "These days the hut on the lake has room for nine, not twelve.",
)
LEASE, DEARER = "The lease for the boat shed is 310 a month.", "Letter came: the lease goes up to 355."


async def told(
    memory: remanence.Engine, clock: ManualClock, *texts: str, speaker: str = "Ana"
) -> list[remanence.LearnResult]:
    """Learn some texts an hour apart."""
    learned = []
    for text in texts:
        learned.append(await memory.learn(text, speaker=speaker))
        clock.advance(hours=1)
    return learned


async def test_an_update_that_shares_no_claim_is_linked_and_stands_above(
    opener: Opener, clock: ManualClock
) -> None:
    """Once; both stand, and `undo` of the consolidation takes the link back."""
    async with opener(embedder="auto") as memory:
        old, new = await told(memory, clock, LEASE, DEARER)
        done = await memory.consolidate()
        drawn = await links(memory, Relation.NEWER)
        answer = await memory.recall("What is the lease for the boat shed?", count_use=False)
        off = await memory.recall("What is the lease for the boat shed?", count_use=False, newer_first=False)
        again = await memory.consolidate()
        assert done.run is not None
        await memory.undo(done.run)
        left = await links(memory, Relation.NEWER)

    assert (1, 0) == (done.newer, done.contradictions)
    assert [(new.seq, old.seq)] == drawn
    assert [new.id, old.id] == [hit.id for hit in answer.memories]
    assert [f"#{old.seq}: said later, and linked as newer", ""] == [
        one.stands_above for one in answer.memories
    ]
    assert [old.id, new.id] == [hit.id for hit in off.memories]
    assert 0 == again.newer
    assert [] == left


async def test_words_of_change_alone_take_no_place(opener: Opener, clock: ManualClock) -> None:
    """However sure it looks, both stand, whoever says it and whatever protects the older one."""
    old, new = "The hut on the lake: twelve beds.", "Since May the hut on the lake has nine beds."
    for guard in ("none", "pin", "self"):
        async with opener(embedder="auto", scope=guard) as memory:
            first = await memory.learn(old, speaker="Ana", tags=["self/value"] if guard == "self" else [])
            if guard == "pin":
                await memory.pin(first.id)
            clock.advance(hours=1)
            await memory.learn(new, speaker="Ana")
            done = await memory.consolidate()
            stands = (await memory.get(first.id)).status

        assert (guard, Status.ACTIVE, 1) == (guard, stands, done.newer)


async def test_of_three_values_in_one_inbox_each_is_newer_than_one(
    opener: Opener, clock: ManualClock
) -> None:
    """The likeliest alone, though all share the same words."""
    texts = ["The hut on the lake: twelve beds."]
    texts += [
        f"Since {month} the hut on the lake boasts {beds} beds." for month, beds in (("May", 9), ("July", 7))
    ]
    async with opener(embedder="auto") as memory:
        await told(memory, clock, *texts)
        done = await memory.consolidate()
        drawn = await links(memory, Relation.NEWER)
        doctored = await memory.doctor()

    assert 1 <= done.newer == len(drawn) <= 2
    assert [] == [one for one in doctored if not one.ok]


async def test_a_turn_is_left_to_its_facts(opener: Opener, clock: ManualClock) -> None:
    """The link is between facts where there are facts: one pair is one link."""
    async with opener(embedder="auto") as memory:
        first = await memory.learn("Well, 310 a month it is.", speaker="Ana", tags=["turn"], kind="episodic")
        (old,) = await told(memory, clock, LEASE)
        said = f"You know what, {DEARER}"
        second = await memory.learn(said, speaker="Ana", tags=["turn"], kind="episodic")
        (new,) = await told(memory, clock, DEARER)
        facts, turns = (old, new), (first, second)
        for fact, turn in zip(facts, turns, strict=True):
            await memory.link(fact.id, turn.id, "learned_from")
        await memory.consolidate()
        drawn = await links(memory, Relation.NEWER)

    assert [(facts[1].seq, facts[0].seq)] == drawn


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

    assert (0, 0) == (done.newer, done.contradictions)


async def test_facts_told_in_passing_are_at_odds_with_none(opener: Opener, clock: ManualClock) -> None:
    """They name who speaks where the turn said "I", and their words of change say of nothing that it changed."""
    async with opener(embedder="auto") as memory:
        await told(
            memory,
            clock,
            "Ana is proud of Ana's orchard.",
            "Ana bottles cider from the orchard.",
            "Lately, Ana has been reading about orchards.",
            "Since they last spoke Ana has pruned the orchard.",
            "Finally Ana can sit in the orchard with a friend.",
            "Ana picked apples in the orchard (mon)",
            "Ana picked apples in the orchard again (tue)",
        )
        done = await memory.consolidate()

    assert (0, 0) == (done.newer, done.contradictions)


@pytest.mark.parametrize(
    "texts",
    [
        ("The fair is on the 6th.", "Correction: the fair is on the 13th.", "The fair is on the 13th."),
        ("The lease is 310 a month.", "The lease went up to 355 a month.", "Lease: 355 a month"),
    ],
    ids=["claims", "words of change"],
)
async def test_nobody_is_at_odds_with_what_was_taken_back(
    opener: Opener, clock: ManualClock, texts: tuple[str, str, str]
) -> None:
    """Who repeats a correction says nothing against what is no longer said, in one batch and in the next."""
    old, new, again = texts
    async with opener(embedder="auto") as memory:
        first, second = await told(memory, clock, old, new)
        await memory.learn(again, speaker="Helper", role="assistant")
        await memory.consolidate()
        await memory.learn(f"{again} ", speaker="poster", trust="outside")
        await memory.consolidate()
        newer, odds = await links(memory, Relation.NEWER), await links(memory, Relation.CONTRADICTS)

    assert [(second.seq, first.seq)] == newer
    assert [] == odds


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
