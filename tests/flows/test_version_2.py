"""A file that the second version of the tables made and lived with is brought up whole when it is opened.

`data/version-2.db.gz` was written by the code of that version: two scopes in turns, learned, consolidated, recalled,
rated, linked, tagged, pinned, held, edited, corrected, forgotten, resolved, curated, compacted, undone and compacted.
"""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from remanence.store.sqlite.dialect import SCHEMA_VERSION
from tests.flows.old_files import columns_of, old_file, opened, rows, version_of
from tests.flows.test_migrations import tables

OLD = old_file(2)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A copy of the old file."""
    path = tmp_path / "memory.db"
    path.write_bytes(OLD)
    return path


async def test_it_becomes_a_file_of_today_behind_its_backup(path: Path, tmp_path: Path) -> None:
    """Opened, it has the tables of a file made today and is sound; the copy beside it is the old file."""
    columns = columns_of(path)
    before = rows(path, columns)
    async with opened(path) as memory, opened(tmp_path / "new.db"):
        await memory.schedule.accept_clock()  # the file is as old as it is
        checks = await memory.doctor()
    (backup,) = tmp_path.glob("*.before-v3")

    assert (SCHEMA_VERSION, 2) == (version_of(path), version_of(backup))
    assert tables(tmp_path / "new.db") == tables(path)
    assert before == rows(backup, columns)
    assert [] == [check for check in checks if not check.ok or check.advice]


def damaged(path: Path, statement: str) -> None:
    """Change the closed file behind its back."""
    with closing(sqlite3.connect(path)) as connection, connection:
        assert connection.execute(statement).rowcount >= 1, statement


async def test_the_one_chain_of_old_is_sealed_and_each_scope_goes_on_from_there(path: Path) -> None:
    """The last part that was there is kept in its digest; the first new part of every scope follows from that one."""
    with closing(sqlite3.connect(path)) as connection:
        last, seal = connection.execute("SELECT max(position), digest FROM runs").fetchone()
    for scope in ("work", "home", "garden"):
        async with opened(path, scope) as memory:
            await memory.learn(f"The first thing after the upgrade, in {scope}")
            await memory.learn(f"The second thing after the upgrade, in {scope}")
    async with opened(path) as memory:
        checks = await memory.doctor()
    with closing(sqlite3.connect(path)) as connection:
        rows = connection.execute(
            "SELECT previous FROM runs WHERE position > ? ORDER BY position", (last,)
        ).fetchall()

    assert [] == [check for check in checks if not check.ok]
    assert [(seal,)] * 3 == rows[::2]


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE runs SET actor = 'nobody' WHERE position = 7",
        "DELETE FROM runs WHERE position = 20",
        """UPDATE changes SET "before" = '[9]' WHERE position = (SELECT min(position) FROM changes WHERE shape > 0)""",
        """UPDATE meta SET value = '[3, "00"]' WHERE name = 'audit_sealed'""",
        "DELETE FROM meta WHERE name = 'audit_sealed'",
    ],
)
async def test_what_is_sealed_is_still_proven(path: Path, damage: str) -> None:
    """A change to an old part, to the seal or to where it lies is noticed after the upgrade as before."""
    async with opened(path) as memory:
        await memory.learn("The first thing after the upgrade")
    damaged(path, damage)
    async with opened(path) as memory:
        assert "audit" in [check.name for check in await memory.doctor() if not check.ok]


async def test_its_runs_are_undone(path: Path) -> None:
    """What the last curation took away comes back."""
    async with opened(path) as memory:
        before = len(await memory.list_memories(status="pruned"))
        (compaction,) = await memory.history(limit=1, verb="compact")
        await memory.undo(compaction.run)
        after = len(await memory.list_memories(status="pruned"))

    assert (5, 1) == (before, after)
