"""elfmem's own test cases through the engine, its policy and a real file; where we do better, the better is tested.

The ids are those of its test documents. A piece of work is a session on a clock that moves when told. Elsewhere:
TC-G-004, TC-G-005 and probe 3 in test_graph, TC-G-007 and the scores of TC-S in test_frames and tests/unit/test_score,
TC-G-008, probes 8 and 9, and several that consolidate at once, in test_judging.
"""

from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import remanence
from remanence.core.clock import HOUR, ManualClock
from remanence.core.model import Decay, LearnResult, Link, Reason, Relation, Status
from remanence.llm.base import SimilarityThresholds, Vectors, WordWeight


class Dictated:
    """An embedder whose cosines are given: each text's with a direction that all share; beside it, each has its own."""

    name = "dictated"
    dimensions = 128
    thresholds = SimilarityThresholds(similar=0.60, near=0.90)

    def __init__(self) -> None:
        self.cosines: dict[str, float] = {}
        self.places: dict[str, int] = {}

    def embed(self, texts: Sequence[str], weight: WordWeight | None = None) -> Vectors:
        """Return one unit row per text."""
        rows = np.zeros((len(texts), self.dimensions), np.float32)
        for row, text in zip(rows, texts, strict=True):
            shared = self.cosines.get(text, 0.0)
            place = self.places.setdefault(text, 1 + len(self.places))
            row[0], row[place] = shared, (1 - shared**2) ** 0.5
        return rows


class Desk:
    """A memory under elfmem's policy, and a clock to work and to rest by."""

    def __init__(self, memory: remanence.Engine, clock: ManualClock, embedder: Dictated) -> None:
        self.memory = memory
        self.clock = clock
        self.embedder = embedder

    async def work(self, hours: float) -> None:
        """Let hours of work pass."""
        await self.memory.begin_session()
        self.clock.advance(hours=hours)
        await self.memory.end_session()

    async def learn(self, text: str, *, cosine: float = 0.0, **more: Any) -> str:
        """Learn a text, of such a cosine with a text whose own is 1, and make it active; return its id."""
        self.embedder.cosines[text] = cosine
        learned: LearnResult = await self.memory.learn(text, **more)
        await self.memory.consolidate()
        return learned.id

    async def recency(self, name: str) -> float:
        """Return the recency that the policy's first rule sees."""
        explained = await self.memory.explain(name)
        (rule,) = [verdict for verdict in explained.verdicts if verdict.name == "archive-faded"]
        return float(rule.values["recency()"])


# elfmem's policy, but for runs of its own accord.
BY_HAND = 'version = 1\nname = "by-hand"\nextend = "elfmem"\ninterval = "1000000 hours"\n'


@pytest.fixture
async def desk(tmp_path: Path) -> AsyncIterator[Desk]:
    """A memory on a real file under the preset `elfmem`, which never curates of its own accord here."""
    clock, embedder = ManualClock(), Dictated()
    async with remanence.open(tmp_path / "m.db", policy=BY_HAND, clock=clock, embedder=embedder) as memory:
        await memory.curate()  # what was never curated is due at once
        yield Desk(memory, clock, embedder)


# Learning and consolidating


async def test_l_001_a_text_waits_in_the_inbox(desk: Desk) -> None:
    """TC-L-001: learned once, it is in the inbox and not yet active; embedded all the same, so that recall finds it."""
    await desk.memory.learn("The lamp needs oil.")
    state = await desk.memory.status()
    found = await desk.memory.recall("lamp oil")

    assert {"inbox": 1} == state.statuses
    assert ["The lamp needs oil."] == [hit.memory.text for hit in found.memories]


async def test_l_002_the_same_text_twice_is_one(desk: Desk) -> None:
    """TC-L-002: the inbox stays at one; not silently: the second is a confirmation."""
    first = await desk.memory.learn("The lamp needs oil.")
    second = await desk.memory.learn("The lamp needs oil.")

    assert {"inbox": 1} == (await desk.memory.status()).statuses
    assert (first.id, "confirmed") == (second.id, second.status)


@pytest.mark.parametrize("count", [3, 10])
async def test_l_003_and_012_the_end_of_a_session_empties_the_inbox(desk: Desk, count: int) -> None:
    """TC-L-003, TC-L-012: whatever waits at the end of a session is active after it, be it ten or three."""
    async with desk.memory.session():
        for number in range(count):
            await desk.memory.learn(f"Lamp {number} was trimmed.")

    assert {"active": count} == (await desk.memory.status()).statuses


async def test_l_004_style_fades_like_most(desk: Desk) -> None:
    """TC-L-004: its text says durable, its code standard; standard here: a style is no value, constraint or goal."""
    name = await desk.learn("Short sentences.", tags=["self/style"])

    assert Decay.STANDARD is (await desk.memory.get(name)).decay


@pytest.mark.parametrize("cosine", [0.92, 0.97])
async def test_l_005_and_006_near_texts_are_linked_and_both_kept(desk: Desk, cosine: float) -> None:
    """TC-L-005, 006: it drops the older at .92, the newer at .97; facts may differ in one word, so none goes."""
    old = await desk.learn("the tide table hangs beside the door", cosine=1)
    new = await desk.learn("the tide table hangs beside the gate", cosine=cosine)
    links = await desk.memory.links(new)
    kept = [(await desk.memory.get(name)).status.label for name in (old, new)]

    assert ["active", "active"] == kept
    assert [("near_duplicate", cosine)] == [(link.relation.label, round(link.weight, 2)) for link in links]


async def test_l_013_a_session_has_an_id(desk: Desk) -> None:
    """TC-L-013: an id of hex digits; of 32 here, as every id, and the same while the session is open."""
    begun = await desk.memory.begin_session()

    assert begun == await desk.memory.begin_session()
    assert (32, True) == (len(begun), set(begun) <= set("0123456789abcdef"))


async def test_l_014_an_empty_inbox_costs_nothing(tmp_path: Path) -> None:
    """TC-L-014: without anything to do no model is asked, no text embedded and nothing written."""

    class Never(Dictated):
        def embed(self, texts: Sequence[str], weight: WordWeight | None = None) -> Vectors:
            raise AssertionError(texts)

    async with remanence.open(tmp_path / "m.db", embedder=Never(), writer=NeverAsked()) as memory:
        done = await memory.consolidate()

        assert (0, 0) == (done.activated, len(await memory.history()))


class NeverAsked:
    """A writer that must not be asked."""

    name = "never"

    async def judge(self, text: str, identity: str, others: Any) -> Any:
        """Fail."""
        raise AssertionError(text, identity, others)


# Curating


async def test_l_007_what_has_faded_is_archived(desk: Desk) -> None:
    """TC-L-007: at hour 400, e^-4 of hour 0 is archived as decayed, e^-0.2 of hour 380 stays."""
    old = await desk.learn("old")
    await desk.work(380)
    new = await desk.learn("new")
    await desk.work(20)
    seen = await desk.recency(old), await desk.recency(new)
    done = await desk.memory.curate(overrides={"reinforce-best": {"off": True}})
    kept = await desk.memory.get(old), await desk.memory.get(new)

    assert (0.018, 0.819) == pytest.approx(seen, abs=1e-3)
    assert (1, Status.ARCHIVED, Reason.DECAYED) == (done.archived, kept[0].status, kept[0].reason)
    assert Status.ACTIVE is kept[1].status


@pytest.mark.parametrize(("count", "top", "expected"), [(10, 3, 3), (20, 5, 5), (2, 5, 2), (0, 5, 0)])
async def test_l_008_to_010_the_best_are_reinforced(desk: Desk, count: int, top: int, expected: int) -> None:
    """TC-L-008, 009, 010: exactly so many are reinforced now and counted once, the others are as they were."""
    await desk.work(100)
    for number in range(count):
        await desk.memory.learn(f"fact {number}")
    await desk.memory.consolidate()
    await desk.work(50)
    done = await desk.memory.curate(overrides={"reinforce-best": {"top": top}})
    active = await desk.memory.list()
    now = desk.clock.now()

    assert expected == done.reinforced
    assert sorted([(1, now)] * expected + [(0, 0)] * (count - expected)) == sorted(
        (one.reinforced, one.reinforced_at or 0) for one in active
    )


async def test_l_011_a_session_begins_with_the_curation_that_is_due(tmp_path: Path) -> None:
    """TC-L-011: last curated at hour 0, interval 40: not at hour 39, at hour 45 before the session is recorded."""
    clock, embedder = ManualClock(), Dictated()
    async with remanence.open(tmp_path / "m.db", policy="elfmem", clock=clock, embedder=embedder) as memory:
        desk = Desk(memory, clock, embedder)

        assert (await memory.status()).is_due
        await desk.learn("stays")
        await desk.work(39)
        assert not (await memory.status()).is_due
        await desk.work(6)
        assert (await memory.status()).is_due
        await desk.work(1)
        last = (await memory.status()).automatic.get("curate")

        assert last is not None
        assert ("done", clock.now() - HOUR) == (last.outcome, last.at)
        assert not (await memory.status()).is_due


async def test_nothing_at_all_is_no_side_effect(desk: Desk) -> None:
    """An empty memory: (0, 0, 0), and neither a change nor a run."""
    before = await desk.memory.history()
    done = await desk.memory.curate()

    assert (0, 0, 0) == (done.archived, done.edges_pruned, done.reinforced)
    assert before == await desk.memory.history()


async def test_an_empty_run_counts_and_a_look_does_not(tmp_path: Path) -> None:
    """last_curate_at moves with every run, also where there was nothing to do; not with a plan or a foreign policy."""
    clock = ManualClock()
    async with remanence.open(tmp_path / "m.db", policy="elfmem", clock=clock, embedder="none") as memory:
        await memory.plan()
        await memory.curate("default")
        looked = (await memory.status()).last_curate_at
        await memory.curate()

        assert (None, clock.now()) == (looked, (await memory.status()).last_curate_at)
        assert [] == await memory.history()


# Fading


async def test_d_001_to_003_when_each_class_is_archived_first(desk: Desk) -> None:
    """TC-D-001, 002, 003: the hours to 0.05 of each class, as `status` tells them at the present pace."""
    await desk.work(24)
    for text, tags, category in (
        ("who", ["self/constitutional"], None),
        ("goal", ["self/goal"], None),
        ("plain", [], None),
        ("seen", [], "observation"),
    ):
        await desk.learn(text, tags=tags, category=category)
    found = (await desk.memory.status()).first_archives
    hours = {name: None if at is None else (at - desk.clock.now()) / HOUR for name, at in found.items()}

    assert hours["permanent"] == pytest.approx(299_573, abs=1)
    assert hours["durable"] == pytest.approx(2_995.7, abs=1)
    assert hours["standard"] == pytest.approx(299.57, abs=1)
    assert hours["ephemeral"] == pytest.approx(59.91, abs=1)


@pytest.mark.parametrize(
    ("hours", "expected"),
    [
        (0, 1.0),
        (10, 0.905),
        (25, 0.779),
        (50, 0.607),
        (69, 0.501),
        (100, 0.368),
        (138, 0.252),
        (200, 0.135),
        (300, 0.050),
    ],
)
async def test_d_001_the_curve_of_the_standard_class(desk: Desk, hours: float, expected: float) -> None:
    """TC-D-001: recency after so many hours of work."""
    name = await desk.learn("plain")
    await desk.work(hours)

    assert expected == pytest.approx(await desk.recency(name), abs=1e-3)


async def test_d_004_idle_time_does_not_fade(desk: Desk) -> None:
    """TC-D-004: ten hours of work and 240 idle ones between them are ten hours."""
    await desk.work(5)
    name = await desk.learn("plain")
    await desk.work(4)
    desk.clock.advance(hours=240)
    await desk.work(6)

    assert 0.905 == pytest.approx(await desk.recency(name), abs=1e-3)


async def test_d_005_reinforcement_sets_the_clock_back(desk: Desk) -> None:
    """TC-D-005: .741 after thirty hours, 1 after a reinforcement; by a recall as well as by a rule."""
    await desk.work(20)
    first, second = await desk.learn("first"), await desk.learn("second")
    await desk.work(30)
    before = await desk.recency(first)
    await desk.memory.frame("attention", "first", limit=1)
    used = await desk.recency(first)
    await desk.memory.curate()

    assert (0.741, 1.0) == pytest.approx((before, used), abs=1e-3)
    assert 1.0 == pytest.approx(await desk.recency(second), abs=1e-3)


async def test_d_006_nothing_is_out_of_reach_unless_a_frame_says_so(desk: Desk) -> None:
    """TC-D-006: a window of 200 hours at hour 300 holds 150 and 101, not 80 and 100; built-in frames have no window."""
    names = {}
    for hour, pause in ((80, 20), (100, 1), (101, 49), (150, 150)):
        await desk.work(80 if hour == 80 else 0)
        names[await desk.learn(f"learned at {hour}")] = hour
        await desk.work(pause)
    await desk.memory.frames.set(
        "lately", weights=dict.fromkeys(remanence.core.score.PARTS, 0.2), window_hours=200
    )
    within = await desk.memory.frame("lately", limit=10, count_use=False)
    everything = await desk.memory.frame("attention", limit=10, count_use=False)

    assert {150, 101} == {names[hit.memory.id] for hit in within.memories}
    assert {80, 100, 101, 150} == {names[hit.memory.id] for hit in everything.memories}


async def test_d_007_what_is_durable_outlives_300_hours(desk: Desk) -> None:
    """TC-D-007: .741 after 300 hours, and still active."""
    name = await desk.learn("reach the harbour", tags=["self/goal"])
    await desk.work(300)
    seen = await desk.recency(name)
    await desk.memory.curate()

    assert 0.741 == pytest.approx(seen, abs=1e-3)
    assert "active" == (await desk.memory.get(name)).status.label


@pytest.mark.parametrize(
    ("tags", "category", "expected"),
    [
        (["self/value", "self/constitutional"], None, Decay.PERMANENT),
        (["self/value"], "observation", Decay.DURABLE),
        (["self/constraint"], None, Decay.DURABLE),
        ([], "observation", Decay.EPHEMERAL),
        (["harbour"], "knowledge", Decay.STANDARD),
    ],
)
async def test_d_008_and_009_decay_classes(
    desk: Desk, tags: list[str], category: str | None, expected: Decay
) -> None:
    """TC-D-008, TC-D-009: the first that matches, from the most lasting to the least."""
    name = await desk.learn("something", tags=tags, category=category)

    assert expected is (await desk.memory.get(name)).decay


async def test_d_010_reasons_are_told_apart(desk: Desk) -> None:
    """TC-D-010: decayed by the policy, superseded by a newer one, forgotten by somebody."""
    faded = await desk.learn("faded")
    await desk.work(310)
    old, new, gone = await desk.learn("old"), await desk.learn("new"), await desk.learn("gone")
    await desk.memory.correct(old, by=new)
    await desk.memory.forget(gone)
    await desk.memory.curate()
    reasons = [(await desk.memory.get(name)).reason for name in (faded, old, gone, new)]

    assert [Reason.DECAYED, Reason.SUPERSEDED, Reason.FORGOTTEN, None] == reasons


# Links


@pytest.mark.parametrize(("cosine", "expected"), [(0.78, [0.78]), (0.22, [])])
async def test_g_001_and_002_similar_texts_are_linked(
    desk: Desk, cosine: float, expected: list[float]
) -> None:
    """TC-G-001, TC-G-002: from the threshold of .60 on, weighted by the cosine."""
    await desk.learn("the bell rings in fog", cosine=1)
    name = await desk.learn("a horn sounds at night", cosine=cosine)
    links = await desk.memory.links(name)

    assert expected == [round(link.weight, 2) for link in links]


async def test_g_003_a_hub_takes_no_more_than_ten(desk: Desk) -> None:
    """TC-G-003: a memory with ten similar links gets no eleventh, whoever draws it."""
    hub = await desk.learn("the harbour", cosine=1)
    words = ["ale", "bay", "cod", "dew", "elm", "fog", "gin", "hay", "ivy", "jet", "kit", "log"]
    for word in words:
        await desk.learn(word, cosine=0.72)
    similar = [link for link in await desk.memory.links(hub) if link.relation is Relation.SIMILAR]

    assert 10 == len(similar)


async def test_g_006_weak_links_are_cut_strictly_below_a_tenth(desk: Desk) -> None:
    """TC-G-006: .08 goes, .25 stays, exactly .10 stays."""
    names = [await desk.learn(word) for word in ("one", "two", "six", "ten")]
    for name, weight in zip(names[1:], (0.08, 0.25, 0.10), strict=True):
        await desk.memory.link(names[0], name, "elaborates", weight=weight)
    done = await desk.memory.curate()

    assert 1 == done.edges_pruned
    assert [0.10, 0.25] == sorted(link.weight for link in await desk.memory.links(names[0]))


async def test_g_009_an_archived_memory_has_no_visible_link(desk: Desk) -> None:
    """TC-G-009: its links count nowhere while it is archived; they are kept, and count again when it is back."""
    hub = await desk.learn("hub")
    await desk.work(290)
    others = [await desk.learn(word) for word in ("ale", "bay", "cod")]
    for other in others:
        await desk.memory.link(hub, other, "supports", weight=0.9)
    await desk.work(20)
    done = await desk.memory.curate()
    archived = await _degrees(desk, others)
    await desk.memory.restore(hub)

    assert (1, [0.0, 0.0, 0.0]) == (done.archived, archived)
    assert [0.9, 0.9, 0.9] == await _degrees(desk, others)


async def _degrees(desk: Desk, names: Sequence[str]) -> list[float]:
    policy = (
        'version = 1\n[[rule]]\nname = "look"\nevery = "deep"\nphase = "lifecycle"\ndo = "flag"\nto = "x"\n'
    )
    policy += 'where = "weighted_degree > 99"\n'
    found = [await desk.memory.explain(name, policy) for name in names]
    return [
        round(verdict.values["weighted_degree"], 6)
        for explained in found
        for verdict in explained.verdicts
        if verdict.name == "look"
    ]


async def test_g_010_a_link_fades_half_as_fast_as_its_slower_end(desk: Desk) -> None:
    """TC-G-010: durable and standard: λ .0005, so that 1,386 hours halve it: .20 is just below a tenth after them."""
    goal, plain = await desk.learn("goal", tags=["self/goal"]), await desk.learn("plain")
    await desk.memory.link(goal, plain, "supports", weight=0.20)
    keep = {"archive-faded": {"off": True}, "reinforce-best": {"off": True}}
    await desk.work(1_386)
    before = await desk.memory.curate(overrides=keep)
    await desk.work(1)
    after = await desk.memory.curate(overrides=keep)

    assert (0, 1) == (before.edges_pruned, after.edges_pruned)


# Scores


async def test_s_011_a_frame_of_ones_own_weighs_as_it_says(desk: Desk) -> None:
    """TC-S-011: its score is the sum of its parts by its own weights; .680 of parts of .8, .8, .2, .2 and .2."""
    weights = remanence.core.score.ScoreWeights(0.40, 0.40, 0.10, 0.05, 0.05)
    await desk.memory.frames.set("review", weights=weights)
    await desk.work(10)
    for number, confidence in enumerate((0.2, 0.5, 0.9)):
        await desk.learn(f"{'abc'[number]} lamp", confidence=confidence)
    for query, heavy in (("lamp", weights), (None, weights.without_similarity())):
        found = await desk.memory.frame("review", query, limit=9, count_use=False)
        sums = [float(remanence.core.score.composite(heavy, hit.parts)) for hit in found.memories]

        assert 3 == len(sums)
        assert [hit.score for hit in found.memories] == pytest.approx(sums, abs=1e-6)
    parts = dict(zip(remanence.core.score.PARTS, (0.8, 0.8, 0.2, 0.2, 0.2), strict=True))
    assert 0.680 == pytest.approx(float(remanence.core.score.composite(weights, parts)))


# What elfmem was found to do, and we must not (its probes)


async def test_probe_1_a_fact_learned_fifty_times_is_one_memory(desk: Desk) -> None:
    """Probe 1: no archived rows; the repetition is worth something: 49 confirmations."""
    for _ in range(50):
        await desk.memory.learn("The lamp needs oil.")
        await desk.memory.consolidate()
    (only,) = await desk.memory.list()

    assert ({"active": 1}, 49) == ((await desk.memory.status()).statuses, only.confirmations)


async def test_probe_2_a_goal_is_found_after_200_hours(desk: Desk) -> None:
    """Probe 2: by its own words, and in the frame that guarantees it."""
    name = await desk.learn("Reach the northern harbour.", tags=["self/goal"])
    await desk.work(201)
    await desk.learn("something else")
    recalled = await desk.memory.recall("Reach the northern harbour.")
    framed = await desk.memory.frame("task")

    assert (name, name) == (recalled.memories[0].memory.id, framed.memories[0].memory.id)


async def test_probe_5_curation_does_not_choose_its_own_winners(desk: Desk) -> None:
    """Probe 5: of equals, five runs reinforce others each time, since a reinforcement is no evidence of use."""
    for number in range(10):
        await desk.memory.learn(f"fact {number}")
    await desk.memory.consolidate()
    winners = []
    for _ in range(3):
        await desk.work(41)
        before = {one.id: one.reinforced for one in await desk.memory.list()}
        await desk.memory.curate()
        after = await desk.memory.list()
        winners.append(frozenset(one.id for one in after if one.reinforced > before[one.id]))

    assert 5 == len(winners[1])
    assert len(set(winners)) > 1


async def test_probe_6_what_failed_goes_sooner(desk: Desk) -> None:
    """Probe 6: five ratings of 0, and it is archived after a hundred hours, when its like is still there."""
    bad, plain = await desk.learn("bad advice"), await desk.learn("plain advice")
    for _ in range(5):
        await desk.memory.rate([bad], 0.0)
    await desk.work(100)
    seen = await desk.recency(bad)
    await desk.memory.curate()
    kept = [(await desk.memory.get(name)).status.label for name in (bad, plain)]

    assert 0.0067 == pytest.approx(seen, abs=1e-4)
    assert ["archived", "active"] == kept


async def test_probe_7_the_newest_truth_is_not_lost(desk: Desk) -> None:
    """Probe 7: the meeting at two, then at four, with a cosine of .952: the correction stands and is found."""
    await desk.learn("The meeting with Otto is at two.", cosine=1)
    new = await desk.learn("The meeting with Otto is at four.", cosine=0.952)
    found = await desk.memory.recall("When is the meeting with Otto?")

    assert "active" == (await desk.memory.get(new)).status.label
    assert new in {hit.memory.id for hit in found.memories}


async def test_probe_10_nothing_is_ever_computed_against_hour_0(desk: Desk) -> None:
    """Probe 10: without a session, at hour 1,000, recency is within 0 and 1 and nothing fresh is archived."""
    await desk.work(1_000)
    names = [await desk.learn(f"fact {number}") for number in range(6)]
    found = await desk.memory.frame("attention", "fact")
    done = await desk.memory.curate()
    again = await desk.memory.curate()

    assert all(0 <= hit.parts["recency"] <= 1 and 0 <= hit.score <= 1 for hit in found.memories)
    assert (0, 0) == (done.archived, again.archived)
    assert [1.0] * 6 == pytest.approx([await desk.recency(name) for name in names])


async def test_probe_clock_what_is_archived_keeps_its_tags_and_links(desk: Desk) -> None:
    """Probe "clock": an archived memory comes back with all it had."""
    name = await desk.learn("faded", tags=["lamp"])
    other = await desk.learn("goal", tags=["self/goal"])
    await desk.memory.link(name, other, "supports", weight=0.7)
    await desk.work(310)
    await desk.memory.curate()
    archived = await desk.memory.get(name)
    links: list[Link] = await desk.memory.links(name)
    await desk.memory.restore(name)
    back = await desk.memory.get(name)

    assert ("archived", ("lamp",), [0.7]) == (
        archived.status.label,
        archived.tags,
        [one.weight for one in links],
    )
    assert ("active", ("lamp",)) == (back.status.label, back.tags)
