"""What verbs say of a memory is read by rules: importance, verification, policy class, times of text and confidence."""

import pytest

import remanence
from remanence.core.clock import DAY, ManualClock
from remanence.core.errors import InvalidInput
from remanence.core.model import Memory, PolicyClass, Verification
from tests.flows.conftest import Opener


async def caught(memory: remanence.Engine, condition: str) -> set[str]:
    """Return the texts of the memories that a rule with this condition would flag."""
    policy = f"""
version = 1
[[rule]]
name = "rule"
every = "deep"
phase = "expire"
where = "{condition}"
do = "flag"
to = "caught"
"""
    plan = await memory.plan(policy)
    return {(await memory.get(int(seq))).text for seq in plan.tags.get("flag", {}).get("flag/caught", ())}


async def said(memory: remanence.Engine, name: str) -> tuple[Verification, float | None, int | None]:
    """Return how a memory stands: verified, how sure, and since when."""
    kept = await memory.get(name)
    return kept.verification, kept.confidence, kept.confidence_at


async def test_importance_is_said_and_read(memory: remanence.Engine) -> None:
    """Learned, put, updated and learned in bulk it is read by rules; where nobody said it, it is unknown."""
    await memory.learn("the mast is cracked", importance=0.9)
    await memory.learn([{"text": "the mast is painted", "importance": 0.2}, "the mast is of ash"])
    put = await memory.learn("the oars are new", key="oars", agent="ann", source="s", importance=0.5)
    await memory.update(put.id, importance=0.1)
    unsaid = await memory.learn("the oars are of spruce", importance=0.1)
    await memory.update(unsaid.id, importance=None)

    assert {"the mast is cracked"} == await caught(memory, "importance >= 0.5")
    assert {"the mast is painted", "the oars are new"} == await caught(memory, "importance < 0.5")
    assert {"the mast is of ash", "the oars are of spruce"} == await caught(memory, "missing(importance)")
    assert {"the mast is of ash", "the oars are of spruce"} == await caught(
        memory, "coalesce(importance, 0.45) == 0.45"
    )


async def test_importance_is_from_0_to_1(memory: remanence.Engine) -> None:
    """Anything else is refused, when it is learned and when it is changed."""
    learned = await memory.learn("the mast is cracked", importance=1)
    for wrong in (1.1, -0.1, float("nan")):
        with pytest.raises(InvalidInput, match="importance"):
            await memory.learn("another text", importance=wrong)
        with pytest.raises(InvalidInput, match="importance"):
            await memory.update(learned.id, importance=wrong)

    assert 1.0 == (await memory.get(learned.id)).importance


async def test_of_two_importances_the_greater_counts(memory: remanence.Engine) -> None:
    """A repeat may make a memory more important, in a batch and after; a correction is as important as the old text."""
    batch = [{"text": "the mast is cracked", "importance": one} for one in (0.2, 0.4, 0.3)]
    (first, *_) = await memory.learn(batch)
    assert 0.4 == (await memory.get(first.id)).importance
    await memory.learn("the mast is cracked", importance=0.7)
    await memory.learn("the mast is cracked", importance=0.1)
    await memory.learn("the mast is cracked")
    assert 0.7 == (await memory.get(first.id)).importance
    corrected = await memory.correct(first.id, "the boom is cracked")

    assert 0.7 == (await memory.get(corrected.id)).importance


async def test_a_confidence_is_as_old_as_its_last_saying(
    memory: remanence.Engine, clock: ManualClock
) -> None:
    """Learned it is from then; said again, though it is the same, it is from now; where there is none it has no age."""
    texts = ("kept", "updated", "put", "repeated")
    for text in texts:
        await memory.learn(f"the oar is {text}", key=text, confidence=0.8, agent="ann", source="s")
    await memory.learn("nobody said how sure")
    clock.advance(days=10)
    await memory.update("updated", confidence=0.8)
    again = await memory.learn("the oar is put", key="put", agent="ann", source="s", confidence=0.8)
    await memory.learn("the oar is repeated", confidence=0.8)
    await memory.update("kept", severity="low")
    clock.advance(days=1)

    assert "unchanged" == again.reason
    assert {"the oar is kept"} == await caught(memory, "age(confidence_at) > days(10)")
    assert {f"the oar is {text}" for text in texts[1:]} == await caught(
        memory, "age(confidence_at) == days(1)"
    )
    assert {"nobody said how sure"} == await caught(memory, "missing(confidence_at)")


async def test_a_repeat_that_is_less_sure_changes_no_confidence(
    memory: remanence.Engine, clock: ManualClock
) -> None:
    """What is kept is the greater confidence, as old as it is; that the user said it again confirms it."""
    learned = await memory.learn("the oar is new", confidence=0.8)
    clock.advance(days=1)
    await memory.learn("the oar is new", confidence=0.5)

    assert (Verification.USER_CONFIRMED, 0.8, None) == await said(memory, learned.id)


async def test_a_text_is_as_old_as_its_last_change(memory: remanence.Engine, clock: ManualClock) -> None:
    """Where it never changed it is from when it was said; other columns do not count; undo takes it back."""
    edited = await memory.learn("the tide turns at noon")
    await memory.learn("the harbour is deep")
    clock.advance(days=10)
    receipt = await memory.update(edited.id, text="the tide turns at one")
    other = await memory.update(edited.id, severity="low")
    clock.advance(days=1)

    assert {"the harbour is deep"} == await caught(memory, "age(text_at) > days(10)")
    assert {"the tide turns at one"} == await caught(memory, "age(text_at) == days(1)")
    await memory.undo(other)
    await memory.undo(receipt)
    assert {"the harbour is deep", "the tide turns at noon"} == await caught(
        memory, "age(text_at) > days(10)"
    )


async def test_verification_follows_what_was_said(memory: remanence.Engine) -> None:
    """Unverified at first; confirmed and disputed by these verbs, the last of them counts; undo takes it back."""
    learned = await memory.learn("the bell rings at nine")
    assert {"the bell rings at nine"} == await caught(memory, "verification == 'unverified'")
    await memory.rate(learned.id, "right")
    assert {"the bell rings at nine"} == await caught(memory, "verification == 'user_confirmed'")
    disputed = await memory.rate(learned.id, "wrong")
    assert {"the bell rings at nine"} == await caught(memory, "verification == 'disputed'")
    await memory.undo(disputed)
    assert Verification.USER_CONFIRMED == (await memory.get(learned.id)).verification
    await memory.update(learned.id, verification="system_inferred")
    assert {"the bell rings at nine"} == await caught(
        memory, "verification in ('system_inferred', 'user_confirmed')"
    )


async def test_another_text_is_unverified(memory: remanence.Engine) -> None:
    """What was confirmed is what was said then, unless the caller says that this is verified too."""
    learned = await memory.learn("the bell rings at nine")
    await memory.rate(learned.id, "right")
    await memory.update(learned.id, text="the bell rings at nine", state=None)
    assert Verification.USER_CONFIRMED == (await memory.get(learned.id)).verification
    await memory.update(learned.id, text="the bell rings at ten")
    assert Verification.UNVERIFIED == (await memory.get(learned.id)).verification
    await memory.update(learned.id, text="the bell rings at six", verification="user_confirmed")

    assert Verification.USER_CONFIRMED == (await memory.get(learned.id)).verification


async def test_what_was_corrected_is_disputed(memory: remanence.Engine) -> None:
    """Also when it is brought back; the corrected text begins unverified, and undo takes both back."""
    learned = await memory.learn("the bell rings at nine")
    await memory.rate(learned.id, "right")
    corrected = await memory.correct(learned.id, "the bell rings at ten")
    old, new = await memory.get(learned.id), await memory.get(corrected.id)
    assert (Verification.DISPUTED, Verification.UNVERIFIED) == (old.verification, new.verification)
    assert corrected.run is not None
    await memory.undo(corrected.run)

    assert Verification.USER_CONFIRMED == (await memory.get(learned.id)).verification


async def test_a_category_says_the_class_of_what_arrives(memory: remanence.Engine) -> None:
    """Notices and contexts are ephemeral, what is meant to last is protected, the rest durable; rules read it."""
    for category in ("notification", "session_context", "decision", "preference", "fact"):
        await memory.learn(f"a {category}", category=category)
    await memory.learn("a text")

    assert {"a notification", "a session_context"} == await caught(memory, "policy_class == 'ephemeral'")
    assert {"a decision", "a preference"} == await caught(memory, "policy_class == 'protected'")
    assert {"a fact", "a text"} == await caught(memory, "policy_class == 'durable'")


async def test_a_policy_declares_the_class_of_its_categories(opener: Opener) -> None:
    """A category of its own, and another class for one that ships; a class that there is not is refused."""
    policy = """
version = 1
[category.draft]
policy_class = "ephemeral"
[category.decision]
policy_class = "durable"
"""
    async with opener(policy=policy) as memory:
        draft = await memory.learn("a draft", category="draft")
        decision = await memory.learn("a decision", category="decision")
        found = [(await memory.get(one.id)).policy_class for one in (draft, decision)]

    assert [PolicyClass.EPHEMERAL, PolicyClass.DURABLE] == found
    with pytest.raises(remanence.PolicyError, match="unknown policy class 'brief'"):
        opener(policy=policy.replace('"ephemeral"', '"brief"'))


async def test_nothing_becomes_ephemeral_later(memory: remanence.Engine) -> None:
    """It may leave the class, by name or with its category, and does not come back but by undo."""
    notice = await memory.learn("the pump is loud", category="notification")
    plain = await memory.learn("the pump is old", category="fact")
    with pytest.raises(InvalidInput, match="durable cannot become ephemeral") as refused:
        await memory.update(plain.id, policy_class="ephemeral")
    await memory.update(plain.id, category="notification")
    left = await memory.update(notice.id, category="decision")
    found = [(await memory.get(one.id)).policy_class for one in (plain, notice)]
    assert [PolicyClass.DURABLE, PolicyClass.PROTECTED] == found
    with pytest.raises(InvalidInput, match="protected cannot become ephemeral"):
        await memory.update(notice.id, policy_class="ephemeral")
    await memory.undo(left)

    assert "learn it anew" in refused.value.recovery
    assert PolicyClass.EPHEMERAL == (await memory.get(notice.id)).policy_class
    await memory.update(notice.id, policy_class="durable")
    assert PolicyClass.DURABLE == (await memory.get(notice.id)).policy_class


async def test_feedback_is_what_ratings_say(memory: remanence.Engine) -> None:
    """From -1 to 1, 0 without any, by (helped - failed) / max(helped + failed, 1)."""
    ratings: dict[str, list[float]] = {"none": [], "one half": [0.75], "good": [1, 1, 1, 0], "bad": [0, 0, 0]}
    for text, signals in ratings.items():
        learned = await memory.learn(f"advice, {text}")
        for signal in signals:
            await memory.rate(learned.id, signal)

    assert {"advice, none"} == await caught(memory, "feedback() == 0")
    assert {"advice, one half", "advice, good"} == await caught(memory, "feedback() == 0.5")
    assert {"advice, bad"} == await caught(memory, "feedback() == -1")


async def test_all_of_it_goes_out_and_comes_in(opener: Opener, clock: ManualClock) -> None:
    """An export carries each column, and an import keeps it; of two that meet the more is kept, with its own time."""
    async with opener(scope="from") as memory:
        one = await memory.learn("a notice", category="notification", confidence=0.5, importance=0.7)
        clock.advance(days=1)
        await memory.update(one.id, text="another notice", confidence=0.9)
        await memory.rate(one.id, "wrong")
        said_at = (await memory.get(one.id)).confidence_at
        lines = [line async for line in memory.export()]
    async with opener(scope="to") as memory:
        await memory.import_(lines)
        new = await memory.get(one.id)
        assert (0.9, 0.7, said_at, said_at) == _told(new)
        assert (Verification.DISPUTED, PolicyClass.EPHEMERAL) == (new.verification, new.policy_class)
    async with opener(scope="into") as memory:
        own = await memory.learn("another notice", confidence=0.1)
        clock.advance(days=1)
        await memory.import_(lines, trust="user")
        met = await memory.get(own.id)

    assert (0.9, 0.7, said_at, None) == _told(met)
    assert PolicyClass.DURABLE == met.policy_class


def _told(memory: Memory) -> tuple[float | None, float | None, int | None, int | None]:
    return memory.confidence, memory.importance, memory.confidence_at, memory.text_at


async def test_what_was_purged_comes_back_with_all_of_it(
    memory: remanence.Engine, clock: ManualClock
) -> None:
    """Restored from the audit a memory is as important, as sure, as verified and of the class that it was."""
    learned = await memory.learn("a notice", category="notification", confidence=0.5, importance=0.7)
    clock.advance(days=1)
    await memory.update(learned.id, text="another notice", confidence=0.6, verification="disputed")
    before = await memory.get(learned.id)
    await memory.forget(learned.id)
    clock.advance(days=31)
    purge = """
version = 1
[[rule]]
name = "purge"
every = "deep"
phase = "purge"
where = "status == 'pruned' and age(status_at) > days(30)"
do = "purge"
"""
    await memory.apply(await memory.plan(purge), allow_destroyed=1)
    await memory.restore(learned.id)
    after = await memory.get(learned.id)

    assert DAY < after.status_at - before.status_at
    assert _told(before) == _told(after)
    assert (before.verification, before.policy_class) == (after.verification, after.policy_class)
