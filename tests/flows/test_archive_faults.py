"""What is archived is found by its words, indexed or not, after a kill and beside another process that moves it."""

import asyncio
import os
import signal
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

import remanence
from remanence.core.clock import DAY, SystemClock
from remanence.core.model import Status
from remanence.flows.indexes.archive_index import index_words
from remanence.store.sqlite import archive_words, commits
from tests.flows.test_archive_words import ARCHIVE, KEY, QUESTION

ROUNDS = 4


class Later:
    """The wall clock, a day ahead: what a killed process held is free again."""

    def now(self) -> int:
        """Return the time."""
        return SystemClock().now() + DAY


@pytest.fixture(autouse=True)
def _hashes_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let recall keep the hashes of all that is archived."""
    monkeypatch.setattr("remanence.flows.indexes.archive_index.INDEXED_MAX", 0)


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


async def told(path: Path) -> tuple[int, int, list[tuple[int, bool]], list[str]]:
    """Return how many are archived, of how many words are told, what recall finds of the key, and what doctor says."""
    async with remanence.open(path, embedder="hashed", clock=Later()) as memory:
        archived = await memory.list(status=Status.ARCHIVED)
        words = await memory._core.store.archive_words(memory.scope, -1)
        held = sum(map(len, words.parts.values()))
        hits = [(hit.seq, hit.archived) for hit in await memory.recall(QUESTION) if hit.seq == 1]
        return len(archived), held, hits, [one.name for one in await memory.doctor() if not one.ok]


def dying(*_: Any) -> None:
    """End this process as nobody can prevent."""
    os.kill(os.getpid(), signal.SIGKILL)


async def _before(memory: remanence.Engine) -> None:
    """Die when the memory is archived, and nothing is said of its words."""
    pytest.MonkeyPatch().setattr(archive_words, "note_changes", dying)
    await memory.curate(ARCHIVE)


async def _between(memory: remanence.Engine) -> None:
    """Die when the words are written, and nothing is committed."""
    pytest.MonkeyPatch().setattr(commits, "_revise", dying)
    await memory.curate(ARCHIVE)


async def _after(memory: remanence.Engine) -> None:
    """Die when all is committed, and no word is indexed."""
    await memory.curate(ARCHIVE)
    dying()


async def _unwritten(memory: remanence.Engine) -> None:
    """Die when words are indexed, and not written."""
    await memory.curate(ARCHIVE)
    pytest.MonkeyPatch().setattr(archive_words, "write", dying)
    await index_words(memory._core.store, memory.scope)


async def _indexed(memory: remanence.Engine) -> None:
    """Die when words are indexed."""
    await memory.curate(ARCHIVE)
    await index_words(memory._core.store, memory.scope)
    dying()


@pytest.mark.parametrize(
    ("dies", "archived"), [(_before, 0), (_between, 0), (_after, 1), (_unwritten, 1), (_indexed, 1)]
)
async def test_a_kill_parts_no_memory_from_its_hashes(
    tmp_path: Path, dies: Callable[[remanence.Engine], Any], archived: int
) -> None:
    """Either both are there when the file is opened again, or neither; and the run can be done again."""
    path = tmp_path / "memory.db"
    await filled(path)

    async def work() -> None:
        async with remanence.open(path, embedder="hashed") as memory:
            await dies(memory)

    _, status = os.waitpid(in_child(work), 0)
    left = await told(path)
    async with remanence.open(path, embedder="hashed", clock=Later()) as memory:
        await memory.curate(ARCHIVE)

    assert -signal.SIGKILL == os.waitstatus_to_exitcode(status)
    assert (archived, archived, [(1, archived == 1)], []) == left
    assert (1, 1, [(1, True)], []) == await told(path)


async def test_what_another_process_moves_is_found_once(tmp_path: Path) -> None:
    """While one archives a memory and takes it back, another finds it each time, here or there."""
    path = tmp_path / "memory.db"
    await filled(path)

    async def work() -> None:
        async with remanence.open(path, embedder="hashed") as memory:
            for _ in range(ROUNDS):
                receipt = await memory.curate(ARCHIVE)
                await index_words(memory._core.store, memory.scope)
                await memory.undo(receipt)
            await memory.curate(ARCHIVE)

    child = in_child(work)
    seen, ended = [], 0
    async with remanence.open(path, embedder="hashed") as memory:
        while not ended:
            ended, _ = os.waitpid(child, os.WNOHANG)
            await index_words(memory._core.store, memory.scope)  # as the other one does
            answer = await memory.recall(QUESTION, count_use=False)
            seen.append([hit.seq for hit in answer if hit.seq == 1])
        last = [(hit.seq, hit.archived) for hit in await memory.recall(QUESTION) if hit.seq == 1]

    assert [[1]] == [*map(list, {tuple(one) for one in seen})]
    assert [(1, True)] == last
    assert (1, 1, [(1, True)], []) == await told(path)
    with closing(sqlite3.connect(path)) as connection:
        ((runs,),) = connection.execute("SELECT count(*) FROM runs WHERE verb = 'curate'").fetchall()
    assert ROUNDS + 1 == runs
