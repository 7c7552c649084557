"""Every place that holds words of memories is in one table of code, and what is in none is noticed."""

import random
import sqlite3
from contextlib import closing
from pathlib import Path

from sqlalchemy import LargeBinary, Text

from remanence.store.places import BY_NAME, SAYING, TABLES, VECTORS
from remanence.store.schema import metadata
from tests.flows.test_erasing import SAID, live, opened

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
