"""Every budget from 30 tokens up holds, and no memory that is too long keeps out those behind it."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import remanence
from remanence.core.model import RecallResult, Turn
from remanence.text.tokens import token_counts

from .conftest import Opener

WORDS = (
    "harbour lamp tide gate keeper fog bell rope 灯台 маяк 4711 TKT-100 /etc/app/conf 👍 Ünï purser".split()
)
TAGS = ("self/goal", "self/constitutional", "self/value", "mind/crew")
ASKED = (None, "harbour lamp keeper", "Ünï 4711 tide?", "Who sold the observatory?")
LENGTHS = (2, 6, 12, 30, 200)
OVERSIZED = 4_000  # words, of more tokens than the largest budget


def count(answer: RecallResult) -> int:
    """Count the tokens of the text of an answer."""
    return token_counts([answer.text])[0] if answer.text else 0


def find_faults(answer: RecallResult, budget: int, standing: int) -> list[str]:
    """Say what is wrong with an answer: too much text, a number that does not add up, nothing said."""
    total = len(answer.memories) + sum(answer.left_out.values())
    return (
        [f"{answer.tokens} told of {count(answer)}"]
        * (count(answer) > budget or count(answer) != answer.tokens)
        + [f"{answer.left_out}"] * (min(answer.left_out.values(), default=0) < 0)
        + [f"{total} of {standing}"] * (total != standing)
        + ["says nothing"] * (not answer.text and "budget" in answer.left_out)
    )


async def filled(memory: remanence.Engine, numbers: random.Random, many: int) -> None:
    """Learn random memories, one of them longer than any budget, and let some contradict each other."""
    lengths = [OVERSIZED, *numbers.choices(LENGTHS, k=many - 1)]
    turns = [
        Turn(
            f"{' '.join(numbers.choices(WORDS, k=length))} {k}",
            tags=tuple(numbers.sample(TAGS, k=numbers.choice((0, 0, 0, 1)))),
            thread=f"t{k % 3}",
            speaker=numbers.choice((None, "Ann", "Somebody of a Long Name")),
            source=numbers.choice((None, f"log.txt:{k}")),
        )
        for k, length in enumerate(lengths)
    ]
    learned = await memory.learn_many(turns)
    for one, other in (numbers.sample(learned, 2) for _ in range(many // 3)):
        await memory.link(one.id, other.id, "contradicts", weight=0.9)
    for one in numbers.sample(learned, k=many // 5):
        await memory.dispute(one.id)


@settings(max_examples=10, deadline=None)
@given(
    seed=st.integers(0, 10_000), many=st.integers(2, 40), budgets=st.lists(st.integers(30, 3_000), max_size=4)
)
async def test_every_budget_from_thirty_tokens_up_holds(seed: int, many: int, budgets: list[int]) -> None:
    """Template, marks and brackets included, in frames, recall and boot, beside a memory longer than all budgets."""
    numbers, wrong = random.Random(seed), []
    async with remanence.open(embedder=numbers.choice(("none", "hashed"))) as memory:
        await filled(memory, numbers, many)
        for budget in [30, 45, *budgets]:
            limit = numbers.choice((1, 5, 50))
            answers = {"boot": await memory.boot(budget=budget)}
            for asked in ASKED:
                for name in ("self", "attention", "task"):
                    answers[f"{name} {asked}"] = await memory.frame(
                        name, asked, budget=budget, limit=limit, count_use=False
                    )
            wrong += [
                (name, budget, bad) for name, one in answers.items() for bad in find_faults(one, budget, many)
            ]
            for query in filter(None, ASKED):
                recalled = await memory.recall(query, budget=budget, limit=limit, count_use=False)
                wrong += [("recall", budget, str(recalled.tokens))] * (count(recalled) > budget)

    assert [] == wrong


@pytest.mark.parametrize("asked", [None, "When does the tide turn?"])
async def test_what_is_too_long_keeps_out_nobody(opener: Opener, asked: str | None) -> None:
    """Behind any number of memories that fill no gap the short one that fits is looked for and shown."""
    async with opener(embedder="none") as memory:
        long = " ".join(["the tide turns", *["and turns"] * 40])
        await memory.learn("Tide.", thread="short", confidence=0.0)
        await memory.learn_many([Turn(f"{long} {k}", thread=f"t{k}", confidence=1.0) for k in range(800)])
        answer = await memory.frame("attention", asked, limit=300, budget=90, count_use=False)
        recalled = await memory.recall("When does the tide turn?", limit=300, budget=80, count_use=False)

    assert "Tide." in [hit.text for hit in answer.memories]
    assert "Tide." in [hit.text for hit in recalled.memories]
