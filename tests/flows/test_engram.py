"""The preset `engram` through the verbs of an engine: each rule acts at its instant, its values are engram's own."""

from collections.abc import AsyncIterator, Awaitable, Sequence
from math import log
from pathlib import Path
from typing import Any

import pytest

import remanence
from remanence.core.clock import DAY, ManualClock
from remanence.core.model import Lifecycle, Relation, Status, Tier
from remanence.curate.policy.compiled import load
from tests.flows.conftest import Measured
from tests.flows.stories import (
    Case,
    Step,
    Story,
    becomes,
    due,
    ends,
    happens,
    learned,
    linked,
    moment,
    recalled,
    rules_of,
    waits,
)

COOLING = """
version = 1
extend = "engram"
[[rule]]
name = "cooling"
every = "deep"
phase = "tiers"
where = "tier == 'hot'"
do = "move"
to = "cold"
"""


def cooled(days: float) -> Step:
    """Let a rule of the case's own put what is there into the cold tier."""

    async def step(story: Story) -> None:
        story.wait(round(days * DAY))
        off = {name: {"off": True} for name in rules_of("engram")}
        assert (await story.memory.curate(COOLING, overrides=off)).changes

    return step


FORGOTTEN = (learned(category="fact"), lambda it: it.memory.forget(1), waits(30 * DAY))
CASES = [
    moment("guesses", 30, "fact", confidence=0.399),
    Case(
        "settled-commitments",
        [learned(category="commitment"), becomes("fulfilled"), waits(90 * DAY - 1)],
        waits(1),
    ),
    Case(
        "outdated",
        [
            learned("The office is in Graz.", category="fact"),
            learned("The office is in Linz now.", category="fact"),
            lambda it: it.memory.link(2, 1, "newer"),
            waits(DAY - 1),
        ],
        waits(1),
    ),
    Case("disputed-stale", [learned(category="fact")], lambda it: it.memory.rate(1, "wrong")),
    Case(
        "faded-archived",
        [learned(category="fact", confidence=0.8, importance=0.5), due("faded-archived", 143.25)],
        waits(1),
    ),
    Case(
        "faded-stale",
        [learned(category="fact", confidence=0.8, importance=0.5), due("faded-stale", 125.25)],
        waits(1),
    ),
    Case("warm-active", [learned(category="fact", confidence=1)], lambda it: it.memory.rate(1, "right")),
    Case("warm-validated", [learned(category="fact", confidence=0.8)], recalled(1)),
    Case("minor-facts", [learned(category="fact", importance=0.398), waits(90 * DAY)], waits(1)),
    Case(
        "worth-little",
        [learned(category="fact", confidence=0.8, importance=0.5), due("worth-little", 86.4)],
        waits(1),
    ),
    Case(
        "worth-much",
        [learned(category="fact", confidence=1), cooled(2), waits(398 * DAY), recalled(2)],
        recalled(1),
    ),
    Case(
        "faded-links",
        [learned(), learned("Flour is dear"), linked(Relation.SUPPORTS, 0.399), waits(180 * DAY)],
        waits(1),
    ),
    Case("tombstones", FORGOTTEN, waits(1)),
]
# On the other side of a limit: a guess is worth little from the first, and young for 14 days; a link of .201 stands.
MORE = [
    Case(
        "worth-little",
        [learned(category="fact", confidence=0.3, importance=0.1), waits(14 * DAY - 1)],
        waits(1),
    ),
    Case(
        "minor-facts",
        [learned(category="fact", importance=0.4), waits(91 * DAY)],
        lambda it: it.memory.update(1, importance=0.399),
    ),
    Case(
        "faded-links",
        [learned(), learned("Flour is dear"), linked(Relation.SUPPORTS, 0.301), waits(180 * DAY)],
        waits(1),
    ),
]
# What is warm cools, and at last fades; what was worth much is so for some days after its last use.
SURE = [learned(category="fact", confidence=1)]
PROBABLE = [learned(category="fact", confidence=0.8, importance=1)]
COOLS, FADES = waits(round(11.25 * DAY) - 50), waits(round((0.64 / 0.00375 - 60) * DAY) - 50)
FALLS = waits(round((1 - (0.31 - 0.26 * log(4) / log(21)) / 0.2) * 90 * DAY) - 50)


def _confirms(story: Story) -> Awaitable[Any]:
    return story.memory.rate(1, "right")


ENDS = [
    Case("warm-validated", [*SURE, COOLS], waits(100)),
    Case("warm-active", [*SURE, _confirms, COOLS], waits(100)),
    Case("worth-much", [*SURE, cooled(2), waits(398 * DAY), recalled(3), FALLS], waits(100)),
]
# Tried with the mutants of these rules alone.
SLOW_ENDS = [
    Case("warm-validated", [*PROBABLE, waits(60 * DAY), recalled(20), FADES], waits(100)),
    Case("warm-active", [*PROBABLE, _confirms, waits(60 * DAY), recalled(20), FADES], waits(100)),
]
# Measured with engram's own functions: (what is said, age in days, days since the last use, uses, what somebody did,
# heat, decay and routing).
VALUES: Sequence[tuple[dict[str, Any], int, int, int, str, tuple[float, ...]]] = (
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
        "wrong",
        (0.637778, 0.163083, 0.719778),
    ),
    (
        {"category": "correction", "confidence": 1, "importance": 0.9},
        5,
        2,
        3,
        "right",
        (0.767158, 0.097426, 0.913944),
    ),
)
# Explicit, implied, inferred and speculative, with the first day on which each is stale, by importance .5, and the
# first on which it is cold, by importance .3, .5 and .8; all without a use, and as engram's own functions have it.
STEPS: Sequence[tuple[float, int, tuple[int | None, ...]]] = (
    (1.0, 154, (90, None, None)),
    (0.8, 126, (69, 87, None)),
    (0.6, 97, (47, 65, None)),
    (0.3, 66, (20, 38, 65)),
)
# What a link's confidence of 1.0 has come to after so many days, as engram's own function has it.
LINKS = ((90, 1.0), (91, 0.9), (180, 0.9), (181, 0.8), (270, 0.8), (271, 0.7), (900, 0.1))


@pytest.fixture
async def story(tmp_path: Path) -> AsyncIterator[Story]:
    """An empty memory in a file."""
    clock = ManualClock()
    async with remanence.open(tmp_path / "memory.db", clock=clock, embedder=Measured()) as memory:
        yield Story(memory, clock, "engram")


def test_every_rule_has_a_case() -> None:
    """One that no verb can make fire would be a defect."""
    assert sorted(rule.name for rule in load("engram").rules) == sorted(case.rule for case in CASES)


@pytest.mark.parametrize("case", [*CASES, *MORE], ids=lambda case: case.rule)
async def test_a_rule_fires_at_its_instant(story: Story, case: Case) -> None:
    """Not before: what is planned then is done, and afterwards there is nothing more to do."""
    assert await happens(story, case)


@pytest.mark.parametrize("case", ENDS, ids=lambda case: case.rule)
async def test_a_rule_acts_as_long_as_it_says(story: Story, case: Case) -> None:
    """To a ten-thousandth of a second: a heat is no whole number."""
    assert await ends(story, case)


@pytest.mark.parametrize(("said", "days", "unused", "uses", "verb", "expected"), VALUES)
async def test_engrams_values_pass_through_a_store(
    story: Story,
    said: dict[str, Any],
    days: int,
    unused: int,
    uses: int,
    verb: Any,
    expected: tuple[float, ...],
) -> None:
    """Heat, decay and routing agree with engram to six digits."""
    await story.learn(**said)
    story.wait((days - unused) * DAY)
    await story.recall(uses)
    if verb:
        await story.memory.rate(1, verb)
    story.wait(unused * DAY)

    assert pytest.approx(expected, abs=1e-6) == await story.values("heat", "faded", "routing")


async def test_a_memory_is_stale_and_cold_on_engrams_days(story: Story) -> None:
    """Of each step of confidence, by importance, with nobody ever asking for it."""
    found: list[tuple[float, int | None, tuple[int | None, ...]]] = []
    for confidence, *_ in STEPS:
        days: list[int | None] = []
        for importance in (0.5, 0.3, 0.5, 0.8):
            number = 4 * len(found) + len(days)
            text = f"Heron {number} nests by the weir"
            seq = (
                await story.memory.learn(text, category="fact", confidence=confidence, importance=importance)
            ).seq
            rule = "worth-little" if days else "faded-stale"
            verdicts = (await story.memory.explain(seq, "engram")).verdicts
            (due_at,) = [one.fires_at for one in verdicts if one.name == rule]
            days.append(due_at and -((story.clock.now() - due_at) // DAY))
        found.append((confidence, days[0], tuple(days[1:])))

    assert [*STEPS] == found


@pytest.mark.parametrize(("confidence", "uses"), [(1.0, 3), (0.8, 6), (0.6, 11)])
async def test_so_many_uses_bring_a_memory_back_to_hot(story: Story, confidence: float, uses: int) -> None:
    """After 400 days in the cold, used today, as engram's own functions have it: one use less does not."""
    await story.learn(category="fact", confidence=confidence, importance=0.5)
    await cooled(2)(story)
    story.wait(398 * DAY)
    await story.recall(uses - 1)
    early = (await story.plan("worth-much")).actions()
    await story.recall(1)

    assert ((), ["worth-much"]) == (early, await story.only("worth-much"))
    assert Tier.HOT == (await story.memory.get(1)).tier


async def test_a_links_confidence_is_engrams(story: Story) -> None:
    """A tenth less for each 90 days that begin after the first, down to a tenth; nothing is written for it."""
    await story.learn()
    await story.learn("Flour is dear")
    await story.memory.link(1, 2, "supports", confidence=1.0)
    began, wrong = story.clock.now(), []
    shown = (
        '[[rule]]\nname = "shown"\nevery = "deep"\nphase = "links"\nover = "links"\ndo = "unlink"\n'
        'where = "link_confidence > {} and link_confidence < {}"\n'
    )
    for days, expected in LINKS:
        story.clock.set(began + days * DAY)
        rule = shown.format(f"{expected - 1e-6:.7f}", f"{expected + 1e-6:.7f}")
        text = f'version = 1\nextend = "engram"\n{rule}'
        if not (await story.memory.plan(text, overrides=story.without())).actions():
            wrong.append(days)

    assert [] == wrong


async def test_a_link_of_exactly_a_fifth_stays(story: Story) -> None:
    """Of confidence 1.0 a link stands for 810 days after it was last seen; and being seen again sets that anew."""
    await story.learn()
    await story.learn("Flour is dear")
    await story.memory.link(1, 2, "supports", confidence=1.0)
    story.wait(810 * DAY)
    early = (await story.plan("faded-links")).actions()
    story.wait(1)
    late = (await story.plan("faded-links")).actions()
    await story.memory.link(1, 2, "supports")

    assert ((), 1) == (early, len(late))
    assert (await story.plan("faded-links")).empty


@pytest.mark.parametrize("verb", ["confirm", "again"])
async def test_a_guess_that_is_confirmed_stays(story: Story, verb: str) -> None:
    """By a person, or by being learned again, as engram says and never does."""
    await story.learn(category="fact", confidence=0.3)
    story.wait(DAY)
    await (story.memory.rate(1, "right") if verb == "confirm" else story.learn(category="fact"))
    story.wait(300 * DAY)

    assert [] == await story.only("guesses")


async def test_what_is_a_guess(story: Story) -> None:
    """Less than inferred, of a known category, and nothing that somebody is to keep."""
    goes: Sequence[dict[str, Any]] = (
        {"category": "preference", "confidence": 0.3},  # a guess is one, also at what somebody likes
        {"category": "fact", "confidence": 0.3},
    )
    stays: Sequence[dict[str, Any]] = (
        {"category": "fact", "confidence": 0.4},
        {"category": "fact"},  # how sure nobody said: unknown protects
        {"confidence": 0.3},  # nor of which category
        {"category": "commitment", "confidence": 0.3},  # what is promised is not finished
    )
    for number, said in enumerate([*goes, *stays]):
        await story.learn(f"Heron {number} nests by the weir", **said)
    story.wait(300 * DAY)
    (action,) = (await story.plan("guesses")).actions()

    assert tuple(range(1, len(goes) + 1)) == action.seqs


async def test_a_disputed_guess_goes_and_a_disputed_fact_stays_at_hand(story: Story) -> None:
    """To dispute is not to confirm; what is disputed becomes stale and is not archived, however old."""
    await story.learn(category="fact", confidence=0.3)
    await story.learn("Flour is dear", category="fact", confidence=0.8)
    for seq in (1, 2):
        await story.memory.rate(seq, "wrong")
    story.wait(400 * DAY)
    await story.memory.apply(await story.memory.plan("engram"), policy="engram", allow_destroyed=9)
    gone, kept = [await story.memory.get(seq) for seq in (1, 2)]

    assert Status.PRUNED == gone.status
    assert (Lifecycle.STALE, Tier.COLD) == (kept.lifecycle, kept.tier)


async def test_what_is_protected_is_never_archived(story: Story) -> None:
    """Neither for its decay nor for mattering little; it becomes stale, and lies in the cold."""
    five = ("decision", "principle", "commitment", "preference", "procedure")
    for number, category in enumerate(five):
        await story.learn(
            f"Heron {number} nests by the weir", category=category, confidence=0.6, importance=0.3
        )
    story.wait(1000 * DAY)
    await story.memory.curate("engram")
    kept = [await story.memory.get(seq) for seq in range(1, 6)]

    assert [(Lifecycle.STALE, Tier.COLD)] * 5 == [(one.lifecycle, one.tier) for one in kept]


async def test_a_correction_is_no_minor_fact(story: Story) -> None:
    """However little it matters; nor is what somebody asked for three times, or what matters 0.4."""
    await story.learn(category="correction", importance=0.1)
    await story.learn("Flour is dear", category="fact", importance=0.1)
    await story.learn("Barges need a pilot", category="fact", importance=0.4)
    for _ in range(3):
        await story.memory.recall("flour dear")
    story.wait(91 * DAY)

    assert [] == await story.only("minor-facts")


async def test_an_open_commitment_is_never_deleted(story: Story) -> None:
    """One that has expired is, from 90 days on after it did: not after an edit."""
    await story.learn(category="commitment")
    story.wait(900 * DAY)
    early = await story.only("settled-commitments", "guesses")
    await story.memory.update(1, state="expired")
    story.wait(89 * DAY)
    await story.memory.update(1, attributes={"said": "by letter"})
    story.wait(DAY)

    assert ([], ["settled-commitments"]) == (early, await story.only("settled-commitments"))


async def test_get_says_what_a_pass_last_did(story: Story) -> None:
    """The action and the rule: first that it was put in the cold, at last that it was archived; undone, the former."""
    await story.learn(category="fact", confidence=0.8, importance=0.5)
    story.wait(87 * DAY)
    await story.memory.curate("engram")
    said = [(await story.memory.get(1)).last_action or ""]
    story.wait(60 * DAY)
    run = await story.memory.curate("engram")
    said.append((await story.memory.get(1)).last_action or "")
    assert (
        Lifecycle.ARCHIVED == (await story.memory.get(1)).lifecycle
    )  # and not stale, as its decay has it, too
    await story.memory.undo(run)
    said.append((await story.memory.get(1)).last_action or "")

    assert ["move by worth-little", "archive by faded-archived", "move by worth-little"] == [
        one.partition(" 20")[0] for one in said
    ]


@pytest.mark.parametrize("verb", ["restore", "confirm"])
async def test_what_is_brought_back_has_a_day(story: Story, verb: str) -> None:
    """No pass of the same day archives it again."""
    await story.learn(category="fact", confidence=0.8, importance=0.5)
    story.wait(150 * DAY)
    await story.memory.curate("engram")
    gone = (await story.memory.get(1)).status
    await (story.memory.restore(1) if verb == "restore" else story.memory.rate(1, "right"))
    story.wait(DAY - 1)
    await story.memory.curate("engram")

    assert (Status.ARCHIVED, Status.ACTIVE) == (gone, (await story.memory.get(1)).status)
