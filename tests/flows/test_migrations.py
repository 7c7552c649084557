"""The tables of a file are those that the code knows, whatever version the file was made by."""

import re
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import create_engine

from remanence.change import Cause
from remanence.errors import StoreDamaged, StoreIncompatible
from remanence.store.migrations.run import config
from remanence.store.schema import metadata, ours
from remanence.store.sqlite.dialect import SCHEMA_VERSION, connect
from remanence.store.sqlite.sqlite_store import SqlStore
from remanence.store.sqlite.upgrade import SCRIPTS, prepare
from remanence.testing.builders import created

NEXT = SCHEMA_VERSION + 1
STEP = f"""
from alembic import op
import sqlalchemy as sa

revision = "{NEXT:04}"
down_revision = "{SCHEMA_VERSION:04}"
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table("sources") as batch:
        batch.add_column(sa.Column("note", sa.Text(), nullable=True))
"""
BROKEN = STEP + "\n    op.execute(\"INSERT INTO vectors (seq, vector, digest) VALUES (999, x'00', 0)\")\n"


def tables(path: Path) -> dict[str, str]:
    """Return the SQL of everything in a file, blanks and quotes aside."""
    with closing(sqlite3.connect(path)) as connection, connection:
        rows = connection.execute("SELECT name, sql FROM sqlite_schema WHERE sql IS NOT NULL").fetchall()
    connection.close()
    return {name: re.sub(r'[\s"]+', " ", sql).strip() for name, sql in rows if name != "alembic_version"}


def steps(tmp_path: Path, step: str) -> Path:
    """Return a folder of migrations with one step more."""
    scripts = tmp_path / "migrations"
    shutil.copytree(SCRIPTS, scripts)
    (scripts / "versions" / f"{NEXT:04}_next.py").write_text(step, encoding="utf-8")
    return scripts


async def filled(path: Path) -> None:
    """Make a file of the present version with a memory, a tag and a source in it."""
    store = SqlStore(str(path))
    await store.open()
    await store.commit("work", [created(1, "apples are red")], Cause("learn", 1, "r"))
    await store.close()


async def test_a_new_file_is_what_the_migrations_make(tmp_path: Path) -> None:
    """Creating a file and migrating an empty one give the same tables, to the letter."""
    await filled(tmp_path / "new.db")
    engine = create_engine(f"sqlite:///{tmp_path / 'old.db'}")
    with engine.begin() as connection:
        command.upgrade(config(SCRIPTS, connection), "head")
    engine.dispose()

    assert tables(tmp_path / "new.db") == tables(tmp_path / "old.db")


async def test_autogenerate_finds_nothing_to_do(tmp_path: Path) -> None:
    """What alembic would change in a file of today is nothing."""
    await filled(tmp_path / "new.db")
    engine = create_engine(f"sqlite:///{tmp_path / 'new.db'}")
    with engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"include_name": ours, "compare_type": True})
        difference = compare_metadata(context, metadata)
    engine.dispose()

    assert [] == difference


async def test_a_migration_keeps_a_verified_backup(tmp_path: Path) -> None:
    """Before a file is migrated, a copy that opens and holds everything lies beside it."""
    path = tmp_path / "memory.db"
    await filled(path)
    connection = connect(str(path), latest=NEXT)
    prepare(connection, str(path), b"", scripts=steps(tmp_path, STEP), to=NEXT)
    texts = connection.execute("SELECT text FROM memories").fetchall()
    version = connection.execute("PRAGMA user_version").fetchone()
    foreign_keys = connection.execute("PRAGMA foreign_keys").fetchone()
    strict = connection.execute("SELECT strict FROM pragma_table_list('sources')").fetchone()
    connection.close()

    assert [("apples are red",)] == texts
    assert (NEXT,) == version
    assert (1,) == foreign_keys
    assert (1,) == strict
    assert "note TEXT" in tables(path)["sources"]

    backup = SqlStore(f"{path}.before-v{NEXT}")
    await backup.open()
    kept = await backup.get("work", [1])
    unsound = [check for check in await backup.check() if not check.ok]
    await backup.close()

    assert ["apples are red"] == [memory.text for memory in kept if memory is not None]
    assert [] == unsound


async def test_a_migration_that_fails_leaves_the_file_as_it_was(tmp_path: Path) -> None:
    """A step that breaks a reference is taken back whole, and says so."""
    path = tmp_path / "memory.db"
    await filled(path)
    before = tables(path)
    connection = connect(str(path), latest=NEXT)
    with pytest.raises(StoreDamaged, match="dangling") as raised:
        prepare(connection, str(path), b"", scripts=steps(tmp_path, BROKEN), to=NEXT)
    version = connection.execute("PRAGMA user_version").fetchone()
    connection.close()

    assert "backup" in raised.value.recovery
    assert (SCHEMA_VERSION,) == version
    assert before == tables(path)


async def test_a_newer_file_is_left_alone(tmp_path: Path) -> None:
    """A file of a later version is refused with what to do, and not a byte of it changes."""
    path = tmp_path / "memory.db"
    await filled(path)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(f"PRAGMA user_version = {NEXT}")
    connection.close()
    content = path.read_bytes()
    with pytest.raises(StoreIncompatible, match=f"version {NEXT}") as raised:
        await SqlStore(str(path)).open()

    assert "newer version" in raised.value.recovery
    assert content == path.read_bytes()


async def test_texts_cut_into_words_another_way_are_indexed_anew(tmp_path: Path) -> None:
    """A file whose index was made by another tokeniser gets a new index when it is opened."""
    path = tmp_path / "memory.db"
    await filled(path)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE meta SET value = 'older' WHERE name = 'tokenizer'")
        connection.execute("DELETE FROM waiting")
    connection.close()
    store = SqlStore(str(path))
    await store.open()
    found = await store.search("work", ["appl"])
    unsound = [check for check in await store.check() if not check.ok]
    await store.close()

    assert [1] == found.rows["appl"].tolist()
    assert [] == unsound
