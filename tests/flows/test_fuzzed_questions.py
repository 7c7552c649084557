"""A question that nobody means is answered, or refused by an error that says so: nothing else comes out of a recall."""

import pytest

from benchmarks.fuzz import measure

QUICK, DEEP = 400, 100_000
SMALL, LARGE = 300, 10_000


async def test_questions_that_nobody_means_are_answered_or_refused() -> None:
    """Of each kind and argument some: most are answered, and none fails."""
    result = await measure(SMALL, QUICK, seed=7)
    asked = sum(map(len, result.cpu_ms.values()))

    assert [] == result.failed
    assert QUICK == asked
    assert 0 < sum(result.refused.values()) < asked * 2 // 3
    assert len(result.cpu_ms) > 15


@pytest.mark.deep
async def test_a_hundred_thousand_questions_fail_nowhere() -> None:
    """At ten thousand memories; what they cost is told by `benchmarks.fuzz`."""
    result = await measure(LARGE, DEEP, seed=11)

    assert [] == result.failed
