"""How old a memory is for a plan: by when it was said where that archives and moves, by arrival where it deletes."""

import random
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

import remanence
from remanence.core.clock import ManualClock, to_datetime
from tests.flows.conftest import Opener

NOTES, DAYS = 60, 183
THINGS = (
    "boat",
    "roof",
    "garden",
    "kettle",
    "bicycle",
    "oven",
    "fence",
    "piano",
    "lamp",
    "cellar",
    "shed",
    "dog",
)
DEEDS = (
    "was repaired",
    "is louder now",
    "cost more than we thought",
    "stays where it is",
    "is missed",
)
RULE = """
version = 1
name = "ages"
[[rule]]
name = "r"
every = "deep"
phase = "expire"
where = "{}"
do = "archive"
because = "test"
"""
# What has a life time in one of the presets, each as it is when that begins to run.
MORTAL: Mapping[str, Mapping[str, Any]] = {
    "An unread notice.": {"category": "notification", "state": "unread"},
    "A read notice.": {"category": "notification", "state": "read"},
    "An ended session.": {"category": "session_context", "state": "ended"},
    "A guess about the weather.": {"category": "fact", "confidence": 0.2},
    "A task that is done.": {"category": "task", "state": "completed"},
    "A commitment that is kept.": {"category": "commitment", "state": "fulfilled"},
    "A minor analysis of the ropes.": {"category": "analysis", "severity": "low"},
    "A middling analysis of the sails.": {"category": "analysis", "severity": "medium"},
    "A synthesis of both.": {"category": "synthesis"},
    "A recommendation that was followed.": {"category": "recommendation", "state": "implemented"},
    "Only keywords.": {"category": "compressed_context", "state": "keywords"},
    "A drawn reflection.": {"category": "reflection", "state": "consolidated"},
    "A doubted belief.": {"category": "belief", "state": "retired", "confidence": 0.2},
}


def make_diary(today: datetime) -> list[tuple[datetime, str]]:
    """Return sixty notes over half a year up to today, each with its day."""
    texts = [f"The {thing} {deed}." for thing in THINGS for deed in DEEDS]
    random.Random(7).shuffle(texts)
    midnight = datetime.combine(today.date(), datetime.min.time(), UTC)
    return [
        (midnight - timedelta(days=at * DAYS // (NOTES - 1)), text)
        for at, text in zip(reversed(range(NOTES)), texts, strict=True)
    ]


async def find_acts(memory: remanence.Engine, policy: str) -> dict[str, set[str]]:
    """Return on which texts a plan acts, by action and rule."""
    plan = await memory.plan(policy)
    texts = {one.seq: one.text for one in await memory.list(limit=500)}
    return {
        f"{one.name} by {one.rule}": {texts[seq] for seq in one.seqs if seq in texts}
        for one in plan.actions()
    }


async def find_deleted(memory: remanence.Engine, policy: str) -> set[tuple[str, str]]:
    """Return which texts a plan deletes, each with the action and the rule."""
    acts = await find_acts(memory, policy)
    return {
        (what, text) for what, texts in acts.items() for text in texts if what.startswith(("prune", "purge"))
    }


async def test_an_ingested_diary_is_as_old_as_its_days(
    opener: Opener, clock: ManualClock, tmp_path: Path
) -> None:
    """After its first day a plan by engram does to it what it would do had each note been told on its day."""
    diary = make_diary(to_datetime(clock.now()))
    (tmp_path / "diary.md").write_text("\n".join(f"# {day.date()}\n\n{text}\n" for day, text in diary))
    now = to_datetime(clock.now())
    end = now + timedelta(hours=25)
    async with opener(scope="ingested") as memory:
        await memory.ingest(tmp_path / "diary.md", trust="user")
        await memory.consolidate()
        today = await find_acts(memory, "engram")
        clock.set(end)
        ingested = await find_acts(memory, "engram")
    clock.set(diary[0][0])
    async with opener(scope="lived") as memory:
        for day, text in diary:
            clock.set(min(day + timedelta(hours=12), now))  # a day without a time is taken in as noon
            await memory.note(text, later=True)
        await memory.consolidate()
        clock.set(end)
        lived = await find_acts(memory, "engram")

    assert {"transition by faded-stale"} == {*today}
    assert 20 <= len(ingested["archive by faded-archived"]) <= 40
    assert lived == ingested


@pytest.mark.parametrize("preset", ["default", "engram", "elfmem", "janitor", "mvs", "autonomous"])
async def test_what_comes_in_old_is_not_deleted_for_that(
    preset: str, opener: Opener, clock: ManualClock
) -> None:
    """No preset deletes what was said three years ago sooner than what was said as it came in."""
    async with opener(scope="old") as old, opener(scope="new") as new:
        for text, values in MORTAL.items():
            await old.learn(text, said_at=to_datetime(clock.now()) - timedelta(days=1_100), **values)
            await new.learn(text, **values)
        found = []
        for hours in (0, 25, 20 * 24, 80 * 24, 110 * 24, 200 * 24):
            clock.advance(hours=hours)
            found.append([await find_deleted(memory, preset) for memory in (old, new)])

    assert all(of_old == of_new for of_old, of_new in found)
    assert [set(), set()] == found[0]
    assert preset == "elfmem" or found[-1][0]


async def test_a_rule_reads_both_times(opener: Opener, clock: ManualClock) -> None:
    """`text_at` is when something was said until its text changes; `age()` alone counts from the arrival."""
    old, roof, tide = (
        to_datetime(clock.now()) - timedelta(days=700),
        "The roof was repaired.",
        "The tide is low.",
    )
    async with opener() as memory:
        for text in (roof, "The tide is high."):
            await memory.learn(text, said_at=old)
        clock.advance(days=2)
        await memory.update(2, text=tide)
        found = [
            await find_acts(memory, RULE.format(where))
            for where in (
                "age(text_at) > days(600)",
                "age(said_at) > days(600)",
                "age() > days(600)",
                "age() > days(1)",
            )
        ]

    assert [{roof}, {roof, tide}, set(), {roof, tide}] == [one.get("archive by r", set()) for one in found]
