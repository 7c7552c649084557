"""The files of older versions that the tests bring up are what those versions made."""

from contextlib import closing
from pathlib import Path

import pytest
from alembic import command
from sqlalchemy import create_engine

from remanence.store.migrations.run import config
from remanence.store.sqlite import upgrade
from remanence.store.sqlite.dialect import SCHEMA_VERSION, connect
from tests.flows.old_files import columns_of, old_file, opened, rows, version_of, without_unread
from tests.flows.test_migrations import tables


@pytest.mark.parametrize("version", [1, 2, 3, 4, 5, 6, 7, 8])
def test_an_old_file_is_what_its_migration_makes(version: int, tmp_path: Path) -> None:
    """Its tables are those of its migration, to the letter, so that it stands for every file of that version."""
    (path := tmp_path / "memory.db").write_bytes(old_file(version))
    engine = create_engine(f"sqlite:///{tmp_path / 'made.db'}")
    with engine.begin() as connection:
        command.upgrade(config(upgrade.SCRIPTS, connection), f"{version:04}")
    engine.dispose()

    assert version == version_of(path)
    assert tables(path) == tables(tmp_path / "made.db")


@pytest.mark.parametrize(("version", "unread"), [(3, 2), (4, 2), (5, 0), (6, 0), (7, 0), (8, 0)])
async def test_it_becomes_a_file_of_today_with_every_row_in_it(
    version: int, unread: int, tmp_path: Path
) -> None:
    """Opened, it has the tables of a file made today, holds what it held, and is sound; the copy is the old file."""
    (path := tmp_path / "memory.db").write_bytes(old_file(version))
    columns = columns_of(path)
    before = rows(path, columns)
    kept = {table: names for table, names in columns.items() if table != "sums"}
    async with opened(tmp_path / "new.db"):
        pass
    with closing(connect(str(path))) as connection:
        upgrade.prepare(connection, str(path), bytes(16))
    upgraded = rows(path, kept)
    async with opened(path) as memory:
        await memory.schedule.accept_clock()  # the file is as old as it is
        checks = await memory.doctor()
    (backup,) = tmp_path.glob(f"*.before-v{version + 1}")

    assert (SCHEMA_VERSION, version) == (version_of(path), version_of(backup))
    assert tables(tmp_path / "new.db") == tables(path)
    assert {table: without_unread(before)[table] for table in kept} == without_unread(upgraded)
    assert unread == len(upgraded["settings"]) - len(before["settings"])
    assert before == rows(backup, columns)
    assert [] == [check for check in checks if not check.ok or check.advice]
