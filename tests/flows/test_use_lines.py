"""Lines of uses that grow: processes in turns, killed at any moment, forged behind the engine's back."""

import asyncio
import random
import shutil
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest

import remanence
from remanence.core.clock import ManualClock
from remanence.flows.base.undo_data_expiry import expire
from remanence.store.sqlite.sqlite_store import SqliteStore
from remanence_store_kit.builders import NOW, create_change, keep
from remanence_store_kit.contract.audit import use

ROOT = Path(__file__).parents[2]
KILLS = 8
# Counts uses one after the other, and says of each that it is written; beside it, somebody else may do the same.
WRITER = """
import asyncio, sys
import remanence

async def main(path, agent, turns):
    async with remanence.open(path, embedder="none", agent=agent or None) as memory:
        for turn in range(int(turns)):
            await memory.recall("ferry", limit=1)
            await memory._core.uses.settle()
            print("used", flush=True)

asyncio.run(main(*sys.argv[1:]))
"""


def begun(path: Path, agent: str, turns: int) -> subprocess.Popen[str]:
    """Start a process that counts so many uses."""
    return subprocess.Popen(
        [sys.executable, "-c", WRITER, str(path), agent, str(turns)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
    )


async def made(path: Path) -> None:
    """Make a memory with one text."""
    async with remanence.open(path, embedder="none") as memory:
        await memory.learn("The ferry leaves at nine.", key="a")


async def counted(path: Path) -> tuple[int, int, int, int]:
    """Return how often the text was used by its counter and by the audit, in how many lines, and what is unsound."""
    async with remanence.open(path, embedder="none") as memory:
        uses = (await memory.get("a")).uses
        parts = await memory._core.store.history("default", limit=10_000)
        unsound = [check for check in await memory.doctor() if not check.ok]
    positions = [part.position for part in parts]
    assert list(range(1, len(parts) + 1)) == positions
    with closing(sqlite3.connect(path)) as connection:
        ((lines,),) = connection.execute("SELECT count(*) FROM runs WHERE verb = 'use'").fetchall()
    return uses, sum(len(part.used) for part in parts), lines, len(unsound)


@pytest.mark.parametrize("agents", [("", ""), ("ann", "bob")])
async def test_processes_in_turns_lose_no_use(tmp_path: Path, agents: tuple[str, str]) -> None:
    """Each goes on with its own run where that is the last, else begins another; all are counted and proven."""
    path = tmp_path / "memory.db"
    await made(path)
    children = [begun(path, agent, 40) for agent in agents]
    for child in children:
        await asyncio.to_thread(child.communicate)
    uses, logged, lines, unsound = await counted(path)

    assert [0, 0] == [child.returncode for child in children]
    assert (80, 80, 0) == (uses, logged, unsound)
    assert 0 < lines <= 80


async def test_what_was_acknowledged_outlives_a_kill(tmp_path: Path) -> None:
    """A use that was written is there, in the counter and in the audit, wherever the process was when it was killed."""
    path, chance, told = tmp_path / "memory.db", random.Random(5), 0
    uses = lines = 0
    await made(path)
    for _ in range(KILLS):
        child = begun(path, "", 10_000)
        assert child.stdout is not None
        child.stdout.readline()
        time.sleep(chance.uniform(0.01, 0.15))
        child.kill()
        told += 1 + child.communicate()[0].count("used\n")
        uses, logged, lines, unsound = await counted(path)

        assert 0 == unsound
        assert told <= uses == logged <= told + 1
        told = uses
    assert lines < uses


FORGERIES = {
    "when a part was": "UPDATE runs SET parts = CAST(substr(parts, 1, 5) || x'00' || substr(parts, 7) AS BLOB)"
    " WHERE position = 2",
    "a part less": "UPDATE runs SET parts = substr(parts, 1, length(parts) / 2) WHERE position = 2",
    "all parts but one": "UPDATE runs SET parts = NULL WHERE position = 2",
    "when the last was": "UPDATE runs SET at = at + 1 WHERE position = 2",
    "by whom": "UPDATE runs SET actor = 'eve' WHERE position = 2",
    "what was used": "UPDATE blocks SET keys = CAST(substr(keys, 1, length(keys) - 1) || x'08' AS BLOB)",
    "nothing was used": "DELETE FROM blocks",
    "what is before it": "UPDATE scopes SET before = zeroblob(32)",
    "its line less": "DELETE FROM runs WHERE position = 2",
    "an earlier state": "UPDATE runs SET (at, changes, digest, entries, asked, parts) = (SELECT at, changes, digest,"
    " entries, asked, parts FROM old.runs WHERE position = 2) WHERE position = 2;"
    " UPDATE blocks SET (rows, keys) = (SELECT rows, keys FROM old.blocks)",
}


@pytest.fixture(scope="module")
def grown(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A file with a line of three parts, and a copy of when there were two."""
    folder = tmp_path_factory.mktemp("grown")
    path, before = folder / "memory.db", folder / "before.db"

    async def fill() -> None:
        store = SqliteStore(str(path))
        await store.open()
        a, b = (await keep(store, create_change(1, "a a"), create_change(2, "b b"))).assigned
        done = await use(store, [a], NOW)
        done = await use(store, [a, b], NOW + 1, after=done)
        await store.backup(str(before))
        done = await use(store, [b], NOW + 2, after=done)
        assert (2, 4) == (done.part, done.position)
        await store.close()

    asyncio.run(fill())
    return path, before


@pytest.mark.parametrize("forged", [*FORGERIES, ""])
async def test_what_was_forged_is_found(grown: tuple[Path, Path], tmp_path: Path, forged: str) -> None:
    """A part that was changed, taken out or taken back, in the line or in what it used; of none, nothing."""
    path = tmp_path / "memory.db"
    shutil.copy(grown[0], path)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("ATTACH ? AS old", (str(grown[1]),))
        connection.executescript(FORGERIES.get(forged, ""))
        connection.commit()
    store = SqliteStore(str(path))
    await store.open()
    broken = [check.name for check in await store.check() if not check.ok]
    await store.close()

    assert ("audit" in broken) is bool(forged)
    assert forged or not broken


async def test_a_line_ends_as_a_whole(tmp_path: Path) -> None:
    """Once its images have ended each part still says when it was, and by what digest it is known."""
    clock = ManualClock()
    async with remanence.open(
        tmp_path / "memory.db", embedder="none", clock=clock, agent="Ana Lind"
    ) as memory:
        one = await memory.learn("The ferry leaves at nine.", speaker="Ana Lind")
        for _ in range(3):
            clock.advance(seconds=1)
            await memory.recall("ferry", limit=1)
            await memory._core.uses.settle()
        whole = await memory._core.store.history("default")
        clock.advance(days=61)
        await memory.review.settle("clock", "accept")
        await expire(memory._core)
        left = (await memory._core.store.history("default"))[: len(whole)]
        uses = [part for part in left if part.cause.verb == "use"]
        found = [check for check in await memory.doctor() if not check.ok]

    assert [part.cause for part in whole] == [part.cause for part in left]
    assert [part.digest for part in whole] == [part.digest for part in left]
    assert [(one.seq,)] * 3 == [part.used for part in whole if part.cause.verb == "use"]
    assert [()] * 3 == [part.used for part in uses]
    assert all(part.ended_at for part in uses)
    assert [] == found
