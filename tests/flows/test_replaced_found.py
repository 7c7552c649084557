"""Who finds by its words what holds no longer is shown what holds instead, which may share none of them."""

import pytest

import remanence
from remanence.core.clock import ManualClock
from remanence.core.model import Turn
from tests.flows.conftest import Opener
from tests.sentences import Sentences

OLD, NEW = "We are hosted at Nuagix for 39 euros.", "Everything runs on machines of the town hall."
ASKED = "Who hosts us, is it Nuagix?"


@pytest.fixture
def memory(telling: remanence.Engine) -> remanence.Engine:
    """An engine whose writer finds what stands in a turn."""
    return telling


async def replaced(
    memory: remanence.Engine, clock: ManualClock, thread: str | None = None, elsewhere: str | None = None
) -> tuple[int, int]:
    """Note something that facts are found in, and let what a person learns take its fact's place."""
    await memory.note(Turn(f"Hello! {OLD} Did you see the match?", speaker="Ana", thread=thread))
    await memory.end_session()
    await memory.consolidate()
    (fact,) = [one for one in await memory.list() if one.text == OLD]
    clock.advance(days=1)
    for number in range(30):
        await memory.learn(f"The tide at quay {number} was low in the morning.", speaker="Ben", thread=thread)
    new = await memory.learn(NEW, speaker="Ana", thread=elsewhere or thread)
    await memory.correct(fact.id, by=new.id)
    return fact.seq, new.seq


@pytest.mark.parametrize("limit", [1, 5])
async def test_what_holds_instead_comes_with_what_holds_no_longer(
    memory: remanence.Engine, clock: ManualClock, limit: int
) -> None:
    """Right above it, without a score of its own, within the limit; the line of the turn says what holds no more."""
    _, new = await replaced(memory, clock)
    found = await memory.recall(ASKED, limit=limit)

    assert (new, 0.0) == (found.memories[0].seq, found.memories[0].score)
    assert "it holds instead" in found.memories[0].stands_above
    assert len(found.memories) <= limit
    assert limit == 1 or "out of date" in found.text


@pytest.mark.parametrize("limit", [5, 20])
async def test_it_comes_once_and_says_why(memory: remanence.Engine, clock: ManualClock, limit: int) -> None:
    """An explanation says what it stands for; what is found further down comes up."""
    _, new = await replaced(memory, clock)
    found = await memory.recall(ASKED, limit=limit, explain=True)
    places = [hit.seq for hit in found.memories]

    assert found.explanation is not None
    (reason,) = [one for one in found.explanation.scores if one.seq == new]
    assert 1 == places.count(new)
    assert "it holds instead" in str(reason)


async def test_a_question_that_finds_it_needs_nothing_more(
    memory: remanence.Engine, clock: ManualClock
) -> None:
    """It keeps the score that it was found with."""
    _, new = await replaced(memory, clock)
    found = await memory.recall("What runs on the machines of the town hall?", limit=5)

    assert new == found.memories[0].seq
    assert found.memories[0].score > 0


@pytest.mark.parametrize(
    ("more", "comes"),
    [
        ({}, True),
        ({"thread": "a"}, True),
        ({"filters": {"speaker": "Ana"}}, False),
        ({"filters": {"tags": ["turn"]}}, False),
    ],
)
async def test_it_comes_only_where_it_may_answer(
    opener: Opener, clock: ManualClock, more: dict[str, object], comes: bool
) -> None:
    """In the conversation that is asked; where anything else is asked for, only what was found."""
    async with opener(writer=Sentences()) as memory:
        _, new = await replaced(memory, clock, thread="a")
        found = await memory.recall(ASKED, limit=3, **more)  # type: ignore[arg-type]

    assert comes == (new in {hit.seq for hit in found.memories})


async def test_what_was_said_in_another_conversation_does_not_come(
    memory: remanence.Engine, clock: ManualClock
) -> None:
    """Who asks within one conversation is shown nothing of another."""
    _, new = await replaced(memory, clock, "a", "b")
    found = await memory.recall(ASKED, limit=3, thread="a")

    assert found.memories
    assert new not in {hit.seq for hit in found.memories}


async def test_what_has_expired_does_not_come(memory: remanence.Engine, clock: ManualClock) -> None:
    """It holds no more than what it replaced."""
    _, new = await replaced(memory, clock)
    await memory.update(new, valid_to=clock.now() + 1)
    clock.advance(days=1)
    found = await memory.recall(ASKED, limit=5)

    assert new not in {hit.seq for hit in found.memories}


async def test_what_fell_since_does_not_come(memory: remanence.Engine, clock: ManualClock) -> None:
    """What is forgotten holds no more either; a budget holds with what comes."""
    _, new = await replaced(memory, clock)
    within = await memory.recall(ASKED, budget=60)
    await memory.forget(new)
    found = await memory.recall(ASKED, limit=5)

    assert new in {hit.seq for hit in within.memories}
    assert within.tokens <= 60
    assert new not in {hit.seq for hit in found.memories}
