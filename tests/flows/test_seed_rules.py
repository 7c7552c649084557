"""Every rule of engram, through the verbs of an engine: it fires, and an instant before it does not."""

from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any

import pytest

import remanence
from remanence.clock import DAY, ManualClock
from remanence.curate.policy.compiled import load
from remanence.model import Relation
from tests.flows.conftest import Measured
from tests.flows.stories import Case, Step, Story, due, happens, learned, linked, moment, recalled, waits

TEXT = (Path(__file__).parents[1] / "unit" / "data" / "seed_rules.toml").read_text(encoding="utf-8")
RULES = [rule.name for rule in load(TEXT).rules]


def cooled(days: float) -> Step:
    """Let a rule of the case's own put what is there into the cold tier."""

    async def step(story: Story) -> None:
        story.wait(round(days * DAY))
        cold = TEXT + COOLING
        off = {name: {"off": True} for name in RULES}
        assert (await story.memory.curate(cold, overrides=off)).changes

    return step


COOLING = """
[[rule]]
name = "cooling"
every = "deep"
phase = "tiers"
where = "tier == 'hot'"
do = "move"
to = "cold"
"""
CASES = [
    moment("A10-speculative", 30, "fact", confidence=0.3),
    moment("A10-commitment", 90, "commitment", "fulfilled"),
    Case("A10-facts", [learned(category="fact", importance=0.3), waits(90 * DAY - 1)], waits(1)),
    Case("A13-disputed", [learned(category="fact")], lambda it: it.memory.dispute(1)),
    Case(
        "A13-archive",
        [learned(category="fact", confidence=0.3, importance=0.4), due("A13-archive", 179.78)],
        waits(1),
    ),
    Case("A13-stale", [learned(category="fact", confidence=0.8), due("A13-stale", 125.25)], waits(1)),
    Case("A13-active", [learned(category="fact", confidence=1)], lambda it: it.memory.confirm(1)),
    Case("A13-validated", [learned(category="fact", confidence=0.8)], recalled(1)),
    Case("A14-cold", [learned(category="fact", confidence=0.8), due("A14-cold", 86.4)], waits(1)),
    Case(
        "A14-hot",
        [learned(category="fact", confidence=1), cooled(2), waits(398 * DAY), recalled(2)],
        recalled(1),
    ),
    Case(
        "A17",
        [learned(), learned("Flour is dear"), linked(Relation.SUPPORTS, 0.35), waits(180 * DAY - 1)],
        waits(1),
    ),
]


# Measured with engram's own functions: (what is said, age in days, days since the last use, uses, what somebody did,
# heat, decay and routing).
ENGRAM: Sequence[tuple[dict[str, Any], int, int, int, str, tuple[float, ...]]] = (
    ({"category": "fact", "confidence": 0.8, "importance": 0.5}, 0, 0, 0, "", (0.525, 0.41125, 0.542)),
    (
        {"category": "decision", "confidence": 1, "importance": 0.8},
        30,
        10,
        5,
        "",
        (0.774333, 0.154683, 0.780793),
    ),
    ({"category": "fact", "confidence": 0.6, "importance": 0.35}, 200, 0, 0, "", (0.2525, 0.792125, 0.264)),
    (
        {"category": "fact", "confidence": 0.8, "importance": 0.6},
        10,
        1,
        20,
        "dispute",
        (0.637778, 0.163083, 0.719778),
    ),
    (
        {"category": "correction", "confidence": 1, "importance": 0.9},
        5,
        2,
        3,
        "confirm",
        (0.767158, 0.097426, 0.913944),
    ),
)


@pytest.fixture
async def story(tmp_path: Path) -> AsyncIterator[Story]:
    """An empty memory in a file."""
    clock = ManualClock()
    async with remanence.open(tmp_path / "memory.db", clock=clock, embedder=Measured()) as memory:
        yield Story(memory, clock, TEXT)


def test_every_rule_has_a_case() -> None:
    """One that no verb can make fire would be a defect."""
    assert sorted(RULES) == sorted(case.rule for case in CASES)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.rule)
async def test_a_rule_fires_at_its_instant(story: Story, case: Case) -> None:
    """Not before: what is planned then is done, and afterwards there is nothing more to do."""
    assert await happens(story, case)


@pytest.mark.parametrize(("said", "days", "unused", "uses", "verb", "expected"), ENGRAM)
async def test_engrams_values_pass_through_a_store(
    story: Story,
    said: dict[str, Any],
    days: int,
    unused: int,
    uses: int,
    verb: str,
    expected: tuple[float, ...],
) -> None:
    """Heat, decay and routing agree with engram to six digits."""
    await story.learn(**said)
    story.wait((days - unused) * DAY)
    await story.recall(uses)
    if verb:
        await getattr(story.memory, verb)(1)
    story.wait(unused * DAY)

    assert pytest.approx(expected, abs=1e-6) == await story.values("heat", "fading", "routing")
