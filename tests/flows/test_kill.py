"""A process killed at any moment leaves each part of a run there whole or not at all.

Each round forks a process that commits runs of three parts (memories created and archived; links cut and memories
destroyed; that taken back) until it is killed. The file is then opened again and compared with what the audit says
of the runs, and with what the process was told before it died.
"""

import asyncio
import os
import random
import signal
import sqlite3
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from remanence.core.change import Cause, Change, CommitResult, Increment, inverses, rows_of
from remanence.core.model import Memory, Reason, Relation, Status, Tier
from remanence.store.base import Find
from remanence.store.sqlite.sqlite_store import SqliteStore, _CommitWorker
from remanence_store_kit.builders import create_change, make_cause

SCOPE = "work"
KILLS, KILLS_DEEP = 40, 110
INSIDE_SHARE_MIN = 0.3
ROWS = 40  # changes of each kind in a part
CHECKED_EVERY = 10
PARTS = 3
ROWS_AFTER = (0, ROWS, 0, ROWS)  # how many memories of a run there are after so many of its parts


@pytest.mark.parametrize("kills", [KILLS, pytest.param(KILLS_DEEP, marks=pytest.mark.deep)])
def test_kills_leave_each_part_whole_or_absent(
    kills: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Over many kills, every part of every run is there whole or not at all, and check finds nothing."""
    path = tmp_path / "memory.db"
    mark = tmp_path / "inside"
    asyncio.run(made(path))
    chance = random.Random(7)
    inside = acknowledged = 0
    for number in range(kills):
        struck, done = killed(path, mark, chance.uniform(0.005, 0.12), number)
        inside += struck
        acknowledged += done
        asyncio.run(looked_over(path, done, number))
    with capsys.disabled():
        print(
            f" {inside} of {kills} kills hit inside a transaction, {acknowledged} parts were acknowledged ",
            end="",
        )

    assert inside >= INSIDE_SHARE_MIN * kills
    assert acknowledged > 0


async def made(path: Path) -> None:
    """Make a world with memories, tags, vectors and links in it."""
    store = SqliteStore(str(path))
    await store.open()
    seqs = (await store.commit(SCOPE, list(fresh("world", 4 * ROWS)), make_cause())).assigned
    links = [Change("links", (low, low + 1, Relation.SIMILAR), None, {"weight": 0.3}) for low in seqs[:-1]]
    await store.commit(SCOPE, links, make_cause())
    await store.close()


def fresh(name: str, count: int) -> Iterator[Change]:
    """Create memories whose ids and texts are of this name."""
    for k in range(1, count + 1):
        text = f"{name} number {k} speaks of apples"
        yield create_change(k, text, vector=bytes(512), category="note")


def killed(path: Path, mark: Path, after: float, number: int) -> tuple[bool, int]:
    """Let a process write until it is killed; tell whether that was inside a transaction, and what it had written."""
    mark.write_bytes(bytes(16))
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.close(reader)
            asyncio.run(write(path, mark, writer, number))
        finally:
            os._exit(1)
    os.close(writer)
    os.read(reader, 1)  # it is open and about to write
    time.sleep(after)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    done = b""
    while more := os.read(reader, 65_536):
        done += more
    os.close(reader)
    return mark.read_bytes()[:1] == b"\x01", len(done)


async def write(path: Path, mark: Path, acknowledged: int, number: int) -> None:
    """Commit runs of three parts, saying on the pipe when each is done, until the end comes."""
    watch(mark)
    store = SqliteStore(str(path))
    await store.open()
    os.write(acknowledged, b"+")
    for turn in range(1_000):
        run = f"{number}.{turn}"
        for part in range(PARTS):
            changes = await changes_of(store, run, part)
            cause = Cause("undo" if part == 2 else "curate", 1, run, part=part, final=part == PARTS - 1)
            await store.commit(SCOPE, changes, cause)
            os.write(acknowledged, b".")


def watch(mark: Path) -> None:
    """Have this process leave a mark from the start of each write transaction until it is committed."""
    connect, committed = sqlite3.connect, _CommitWorker.handle_commit
    file = os.open(mark, os.O_RDWR)

    def traced(*given: Any, **more: Any) -> sqlite3.Connection:
        connection: sqlite3.Connection = connect(*given, **more)
        connection.set_trace_callback(note)
        return connection

    def note(statement: str) -> None:
        if statement == "BEGIN IMMEDIATE":
            os.pwrite(file, b"\x01", 0)

    def done(self: _CommitWorker) -> None:
        os.pwrite(file, b"\x00", 0)
        committed(self)

    sqlite3.connect = traced  # type: ignore[assignment]
    _CommitWorker.handle_commit = done  # type: ignore[method-assign]


async def changes_of(store: SqliteStore, run: str, part: int) -> list[Change]:
    """Return what a part does: create and archive; cut and destroy; take the second part back."""
    if part == 0:
        standing = await store.find(SCOPE, Find((Status.INBOX,), limit=ROWS, oldest_first=True))
        return [*fresh(run, ROWS), *map(archive, standing)]
    if part == 1:
        gone = await store.find(SCOPE, Find((Status.INBOX,), limit=ROWS))
        links = await store.neighbours(SCOPE, [memory.seq for memory in gone])
        cut = [Change("links", (link.source, link.target, int(link.relation)), {}, None) for link in links]
        return [
            *cut,
            *(Change("memories", memory.seq, {"revision": memory.revision}, None) for memory in gone),
        ]
    (logged,) = [logged for logged in await store.history(SCOPE, run=run) if logged.cause.part == 1]
    return list(rows_of(inverses(logged.changes)))


def archive(memory: Memory) -> Change:
    """Archive a memory as it was read."""
    return Change(
        "memories",
        memory.seq,
        {"status": memory.status, "tier": memory.tier, "reason": None, "revision": memory.revision},
        {
            "status": Status.ARCHIVED,
            "tier": Tier.ARCHIVE,
            "reason": Reason.DECAYED,
            "revision": memory.revision + 1,
        },
    )


async def looked_over(path: Path, acknowledged: int, number: int) -> None:
    """Open the file after a kill; compare it with what its runs say, and check it now and then."""
    store = SqliteStore(str(path))
    await store.open()
    unclean = not store.closed_cleanly
    texts: list[tuple[str]] = await store._read_file(
        lambda connection: connection.execute("SELECT text FROM memories").fetchall()
    )
    runs = [f"{number}.{turn}" for turn in range(acknowledged // PARTS + 2)]
    parts = [(run, len(await store.history(SCOPE, run=run, rows=False))) for run in runs]
    found = [check for check in await store.check() if not check.ok] if number % CHECKED_EVERY == 0 else []
    await store.close()
    held = {run: sum(text.startswith(f"{run} ") for (text,) in texts) for run in runs}

    assert unclean or not acknowledged
    assert [] == found
    assert sum(count for _, count in parts) - acknowledged in {0, 1}, "what was acknowledged is there"
    assert {run: ROWS_AFTER[count] for run, count in parts} == held


REPEATS = 12


def test_what_a_killed_process_may_have_written_is_asked_for_again(tmp_path: Path) -> None:
    """Whoever goes on repeats the part that was under way, and all before it: each is there once, as first answered."""
    path = tmp_path / "memory.db"
    chance = random.Random(11)
    for number in range(REPEATS):
        done = counting_until_killed(path, chance.uniform(0.005, 0.08), f"run {number}")
        asyncio.run(repeated(path, f"run {number}", done + 1))


def counting_until_killed(path: Path, after: float, run: str) -> int:
    """Let a process commit parts of a run until it is killed; return how many it was told are written."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.close(reader)
            asyncio.run(count_on(path, writer, run))
        finally:
            os._exit(1)
    os.close(writer)
    os.read(reader, 1)  # it is open and about to write
    time.sleep(after)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    done = b""
    while more := os.read(reader, 65_536):
        done += more
    os.close(reader)
    return len(done)


async def count_on(path: Path, acknowledged: int, run: str) -> None:
    """Commit one part after another."""
    store = SqliteStore(str(path))
    await store.open()
    os.write(acknowledged, b"+")
    for part in range(100_000):
        await count_one(store, run, part)
        os.write(acknowledged, b".")


async def count_one(store: SqliteStore, run: str, part: int) -> CommitResult:
    """Commit a memory of the part's, and count one more in the first part's."""
    changes = [create_change(1, f"{run} part {part}")]
    if part:
        (first,) = await store.get(SCOPE, [changes_id(run, 0)])
        assert first is not None
        changes.append(Change("memories", first.seq, {"disputes": Increment(-1)}, {"disputes": Increment(1)}))
    return await store.commit(SCOPE, changes, Cause("dispute", 1, run, part=part, final=False))


def changes_id(run: str, part: int) -> str:
    """Return the id of a part's memory."""
    return str((create_change(1, f"{run} part {part}").after or {})["id"])


async def repeated(path: Path, run: str, parts: int) -> None:
    """Ask for so many parts of a run again, and compare what is there with what was asked for."""
    store = SqliteStore(str(path))
    await store.open()
    told = [await count_one(store, run, part) for part in range(parts)]
    log = await store.history(SCOPE, run=run, limit=100_000)
    (first,) = await store.get(SCOPE, [changes_id(run, 0)])
    found = [check for check in await store.check() if not check.ok]
    await store.close()

    assert [(part, done.position) for part, done in enumerate(told)] == [
        (part.cause.part, part.position) for part in log
    ]
    assert first is not None
    assert (parts - 1, []) == (first.disputes, found)
