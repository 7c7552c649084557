"""A budget is one of tokens, and what answers best is never left out of it without a word."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import remanence
from remanence.core.errors import ExtensionError
from remanence.core.results import WEAK
from remanence.flows.recall.memory_lines import NO_ROOM
from remanence.text.tokens import token_counts

LONG = (
    "We met the landlord on Tuesday to talk about the roof, the heating and the bins behind the house. "
    "He said that the front door key is 4711 since the last tenants left. "
    "Then he showed us the cellar, where the bicycles stand, and the meter that nobody has read since March."
)
SHORT = "The door is blue."
ASKED = "What is the front door key?"


async def told(memory: remanence.Engine) -> None:
    """Learn a long memory that answers, and a short one that does not."""
    await memory.learn(LONG, thread="a")
    await memory.learn(SHORT, thread="b")


async def test_the_best_hit_is_cut_to_the_budget_and_marked() -> None:
    """Where one is wanted it gets all the room, from where the question's words stand; no other takes its place."""
    async with remanence.open(embedder="none") as memory:
        await told(memory)
        answer = await memory.recall(ASKED, limit=1, budget=30, count_use=False)

    (hit,) = answer.memories
    assert (LONG, True) == (hit.memory.text, hit.cut)
    assert answer.text.split("] ")[0].endswith("; cut")
    assert "front door key is 4711" in answer.text
    assert answer.text.count("…") == 2
    assert 20 < answer.tokens <= 30
    assert () == answer.dropped


async def test_the_best_hit_leaves_others_half_of_the_room() -> None:
    """Where more are wanted, a hit that would fill the budget is cut to half, and to what the others leave."""
    async with remanence.open(embedder="none") as memory:
        await told(memory)
        answer = await memory.recall(ASKED, budget=75, count_use=False)

    assert [(LONG, True), (SHORT, False)] == [(hit.memory.text, hit.cut) for hit in answer.memories]
    assert 60 < answer.tokens <= 75


async def test_what_fits_is_whole() -> None:
    """With room enough nothing is cut."""
    async with remanence.open(embedder="none") as memory:
        await told(memory)
        answer = await memory.recall(ASKED, budget=200, count_use=False)

    assert [False, False] == [hit.cut for hit in answer.memories]
    assert "…" not in answer.text + str(answer.dropped)


async def test_a_budget_too_small_for_the_best_says_so() -> None:
    """No other hit passes for the best; where not even the sentence fits, there is no text, and the best is named."""
    async with remanence.open(embedder="none") as memory:
        await told(memory)
        little, none = [await memory.recall(ASKED, budget=budget, count_use=False) for budget in (14, 3)]

    assert [(NO_ROOM, ()), ("", ())] == [(one.text, one.memories) for one in (little, none)]
    (best,) = little.dropped
    assert best.reason.endswith("tokens are more than the whole budget of 14")


@settings(max_examples=60, deadline=None)
@given(
    texts=st.lists(
        st.text(
            st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=300
        ).filter(lambda text: bool(text.strip())),
        min_size=1,
        max_size=6,
        unique=True,
    ),
    budget=st.integers(1, 150),
    limit=st.integers(1, 5),
)
async def test_a_recall_stays_within_any_budget(texts: list[str], budget: int, limit: int) -> None:
    """Whatever is stored, the whole text costs no more than was asked for, and the best hit leads it or is dropped."""
    async with remanence.open(embedder="hashed") as memory:
        await memory.learn(remanence.Turn(text) for text in texts)
        free = await memory.recall(texts[0], limit=limit, count_use=False)
        answer = await memory.recall(texts[0], limit=limit, budget=budget, count_use=False)

    assert budget >= answer.tokens == (token_counts([answer.text])[0] if answer.text else 0)
    assert answer.memories[:1] == () or answer.memories[0].id == free.memories[0].id
    said = [line for line in answer.text.splitlines() if not line.startswith("[")]
    assert set(said) <= {WEAK, NO_ROOM}
    assert len(answer.memories) == len(answer.text.splitlines()) - len(said)


async def test_a_counter_of_ones_own_is_the_measure() -> None:
    """With `tokens` a budget is one of what it counts, in recall, frames and boot."""
    async with remanence.open(embedder="none", tokens=lambda text: len(text.split())) as memory:
        await told(memory)
        answers = [
            await memory.recall(ASKED, budget=12, count_use=False),
            await memory.frame("attention", ASKED, budget=25, count_use=False),
            await memory.frame("boot", budget=20),
        ]

    assert [len(one.text.split()) for one in answers] == [one.tokens for one in answers]
    assert all(bound >= one.tokens > bound - 8 for one, bound in zip(answers, (12, 25, 20), strict=True))


@pytest.mark.parametrize("said", [-1, 1.0, True, None, "3"])
async def test_what_is_no_number_of_tokens_is_refused(said: Any) -> None:
    """A counter returns whole numbers of at least 0; it is named where it does not, and nothing counts as used."""
    async with remanence.open(embedder="none", tokens=lambda _: said) as memory:
        await told(memory)
        with pytest.raises(ExtensionError, match=r"the token counter .*lambda> returned") as refused:
            await memory.recall(ASKED, budget=50)
        await memory._core.uses.settle()

        assert "at least 0" in refused.value.recovery
        assert 0 == (await memory.get(1)).uses


async def test_a_counter_that_raises_is_named() -> None:
    """Whatever it raises, it is said whose it is, with the error beside it."""

    def broken(_: str) -> int:
        raise LookupError("no such vocabulary")

    async with remanence.open(embedder="none", tokens=broken) as memory:
        await told(memory)
        with pytest.raises(
            ExtensionError, match=r"broken failed: LookupError: no such vocabulary"
        ) as refused:
            await memory.frame("boot")

        assert isinstance(refused.value.__cause__, LookupError)
