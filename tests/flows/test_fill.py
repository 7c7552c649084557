"""Every budget from 30 tokens up holds, and no memory that is too long keeps out those behind it."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import remanence
from remanence.core.clock import ManualClock
from remanence.core.errors import NameUnknown
from remanence.core.model import RecallResult, Turn
from remanence.core.results import advise_longer
from remanence.faces.mcp.answers import render_recall_result
from remanence.faces.show import lines
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
    learned = await memory.learn(turns)
    for one, other in (numbers.sample(learned, 2) for _ in range(many // 3)):
        await memory.link(one.id, other.id, "contradicts", weight=0.9)
    for one in numbers.sample(learned, k=many // 5):
        await memory.rate(one.id, "wrong")


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
            answers = {"boot": await memory.frame("boot", budget=budget)}
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
        await memory.learn([Turn(f"{long} {k}", thread=f"t{k}", confidence=1.0) for k in range(800)])
        answer = await memory.frame("attention", asked, limit=300, budget=90, count_use=False)
        recalled = await memory.recall("When does the tide turn?", limit=300, budget=80, count_use=False)

    assert "Tide." in [hit.text for hit in answer.memories]
    assert "Tide." in [hit.text for hit in recalled.memories]


async def test_what_somebody_disputed_is_lowered_and_says_so(opener: Opener) -> None:
    """By .12 of the best in recall and in frames: of two alike the other stands first; nothing is hidden."""
    async with opener(embedder="none") as memory:
        await memory.learn("The bell rings at noon, says the keeper.", thread="a")
        await memory.learn("The bell rings at noon, says the warden.", thread="b")
        asked = "When does the bell ring?"
        denied, kept = (await memory.recall(asked, count_use=False)).memories
        await memory.rate(denied.id, "wrong")
        recalled = await memory.recall(asked, count_use=False, explain=True)
        framed = [
            await memory.frame("attention", one, count_use=False, explain=True) for one in (asked, None)
        ]

    for answer in (recalled, *framed):
        assert [kept.id, denied.id] == [hit.id for hit in answer.memories]
        assert answer.explanation is not None
        assert [("disputed" in hit.parts) for hit in answer.memories] == [False, True]
        assert [one.total for one in answer.explanation.scores] == pytest.approx(
            [hit.score for hit in answer.memories]
        )
        assert "; disputed]" in answer.text.splitlines()[-1]
    assert 0.88 == recalled.memories[1].parts["disputed"]
    assert -0.12 == framed[0].memories[1].parts["disputed"]


async def test_engrams_terms_are_added_where_a_frame_asks_for_them(opener: Opener) -> None:
    """They order what is alike, are parts of the score, and are nothing to a memory of which nothing is known."""
    async with opener(embedder="none") as memory:
        grave = await memory.learn("The tide turns at noon.", importance=1.0, thread="a")
        plain = await memory.learn("The bell rings at noon.", thread="b")
        stale = await memory.learn("The gate shuts at noon.", thread="c")
        await memory.update(stale.id, lifecycle="stale")
        await memory.rate(plain.id, 0.0)
        without = await memory.frame("attention", count_use=False)
        await memory.frames.set("attention", terms=["important", "lifecycle", "helpful"])
        answer = await memory.frame("attention", count_use=False, explain=True)
        with pytest.raises(NameUnknown, match="term of the score"):
            await memory.frames.set("attention", terms="importance")

    by_id = {hit.id: hit for hit in answer.memories}
    scores = {hit.id: hit.score for hit in without.memories}
    assert [grave.id, stale.id, plain.id] == [hit.id for hit in answer.memories]
    assert scores[grave.id] + 0.15 == pytest.approx(by_id[grave.id].score)
    assert scores[stale.id] - 0.06 == pytest.approx(by_id[stale.id].score)
    assert scores[plain.id] * (1 / 3 / 0.5) == pytest.approx(by_id[plain.id].score)
    assert answer.explanation is not None
    assert [one.total for one in answer.explanation.scores] == pytest.approx(
        [hit.score for hit in answer.memories]
    )


async def test_nothing_scores_below_nothing_and_the_parts_say_so(opener: Opener, clock: ManualClock) -> None:
    """What is disputed, rated badly and faded has a floor among its parts, so that they still add up to 0."""
    async with opener(embedder="none") as memory:
        one = await memory.learn("The tide turns at noon.", importance=0.0)
        await memory.rate(one.id, "wrong")
        for _ in range(3):
            await memory.rate(one.id, 0.0)
        clock.advance(days=400)
        await memory.frames.set("attention", terms=["rated", "important"])
        answer = await memory.frame("attention", count_use=False, explain=True)

    assert answer.explanation is not None
    (score,) = answer.explanation.scores
    assert (0.0, "floor") == (answer.memories[0].score, score.parts[-1].name)
    assert 0.0 == pytest.approx(score.total, abs=1e-9)


async def test_what_is_stale_is_left_out_where_the_setting_says_so(opener: Opener) -> None:
    """Not what has no lifecycle, nor what is guaranteed or asked for; `why_not` names the filter."""
    async with opener(embedder="none") as memory:
        tried = await memory.learn("The tide turns at noon.")
        stale = await memory.learn("The tide turns at six.")
        goal = await memory.learn("Log every tide.", tags=["self/goal"])
        for one in (stale, goal):
            await memory.update(one.id, lifecycle="stale")
        open_ = [await memory.recall("tide", count_use=False), await memory.frame("task", count_use=False)]
        await memory.settings.set("recall_leaves_out", "stale")
        found = await memory.recall("tide", count_use=False, why_not=stale.id)
        framed = await memory.frame("task", "tide", count_use=False, why_not=stale.id)
        whole = await memory.frame("task", count_use=False)
        asked = await memory.recall("tide", count_use=False, filters={"lifecycle": "stale"})

    assert [3, 3] == [len(one.memories) for one in open_]
    assert {tried.id} == {hit.id for hit in found.memories}
    assert {tried.id, goal.id} == {hit.id for hit in framed.memories} == {hit.id for hit in whole.memories}
    assert {stale.id, goal.id} == {hit.id for hit in asked.memories}
    for answer, way in (
        (found, "ask for the lifecycle stale"),
        (framed, "take stale out of the setting recall_leaves_out"),
    ):
        assert answer.explanation is not None
        assert answer.explanation.absence is not None
        assert ("filter", "lifecycle: it is stale", way) == (
            answer.explanation.absence.stage,
            answer.explanation.absence.what,
            answer.explanation.absence.way_in,
        )


@pytest.mark.parametrize("asked", [None, "tide harbour"])
async def test_room_goes_to_what_others_do_not_say(opener: Opener, asked: str | None) -> None:
    """With diversity a repeat comes behind another matter; without it both repeats are shown."""
    async with opener(embedder="none") as memory:
        for k, text in enumerate(("gate bell", "tide harbour noon purser", "tide harbour noon purser said")):
            await memory.learn(text, thread=f"t{k}", confidence=0.5 + k / 10)
        plain = await memory.frame("attention", asked, limit=2, count_use=False)
        await memory.frames.set("attention", diversity=0.5)
        answer = await memory.frame("attention", asked, limit=2, count_use=False)
        missing = await memory.frame("attention", asked, limit=2, count_use=False, why_not=2)

    assert plain.memories[0].seq == answer.memories[0].seq
    assert {2, 3} == {hit.seq for hit in plain.memories}
    assert missing.explanation is not None
    if asked is None:  # what does not answer at all is no candidate
        assert [3, 1] == [hit.seq for hit in answer.memories]
        assert missing.explanation.absence is not None
        assert "duplicate" == missing.explanation.absence.stage


async def test_room_goes_to_what_scores_most_for_its_length(opener: Opener) -> None:
    """Where not all fit; where all do, and for the best, length is nothing."""
    async with opener(embedder="none") as memory:
        for k, length in enumerate((40, 40, 2, 3, 2)):
            await memory.learn(f"{'tide ' * length}{k}", thread=f"t{k}", confidence=0.9 - k / 10)
        await memory.frames.set("dense", per_token=True, template="{memories}")
        await memory.frames.set("plain", template="{memories}")
        plain, dense = [await memory.frame(name, budget=110, count_use=False) for name in ("plain", "dense")]
        whole = [await memory.frame(name, budget=400, count_use=False) for name in ("plain", "dense")]

    assert [1, 2] == [hit.seq for hit in plain.memories]
    assert [1, 3, 4, 5] == [hit.seq for hit in dense.memories]
    assert whole[0] == whole[1]


async def test_an_answer_says_how_much_a_longer_list_would_add(opener: Opener) -> None:
    """By what the first beyond the limit scores, over the best; where there is none, or hardly anything, by nothing."""
    async with opener(embedder="none") as memory:
        await memory.learn([Turn(f"the tide of day {k} came in", thread=f"t{k}") for k in range(30)])
        ten = await memory.recall("tide", count_use=False)
        longer = await memory.recall("tide", limit=11, count_use=False)
        every = await memory.recall("tide", limit=40, count_use=False)

    best = max(hit.score for hit in longer.memories)
    assert longer.memories[10].score / best == pytest.approx(ten.next_score)
    assert 0.0 == every.next_score
    assert "the next result scores 100% of the best: a limit of 20 may find more" == advise_longer(1.0, 10)
    assert ["", "", ""] == [advise_longer(0.59, 10), advise_longer(1.0, 20), advise_longer(0.0, 3)]
    for text in ("\n".join(line.plain for line in lines(ten)), render_recall_result(ten, 1_500)):
        assert "a limit of 20 may find more" in text
    assert "may find more" not in render_recall_result(ten, 200) + render_recall_result(every, 4_000)


@pytest.mark.parametrize("role", ["assistant", "user"])
async def test_a_users_standing_order_is_raised_where_assistants_say_most(opener: Opener, role: str) -> None:
    """By 1.4, from behind the limit too; not what an assistant orders, nor in chats of people; the parts add up."""
    long = "The log of the harbour tells tides and boats of the day, as far as the keeper saw them from the pier."
    turns = [Turn(f"{long} Log {k}.", role=role, speaker="Bo", thread=f"t{k}") for k in range(14)]
    order = "From now on always write the log of the harbour in metric units."
    turns += [
        Turn(order, role="user", speaker="Ann", thread="a"),
        Turn(f"{order} I see.", role="assistant", speaker="Bot", thread="b"),
    ]
    async with opener(embedder="none") as memory:
        await memory.learn(turns)
        answer = await memory.recall("harbour log day", count_use=False, explain=True, newer_first=False)

    raised = [hit for hit in answer.memories if "order" in hit.parts]
    assert ([order] if role == "assistant" else []) == [hit.text for hit in raised]
    assert all(hit.parts["order"] == 1.4 for hit in raised)
    assert answer.explanation is not None
    assert (10, [15] * len(raised)) == (
        len(answer.memories),
        [one.rank for one in answer.explanation.scores if one.seq in {hit.seq for hit in raised}],
    )
    assert [one.total for one in answer.explanation.scores] == pytest.approx(
        [hit.score for hit in answer.memories]
    )
    assert [hit.score for hit in answer.memories] == sorted(
        (hit.score for hit in answer.memories), reverse=True
    )
