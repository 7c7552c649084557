"""A recall within a span of time: by when it was said, both ends included."""

from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest

import remanence
from remanence.core.clock import MINUTE, to_micros
from remanence.core.errors import InvalidInput
from remanence.core.model import Turn
from tests.flows.conftest import Opener

NOON = datetime(2026, 5, 4, 12, tzinfo=UTC)
T = to_micros(NOON)


async def _heard(memory: remanence.Engine) -> None:
    """Take in three turns a minute apart, the newest first: order of arrival is not the time."""
    await memory.learn(
        [Turn(f"the ferry leaves, call {k}", said_at=T + k * MINUTE, thread=f"{k}") for k in (2, 1, 0)]
    )


@pytest.mark.parametrize(
    ("span", "calls"),
    [
        ((T, T + MINUTE), "01"),
        ((T + 1, T + 2 * MINUTE - 1), "1"),
        ((T + 2 * MINUTE, T + 2 * MINUTE), "2"),
        ((T - 2, T - 1), ""),
        ((0, T + 9 * MINUTE), "012"),
        ((NOON, NOON + timedelta(minutes=1)), "01"),
        ((NOON.astimezone(timezone(timedelta(hours=5))), T), "0"),
    ],
)
async def test_only_what_was_said_in_the_span_is_returned(opener: Opener, span: Any, calls: str) -> None:
    """Both ends are in it, times may be of any zone or in microseconds, and learning later does not matter."""
    async with opener(embedder="none") as memory:
        await _heard(memory)
        answer = await memory.recall("when leaves the ferry", between=span, count_use=False)

    assert sorted(calls) == sorted(hit.memory.text[-1] for hit in answer.memories)


async def test_a_span_and_a_filter_both_hold(opener: Opener) -> None:
    """What is in the span and in another thread is not returned."""
    async with opener(embedder="none") as memory:
        await _heard(memory)
        answer = await memory.recall("ferry", between=(T, T + MINUTE), thread="1", count_use=False)

    assert ["1"] == [hit.memory.thread for hit in answer.memories]


async def test_a_span_that_ends_before_it_begins_is_refused(opener: Opener) -> None:
    """It names nothing, and says how to put it."""
    async with opener(embedder="none") as memory:
        with pytest.raises(InvalidInput, match="ends before it begins"):
            await memory.recall("ferry", between=(T + 1, T))
