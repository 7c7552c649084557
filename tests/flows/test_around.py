"""What was said at the time that a question asks about stands above what is as good: a boost, never a filter."""

import asyncio
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import remanence
from remanence.core.clock import DAY, TIME_MAX, ManualClock, to_micros
from remanence.core.errors import InvalidInput
from remanence.core.model import Turn
from remanence.recall.fuse import WHEN_AFTER_FACTOR, WHEN_FACTOR
from tests.command_line import Typed, typed
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
        await memory.learn(_lunches(40, 6, 1, 0))
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
        await memory.learn(_lunches(40, 11, 9, 6))
        span = (NOW - timedelta(days=12), NOW - timedelta(days=10))
        found = await _recalled(memory, "what was for lunch last Tuesday", around=span)
        parts = [(hit.memory.said_at, hit.parts.get("when", 0.0)) for hit in found.memories]

    assert ("around: 2026-06-03 to 2026-06-05",) == found.times
    assert [T - 11 * DAY, T - 9 * DAY] == [said for said, _ in parts[:2]]
    assert pytest.approx([WHEN_FACTOR, WHEN_AFTER_FACTOR, 0.0, 0.0]) == [factor for _, factor in parts]


async def test_a_later_word_is_not_raised_where_the_past_is_asked_for(opener: Opener) -> None:
    """What holds now is not what was asked; a time that goes on asks for it all the same."""
    async with opener(embedder="none", clock=ManualClock(NOW)) as memory:
        old = await memory.learn("My desk is in room four.", said_at=T - 40 * DAY, speaker="Ana", session="a")
        new = await memory.learn("My desk is now in room nine.", said_at=T - DAY, speaker="Ana", session="b")
        await memory.link(new.id, old.id, "newer")
        then = await _recalled(memory, "where is my desk", around=(T - 41 * DAY, T - 39 * DAY))
        now = await _recalled(memory, "where is my desk", around=(T - 41 * DAY, T))

    assert [old.id, new.id] == [hit.id for hit in then.memories]
    assert [new.id, old.id] == [hit.id for hit in now.memories]


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
        ("whenever", "around"),
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
        await memory.learn(_lunches(400, 40, 6, 1, 0))
        plain = await _recalled(memory, "lunch soup")
        found = await _recalled(memory, "lunch soup", around=(min(one, other), max(one, other)))

    before = {hit.id: hit.score for hit in plain.memories}
    assert before.keys() == {hit.id for hit in found.memories}
    for hit in found.memories:
        assert hit.score == pytest.approx(before[hit.id] * hit.parts.get("when", 1.0), rel=1e-5)


async def _learned(path: Path) -> None:
    async with remanence.open(path, embedder="none") as memory:
        await memory.learn(_lunches(100, 6))


def _ask(path: Path, around: str) -> Typed:
    words = ("--db", str(path), "--embedder", "none", "recall", "lunch soup", "--no-count-use", "--around")
    return typed(*words, around)


def test_the_command_line_says_the_time(tmp_path: Path) -> None:
    """A span or one day, whole; the reason stands in the answer, and what is no time is refused."""
    path = tmp_path / "memory.db"
    asyncio.run(_learned(path))
    day, span, wrong = (_ask(path, said) for said in ("2026-06-09", "2026-03-01/2026-03-31", "whenever"))

    assert "asked about around: 2026-06-09\n" in day.stdout
    assert "number 1" in day.stdout.splitlines()[0]
    assert "asked about around: 2026-03-01 to 2026-03-31\n" in span.stdout
    assert "number 0" in span.stdout.splitlines()[0]
    assert "'whenever' is not a time" in wrong.stderr
