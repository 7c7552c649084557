"""Which index SQLite reads a listing by, as it says itself."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from remanence.core.model import Status
from remanence.store.base import Find
from remanence.store.sql import reading
from remanence.store.sql.names import NameCache
from remanence.store.sql.scope import open_scope
from remanence.store.sqlite.sqlite_database import SqliteDatabase
from remanence.store.sqlite.sqlite_store import SqliteStore
from remanence_store_kit.builders import create_change, make_cause

SCOPE = "work"


@pytest.fixture
async def path(tmp_path: Path) -> Path:
    """Return a file that holds a few memories."""
    store = SqliteStore(str(tmp_path / "memory.db"))
    await store.open()
    await store.commit(
        SCOPE, [create_change(k, f"text {k}", id=f"{k:032x}") for k in range(1, 6)], make_cause()
    )
    await store.close()
    return tmp_path / "memory.db"


@pytest.fixture
def connection(path: Path) -> Iterator[sqlite3.Connection]:
    """Yield a plain connection to that file."""
    with closing(sqlite3.connect(path)) as connection:
        yield connection


def _plan(connection: sqlite3.Connection, asked: Find) -> str:
    """Return how SQLite looks for what is listed."""
    ran: list[str] = []
    scope = open_scope(SqliteDatabase(connection), NameCache(), SCOPE)
    connection.set_trace_callback(ran.append)
    reading.find(scope, asked)
    connection.set_trace_callback(None)
    (statement,) = [sql for sql in ran if "(SELECT s.seq FROM states s" in sql]
    return " ".join(row[-1] for row in connection.execute(f"EXPLAIN QUERY PLAN {statement}"))


@pytest.mark.parametrize(
    "asked",
    [
        Find((Status.INBOX,), limit=200, oldest_first=True),
        Find((Status.INBOX,), limit=10),
        Find((Status.INBOX,), equal={"key": "x"}),
        Find((Status.INBOX,), only=[1, 2]),
        Find((Status.INBOX,), among=3),
    ],
    ids=lambda asked: next((name for name in ("equal", "only", "among") if getattr(asked, name)), "order"),
)
def test_the_inbox_is_read_by_its_own_index(connection: sqlite3.Connection, asked: Find) -> None:
    """Whatever else is asked, so that a short inbox is found at once in a scope of any size."""
    plan = _plan(connection, asked)

    assert "USING INDEX states_inbox" in plan or "USING COVERING INDEX states_inbox" in plan
    assert "TEMP B-TREE" not in plan


def test_what_stands_is_read_by_the_index_of_the_scope(connection: sqlite3.Connection) -> None:
    """The inbox's index holds nothing else."""
    assert "states_inbox" not in _plan(connection, Find((Status.INBOX, Status.ACTIVE)))
