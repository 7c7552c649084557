"""Seventeen defects that an earlier engine of this design had in the field (K1 to K17): none of them is here."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest

import remanence
from remanence.core.clock import DAY, HOUR, ManualClock
from remanence.core.errors import NotFound
from remanence.core.model import Relation, Status, Tier
from remanence.curate.policy.compiled import load
from tests.flows import test_autonomous, test_janitor, test_mvs
from tests.flows.conftest import Measured
from tests.flows.stories import HERON, LONG, Story


@pytest.fixture
async def story(tmp_path: Path) -> AsyncIterator[Story]:
    """An empty memory in a file, under the janitor."""
    clock = ManualClock()
    async with remanence.open(tmp_path / "memory.db", clock=clock, embedder=Measured()) as memory:
        yield Story(memory, clock, "janitor")


async def tiers(story: Story) -> list[Tier]:
    """Return the tiers of all memories, the oldest first."""
    return [one.tier for one in sorted(await story.memory.list(), key=lambda one: one.seq)]


async def test_k1_a_budget_keeps_the_newest(story: Story) -> None:
    """Five texts of over 400 tokens: the two oldest of them leave the hot tier, never the most recent."""
    for number in range(5):
        await story.learn(f"Barge {number}: {LONG}")
        story.wait(HOUR)
    assert 1600 < (await story.memory.status()).tokens["hot"]
    await story.only("hot-budget")

    assert [Tier.WARM, Tier.WARM, Tier.HOT, Tier.HOT, Tier.HOT] == await tiers(story)


async def test_k2_a_budget_counts_tokens_and_not_memories(story: Story) -> None:
    """Two long texts are beyond a budget of so many tokens, and thirty short ones are not."""
    for number in range(30):
        await story.learn(f"Barge {number} sails")
    assert [] == await story.only("hot-budget")
    for number in range(2):
        await story.learn(f"Barge {number}: {LONG} {LONG}")

    assert ["hot-budget"] == await story.only("hot-budget")


async def test_k3_nothing_goes_before_its_time(story: Story) -> None:
    """A notice of 13 hours, unread or read, a critical one of 31 days and a session active for two days all stay."""
    await story.learn("The lock is shut", category="notification", severity="critical")
    await story.learn("Market day", category="session_context")
    story.wait(31 * DAY)
    await story.learn("The ferry is late", category="notification")
    await story.learn("The ferry is early", category="notification")
    await story.memory.update(4, state="read")
    story.wait(13 * HOUR)
    plan = await story.memory.plan("janitor")

    assert 0 == plan.destroyed
    assert not [one for one in plan.actions() if one.name == "prune"]


async def test_k4_what_is_linked_can_go_and_leaves_no_loose_ends(story: Story) -> None:
    """A read notice with links becomes a tombstone, is purged after 30 days, and its links go with it."""
    await story.learn("The ferry is late", category="notification")
    await story.learn("Herons wade", category="fact")
    await story.memory.link(1, 2, "refers")
    await story.memory.link(2, 1, "causes")
    await story.memory.update(1, state="read")
    story.wait(8 * DAY)
    await story.only("read-notices")
    story.wait(30 * DAY + 1)
    await story.only("tombstones")

    with pytest.raises(NotFound):
        await story.memory.get(1)
    assert [] == await story.memory.links(2)
    assert all(check.ok for check in await story.memory.doctor() if "link" in check.name)


async def test_k5_a_tombstone_is_purged_by_the_time_that_it_bears(story: Story) -> None:
    """Thirty days after it fell, by whatever made it fall, and not a moment before."""
    await story.learn("The ferry is late", category="notification")
    await story.memory.update(1, state="read")
    story.wait(7 * DAY + 1)
    await story.only("read-notices")
    fell = (await story.memory.get(1)).status_at
    assert story.clock.now() == fell
    story.clock.set(fell + 30 * DAY)
    assert [] == await story.only("tombstones")
    story.wait(1)

    assert ["tombstones"] == await story.only("tombstones")


async def test_k6_what_lacks_a_property_is_curated_and_protected(story: Story) -> None:
    """A text of which nothing is said moves and is archived like others; a belief of .95 is as sure as one of .9."""
    await story.learn("The heron sleeps")
    await story.learn("Herons wade", category="belief", confidence=0.95)
    story.wait(3 * DAY)
    await story.memory.curate("janitor")
    assert [Tier.COLD, Tier.COLD] == await tiers(story)
    story.wait(88 * DAY)
    await story.memory.curate("janitor")
    explained = await story.memory.explain(2, "janitor")
    verdicts = {verdict.name: verdict.truth for verdict in explained.verdicts}

    assert Status.ARCHIVED == (await story.memory.get(1)).status
    assert ("true", "false") == (verdicts["sure-beliefs"], verdicts["unknown-category"])


async def test_k7_worth_falls_by_the_hour_and_rises_with_use(story: Story) -> None:
    """A notice of 23.9 hours and one of 24.1 differ by a hundredth, not by the 2.25 of whole days."""
    story.policy = "mvs-seed"
    await story.learn(category="notification")
    values: list[float] = []
    for hours in (23.9, 0.2):
        story.wait(round(hours * HOUR))
        values += await story.values("mvs")
    await story.recall(1)
    used = await story.values("mvs")

    assert pytest.approx([1.2543, 1.2457], abs=1e-4) == values
    assert used[0] > 3.5


async def test_k8_times_of_other_zones_are_instants(story: Story) -> None:
    """A time with a zone is the instant that it names, and age is measured from there without a complaint."""
    said = datetime(2026, 1, 1, 9, tzinfo=timezone(timedelta(hours=9)))
    await story.learn("Herons wade", said_at=said)
    await story.memory.curate("janitor")

    assert said.astimezone(UTC) == (await story.memory.get(1)).said_time


async def test_k9_links_readers_and_every_kind_count(story: Story) -> None:
    """Each link and each reader adds to the score, and no kind of the design is without one."""
    story.policy = "mvs"
    await story.learn(category="task")
    alone = await story.values("mvs", "central", "readers")
    await story.learn("Flour is dear")
    await story.memory.link(1, 2, Relation.REFERS)
    await story.recall(1, "bob")
    linked = await story.values("mvs", "central", "readers")
    scored = {name for name, item in load("mvs").categories.items() if "lasting" in item.numbers}

    assert (0, 0) == alone[1:]
    assert pytest.approx((0.341505, 0.5), abs=1e-6) == linked[1:]
    assert {name.split(" ")[0] for name in test_mvs.WEIGHTS} == scored


async def test_k10_what_was_not_said_is_worth_nothing(story: Story) -> None:
    """A notice of unknown confidence ends at 0.5, not at 1.5, and can so be deleted."""
    story.policy = "mvs-seed"
    await story.learn(category="notification")
    await story.memory.update(1, state="read")
    story.wait(30 * DAY)

    assert pytest.approx((0.5,)) == await story.values("mvs")
    assert ["worthless"] == await story.only("worthless")


async def test_k11_too_long_is_measured_by_the_kind(story: Story) -> None:
    """A text that would be far too long for a notice has the length of an analysis."""
    story.policy = "mvs"
    text = LONG[:1000]
    await story.learn(text, category="notification")
    await story.learn(f"{text} again", category="analysis")
    assert 80 < (await story.memory.get(1)).tokens < 300

    assert ((1.5,), (0.0,)) == (
        await story.values("bloat", seq=1),
        await story.values("bloat", seq=2),
    )


def test_k12_every_safety_rule_is_a_guard() -> None:
    """Not a factor of a score, and each keeps from deleting and from merging; four more are built in."""
    for preset in ("janitor", "mvs", "mvs-seed", "autonomous"):
        guards = {guard.name: guard.blocks for guard in load(preset).guards}

        assert {*test_janitor.DELETING} <= {
            name for name, blocks in guards.items() if {"merge", "prune"} <= {*blocks}
        }


async def test_k13_a_beliefs_confidence_falls_by_the_day_however_often_rules_run(story: Story) -> None:
    """Two days of hourly runs take from it what two days take; and below .3, which it reaches, it is retired."""
    await story.learn(category="belief", confidence=0.31)
    story.wait(7 * DAY)
    for _ in range(24):
        story.wait(2 * HOUR)
        await story.only("doubtful-beliefs")
    found = await story.values("belief_confidence")
    story.wait(60 * DAY)

    assert pytest.approx((0.29,)) == found
    assert ["doubtful-beliefs"] == await story.only("doubtful-beliefs")


async def test_k14_a_burst_of_uses_is_over_after_a_week(story: Story) -> None:
    """Thirty uses in a day count for seven days, and then for nothing."""
    await story.learn(category="fact")
    await story.recall(30)
    counts = []
    for days in (6, 1):
        story.wait(days * DAY)
        explained = await story.memory.explain(1, "janitor")
        values = next(one.values for one in explained.verdicts if one.name == "warm-used")
        counts.append(values["uses(7)"])

    assert [30, 0] == counts


async def test_k15_a_merge_keeps_what_kind_of_link_each_was(story: Story) -> None:
    """And which way it went: those that led to the one that goes and those that came from it."""
    story.policy = "mvs"
    for text in (HERON, "By the weir the heron nests"):
        await story.learn(text, category="memory_entry", confidence=0.5)
    await story.learn("Weirs are quiet", category="fact")
    await story.learn("Herons breed", category="fact")
    await story.memory.link(2, 3, "supports")
    await story.memory.link(4, 2, "causes")
    await story.memory.link(1, 2, "near_duplicate", confidence=0.99)
    await story.memory.rate(1, "right")
    story.wait(2 * DAY)
    await story.only("the-same-twice")
    first = (await story.memory.get(1)).status
    left = 2 if first == Status.SUPERSEDED else 1

    assert {("supports", left, 3), ("causes", 4, left)} <= {
        (link.relation.label, link.source, link.target) for link in await story.memory.links(left)
    }


async def test_k16_what_says_the_same_in_other_words_is_merged(story: Story) -> None:
    """Not equal texts alone; with an embedder that was measured, and at once, not as a node for somebody to read."""
    story.policy = "mvs"
    for text in (HERON, "By the weir the heron nests"):
        await story.learn(text, category="memory_entry", confidence=0.5)
    await story.memory.consolidate()
    await story.memory.link(1, 2, "near_duplicate", confidence=0.99)
    story.wait(2 * DAY)

    assert ["the-same-twice"] == await story.only("the-same-twice")


@pytest.mark.parametrize("preset", ["janitor", "mvs", "autonomous"])
def test_k17_every_rule_is_run_against_a_store(preset: str) -> None:
    """Each has a case that lets it act on what the verbs stored, and sees that it does not a moment before."""
    tried = {case.rule for case in (*test_janitor.CASES, *test_mvs.CASES, *test_autonomous.CASES)}

    assert {rule.name for rule in load(preset).rules} <= tried
