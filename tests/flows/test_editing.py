"""One memory at a time is changed, linked, superseded, forgotten and brought back, on both stores."""

from typing import cast

import pytest

import remanence
from remanence.core.clock import DAY, HOUR, ManualClock
from remanence.core.errors import InvalidInput, NameUnknown, NotFound, Protected
from remanence.core.keywords import RelationName
from remanence.core.model import Kind, Lifecycle, Reason, Relation, Severity, Status
from remanence.text.tokens import token_counts


async def test_update_changes_text_and_what_follows_from_it(memory: remanence.Engine) -> None:
    """The new text is found, the old one is not; undo gives the old one back."""
    learned = await memory.learn("The meeting is at two")
    await memory.update(learned.id, text="The meeting is at quarter past four")

    found = await memory.recall("quarter", count_use=False)
    lost = await memory.recall("two", count_use=False)

    assert [learned.id] == [hit.memory.id for hit in found.memories]
    assert 0.0 == lost.strength or lost.strength < found.strength


async def test_update_is_undone_with_text_and_vector(memory: remanence.Engine) -> None:
    """Undo of an edit restores what was there."""
    learned = await memory.learn("The meeting is at two")
    before = [line async for line in memory.export()]
    receipt = await memory.update(learned.id, text="The meeting is at four", confidence=0.5)
    await memory.undo(receipt)

    assert before == [line async for line in memory.export()]


async def test_tags_come_and_go(memory: remanence.Engine) -> None:
    """Adding a tag twice is no matter."""
    learned = await memory.learn("x", tags=["a"])
    await memory.tag(learned.id, "a", "b")
    await memory.tag(learned.id, "a", off=True)

    assert ("b",) == (await memory.get(learned.id)).tags


async def test_a_forgotten_memory_is_a_tombstone_and_returns(memory: remanence.Engine) -> None:
    """Forgetting hides, restoring shows again, with tags and sources."""
    learned = await memory.learn("Ann likes tea", tags=["drink"], source="s")
    await memory.forget(learned.id)
    gone = await memory.recall("tea", count_use=False)
    tombstone = await memory.get(learned.id)
    await memory.restore(learned.id)
    back = await memory.get(learned.id)

    assert () == gone.memories
    assert (Status.PRUNED, Reason.FORGOTTEN) == (tombstone.status, tombstone.reason)
    assert (Status.ACTIVE, None, ("drink",), ("s",)) == (back.status, back.reason, back.tags, back.sources)


async def test_forgetting_says_what_stays_replaced_and_what_was_deleted_before(
    memory: remanence.Engine,
) -> None:
    """A corrected memory stays out of recall when the correction goes: the receipt names it, and how it returns."""
    old = await memory.learn("The meeting is at two")
    new = await memory.correct(old.id, "The meeting is at four")
    first, again = await memory.forget(new.id), await memory.forget(new.id)

    assert f"#{old.seq}, which it replaced" in first.notes[0] and f"restore {old.seq}" in first.notes[0]
    assert (0, (f"#{new.seq} was deleted before",)) == (again.changes, again.notes)
    assert 1 == len((await memory.forget((await memory.learn("the lamp is lit")).id)).notes)


async def test_a_pinned_or_held_memory_cannot_be_forgotten(
    memory: remanence.Engine, clock: ManualClock
) -> None:
    """Built-in guards bind the user's own verbs; a hold ends with its time."""
    pinned = await memory.learn("pinned")
    held = await memory.learn("held")
    await memory.pin(pinned.id)
    await memory.hold(held.id, "legal", until=clock.now() + DAY)

    for name in (pinned.id, held.id):
        with pytest.raises(Protected):
            await memory.forget(name)
    clock.advance(days=2)
    await memory.forget(held.id)
    await memory.pin(pinned.id, off=True)
    await memory.forget(pinned.id)


async def test_a_hold_is_released_by_name(memory: remanence.Engine) -> None:
    """Two holds: both must go."""
    learned = await memory.learn("held")
    await memory.hold(learned.id, "legal")
    await memory.hold(learned.id, "export")
    await memory.hold(learned.id, "legal", off=True)

    with pytest.raises(Protected):
        await memory.forget(learned.id)
    with pytest.raises(NotFound):
        await memory.hold(learned.id, "legal", off=True)
    await memory.hold(learned.id, "export", off=True)
    await memory.forget(learned.id)


async def test_a_correction_supersedes_and_keeps_the_old_as_history(memory: remanence.Engine) -> None:
    """The meeting at two, then at four: the newest truth wins, the old one is not lost."""
    old = await memory.learn("The meeting is at two", tags=["plan"])
    new = await memory.correct(old.id, "The meeting is at four")

    found = await memory.recall("when is the meeting", count_use=False)
    kept = await memory.get(old.id)

    assert [new.id] == [hit.memory.id for hit in found.memories]
    assert (Status.SUPERSEDED, "The meeting is at two") == (kept.status, kept.text)
    assert [(new.seq, old.seq, Relation.SUPERSEDES)] == [
        (link.source, link.target, link.relation) for link in await memory.links(old.id)
    ]


async def test_supersede_refuses_itself_circles_and_a_missing_one(memory: remanence.Engine) -> None:
    """Nothing is changed where the replacement is not there."""
    a, b, c = [await memory.learn(text) for text in ("a", "b", "c")]
    await memory.correct(a.id, by=b.id)
    await memory.correct(b.id, by=c.id)

    for old, by in ((a.id, a.id), (c.id, a.id)):
        with pytest.raises(InvalidInput):
            await memory.correct(old, by=by)
    with pytest.raises(NotFound):
        await memory.correct(c.id, by="nobody")

    assert Status.INBOX == (await memory.get(c.id)).status


async def test_a_link_seen_again_grows_and_is_cut_on_demand(memory: remanence.Engine) -> None:
    """Weight + 0.10, confidence + 0.05, both up to 1; symmetric links are one whichever end is named first."""
    a, b = await memory.learn("a"), await memory.learn("b")
    await memory.link(b.id, a.id, "similar", weight=0.5, confidence=0.97)
    again = await memory.link(a.id, b.id, "similar")

    assert (0.6, 1.0, 2) == (again.weight, again.confidence, again.count)

    await memory.link(a.id, b.id, "similar", off=True)

    assert [] == await memory.links(a.id)


async def test_wrong_links_are_refused(memory: remanence.Engine) -> None:
    """Unknown relation, self link, weight out of range, a link that is not there."""
    a, b = await memory.learn("a"), await memory.learn("b")

    with pytest.raises(NameUnknown):
        await memory.link(a.id, b.id, "similiar")  # type: ignore[call-overload] # that is the mistake
    with pytest.raises(InvalidInput):
        await memory.link(a.id, a.id, "similar")
    with pytest.raises(InvalidInput):
        await memory.link(a.id, b.id, "similar", weight=float("nan"))
    with pytest.raises(NotFound):
        await memory.link(a.id, b.id, "similar", off=True)


async def test_confirming_counts_and_brings_back_what_was_archived(memory: remanence.Engine) -> None:
    """A tombstone must be restored first."""
    learned = await memory.learn("x")
    await memory.rate(learned.id, "right")
    await memory.rate(learned.id, "wrong")
    found = await memory.get(learned.id)
    await memory.forget(learned.id)

    assert (1, 1) == (found.confirmations, found.disputes)
    with pytest.raises(InvalidInput):
        await memory.rate(learned.id, "right")


async def test_what_does_not_exist_is_not_found(memory: remanence.Engine) -> None:
    """Every verb that takes a name says so in one way."""
    for verb in (memory.get, memory.forget, memory.restore, memory.pin, memory.forbid, memory.history):
        with pytest.raises(NotFound):
            await verb("nobody")


async def test_a_used_memory_counts_its_uses(memory: remanence.Engine) -> None:
    """Returned within the budget is a use; looking without counting is not."""
    learned = await memory.learn("Ann likes tea")
    await memory.recall("tea")
    await memory.recall("tea", count_use=False)
    await memory.plan("default")  # settles the uses

    assert 1 == (await memory.get(learned.id)).uses


async def test_sessions_name_what_is_learned_in_them(memory: remanence.Engine, clock: ManualClock) -> None:
    """Beginning twice is one session; its length is in hours."""
    async with memory.session("research") as session:
        learned = await memory.learn("found it")
        clock.advance(hours=2)
        same = await memory.begin_session()
        hours = await memory.end_session()

    assert (session, session, 2.0) == ((await memory.get(learned.id)).session, same, hours)


async def test_a_hold_that_has_ended_is_refused(memory: remanence.Engine, clock: ManualClock) -> None:
    """A hold until a time that has passed would protect nothing, so that nobody is left to believe in it."""
    learned = await memory.learn("The key is under the mat.")
    with pytest.raises(InvalidInput, match="protects nothing"):
        await memory.hold(learned.id, "audit", until=clock.now())
    kept = await memory.get(learned.id)

    assert (None, 1) == (kept.holds, kept.revision)


async def test_tags_are_counted_with_those_that_are_there(memory: remanence.Engine) -> None:
    """A memory has at most 64 tags, in however many calls they come."""
    learned = await memory.learn("The key is under the mat.")
    await memory.tag(learned.id, *(f"a{number}" for number in range(40)))
    with pytest.raises(InvalidInput, match="at most 64"):
        await memory.tag(learned.id, *(f"b{number}" for number in range(40)))

    assert 40 == len((await memory.get(learned.id)).tags)


@pytest.mark.parametrize(
    "wrong",
    [{"valid_from": 20, "valid_to": 10}, {"valid_from": 31}, {"valid_to": -1}],
    ids=str,
)
async def test_what_holds_begins_before_it_ends(memory: remanence.Engine, wrong: dict[str, int]) -> None:
    """Both said, or one beside what stands: refused with both times, and nothing is changed; the same time may be."""
    learned = await memory.learn("The ferry is free")
    await memory.update(learned.id, valid_from=0, valid_to=30)
    before = await memory.get(learned.id)
    with pytest.raises(InvalidInput, match=r"valid_from .* is after valid_to") as refused:
        await memory.update(learned.id, text="The ferry costs a penny", **wrong)  # type: ignore[arg-type]

    assert before == await memory.get(learned.id)
    assert "pass both" in refused.value.recovery

    await memory.update(learned.id, valid_from=30)

    assert 30 == (await memory.get(learned.id)).valid_from


async def test_what_is_superseded_before_it_held_never_held(
    memory: remanence.Engine, clock: ManualClock
) -> None:
    """Its time is empty, not turned round, so that its export is taken in elsewhere; restored it holds as planned."""
    begins = clock.now() + 5 * DAY
    learned = await memory.learn("The ferry will be free")
    await memory.update(learned.id, valid_from=begins)
    await memory.correct(learned.id, "The ferry will cost a penny")
    fallen = await memory.get(learned.id)
    await memory.restore(learned.id)
    back = await memory.get(learned.id)

    assert (begins, begins) == (fallen.valid_from, fallen.valid_to)
    assert (begins, None) == (back.valid_from, back.valid_to)


@pytest.mark.parametrize(
    ("relation", "weight"),
    [
        ("similar", 0.65),
        ("co_occurs", 0.55),
        ("elaborates", 0.70),
        ("supports", 0.75),
        ("contradicts", 0.60),
        ("refers", 0.65),
    ],
)
async def test_a_link_drawn_by_hand_weighs_by_its_relation(
    memory: remanence.Engine, clock: ManualClock, relation: RelationName, weight: float
) -> None:
    """Where nobody says how much; and what is drawn is what is kept."""
    a, b = await memory.learn("a"), await memory.learn("b")
    drawn = await memory.link(a.id, b.id, relation)
    (kept,) = await memory.links(a.id)

    assert (weight, None, 1, clock.now()) == (drawn.weight, drawn.confidence, drawn.count, drawn.last_at)
    assert kept == drawn


async def test_how_much_a_link_weighs_can_be_said(memory: remanence.Engine) -> None:
    """To six digits; nothing at all and all there is are weights too."""
    a, b = await memory.learn("a"), await memory.learn("b")
    said = [
        await memory.link(a.id, b.id, cast("RelationName", relation), weight=weight, confidence=weight)
        for relation, weight in (("similar", 0.0), ("supports", 1.0), ("refers", 0.12345678))
    ]

    assert [(0.0, 0.0), (1.0, 1.0), (0.123457, 0.123457)] == [(link.weight, link.confidence) for link in said]


async def test_what_a_link_that_is_there_becomes_is_for_its_caller_to_say(
    memory: remanence.Engine, clock: ManualClock
) -> None:
    """Left alone, refused, set, or strengthened; each sight but one left alone counts and is dated."""
    a, b = await memory.learn("a"), await memory.learn("b")
    first = await memory.link(a.id, b.id, "supports", weight=0.5)
    clock.advance(hours=1)

    assert first == await memory.link(a.id, b.id, "supports", weight=0.9, if_exists="skip")

    with pytest.raises(InvalidInput, match="exists"):
        await memory.link(a.id, b.id, "supports", if_exists="error")
    for wrong in ({"weight": 1.5}, {"confidence": -0.1}):
        with pytest.raises(InvalidInput, match="not between 0 and 1"):
            await memory.link(a.id, b.id, "supports", **wrong)  # type: ignore[call-overload]

    assert [first] == await memory.links(a.id)

    sure = await memory.link(a.id, b.id, "supports", confidence=0.25, if_exists="update")
    unsure = await memory.link(a.id, b.id, "supports", weight=0.75, if_exists="update")
    grown = await memory.link(a.id, b.id, "supports", weight=0.1)

    assert (0.5, 0.25, 2, clock.now()) == (sure.weight, sure.confidence, sure.count, sure.last_at)
    assert (0.75, None, 3) == (unsure.weight, unsure.confidence, unsure.count)
    assert (0.85, None, 4) == (grown.weight, grown.confidence, grown.count)
    assert [grown] == await memory.links(a.id)
    assert first.created_at == grown.created_at == clock.now() - HOUR

    await memory.link(a.id, b.id, "supports")
    full = await memory.link(a.id, b.id, "supports")

    assert (1.0, 6) == (full.weight, full.count)


async def test_a_link_with_a_direction_is_not_its_reverse(memory: remanence.Engine) -> None:
    """What is cut is the one that was named; the answer says how many."""
    a, b = await memory.learn("a"), await memory.learn("b")
    await memory.link(a.id, b.id, "supports")
    with pytest.raises(NotFound):
        await memory.link(b.id, a.id, "supports", off=True)
    with pytest.raises(NotFound):
        await memory.link(a.id, b.id, "refers", off=True)
    await memory.link(b.id, a.id, "supports")
    done = await memory.link(a.id, b.id, "supports", off=True)

    assert (1, {"unlink": 1}) == (done.changes, done.counts)
    assert [(b.seq, a.seq)] == [(link.source, link.target) for link in await memory.links(a.id)]


async def test_what_is_set_is_what_was_said(memory: remanence.Engine) -> None:
    """Labels by name, how sure to six digits, nothing where nothing is said."""
    learned = await memory.learn("x", attributes={"a": 1})
    await memory.update(
        learned.id, kind="procedural", severity="high", lifecycle="validated", confidence=0.12345678
    )
    found = await memory.get(learned.id)

    assert (Kind.PROCEDURAL, Severity.HIGH, Lifecycle.VALIDATED) == (
        found.kind,
        found.severity,
        found.lifecycle,
    )
    assert (0.123457, {"a": 1}) == (found.confidence, found.attributes)

    await memory.update(learned.id, kind=None, severity=None, confidence=None, attributes={})
    found = await memory.get(learned.id)

    assert (None, None, None, None) == (found.kind, found.severity, found.confidence, found.attributes)

    for wrong in ({"confidence": 1.5}, {"kind": "procedral"}, {"attributes": {"a": object()}}, {"text": " "}):
        with pytest.raises(InvalidInput):
            await memory.update(learned.id, **wrong)

    assert found == await memory.get(learned.id)


async def test_what_follows_from_a_text_follows_it(memory: remanence.Engine) -> None:
    """Its length in words and tokens, and by what it is known again."""
    learned = await memory.learn("Ann likes tea", speaker="Ann")
    await memory.update(learned.id, text="Ann likes strong black tea")
    changed = await memory.get(learned.id)
    again = await memory.learn("ann likes strong black tea.", speaker="Ann")

    assert ("confirmed", learned.id) == (again.status, again.id)
    assert 5 == changed.words
    assert token_counts(["Ann likes strong black tea"]) == [changed.tokens]


async def test_what_is_forgotten_is_forgotten_once(memory: remanence.Engine) -> None:
    """Again is no matter, and changes nothing."""
    learned = await memory.learn("x")
    first, second = await memory.forget(learned.id), await memory.forget(learned.id)

    assert (1, 0) == (first.changes, second.changes)


async def test_a_hold_lasts_to_its_moment(memory: remanence.Engine, clock: ManualClock) -> None:
    """One microsecond ahead is enough for a hold; at its moment it has ended."""
    learned = await memory.learn("held")
    await memory.hold(learned.id, "audit", until=clock.now() + DAY)
    clock.advance(days=1, seconds=-0.000001)
    with pytest.raises(Protected):
        await memory.forget(learned.id)
    with pytest.raises(Protected):
        await memory.update(learned.id, text="rewritten")
    await memory.update(learned.id, text="held")  # the same text is no other
    clock.advance(seconds=0.000001)
    await memory.update(learned.id, text="rewritten")
    await memory.forget(learned.id)

    assert Status.PRUNED == (await memory.get(learned.id)).status


async def test_a_correction_takes_over_what_was_said_beside_the_text(memory: remanence.Engine) -> None:
    """What it is, who said it where, how grave it is and how far it has got."""
    old = await memory.learn(
        "Paint the boat red",
        category="task",
        kind="procedural",
        tags=["a"],
        role="system",
        speaker="Ann",
        thread="t",
        session="s",
        state="in_progress",
        severity="high",
    )
    new = await memory.correct(old.id, "Paint the boat blue")
    was, is_ = await memory.get(old.id), await memory.get(new.id)
    names = ("category", "kind", "tags", "role", "speaker", "thread", "session", "state", "severity")

    assert [getattr(was, name) for name in names] == [getattr(is_, name) for name in names]
    assert None not in [getattr(is_, name) for name in names]


async def test_what_takes_a_place_has_one(memory: remanence.Engine) -> None:
    """A tombstone neither takes nor loses one; who has it already has it; of two the later holds."""
    a, b, c, gone = [await memory.learn(text) for text in ("a", "b", "c", "gone")]
    await memory.forget(gone.id)
    for old, by in ((a.id, gone.id), (gone.id, a.id)):
        with pytest.raises(InvalidInput, match="is pruned"):
            await memory.correct(old, by=by)
    first, again, other = [await memory.correct(a.id, by=by) for by in (b.id, b.id, c.id)]

    assert 0 == again.changes
    assert first.changes > 0
    assert other.changes > 0
    assert [c.seq] == [link.source for link in await memory.links(a.id)]
    with pytest.raises(InvalidInput, match="is superseded"):
        await memory.rate(a.id, "right")
