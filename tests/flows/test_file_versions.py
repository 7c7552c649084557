"""The tables of a file are those that the code knows, whatever version the file was made by."""

import asyncio
import re
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

import remanence
import remanence.sync
from remanence.core.change import Cause
from remanence.core.errors import StoreIncompatible
from remanence.store.sqlite.database_file import BASELINE_VERSION, SCHEMA_VERSION
from remanence.store.sqlite.sqlite_store import SqliteStore
from remanence_store_kit.builders import create_change
from tests.command_line import typed

NEXT = SCHEMA_VERSION + 1


def tables(path: Path) -> dict[str, str]:
    """Return the SQL of everything in a file, blanks and quotes aside."""
    with closing(sqlite3.connect(path)) as connection, connection:
        rows = connection.execute("SELECT name, sql FROM sqlite_schema WHERE sql IS NOT NULL").fetchall()
    connection.close()
    return {name: re.sub(r'[\s"]+', " ", sql).strip() for name, sql in rows}


async def filled(path: Path) -> None:
    """Make a file of the present version with a memory, a tag and a source in it."""
    store = SqliteStore(str(path))
    await store.open()
    await store.commit("work", [create_change(1, "apples are red")], Cause("learn", 1, "r"))
    await store.close()


async def test_a_newer_file_is_left_alone(tmp_path: Path) -> None:
    """A file of a later version is refused with what to do, and not a byte of it changes."""
    path = tmp_path / "memory.db"
    await filled(path)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(f"PRAGMA user_version = {NEXT}")
    connection.close()
    content = path.read_bytes()
    with pytest.raises(StoreIncompatible, match=f"version {NEXT}") as raised:
        await SqliteStore(str(path)).open()

    assert "newer version" in raised.value.recovery
    assert content == path.read_bytes()


@pytest.mark.parametrize("version", [1, BASELINE_VERSION - 1])
def test_a_file_from_before_the_first_release_is_refused(version: int, tmp_path: Path) -> None:
    """With how its memories come over and what stays behind; in Python and on the command line, changing no byte."""
    path = tmp_path / "memory.db"
    asyncio.run(filled(path))
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(f"PRAGMA user_version = {version}")
    connection.close()
    content = path.read_bytes()
    with pytest.raises(StoreIncompatible, match=f"version {version},") as raised:
        remanence.sync.open(path)
    shown = typed("--db", str(path), "list")

    for word in ("remanence export", "remanence import", "undo", "what was erased"):
        assert word in raised.value.recovery
        assert word in " ".join(shown.stderr.split())
    assert 0 != shown.exit_code
    assert (content, [path]) == (path.read_bytes(), [*tmp_path.iterdir()])


async def test_texts_cut_into_words_another_way_are_indexed_anew(tmp_path: Path) -> None:
    """A file whose index was made by another tokeniser gets a new index when it is opened."""
    path = tmp_path / "memory.db"
    await filled(path)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE meta SET value = 'older' WHERE name = 'tokenizer'")
        connection.execute("DELETE FROM waiting")
    connection.close()
    store = SqliteStore(str(path))
    await store.open()
    found = await store.search("work", ["appl"])
    unsound = [check for check in await store.check() if not check.ok]
    await store.close()

    assert [1] == found.rows["appl"].tolist()
    assert [] == unsound
