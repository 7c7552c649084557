"""The preset `autonomous` through the verbs of an engine: what it adds to mvs, what it fills in and never writes."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

import remanence
from remanence.core.clock import DAY, ManualClock
from remanence.core.model import Relation
from remanence.curate.policy.compiled import load
from tests.flows.conftest import Measured
from tests.flows.stories import HERON, Case, Story, due, ends, happens, learned, linked, waits
from tests.flows.test_mvs import worth

CASES = [
    Case("unsaid-confidence", [learned(category="memory_entry"), due("unsaid-confidence", 7.03)], waits(1)),
    Case(
        "said-twice",
        [
            learned(category="fact"),
            learned("By the weir the heron nests", category="fact"),
            waits(2 * DAY),
        ],
        linked(Relation.NEAR_DUPLICATE, 0.97),
    ),
]
# What is worth less than 3 is no longer to be improved.
ENDS = [
    Case("unsaid-confidence", [learned(category="memory_entry"), due("little-worth-cold", 46.69)], waits(1))
]


@pytest.fixture
async def story(tmp_path: Path) -> AsyncIterator[Story]:
    """An empty memory in a file."""
    clock = ManualClock()
    async with remanence.open(tmp_path / "memory.db", clock=clock, embedder=Measured()) as memory:
        yield Story(memory, clock, "autonomous")


def test_every_rule_has_a_case() -> None:
    """The rules and guards of mvs, and through it of the janitor, are its own; what it adds is tried here."""
    mine, theirs = load("autonomous"), load("mvs")
    same = {rule.name: rule.written for rule in theirs.rules}

    assert sorted({rule.name for rule in mine.rules} - same.keys()) == sorted(case.rule for case in CASES)
    assert same == {rule.name: rule.written for rule in mine.rules if rule.name in same}
    assert {guard.name: guard.where for guard in theirs.guards} == {
        guard.name: guard.where for guard in mine.guards
    }


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.rule)
async def test_a_rule_fires_at_its_instant(story: Story, case: Case) -> None:
    """Not before: what is planned then is done, and afterwards there is nothing more to do."""
    assert await happens(story, case)


@pytest.mark.parametrize("case", ENDS, ids=lambda case: case.rule)
async def test_a_rule_acts_as_long_as_it_says(story: Story, case: Case) -> None:
    """To the microsecond."""
    assert await ends(story, case)


async def test_what_is_improved_is_worth_what_the_formula_says(story: Story) -> None:
    """To six digits: 2 x 0.5 more; its text is as it was, and who said how sure a memory is, is not contradicted."""
    await story.learn(category="memory_entry")
    await story.learn("Flour is dear", category="memory_entry", confidence=0.1)
    before = [await story.memory.get(seq) for seq in (1, 2)]
    story.wait(8 * DAY)
    bare = await story.values("mvs")
    run = await story.memory.curate("autonomous")
    after = [await story.memory.get(seq) for seq in (1, 2)]

    assert pytest.approx((worth("memory_entry", before[0].tokens, unused=8),), abs=1e-6) == bare
    assert pytest.approx((bare[0] + 1,), abs=1e-6) == await story.values("mvs")
    assert [0.5, 0.1] == [one.confidence for one in after]
    assert [one.text for one in before] == [one.text for one in after]
    assert 1 == run.improved
    assert "improve by unsaid-confidence" in str(after[0].last_action)
    assert "improve by" not in str(after[1].last_action)


async def test_undo_takes_an_improvement_back(story: Story) -> None:
    """Nobody has said then how sure it is; the run is listed with what it did."""
    await story.learn(category="memory_entry")
    story.wait(8 * DAY)
    run = await story.memory.curate("autonomous")
    said = str(await story.memory.history(run=run.run))
    await story.memory.undo(run)

    assert "improve" in said
    assert (await story.memory.get(1)).confidence is None


async def test_a_plan_of_improvements_is_applied_from_a_file(story: Story) -> None:
    """As it was shown."""
    await story.learn(category="memory_entry")
    story.wait(8 * DAY)
    data = (await story.memory.plan("autonomous")).to_json()
    await story.memory.apply(remanence.Plan.from_json(data), policy="autonomous")

    assert 0.5 == (await story.memory.get(1)).confidence


async def test_a_belief_of_which_nobody_said_how_sure_it_is_stays_so(story: Story) -> None:
    """A guard keeps it because that is unknown; no rule of ours fills it in and lets it go."""
    await story.learn(category="belief")
    for _ in range(4):
        story.wait(100 * DAY)
        await story.memory.curate("autonomous")

    assert (await story.memory.get(1)).confidence is None


async def test_tasks_and_notices_that_say_the_same_stay_two(story: Story) -> None:
    """They are two things to do, and two times that somebody was told."""
    await story.learn(category="task")
    await story.learn("By the weir the heron nests", category="task")
    story.wait(2 * DAY)
    await story.memory.link(1, 2, "near_duplicate", confidence=0.99)

    assert [] == await story.only("said-twice")


async def test_token_counts_and_vectors_come_with_a_text(story: Story, tmp_path: Path) -> None:
    """Also with one that comes from a file of words alone, so that no run has to fill them in."""
    async with remanence.open(tmp_path / "words.db", embedder="none") as words:
        await words.learn(HERON, category="fact")
        await words.consolidate()
        lines = [line async for line in words.export()]
    await story.memory.import_(lines)
    await story.memory.learn("Flour is dear", category="fact")
    there = await story.memory.list()
    found = [await story.memory.recall(question, limit=1) for question in ("heron", "flour")]

    assert [] == [one.seq for one in there if not one.tokens]
    assert all(hit.parts["cosine"] > 0 for one in found for hit in one.memories)
