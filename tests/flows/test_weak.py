"""A weak answer says so first and counts as nobody's use, an unsure one says so; nothing is kept back for it."""

import pytest

import remanence
from remanence.core.results import UNSURE, WEAK
from remanence.faces.mcp.tools import Tools
from remanence.llm.base import SimilarityThresholds
from remanence.llm.offline import HashedEmbedder

TALK = (
    "The door key of the boathouse is 4471.",
    "Ingrid is allergic to walnuts.",
    "The ferry to Skagen leaves at noon on Sundays.",
    "We painted the fence green in May.",
    "Olav keeps bees behind the smithy.",
)
ANSWERED = "What is the door key of the boathouse?"
UNANSWERED = "Which orchestra did the senator conduct in Lisbon?"
HALF = "Which door of the senate did the orchestra in Lisbon leave by?"  # one word of it is here


class Undeclared(HashedEmbedder):
    """An embedder that declares no floor."""

    name = "undeclared"
    thresholds = SimilarityThresholds(similar=0.5, near=0.85)


async def told(engine: remanence.Engine) -> None:
    """Learn the talk."""
    await engine.learn(remanence.Turn(text) for text in TALK)
    await engine.consolidate()


async def uses(engine: remanence.Engine) -> int:
    """Return how many uses were counted, those that wait included."""
    await engine._core.uses.settle()
    return sum(memory.uses for memory in await engine.list())


@pytest.mark.parametrize("embedder", ["auto", "hashed", "none"])
async def test_a_weak_answer_begins_by_saying_so(embedder: str) -> None:
    """Recall and frame: the line first, then all the same what was found, and no use is counted."""
    async with remanence.open(embedder=embedder) as memory:
        await told(memory)
        weak = [await memory.recall(UNANSWERED), await memory.frame("attention", UNANSWERED)]
        counted = await uses(memory)

        assert [(WEAK, True)] * 2 == [(one.text.splitlines()[0], one.is_weak) for one in weak]
        assert [one.text.count("\n[") for one in weak] == [len(one.memories) for one in weak]
        assert 0 == counted


@pytest.mark.parametrize("embedder", ["auto", "hashed", "none"])
async def test_an_answer_that_is_not_weak_begins_with_memories(embedder: str) -> None:
    """What answers the question stands alone, and counts as used."""
    async with remanence.open(embedder=embedder) as memory:
        await told(memory)
        answers = [await memory.recall(ANSWERED, limit=1), await memory.frame("task", ANSWERED)]
        counted = await uses(memory)

        assert [False, False] == [one.is_weak for one in answers]
        assert not any(WEAK in one.text for one in answers)
        assert sum(len(one.memories) for one in answers) == counted > 0


@pytest.mark.parametrize("embedder", ["auto", "hashed"])
async def test_an_unsure_answer_says_so_and_counts(embedder: str) -> None:
    """What few memories hold half of is unsure: the line stands first, and what was found counts as used."""
    async with remanence.open(embedder=embedder) as memory:
        await told(memory)
        answer = await memory.recall(HALF)
        counted = await uses(memory)

    assert (UNSURE, True, False) == (answer.text.splitlines()[0], answer.is_unsure, answer.is_weak)
    assert len(answer.memories) == counted > 0


async def test_a_floor_falls_with_the_memories_there_are() -> None:
    """Of two scopes that hold the same answer the one with a hundred other memories calls it weak."""
    async with remanence.open() as memory, remanence.open() as crowded:
        await told(memory)
        await told(crowded)
        await crowded.learn(f"Crate {number} holds {number * 7} nails." for number in range(600))
        answers = [await one.recall(HALF) for one in (memory, crowded)]

    assert [False, True] == [one.is_weak for one in answers]


async def test_without_a_question_nothing_is_weak() -> None:
    """A frame that is asked nothing, and boot, answer nothing: there is nothing to be weak."""
    async with remanence.open() as memory:
        await told(memory)
        shown = [await memory.frame("attention"), await memory.frame("boot")]

        assert [False, False] == [one.is_weak for one in shown]


async def test_an_embedder_without_a_floor_calls_nothing_weak() -> None:
    """What nobody calibrated is judged by the caller, who is told the strength."""
    async with remanence.open(embedder=Undeclared()) as memory:
        await told(memory)
        answer = await memory.recall(HALF)

        assert (False, True) == (answer.is_weak, 0 < answer.strength < 0.3)
        assert WEAK not in answer.text


async def test_the_line_of_a_weak_answer_is_within_the_budget() -> None:
    """What says that an answer is weak counts as tokens, too."""
    async with remanence.open() as memory:
        await told(memory)
        wide = await memory.recall(UNANSWERED)
        tight = await memory.recall(UNANSWERED, budget=wide.tokens - 1)

        assert len(tight.memories) == len(wide.memories) - 1
        assert tight.text.startswith(WEAK)


async def test_a_tool_says_so_before_the_data() -> None:
    """Over MCP the line stands before the marks, and the strength behind them; without a question there is none."""
    async with remanence.open() as memory:
        await told(memory)
        tools = Tools(memory, allow_curation=False)
        weak, sure, shown = (
            await tools.recall(UNANSWERED),
            await tools.recall(ANSWERED),
            await tools.frame("boot"),
        )

    assert [True, False, False] == [text.startswith(f"{WEAK}\n") for text in (weak, sure, shown)]
    assert [1, 0, 0] == [text.count(WEAK) for text in (weak, sure, shown)]
    assert [True, True, False] == ["\nStrength: " in text for text in (weak, sure, shown)]


@pytest.mark.parametrize("budget", [1, 5, 9, 40])
async def test_a_weak_answer_keeps_within_a_tiny_budget(budget: int) -> None:
    """What it says of itself counts; where there is no room for that, `is_weak` says it alone."""
    async with remanence.open() as memory:
        await told(memory)
        answer = await memory.recall(UNANSWERED, budget=budget)

    assert answer.is_weak
    assert answer.tokens <= budget
