"""What else runs on the event loop is not held up: neither by many memories nor by texts that are hard to read."""

import asyncio
import gc
import json
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

import remanence
from remanence.core.model import TEXT_CHARS_MAX
from remanence.store.sqlite.sqlite_store import SqliteStore

MANY = 1_000
SHARE_MAX = 0.25  # of what a verb costs, at a stretch on the loop; what costs little may be done there whole
LITTLE_S = 0.05
HARD = ("!", "가", "ﷺ ", "a\u0301\u0323", "w1a ", "n't ")
RULE = 'version = 1\n[[rule]]\nname = "r"\nevery = "deep"\nphase = "expire"\ndo = "archive"\nwhere = "tokens > 1"\n'
Work = Callable[[remanence.Engine], Awaitable[object]]


class Watch:
    """How long the loop's own thread worked at a stretch, and what everything cost: CPU time, whatever else runs."""

    def __init__(self) -> None:
        self.held_s = 0.0
        self.began = time.process_time()

    async def look(self) -> None:
        """Look again whenever the loop is free."""
        last = time.thread_time()
        while True:
            await asyncio.sleep(0.001)
            now = time.thread_time()
            self.held_s, last = max(self.held_s, now - last), now

    @property
    def lets_go(self) -> bool:
        """Whether nothing of weight was done on the loop at a stretch."""
        return self.held_s <= max(LITTLE_S, SHARE_MAX * (time.process_time() - self.began))


@asynccontextmanager
async def watched() -> AsyncIterator[Watch]:
    """Watch the loop during a block; what Python takes to collect garbage is nobody's in particular."""
    watch = Watch()
    task = asyncio.create_task(watch.look())
    await asyncio.sleep(0)
    gc.disable()
    try:
        yield watch
        await asyncio.sleep(0.002)
    finally:
        gc.enable()
        task.cancel()


async def _archived(memory: remanence.Engine) -> None:
    done = await memory.apply(await memory.plan(RULE), allow_destroyed=MANY)
    await memory.undo(done)


async def _exported(memory: remanence.Engine) -> None:
    lines = [line async for line in memory.export()]
    async with remanence.open(store=SqliteStore(":memory:"), embedder="hashed") as other:
        await other.import_(lines)


MANY_WORK: dict[str, Work] = {
    "recall": lambda memory: memory.recall("the bollard by the slipway", limit=1_000),
    "frame": lambda memory: memory.frame("attention"),
    "boot": lambda memory: memory.frame("boot"),
    "plan, apply and undo": _archived,
    "export and import": _exported,
    "status": lambda memory: memory.status(),
    "doctor": lambda memory: memory.doctor(),
}


async def test_many_memories_do_not_hold_the_loop(tmp_path: Path) -> None:
    """Taking in, consolidating, finding and curating many memories leave the loop free."""
    lines = [f"bollard number {n} stands by the slipway at pier {n % 9}" for n in range(MANY)]
    path = tmp_path / "chat.jsonl"
    path.write_text("\n".join(json.dumps({"text": f"{line}, they say"}) for line in lines))
    free: dict[str, bool] = {}
    async with remanence.open(store=SqliteStore(str(tmp_path / "m.db")), embedder="hashed") as memory:
        first: dict[str, Work] = {
            "learn": lambda memory: memory.learn(lines),
            "ingest": lambda memory: memory.ingest(path),
            "consolidate": lambda memory: memory.consolidate(),
        }
        for name, work in {**first, **MANY_WORK}.items():
            async with watched() as watch:
                await work(memory)
            free[name] = watch.lets_go

    assert dict.fromkeys(free, True) == free


@pytest.mark.parametrize("piece", HARD)
async def test_a_hard_text_does_not_hold_the_loop(piece: str) -> None:
    """However long a text takes to read, it is read in a thread; two that are alike are compared there, too."""
    text = (piece * TEXT_CHARS_MAX)[: TEXT_CHARS_MAX // 4]
    works: dict[str, Work] = {
        "learn": lambda memory: memory.learn(text + "a bollard", key="hard"),
        "learn a list": lambda memory: memory.learn([text + "a bollard, b"]),
        "consolidate": lambda memory: memory.consolidate(),
        "recall": lambda memory: memory.recall(text),
        "frame": lambda memory: memory.frame("task", text),
        "update": lambda memory: memory.update("hard", text=text + "a bollard, c"),
        "correct": lambda memory: memory.correct("hard", text + "a bollard, d"),
    }
    free: dict[str, bool] = {}
    async with remanence.open(embedder="hashed") as memory:
        for name, work in works.items():
            async with watched() as watch:
                await work(memory)
            free[name] = watch.lets_go

    assert dict.fromkeys(free, True) == free
