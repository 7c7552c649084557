"""Processes that share a file neither lose an update nor see it locked."""

import asyncio
import subprocess
import sys
from pathlib import Path

from remanence.core.model import Memory
from remanence.store.sqlite.sqlite_store import SqliteStore
from remanence_store_kit.builders import create_change, make_cause

ROOT = Path(__file__).parents[2]
SCOPE = "work"
PROCESSES = 8
TURNS = 25
# Reads a number in the attributes and a name, adds one, and writes both back where nobody was faster.
WRITER = """
import asyncio, sys
from remanence.core.change import Change
from remanence.core.errors import Conflict
from remanence.store.sqlite.sqlite_store import SqliteStore
from remanence_store_kit.builders import make_cause

async def add(store, name):
    (memory,) = await store.get("work", [1])
    count = memory.attributes["count"]
    before = {"attributes": memory.attributes, "speaker": memory.speaker, "revision": memory.revision}
    after = {"attributes": {"count": count + 1}, "speaker": f"{name}", "revision": memory.revision + 1}
    tag = Change("tags", (1, f"{name}"), None, {})
    await store.commit("work", [Change("memories", 1, before, after), tag], make_cause("rate", run=name))

async def main(path, number, turns):
    store = SqliteStore(path)
    await store.open()
    lost = 0
    for turn in range(int(turns)):
        while True:
            try:
                await add(store, f"{number}.{turn}")
                break
            except Conflict:
                lost += 1
    await store.close()
    print("done", lost)

asyncio.run(main(*sys.argv[1:]))
"""


async def test_no_update_is_lost_between_processes(tmp_path: Path) -> None:
    """Eight processes that read, add one and write: every addition counts, and none is told "locked"."""
    path = str(tmp_path / "memory.db")
    store = SqliteStore(path)
    await store.open()
    await store.commit(SCOPE, [create_change(1, "a counter", attributes={"count": 0})], make_cause())
    answers = await asyncio.to_thread(together, path)
    (memory,) = await store.get(SCOPE, [1])
    parts = await store.history(SCOPE, rows=False, limit=10_000)
    found = [check for check in await store.check() if not check.ok]
    await store.close()
    print(f"{sum(int(answer.split()[-1]) for answer in answers)} lost races were run again")

    assert ["done"] * PROCESSES == [answer.split()[0] for answer in answers]
    assert isinstance(memory, Memory)
    assert {"count": PROCESSES * TURNS} == memory.attributes
    assert PROCESSES * TURNS == len(set(memory.tags))
    assert 1 + PROCESSES * TURNS == memory.revision == len(parts)
    assert [] == found


def together(path: str) -> list[str]:
    """Run the writers at the same time; return what each says at the end."""
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", WRITER, path, str(number), str(TURNS)],
            cwd=ROOT,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        for number in range(PROCESSES)
    ]
    return [process.communicate(timeout=300)[0].strip() for process in processes]


async def test_two_processes_may_create_one_file(tmp_path: Path) -> None:
    """Stores that open a new file at the same moment both work, on one set of tables."""
    stores = [SqliteStore(str(tmp_path / "memory.db")) for _ in range(4)]
    await asyncio.gather(*(store.open() for store in stores))
    kept = [
        await store.commit(SCOPE, [create_change(1, f"text {number}", id=f"{number:032x}")], make_cause())
        for number, store in enumerate(stores)
    ]
    seen = [await store.get(SCOPE, [1, 2, 3, 4]) for store in stores]
    for store in stores:
        await store.close()

    assert [(1,), (2,), (3,), (4,)] == [committed.assigned for committed in kept]
    assert all(memories == seen[0] and None not in memories for memories in seen)


async def test_a_file_that_is_just_being_made_is_nobody_elses(tmp_path: Path) -> None:
    """Whoever looks in the middle of its making waits for it, and takes it for no other program's."""
    for number in range(12):
        stores = [SqliteStore(str(tmp_path / f"{number}.db")) for _ in range(8)]
        await asyncio.gather(*(store.open() for store in stores))
        for store in stores:
            await store.close()


async def test_names_of_another_process_are_understood(tmp_path: Path) -> None:
    """A category that one process made is found by another that was open before."""
    first, second = SqliteStore(str(tmp_path / "memory.db")), SqliteStore(str(tmp_path / "memory.db"))
    await first.open()
    await second.open()
    await second.get(SCOPE, [1])
    await first.commit(SCOPE, [create_change(1, "text", category="fresh", session="s")], make_cause())
    (memory,) = await second.get(SCOPE, [1])
    await second.commit(SCOPE, [create_change(1, "other", id="f" * 32, category="fresh")], make_cause())
    categories = [kept.category for kept in await first.get(SCOPE, [1, 2]) if kept is not None]
    await first.close()
    await second.close()

    assert memory is not None
    assert ("fresh", "s") == (memory.category, memory.session)
    assert ["fresh", "fresh"] == categories
