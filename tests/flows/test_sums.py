"""Whatever another program changes in a file is noticed, whichever table it is in, and doctor says where."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

import remanence
from remanence.store.base import Bookkeeping
from remanence.store.sql.checksummed_columns import SUMMED
from tools.sql_tables import metadata

# Tables that are no part of the sums, with what proves them instead.
PROVEN = {
    "memories": "a digest in the row",
    "runs": "the chain of the audit",
    "changes": "the chain of the audit",
    "blocks": "the chain of the audit",
    "emptied": "the chain of the audit",
    "scopes": "the audit and the texts",
    "scope_names": "the chain of the audit",
    "postings": "the texts",
    "waiting": "the texts",
    "meta": "read when the file is opened",
    "sums": "the rows",
}
EDITS = {
    "UPDATE states SET pinned = 0 WHERE pinned = 1": "sums: states",
    "UPDATE states SET hold_until = NULL WHERE seq = 2": "sums: states",
    "UPDATE states SET uses = uses + 1 WHERE seq = 3": "sums: states",
    "UPDATE states SET touched = touched + 1 WHERE seq = 3": "sums: states",
    "UPDATE states SET speaker = (SELECT no FROM names WHERE name = 'Jon') WHERE seq = 1": "sums: states",
    "UPDATE vectors SET vector = zeroblob(length(vector)) WHERE seq = 4": "rows: the vector of memory 4",
    "DELETE FROM vectors WHERE seq = 4": "sums: vectors",
    "DELETE FROM tags WHERE seq = 1": "sums: tags",
    "INSERT INTO tags SELECT scope, 4, tag, at FROM tags WHERE seq = 1": "sums: tags",
    "UPDATE tags SET at = at - 1 WHERE seq = 1": "sums: tags",
    "UPDATE accessors SET uses = uses + 1 WHERE seq = 1": "sums: accessors",
    "UPDATE accessors SET last_at = last_at + 1 WHERE seq = 1": "sums: accessors",
    "DELETE FROM accessors WHERE seq = 1": "sums: accessors",
    "UPDATE sources SET source = 'forged' WHERE seq = 2": "sums: sources",
    "UPDATE sources SET span = '1-2' WHERE seq = 2": "sums: sources",
    "UPDATE links SET weight = weight + 1": "sums: links",
    "DELETE FROM links": "sums: links",
    "DELETE FROM mentions WHERE seq = 3": "sums: mentions",
    "UPDATE names SET name = 'Joe' WHERE name = 'Jon'": "sums: names",
    "DELETE FROM settings WHERE name = 'note'": "sums: settings",
    "UPDATE settings SET value = '2' WHERE name = 'note'": "sums: settings",
    "UPDATE leases SET holder = 'you'": "sums: leases",
    "UPDATE scopes SET newest_at = newest_at + 1": "audit: scope 1 was last",
    "UPDATE scopes SET held = held + 1": "audit: scope 1 counts other",
    "UPDATE spans SET ended_at = ended_at + 1": "sums: spans",
    "UPDATE heard SET turns = turns + 1": "sums: heard",
    "UPDATE memories SET attributes = '{\"n\":2}' WHERE seq = 1": "rows: memory 1",
}


@pytest.fixture
async def path(tmp_path: Path) -> Path:
    """A small file with something in every table that an edit is about."""
    path = tmp_path / "memory.db"
    async with remanence.open(path, embedder="hashed", agent="mate") as memory:
        for number, speaker in enumerate(("Mara", "Jon", "Mara", "Jon")):
            await memory.learn(
                f"Barrel {number} holds tar.",
                tags=["t"] if number == 0 else [],
                source=f"s{number}",
                speaker=speaker,
                attributes={"n": number},
            )
        await memory.link(1, 2, "supports")
        await memory.pin(1)
        await memory.hold(2, "audit")
        await memory.recall("tar")
        await memory._core.store.bookkeep(
            "default", Bookkeeping(0, put={"note": 1}, cover=(1, 2), lease=("run", "me", 9))
        )
    return path


async def faults(path: Path) -> list[str]:
    """Return what doctor finds wrong."""
    async with remanence.open(path, embedder="hashed") as memory:
        return [f"{check.name}: {check.detail}" for check in await memory.doctor() if not check.ok]


async def test_a_file_that_nobody_else_wrote_to_is_sound(path: Path) -> None:
    """The verbs keep every sum."""
    assert [] == await faults(path)


@pytest.mark.parametrize(("edit", "told"), EDITS.items())
async def test_an_edit_by_another_program_is_noticed(path: Path, edit: str, told: str) -> None:
    """Doctor names the table, and the memory where it has a digest of its own."""
    with closing(sqlite3.connect(path)) as connection, connection:
        assert connection.execute(edit).rowcount > 0
    (fault,) = await faults(path)

    assert told == fault[: len(told)]


def test_every_table_is_proven_by_something() -> None:
    """A table that is added is summed, or it is said here what proves it."""
    assert {*metadata.tables} == {*SUMMED, *PROVEN}


def test_every_column_of_a_summed_table_is_summed() -> None:
    """But for the scope, whose sums they are, and the vector itself, whose digest is."""
    columns = {
        table: {column.name for column in metadata.tables[table].columns} - {"scope"} for table in SUMMED
    }

    assert {table: {*summed.columns} for table, summed in SUMMED.items()} == {
        **columns,
        "vectors": columns["vectors"] - {"vector"},
        "embeddings": columns["embeddings"] - {"vector"},
    }
