"""The presets `mvs` and `mvs-seed` through the verbs of an engine: what a memory is worth, and what follows from it."""

from collections.abc import AsyncIterator, Mapping, Sequence
from math import exp, log
from pathlib import Path
from typing import Any

import pytest

import remanence
from remanence.core.clock import DAY, HOUR, ManualClock
from remanence.core.model import Relation, Status, Tier
from remanence.curate.policy.compiled import load
from tests.flows.conftest import Measured
from tests.flows.stories import (
    HERON,
    LONG,
    Case,
    Story,
    curated,
    due,
    ends,
    happens,
    learned,
    linked,
    recalled,
    waits,
)
from tests.flows.test_janitor import CASES as JANITOR
from tests.flows.test_janitor import ENDS as JANITOR_ENDS
from tests.flows.test_janitor import LIVES

CASES = [
    Case("too-long", [learned(LONG, category="reflection"), due("too-long", 23.67)], waits(1)),
    Case(
        "too-long-no-more",
        [learned(LONG, category="reflection"), waits(24 * DAY), curated("too-long")],
        lambda it: it.memory.update(1, text=HERON),
    ),
    Case("to-improve", [learned(category="memory_entry"), due("to-improve", 7.03)], waits(1)),
    Case(
        "to-improve-no-more",
        [learned(category="memory_entry"), waits(8 * DAY), curated("to-improve")],
        recalled(1),
    ),
    Case(
        "the-same-twice",
        [
            learned(category="belief", confidence=0.6),
            learned("By the weir the heron nests", category="belief", confidence=0.5),
            waits(2 * DAY),
        ],
        linked(Relation.NEAR_DUPLICATE, 0.97),
    ),
    Case("little-worth-hot", [learned(category="notification"), due("little-worth-hot", 0.12)], waits(1)),
    Case(
        "little-worth-warm", [learned(category="session_context"), due("little-worth-warm", 0.65)], waits(1)
    ),
    Case("little-worth-cold", [learned(category="memory_entry"), due("little-worth-cold", 46.69)], waits(1)),
    Case("worthless", [learned(category="memory_entry"), due("worthless", 111.51)], waits(1)),
]
ENDS = [
    Case("little-worth-hot", [learned(category="notification"), waits(12 * HOUR)], waits(1)),
    *JANITOR_ENDS,
]
# And where little worth is not all that it takes.
LATER = Case("little-worth-warm", [learned(category="notification"), waits(12 * HOUR)], waits(1))
OVERRIDDEN = sorted(load("mvs").overrides)
# Weight, half-life in days and the tokens that it ought to have (A.6), by category or category and state.
WEIGHTS: Mapping[str, tuple[float, float, float]] = {
    "belief": (10, 180, 80),
    "reflection": (8, 90, 200),
    "analysis": (7, 60, 300),
    "synthesis": (6.5, 120, 300),
    "recommendation": (5, 30, 150),
    "compressed_context": (4, 90, 100),
    "memory_entry": (2.5, 45, 120),
    "session_context": (1.5, 1, 150),
    "notification": (0.5, 0.5, 40),
    "task": (3, 0, 120),
    "belief held .3": (5, 60, 80),
    "belief retired": (1.5, 30, 80),
    "task completed": (2, 14, 120),
    "task failed": (2.5, 45, 120),
}
GRADES = {"info": 0.2, "low": 0.5, "medium": 1.0, "high": 1.6, "critical": 2.0}


def worth(
    name: str,
    tokens: int,
    *,
    unused: float = 0,
    quality: float = 0,
    uses: int = 0,
    links: int = 0,
    others: int = 0,
    lasting: float = 0.25,
) -> float:
    """What the design's table says that a memory is worth, said once more in Python; times in days."""
    weight, days, target = WEIGHTS[name]
    fresh = exp(-log(2) * unused / days) if days else 1.0
    return (
        weight * (lasting + (1 - lasting) * fresh)
        + 3 * fresh
        + min(2, 2 * log(1 + uses) / log(100))
        + quality
        + 1.5 * min(1, log(1 + links) / log(21))
        + min(2, 0.5 * others)
        - 1.5 * min(1, max(0, (tokens - target) / target))
    )


@pytest.fixture
async def story(tmp_path: Path) -> AsyncIterator[Story]:
    """An empty memory in a file."""
    clock = ManualClock()
    async with remanence.open(tmp_path / "memory.db", clock=clock, embedder=Measured()) as memory:
        yield Story(memory, clock, "mvs")


def test_every_rule_has_a_case() -> None:
    """The rules that it adds to the janitor's have one here; those that it overrides are tried anew."""
    added = {rule.name for rule in load("mvs").rules} - {rule.name for rule in load("janitor").rules}

    assert sorted(added) == sorted(case.rule for case in CASES)
    assert {rule.name for rule in load("mvs-seed").rules} == {rule.name for rule in load("mvs").rules}


@pytest.mark.parametrize(
    "case",
    [*CASES, LATER, *(case for case in JANITOR if case.rule in OVERRIDDEN)],
    ids=lambda case: case.rule,
)
async def test_a_rule_fires_at_its_instant(story: Story, case: Case) -> None:
    """Not before: what is planned then is done, and afterwards there is nothing more to do."""
    assert await happens(story, case)


@pytest.mark.parametrize("case", ENDS, ids=lambda case: case.rule)
async def test_a_rule_acts_as_long_as_it_says(story: Story, case: Case) -> None:
    """To the microsecond."""
    assert await ends(story, case)


# What is said, the state that it comes to, its row in the table, and its quality.
SAID: Sequence[tuple[dict[str, Any], str, str, float]] = (
    ({"category": "belief", "confidence": 0.95}, "", "belief", 1.9),
    ({"category": "belief", "confidence": 0.5}, "", "belief held .3", 1.0),
    ({"category": "belief"}, "", "belief held .3", 0),
    ({"category": "belief", "confidence": 0.4}, "retired", "belief retired", 0.8),
    ({"category": "reflection"}, "", "reflection", 0),
    *(({"category": "analysis", "severity": name}, "", "analysis", grade) for name, grade in GRADES.items()),
    ({"category": "analysis"}, "", "analysis", 0),
    ({"category": "synthesis", "confidence": 0.6}, "", "synthesis", 1.2),
    ({"category": "recommendation"}, "", "recommendation", 0),
    ({"category": "compressed_context"}, "", "compressed_context", 0),
    ({"category": "memory_entry", "confidence": 1}, "", "memory_entry", 2),
    ({"category": "session_context"}, "", "session_context", 0),
    ({"category": "notification"}, "", "notification", 0),
    ({"category": "task"}, "", "task", 0),
    ({"category": "task"}, "completed", "task completed", 0),
    ({"category": "task"}, "failed", "task failed", 0),
)


async def unlike(story: Story, expected: Mapping[int, float]) -> dict[int, float]:
    """Return of these values those that the memories of these numbers do not have to six digits."""
    text = f'version = 1\nextend = "{story.policy}"\n' + "".join(
        f'[[rule]]\nname = "worth-{seq}"\nevery = "deep"\nphase = "value"\ndo = "flag"\nto = "worth"\n'
        f'where = "seq == {seq} and mvs > {value - 1e-6:.9f} and mvs < {value + 1e-6:.9f}"\n'
        for seq, value in expected.items()
    )
    found = await story.memory.plan(text, overrides=story.without())
    right = {seq for action in found.actions() for seq in action.seqs}
    return {seq: value for seq, value in expected.items() if seq not in right}


@pytest.mark.parametrize(("policy", "lasting"), [("mvs", 0.25), ("mvs-seed", 1.0)])
async def test_what_is_learned_is_worth_what_the_formula_says(
    story: Story, policy: str, lasting: float
) -> None:
    """To six digits, short and too long, fresh and after a third of a day, a week and a year of neglect."""
    story.policy = policy
    there = {}
    for number, (said, state, name, quality) in enumerate(SAID):
        for text in (f"Heron {number} nests by the weir", f"Barge {number}: {LONG}"):
            seq = (await story.memory.learn(text, **said)).seq
            if state:
                await story.memory.update(seq, state=state)
            there[seq] = (name, (await story.memory.get(seq)).tokens, quality)
    passed, wrong = 0.0, []
    for days in (0, 0.33, 6.67, 358):
        story.wait(round(days * DAY))
        passed += days
        # A belief that is not quite sure fades after a week, and its worth with it: it has a test of its own.
        expected = {
            seq: worth(name, tokens, unused=passed, quality=quality, lasting=lasting)
            for seq, (name, tokens, quality) in there.items()
            if passed <= 7 or name != "belief held .3" or not quality
        }
        wrong += [(passed, there[seq], value) for seq, value in (await unlike(story, expected)).items()]

    assert [] == wrong


# The design's own table for weights that never fade: fresh, at an age in days, very old, very old and far too long.
TABLE: Sequence[tuple[str, float, int, float, float, float]] = (
    ("reflection", 11.0, 90, 9.5, 8.0, 6.5),
    ("analysis", 10.0, 60, 8.5, 7.0, 5.5),
    ("synthesis", 9.5, 120, 8.0, 6.5, 5.0),
    ("recommendation", 8.0, 30, 6.5, 5.0, 3.5),
    ("compressed_context", 7.0, 45, 6.1, 4.0, 2.5),
    ("memory_entry", 5.5, 45, 4.0, 2.5, 1.0),
    ("session_context", 4.5, 1, 3.0, 1.5, 0.0),
    ("notification", 3.5, 7, 0.5, 0.5, -1.0),
)


async def test_the_seeds_table_is_what_its_profile_says(story: Story) -> None:
    """To the digit that the table has; of a belief, whose weight hangs on its confidence, less what that adds."""
    story.policy = "mvs-seed"
    for number, (category, *_) in enumerate(TABLE):
        await story.learn(f"Heron {number} nests by the weir", category=category)
    for number, (category, *_) in enumerate(TABLE):
        await story.learn(f"Barge {number}: {LONG} {LONG}", category=category)
    belief = (await story.memory.learn(category="belief", text="Herons wade", confidence=0.9)).seq
    began = story.clock.now()
    found: list[tuple[str, float, float]] = []

    async def look(seq: int, category: str, expected: float) -> None:
        (value,) = await story.values("mvs", seq=seq)
        found.append((category, expected, value))

    for seq, (category, *fresh_and, extreme) in enumerate(TABLE, 1):
        fresh, days, aged, old = fresh_and
        for passed, expected in ((0, fresh), (days, aged), (10_000, old)):
            story.clock.set(began + int(passed) * DAY)
            await look(seq, category, expected)
        await look(seq + len(TABLE), category, extreme)
    for days, expected in ((10_000, 10.0), (60, 12.4)):
        story.clock.set(began + days * DAY)
        await look(belief, "belief", expected + 1.8)

    assert [] == [row for row in found if abs(row[1] - row[2]) > 0.0501]


@pytest.mark.parametrize(
    ("category", "expected"),
    [("belief", 17.0), ("reflection", 15.0), ("memory_entry", 9.5), ("notification", 5.0)],
)
async def test_a_busy_memory_is_worth_what_the_table_says(
    story: Story, category: str, expected: float
) -> None:
    """Ten uses by its own agent and another, five links, its author rather sure, a day old."""
    await story.learn(category=category, confidence=0.8, agent="ann")
    for agent in ("ann", "bob"):
        await story.recall(5, agent)
    for number in range(2, 7):
        await story.learn(f"Barge {number} is moored at quay {number}")
        await story.memory.link(1, number, "refers")
    story.wait(DAY)
    row = {**(await story.memory.get(1)).to_dict()}
    exact = worth(category, row["tokens"], unused=1, quality=1.6, uses=10, links=5, others=1)

    assert pytest.approx((exact,), abs=1e-6) == await story.values("mvs")
    assert pytest.approx(exact, abs=0.06) == expected


async def test_a_beliefs_worth_follows_its_confidence_by_now(story: Story) -> None:
    """As it fades from .8 to .7 it is no longer one of the firm, whose weight is twice that of the others."""
    await story.learn(category="belief", confidence=0.8)
    tokens = (await story.memory.get(1)).tokens
    story.wait(16 * DAY)
    firm = await story.values("mvs")
    story.wait(DAY + 1)
    fair = await story.values("mvs")

    assert pytest.approx((worth("belief", tokens, unused=16, quality=1.42),), abs=1e-6) == firm
    assert pytest.approx((worth("belief held .3", tokens, unused=17, quality=1.4),), abs=1e-6) == fair


async def precious(story: Story, *agents: str) -> None:
    """Let the first memory be used by others."""
    for agent in agents:
        await story.recall(1, agent)


@pytest.mark.parametrize("life", [life for life in LIVES if life[0] in OVERRIDDEN], ids=lambda life: life[0])
async def test_what_is_worth_much_outlives_its_time_once(
    story: Story, life: tuple[str, int, str, tuple[str, ...], dict[str, Any]]
) -> None:
    """With 8 and more, and a use within its half-life, it lives up to twice as long, and then no longer."""
    rule, days, category, states, said = life
    await story.learn(
        category=category,
        **{"confidence": 0.29 if category == "belief" else 1.0}
        | said
        | ({"confidence": 0.29} if category == "belief" else {}),
    )
    for number in range(2, 22):
        await story.learn(f"Barge {number} is moored at quay {number}", category="fact")
        await story.memory.link(1, number, "refers")
    for state in states:
        await story.memory.update(1, state=state)
    began = story.clock.now()
    by_use = rule == "keywords"
    story.clock.set(began if by_use else began + days * DAY - HOUR)
    await precious(story, "ann", "bob")
    story.clock.set(began + days * DAY + 1)
    once = await story.only(rule)
    story.clock.set(began + 2 * days * DAY - HOUR)
    if not by_use:
        await precious(story, "cid")
    story.clock.set(began + 2 * days * DAY)
    still = await story.only(rule)
    story.wait(1)

    assert ([], [], [rule]) == (once, still, await story.only(rule))


async def test_worth_without_a_late_use_vetoes_nothing(story: Story) -> None:
    """A use longer ago than the half-life, 60 days, does not let a minor analysis outlive these 60 days."""
    await story.learn(category="analysis", severity="low", agent="ann")
    for number in range(2, 22):
        await story.learn(f"Barge {number} is moored at quay {number}", category="fact")
        await story.memory.link(1, number, "refers")
    await precious(story, "bob", "cid", "dan")
    story.wait(60 * DAY + 1)

    assert (await story.values("mvs"))[0] > 8
    assert ["minor-analyses"] == await story.only("minor-analyses")


# What the tier rules call for, after hours unused and so many uses before, and where a memory worth little lies.
BELOW = (
    (6, 0, Tier.HOT, Tier.WARM),
    (24, 0, Tier.WARM, Tier.COLD),
    (49, 3, Tier.WARM, Tier.COLD),
    (49, 0, Tier.COLD, Tier.ARCHIVE),
)


@pytest.mark.parametrize(("hours", "uses", "given", "below"), BELOW)
async def test_what_is_worth_little_lies_one_tier_below_what_the_facts_call_for(
    story: Story, hours: int, uses: int, given: Tier, below: Tier
) -> None:
    """In one run, from hot; a memory of no weight lies where the janitor puts it."""
    numbers = "[category.observation]\nnumbers = { worth = 2, half_life = 0.1, tokens = 900, lasting = 1 }\n"
    story.policy = f'version = 1\nextend = "mvs"\n{numbers}'
    await story.learn("The heron wades", category="fact")
    await story.learn("The heron sleeps", category="observation")
    for _ in range(uses):
        await story.memory.recall("heron")
    await story.plan()
    story.wait(hours * HOUR)
    await story.memory.curate(story.policy)

    assert [given, below] == [(await story.memory.get(seq)).tier for seq in (1, 2)]


async def test_what_is_worth_little_is_not_promoted_for_being_used(story: Story) -> None:
    """Otherwise promotion and demotion would fight: it stays cold, and so it does in each later run."""
    numbers = "[category.observation]\nnumbers = { worth = 0, half_life = 0.1, tokens = 900, lasting = 1 }\n"
    story.policy = f'version = 1\nextend = "mvs"\n{numbers}'
    await story.learn(category="observation", confidence=0.6)
    story.wait(20 * HOUR)
    await story.recall(6)
    story.wait(13 * HOUR)
    tiers = []
    for _ in range(4):
        await story.memory.curate(story.policy)
        tiers.append((await story.memory.get(1)).tier)
        story.wait(2 * HOUR)

    assert [Tier.COLD] * 4 == tiers


# What the design never deletes for being worth little, after a year of neglect.
SPARED: Sequence[dict[str, Any]] = (
    {"category": "notification", "severity": "critical"},
    {"category": "reflection", "state": "raw", "text": LONG},
    {"category": "fact"},
    {},
)


@pytest.mark.parametrize("said", SPARED)
async def test_what_the_design_spares_is_never_deleted_for_its_worth(
    story: Story, said: dict[str, Any]
) -> None:
    """Unread notices before their time, raw reflections however long, and what has no weight at all."""
    await story.learn(**said)
    story.wait(365 * DAY)

    assert [] == await story.only("worthless")


async def test_the_one_that_is_worth_more_survives(story: Story) -> None:
    """Of two that say the same: the younger one here, which was used; it takes over what the other knew."""
    await story.learn(category="belief", confidence=0.6, tags=("weir",))
    await story.learn("By the weir the heron nests", category="belief", confidence=0.5)
    await story.memory.link(1, 2, "near_duplicate", confidence=0.99)
    story.wait(30 * DAY)
    for _ in range(3):
        await story.memory.recall("By the weir the heron nests", limit=1, count_use=True)
    await story.plan()
    values = [(await story.values("mvs", seq=seq))[0] for seq in (1, 2)]
    more = 1 + values.index(max(values))
    await story.only("the-same-twice")
    kept, gone = (await story.memory.get(more)), (await story.memory.get(3 - more))

    assert (Status.INBOX, Status.SUPERSEDED) == (kept.status, gone.status)
    assert (0.6, ("weir",)) == (kept.confidence, kept.tags)
