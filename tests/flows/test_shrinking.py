"""A condensed memory is shown without its small words where room is scarce; its text stays, and comes back whole."""

import pytest

import remanence
from remanence.core.clock import ManualClock
from remanence.core.model import Form, Memory, Status
from remanence.text.condense import condense_text
from tests.flows.conftest import Opener

TEXT = "I went rowing with my sister on Tuesday, and we did not lose any of the oars."
OTHER = "The ferry to the island is late in the winter, but it is never cancelled for the wind."
POLICY = """
version = 1
name = "shorter"
[[rule]]
name = "shorter"
every = "deep"
phase = "value"
where = "tagged('old')"
do = "shrink"
because = "it is old"
"""


async def _shrunk(memory: remanence.Engine, clock: ManualClock) -> Memory:
    learned = await memory.learn(TEXT, tags=["old"])
    await memory.learn(OTHER)
    clock.advance(hours=2)
    receipt = await memory.curate(POLICY)

    assert 1 == receipt.condensed
    return await memory.get(learned.id)


async def test_what_is_shown_is_shorter_and_the_text_is_not(
    memory: remanence.Engine, clock: ManualClock
) -> None:
    """The row says its form, and how long that is; text, words and fingerprint are as they were."""
    before = await memory.get((await memory.learn(TEXT, tags=["old"])).id)
    after = await _shrunk(memory, clock)

    assert (Form.FULL, Form.CONDENSED) == (before.form, after.form)
    assert (TEXT, before.words, before.tokens, before.fingerprint) == (
        after.text, after.words, after.tokens, after.fingerprint,
    )  # fmt: skip
    assert 0 < after.short_words < after.words
    assert 0 < after.short_tokens < after.tokens


async def test_a_frame_shows_the_short_form_and_recall_the_text(
    memory: remanence.Engine, clock: ManualClock
) -> None:
    """Frames and boot mark it as condensed and count what they show; a hit of recall shows the words that were said."""
    frame, boot = (await memory.frame("attention")).tokens, (await memory.frame("boot")).tokens
    await _shrunk(memory, clock)
    answers = [
        await memory.frame("attention"),
        await memory.frame("attention", "rowing"),
        await memory.frame("boot"),
    ]
    found = await memory.recall("rowing with my sister")

    for answer in answers:
        assert f"; condensed] {condense_text(TEXT)}" in answer.text
        assert TEXT in [hit.text for hit in answer.memories]
        assert OTHER in answer.text or answer.query
    assert frame == boot == 0
    assert TEXT in found.text
    assert "condensed" not in found.text


async def test_a_budget_has_room_for_what_is_shown(memory: remanence.Engine, clock: ManualClock) -> None:
    """A frame into which two texts do not fit holds both once they are condensed."""
    for text in (TEXT, OTHER):
        await memory.learn(text, tags=["old"])
    room = (await memory.frame("attention")).tokens - 1
    without = await memory.frame("attention", budget=room)
    clock.advance(hours=2)
    await memory.curate(POLICY)
    answer = await memory.frame("attention", budget=room)

    assert [False, False] == [hit.cut for hit in answer.memories]
    assert 2 == len(answer.memories)
    assert answer.tokens <= room
    assert len([hit for hit in without.memories if not hit.cut]) < 2


async def test_budgets_of_policies_count_what_is_shown(memory: remanence.Engine, clock: ManualClock) -> None:
    """What two condensed memories show fits where their texts would not, for `keep`, plan, status and conditions."""
    for text in (TEXT, OTHER):
        await memory.learn(text, tags=["old"])
    clock.advance(hours=2)
    whole = sum([one.words for one in await memory.list()])
    fits = f"""
version = 1
[[rule]]
name = "few"
every = "deep"
phase = "budgets"
where = "True"
keep = {{ words = {whole - 1} }}
do = "archive"
[[rule]]
name = "longer"
every = "deep"
phase = "expire"
where = "shown_words == words"
do = "flag"
to = "whole"
"""
    before = (await memory.plan(fits)).counts
    plan = await memory.plan(POLICY)
    await memory.apply(plan, policy=POLICY)
    after = (await memory.plan(fits)).counts

    assert {"archive": 1, "flag": 2} == before
    assert {} == after
    assert "compress 2 memories  [shorter] because it is old" in str(plan)
    shown = sum([one.short_tokens for one in await memory.list()])
    assert {"hot": shown} == (await memory.status()).tokens


async def test_a_second_run_does_nothing_and_undo_gives_back_all(
    memory: remanence.Engine, clock: ManualClock
) -> None:
    """What is condensed already is not condensed again; taken back, the memory is as it was but for its revision."""
    learned = await memory.learn(TEXT, tags=["old"])
    clock.advance(hours=2)
    before = await memory.get(learned.id)
    receipt = await memory.curate(POLICY)
    again = await memory.curate(POLICY)
    await memory.undo(receipt)
    after = await memory.get(learned.id)

    assert (1, 0) == (receipt.changes, again.changes)
    assert (Form.FULL, before.short_tokens, before.short_words) == (
        after.form,
        after.short_tokens,
        after.short_words,
    )
    assert [check for check in await memory.doctor() if not check.ok] == []


@pytest.mark.parametrize("archived", [False, True])
async def test_restore_gives_back_the_whole(
    memory: remanence.Engine, clock: ManualClock, archived: bool
) -> None:
    """Of one that stands, which is otherwise refused, and of one that fell."""
    shrunk = await _shrunk(memory, clock)
    if archived:
        await memory.curate(POLICY.replace('do = "shrink"', 'do = "archive"').replace("shorter", "away"))
    receipt = await memory.restore(shrunk.id)
    after = await memory.get(shrunk.id)

    assert {"restore": 1} == receipt.counts
    assert (Form.FULL, Status.INBOX if not archived else Status.ACTIVE) == (after.form, after.status)
    assert TEXT in (await memory.frame("attention")).text
    with pytest.raises(remanence.InvalidInput, match="already, and shown whole"):
        await memory.restore(shrunk.id)
    await memory.undo(receipt)
    assert Form.CONDENSED is (await memory.get(shrunk.id)).form


async def test_another_text_is_shown_whole(memory: remanence.Engine, clock: ManualClock) -> None:
    """What was made shorter was another text; the length of the new one's short form is known at once."""
    shrunk = await _shrunk(memory, clock)
    await memory.update(shrunk.id, text=OTHER + " The captain of the ferry told us so.")
    after = await memory.get(shrunk.id)

    assert Form.FULL is after.form
    assert shrunk.short_words < after.short_words < after.words


async def test_pinned_and_system_memories_stay_whole(memory: remanence.Engine, clock: ManualClock) -> None:
    """The engine's own guards block it, and a policy's can; the plan says by which."""
    pinned = await memory.learn(TEXT, tags=["old"], category="message")
    await memory.pin(pinned.id)
    await memory.learn("I am the keeper of the ferry and of the island.", category="identity", tags=["old"])
    await memory.learn(OTHER, tags=["old"], category="fact")
    clock.advance(hours=2)
    guard = '[[guard]]\nname = "facts"\nwhere = "category == \'fact\'"\nblocks = "shrink"\n'
    plan = await memory.plan(POLICY + guard)

    assert {"pinned": 1, "system-category": 1, "facts": 1} == {
        refusal.guard: refusal.count for refusal in plan.refusals
    }
    assert {} == plan.counts


async def test_what_gains_nothing_is_left_alone(memory: remanence.Engine, clock: ManualClock) -> None:
    """A text without small words would be shown as it is: that is no change."""
    await memory.learn("Oslo, Bergen, Tromsø", tags=["old"])
    clock.advance(hours=2)

    assert {} == (await memory.plan(POLICY)).counts


async def test_a_form_leaves_and_comes_back_with_an_export(opener: Opener, clock: ManualClock) -> None:
    """With the lengths that it has here, whatever the file says of them."""
    async with opener(scope="from") as memory:
        shrunk = await _shrunk(memory, clock)
        lines = [line async for line in memory.export()]
    async with opener(scope="to") as memory:
        await memory.import_(lines)
        found = await memory.get(shrunk.id)

    assert (Form.CONDENSED, shrunk.short_words, shrunk.short_tokens) == (
        found.form, found.short_words, found.short_tokens,
    )  # fmt: skip
