"""Turns are heard once, whichever way they come in, on both stores."""

import asyncio
from pathlib import Path

import orjson

import remanence
from remanence.core.clock import MINUTE, ManualClock
from remanence.core.model import Turn
from remanence.core.snapshot import SnapshotRequest
from tests.flows.conftest import Opener


async def heard(memory: remanence.Engine) -> list[list[int]]:
    """Return (minutes since the clock's start, turns heard in that minute)."""
    core = memory._core
    wanted = SnapshotRequest(frozenset(), clocks=frozenset({"turns"}))
    snapshot = await core.store.snapshot(core.scope, wanted, core.clock.now())
    assert snapshot.heard is not None
    start = ManualClock().now()
    return [[(minute - start) // MINUTE, turns] for minute, turns in snapshot.heard.tolist()]


async def test_every_text_that_is_taken_in_is_a_turn(memory: remanence.Engine, clock: ManualClock) -> None:
    """A text that is stored or confirms another is heard in its minute, alone or in a batch."""
    await memory.learn("Ann likes tea")
    clock.advance(seconds=59)
    await memory.learn("Ann likes tea")
    clock.advance(seconds=1)
    await memory.learn([Turn("Bob likes wine"), Turn("Bob likes wine"), Turn("Ann likes tea")])

    assert [[0, 2], [1, 3]] == await heard(memory)


async def test_what_came_in_before_is_not_heard_again(memory: remanence.Engine, tmp_path: Path) -> None:
    """Of a file that comes again with a turn more only that turn is heard, also where a turn confirmed another."""
    said = [
        ("Ann", "Ann likes tea"),
        ("Ann", "Ann likes tea"),
        ("Bob", "Bob likes wine"),
        ("Ann", "Good night"),
    ]
    lines = [orjson.dumps({"text": text, "speaker": speaker}) + b"\n" for speaker, text in said]
    path = tmp_path / "talk.jsonl"
    counts = []
    for taken in (3, 4, 4):
        path.write_bytes(b"".join(lines[:taken]))
        await memory.ingest(path)
        counts += await heard(memory)

    assert [[0, 3], [0, 4], [0, 4]] == counts


async def test_a_text_put_again_is_heard_again(memory: remanence.Engine, clock: ManualClock) -> None:
    """What is put under a name is a turn each time that it is said, though it stays one memory."""
    for text in ("Ann likes tea", "Ann likes coffee", "Ann likes coffee"):
        await memory.learn(text, key="ann/drink", speaker="Ann", source="chat:1")
        clock.advance(minutes=1)

    assert [[0, 1], [1, 1], [2, 1]] == await heard(memory)
    assert 1 == (await memory.status()).memories


async def test_work_on_memories_is_no_turn(memory: remanence.Engine) -> None:
    """Using, changing, consolidating and undoing are not heard, and an undo takes back no turn."""
    learned = await memory.learn("Ann likes tea")
    await memory.consolidate()
    await memory.recall("tea")
    receipt = await memory.tag(learned.id, "drink")
    await memory.undo(receipt)
    await memory.forget(learned.id)

    assert [[0, 1]] == await heard(memory)


async def test_a_lost_race_is_not_heard_twice(opener: Opener) -> None:
    """Of two that learn the same texts at once, the one that has to begin again is heard once."""
    async with opener() as one, opener() as other:
        texts = [Turn(f"text {number}") for number in range(50)]
        await asyncio.gather(*(memory.learn(texts) for memory in (one, other) for _ in range(3)))
        counted = await heard(one)
        memories = (await one.status()).memories

    assert 50 == memories
    assert [[0, 300]] == counted
