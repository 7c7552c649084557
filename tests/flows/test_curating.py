"""Plans are shown, applied, held, skipped and undone through the engine, on both stores."""

import pytest

import remanence
from remanence.core.clock import ManualClock
from remanence.core.errors import (
    Conflict,
    InvalidInput,
    NotFound,
    PlanHeld,
    PolicyError,
    PolicyMismatch,
    StoreUnavailable,
)
from remanence.core.model import Status, Turn
from remanence.curate.planner.plan import Plan
from remanence.flows.base import policy_reading
from remanence.flows.curate import applying
from remanence.flows.undo import undoing
from remanence.store.base import Bookkeeping
from tests.flows.conftest import Opener

ARCHIVE_IDLE = """
version = 1
name = "archive-idle"

[[rule]]
name = "idle"
every = "deep"
phase = "value"
where = "status == 'active' and idle > days(30)"
do = "archive"
because = "nobody used it for a month"
"""

# So unlike that nothing links them.
NOTES = (
    "The keel wants a coat of paint",
    "Mara keeps the spare key",
    "Soup is served on Fridays",
    "This printer takes blue ink",
    "Northgate sends its bill in May",
    "Pia plays the cello",
    "Our van needs new tyres",
    "Eleven swans nest by the weir",
)

PRUNE_NOTES = """
version = 1
name = "prune-notes"

[[rule]]
name = "notes"
every = "deep"
phase = "expire"
where = "category == 'knowledge' and status == 'active' and idle > days(30)"
do = "prune"
because = "a note lives a month"

[[rule]]
name = "gone"
every = "deep"
phase = "purge"
where = "status == 'pruned' and age(status_at) > days(30)"
do = "purge"
because = "a tombstone lives a month"
"""


async def _filled(memory: remanence.Engine, clock: ManualClock, n: int = 8) -> list[str]:
    """Some active memories, 40 days old, one of them of today."""
    told = [NOTES[k] if k < len(NOTES) else f"note number {k}" for k in range(n)]
    turns = [Turn(text, category="knowledge", tags=("t",)) for text in told]
    learned = await memory.learn(turns)
    await memory.consolidate()
    clock.advance(days=40)
    fresh = await memory.learn("learned today", category="knowledge")
    await memory.consolidate()
    return [item.id for item in learned] + [fresh.id]


async def _dump(memory: remanence.Engine) -> list[bytes]:
    return [line async for line in memory.export()]


async def test_a_plan_writes_nothing_and_what_it_shows_is_what_is_done(
    memory: remanence.Engine, clock: ManualClock
) -> None:
    """A dry run changes no row; the plan read back from its JSON is applied exactly."""
    await _filled(memory, clock)
    before = await _dump(memory)
    plan = await memory.plan(ARCHIVE_IDLE)

    assert before == await _dump(memory)

    shown = Plan.from_json(plan.to_json())
    receipt = await memory.apply(shown)
    state = await memory.status()

    assert (plan.digest, 8) == (shown.digest, receipt.archived)
    assert {"archived": 8, "active": 1} == state.statuses


async def test_a_second_run_at_the_same_instant_does_nothing(
    memory: remanence.Engine, clock: ManualClock
) -> None:
    """And an empty plan makes no run."""
    await _filled(memory, clock)
    await memory.curate(ARCHIVE_IDLE)
    runs = len(await memory.history())
    again = await memory.curate(ARCHIVE_IDLE)

    assert (0, runs) == (again.changes, len(await memory.history()))


async def test_a_plan_names_what_it_does_to_which(memory: remanence.Engine, clock: ManualClock) -> None:
    """Per action and rule the reason and the memories; what is counted is what is named, and what goes when applied."""
    names = await _filled(memory, clock)
    plan = await memory.plan(ARCHIVE_IDLE)
    (action,) = plan.actions()
    await memory.apply(plan)
    gone = {(await memory.get(name)).seq for name in names[:-1]}

    assert ("archive", "idle", "nobody used it for a month") == (action.name, action.rule, action.because)
    assert gone == set(action.seqs)
    assert 8 == len(action.seqs) == action.count


async def test_a_plan_is_applied_once(memory: remanence.Engine, clock: ManualClock) -> None:
    """Read back from JSON or not; not while the run stands that applied it, whatever was written since."""
    await _filled(memory, clock)
    plan = await memory.plan(ARCHIVE_IDLE)
    done = await memory.apply(plan)
    await memory.learn("The tide turns at nine.")
    for twice in (plan, Plan.from_json(plan.to_json())):
        with pytest.raises(InvalidInput, match=f"applied already by {done.run}"):
            await memory.apply(twice)
    await memory.undo(done)
    again = await memory.apply(await memory.plan(ARCHIVE_IDLE))

    assert done.counts == again.counts == {"archive": 8}


async def test_undo_gives_everything_back_and_only_once(memory: remanence.Engine, clock: ManualClock) -> None:
    """Undo is a run like any other: it can itself be undone, but not repeated."""
    await _filled(memory, clock)
    before = await _dump(memory)
    receipt = await memory.curate(ARCHIVE_IDLE)
    after = await _dump(memory)
    undone = await memory.undo(receipt)

    assert before == await _dump(memory)
    with pytest.raises(InvalidInput):
        await memory.undo(receipt)

    await memory.undo(undone)

    assert after == await _dump(memory)


async def test_undo_refuses_as_a_whole_after_a_later_edit(
    memory: remanence.Engine, clock: ManualClock
) -> None:
    """The rows in the way are named, and nothing is undone."""
    ids = await _filled(memory, clock)
    receipt = await memory.curate(ARCHIVE_IDLE)
    await memory.restore(ids[0])
    before = await _dump(memory)

    with pytest.raises(Conflict) as caught:
        await memory.undo(receipt)

    assert "cannot be undone" in str(caught.value)
    assert before == await _dump(memory)


async def test_undo_of_learning_takes_the_memories_away(memory: remanence.Engine) -> None:
    """A creation is undone by destroying what it made."""
    await memory.learn("stays", tags=["a"])
    before = await _dump(memory)
    await memory.learn([Turn("goes", tags=("x",), source="s"), Turn("goes too")])
    run = (await memory.history())[-1].run
    await memory.undo(run)

    assert before == await _dump(memory)


async def test_what_was_used_edited_or_linked_since_the_plan_is_not_destroyed(
    memory: remanence.Engine, clock: ManualClock
) -> None:
    """The rest of the plan goes on, and the receipt says what was left out."""
    ids = await _filled(memory, clock)
    plan = await memory.plan(PRUNE_NOTES)
    await memory.recall(NOTES[0], limit=1)
    await memory.update(ids[1], confidence=0.4)
    await memory.link(ids[2], ids[-1], "supports")
    receipt = await memory.apply(plan, allow_destroyed=100)
    standing = [(await memory.get(name)).status for name in ids[:4]]

    assert [Status.ACTIVE, Status.ACTIVE, Status.ACTIVE, Status.PRUNED] == standing
    assert (3, 5) == (len(receipt.skipped), receipt.pruned)


async def test_a_plan_that_would_destroy_too_much_is_held(
    memory: remanence.Engine, clock: ManualClock
) -> None:
    """More than a quarter of the scope needs a word from the caller."""
    ids = await _filled(memory, clock, n=12)
    plan = await memory.plan(PRUNE_NOTES)

    with pytest.raises(PlanHeld) as caught:
        await memory.apply(plan)
    with pytest.raises(PlanHeld):
        await memory.apply(plan, allow_destroyed=11)

    assert (12, Status.ACTIVE) == (caught.value.destroyed, (await memory.get(ids[0])).status)
    assert 12 == (await memory.apply(plan, allow_destroyed=12)).pruned


async def test_pinned_and_held_memories_survive_any_plan(
    memory: remanence.Engine, clock: ManualClock
) -> None:
    """Protection is a guard, and the plan says what it kept."""
    ids = await _filled(memory, clock)
    await memory.pin(ids[0])
    await memory.hold(ids[1], "legal")
    plan = await memory.plan(PRUNE_NOTES)
    await memory.apply(plan, allow_destroyed=100)

    assert [Status.ACTIVE, Status.ACTIVE, Status.PRUNED] == [
        (await memory.get(name)).status for name in ids[:3]
    ]
    assert plan.refusals


async def test_a_purged_memory_is_restored_from_its_image(
    memory: remanence.Engine, clock: ManualClock
) -> None:
    """Purge takes the row away, the audit still holds it: tags, links to what stands, text and vector."""
    ids = await _filled(memory, clock)
    await memory.apply(await memory.plan(PRUNE_NOTES), allow_destroyed=100)
    clock.advance(days=31)
    await memory.apply(await memory.plan(PRUNE_NOTES), allow_destroyed=100)
    with pytest.raises(NotFound):
        await memory.get(ids[0])
    await memory.restore(ids[0])
    back = await memory.get(ids[0])

    assert (Status.ACTIVE, ("t",), NOTES[0]) == (back.status, back.tags, back.text)
    assert ids[0] in [hit.memory.id for hit in (await memory.recall(NOTES[0])).memories]


async def test_the_links_of_a_purged_memory_are_restored(
    memory: remanence.Engine, clock: ManualClock
) -> None:
    """Links to what has a row come back as they were; one to what is gone too comes back with the last of its ends."""
    ids = await _filled(memory, clock, 2)
    await memory.link(ids[0], ids[1], "causes", weight=0.3)
    await memory.link(ids[2], ids[0], "supports", weight=0.7, confidence=0.9)
    before = await memory.links(ids[0])
    clock.advance(days=40)
    await memory.update(ids[2], category="fact")
    await memory.apply(await memory.plan(PRUNE_NOTES), allow_destroyed=100)
    clock.advance(days=31)
    purged = await memory.apply(await memory.plan(PRUNE_NOTES), allow_destroyed=100)
    first = await memory.restore(ids[0])
    half = await memory.links(ids[0])
    second = await memory.restore(ids[1])

    assert 2 == purged.counts["purge"]
    assert [link for link in before if 2 not in link.key[:2]] == half
    assert sum(2 in link.key[:2] for link in before) == len(first.skipped) > 0
    assert (before, ()) == (await memory.links(ids[0]), second.skipped)


async def test_a_purge_is_undone_with_everything_that_hung_on_it(
    memory: remanence.Engine, clock: ManualClock
) -> None:
    """Rows come back under their old numbers, with tags and links."""
    await _filled(memory, clock)
    await memory.apply(await memory.plan(PRUNE_NOTES), allow_destroyed=100)
    clock.advance(days=31)
    before = await _dump(memory)
    receipt = await memory.apply(await memory.plan(PRUNE_NOTES), allow_destroyed=100)
    await memory.undo(receipt)

    assert before == await _dump(memory)


async def test_parts_are_applied_and_undone_as_one_run(
    memory: remanence.Engine, clock: ManualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where the parts are cut does not change the outcome."""
    await _filled(memory, clock)
    before = await _dump(memory)
    monkeypatch.setattr(applying, "PART_CHANGES_MAX", 3)
    receipt = await memory.curate(ARCHIVE_IDLE)

    assert (8, 3) == (receipt.archived, receipt.parts)

    await memory.undo(receipt)

    assert before == await _dump(memory)


async def test_an_interrupted_run_is_reported_and_can_be_undone(
    memory: remanence.Engine, clock: ManualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What fails between two parts leaves whole parts, a name for the run, and a way back."""
    await _filled(memory, clock)
    before = await _dump(memory)
    monkeypatch.setattr(applying, "PART_CHANGES_MAX", 3)
    plan = await memory.plan(ARCHIVE_IDLE)
    applied = 0
    commit = memory._core.store.commit

    async def dying(*args: object, **more: object) -> object:
        nonlocal applied
        applied += 1
        if applied == 3:
            raise StoreUnavailable("the disk is gone", recovery="bring it back")
        return await commit(*args, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(memory._core.store, "commit", dying)
    with pytest.raises(StoreUnavailable):
        await memory.apply(plan)
    monkeypatch.setattr(memory._core.store, "commit", commit)
    (run,) = (await memory.status()).interrupted
    await memory.undo(run)

    assert before == await _dump(memory)
    assert () == (await memory.status()).interrupted


async def test_the_adopted_policy_binds_every_process(opener: Opener, clock: ManualClock) -> None:
    """Another policy is refused before anything is applied; the adopted one is taken up on opening."""
    async with opener() as memory:
        await _filled(memory, clock)
        await memory.policy.use(ARCHIVE_IDLE)
        with pytest.raises(PolicyMismatch):
            await memory.apply(await memory.plan(PRUNE_NOTES), allow_destroyed=100)
    async with opener() as memory:
        receipt = await memory.curate()

    assert 8 == receipt.archived


async def test_a_policy_is_dropped(opener: Opener, clock: ManualClock) -> None:
    """The scope has none any more, here and when it is opened again; what a memory was given to open with stays."""
    async with opener() as memory:
        await memory.policy.use(ARCHIVE_IDLE)
        names = [(await memory.policy.use(None)).before for _ in range(2)]
        here = memory.policy.current.name
        with pytest.raises(InvalidInput, match="no policy"):
            await memory.plan()
    async with opener(policy=PRUNE_NOTES) as memory:
        await memory.policy.use(ARCHIVE_IDLE)
    async with opener(policy=PRUNE_NOTES) as memory:
        given = memory.policy.current.name
        await memory.policy.use(None)
        kept = memory.policy.current.name
    async with opener() as memory:
        again = memory.policy.current.name

    assert names[0] is not None
    assert (None, "none", "none") == (names[1], here, again)
    assert given == kept


async def test_curating_without_a_policy_is_refused(memory: remanence.Engine) -> None:
    """There is no curation that nobody asked for."""
    with pytest.raises(InvalidInput):
        await memory.plan()
    with pytest.raises(PolicyError):
        await memory.plan("version = 1\n[[rule]]\nname = 'x'\n")


async def test_every_rule_and_guard_is_explained(memory: remanence.Engine, clock: ManualClock) -> None:
    """Explain shows what is true and false for one memory."""
    ids = await _filled(memory, clock)
    shown = str(await memory.explain(ids[0], ARCHIVE_IDLE))

    assert "idle" in shown


async def test_history_tells_what_happened_to_a_memory(memory: remanence.Engine, clock: ManualClock) -> None:
    """In words, oldest first."""
    ids = await _filled(memory, clock)
    await memory.curate(ARCHIVE_IDLE)
    events = await memory.history(ids[0])

    assert ["learn", "consolidate", "curate"] == [event.verb for event in events]
    assert any("status active → archived" in change for change in events[-1].changes)


async def test_undo_of_an_unknown_run_is_not_found(memory: remanence.Engine) -> None:
    """And uses are not undone."""
    with pytest.raises(NotFound):
        await memory.undo("nothing")
    await memory.learn("tea")
    await memory.recall("tea")
    await memory._core.uses.settle()
    with pytest.raises(InvalidInput):
        await memory.undo((await memory.history(verb="use"))[-1].run)
    assert undoing.undo_id("a") != undoing.undo_id("b")


async def test_what_is_left_out_is_counted_where_it_is_too_much_to_list(
    opener: Opener, clock: ManualClock
) -> None:
    """A hundred are named with their reason, and the rest is a number, whether found before or while writing."""
    async with opener(policy=ARCHIVE_IDLE) as memory:
        ids = await _filled(memory, clock, 130)
        plan = await memory.plan()
        for id_ in ids[:120]:
            await memory.pin(id_)
        done = await memory.apply(plan)

    assert (10, 101) == (done.archived, len(done.skipped))
    assert all("protected: pinned" in said for said in done.skipped[:100])
    assert "and 20 more" == done.skipped[-1]


async def test_a_policy_that_another_version_adopted_is_the_same_policy(opener: Opener) -> None:
    """What counts is the text that was adopted, not the hash that a version gave it."""
    async with opener() as memory:
        await memory.policy.use("default")
        core = memory._core
        stored = await policy_reading.read_adopted_policy(core)
        assert stored is not None
        older = Bookkeeping(
            core.clock.now(), put={policy_reading.POLICY: {**stored, "hash": "of another version"}}
        )
        await core.store.bookkeep(core.scope, older)
        adopted = (await memory.status()).adopted
        done = await memory.curate()
        with pytest.raises(PolicyMismatch):
            await memory.curate("episodic-cap")

    assert adopted
    assert 0 == done.changes
