"""Runs are taken back in any order that makes sense: the last first, and what was taken back is no change."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import suppress

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import remanence
from remanence.core.box import FindBoxes
from remanence.core.change import Change
from remanence.core.clock import DAY, ManualClock
from remanence.core.errors import Conflict, InvalidInput, NotFound, Protected
from remanence.core.model import Decay, Form, Lifecycle, Relation, Status
from remanence.core.receipt import Receipt
from remanence.flows.curate import applying
from remanence.flows.exchange import transfer
from remanence_store_kit.builders import box_change, make_cause
from remanence_store_kit.memory.memory_store import MemoryStore
from tests.flows.conftest import Measured, Opener

MERGE = """
version = 1
name = "merge"

[[rule]]
name = "twins"
every = "deep"
phase = "deduplicate"
over = "pairs"
min = 0.9
do = "merge"
where = "both(status == 'active')"
"""

Verb = Callable[[remanence.Engine, int], Awaitable[Receipt]]

VERBS: dict[str, Verb] = {
    "text": lambda memory, n: memory.update(1, text=f"The bell rings {n} times."),
    "confidence": lambda memory, n: memory.update(1, confidence=n / 100),
    "pin": lambda memory, _: memory.pin(1),
    "unpin": lambda memory, _: memory.pin(1, off=True),
    "tag": lambda memory, n: memory.tag(1, f"t{n % 3}"),
    "hold": lambda memory, n: memory.hold(1, f"h{n % 2}"),
    "goal": lambda memory, _: memory.tag(1, "self/goal"),
    "who": lambda memory, _: memory.tag(1, "self/constitutional"),
    "nobody": lambda memory, _: memory.tag(1, "self/constitutional", "t1", off=True),
    "category": lambda memory, n: memory.update(1, category=("observation", "task", "fact")[n % 3]),
    "curate": lambda memory, _: memory.curate("elfmem"),
}


async def test_an_undo_that_finds_nothing_to_take_back_says_so(memory: remanence.Engine) -> None:
    """A box of turns that has gone since is not taken away again: nothing is written, and 0 changes are told."""
    turn = await memory.learn("The bell rings twice.")
    store = memory._core.store
    made = await store.commit("default", [box_change(turn.seq, [turn.seq])], make_cause("extract"))
    await store.commit("default", [Change("boxes", turn.seq, {}, None)], make_cause("extract"))
    before = await memory.history()
    undone = await memory.undo(made.run)

    assert (0, before) == (undone.changes, await memory.history())


async def test_an_undo_empties_the_boxes_of_what_goes(memory: remanence.Engine) -> None:
    """Turns go out of their boxes though more than one read lists came after them, and out of one that is shared."""
    gone, *_ = turns = [
        await memory.learn([remanence.Turn(f"Bell {n} rings {k} times.", session="s1") for n in range(600)])
        for k in (2, 3)
    ]
    boxes = [[one.seq] for some in turns for one in some]
    boxes[0].append(boxes.pop()[0])
    store = memory._core.store
    await store.commit("default", [box_change(one[0], one) for one in boxes], make_cause("extract"))
    (run,) = {one.run for one in gone}
    await memory.undo(run or "")
    left = await store.boxes("default", FindBoxes(limit=2_000))

    assert {one.seq for one in turns[1]} == {seq for box in left for seq in box.members}


async def test_what_was_taken_back_is_no_change(memory: remanence.Engine) -> None:
    """A, then B, then B taken back: A can be taken back, though the memory's revision has moved on."""
    learned = await memory.learn("The bell rings twice.")
    first = await memory.update(learned.id, text="The bell rings thrice.")
    second = await memory.pin(learned.id)

    with pytest.raises(Conflict):
        await memory.undo(first)

    await memory.undo(second)
    await memory.undo(first)

    assert "The bell rings twice." == (await memory.get(learned.id)).text


async def test_what_was_done_again_is_a_change(memory: remanence.Engine) -> None:
    """B taken back, and the taking back taken back: B stands again, and A is refused."""
    learned = await memory.learn("The bell rings twice.")
    first = await memory.update(learned.id, text="The bell rings thrice.")
    second = await memory.pin(learned.id)
    undone = await memory.undo(second)
    await memory.undo(undone)

    with pytest.raises(Conflict):
        await memory.undo(first)

    assert "The bell rings thrice." == (await memory.get(learned.id)).text


async def test_a_tag_does_not_stand_in_the_way(memory: remanence.Engine) -> None:
    """A tag given since leaves the old run free to be undone, unless the decay class hangs on it."""
    learned = await memory.learn("The bell rings twice.")
    who = await memory.tag(learned.id, "self/constitutional")
    await memory.tag(learned.id, "bell")
    pinned = await memory.pin(learned.id)
    await memory.tag(learned.id, "harbour")
    await memory.undo(pinned)
    await memory.tag(learned.id, "self/goal")

    with pytest.raises(Conflict):
        await memory.undo(who)

    kept = await memory.get(learned.id)

    assert (0, Decay.PERMANENT) == (kept.pinned, kept.decay)
    assert ("bell", "harbour", "self/constitutional", "self/goal") == kept.tags


async def test_a_memory_can_be_unlearned_once_its_edits_are_taken_back(memory: remanence.Engine) -> None:
    """Learning is a run like any other: with the edits gone it can be taken back."""
    learned = await memory.learn("The bell rings twice.")
    edited = await memory.tag(learned.id, "bell")
    (born, *_) = await memory.history(learned.id)

    with pytest.raises(Conflict):
        await memory.undo(born.run)

    await memory.undo(edited)
    await memory.undo(born.run)

    with pytest.raises(NotFound):
        await memory.get(learned.id)


async def test_a_run_of_many_parts_is_unlearned_whole_or_not_at_all(
    opener: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One tag on a memory of the first part keeps all parts of an import; without it all go, links and all."""
    monkeypatch.setattr(transfer, "PAGE", 2)
    async with opener(scope="here") as memory:
        for number in range(5):
            await memory.learn(f"The bell of the harbour rings at {number} o'clock.", tags=["bell"])
        await memory.link(1, 5, "supports")
        lines = [line async for line in memory.export()]
    async with opener(scope="there") as memory:
        done = await memory.import_(lines)
        ids = [one.id for one in await memory.list(status="any")]
        edited = await memory.tag(ids[-1], "old")

        with pytest.raises(Conflict):
            await memory.undo(done)

        assert (5, 1) == ((state := await memory.status()).memories, state.links)

        await memory.undo(edited)
        await memory.undo(done)

        assert (0, 0) == ((state := await memory.status()).memories, state.links)


@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(st.lists(st.tuples(st.sampled_from(sorted(VERBS)), st.integers(0, 99)), min_size=1, max_size=8))
async def test_the_last_first_takes_everything_back(steps: list[tuple[str, int]]) -> None:
    """Any edits of a memory, taken back from the last to the first, leave it as it was."""
    async with remanence.open(store=MemoryStore(), clock=ManualClock(), embedder="none") as memory:
        await memory.learn("The bell rings twice.")
        await memory.consolidate()
        before = await memory.get(1)
        done = []
        for name, n in steps:
            with suppress(Protected):  # another text under a hold
                done.append(await VERBS[name](memory, n))
        for receipt in reversed(done):
            if receipt.changes:
                await memory.undo(receipt)
        after = await memory.get(1)

    differing = {
        name
        for name in remanence.Memory.__dataclass_fields__
        if name not in {"revision", "touched"} and getattr(before, name) != getattr(after, name)
    }
    assert set() == differing


async def _twins(memory: remanence.Engine, clock: ManualClock, weights: tuple[float | None, float]) -> None:
    """Two memories that say the same and link to a third: the first by the first weight, where it links at all."""
    await memory.learn("The tide bell rings at the harbour wall every morning.")
    await memory.learn("Every morning the tide bell rings at the harbour wall.")
    await memory.learn("The harbour wall was built in 1880.")
    await memory.consolidate()
    for seq, weight in zip((1, 2), weights, strict=True):
        if weight is not None:
            await memory.link(seq, 3, "supports", weight=weight)
    await memory.link(1, 2, "near_duplicate", weight=0.99, confidence=0.99)
    await memory.recall("the tide bell of the harbour", limit=2)
    clock.advance(hours=2)


async def _supports(memory: remanence.Engine) -> dict[tuple[int, int], tuple[float, int, int]]:
    """The links that say what supports what: weight, how often they were seen, and when last."""
    found = await memory.links(1) + await memory.links(2)
    return {
        (link.source, link.target): (link.weight, link.count, link.last_at)
        for link in found
        if link.relation == Relation.SUPPORTS
    }


@pytest.fixture
async def memory(opener: Opener) -> AsyncIterator[remanence.Engine]:
    """An open, empty memory in which pairs may be merged."""
    async with opener(embedder=Measured()) as engine:
        yield engine


@pytest.mark.parametrize("weights", [(0.4, 0.6), (0.6, 0.4), (0.4, 0.4), (0.95, 1.0), (None, 0.4)])
async def test_a_merge_is_undone_whatever_was_used_since(
    opener: Opener, clock: ManualClock, weights: tuple[float | None, float]
) -> None:
    """The links are as they were before the merge, and have grown by the uses since; so have the days of use."""
    async with opener() as memory:
        await _twins(memory, clock, weights)
    async with opener(embedder=Measured()) as memory:
        links, (one, two) = await _supports(memory), [await memory.get(seq) for seq in (1, 2)]
        merged = await memory.apply(await memory.plan(MERGE), allow_destroyed=1)
        survivor = 1 if (await memory.get(1)).status is Status.ACTIVE else 2
        clock.advance(days=1)
        for _ in range(2):
            await memory.frame("attention", "harbour wall bell")
    async with opener() as memory:
        await memory.rate([survivor, 3], 1.0)
        await memory.undo(merged)
        back = [await memory.get(seq) for seq in (1, 2)]
        now, expected = await _supports(memory), dict(links)

    if (survivor, 3) in links:
        weight, count, _ = links[survivor, 3]
        expected[survivor, 3] = (min(1.0, round(weight + 0.3, 6)), count + 3, clock.now())
    used = {1: (2, 0), 2: (0, 2)} if survivor == 1 else {1: (0, 2), 2: (2, 0)}

    assert expected == now
    assert [Status.ACTIVE, Status.ACTIVE] == [memory.status for memory in back]
    assert [was.uses + used[survivor][n] for n, was in enumerate((one, two))] == [
        memory.uses for memory in back
    ]
    assert 2 == back[survivor - 1].use_days & 255
    assert (one, two)[survivor - 1].use_days == back[survivor - 1].use_days >> 8
    assert clock.now() == back[survivor - 1].used_at
    assert (one, two)[2 - survivor].used_at == back[2 - survivor].used_at


async def test_a_merge_whose_link_was_set_since_is_not_undone(
    memory: remanence.Engine, clock: ManualClock
) -> None:
    """Only what use changes is passed over: a weight that somebody set, or a confidence, stays as it was said."""
    await _twins(memory, clock, (0.4, 0.6))
    merged = await memory.apply(await memory.plan(MERGE), allow_destroyed=1)
    survivor = 1 if (await memory.get(1)).status is Status.ACTIVE else 2
    await memory.link(survivor, 3, "supports", weight=0.2, confidence=0.9, if_exists="update")

    with pytest.raises(Conflict):
        await memory.undo(merged)

    assert 0.2 == (await _supports(memory))[survivor, 3][0]


async def test_an_undone_merge_is_merged_again_by_undoing_the_undoing(
    memory: remanence.Engine, clock: ManualClock
) -> None:
    """Whatever was used before, between and after, the link grew once for each use."""
    await _twins(memory, clock, (0.4, 0.6))
    merged = await memory.apply(await memory.plan(MERGE), allow_destroyed=1)
    survivor = 1 if (await memory.get(1)).status is Status.ACTIVE else 2
    await memory.rate([survivor, 3], 1.0)
    undone = await memory.undo(merged)
    await memory.rate([survivor, 3], 1.0)
    await memory.undo(undone)

    assert (0.8, 4) == (await _supports(memory))[survivor, 3][:2]


async def test_a_merge_of_many_parts_is_undone_whatever_was_used_since(
    memory: remanence.Engine, clock: ManualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All parts are looked at before the first goes back, and use is passed over there too."""
    await _twins(memory, clock, (0.4, 0.6))
    for n, text in enumerate(("The fog horn sounds at night.", "At night the fog horn sounds.")):
        await memory.learn(text, key=f"horn{n}")
    await memory.consolidate()
    await memory.link(4, 5, "near_duplicate", weight=0.99, confidence=0.99)
    before = await _supports(memory)
    monkeypatch.setattr(applying, "PART_CHANGES_MAX", 3)
    merged = await memory.apply(await memory.plan(MERGE), allow_destroyed=2)
    survivor = 1 if (await memory.get(1)).status is Status.ACTIVE else 2
    await memory.rate([survivor, 3], 1.0)
    await memory.undo(merged)

    assert (2, 2) == (merged.counts["merge"], merged.parts)
    assert round(before[survivor, 3][0] + 0.1, 6) == (await _supports(memory))[survivor, 3][0]


async def test_a_rating_between_does_not_keep_an_edit_from_being_undone(memory: remanence.Engine) -> None:
    """A, then B, then a rating, then B taken back: A can be taken back, and the rating stays."""
    learned = await memory.learn("The bell rings twice.")
    first = await memory.update(learned.id, text="The bell rings thrice.")
    second = await memory.pin(learned.id)
    await memory.rate(learned.id, 1.0)
    await memory.undo(second)
    await memory.undo(first)
    back = await memory.get(learned.id)

    assert ("The bell rings twice.", 1_000) == (back.text, back.helped)


async def test_an_undoing_says_what_it_took_back(memory: remanence.Engine) -> None:
    """How many rows in how many parts, under an id that follows from the run's; it can be undone itself, once."""
    learned = await memory.learn("The bell rings twice.", tags=["a"], source="s")
    run = (await memory.history(learned.id))[0].run
    done = await memory.undo(run)
    again = await memory.undo(done)
    back = await memory.get(learned.id)

    assert ("undo", 3, {"undo": 3}, 1) == (done.verb, done.changes, done.counts, done.parts)
    assert done.run != run
    assert ("The bell rings twice.", ("a",), ("s",)) == (back.text, back.tags, back.sources)
    assert 3 == again.changes
    for name in (run, done.run):
        with pytest.raises(InvalidInput, match="undone already") as refused:
            await memory.undo(name)
        assert "undo the undoing" in refused.value.recovery


@pytest.mark.parametrize("verb", ["import", "pin"])
async def test_two_undos_at_once_take_back_each_part_once(
    opener: Opener, monkeypatch: pytest.MonkeyPatch, verb: str
) -> None:
    """Whatever one took, the others don't count; who took nothing is told that the run is undone already."""
    monkeypatch.setattr(transfer, "PAGE", 3)
    async with opener() as memory, opener(scope="copy") as one, opener(scope="copy") as other:
        await memory.learn([f"Buoy {number} of row {number % 3} is painted red." for number in range(10)])
        run = await one.import_([line async for line in memory.export()], trust="user")
        if verb == "pin":
            run = await one.pin([found.id for found in await one.list()])
        await one.learn("The bell rings twice.")
        undos = [engine.undo(run) for engine in (one, one, other)]
        answers = await asyncio.gather(*undos, return_exceptions=True)
        done = [answer for answer in answers if isinstance(answer, Receipt)]
        refusals = [str(answer) for answer in answers if not isinstance(answer, Receipt)]

        assert {f"run {run.run} is undone already"} >= set(refusals)
        assert (run.changes, run.parts) == (sum(one.changes for one in done), sum(one.parts for one in done))
        if verb == "import":
            assert 1 == len(await one.list())
        else:
            assert (1, 2) == (len(done), len(refusals))


async def test_the_last_run_that_stands_is_taken_back(memory: remanence.Engine) -> None:
    """Uses and undoings are passed over, what was done again is not; then the run before it."""
    learned = await memory.learn("The bell rings twice.")
    text = await memory.update(learned.id, text="The bell rings thrice.")
    pinned = await memory.pin(learned.id)
    await memory.recall("bell")
    first = await memory.undo("last")
    again = await memory.undo(first)
    undone = [first, *[await memory.undo("last") for _ in range(3)]]
    with pytest.raises(NotFound, match="can be undone"):
        await memory.undo("last")

    assert [pinned.run, again.run, text.run] == [one.undoes for one in undone[:3]]
    assert ("this was `update` of 2026",) == tuple(note[:25] for note in undone[2].notes)
    assert [] == await memory.list()


async def test_counting_uses_is_not_undone(memory: remanence.Engine) -> None:
    """The run that changed something is; one that is not there is not found, and what is no run is refused."""
    await memory.learn("The bell rings twice.")
    await memory.recall("bell")
    await memory.plan("default")  # settles the uses
    (used,) = [event.run for event in await memory.history(verb="use")]
    with pytest.raises(InvalidInput, match="only counted uses"):
        await memory.undo(used)
    with pytest.raises(NotFound):
        await memory.undo("0" * 32)

    assert 1 == (await memory.get(1)).uses


async def test_what_stands_is_not_restored(memory: remanence.Engine) -> None:
    """In the inbox and active alike; what was never there is not found."""
    learned = await memory.learn("The bell rings twice.", key="bell")
    for _ in range(2):
        with pytest.raises(InvalidInput) as refused:
            await memory.restore(learned.id)
        assert "nothing to restore" in refused.value.recovery
        await memory.consolidate()
    with pytest.raises(NotFound):
        await memory.restore("another")

    assert Status.ACTIVE == (await memory.get("bell")).status


@pytest.mark.parametrize(("days", "left"), [(0, True), (9, True), (10, False), (11, False)])
async def test_what_held_until_a_time_holds_until_then_again(
    memory: remanence.Engine, clock: ManualClock, days: int, left: bool
) -> None:
    """What took its place ended it; an end that has come by the time it is back is none any more."""
    until = clock.now() + 10 * DAY
    old, new = await memory.learn("The bell rings twice."), await memory.learn("The bell rings thrice.")
    await memory.update(old.id, valid_to=until, lifecycle="validated")
    await memory.correct(old.id, by=new.id)
    fallen = await memory.get(old.id)
    clock.advance(days=days)
    done = await memory.restore(old.id)
    back = await memory.get(old.id)

    assert fallen.valid_to == until - 10 * DAY
    assert (until if left else None) == back.valid_to
    assert Lifecycle.VALIDATED == back.lifecycle
    assert {"restore": 1} == done.counts


@pytest.mark.parametrize("name", ["key", "id", "number"])
async def test_a_purged_memory_is_restored_by_each_of_its_names(
    memory: remanence.Engine, clock: ManualClock, name: str
) -> None:
    """From the newest image of it; the answer says how many rows came back."""
    learned = await memory.learn("The bell rings twice.", key="bell", tags=["a", "b"], source="s")
    names: dict[str, int | str] = {"key": "bell", "id": learned.id, "number": learned.seq}
    for _ in range(2):
        await memory.forget(learned.id)
        clock.advance(days=40)
        await memory.apply(await memory.plan(TOMBS), allow_destroyed=9)
        with pytest.raises(NotFound):
            await memory.get(learned.id)
        done = await memory.restore(names[name])
        back = await memory.get("bell")

        assert (4, {"restore": 1}, ()) == (done.changes, done.counts, done.skipped)
        assert (learned.seq, Status.ACTIVE, ("a", "b"), ("s",)) == (
            back.seq,
            back.status,
            back.tags,
            back.sources,
        )


TOMBS = """
version = 1

[[rule]]
name = "tombs"
every = "deep"
phase = "purge"
do = "purge"
where = "status == 'pruned'"
"""


async def test_the_runs_that_stand_in_the_way_are_named(memory: remanence.Engine) -> None:
    """What changed a row since is said, the newest first; once that is undone, the run can be."""
    bell, flag = await memory.learn(["The bell rings at noon.", "The flag is red."])
    gone = await memory.forget([bell, flag])
    back = await memory.restore(bell)
    pinned = await memory.pin(bell)
    with pytest.raises(Conflict) as refused:
        await memory.undo(gone)
    assert (pinned.run, back.run) == refused.value.runs
    way = f"nothing was undone; undo before it: {pinned.run} (pin), {back.run} (restore)"
    await memory.undo(pinned)
    await memory.undo(back)
    done = await memory.undo(gone)

    assert way == refused.value.recovery
    assert ("a policy may remove it again after 24 hours: pin it to prevent that",) == back.notes
    assert 2 == done.changes


CONDENSE = """
version = 1
name = "short"

[[rule]]
name = "short"
phase = "budgets"
every = "hourly"
where = "tokens > 0"
order = "seq desc"
keep = { tokens = 20 }
ladder = ["shrink", "archive"]
because = "little room"
"""


async def test_what_another_run_did_to_other_columns_stays(memory: remanence.Engine) -> None:
    """Condensed, then consolidated: the text is shown whole again, and stays consolidated; uses stay, too."""
    texts = [
        "The bell of the harbour rings at noon and again at six.",
        "The flag of the fort is taken in at dusk.",
    ]
    await memory.learn(texts)
    curated = await memory.curate(CONDENSE)
    first = (await memory.get(1)).form
    await memory.consolidate()
    await memory.rate(1, "right")
    undone = await memory.undo(curated)
    kept = await memory.get(1)
    again = await memory.undo(undone)

    assert (Form.CONDENSED, Form.FULL) == (first, kept.form)
    assert (Status.ACTIVE, 1) == (kept.status, kept.confirmations)
    assert curated.changes == undone.changes == again.changes
    assert Form.CONDENSED is (await memory.get(1)).form


async def test_only_the_runs_in_the_way_are_named_however_many_rows_there_are(
    memory: remanence.Engine,
) -> None:
    """Rows whose changes were taken back, and runs that changed other columns, are no reason to wait."""
    seqs = [(await memory.learn(f"The bell rings at {hour} o'clock.")).id for hour in range(1, 9)]
    gone = await memory.forget(seqs)
    passing = [await memory.restore(seq) for seq in seqs[:6]]
    for back in passing:
        await memory.undo(back)
    standing = await memory.restore(seqs[7])
    await memory.rate(seqs[7], "right")

    with pytest.raises(Conflict, match=r"a row changed since, among them memories 8") as refused:
        await memory.undo(gone)

    assert f"nothing was undone; undo before it: {standing.run} (restore)" == refused.value.recovery


async def test_a_text_and_its_short_form_are_one(memory: remanence.Engine) -> None:
    """What was condensed since gets no other text, and no text that was changed since is shown whole by accident."""
    learned = await memory.learn("The bell of the harbour rings at noon and again at six.")
    edited = await memory.update(learned, text="The bell of the harbour rings at noon, at six and at night.")
    curated = await memory.curate(CONDENSE.replace("20", "14"))
    form = (await memory.get(learned)).form
    with pytest.raises(Conflict, match="changed since") as refused:
        await memory.undo(edited)
    way = refused.value.recovery
    await memory.undo(curated)
    await memory.undo(edited)

    assert Form.CONDENSED is form
    assert f"nothing was undone; undo before it: {curated.run} (curate)" == way
    assert "The bell of the harbour rings at noon and again at six." == (await memory.get(learned)).text


@pytest.mark.parametrize("verb", ["unlink", "untag"])
async def test_what_would_come_back_to_a_purged_memory_is_a_conflict(
    memory: remanence.Engine, verb: str
) -> None:
    """The run that purged it is named; once that is undone, so is the other."""
    await memory.learn("The bell rings at noon.", tags=["bell"])
    await memory.learn("The flag is red.")
    await memory.link(1, 2, "supports")
    taken = await (
        memory.link(1, 2, "supports", off=True) if verb == "unlink" else memory.tag(1, "bell", off=True)
    )
    await memory.forget(1)
    purged = await memory.apply(await memory.plan(TOMBS), allow_destroyed=1)
    with pytest.raises(Conflict) as refused:
        await memory.undo(taken)
    way = refused.value.recovery
    await memory.undo(purged)
    await memory.undo(taken)

    assert f"nothing was undone; undo before it: {purged.run} (curate)" == way
    assert ["bell"] == list((await memory.get(1)).tags)
