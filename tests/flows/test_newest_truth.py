"""A text that says something is otherwise now takes the place of the older one, by rules and with no model."""

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import remanence
from remanence.core.claim import Claim
from remanence.core.clock import ManualClock
from remanence.core.model import Relation, Status, Turn
from remanence.faces.mcp.tools import Tools
from tests.command_line import typed
from tests.flows.conftest import Opener

OLD, NEW = "The open day starts at two.", "The open day starts at four."


async def links(memory: remanence.Engine, relation: Relation) -> list[tuple[int, int]]:
    """Return the ends of all links of a relation."""
    found = await memory._core.store.neighbours("default", None, relation)
    return [(link.source, link.target) for link in found]


async def claims(memory: remanence.Engine, *seqs: int) -> list[Claim]:
    """Return what memories claim."""
    return await memory._core.store.claims("default", seqs)


async def test_the_newer_takes_the_place_and_undo_gives_it_back(opener: Opener, clock: ManualClock) -> None:
    """In the commit of the new text: status, link and the time at which one ends and the other begins."""
    async with opener() as memory:
        old = await memory.learn(OLD, speaker="Mara")
        before = replace(await memory.get(old.id), revision=0, touched=0)
        clock.advance(days=3)
        said_at = clock.now()
        new = await memory.learn(NEW, speaker="Mara")
        was, now = await memory.get(old.id), await memory.get(new.id)
        answer = await memory.recall("When does the open day start?", count_use=False)
        (claim,) = await claims(memory, old.seq)
        drawn = await links(memory, Relation.SUPERSEDES)
        assert new.run is not None
        await memory.undo(new.run)
        after = replace(await memory.get(old.id), revision=0, touched=0)
        undone = await claims(memory, old.seq, new.seq)
        left = await links(memory, Relation.SUPERSEDES)

    assert f"takes the place of {old.id}: another value of the same kind" == new.reason
    assert (Status.SUPERSEDED, said_at) == (was.status, was.valid_to)
    assert said_at == now.valid_from
    assert [(new.seq, old.seq)] == drawn
    assert (said_at, new.seq) == (claim.valid_to, claim.replaced_by)
    assert [new.id] == [hit.id for hit in answer.memories if hit.memory.status is not Status.SUPERSEDED]
    assert before == after
    assert [(old.seq, None, None)] == [(one.seq, one.valid_to, one.replaced_by) for one in undone]
    assert [] == left


async def test_what_was_is_learned_anew_and_takes_its_place_in_turn(opener: Opener) -> None:
    """Back and forth: each repeat of a superseded text is a memory of its own, linked to the first."""
    async with opener() as memory:
        told = [await memory.learn(text, speaker="Mara") for text in (OLD, NEW, OLD)]
        stands = [one.id for one in await memory.list()]
        lineage = await links(memory, Relation.LEARNED_FROM)

    assert [told[2].id] == stands
    assert [(told[2].seq, told[0].seq)] == lineage


async def test_only_the_claim_goes_where_a_memory_says_more(opener: Opener, clock: ManualClock) -> None:
    """The memory stands, and says in every answer what of it is out of date."""
    async with opener(embedder="none") as memory:
        old = await memory.learn("My boss is Carmen. She plays the cello.", speaker="Tilda")
        new = await memory.learn("My boss is Anders.", speaker="Tilda")
        one = await memory.get(old.id)
        answer = await memory.recall("boss Carmen", count_use=False)
        booted = await memory.boot()
        explained = str(await memory.explain(old.id, "default"))

    mark = f"out of date: Carmen (see #{new.seq})"
    assert (Status.INBOX, (mark,)) == (one.status, one.ended)
    assert mark in answer.text
    assert mark in booted.text
    assert mark in explained
    assert f"{old.id} is out of date in part: there is one at a time" == new.reason


@pytest.mark.parametrize(
    ("first", "second", "taken"),
    [
        ({"speaker": "Mara"}, {"speaker": "Mara"}, True),
        ({"speaker": "Mara"}, {"speaker": "Jonas"}, False),
        ({"speaker": "Mara"}, {"role": "assistant"}, False),
        ({"speaker": "Mara"}, {"role": "tool", "speaker": "Mara"}, False),
        ({"role": "assistant"}, {"speaker": "Mara"}, True),
        ({"role": "tool"}, {"role": "assistant"}, True),
        ({}, {}, True),
    ],
)
async def test_who_may_take_a_place(
    memory: remanence.Engine, first: dict[str, str], second: dict[str, str], taken: bool
) -> None:
    """The same speaker, or one who is trusted more; anybody else contradicts."""
    old = await memory.learn(OLD, **first)  # type: ignore[arg-type]
    new = await memory.learn(NEW, **second)  # type: ignore[arg-type]

    assert (Status.SUPERSEDED if taken else Status.INBOX) == (await memory.get(old.id)).status
    assert ([] if taken else [(old.seq, new.seq)]) == await links(memory, Relation.CONTRADICTS)


@pytest.mark.parametrize("how", ["pinned", "held", "identity"])
async def test_what_is_protected_is_contradicted(memory: remanence.Engine, how: str) -> None:
    """A pin, a hold and who the agent is are never superseded by a rule."""
    old = await memory.learn(OLD, speaker="Mara", tags=("self/goal",) if how == "identity" else ())
    if how == "pinned":
        await memory.pin(old.id)
    if how == "held":
        await memory.hold(old.id, "court")
    await memory.learn(NEW, speaker="Mara")

    assert Status.INBOX is (await memory.get(old.id)).status
    assert 1 == len(await links(memory, Relation.CONTRADICTS))


async def test_what_was_said_later_is_not_replaced_by_what_was_said_before(
    memory: remanence.Engine, clock: ManualClock
) -> None:
    """The order is that of saying, not of arriving."""
    new = await memory.learn(NEW, speaker="Mara", said_at=clock.now())
    await memory.learn(OLD, speaker="Mara", said_at=clock.now() - 1)

    assert Status.INBOX is (await memory.get(new.id)).status


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
    assert Status.INBOX is (await memory.get(one.id)).status


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
    """Who stands, who took whose place and what is claimed; nothing of who the agent is falls; undo takes back all."""
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
            drawn = sorted(link.key for link in await memory._core.store.neighbours("default", None))
            made = await claims(memory, *(one.seq for one in rows))
            safe = all(one.status is Status.INBOX for one in rows if one.tags)
            for run in dict.fromkeys(one.run for one in reversed(learned)):
                await memory.undo(run)  # type: ignore[arg-type]
            left = await memory.list(status="any", limit=100)
            return state, drawn, made, safe and not [one for one in left if one.status is not Status.PRUNED]

    one_by_one, batch = asyncio.run(told(together=False)), asyncio.run(told(together=True))

    assert one_by_one == batch
    assert batch[3]


def test_on_every_face_a_repeat_of_what_was_takes_its_place_in_turn(tmp_path: Path) -> None:
    """And one of what has expired holds again: over MCP and on the command line as in Python."""
    path, ferry = tmp_path / "memory.db", "The ferry leaves at six."

    async def over_mcp() -> dict[str, int | None]:
        async with remanence.open(path) as memory:
            tools = Tools(memory, allow_curation=False)
            for text in (OLD, NEW, ferry):
                await tools.learn(text, speaker="Mara", role="user")
            (held,) = [one for one in await memory.list() if one.text == ferry]
            await memory.update(held.id, valid_to=held.said_at + 1)
            for text in (ferry, OLD):
                await tools.learn(text, speaker="Mara", role="user")
            found = {one.text: one.valid_to for one in await memory.list()}
            await memory.update(held.id, valid_to=held.said_at + 1)
            return found

    async def stands() -> dict[str, int | None]:
        async with remanence.open(path) as memory:
            return {one.text: one.valid_to for one in await memory.list()}

    first = asyncio.run(over_mcp())
    for text in (NEW, ferry):
        typed("learn", text, "--speaker", "Mara", "--db", str(path))

    assert {OLD: None, ferry: None} == first
    assert {NEW: None, ferry: None} == asyncio.run(stands())


def test_every_face_says_what_is_out_of_date(tmp_path: Path) -> None:
    """The command line and MCP say whose place a text takes, and mark what holds no longer."""
    path = tmp_path / "memory.db"

    async def filled() -> str:
        async with remanence.open(path) as memory:
            await memory.learn("My boss is Carmen. She plays the cello.", speaker="Tilda")
            tools = Tools(memory, allow_curation=False)
            await tools.learn("My boss is Anders.", speaker="Tilda", role="user")
            return await tools.recall("boss Carmen cello")

    told = asyncio.run(filled())
    shown = typed("recall", "boss Carmen cello", "--db", str(path)).stdout
    replaced = typed("learn", "My boss is Solveig.", "--speaker", "Tilda", "--db", str(path)).stdout

    assert "out of date: Carmen (see #2)" in told
    assert "out of date: Carmen (see #2)" in shown
    assert "takes the place of" in replaced


async def test_many_claims_of_one_attribute_are_not_compared_in_one_go(opener: Opener) -> None:
    """A commit takes twenty of them and the rest waits, so that the work does not grow with the square of the texts."""
    async with opener() as memory:
        learned = await memory.learn_many([f"The crew has boat{number}." for number in range(60)])

    assert {"stored"} == {one.status for one in learned}
    assert 3 == len({one.run for one in learned})
