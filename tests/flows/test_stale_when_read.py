"""How old and how sure a memory may be is asked for when it is read; what is left out for it is counted."""

from pathlib import Path
from typing import Any

import pytest

import remanence
from remanence.core.clock import DAY, ManualClock
from remanence.core.errors import InvalidInput, PolicyError
from remanence.core.results import date_of
from tests.flows.conftest import Opener
from tests.flows.test_mcp import data, served

QUESTION = "When does the lock open for barges?"
OLD, NEW, AGENTS = (
    "The lock opens for barges at six.",
    "The lock opens for barges at seven on Sundays.",
    "The lock opens for barges by a signal.",
)
WITHIN = """
version = 1
[recall]
confirm_within = { agent = "30 days" }
"""


async def tell(memory: remanence.Engine, clock: ManualClock) -> list[str]:
    """Let a user say something, then an agent, and 100 days later a user again; return the ids."""
    old = await memory.learn(OLD, speaker="Ida", role="user")
    agents = await memory.learn(AGENTS, role="assistant")
    clock.advance(days=100)
    new = await memory.learn(NEW, speaker="Ida", role="user")
    clock.advance(days=1)
    return [old.id, agents.id, new.id]


async def test_a_greatest_age_leaves_out_and_counts(opener: Opener, clock: ManualClock) -> None:
    """What was said again, or rated right, is as young as that; an archived memory is no exception."""
    async with opener(embedder="none") as memory:
        old, agents, new = await tell(memory, clock)
        young = await memory.recall(QUESTION, max_age=30, count_use=False)
        await memory.rate(agents, "right")
        await memory.learn(OLD, speaker="Ida", role="user")
        again = await memory.recall(QUESTION, max_age=30, count_use=False)
        clock.advance(days=40)
        none = await memory.recall(QUESTION, max_age=30, count_use=False)
        then = await memory.recall(QUESTION, max_age=30, as_of=clock.now() - 40 * DAY, count_use=False)

    assert ([new], {"too old": 2}) == ([hit.id for hit in young.memories], young.left_out)
    assert ({old, agents, new}, {}) == ({hit.id for hit in again.memories}, again.left_out)
    assert ((), {"too old": 3}) == (none.memories, none.left_out)
    assert {old, agents, new} == {hit.id for hit in then.memories}


async def test_only_what_a_user_confirmed_is_returned_strictly(opener: Opener, clock: ManualClock) -> None:
    """Both conditions hold together, filters are not counted with them, and why-not names what keeps one out."""
    async with opener(embedder="none") as memory:
        old, agents, new = await tell(memory, clock)
        await memory.rate(new, "right")
        strict = await memory.recall(QUESTION, verified=True, count_use=False)
        both = await memory.recall(QUESTION, verified=True, max_age=30, count_use=False)
        filtered = await memory.recall(QUESTION, filters={"speaker": "Ida"}, verified=True, count_use=False)
        missed = await memory.recall(QUESTION, verified=True, why_not=old, count_use=False)
        aged = await memory.recall(QUESTION, max_age=30, why_not=agents, count_use=False)

    assert ([new], {"unverified": 2}) == ([hit.id for hit in strict.memories], strict.left_out)
    assert {"too old": 2} == both.left_out
    assert {"unverified": 1} == filtered.left_out
    for answer, what in ((missed, "verification"), (aged, "said or confirmed last")):
        assert answer.explanation is not None
        assert answer.explanation.absence is not None
        assert what in answer.explanation.absence.what


@pytest.mark.parametrize("wrong", [0, -1, float("nan"), float("inf")])
async def test_an_age_is_a_number_of_days(opener: Opener, wrong: float) -> None:
    """Nothing else is taken for one; two ways to ask for the verified are one too many."""
    async with opener() as memory:
        with pytest.raises(InvalidInput, match="max_age"):
            await memory.recall(QUESTION, max_age=wrong)
        with pytest.raises(InvalidInput, match="verified"):
            await memory.recall(QUESTION, verified=True, filters={"verification": "disputed"})


async def test_a_policy_marks_what_nobody_confirmed(opener: Opener, clock: ManualClock) -> None:
    """By the trust of who said it; a confirmation takes the mark off, and another policy says nothing."""
    async with opener(embedder="none", policy=WITHIN) as memory:
        _, agents, _ = await tell(memory, clock)
        said = date_of(clock.now() - 101 * DAY)
        marked = await memory.recall(QUESTION, count_use=False)
        await memory.rate(agents, "right")
        confirmed = await memory.recall(QUESTION, count_use=False)

    lines = [line for line in marked.text.splitlines() if "not confirmed since" in line]
    assert 1 == len(lines)
    assert f"; agent; not confirmed since {said}] {AGENTS}" in lines[0]
    assert "not confirmed" not in confirmed.text


@pytest.mark.parametrize(
    "within", ['"30 days"', "{}", "{ agent = 30 }", '{ robot = "3 days" }', '{ agent = "3 turns" }']
)
async def test_a_policy_names_a_trust_and_a_time(opener: Opener, within: str) -> None:
    """Anything else is refused where it is written."""
    async with opener() as memory:
        with pytest.raises(PolicyError, match=r"confirm_within|agent|robot"):
            await memory.plan(f"version = 1\n[recall]\nconfirm_within = {within}\n")


async def test_an_agent_asks_strictly(tmp_path: Path) -> None:
    """Over MCP the answer says how many were left out."""
    async with served(tmp_path / "memory.db") as agent:
        await agent.learn(OLD, said_at="2020-03-01")
        await agent.learn(NEW)
        young: Any = await agent.call("recall", query=QUESTION, max_age=30)
        strict: Any = await agent.call("recall", query=QUESTION, verified=True)

    assert [NEW] == [line.partition("] ")[2] for line in data(young)]
    assert "1 too old" in young
    assert "2 unverified" in strict
