"""What verbs and plans do to a memory agrees with what takes it back, through the verbs that people call."""

from collections import Counter

import pytest

import remanence
from remanence.core.clock import DAY, HOUR, ManualClock
from remanence.core.effects import action
from remanence.core.errors import InvalidInput
from remanence.core.keywords import LifecycleName
from remanence.core.model import Lifecycle, Memory, Status, Tier
from remanence_store_kit.invariants import find_unowned_changes
from tests.flows.conftest import Opener

_RULE = '[[rule]]\nname = "{name}"\nevery = "deep"\nphase = "{phase}"\nwhere = "{where}"\ndo = "{do}"\n{more}'


def _policy(*rules: str) -> str:
    return 'version = 1\nname = "few"\n' + "\n".join(rules)


def _rule(do: str, phase: str, where: str = "True", more: str = "") -> str:
    return _RULE.format(name=f"{phase}-{do}", phase=phase, where=where, do=do, more=more)


async def _archived(memory: remanence.Engine, lifecycle: LifecycleName = "validated") -> Memory:
    """A memory of this lifecycle, archived an hour ago by a plan."""
    learned = await memory.learn("The old bell hangs in the tower.", tags=["old"])
    await memory.consolidate()
    await memory.update(learned.id, lifecycle=lifecycle)
    await memory.curate(_policy(_rule("archive", "expire", "tagged('old')")))
    found = await memory.get(learned.id)
    assert (Status.ARCHIVED, Lifecycle.ARCHIVED) == (found.status, found.lifecycle)
    return found


async def test_a_merge_owns_the_decay_class_that_its_tags_bring(memory: remanence.Engine) -> None:
    """What takes in a tag of who an agent is fades no more, and the audit of the merge strays nowhere."""
    one = await memory.learn("The old bell hangs in the tower.", category="observation")
    other = await memory.learn("In the tower hangs the old bell.", tags=["self/constitutional"])
    before = (await memory.get(one.id)).decay
    await memory.merge(one.id, other.id)
    store = memory._core.store

    assert before is not (await memory.get(one.id)).decay
    assert [] == find_unowned_changes(await store.history("default"))


@pytest.mark.parametrize("way", ["restore", "confirm"])
@pytest.mark.parametrize("lifecycle", ["candidate", "validated", "active", "stale"])
async def test_what_comes_back_has_its_lifecycle_again(
    memory: remanence.Engine, way: str, lifecycle: LifecycleName
) -> None:
    """Archiving makes the lifecycle archived; what brings the memory back gives it the one it had."""
    archived = await _archived(memory, lifecycle)

    await (memory.restore(archived.id) if way == "restore" else memory.rate(archived.id, "right"))

    back = await memory.get(archived.id)
    assert (Status.ACTIVE, Tier.HOT, lifecycle) == (back.status, back.tier, back.lifecycle.label)


async def test_a_memory_archived_twice_has_its_latest_lifecycle(
    memory: remanence.Engine, clock: ManualClock
) -> None:
    """What it was the last time counts, not the first."""
    archived = await _archived(memory, "validated")
    await memory.restore(archived.id)
    await memory.update(archived.id, lifecycle="stale")
    clock.advance(days=1)
    await memory.curate(_policy(_rule("archive", "expire", "tagged('old')")))

    await memory.restore(archived.id)

    assert Lifecycle.STALE == (await memory.get(archived.id)).lifecycle


async def test_a_purged_memory_has_its_lifecycle_again(memory: remanence.Engine) -> None:
    """Archived, made a tombstone and purged: brought back from its image it is what it was, and holds again."""
    archived = await _archived(memory)
    newer = await memory.learn("The new bell hangs in the tower.")
    await memory.correct(archived.id, by=newer.id)
    await memory.forget(archived.id)
    await memory.apply(await memory.plan(_policy(_rule("purge", "purge"))), allow_destroyed=1)

    await memory.restore(archived.id)

    back = await memory.get(archived.id)
    assert (Status.ACTIVE, Lifecycle.VALIDATED, None) == (back.status, back.lifecycle, back.valid_to)


async def test_what_leaves_the_archive_says_when(memory: remanence.Engine, clock: ManualClock) -> None:
    """A memory forgotten out of the archive is in another tier from then on."""
    archived = await _archived(memory)
    clock.advance(hours=1)

    await memory.forget(archived.id)

    fallen = await memory.get(archived.id)
    assert (Tier.COLD, archived.tier_at + HOUR) == (fallen.tier, fallen.tier_at)


async def test_what_is_superseded_in_the_archive_says_when(
    memory: remanence.Engine, clock: ManualClock
) -> None:
    """So is one in whose place another comes."""
    archived = await _archived(memory)
    clock.advance(hours=1)
    newer = await memory.learn("The new bell hangs in the tower.")

    await memory.correct(archived.id, by=newer.id)

    fallen = await memory.get(archived.id)
    assert (Tier.COLD, archived.tier_at + HOUR) == (fallen.tier, fallen.tier_at)


async def test_a_tier_that_stays_keeps_its_time(memory: remanence.Engine, clock: ManualClock) -> None:
    """Forgetting moves no tier but the archive, so that it stamps no other."""
    learned = await memory.learn("The bell rings twice.")
    before = await memory.get(learned.id)
    clock.advance(hours=1)

    await memory.forget(learned.id)

    after = await memory.get(learned.id)
    assert (before.tier, before.tier_at, before.status_at + HOUR) == (
        after.tier,
        after.tier_at,
        after.status_at,
    )


async def test_nobody_archives_by_the_lifecycle(memory: remanence.Engine) -> None:
    """The lifecycle `archived` comes with the status and not without it."""
    learned = await memory.learn("The bell rings twice.")

    with pytest.raises(InvalidInput, match="archived") as refused:
        await memory.update(learned.id, lifecycle="archived")

    assert "forget" in refused.value.recovery
    assert Lifecycle.CANDIDATE == (await memory.get(learned.id)).lifecycle


async def test_nobody_leaves_the_archive_by_the_lifecycle(memory: remanence.Engine) -> None:
    """An archived memory is restored; its lifecycle alone cannot come back."""
    archived = await _archived(memory)

    with pytest.raises(InvalidInput, match="archived") as refused:
        await memory.update(archived.id, lifecycle="active")

    assert refused.value.recovery.endswith(f"restore {archived.seq}")


async def test_a_flag_goes_with_its_memory(memory: remanence.Engine) -> None:
    """A run that flags a memory and purges it only purges it; taken back, the memory is as it was."""
    learned = await memory.learn("The bell rings twice.", tags=["loud"])
    both = _policy(
        _rule("flag", "expire", more='to = "look"'), _rule("prune", "value"), _rule("purge", "purge")
    )

    receipt = await memory.apply(await memory.plan(both), allow_destroyed=1)

    assert {"purge": 1} == receipt.counts
    await memory.undo(receipt)
    assert ("loud",) == (await memory.get(learned.id)).tags


async def test_what_the_brake_gives_back_needs_no_more_columns(opener: Opener, clock: ManualClock) -> None:
    """An automatic run that defers some reads no column that its rules do not."""
    policy = _policy(_rule("prune", "expire", "uses(7) == 0 and age() > days(1)"))
    async with opener(policy=f"interval = '1 hour'\n{policy}") as memory:
        await memory.learn([{"text": f"note number {k} of the harbour"} for k in range(14)])
        await memory.learn([{"text": f"what I am, part {k}", "category": "identity"} for k in range(60)])
        await memory.consolidate()
        clock.advance(days=3)
        async with memory.session():
            pass
        found = await memory.status()

    assert 10 == found.statuses["pruned"]


@pytest.mark.parametrize("ahead", [30, None])
async def test_what_comes_back_holds_as_long_as_it_did(
    memory: remanence.Engine, clock: ManualClock, ahead: int | None
) -> None:
    """Another memory takes its place and ends it; restored, it holds until when somebody said, if that lies ahead."""
    old = await memory.learn("The bell hangs in the tower.")
    newer = await memory.learn("The new bell hangs in the tower.")
    until = None if ahead is None else clock.now() + ahead * DAY
    await memory.update(old.id, valid_to=until)
    await memory.correct(old.id, by=newer.id)

    await memory.restore(old.id)

    assert until == (await memory.get(old.id)).valid_to


async def test_an_end_that_has_come_is_no_more(memory: remanence.Engine, clock: ManualClock) -> None:
    """What was archived when its time was over and is brought back holds again."""
    learned = await memory.learn("The ferry runs until the end of May.")
    await memory.consolidate()
    await memory.update(learned.id, valid_to=clock.now() + DAY)
    clock.advance(days=2)
    await memory.curate(_policy(_rule("archive", "expire", "valid_to < now")))

    await memory.rate(learned.id, "right")

    back = await memory.get(learned.id)
    assert (Status.ACTIVE, None) == (back.status, back.valid_to)


async def test_every_verb_changes_only_what_it_owns(opener: Opener, clock: ManualClock) -> None:
    """Whatever verb is said, the audit holds no column that the verb's rows of the table do not name."""
    async with opener(agent="ann") as memory:
        bell = await memory.learn("The bell rings twice.", tags=["loud"], category="task", state="pending")
        await memory.learn("The bell rings twice.", tags=["self/goal"], confidence=0.9)
        lamp = await memory.learn("The copper lamp hangs at the harbour.")
        await memory.consolidate()
        for said in (
            memory.update(bell.id, state="completed", severity="high", lifecycle="stale"),
            memory.update(lamp.id, text="The copper lamp stands at the harbour.", category="fact"),
            memory.pin(bell.id),
            memory.pin(bell.id, off=True),
            memory.hold(bell.id, "legal"),
            memory.hold(bell.id, "legal", off=True),
            memory.tag(bell.id, "self/constitutional"),
            memory.tag(bell.id, "self/constitutional", off=True),
            memory.rate([lamp.id], 1.0),
            memory.rate(bell.id, "right"),
            memory.rate(bell.id, "wrong"),
            memory.learn("The user is called Ann.", key="user/name", source="form"),
            memory.learn("The user is called Anna.", key="user/name", source="form"),
            memory.forget("user/name"),
            memory.learn("The user is called Hannah.", key="user/name", source="form"),
            memory.pin(lamp.id),
            memory.correct(lamp.id, "The copper lamp stands in the harbour."),
            memory.recall("copper lamp harbour"),
            memory.curate(_policy(_rule("archive", "expire", "tagged('loud')"))),
            memory.rate(bell.id, "right"),
            memory.correct(bell.id, by=lamp.id),
            memory.restore(bell.id),
        ):
            await said
        log = await memory._core.store.history("default")

    assert [] == find_unowned_changes(log)
    assert {"learn", "update", "put", "correct", "confirm", "supersede", "restore", "forget", "curate"} <= {
        part.cause.verb for part in log
    }


@pytest.mark.parametrize("reason", ["", "merged", "superseded", "budget"])
@pytest.mark.parametrize(
    "phase", [phase for phase in action("prune").phases if phase in action("archive").phases]
)
async def test_a_receipt_says_what_was_done_whatever_the_phase_and_the_reason(
    memory: remanence.Engine, phase: str, reason: str
) -> None:
    """What a plan shows as deleted and archived is told and counted so, and by no other name."""
    await memory.learn(
        [
            {"text": "The bell rings at noon.", "tags": ["go"]},
            {"text": "Three flags are red.", "tags": ["go"]},
            {"text": "The pier is closed in May.", "tags": ["rest"]},
        ]
    )
    await memory.consolidate()
    says = f'reason = "{reason}"\n' if reason else ""
    policy = _policy(
        _rule("prune", phase, "tagged('go')", says), _rule("archive", phase, "tagged('rest')", says)
    )
    plan = await memory.plan(policy)
    shown = plan.describe()
    receipt = await memory.apply(plan, allow_destroyed=2)

    assert {"prune": 2, "archive": 1} == dict(receipt.counts)
    assert 2 == shown.destroyed
    assert {"pruned": 2, "archived": 1} == Counter(
        one.status.label for one in await memory.list(status="any")
    )
