"""What was said at the time that a question asks about stands above what is as good: a boost, never a filter."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import remanence
from remanence.core.clock import DAY, TIME_MAX, ManualClock, to_micros
from remanence.core.errors import InvalidInput
from remanence.core.model import Turn
from remanence.recall.fuse import WHEN_AFTER_FACTOR, WHEN_FACTOR
from tests.flows.conftest import Opener

NOW = datetime(2026, 6, 15, 15, tzinfo=UTC)  # a Monday
T = to_micros(NOW)
FACTORS = (0.0, WHEN_FACTOR, WHEN_AFTER_FACTOR)


def _lunches(*days_ago: int) -> list[Turn]:
    return [
        Turn(f"lunch was soup number {k}", said_at=T - days * DAY, session=f"s{k}")
        for k, days in enumerate(days_ago)
    ]


async def _recalled(memory: remanence.Engine, question: str, **more: Any) -> remanence.RecallResult:
    return await memory.recall(question, count_use=False, **more)


async def test_what_was_said_then_stands_first_and_says_why(opener: Opener) -> None:
    """The factor is a part of the score, and the answer says which time it was read as, in whose words."""
    async with opener(embedder="none", clock=ManualClock(NOW)) as memory:
        await memory.learn_many(_lunches(40, 6, 1, 0))
        plain = await _recalled(memory, "what was for lunch")
        asked = await _recalled(memory, "what was for lunch last Tuesday")
        after = {hit.memory.said_at: hit.parts.get("when", 0.0) for hit in asked.memories}

    assert ((), {0.0}) == (plain.times, {hit.parts.get("when", 0.0) for hit in plain.memories})
    assert ("last tuesday: 2026-06-09",) == asked.times
    assert T - 6 * DAY == asked.memories[0].memory.said_at
    assert pytest.approx({T - 40 * DAY: 0.0, T - 6 * DAY: WHEN_FACTOR, T - DAY: 0.0, T: 0.0}) == after
    assert 4 == len(plain.memories) == len(asked.memories)


async def test_a_caller_says_the_time_himself(opener: Opener) -> None:
    """Then the words of the question tell nothing; what was said soon after counts a little more, too."""
    async with opener(embedder="none", clock=ManualClock(NOW)) as memory:
        await memory.learn_many(_lunches(40, 11, 9, 6))
        span = (NOW - timedelta(days=12), NOW - timedelta(days=10))
        found = await _recalled(memory, "what was for lunch last Tuesday", around=span)
        parts = [(hit.memory.said_at, hit.parts.get("when", 0.0)) for hit in found.memories]

    assert ("around: 2026-06-03 to 2026-06-05",) == found.times
    assert [T - 11 * DAY, T - 9 * DAY] == [said for said, _ in parts[:2]]
    assert pytest.approx([WHEN_FACTOR, WHEN_AFTER_FACTOR, 0.0, 0.0]) == [factor for _, factor in parts]


async def test_what_an_event_is_told_of_before_is_found_all_the_same(opener: Opener) -> None:
    """A question about May finds what was said of it in March, above what was said in May of something else."""
    async with opener(clock=ManualClock(NOW)) as memory:
        await memory.learn("Mila's driving test is on 12 May.", said_at=T - 100 * DAY, session="a")
        await memory.learn("Mila bought a bell for her bicycle.", said_at=T - 40 * DAY, session="b")
        found = await _recalled(memory, "when in May is Mila's driving test")

    assert "test" in found.memories[0].memory.text


@pytest.mark.parametrize(
    ("span", "said"),
    [
        ((T, T - 1), "ends before it begins"),
        ((NOW.replace(tzinfo=None), NOW), "no time zone"),
        ((datetime(1601, 1, 1, tzinfo=UTC), NOW), "out of range"),
        ((NOW, datetime(9000, 1, 1, tzinfo=UTC)), "out of range"),
        ((T,), "around"),
        ("May", "around"),
    ],
)
async def test_a_span_that_is_none_is_refused(opener: Opener, span: Any, said: str) -> None:
    """Each with one error of ours that says how to put it."""
    async with opener(embedder="none") as memory:
        with pytest.raises(InvalidInput, match=said) as refused:
            await memory.recall("lunch", around=span)

    assert refused.value.recovery


@settings(max_examples=20, deadline=None)
@given(st.integers(-TIME_MAX + 1, TIME_MAX - 1), st.integers(-TIME_MAX + 1, TIME_MAX - 1))
async def test_a_time_never_filters(one: int, other: int) -> None:
    """Whatever the span, the same memories are found, and their scores are their parts times the factor."""
    async with remanence.open(embedder="none", clock=ManualClock(NOW)) as memory:
        await memory.learn_many(_lunches(400, 40, 6, 1, 0))
        plain = await _recalled(memory, "lunch soup")
        found = await _recalled(memory, "lunch soup", around=(min(one, other), max(one, other)))

    before = {hit.id: hit.score for hit in plain.memories}
    assert before.keys() == {hit.id for hit in found.memories}
    for hit in found.memories:
        assert hit.score == pytest.approx(before[hit.id] * hit.parts.get("when", 1.0), rel=1e-5)
