"""A key names what holds now: it goes with a memory's place, whatever comes before or after, and comes back by undo."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import remanence
from remanence.core.clock import ManualClock
from remanence.core.model import STANDING
from remanence.store.base import Store
from remanence.store.sqlite.sqlite_store import SqliteStore
from remanence_store_kit.memory.memory_store import MemoryStore

FOUNDED: dict[str, Any] = {"agent": "a", "source": "s"}
Step = Callable[[remanence.Engine, str], Awaitable[Any]]


async def _by_a_new_one(memory: remanence.Engine, text: str) -> Any:
    """Let a memory without a key, or with another, take the place."""
    learned = await memory.learn(text)
    return await memory.correct("k", by=learned.id)


async def _by_a_chain(memory: remanence.Engine, text: str) -> Any:
    """Let one take the place whose own place is taken already: the last of them holds."""
    first, last = await memory.learn(text), await memory.learn(f"{text}, at last")
    await memory.correct(first.id, by=last.id)
    return await memory.correct("k", by=first.id)


async def _by_what_is_here(memory: remanence.Engine, text: str) -> Any:
    """Correct it to a text that another memory says already."""
    await memory.learn(text)
    return await memory.correct("k", text)


STEPS: dict[str, Step] = {
    "correct": lambda memory, text: memory.correct("k", text),
    "supersede": _by_a_new_one,
    "chain": _by_a_chain,
    "known": _by_what_is_here,
    "put": lambda memory, text: memory.learn(text, key="k", **FOUNDED),
    "pin": lambda memory, text: memory.pin("k"),
    "tag": lambda memory, text: memory.tag("k", text),
}


async def _dump(memory: remanence.Engine) -> list[bytes]:
    return [line async for line in memory.export()]


async def _holds(store: Store, steps: Sequence[str]) -> None:
    clock = ManualClock()
    async with remanence.open(store=store, clock=clock, embedder="none") as memory:
        await memory.learn("text zero", key="k", **FOUNDED)
        for number, name in enumerate(steps, start=1):
            clock.advance(hours=1)
            await STEPS[name](memory, f"text {number} of {name}")
            now = await memory.get("k")
            assert now.status in STANDING, name
        before = await _dump(memory)
        latest = (await memory.history(limit=1))[0].run
        said = await memory.learn("what holds now", key="k", **FOUNDED)

        assert ("known", "updated") == (said.status, said.reason)
        assert "what holds now" == (await memory.get("k")).text

        await memory.undo((await memory.history(limit=1))[0].run)

        assert before == await _dump(memory)

        await memory.undo(latest)

        assert (await memory.get("k")).status in STANDING


@pytest.mark.parametrize("step", STEPS)
async def test_a_put_reaches_what_took_the_place(step: str) -> None:
    """After each step that gives a memory's place away the key names what holds, and undo gives it back."""
    await _holds(MemoryStore(), [step])


@given(steps=st.lists(st.sampled_from(sorted(STEPS)), min_size=1, max_size=5), on_disk=st.booleans())
def test_a_key_follows_any_story(steps: list[str], *, on_disk: bool) -> None:
    """Whatever became of its memories, a key names one that stands; `put` brings it up to date, undo is exact."""
    with TemporaryDirectory() as folder:
        asyncio.run(_holds(SqliteStore(f"{folder}/m.db") if on_disk else MemoryStore(), steps))
