"""A file that the first version of the tables made and lived with is brought up whole when it is opened.

`data/version-1.db.gz` was written by the code of that version: thirteen texts of one scope learned, confirmed, linked,
consolidated, superseded, pinned, held, used, forgotten, unlinked, edited, pruned and purged, and two of another.
"""

import asyncio
import sqlite3
import sys
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from subprocess import PIPE

import pytest

import remanence
from remanence.errors import StoreUnavailable
from remanence.model import Link, Relation, Status
from remanence.store.base import Bookkeeping
from remanence.store.sqlite import upgrade
from remanence.store.sqlite.dialect import SCHEMA_VERSION
from remanence.store.sqlite.sqlite_store import SqlStore
from remanence.testing.builders import raised
from tests.flows.old_files import LATER, columns_of, old_file, opened, rows, version_of, without_unread
from tests.flows.test_migrations import tables

OLD = old_file(1)
ROOT = Path(__file__).parents[2]
COMPUTED = {"fingerprint", "digest", "tokens", "decay"}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A copy of the old file."""
    path = tmp_path / "memory.db"
    path.write_bytes(OLD)
    return path


def said(columns: dict[str, list[str]]) -> dict[str, list[str]]:
    """Leave out what is computed from the rest, and by which version it was."""
    return {
        table: [name for name in names if name.strip('"') not in COMPUTED]
        for table, names in columns.items()
        if table != "meta"
    }


async def test_every_row_is_kept(path: Path, tmp_path: Path) -> None:
    """After the upgrade every column that is not computed holds what it held; the copy beside it is the old file."""
    columns = columns_of(path)
    before, stored = rows(path, columns), rows(path, said(columns))
    store = SqlStore(str(path))
    await store.open()
    await store.close()
    (backup,) = tmp_path.glob("*.before-*")

    assert stored == without_unread(rows(path, said(columns)))
    assert (SCHEMA_VERSION, 1) == (version_of(path), version_of(backup))
    assert before == rows(backup, columns)
    assert {"memories": 13, "links": 6, "changes": 71} == {
        table: len(before[table]) for table in ("memories", "links", "changes")
    }


async def test_an_upgraded_file_is_like_a_new_one(path: Path, tmp_path: Path) -> None:
    """Tables, indexes, checks and column orders are those of a file made today, to the letter."""
    async with opened(path), opened(tmp_path / "new.db"):
        pass

    assert tables(tmp_path / "new.db") == tables(path)


async def test_an_upgraded_file_is_sound_and_read_as_before(path: Path) -> None:
    """Digests, references, audit and full text hold; new columns are at their defaults; words are found."""
    async with opened(path) as memory:
        await memory.schedule.accept_clock()  # the file is as old as it is
        checks = await memory.doctor()
        (found,) = (await memory.recall("tide table", limit=1)).memories
        old = await memory.get(3)
        links = await memory.links(old.id)

    assert [] == [check for check in checks if not check.ok or check.advice]
    assert "The tide table is in the drawer" == found.memory.text
    assert ("Bob keeps the keys of both boat sheds", 0.3) == (old.text, old.confidence)
    assert (None, 0, 0) == (old.alignment, old.helped, old.failed)
    assert [(Relation.REFERS, 0.123456, None)] == [
        (link.relation, link.weight, link.resolved_at) for link in links
    ]


async def test_runs_from_before_the_upgrade_are_undone(path: Path) -> None:
    """What was purged, edited, unlinked and superseded under the old tables comes back with its links and sources."""
    verbs = ("update", "unlink", "dispute", "hold", "pin", "supersede")
    async with opened(path) as memory:
        (purge, *_) = await memory.history(limit=1)
        await memory.undo(purge.run)
        undone = await unmade(memory, verbs)
        note, forgotten, keys = [await memory.get(seq) for seq in (12, 8, 3)]
        links = [*await memory.links(13), *await memory.links(12)]
        stands = [(await memory.get(seq)).status for seq in (1, 2)]
        checks = await memory.doctor()

    assert verbs == tuple(undone)
    assert ("The pier was closed for a week", ("log:11",)) == (note.text, note.sources)
    assert (Status.PRUNED, ("log:7",)) == (forgotten.status, forgotten.sources)
    assert "Bob keeps the keys of the boat shed" == keys.text
    assert [Status.ACTIVE, Status.ACTIVE] == stands
    drawn = 1_767_241_860_000_000
    assert [
        Link(13, 4, Relation.SUPPORTS, 0.9, 1.0, 1, drawn, drawn),
        Link(12, 8, Relation.ELABORATES, 0.7, None, 1, drawn, drawn),
    ] == links
    assert [] == [check for check in checks if not check.ok]


async def unmade(memory: remanence.Engine, verbs: Sequence[str]) -> list[str]:
    """Undo the runs of these verbs, the latest first; return the verbs undone."""
    parts = await memory._core.store.history("work", rows=False)
    doomed = [part.cause for part in reversed(parts) if part.cause.verb in verbs]
    for cause in doomed:
        await memory.undo(cause.run)
    return [cause.verb for cause in doomed]


async def test_an_upgraded_file_takes_what_is_new(path: Path) -> None:
    """Ratings, resolutions, spans and turns are kept in it as in a new one."""
    async with opened(path) as memory:
        store = memory._core.store
        await store.bookkeep("work", Bookkeeping(LATER, cover=(LATER, LATER + 5)))
        await memory.learn("The gulls are back")
        booked = await store.bookkeep("work", Bookkeeping(LATER, get=("note",)))
        checks = await memory.doctor()

    assert {"note": {"n": 1}} == dict(booked.values)
    assert {"spans": [(LATER, LATER + 5)], "heard": [(1,)]} == rows(
        path, {"spans": ["began_at", "ended_at"], "heard": ["turns"]}
    )
    assert [] == [check for check in checks if not check.ok]


async def started_with(program: str, *arguments: str) -> asyncio.subprocess.Process:
    """Start a program that prints a line once it is loaded, and waits for one before it goes on."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", program, *arguments, cwd=ROOT, stdin=PIPE, stdout=PIPE, stderr=PIPE
    )
    assert process.stdout is not None
    await process.stdout.readline()
    return process


async def test_processes_that_open_an_old_file_at_once_all_get_in(path: Path) -> None:
    """One of them brings it up behind one backup, the others wait; every one of them then writes."""
    program = """
import asyncio, sys
from pathlib import Path
from tests.flows.old_files import opened, without_unread

async def main():
    print(flush=True)
    sys.stdin.readline()
    async with opened(Path(sys.argv[1])) as memory:
        await memory.learn(f"process {sys.argv[2]} was here")

asyncio.run(main())
"""
    started = [await started_with(program, str(path), str(number)) for number in range(4)]
    said = [
        error for _, error in await asyncio.gather(*(process.communicate(b"go\n") for process in started))
    ]
    async with opened(path) as memory:
        count = (await memory.status()).memories
        checks = await memory.doctor()

    assert [b""] * 4 == said
    assert 1 == len([*path.parent.glob("*.before-*")])
    assert (11 + 4, []) == (count, [check for check in checks if not check.ok])


async def test_an_upgrade_that_is_killed_leaves_the_old_file(path: Path) -> None:
    """A process that dies before the upgrade is committed leaves the old tables; whoever comes next brings them up."""
    program = """
import asyncio, os, sys
from remanence.store.sqlite import upgrade
from remanence.store.migrations import run
from remanence.store.sqlite.sqlite_store import SqlStore

migrate = run.migrate
run.migrate = lambda *given: migrate(*given[:-1], lambda: os._exit(9))
print(flush=True)
asyncio.run(SqlStore(sys.argv[1]).open())
"""
    columns = columns_of(path)
    before = rows(path, columns)
    killed = await started_with(program, str(path))
    await killed.communicate()
    between = version_of(path), rows(path, columns)
    async with opened(path) as memory:
        checks = await memory.doctor()

    assert 9 == killed.returncode
    assert (1, before) == between
    assert SCHEMA_VERSION == version_of(path)
    assert [] == [check for check in checks if not check.ok]


async def test_an_old_file_that_is_locked_says_so(path: Path) -> None:
    """Who meets an old file while another writes to it waits, then is told; the file stays as it is."""
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("PRAGMA journal_mode = wal")
        other.execute("BEGIN IMMEDIATE")
        refused = await raised(StoreUnavailable, SqlStore(str(path), busy_ms=50).open())

    assert ("locked" in str(refused), 1) == (True, version_of(path))
    assert [] == [*path.parent.glob("*.before-*")]


async def test_an_upgrade_that_cannot_be_backed_up_does_not_begin(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without a verified copy the old file stays as it is, byte for byte."""

    def refused(*_: object, **__: object) -> None:
        raise StoreUnavailable("the disk is full", recovery="make room")

    monkeypatch.setattr(upgrade, "copy", refused)
    await raised(StoreUnavailable, SqlStore(str(path)).open())

    assert OLD == path.read_bytes()
