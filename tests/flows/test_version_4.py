"""A file that the fourth version of the tables made and lived with is brought up whole when it is opened.

`data/version-4.db.gz` was written by the code of that version: what the file of version 3 holds, and claims, one of
which took the place of another, a text in quarantine, a forbidden one, and a secret that a marker took the place of.
"""

from contextlib import closing
from pathlib import Path

import pytest

from remanence.store.sqlite import upgrade
from remanence.store.sqlite.dialect import SCHEMA_VERSION, connect
from tests.flows.old_files import columns_of, old_file, opened, rows, version_of, without_unread
from tests.flows.test_migrations import tables


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A copy of the old file."""
    path = tmp_path / "memory.db"
    path.write_bytes(old_file(4))
    return path


async def test_it_becomes_a_file_of_today_with_every_row_in_it(path: Path, tmp_path: Path) -> None:
    """Opened, it has the tables of a file made today, holds what it held, and is sound; the copy is the old file."""
    columns = {table: names for table, names in columns_of(path).items() if table != "sums"}
    before = rows(path, columns)
    async with opened(tmp_path / "new.db"):
        pass
    with closing(connect(str(path))) as connection:
        upgrade.prepare(connection, str(path), bytes(16))
    upgraded = rows(path, columns)
    async with opened(path) as memory:
        await memory.schedule.accept_clock()  # the file is as old as it is
        checks = await memory.doctor()
    (backup,) = tmp_path.glob("*.before-v5")

    assert (SCHEMA_VERSION, 4) == (version_of(path), version_of(backup))
    assert tables(tmp_path / "new.db") == tables(path)
    assert before == without_unread(upgraded)
    assert [] == [check for check in checks if not check.ok or check.advice]


async def test_what_waits_for_a_person_is_found_in_it(path: Path) -> None:
    """Its contradiction, what it has in quarantine, and what it forbids."""
    async with opened(path) as memory:
        await memory.schedule.accept_clock()
        (contradiction,) = await memory.graph.contradictions()
        review = await memory.review()
        refused = await memory.learn("The hall BURNT down in spring")

    assert "north door" in contradiction.one.text + contradiction.other.text
    assert {"contradiction": 1, "quarantine": 1} == review.counts
    assert "gated" == refused.status


async def test_its_claims_stay_and_others_are_read_once(path: Path) -> None:
    """What was read for claims on arrival is not read again."""
    async with opened(path) as memory:
        await memory.schedule.accept_clock()
        before = await memory._core.store.claims("work", range(100))
        await memory.consolidate()
        after = await memory._core.store.claims("work", range(100))
        (current,) = [
            hit for hit in await memory.recall("when does the open day start") if "four" in hit.text
        ]

    assert set(before) <= set(after)
    assert [] == [claim for claim in after if after.count(claim) > 1]
    assert "The open day starts at four" == current.text
