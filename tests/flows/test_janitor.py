"""The preset `janitor` through the verbs of an engine: each rule acts, and an instant before it does not."""

from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any

import pytest

import remanence
from remanence.core.clock import DAY, HOUR, MINUTE, ManualClock
from remanence.core.model import Relation, Status, Tier
from remanence.curate.policy.compiled import load
from tests.flows.conftest import Measured
from tests.flows.stories import (
    HERON,
    LONG,
    Case,
    Story,
    becomes,
    curated,
    ends,
    filled,
    happens,
    learned,
    linked,
    moment,
    recalled,
    waits,
)

COLD = (learned(category="fact"), waits(2 * DAY + 1), curated("hardly-used"), waits(HOUR))
# A budget put it out of the warm tier; it was used often before, and not since.
PUT_OUT = (
    *COLD,
    recalled(3),
    curated("cold-used"),
    filled(390),
    learned(LONG[:400]),
    waits(DAY),
    curated("hot-unused"),
    curated("warm-budget"),
    waits(HOUR),
)
MARKED = (learned(category="analysis", severity="low"), waits(8 * DAY), curated("orphans-marked"))
# Rule, days, category, the states that come one after another, and what else is said.
LIVES: Sequence[tuple[str, int, str, tuple[str, ...], dict[str, Any]]] = (
    ("read-notices", 7, "notification", ("read",), {}),
    ("unread-notices", 30, "notification", (), {}),
    ("ended-sessions", 1, "session_context", ("ended",), {}),
    ("finished-tasks", 14, "task", ("completed",), {}),
    ("failed-tasks", 90, "task", ("failed",), {}),
    ("retired-beliefs", 30, "belief", ("retired",), {"confidence": 0.2}),
    ("doubtful-beliefs", 60, "belief", (), {"confidence": 0.2}),
    ("settled-reflections", 90, "reflection", ("consolidated",), {}),
    ("minor-analyses", 60, "analysis", (), {"severity": "low"}),
    ("middling-analyses", 120, "analysis", (), {"severity": "medium"}),
    ("grave-analyses-resolved", 180, "analysis", ("resolved",), {"severity": "high"}),
    ("keywords", 45, "compressed_context", (), {"state": "keywords"}),
    ("syntheses", 120, "synthesis", (), {}),
    ("settled-recommendations", 180, "recommendation", ("implemented",), {}),
)
CASES = [
    *(moment(*life[:3], *life[3], **life[4]) for life in LIVES),
    Case("former-beliefs", [learned(category="belief", confidence=0.8)], becomes("retired")),
    Case("reflections-to-consolidate", [learned(category="reflection"), recalled(3)], recalled(1)),
    Case(
        "reflections-consolidated",
        [learned(category="reflection"), recalled(4), curated("reflections-to-consolidate")],
        becomes("consolidated"),
    ),
    Case("tombstones", [learned(category="fact"), lambda it: it.memory.forget(1), waits(30 * DAY)], waits(1)),
    moment("orphans-marked", 7, "analysis", severity="low"),
    Case("orphans-joined", [*MARKED, learned("Flour is dear")], linked(Relation.REFERS)),
    Case("orphans-swept", [*MARKED, waits(DAY - 1)], waits(1)),
    Case("hot-unused", [learned(category="fact"), waits(12 * HOUR)], waits(1)),
    Case("hardly-used", [learned(category="fact"), waits(48 * HOUR)], waits(1)),
    Case("long-unused", [learned(category="fact"), waits(90 * DAY)], waits(1)),
    Case("cold-used", [*COLD, recalled(2)], recalled(1)),
    Case(
        "cold-in-session", [*COLD, learned("Market day", category="session_context")], linked(Relation.REFERS)
    ),
    Case(
        "warm-used",
        [learned(category="fact"), waits(DAY), curated("hot-unused"), waits(HOUR), recalled(9)],
        recalled(1),
    ),
    Case(
        "warm-in-work",
        [
            learned(category="fact"),
            waits(DAY),
            curated("hot-unused"),
            waits(HOUR),
            learned("Market day", category="task", state="in_progress"),
        ],
        linked(Relation.REFERS),
    ),
    Case("hot-budget", [filled(1600)], learned(LONG[:400])),
    Case(
        "warm-budget",
        [filled(390), waits(DAY), curated("hot-unused"), learned(LONG[:400]), waits(DAY)],
        curated("hot-unused"),
    ),
    Case("warm-budget/oversize", [learned(LONG), waits(DAY)], curated("hot-unused")),
    Case(
        "cold-budget",
        [filled(190), waits(3 * DAY), curated("hardly-used"), learned(LONG[:400]), waits(3 * DAY)],
        curated("hardly-used"),
    ),
    Case("cold-budget/oversize", [learned(LONG), waits(3 * DAY)], curated("hardly-used")),
    Case(
        "oversize-no-more",
        [learned(LONG), waits(DAY), curated("hot-unused"), curated("warm-budget/oversize")],
        lambda it: it.memory.update(1, text=HERON),
    ),
    Case(
        "summaries",
        [learned(f"{HERON}. " + "It is there and it stands about as it always did. " * 50, category="fact")],
        lambda it: archived(it),
    ),
]


# What a rule looks at for so long, and no longer.
ENDS = [
    Case("cold-used", [*COLD, recalled(3), waits(48 * HOUR)], waits(1)),
    Case(
        "warm-used",
        [
            learned(category="fact"),
            waits(DAY),
            curated("hot-unused"),
            waits(HOUR),
            recalled(10),
            waits(12 * HOUR),
        ],
        waits(1),
    ),
]


@pytest.fixture
async def story(tmp_path: Path) -> AsyncIterator[Story]:
    """An empty memory in a file."""
    clock = ManualClock()
    async with remanence.open(tmp_path / "memory.db", clock=clock, embedder=Measured()) as memory:
        yield Story(memory, clock, "janitor")


def test_every_rule_has_a_case() -> None:
    """One that no verb can make fire would be a defect."""
    assert sorted(rule.name for rule in load("janitor").rules) == sorted(case.rule for case in CASES)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.rule)
async def test_a_rule_fires_at_its_instant(story: Story, case: Case) -> None:
    """Not before: what is planned then is done, and afterwards there is nothing more to do."""
    assert await happens(story, case)


@pytest.mark.parametrize("case", ENDS, ids=lambda case: case.rule)
async def test_a_rule_acts_as_long_as_it_says(story: Story, case: Case) -> None:
    """To the microsecond."""
    assert await ends(story, case)


async def test_what_a_budget_put_out_comes_back_once_it_is_used_again(story: Story) -> None:
    """Not for what it was used before: it would be put out again, and come back, at each hour."""
    assert await happens(story, Case("cold-used", PUT_OUT, recalled(1)))


# Guards that keep from deleting: R3 to R6, R9 to R11, the protected class and T16.
DELETING = (
    "unfinished-tasks", "active-sessions", "sure-beliefs", "proven-reflections", "grace", "shared",
    "unknown-category", "protected-class", "grave-analyses",
)  # fmt: skip
# What only takes out of sight has nothing to do with what is out of sight.
IN_ARCHIVE = [
    life for life in LIVES if life[1] > 2 and not life[0].startswith(("finished", "failed", "grave"))
]


@pytest.mark.parametrize("life", IN_ARCHIVE, ids=lambda life: life[0])
async def test_a_life_time_goes_on_in_the_archive(
    story: Story, life: tuple[str, int, str, tuple[str, ...], dict[str, Any]]
) -> None:
    """What a budget archived becomes a tombstone (a belief retired) when its time is over, and no moment before."""
    rule, days, category, states, said = life
    await story.learn(category=category, **said)
    for state in states:
        await story.memory.update(1, state=state)
    ends = story.clock.now() + days * DAY
    await archived(story)
    story.clock.set(ends)
    early = await story.only(rule)
    story.clock.set(ends + 1)

    assert ([], [rule]) == (early, await story.only(rule))


async def test_what_is_archived_on_its_last_day_goes_in_time(story: Story) -> None:
    """Going into the archive is no coming back: it puts nothing off."""
    await story.learn(category="notification", state="read")
    ends = story.clock.now() + 7 * DAY
    story.clock.set(ends - 3 * DAY + 6 * HOUR)
    await archived(story)
    story.clock.set(ends + 1)

    assert ["read-notices"] == await story.only("read-notices")


async def archived(story: Story) -> None:
    """Let the budget of the cold tier, which for once is nothing, archive all that is there."""
    story.wait(2 * DAY + 1)
    await story.only("hardly-used")
    nothing = {"keep": {"tokens": 0}, "oversize": "move"}
    assert ["cold-budget"] == await story.only("cold-budget", **{"cold-budget": nothing})


async def confidence(story: Story) -> float:
    """Read the confidence that the first memory, a belief, still has."""
    (found,) = await story.values("belief_confidence")
    return found


async def test_a_beliefs_confidence_is_a_function_of_time(story: Story) -> None:
    """0.8 reads 0.73 after 14 unused days (7 that count), never falls below 0.05, and no pass writes it down (D1)."""
    await story.learn(category="belief", confidence=0.8)
    read = []
    for days in (6, 8, 400):
        story.wait(days * DAY)
        await story.only()
        read.append(await confidence(story))

    assert pytest.approx([0.8, 0.73, 0.05]) == read
    assert 0.8 == (await story.memory.get(1)).confidence


@pytest.mark.parametrize("said", [{}, {"confidence": 0.8}])
async def test_what_is_said_again_decays_no_faster(story: Story, said: dict[str, Any]) -> None:
    """0.8 that is said again on the fifth of 14 unused days, with its confidence or without, reads 0.73 too."""
    await story.learn(category="belief", confidence=0.8)
    story.wait(5 * DAY)
    await story.learn(category="belief", **said)
    story.wait(9 * DAY)

    assert pytest.approx(0.73) == await confidence(story)


async def test_what_is_said_anew_counts_from_then(story: Story) -> None:
    """A belief that had faded away and is held again reads as it was said, and is not retired the same day."""
    await story.learn(category="belief", confidence=0.8)
    story.wait(400 * DAY)
    await story.memory.update(1, confidence=0.85)

    assert pytest.approx(0.85) == await confidence(story)
    assert [] == await story.only("doubtful-beliefs")


async def test_a_used_belief_does_not_fade(story: Story) -> None:
    """Seven days from its last use nothing is taken away."""
    await story.learn(category="belief", confidence=0.8)
    story.wait(20 * DAY)
    await story.recall(1)
    story.wait(8 * DAY)

    assert pytest.approx(0.79) == await confidence(story)


@pytest.mark.parametrize(("said", "expected"), [(0.9, 0.9), (0.04, 0.04)])
async def test_what_is_sure_or_hardly_believed_does_not_fade(
    story: Story, said: float, expected: float
) -> None:
    """0.9 and more stays, and what is below the floor is not raised to it."""
    await story.learn(category="belief", confidence=said)
    story.wait(300 * DAY)

    assert pytest.approx(expected) == await confidence(story)


async def test_a_retired_belief_keeps_the_confidence_it_had(story: Story) -> None:
    """What is no longer held does not fade any more."""
    await story.learn(category="belief", confidence=0.8)
    story.wait(17 * DAY)
    await story.memory.update(1, state="retired")
    story.wait(100 * DAY)

    assert pytest.approx(0.7) == await confidence(story)


async def test_an_explanation_shows_what_a_beliefs_confidence_is_by_now(story: Story) -> None:
    """It is a value of the rules that read it, with the instant at which they will fire, to the microsecond."""
    await story.learn(category="belief", confidence=0.8)
    began = story.clock.now()
    story.wait(14 * DAY)
    explanation = await story.memory.explain(1, "janitor")
    (verdict,) = [verdict for verdict in explanation.verdicts if verdict.name == "doubtful-beliefs"]

    assert pytest.approx(0.73) == verdict.values["belief_confidence"]
    assert began + 60 * DAY + 1 == verdict.fires_at


async def test_what_a_task_taught_keeps_it(story: Story) -> None:
    """A finished task from which something was learned is not archived by its age (T4), nor a failed one (T5)."""
    for seq, state in enumerate(("completed", "failed"), 1):
        await story.learn(f"Paint barge {seq}", category="task")
        await story.memory.update(seq, state=state)
    await story.learn("Barges need two coats", category="fact")
    await story.memory.link(3, 1, "learned_from")
    await story.memory.link(3, 2, "learned_from")
    story.wait(300 * DAY)

    assert [] == await story.only("finished-tasks", "failed-tasks")


async def test_a_belief_on_which_another_rests_stays(story: Story) -> None:
    """A link from a belief that is held keeps a retired one (T7) and a doubtful one (T8)."""
    await story.learn(category="belief", confidence=0.2)
    await story.learn("Barges need a pilot", category="belief", confidence=0.2)
    await story.learn("The lock is narrow", category="belief", confidence=0.95)
    for seq in (1, 2):
        await story.memory.link(3, seq, "supports")
    await story.memory.update(1, state="retired")
    story.wait(300 * DAY)

    assert [] == await story.only("retired-beliefs", "doubtful-beliefs")


@pytest.mark.parametrize("archive_too", [False, True])
async def test_an_analysis_that_led_to_a_recommendation_stays(story: Story, archive_too: bool) -> None:
    """Whichever way the link goes, and wherever the recommendation lies (T14, T15)."""
    await story.learn("The weir leaks", category="analysis", severity="low")
    await story.learn("The lock leaks", category="analysis", severity="medium")
    await story.learn("Mend both", category="recommendation")
    await story.memory.link(1, 3, "supports")
    await story.memory.link(3, 2, "refers")
    if archive_too:
        await archived(story)
    story.wait(300 * DAY)

    assert [] == await story.only("minor-analyses", "middling-analyses", "orphans-marked", "orphans-swept")


@pytest.mark.parametrize("severity", ["high", "critical"])
async def test_a_grave_analysis_is_archived_and_never_deleted(story: Story, severity: str) -> None:
    """Not before it is resolved, and not as an orphan either (T16)."""
    await story.learn(category="analysis", severity=severity)
    story.wait(200 * DAY)
    open_still = await story.only("grave-analyses-resolved", "orphans-marked", "orphans-swept")
    await story.memory.update(1, state="resolved")
    for _ in range(3):
        story.wait(200 * DAY)
        await story.memory.curate("janitor")

    assert "grave-analyses-resolved" not in open_still
    assert Status.ARCHIVED == (await story.memory.get(1)).status


async def test_what_a_task_works_with_stays_at_hand_until_it_ends(story: Story) -> None:
    """A memory linked to a task in progress is not moved away from hot, nor archived, however long it is unused."""
    await story.learn(category="fact")
    await story.learn("Paint the barge", category="task", state="in_progress")
    await story.memory.link(1, 2, "refers")
    story.wait(91 * DAY)

    await story.only("hot-unused", "hardly-used")
    tiers = [(await story.memory.get(seq)).tier for seq in (1, 2)]
    idle = await story.only("long-unused")
    await story.memory.update(2, state="completed")
    ended = await story.only("long-unused")

    assert [Tier.HOT, Tier.COLD] == tiers
    assert ([], ["long-unused"]) == (idle, ended)


@pytest.mark.parametrize(
    "work",
    [{"category": "task", "state": "in_progress"}, {"category": "session_context"}],
    ids=["task", "session"],
)
async def test_a_budget_archives_nothing_that_is_worked_with(story: Story, work: dict[str, Any]) -> None:
    """Of two cold memories the budget archives the other, though that was used later."""
    await story.learn(LONG[:600], category="fact")
    story.wait(MINUTE)
    await story.learn(LONG[200:800], category="fact")
    story.wait(3 * DAY)
    await story.only("hardly-used")
    await story.learn("Paint the barge", **work)
    await story.memory.link(1, 3, "refers")

    assert ["cold-budget"] == await story.only("cold-budget")
    statuses = [(await story.memory.get(seq)).status for seq in (1, 2)]

    assert [Status.INBOX, Status.ARCHIVED] == statuses


async def test_a_finished_task_goes_in_time_though_a_running_one_is_linked_to_it(story: Story) -> None:
    """The guard of running work blocks the budget, and not the life time of 14 days."""
    await story.learn(category="task", state="completed")
    await story.learn("Paint the barge", category="task", state="in_progress")
    await story.memory.link(1, 2, "refers")
    story.wait(14 * DAY + 1)

    assert ["finished-tasks"] == await story.only("finished-tasks")


async def test_a_neighbour_without_a_category_makes_nobody_busy(story: Story) -> None:
    """It might be a session, but being moved to another tier is no loss; otherwise turns of a talk never left hot."""
    await story.learn()
    await story.learn("Flour is dear")
    await story.memory.link(1, 2, "refers")
    story.wait(3 * DAY)

    assert ["hardly-used"] == await story.only("hardly-used", "hot-unused")


async def test_a_budget_of_a_busy_tier_moves_once_and_then_rests(story: Story) -> None:
    """Down to the lower mark, nine tenths, so that the next text moves nothing."""
    await filled(1600)(story)
    await story.learn(LONG[:400])
    moved = await story.only("hot-budget")
    left = (await story.memory.status()).tokens["hot"]
    await story.learn("The ferry is late")

    assert (["hot-budget"], []) == (moved, await story.only("hot-budget"))
    assert 1440 >= left > 1440 - 60


async def test_agents_have_a_budget_each(story: Story) -> None:
    """What one agent keeps hot takes nothing from another."""
    for agent in ("ann", "bob"):
        await story.learn(f"{agent}: {LONG}", agent=agent)
    await story.learn("The ferry is late", agent="ann")

    assert [] == await story.only("hot-budget")


async def test_what_is_longer_than_a_tier_neither_counts_nor_blocks_there(story: Story) -> None:
    """It lands in the first tier below, marked, and pushes nothing further (A.4)."""
    await story.learn(" ".join([LONG] * 5))
    await story.learn("The ferry is late")
    assert (await story.memory.get(1)).tokens > 1600
    await story.memory.curate("janitor")

    assert [Tier.WARM, Tier.HOT] == [(await story.memory.get(seq)).tier for seq in (1, 2)]
    assert ("flag/oversize",) == (await story.memory.get(1)).tags


async def test_an_entry_used_much_and_then_left_alone_moves_once_a_tier(story: Story) -> None:
    """Twelve uses and a week of silence: without the late use that promotion asks for it goes up and down for ever."""
    await story.learn(category="fact")
    await story.recall(12)
    tiers = []
    for _ in range(7 * 6):
        story.wait(4 * HOUR)
        await story.memory.curate("janitor")
        tiers.append((await story.memory.get(1)).tier)

    assert 3 == len({*tiers})
    assert sorted(tiers) == tiers
