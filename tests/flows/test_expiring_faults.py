"""The end of images, killed or failing at any point of it: whole pieces or none, and a chain that is proven."""

import asyncio
import os
import signal
import sqlite3
from pathlib import Path
from typing import Any

import pytest

import remanence
from remanence import Engine, StoreError
from remanence.core.clock import ManualClock
from remanence.flows.base.undo_data_expiry import expire
from remanence.store import undo_data_pruning
from remanence.store.sql import audit, image_expiry


async def unsound(memory: Engine) -> list[str]:
    """Return what doctor finds of the store."""
    return [str(one) for one in await memory.doctor() if not one.ok and one.name in {"audit", "sums", "rows"}]


def _pointed(monkeypatch: pytest.MonkeyPatch, point: int, happens: Any) -> None:
    """Let something happen at a point of the pieces: around taking away, around saying so."""
    count = [0]

    def passed() -> None:
        count[0] += 1
        if count[0] == point:
            happens()

    def around(inner: Any) -> Any:
        def call(*given: Any, **more: Any) -> Any:
            passed()
            done = inner(*given, **more)
            passed()
            return done

        return call

    monkeypatch.setattr(image_expiry, "PARTS_MAX", 2)
    monkeypatch.setattr(undo_data_pruning, "PARTS_MAX", 2)
    monkeypatch.setattr(image_expiry.ImageEnding, "_end", around(image_expiry.ImageEnding._end))
    monkeypatch.setattr(audit, "append", around(audit.append))


async def _lived(path: Path, clock: ManualClock) -> None:
    async with remanence.open(path, embedder="hashed", clock=clock) as memory:
        for number in range(5):
            await memory.learn(f"Fact number {number}.")
        await memory.hold(1, "case")


@pytest.mark.parametrize("point", range(1, 13))
def test_killed_at_any_point_it_leaves_a_chain_that_is_proven(
    point: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whole pieces or none; the next call goes on, and what is held keeps its images."""
    path, clock = tmp_path / "memory.db", ManualClock()
    asyncio.run(_lived(path, clock))
    clock.advance(days=61)
    child = os.fork()
    if child == 0:
        try:
            _pointed(monkeypatch, point, lambda: os.kill(os.getpid(), signal.SIGKILL))
            asyncio.run(_expired(path, clock))
        finally:
            os._exit(1)
    _, status = os.waitpid(child, 0)
    wrong, ends, wrong_after = asyncio.run(_looked_over(path, clock))

    assert signal.SIGKILL == os.WTERMSIG(status)
    assert ([], []) == (wrong, wrong_after)
    assert 0 == len(ends) % 2  # pieces of two parts
    assert [2, 2, 4, 4][min((point - 1) // 4, 2)] >= len(ends)


async def _expired(path: Path, clock: ManualClock) -> None:
    async with remanence.open(path, embedder="hashed", clock=clock) as memory:
        await memory.review.settle("clock", "accept")
        await expire(memory._core)


async def _looked_over(path: Path, clock: ManualClock) -> tuple[list[str], list[int], list[str]]:
    async with remanence.open(path, embedder="hashed", clock=clock) as memory:
        await memory.review.settle("clock", "accept")
        wrong = await unsound(memory)
        mark = (await memory._core.store.end_images("default", 0, memory._core.cause("expire"))).through
        await expire(memory._core)
        assert 1 <= len(await memory.history(1))  # held
        assert [] == await memory.history(2)
        return wrong, list(range(mark)), await unsound(memory)


@pytest.mark.parametrize("point", range(1, 13))
async def test_an_error_at_any_point_takes_the_piece_back(
    point: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What fails writes nothing of its piece; a reader that is open goes on, and the next call does the rest."""
    path, clock = tmp_path / "memory.db", ManualClock()
    await _lived(path, clock)
    clock.advance(days=61)

    def fails() -> None:
        raise sqlite3.OperationalError("disk I/O error")

    async with (
        remanence.open(path, embedder="hashed", clock=clock) as memory,
        remanence.open(path, embedder="hashed", clock=clock) as reader,
    ):
        await memory.review.settle("clock", "accept")
        with monkeypatch.context() as patched:
            _pointed(patched, point, fails)
            with pytest.raises(StoreError):
                await expire(memory._core)
        wrong = await unsound(reader)
        found = await reader.recall("fact number 3")
        await expire(memory._core)
        after = [len(await reader.history(seq)) for seq in (1, 2)]
        wrong_after = await unsound(reader)

    assert ([], []) == (wrong, wrong_after)
    assert found and after[0] >= 1 and 0 == after[1]
