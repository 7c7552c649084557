"""The files of older versions that the tests bring up are what those versions made."""

from pathlib import Path

import pytest
from alembic import command
from sqlalchemy import create_engine

from remanence.store.migrations.run import config
from remanence.store.sqlite import upgrade
from tests.flows.old_files import old_file, version_of
from tests.flows.test_migrations import tables


@pytest.mark.parametrize("version", [1, 2, 3, 4])
def test_an_old_file_is_what_its_migration_makes(version: int, tmp_path: Path) -> None:
    """Its tables are those of its migration, to the letter, so that it stands for every file of that version."""
    (path := tmp_path / "memory.db").write_bytes(old_file(version))
    engine = create_engine(f"sqlite:///{tmp_path / 'made.db'}")
    with engine.begin() as connection:
        command.upgrade(config(upgrade.SCRIPTS, connection), f"{version:04}")
    engine.dispose()

    assert version == version_of(path)
    assert tables(path) == tables(tmp_path / "made.db")
