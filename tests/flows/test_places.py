"""Every place that holds words of memories is in one table of code, and what is in none is noticed."""

import random
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import orjson
import pytest
from sqlalchemy import LargeBinary, Text

from remanence.store.data_inventory import BY_NAME, SAYING, SERVER_TABLES, TABLES, VECTORS
from remanence.store.sqlite import cleaning
from tests.flows.test_erasing import SAID, live, opened
from tools.sql_tables import metadata, server_metadata

# Tables with texts or bytes of their own that say nothing of a memory: rules, sessions' clocks, counts and runs.
SILENT = {"fired", "leases", "counters", "blocks"}


async def test_every_table_is_registered(tmp_path: Path) -> None:
    """A table that is added to the schema, or that a file has after all verbs, fails here until it has a row."""
    path = tmp_path / "memory.db"
    async with opened(path) as memory:
        await live(memory, random.Random(1), 50)
    with closing(sqlite3.connect(path)) as connection:
        held = connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'").fetchall()
        for says in SAYING:
            connection.execute(says)

    assert {*metadata.tables} <= BY_NAME.keys()
    assert {name for (name,) in held} | {"sqlite_schema"} == BY_NAME.keys()
    assert len(TABLES) == len(BY_NAME)
    assert {*server_metadata.tables} == {place.name for place in SERVER_TABLES}


def test_what_is_registered_as_saying_nothing_has_no_text() -> None:
    """A table of numbers with a column of text or bytes says in the test why that is none of a memory."""
    numbers = {place.name for place in TABLES if place.holds == "number"}
    wordy = {
        table.name
        for table in metadata.tables.values()
        if any(isinstance(column.type, Text | LargeBinary) for column in table.columns)
    }
    blobs = {table.name for table in metadata.tables.values() if "vector" in table.columns}

    assert numbers & wordy - {"states"} == SILENT
    assert {*VECTORS} == blobs


async def test_doctor_names_a_table_that_is_none_of_ours(tmp_path: Path) -> None:
    """An erasure looks through it, and takes nothing out of it."""
    path = tmp_path / "memory.db"
    async with opened(path) as memory:
        await memory.learn(SAID)
        before = [one.name for one in await memory.doctor()]
        with closing(sqlite3.connect(path)) as connection, connection:
            connection.execute("CREATE TABLE notes (said TEXT)")
        (check,) = [one for one in await memory.doctor() if one.name not in before]

    assert (True, "tables") == (check.ok, check.name)
    assert "notes" in check.detail
    assert check.advice


async def test_a_copy_that_is_planted_anywhere_is_noticed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In every column of text or bytes, but for those that are read as what another memory says."""
    monkeypatch.setattr(cleaning, "WAIT_MS", 50)
    path = tmp_path / "pending.db"
    async with opened(path) as memory:
        said = await memory.learn(SAID)
        await memory.learn("The boathouse opens at four.")
        with closing(sqlite3.connect(path, isolation_level=None)) as reader:
            reader.execute("BEGIN")
            reader.execute("SELECT count(*) FROM memories").fetchone()
            assert (await memory.erase.apply(await memory.erase.show(said.id))).pending
    noticed, expected = {}, {}
    for place in TABLES:
        for column, kind in _wordy(path, place.name).items():
            case = f"{place.name}.{column}"
            copy = tmp_path / case / "memory.db"
            copy.parent.mkdir()
            shutil.copy(path, copy)
            _plant(copy, place.name, column, kind)
            noticed[case] = bool(cleaning.clean(str(copy)).found)
            expected[case] = column not in {name.strip('"') for name in place.says}

    assert expected == noticed
    assert {
        "runs.detail",
        "settings.value",
        "postings.seqs",
        "meta.value",
        "traces.topics",
    } <= noticed.keys()


@pytest.mark.parametrize("beside", ["memory.db-journal", "memory.db.copy", "memory.db.0a1b2c3d.erased"])
async def test_a_copy_beside_the_file_is_named(beside: str, tmp_path: Path) -> None:
    """A journal that something else left is no longer proven empty; any other file beside it is named."""
    path = tmp_path / "memory.db"
    async with opened(path) as memory:
        said = await memory.learn(SAID)
        (tmp_path / beside).write_bytes(b"\0\1" + SAID.encode())
        done = await memory.erase.apply(await memory.erase.show(said.id))

    assert str(tmp_path / beside) in (*done.found, *done.copies)
    assert beside in str(done)


def _wordy(path: Path, table: str) -> dict[str, str]:
    """Return the columns of a table that may be written and hold text or bytes, each with which."""
    with closing(sqlite3.connect(path)) as connection:
        rows = connection.execute(f"PRAGMA table_info({table})").fetchall()
    return {name: kind for _, name, kind, *_ in rows if kind in ("TEXT", "BLOB") and table != "sqlite_schema"}


def _plant(path: Path, table: str, column: str, kind: str) -> None:
    """Put a row into a table that says it in one column, whatever the table is for."""
    said = orjson.dumps({"said": SAID})
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("PRAGMA ignore_check_constraints = 1")
        kinds = {
            name: kind for _, name, kind, *_ in connection.execute(f"PRAGMA table_info({table})").fetchall()
        }
        plain = {"TEXT": "x", "BLOB": b"x", "REAL": 0.5}
        row = {name: plain.get(of, 1 << 40) for name, of in kinds.items()}
        row[column] = said if kind == "BLOB" else said.decode()
        names, marks = ", ".join(f'"{name}"' for name in row), ", ".join("?" * len(row))
        connection.execute(f"INSERT INTO {table} ({names}) VALUES ({marks})", list(row.values()))
