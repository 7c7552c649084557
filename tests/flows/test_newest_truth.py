"""What rules see of what holds now is a link: nothing that was told loses its place by rules alone."""

import asyncio
import json
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import remanence
from remanence.core.claim import Claim
from remanence.core.clock import ManualClock
from remanence.core.model import Link, Relation, Status, Turn, Verification
from remanence.faces.mcp.tools import Tools
from tests.command_line import typed
from tests.flows.conftest import Opener

OLD, NEW = "The open day starts at two.", "The open day starts at four."
CHANGED = "The open day starts at four now."


async def drawn(memory: remanence.Engine, relation: Relation) -> list[Link]:
    """Return all links of a relation."""
    return await memory._core.store.neighbours("default", None, relation)


async def links(memory: remanence.Engine, relation: Relation) -> list[tuple[int, int]]:
    """Return the ends of all links of a relation."""
    return [(link.source, link.target) for link in await drawn(memory, relation)]


async def claims(memory: remanence.Engine, *seqs: int) -> list[Claim]:
    """Return what memories claim."""
    return await memory._core.store.claims("default", seqs)


async def test_the_newer_is_linked_and_undo_takes_the_link_away(opener: Opener, clock: ManualClock) -> None:
    """In the commit of the new text, which answers what it may outdate; the older memory is as it was."""
    async with opener() as memory:
        old = await memory.learn(OLD, speaker="Mara")
        before = await memory.get(old.id)
        clock.advance(days=3)
        new = await memory.learn(NEW, speaker="Mara")
        after, (claim,) = await memory.get(old.id), await claims(memory, old.seq)
        ends = await links(memory, Relation.NEWER)
        (told,) = new.outdates
        assert new.run is not None
        await memory.undo(new.run)
        left = await links(memory, Relation.NEWER)
        undone = await memory.get(old.id)

    assert [(new.seq, old.seq)] == ends
    assert (before.status, before.valid_to, before.text) == (after.status, after.valid_to, after.text)
    assert (None, None) == (claim.valid_to, claim.replaced_by)
    assert (old.id, OLD, "another value of the same kind", False) == (told.id, told.text, told.why, told.sure)
    assert f"supersede({old.id!r}, by={new.id!r})" == told.settle
    assert [] == left
    assert before.status is undone.status


async def test_the_call_that_is_answered_settles_it(memory: remanence.Engine) -> None:
    """Only then the older memory gives up its place."""
    old = await memory.learn(OLD, speaker="Mara")
    new = await memory.learn(CHANGED, speaker="Mara")
    (told,) = new.outdates
    await memory.supersede(told.id, by=told.by)

    assert told.sure
    assert told.settle in str(new)
    assert Status.SUPERSEDED is (await memory.get(old.id)).status


@pytest.mark.parametrize(
    ("old", "new", "sure"),
    [
        (OLD, NEW, False),
        (OLD, CHANGED, True),
        (OLD, "Correction: the open day starts at four.", True),
        ("I live in Kiel.", "I've just moved to Rostock.", True),
        ("My boss is Carmen.", "My boss is Anders.", False),
        ("Mein Chef ist Kolb.", "Mein Chef ist jetzt Peters.", True),
    ],
)
async def test_sure_is_only_what_is_said_to_have_changed(
    memory: remanence.Engine, old: str, new: str, sure: bool
) -> None:
    """The same subject and attribute, and a word of change or a correction; the same form alone never."""
    await memory.learn(old, speaker="Mara")
    await memory.learn(new, speaker="Mara")
    (link,) = await drawn(memory, Relation.NEWER)

    assert sure is link.is_certain


async def test_what_is_only_supposed_is_not_sure(memory: remanence.Engine) -> None:
    """Whoever is not sure of what they say does not surely outdate anything."""
    await memory.learn(OLD, speaker="Mara")
    new = await memory.learn(CHANGED, speaker="Mara", confidence=0.2)

    assert [False] == [one.sure for one in new.outdates]


async def test_what_is_said_again_is_newer_than_what_came_between(opener: Opener) -> None:
    """A correction that is taken back: the first stands for the second, and what follows for the first."""
    third = "The open day starts at six now."
    async with opener() as memory:
        old, new = [await memory.learn(text, speaker="Mara") for text in (OLD, CHANGED)]
        again = await memory.learn(OLD, speaker="Mara")
        turned = await links(memory, Relation.NEWER)
        last = await memory.learn(third, speaker="Mara")
        ends = await links(memory, Relation.NEWER)
        assert again.run is not None
        await memory.undo(last.run or "")
        await memory.undo(again.run)
        undone = await links(memory, Relation.NEWER)

    assert ("confirmed", [(old.seq, new.seq)]) == (again.status, turned)
    assert sorted([(old.seq, new.seq), (last.seq, old.seq)]) == ends
    assert [(new.seq, old.seq)] == undone


async def test_a_correction_of_a_correction_can_be_taken_back(opener: Opener) -> None:
    """By the caller's word each takes the place of the one before; undone, that stands again."""
    async with opener() as memory:
        first = await memory.learn(OLD, speaker="Mara")
        second = await memory.correct(first.id, NEW)
        third = await memory.correct(second.id, "The open day starts at five.")
        assert third.run is not None
        await memory.undo(third.run)
        stands = [one.id for one in await memory.list()]
        newer = await links(memory, Relation.NEWER)

    assert [second.id] == stands
    assert [] == newer


async def test_a_memory_that_says_more_stands_whole(opener: Opener) -> None:
    """Nothing of it is marked as out of date by rules alone, in no answer."""
    async with opener(embedder="none") as memory:
        old = await memory.learn("My boss is Carmen. She plays the cello.", speaker="Tilda")
        await memory.learn("My boss is Anders.", speaker="Tilda")
        one = await memory.get(old.id)
        answer = await memory.recall("boss Carmen", count_use=False)

    assert (Status.INBOX, ()) == (one.status, one.ended)
    assert "out of date" not in answer.text


@pytest.mark.parametrize(
    ("first", "second", "newer"),
    [
        ({"speaker": "Mara"}, {"speaker": "Mara"}, True),
        ({"speaker": "Mara"}, {"speaker": "Jonas"}, False),
        ({"speaker": "Mara"}, {"role": "assistant"}, False),
        ({"speaker": "Mara"}, {"role": "tool", "speaker": "Mara"}, False),
        ({"role": "assistant"}, {"speaker": "Mara"}, False),
        ({"role": "tool"}, {"role": "assistant"}, True),
        ({}, {}, True),
    ],
)
async def test_only_who_said_it_outdates_it(
    memory: remanence.Engine, first: dict[str, str], second: dict[str, str], newer: bool
) -> None:
    """The same speaker, believed no less; anybody else is at odds, and both stand."""
    old = await memory.learn(OLD, **first)  # type: ignore[arg-type]
    new = await memory.learn(NEW, **second)  # type: ignore[arg-type]

    assert Status.INBOX is (await memory.get(old.id)).status
    assert ([(new.seq, old.seq)] if newer else []) == await links(memory, Relation.NEWER)
    assert ([] if newer else [(old.seq, new.seq)]) == await links(memory, Relation.CONTRADICTS)


async def test_two_who_correct_each_other_are_at_odds(opener: Opener) -> None:
    """Each outdates their own word and contradicts the other's; nothing falls, and undo takes it all back."""
    said = [("Mara" if hour % 2 else "Jonas", f"The open day starts at {hour} now.") for hour in range(1, 9)]
    async with opener() as memory:
        learned = [await memory.learn(text, speaker=speaker) for speaker, text in said]
        stands = {one.status for one in await memory.list(limit=100)}
        newer = await drawn(memory, Relation.NEWER)
        odds = await links(memory, Relation.CONTRADICTS)
        for one in reversed(learned):
            await memory.undo(one.run or "")
        left = await links(memory, Relation.NEWER) + await links(memory, Relation.CONTRADICTS)

    seqs = [one.seq for one in learned]
    assert {Status.INBOX} == stands
    assert list(zip(seqs[2:], seqs, strict=False)) == [(link.source, link.target) for link in newer]
    assert [*pairwise(seqs)] == odds
    assert [] == left


async def test_many_statements_of_one_form_all_stay_in_sight(opener: Opener) -> None:
    """Three hundred in one batch: each is linked to the one before at most, none surely, and all can be found."""
    async with opener() as memory:
        texts = [f"The pump weighs {number} kilos." for number in range(300)]
        learned = await memory.learn_many([Turn(text, speaker="Mara") for text in texts])
        stands = await memory.list(limit=1_000)
        newer = await drawn(memory, Relation.NEWER)

    assert sorted(texts) == sorted(one.text for one in stands)
    assert len(newer) <= 299
    assert not [link for link in newer if link.is_certain]
    assert all(len(one.outdates) <= 3 for one in learned)


async def test_ten_thousand_corrections_of_one_statement_are_a_chain(opener: Opener) -> None:
    """Links grow with the texts, not with their square."""
    async with opener(embedder="none") as memory:
        texts = [f"The pump weighs {number} kilos now." for number in range(2_000)]
        await memory.learn_many([Turn(text, speaker="Mara") for text in texts])
        newer = await links(memory, Relation.NEWER)

    assert [(number + 1, number) for number in range(1, 2_000)] == newer


async def test_what_was_said_later_is_not_outdated_by_what_was_said_before(
    memory: remanence.Engine, clock: ManualClock
) -> None:
    """The order is that of saying, not of arriving."""
    await memory.learn(NEW, speaker="Mara", said_at=clock.now())
    await memory.learn(OLD, speaker="Mara", said_at=clock.now() - 1)

    assert [] == await links(memory, Relation.NEWER)


async def test_a_repeat_of_what_expired_holds_again(memory: remanence.Engine, clock: ManualClock) -> None:
    """Expired it is marked in an answer; said again, it has no end any more."""
    one = await memory.learn("The ferry leaves at six.", speaker="Mara")
    await memory.update(one.id, valid_to=clock.now() + 1)
    clock.advance(hours=1)
    expired = await memory.recall("ferry", count_use=False)
    again = await memory.learn("The ferry leaves at six.", speaker="Mara")
    kept = await memory.get(one.id)

    assert "; expired 20" in expired.text
    assert ("confirmed", None, ()) == (again.status, kept.valid_to, kept.ended)


async def test_a_changed_text_claims_what_it_says(memory: remanence.Engine) -> None:
    """Also by put; what it claimed before is no longer compared with."""
    one = await memory.learn(OLD, speaker="Mara")
    await memory.update(one.id, text="The ferry leaves at six.")
    put = await memory.put("code", "The door code is 12.", speaker="Mara", source="door")
    await memory.put("code", "The door code is 34.", speaker="Mara", source="door")
    await memory.learn(NEW, speaker="Mara")

    assert ["ferry"] == [claim.subject for claim in await claims(memory, one.seq)]
    assert ["34"] == [claim.value for claim in await claims(memory, put.seq)]
    assert [] == await links(memory, Relation.NEWER)


async def test_a_correction_is_replaced_once(memory: remanence.Engine) -> None:
    """What a person corrects is left to the correction, whatever the texts claim."""
    old = await memory.learn(OLD, speaker="Mara")
    new = await memory.correct(old.id, NEW)

    assert Status.SUPERSEDED is (await memory.get(old.id)).status
    assert [(new.seq, old.seq)] == await links(memory, Relation.SUPERSEDES)


SAID = st.tuples(
    st.sampled_from(["Mara", "Jonas", None]),
    st.sampled_from(
        [
            "The pump weighs {} kilos.",
            "The gate opens at {}.",
            "My boss is {}.",
            "I like {}. The gate opens at {}.",
        ]
    ),
    st.sampled_from(["two", "three", "Carmen", "Anders"]),
    st.sampled_from([(), ("self/goal",)]),
)


@settings(max_examples=40, deadline=None)
@given(st.lists(SAID, min_size=1, max_size=8))
def test_a_batch_comes_to_the_same_as_its_texts_one_by_one(
    said: list[tuple[str | None, str, str, tuple[str, ...]]],
) -> None:
    """What stands, what is linked and what is claimed; undo takes back all."""
    turns = [
        Turn(form.format(value, value), speaker=speaker, tags=tags) for speaker, form, value, tags in said
    ]

    async def told(together: bool) -> tuple[object, object, list[Claim], bool]:
        async with remanence.open(":memory:", embedder="none", clock=ManualClock()) as memory:
            if together:
                learned = await memory.learn_many(turns)
            else:
                learned = [
                    await memory.learn(**{name: getattr(turn, name) for name in ("text", "speaker", "tags")})
                    for turn in turns
                ]
            rows = await memory.list(status="any", limit=100)
            state = [(one.seq, one.text, one.status, one.valid_from, one.valid_to) for one in rows]
            found = await memory._core.store.neighbours("default", None)
            ends = sorted((link.key, link.weight) for link in found)
            made = await claims(memory, *(one.seq for one in rows))
            for run in dict.fromkeys(one.run for one in reversed(learned)):
                await memory.undo(run)  # type: ignore[arg-type]
            left = await memory.list(status="any", limit=100)
            return state, ends, made, not [one for one in left if one.status is not Status.PRUNED]

    one_by_one, batch = asyncio.run(told(together=False)), asyncio.run(told(together=True))

    assert one_by_one == batch
    assert batch[3]


FORMS = st.sampled_from(
    [
        "The gate opens at {} now.",
        "The gate opens at {}.",
        "From now on the gate opens at {}.",
        "My boss is {} now.",
        "We moved the rehearsal to {}.",
        "The rehearsal is on {}.",
        "I no longer meet {}.",
        "Correction: the gate opens at {}.",
        "I've moved to {}.",
        "I live in {}.",
    ]
)
VALUES = st.sampled_from(["two", "six", "Carmen", "Anders", "Monday", "Friday"])
TOLD = st.lists(st.tuples(st.sampled_from(["Mara", "Jonas", None]), FORMS, VALUES), min_size=2, max_size=10)


@settings(max_examples=30, deadline=None)
@given(TOLD, st.sampled_from(["learn", "learn_many", "note", "ingest"]))
def test_rules_alone_change_the_status_of_nothing(said: list[tuple[str | None, str, str]], how: str) -> None:
    """Whichever verb brings statements in, and once they are consolidated: what was there stands, and has no end."""
    texts = [(speaker, form.format(value)) for speaker, form, value in said]

    async def bring(memory: remanence.Engine, speaker: str | None, text: str, folder: Path) -> None:
        if how == "learn":
            await memory.learn(text, speaker=speaker)
        elif how == "learn_many":
            await memory.learn_many([Turn(text, speaker=speaker)])
        elif how == "note":
            await memory.note(text, speaker=speaker)
        else:
            file = folder / "one.jsonl"
            file.write_text(json.dumps({"role": "user", "speaker": speaker or "Ana", "text": text}), "utf-8")
            await memory.ingest(file, format="jsonl", trust="user", extract=True)

    async def lived() -> None:
        with TemporaryDirectory() as folder:
            clock = ManualClock()
            async with remanence.open(":memory:", embedder="hashed", clock=clock) as memory:
                for speaker, text in texts:
                    before = {one.seq: one for one in await memory.list(status="any", limit=1_000)}
                    await bring(memory, speaker, text, Path(folder))
                    await memory.consolidate()
                    clock.advance(hours=1)
                    after = {one.seq: one for one in await memory.list(status="any", limit=1_000)}
                    for seq, one in before.items():
                        assert after[seq].status in {Status.ACTIVE, one.status}
                        assert one.valid_to == after[seq].valid_to
                        assert () == after[seq].ended
                    assert all(claim.replaced_by is None for claim in await claims(memory, *after))

    asyncio.run(lived())


def test_every_face_says_what_may_be_out_of_date(tmp_path: Path) -> None:
    """The command line and MCP name the older memory and what settles it, of a text and of a turn."""
    path = tmp_path / "memory.db"

    async def filled() -> list[str]:
        async with remanence.open(path) as memory:
            tools = Tools(memory, allow_curation=False)
            said = [
                ("My boss is Carmen.", "fact"),
                ("My boss is Anders.", "fact"),
                ("My boss is Ola.", "turn"),
            ]
            return [
                await tools.learn([text], speaker="Tilda", role="user", kind=None if kind == "fact" else kind)
                for text, kind in said
            ]

    first, second, third = asyncio.run(filled())
    shown = typed("learn", "My boss is Solveig.", "--speaker", "Tilda", "--db", str(path)).stdout

    assert "may outdate" not in first
    for answer in (second, third, shown):
        assert "may outdate" in answer
        assert "there is one at a time" in answer
        assert "supersede" in answer


async def test_explain_says_what_is_newer_and_at_odds(memory: remanence.Engine) -> None:
    """With how sure that is and why, read from both texts; the newer one says nothing of it."""
    old = await memory.learn(OLD, speaker="Mara")
    new = await memory.learn(CHANGED, speaker="Mara")
    other = await memory.learn("The open day starts at six.", speaker="Jonas")
    told = (await memory.explain(old.id, "default")).beside
    latest = (await memory.explain(new.id, "default")).beside

    assert (f"out of date: #{new.seq} is newer (another value of the same kind)",) == told
    assert (f"may contradict #{other.seq} (another value of the same kind)",) == latest


async def test_a_contradiction_nobody_confirmed_waits_in_review_and_moves_nothing(
    opener: Opener,
) -> None:
    """Until a person confirms it: then the surer stands above, and the line of the other says so."""
    question = "When does the open day start?"
    async with opener(embedder="none") as memory:
        one = await memory.learn(OLD, speaker="Mara")
        other = await memory.learn(NEW, speaker="Jonas")
        before = await memory.recall(question, count_use=False)
        (item,) = (await memory.review.list()).items
        verification = (await memory.get(one.id)).verification
        await memory.link(one.id, other.id, "contradicts", confidence=1.0, if_exists="update")
        after = await memory.recall(question, count_use=False)
        disputed = (await memory.get(one.id)).verification

    assert "contradicted" not in before.text
    assert "may contradict" in item.what
    assert "they are at odds" in item.commands
    assert 1 == after.text.count("contradicted by")
    assert (Verification.UNVERIFIED, Verification.DISPUTED) == (verification, disputed)


async def test_one_pair_is_one_entry_of_review(opener: Opener) -> None:
    """Said in turns and kept as facts; resolving it settles all of it."""
    async with opener() as memory:
        for speaker, text in (("Mara", OLD), ("Jonas", NEW)):
            await memory.note(f"Well, well. {text}", speaker=speaker, session=speaker, later=True)
            await memory.consolidate()
        found = await links(memory, Relation.CONTRADICTS)
        items = (await memory.review.list()).items
        pairs = await memory.graph.contradictions()
        (pair,) = pairs
        await memory.graph.resolve(pair.one.id, pair.other.id)
        left = (await memory.review.list()).items

    assert len(found) > 1
    assert 1 == len(items)
    assert () == left


async def test_what_is_surely_newer_is_raised_unless_the_order_is_as_ranked(
    opener: Opener, clock: ManualClock
) -> None:
    """What is raised says above what; without the order the older line still names the newer one."""
    async with opener(embedder="none") as memory:
        old = await memory.learn(OLD, speaker="Mara")
        clock.advance(days=3)
        new = await memory.learn(CHANGED, speaker="Mara")
        by_order = await memory.recall("Did the open day start at two?", count_use=False)
        as_ranked = await memory.recall("Did the open day start at two?", count_use=False, newer_first=False)

    assert [new.id, old.id] == [hit.id for hit in by_order.memories]
    assert [f"#{old.seq}: said later, and linked as newer", ""] == [
        hit.stands_above for hit in by_order.memories
    ]
    assert [old.id, new.id] == [hit.id for hit in as_ranked.memories]
    assert [True, True] == [f"newer: #{new.seq}" in one.text for one in (by_order, as_ranked)]


@pytest.mark.parametrize(
    ("later", "speaker", "rises"),
    [
        ("The ferry to Kiel leaves from pier six, says the harbour office.", "Mara", True),
        (
            "The ferry to Kiel is late.",
            "Mara",
            False,
        ),  # it has not all words of the question that the first has
        (
            "The ferry to Kiel leaves from pier six, says the harbour office.",
            "Ines",
            False,
        ),  # another speaker's word is no later one
    ],
)
async def test_a_later_word_of_the_same_speaker_stands_above(
    opener: Opener, clock: ManualClock, later: str, speaker: str, rises: bool
) -> None:
    """Where it holds the question's words as the best answer does; nothing is hidden, and the order can stay."""
    question = "From which pier does the ferry to Kiel leave?"
    async with opener(embedder="none") as memory:
        old = await memory.learn("The ferry to Kiel leaves from pier two.", speaker="Mara")
        await memory.learn("The mill grinds on Mondays.", speaker="Mara")
        clock.advance(days=3)
        new = await memory.learn(later, speaker=speaker)
        found = await memory.recall(question, count_use=False)
        as_ranked = await memory.recall(question, count_use=False, newer_first=False)

    first = {hit.id: hit for hit in found.memories}[new.id]
    assert {old.id, new.id} <= {hit.id for hit in found.memories}
    assert ("the same speaker said it later" in first.stands_above) is rises
    assert not rises or new.id == found.memories[0].id
    assert not any(hit.stands_above for hit in as_ranked.memories)
