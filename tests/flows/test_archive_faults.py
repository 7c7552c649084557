"""What is archived is found beside another process that moves it."""

import asyncio
import os
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

import remanence
from remanence.core.clock import DAY, SystemClock
from tests.flows.test_archive_left import ARCHIVE, KEY, QUESTION

ROUNDS = 4


class Later:
    """The wall clock, a day ahead: what a killed process held is free again."""

    def now(self) -> int:
        """Return the time."""
        return SystemClock().now() + DAY


@pytest.fixture(autouse=True)
def _no_archive_in_the_index(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the index of recall leave out all that is archived."""
    monkeypatch.setattr("remanence.flows.indexes.scope_index.INDEXED_MAX", 0)


def in_child(work: Callable[[], Any]) -> int:
    """Let a process do something and end; return its number."""
    child = os.fork()
    if child == 0:
        try:
            asyncio.run(work())
        finally:
            os._exit(0)
    return child


async def filled(path: Path) -> None:
    """Make a file in which nothing is archived yet."""
    async with remanence.open(path, embedder="hashed") as memory:
        await memory.learn(KEY, category="fact", session="one")
        await memory.learn("My sister Ines was born in Lagos on 3 May 1990.", session="two")
        await memory.consolidate()


async def test_what_another_process_moves_is_found_once(tmp_path: Path) -> None:
    """While one archives a memory and takes it back, another finds it each time, here or there."""
    path = tmp_path / "memory.db"
    await filled(path)

    async def work() -> None:
        async with remanence.open(path, embedder="hashed") as memory:
            for _ in range(ROUNDS):
                receipt = await memory.curate(ARCHIVE)
                await memory.undo(receipt)
            await memory.curate(ARCHIVE)

    child = in_child(work)
    seen, ended = [], 0
    async with remanence.open(path, embedder="hashed") as memory:
        while not ended:
            ended, _ = os.waitpid(child, os.WNOHANG)
            answer = await memory.recall(QUESTION, count_use=False)
            seen.append([hit.seq for hit in answer if hit.seq == 1])
        last = [(hit.seq, hit.archived) for hit in await memory.recall(QUESTION) if hit.seq == 1]

    assert [[1]] == [*map(list, {tuple(one) for one in seen})]
    assert [(1, True)] == last
    with closing(sqlite3.connect(path)) as connection:
        ((runs,),) = connection.execute("SELECT count(*) FROM runs WHERE verb = 'curate'").fetchall()
    assert ROUNDS + 1 == runs
