"""Turns that were noted stand in boxes, and boxes about the same matter in one trace, across sessions."""

import asyncio
import signal
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

import remanence
from remanence.core.box import FindBoxes
from remanence.core.clock import ManualClock
from remanence.core.errors import InvalidInput, NotFound
from remanence.flows.consolidate import boxes as boxes_module
from remanence.write.box_cuts import Limits
from remanence_store_kit.builders import expect_error
from tests.command_line import typed
from tests.flows.conftest import Opener, hear

PIER = (
    "The pier has rotten planks near the ladder.",
    "The planks of the pier need oak, and the ladder new bolts.",
    "Oak planks for the pier cost forty crowns, bolts for the ladder three.",
    "I measured the pier: twelve oak planks, and the ladder is short.",
    "The bolts hold the ladder to the pier, the oak planks lie loose.",
    "We carry the oak planks to the pier on Monday, and the bolts.",
)
CAKE = (
    "My sister bakes a walnut cake with honey and cinnamon.",
    "The walnut cake takes an hour in the oven, the honey goes in last.",
    "Cinnamon and honey make the walnut cake dark, says my sister.",
    "Her oven burns, so the walnut cake came out black, honey or not.",
    "The second walnut cake had more cinnamon and less honey.",
    "My sister sells the walnut cake with honey on market days.",
)


async def tell(memory: remanence.Engine, texts: Sequence[str], session: str, clock: ManualClock) -> None:
    """Note turns of a session, a minute apart, and listen to them."""
    for text in texts:
        clock.advance(minutes=1)
        await memory.note(text, speaker="Ines", session=session, later=True)
    await hear(memory)


def told(boxes: Sequence[remanence.types.ConversationSegment]) -> list[tuple[object, ...]]:
    """Return of each box its session, why it was sealed, and how many turns it has."""
    return [(box.session, box.reason, len(box.turns)) for box in boxes]


async def begun(memory: remanence.Engine) -> str:
    """Begin a session."""
    return await memory.begin_session("talk", heartbeats=False)


async def test_turns_about_one_matter_stand_in_one_box(memory: remanence.Engine, clock: ManualClock) -> None:
    """It is open while the session goes on, is shown by its times, and is sealed when the session ends."""
    session = await begun(memory)
    await tell(memory, PIER[:5], session, clock)
    (box,) = await memory.conversations.list()
    await tell(memory, ["It works now: the pier has its oak planks."], session, clock)
    await memory.end_session(session)
    (sealed,) = await memory.conversations.list(session=session)

    assert [(session, None, 5)] == told([box])
    assert (True, None, PIER[0], None) == (box.is_open, box.outcome, box.goal, box.thread)
    assert [(session, "forced", 6)] == told([sealed])
    assert ("success", sealed.number) == (sealed.outcome, sealed.thread)
    assert sealed.turns == (await memory.conversations.get(sealed.number)).turns
    assert [] == await memory.conversations.list(open_only=True)


async def test_another_matter_is_in_another_box(memory: remanence.Engine, clock: ManualClock) -> None:
    """However the turns came: all at once or a few at a time."""
    for session, sizes in (("a", (12,)), ("b", (5, 4, 3)), ("c", (1,) * 12)):
        left = [f"{text} So says {session}." for text in (*PIER, *CAKE)]
        for size in sizes:
            await tell(memory, left[:size], session, clock)
            del left[:size]
        clock.advance(hours=1)
        await memory.consolidate()
    boxes = await memory.conversations.list()

    assert [
        ("c", "time_gap", 6), ("c", "topic_shift", 6), ("b", "time_gap", 6), ("b", "topic_shift", 6),
        ("a", "time_gap", 6), ("a", "topic_shift", 6),
    ] == told(boxes)  # fmt: skip
    assert [f"{text} So says c." for text in CAKE] == [turn.text for turn in boxes[0].turns]


async def test_a_silence_and_a_full_box_are_sealed_as_turns_come(
    memory: remanence.Engine, clock: ManualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After half an hour, and at the most turns of a box."""
    monkeypatch.setattr(boxes_module, "LIMITS", Limits(turns_max=4))
    await tell(memory, PIER[:5], "s", clock)
    clock.advance(minutes=29)
    await tell(memory, PIER[5:], "s", clock)

    assert [("s", None, 1), ("s", "time_gap", 1), ("s", "full", 4)] == told(await memory.conversations.list())


async def test_boxes_can_be_off(memory: remanence.Engine, clock: ManualClock) -> None:
    """No box is made, and so no trace, until they are on again."""
    await memory.settings.set("boxes", 0)
    await tell(memory, PIER, "s", clock)
    clock.advance(hours=1)
    await memory.consolidate()
    off = [*await memory.conversations.list(), *await memory.conversations.list(threads=True)]
    await memory.settings.set("boxes", 1)
    await tell(memory, CAKE, "t", clock)
    clock.advance(hours=1)
    await memory.consolidate()

    assert [] == off
    assert ["t"] == [one.session for one in await memory.conversations.list()]
    assert 1 == len(await memory.conversations.list(threads=True))


async def test_a_matter_is_followed_across_sessions(memory: remanence.Engine, clock: ManualClock) -> None:
    """Three sessions on three days, another matter between: one trace, with its boxes and turns in order."""
    for day, texts in (("mon", PIER), ("tue", CAKE), ("wed", PIER[::-1]), ("thu", PIER[2:])):
        session = await begun(memory)
        await tell(memory, [f"{text} It is {day}." for text in texts], session, clock)
        await memory.end_session(session)
        clock.advance(hours=23)
    (trace,) = await memory.conversations.list(threads=True, segments_min=3)
    whole = await memory.conversations.get(thread=trace.number)

    assert 3 == len(trace.sessions)
    assert [6, 6, 4] == [len(box.turns) for box in trace.segments]
    assert whole.number == trace.segments[0].number
    assert 2 == len(await memory.conversations.list(threads=True))
    assert "3 segments in 3 sessions" in str(whole)


async def test_a_matter_of_long_ago_is_another_trace(memory: remanence.Engine, clock: ManualClock) -> None:
    """After more days than the setting says."""
    for days in (0, 8):
        clock.advance(hours=24 * days)
        session = await begun(memory)
        await tell(memory, [f"{text} Day {days}." for text in PIER], session, clock)
        await memory.end_session(session)

    assert [1, 1] == [len(trace.segments) for trace in await memory.conversations.list(threads=True)]


async def test_a_forgotten_turn_is_passed_over(memory: remanence.Engine, clock: ManualClock) -> None:
    """Its words are shown nowhere, not as the goal; restored, it is there again."""
    session = await begun(memory)
    secret = "The vault below the pier holds opals, opals, many opals."
    await tell(memory, [secret, *PIER[:4]], session, clock)
    await memory.end_session(session)
    (box,) = await memory.conversations.list()
    await memory.forget([turn.seq for turn in box.turns if "opal" in turn.text])
    (after,) = await memory.conversations.list()
    await memory.restore(box.turns[0].seq)
    (again,) = await memory.conversations.list()

    assert (secret, 5) == (box.goal, len(box.turns))
    assert (None, 4) == (after.goal, len(after.turns))
    assert "vault" not in str(after) and "opal" not in repr(after.to_dict())
    assert ([one.seq for one in box.turns], box.goal) == ([one.seq for one in again.turns], again.goal)


async def test_the_box_of_a_memory_is_found(telling: remanence.Engine, clock: ManualClock) -> None:
    """Of a turn, and of a fact that was learned from one; of anything else there is none."""
    await tell(telling, ["We decided to move to Postgres in May. My sister Mia lives in Tartu."], "s", clock)
    (box,) = await telling.conversations.list()
    facts = [one for one in await telling.list() if "turn" not in one.tags]
    other = await telling.learn("The tide turns at nine.")

    assert facts
    assert (
        [box]
        == await telling.conversations.list(of=box.turns[0].seq)
        == await telling.conversations.list(of=facts[0].seq)
    )
    assert [] == await telling.conversations.list(of=other.seq)


async def test_undoing_an_extraction_takes_its_turns_out_again(
    memory: remanence.Engine, clock: ManualClock
) -> None:
    """All is as it was before; done again, it is as it was."""
    fact = "My sister Mia lives in Tartu."
    await tell(memory, PIER[:4], "s", clock)
    before = await memory.conversations.list()
    await tell(memory, [fact], "s", clock)
    after = await memory.conversations.list()
    (last,) = await memory.history(limit=1)
    undone = await memory.undo(last.run)
    taken = await memory.conversations.list()
    await memory.undo(undone.run)

    assert (4, 5) == (len(before[0].turns), len(after[0].turns))
    assert before == taken
    assert after == await memory.conversations.list()


async def test_an_extraction_is_undone_after_later_ones(
    telling: remanence.Engine, clock: ManualClock
) -> None:
    """Its turns leave the box, and what came later stays; a box of which nothing is left is gone."""
    facts = ("My sister Mia lives in Tartu.", "My boss is Carmen.", "We decided to move to Postgres.")
    runs: list[str] = []
    for fact in facts:
        clock.advance(minutes=1)
        await telling.note(fact, speaker="Ines", session="s", later=True)
        runs += (await hear(telling)).runs
    (whole,) = await telling.conversations.list()
    await telling.undo(runs[0])
    (left,) = await telling.conversations.list()
    await telling.undo(runs[1])
    await telling.undo(runs[2])
    checks = await telling.doctor()

    assert [*facts] == [turn.text for turn in whole.turns]
    assert [*facts[1:]] == [turn.text for turn in left.turns]
    assert [] == await telling.conversations.list()
    assert all(check.ok for check in checks)


async def test_a_session_has_one_open_box_whatever_is_undone(
    memory: remanence.Engine, clock: ManualClock
) -> None:
    """A box that was sealed since stays so where another one is open by now."""
    await tell(memory, PIER[:3], "s", clock)
    clock.advance(minutes=31)
    await tell(memory, ["My sister Mia lives in Tartu.", *CAKE[:2]], "s", clock)
    second = (await memory.history(limit=1))[0].run
    await tell(memory, ["My boss is Carmen.", *CAKE[2:4]], "s", clock)
    await memory.undo(second)
    boxes = await memory.conversations.list()

    assert 1 == sum(box.is_open for box in boxes)
    assert {PIER[0], "My boss is Carmen."} <= {turn.text for box in boxes for turn in box.turns}


async def test_a_clock_that_was_set_back_seals_nothing(opener: Opener, clock: ManualClock) -> None:
    """Turns before and after it stand in one box, in the order in which they came."""
    async with opener() as memory:
        await tell(memory, PIER[:2], "s", clock)
    back = ManualClock(clock.now() - 40 * 86_400_000_000)
    async with opener(clock=back) as memory:
        await tell(memory, PIER[2:4], "s", back)
        (box,) = await memory.conversations.list()

    assert (None, [*PIER[:4]]) == (box.reason, [turn.text for turn in box.turns])
    assert box.opened_at < box.last_at


async def test_what_is_not_there_is_said_so(memory: remanence.Engine) -> None:
    """An unknown number, a limit out of its bounds, and what only the other sort has."""
    talk: Any = memory.conversations
    mixed = [
        talk.get(),
        talk.get(1, thread=1),
        talk.list(threads=True, session="s"),
        talk.list(segments_min=2),
    ]
    for call in mixed:
        await expect_error(InvalidInput, call)
    await expect_error(NotFound, memory.conversations.get(7))
    await expect_error(NotFound, memory.conversations.get(thread=7))
    await expect_error(InvalidInput, memory.conversations.list(limit=0))
    await expect_error(InvalidInput, memory.conversations.list(threads=True, segments_min=0))


KILLED = """
import asyncio, os, signal, sys, remanence
from remanence.flows.consolidate import boxes
from remanence.write.box_cuts import Limits

boxes.LIMITS = Limits(turns_max=3)

async def main():
    async with remanence.open(sys.argv[1], embedder="hashed") as memory:
        number = 0
        while True:
            number += 1
            await memory.note(f"The pier has {number} planks.", session="s", later=True)
            if number % 3 == 0:
                await memory.consolidate()
                print(number, flush=True)

asyncio.run(main())
"""


async def test_a_process_killed_between_leaves_each_turn_in_one_box(tmp_path: Path) -> None:
    """Those that were heard, each once, with one open box; whoever opens next goes on from there."""
    path = tmp_path / "memory.db"
    for rounds in (2, 4):
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-c", KILLED, str(path), stdout=asyncio.subprocess.PIPE
        )
        assert process.stdout is not None
        for _ in range(rounds):
            await process.stdout.readline()
        process.send_signal(signal.SIGKILL)
        await process.communicate()
    async with remanence.open(path, embedder="hashed") as memory:
        await hear(memory)
        boxes = await memory._core.store.boxes("default", FindBoxes())
        turns = await memory.list(tags=["turn"], status="any", limit=1_000)
        checks = await memory.doctor()

    members = [seq for box in boxes for seq in box.members]
    assert sorted(turn.seq for turn in turns) == sorted(members)
    assert 1 == sum(box.sealed_at is None for box in boxes)
    assert max(len(box.members) for box in boxes) <= 3
    assert [] == [check for check in checks if not check.ok]


def test_the_commands_show_boxes_and_traces(tmp_path: Path) -> None:
    """Listed, and one whole with its turns."""
    path = str(tmp_path / "memory.db")
    for text in PIER[:3]:
        typed("--db", path, "--embedder", "hashed", "note", text, "--session", "s")
    typed("--db", path, "--embedder", "hashed", "consolidate")
    listed = typed("--db", path, "--embedder", "hashed", "conversations", "list", "--session", "s")
    one = typed("--db", path, "--embedder", "hashed", "conversations", "get", "1")
    traces = typed("--db", path, "--embedder", "hashed", "conversations", "list", "--threads")
    missing = typed("--db", path, "--embedder", "hashed", "conversations", "get", "--thread", "5")

    assert "segment 1 of session s" in listed.stdout
    assert "3 turns (open)" in listed.stdout
    assert PIER[2] in one.stdout
    assert (0, 0) == (listed.exit_code, traces.exit_code)
    assert "no thread 5" in missing.stderr
