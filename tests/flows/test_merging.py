"""What becomes of texts that look alike: opposites stay two whatever happens, and nothing is merged on a guess."""

import pytest

import remanence
from remanence.core.clock import ManualClock
from remanence.core.model import Decay, Relation, Status
from remanence.curate.planner.plan import Plan
from tests.flows.conftest import Measured, Opener

MERGE = """
version = 1
name = "merge"

[[rule]]
name = "twins"
every = "deep"
phase = "deduplicate"
over = "pairs"
min = {least}
do = "merge"
where = "both(status == 'active')"
"""
ALIKE = (
    "Ada waters the tomatoes on the balcony every evening",
    "Every evening Ada waters the tomatoes on the balcony",
)
OPPOSITES = (
    ("The tide gauge is read before the sluice opens", "The tide gauge is read after the sluice opens"),
    ("The water in the lower lock went up overnight", "The water in the lower lock went down overnight"),
    ("Rosa lends Milo the blue canoe", "Milo lends Rosa the blue canoe"),
    ("The dredger rents the barge from the pilot", "The pilot rents the barge from the dredger"),
    ("The boathouse is locked at weekends", "The boathouse is unlocked at weekends"),
    ("The chart plotter runs firmware nav-7", "The chart plotter runs firmware nav-7b"),
    ("渡し船は毎朝港に来る", "渡し船は毎朝港に来る？"),
    ("العبارة تصل إلى الميناء كل صباح", "العبارة تصل إلى الميناء كل صباح؟"),
)


async def _told(memory: remanence.Engine, *texts: str) -> None:
    await memory.learn(texts)
    await memory.consolidate()


async def _alike(memory: remanence.Engine, clock: ManualClock) -> None:
    await _told(memory, *ALIKE, "The heron nests by the weir", "Flour is bought on market days")
    await memory.link(1, 2, "near_duplicate", confidence=0.99)  # as sure as a rule may ask for
    clock.advance(hours=2)


@pytest.mark.parametrize("embedder", ["auto", "hashed"])
async def test_an_embedder_that_nobody_measured_merges_nothing(
    opener: Opener, clock: ManualClock, embedder: str
) -> None:
    """Pairs that look alike are linked, not merged, however sure the rule is; plan, receipt and explanation say so."""
    async with opener(embedder=embedder) as memory:
        await _alike(memory, clock)
        links = [link.relation for link in await memory.links(1)]
        plan = await memory.plan(MERGE.format(least=0.1))
        done = await memory.apply(plan)
        told = await memory.explain(1, MERGE.format(least=0.1))
        found = [(await memory.get(seq)).status for seq in (1, 2)]

    assert Relation.NEAR_DUPLICATE in links
    assert ([Status.ACTIVE] * 2, {}) == (found, {name: n for name, n in done.counts.items() if n})
    assert "twins: 1 pair is linked and not merged: their words differ" in str(plan)
    assert plan.notes == done.notes
    assert "kept by words that differ" in str(told)
    assert "stays as it is" == told.outcome


async def test_a_measured_embedder_merges_what_is_alike(opener: Opener, clock: ManualClock) -> None:
    """Where it is known how far an embedder can be trusted, a pair with the same words becomes one."""
    async with opener(embedder=Measured()) as memory:
        await _alike(memory, clock)
        plan = await memory.plan(MERGE.format(least=0.85))
        await memory.apply(plan, allow_destroyed=1)
        found = sorted([(await memory.get(seq)).status for seq in (1, 2)])

    assert [Status.ACTIVE, Status.SUPERSEDED] == found
    assert () == plan.notes


async def test_a_plan_made_with_another_embedder_merges_nothing_either(
    opener: Opener, clock: ManualClock
) -> None:
    """A plan is a proposal: whoever applies it, the embedder that is open decides."""
    async with opener(embedder=Measured()) as memory:
        await _alike(memory, clock)
        written = (await memory.plan(MERGE.format(least=0.85))).to_json()
    async with opener(policy=MERGE.format(least=0.85)) as memory:
        plan = Plan.from_json(written)
        done = await memory.apply(plan, allow_destroyed=1)
        found = [(await memory.get(seq)).status for seq in (1, 2)]

    assert {"merge": 1} == {name: n for name, n in plan.counts.items() if n}
    assert ([Status.ACTIVE] * 2, 0) == (found, done.counts.get("merge", 0))


@pytest.mark.parametrize("pair", OPPOSITES, ids=lambda pair: pair[0])
async def test_opposites_stay_two_under_any_embedder(
    opener: Opener, clock: ManualClock, pair: tuple[str, str]
) -> None:
    """However alike a measured embedder takes them for, what is contrary is no near duplicate, and no repeat."""
    async with opener(embedder=Measured()) as memory:
        await _told(memory, *pair, "The heron nests by the weir", "Flour is bought on market days")
        clock.advance(hours=2)
        plan = await memory.plan(MERGE.format(least=0.1))
        found = [(await memory.get(seq)).status for seq in (1, 2)]

    assert ([Status.ACTIVE] * 2, 0) == (found, plan.counts.get("merge", 0))


async def test_the_survivor_takes_over_what_the_other_had(opener: Opener, clock: ManualClock) -> None:
    """Tags, sources and the greater confidence, but no flag; undone, both are as they were."""
    async with opener(embedder=Measured()) as memory:
        await memory.learn(ALIKE[0], tags=("red", "both"), source="letter", confidence=0.5)
        others = ("both", "self/constitutional", "flag/look")
        await memory.learn(ALIKE[1], tags=others, source="call", confidence=0.88)
        await _told(memory, "The heron nests by the weir", "Flour is bought on market days")
        await memory.link(1, 2, "near_duplicate", confidence=0.99)
        clock.advance(hours=2)
        before = [await memory.get(seq) for seq in (1, 2)]
        rule = MERGE.format(least=0.85) + 'survivor = "seq"'
        done = await memory.apply(await memory.plan(rule), allow_destroyed=1)
        kept, gone = [await memory.get(seq) for seq in (1, 2)]
        shown = await memory.history(run=done)
        await memory.undo(done)
        after = [await memory.get(seq) for seq in (1, 2)]

    assert {"both", "red", "self/constitutional"} == set(kept.tags)
    assert ({"letter", "call"}, 0.88) == (set(kept.sources), kept.confidence)
    assert (Decay.PERMANENT, Status.SUPERSEDED) == (kept.decay, gone.status)
    assert {"both", "self/constitutional", "flag/look"} == set(gone.tags)
    assert {"merge": 1, "take in": 1} == {act.name: act.count for act in shown.acts}
    for was, is_ in zip(before, after, strict=True):
        assert (was.tags, was.sources, was.confidence, was.decay) == (
            is_.tags,
            is_.sources,
            is_.confidence,
            is_.decay,
        )


async def test_an_orphan_is_marked_and_the_mark_comes_off(memory: remanence.Engine) -> None:
    """A rule takes off the flag that another set; the run is told and undone like any other."""
    text = "version = 1\n" + "".join(
        f'[[rule]]\nname = "{do}"\nevery = "deep"\nphase = "expire"\nwhere = "{where}"\ndo = "{do}"\nto = "orphan"\n'
        for do, where in (("flag", "degree == 0"), ("unflag", "degree > 0"))
    )
    await _told(memory, "The heron nests by the weir", "Flour is bought on market days")
    marked = await memory.curate(text)
    await memory.link(1, 2, "supports")
    cleared = await memory.curate(text)
    tags = [(await memory.get(seq)).tags for seq in (1, 2)]
    shown = await memory.history(run=cleared)
    await memory.undo(cleared)

    assert ({"flag": 2}, {"unflag": 2}) == (marked.counts, cleared.counts)
    assert [(), ()] == tags
    assert ["unflag 2"] == [str(act) for act in shown.acts]
    assert [("flag/orphan",)] * 2 == [(await memory.get(seq)).tags for seq in (1, 2)]


CHAIN = """
version = 1
name = "all goes"
[[rule]]
name = "twins"
every = "deep"
phase = "deduplicate"
over = "pairs"
min = 0.0
do = "merge"
where = "True"
[[rule]]
name = "prune"
every = "deep"
phase = "keep-recent"
do = "prune"
where = "True"
[[rule]]
name = "purge"
every = "deep"
phase = "purge"
do = "purge"
where = "True"
"""


@pytest.mark.parametrize("tag", ["by-hand", "permanent"])
async def test_what_is_purged_in_the_run_of_its_merge_takes_nothing_in(
    opener: Opener, clock: ManualClock, tag: str
) -> None:
    """A survivor that the same plan purges goes whole, without what it would have taken over; undo brings both back."""
    async with opener(embedder="hashed") as memory:
        await memory.learn("Ada waters the tomatoes, on the balcony.", tags=["one"])
        await memory.learn("Ada waters the tomatoes on the balcony.", tags=[tag])
        await memory.consolidate()
        await memory.link(1, 2, "near_duplicate", confidence=1.0)
        clock.advance(days=400)
        plan = await memory.plan(CHAIN)
        done = await memory.apply(plan, policy=CHAIN, allow_destroyed=10)

        assert {"merge": 1, "purge": 1} == {name: done.counts[name] for name in ("merge", "purge")}
        back = await memory.undo(done)
        assert back.changes
        assert [("one",), (tag,)] == [(await memory.get(number)).tags for number in (1, 2)]
