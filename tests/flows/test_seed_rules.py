"""Every rule of two designs, through the verbs of an engine: it fires, and an instant before it does not."""

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import remanence
from remanence.clock import DAY, HOUR, ManualClock
from remanence.curate.policy.compiled import load
from remanence.model import Relation, Status, Tier
from tests.flows.conftest import Measured

TEXT = (Path(__file__).parents[1] / "unit" / "data" / "seed_rules.toml").read_text(encoding="utf-8")
POLICY = load(TEXT)
RULES = [rule.name for rule in POLICY.rules]
HERON = "The heron nests by the weir"


@dataclass
class Story:
    """A memory to which things happen."""

    memory: remanence.Engine
    clock: ManualClock

    async def learn(self, text: str = HERON, **said: Any) -> str:
        """Learn one more text."""
        return (await self.memory.learn(text, **said)).id

    def wait(self, micros: int) -> None:
        """Let time pass."""
        self.clock.set(self.clock.now() + micros)

    async def recall(self, times: int, agent: str | None = None) -> None:
        """Use what is there so often, and wait until that is written, with the time that it is now."""
        for _ in range(times):
            await self.memory.recall(HERON, agent=agent)
        await self.plan("T1")

    async def only(self, *rules: str) -> list[str]:
        """Curate with some rules; return which have acted."""
        plan = await self.plan(*rules)
        await self.memory.apply(plan, policy=TEXT, overrides=_only(*rules), allow_destroyed=99)
        return [action.rule for action in plan.actions()]

    async def plan(self, *rules: str) -> Any:
        """Plan with some rules, under all guards."""
        return await self.memory.plan(TEXT, overrides=_only(*rules))

    async def until_due(self, rule: str, micros: int = 1) -> int:
        """Wait until so shortly before a rule's condition comes true for the first memory; return the instant."""
        explanation = await self.memory.explain(1, TEXT, overrides=_only(rule))
        (verdict,) = [verdict for verdict in explanation.verdicts if verdict.name == rule]
        assert verdict.fires_at is not None
        self.clock.set(verdict.fires_at - micros)
        return verdict.fires_at


def _only(*rules: str) -> dict[str, dict[str, Any]]:
    written = {name.partition("/")[0] for name in rules}
    return {name: {"off": True} for name in RULES if "/" not in name and name not in written}


Step = Callable[[Story], Awaitable[Any]]


@dataclass(frozen=True)
class Case:
    """What happens before a rule fires, and the last thing that is wanting: a microsecond, or what somebody does."""

    rule: str
    before: Sequence[Step]
    last: Step


def learned(text: str = HERON, **said: Any) -> Step:
    """Learn a text."""
    return lambda story: story.learn(text, **said)


def becomes(state: str, seq: int = 1) -> Step:
    """Let the state of a memory change."""
    return lambda story: story.memory.update(seq, state=state)


def waits(micros: int) -> Step:
    """Let time pass."""

    async def step(story: Story) -> None:
        story.wait(micros)

    return step


def recalled(times: int) -> Step:
    """Use what is there so often."""
    return lambda story: story.recall(times)


def curated(*rules: str) -> Step:
    """Let other rules have their turn, which they take."""

    async def step(story: Story) -> None:
        assert set(rules) <= set(await story.only(*rules))

    return step


def due(rule: str, days: float) -> Step:
    """Wait until the instant before a rule is due, so many days after the first memory was learned."""

    async def step(story: Story) -> None:
        began = (await story.memory.get(1)).learned_at
        assert pytest.approx(days, abs=0.01) == (await story.until_due(rule) - began) / DAY

    return step


def linked(relation: Relation, confidence: float | None = None) -> Step:
    """Link the first two memories."""
    return lambda story: story.memory.link(1, 2, relation, confidence=confidence)


def filled(tokens: int) -> Step:
    """Learn texts of two or three dozen tokens each for as long as they come to no more than so many."""

    async def step(story: Story) -> None:
        there, number = 0, 0
        while there + (size := await _tokens(story, number)) <= tokens:
            there, number = there + size, number + 1
        await story.memory.forget(number + 1)

    return step


async def _tokens(story: Story, number: int) -> int:
    learned = await story.learn(
        f"Boat {number} carries {' '.join(f'crate{number}x{k}' for k in range(4))} to town"
    )
    return (await story.memory.get(learned)).tokens


def moment(name: str, days: int, category: str, *states: str, **said: Any) -> Case:
    """A memory of some category whose states come one after another, and then so many days."""
    steps = [learned(category=category, **said), *map(becomes, states), waits(days * DAY)]
    return Case(name, steps, waits(1))


COLD = (learned(category="fact"), waits(2 * DAY + 1), curated("P-D2"), waits(HOUR))
LONG = " ".join(["The heron nests by the weir and fishes in the shallows of the lower lock"] * 30)
CASES = [
    moment("T1", 7, "notification", "read"),
    moment("T2", 30, "notification"),
    moment("T3", 1, "session_context", "ended"),
    moment("T4", 14, "task", "completed"),
    moment("T5", 90, "task", "failed"),
    moment("T7", 30, "belief", "retired", confidence=0.2),
    moment("T8", 60, "belief", confidence=0.2),
    Case("T11", [learned(category="belief", confidence=0.8)], becomes("retired")),
    moment("T12", 90, "reflection", "consolidated"),
    Case("T13", [learned(category="reflection"), recalled(3)], recalled(1)),
    Case("T13-done", [learned(category="reflection"), recalled(4), curated("T13")], becomes("consolidated")),
    moment("T14", 60, "analysis", severity="low"),
    moment("T15", 120, "analysis", severity="medium"),
    moment("T16", 180, "analysis", "resolved", severity="high"),
    moment("T17", 45, "compressed_context", state="keywords"),
    moment("T18", 120, "synthesis"),
    moment("T19", 180, "recommendation", "implemented"),
    Case("T20", [learned(category="fact"), lambda it: it.memory.forget(1), waits(30 * DAY)], waits(1)),
    moment("O1", 7, "analysis"),
    Case(
        "O1-linked",
        [learned(category="analysis"), learned("Flour is dear"), waits(8 * DAY), curated("O1")],
        linked(Relation.REFERS),
    ),
    Case("O1-sweep", [learned(category="analysis"), waits(8 * DAY), curated("O1"), waits(DAY - 1)], waits(1)),
    Case("P-D1", [learned(category="fact"), waits(12 * HOUR)], waits(1)),
    Case("P-D2", [learned(category="fact"), waits(48 * HOUR)], waits(1)),
    Case("P-D3", [learned(category="fact"), waits(90 * DAY)], waits(1)),
    Case("P-P1", [*COLD, recalled(2)], recalled(1)),
    Case("P-P1-session", [*COLD, learned("Market day", category="session_context")], linked(Relation.REFERS)),
    Case(
        "P-P2", [learned(category="fact"), waits(DAY), curated("P-D1"), waits(HOUR), recalled(9)], recalled(1)
    ),
    Case("B1", [filled(1600)], learned(LONG[:400])),
    Case("B2", [filled(390), waits(DAY), curated("P-D1"), learned(LONG[:400]), waits(DAY)], curated("P-D1")),
    Case("B2/oversize", [learned(LONG), waits(DAY)], curated("P-D1")),
    Case(
        "B3",
        [filled(190), waits(3 * DAY), curated("P-D2"), learned(LONG[:400]), waits(3 * DAY)],
        curated("P-D2"),
    ),
    Case("M-compress", [learned(LONG, category="reflection"), due("M-compress", 23.67)], waits(1)),
    Case("M-improve", [learned(category="memory_entry"), due("M-improve", 7.03)], waits(1)),
    Case("M-demote-hot", [learned(category="memory_entry"), due("M-demote-hot", 46.69)], waits(1)),
    Case(
        "M-demote-warm",
        [learned(category="memory_entry"), waits(DAY), curated("P-D1"), due("M-demote-warm", 46.69)],
        waits(1),
    ),
    Case("M-prune", [learned(category="memory_entry"), due("M-prune", 111.51)], waits(1)),
    Case(
        "A8-merge",
        [
            learned(category="belief"),
            learned("By the weir the heron nests", category="belief"),
            waits(2 * DAY),
        ],
        linked(Relation.NEAR_DUPLICATE, 0.97),
    ),
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
        [learned(category="fact", confidence=1), *COLD[1:], waits(397 * DAY), recalled(2)],
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
# The Jochi engine's table of values without use, links and grades: category, days of neglect, value.
NEGLECTED = (
    ("reflection", 0, 11.0),
    ("reflection", 90, 9.5),
    ("analysis", 0, 10.0),
    ("analysis", 60, 8.5),
    ("synthesis", 0, 9.5),
    ("synthesis", 120, 8.0),
    ("recommendation", 0, 8.0),
    ("compressed_context", 45, 6.1),
    ("memory_entry", 0, 5.5),
    ("session_context", 0, 4.5),
    ("session_context", 1, 3.0),
    ("notification", 0, 3.5),
    ("notification", 7, 0.5),
)
SHOWN = """
[[rule]]
name = "shown"
every = "deep"
phase = "expire"
where = "{where}"
do = "flag"
to = "shown"
"""


@pytest.fixture
async def story(tmp_path: Path) -> AsyncIterator[Story]:
    """An empty memory in a file."""
    clock = ManualClock()
    async with remanence.open(tmp_path / "memory.db", clock=clock, embedder=Measured()) as memory:
        yield Story(memory, clock)


def test_every_rule_has_a_case() -> None:
    """One that no verb can make fire would be a defect."""
    assert sorted(RULES) == sorted(case.rule for case in CASES)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.rule)
async def test_a_rule_fires_at_its_instant(story: Story, case: Case) -> None:
    """Not before: what is planned then is done, and afterwards there is nothing more to do."""
    for step in case.before:
        await step(story)
    early = await story.plan(case.rule)
    await case.last(story)
    acting = await story.only(case.rule)
    again = await story.plan(case.rule)

    assert [] == [action.rule for action in early.actions()]
    assert case.rule in acting
    assert again.empty


async def _values(story: Story, *names: str) -> tuple[float, ...]:
    """Return what the first memory has of some abbreviations of the policy."""
    text = TEXT + SHOWN.format(where=" or ".join(f"{name} > 1000" for name in names))
    explanation = await story.memory.explain(1, text)
    (verdict,) = [verdict for verdict in explanation.verdicts if verdict.name == "shown"]
    return tuple(verdict.values[name] for name in names)


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

    assert pytest.approx(expected, abs=1e-6) == await _values(story, "heat", "fading", "routing")


@pytest.mark.parametrize(("category", "days", "expected"), NEGLECTED)
async def test_a_neglected_memory_is_worth_what_the_table_says(
    story: Story, category: str, days: int, expected: float
) -> None:
    """To the digit that the table has."""
    await story.learn(category=category)
    story.wait(days * DAY)

    assert (expected,) == tuple(round(value, 1) for value in await _values(story, "mvs_seed"))


@pytest.mark.parametrize(
    ("category", "expected"), [("reflection", 15.0), ("memory_entry", 9.5), ("notification", 5.0)]
)
async def test_a_busy_memory_is_worth_what_the_table_says(
    story: Story, category: str, expected: float
) -> None:
    """Ten uses by two agents, five links, its author rather sure, a day old."""
    await story.learn(category=category, confidence=0.8)
    for agent in ("ann", "bob"):
        await story.recall(5, agent)
    for number in range(2, 7):
        await story.learn(f"Barge {number} is moored at quay {number}")
        await story.memory.link(1, number, "refers")
    story.wait(DAY)

    assert pytest.approx((expected,), abs=0.06) == await _values(story, "mvs")


async def test_a_beliefs_confidence_is_a_function_of_time(story: Story) -> None:
    """0.8 reads 0.73 after 14 unused days, never falls below 0.05, and what is said anew counts from then."""
    await story.learn(category="belief", confidence=0.8)
    story.wait(6 * DAY)
    read = [*await _values(story, "belief_confidence")]
    story.wait(8 * DAY)
    read += await _values(story, "belief_confidence")
    story.wait(400 * DAY)
    read += await _values(story, "belief_confidence")
    await story.memory.update(1, confidence=0.85)
    read += await _values(story, "belief_confidence")

    assert pytest.approx([0.8, 0.73, 0.05, 0.85]) == read


# What stays, whatever else is said of it, for three hundred days under all rules that take out of sight.
NEEDED: Sequence[tuple[dict[str, Any], str]] = (
    ({"category": "notification", "severity": "critical"}, ""),
    ({"category": "task", "state": "in_progress"}, ""),
    ({"category": "session_context"}, ""),
    ({"category": "message"}, "pin"),
    ({"category": "identity"}, ""),
)


@pytest.mark.parametrize(("said", "verb"), NEEDED)
async def test_what_is_needed_stays(story: Story, said: dict[str, Any], verb: str) -> None:
    """Critical, unfinished, running, pinned and system memories are never taken out of sight."""
    await story.learn(**said)
    if verb:
        await getattr(story.memory, verb)(1)
    story.wait(300 * DAY)
    await story.only(*(name for name in RULES if name.startswith("T")))

    assert Status.INBOX == (await story.memory.get(1)).status


async def test_what_a_failure_taught_keeps_it(story: Story) -> None:
    """A finished task from which something was learned is not archived (T4)."""
    await story.learn(category="task")
    await story.learn("Barges need a pilot", category="fact")
    await story.memory.link(2, 1, "learned_from")
    await story.memory.update(1, state="completed")
    story.wait(300 * DAY)

    assert [] == await story.only("T4")


async def test_a_retired_belief_on_which_another_rests_stays(story: Story) -> None:
    """A link from a belief that is held keeps it (T7)."""
    await story.learn(category="belief", confidence=0.2)
    await story.learn("Barges need a pilot", category="belief", confidence=0.9)
    await story.memory.link(2, 1, "supports")
    await story.memory.update(1, state="retired")
    story.wait(300 * DAY)

    assert [] == await story.only("T7")


async def test_what_a_task_works_with_stays_at_hand_and_may_still_go(story: Story) -> None:
    """A memory linked to a task in progress is not moved away from hot, but archived when its time is over."""
    await story.learn(category="fact")
    await story.learn("Paint the barge", category="task", state="in_progress")
    await story.memory.link(1, 2, "refers")
    story.wait(91 * DAY)

    await story.only("P-D1", "P-D2")
    tiers = [(await story.memory.get(seq)).tier for seq in (1, 2)]
    await story.only("P-D3")
    statuses = [(await story.memory.get(seq)).status for seq in (1, 2)]

    assert [Tier.HOT, Tier.COLD] == tiers
    assert [Status.ARCHIVED, Status.INBOX] == statuses


async def test_a_budget_of_a_busy_tier_moves_once_and_then_rests(story: Story) -> None:
    """Down to the lower mark, so that the next text moves nothing."""
    await filled(1600)(story)
    await story.learn(LONG[:400])
    moved = await story.only("B1")
    await story.learn("The ferry is late")

    assert (["B1"], []) == (moved, await story.only("B1"))
