"""An agent's process killed at any moment of learning, consolidating, curating or undoing loses nothing it was told.

Each round forks a process that goes through these verbs until it is killed; the next look finds whole batches, a
sound file, and every run either finished or named as interrupted and undone whole.
"""

import asyncio
import os
import random
import signal
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import remanence
from remanence.core.change import CommitResult
from remanence.core.clock import DAY, Clock, SystemClock
from remanence.core.model import Turn
from remanence.flows.curate import applying

KILLS, KILLS_DEEP = 12, 25
BATCH = 30
COMMITTED, TOLD = b"|", b"."
POLICY = """
version = 1
name = "half"
[[rule]]
name = "half"
every = "deep"
phase = "value"
where = "status == 'active' and idle > days(1)"
do = "archive"
because = "test"
"""


class Later:
    """The wall clock, so many days ahead."""

    def __init__(self, days: int) -> None:
        self._days = days
        self._wall: Clock = SystemClock()

    def now(self) -> int:
        """Return the time."""
        return self._wall.now() + self._days * DAY


@pytest.mark.parametrize("kills", [KILLS, pytest.param(KILLS_DEEP, marks=pytest.mark.deep)])
def test_an_agent_killed_at_any_moment_loses_nothing_it_was_told(
    kills: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Batches are whole, what was acknowledged is there, interrupted runs can be undone, the file is sound."""
    monkeypatch.setattr(applying, "PART_CHANGES_MAX", 7)  # so that a run has many parts to be killed between
    path = tmp_path / "agent.db"
    chance = random.Random(11)
    told = interrupted = 0
    for number in range(kills):
        told += _killed(path, number, chance.randint(1, 24))
        batches, found = asyncio.run(_looked_over(path, number))
        interrupted += found

        assert {BATCH} >= set(batches.values())
        assert told <= len(batches)
    assert interrupted > 0  # else no kill fell between two parts, and nothing was tried


def _killed(path: Path, number: int, commits: int) -> int:
    """Let a process work until it is killed, some commits on; return how many batches it was told to be stored."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.close(reader)
            asyncio.run(_work(path, number, writer))
        finally:
            os._exit(1)
    os.close(writer)
    heard = b""
    while heard.count(COMMITTED) < commits and (more := os.read(reader, 1)):
        heard += more
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    while more := os.read(reader, 65_536):
        heard += more
    os.close(reader)
    return heard.count(TOLD)


async def _work(path: Path, number: int, told: int) -> None:
    async with remanence.open(path, embedder="hashed", clock=Later(3 * number)) as memory:
        store = memory._core.store
        commit = store.commit

        async def committed(*given: Any) -> CommitResult:
            done = await commit(*given)
            os.write(told, COMMITTED)
            return done

        store.commit = committed  # type: ignore[assignment]
        for turn in range(1_000):
            name = f"{number}.{turn}"
            await memory.learn(
                [Turn(f"{name} fact {k}", source=name, key=f"{name}/{k}") for k in range(BATCH)]
            )
            os.write(told, TOLD)
            await memory.consolidate()
            receipt = await memory.curate(POLICY)
            if receipt.changes and turn % 2 == 0:
                await memory.undo(receipt)


async def _looked_over(path: Path, number: int) -> tuple[Counter[str], int]:
    """Undo what was interrupted, check the file, count the memories of each batch and the interrupted runs."""
    async with remanence.open(path, embedder="hashed", clock=Later(3 * number)) as memory:
        interrupted = (await memory.status()).interrupted
        for run in interrupted:
            await memory.undo(run)
        state = await memory.status()
        checks = await memory.doctor()
        found = await memory.list(status="any", limit=100_000)

    assert () == state.interrupted
    assert [] == [check for check in checks if not check.ok]
    return Counter(item.sources[0] for item in found), len(interrupted)
