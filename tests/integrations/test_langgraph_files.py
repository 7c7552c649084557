"""A file that LangGraph's own SqliteStore wrote comes in, while the store has it open."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

import remanence


async def test_what_a_sqlite_store_wrote_comes_in(tmp_path: Path) -> None:
    """Items with their namespaces, what was put again with its last words, what was deleted not at all."""
    store_of = pytest.importorskip("langgraph.store.sqlite").SqliteStore
    path = tmp_path / "graph.sqlite"
    with closing(sqlite3.connect(path, check_same_thread=False, isolation_level=None)) as connection:
        store = store_of(connection)
        store.setup()
        store.put(("users", "ines"), "k1", {"text": "Ines moors at pier two", "sure": True})
        store.put(("users", "ines"), "k2", {"text": "The shed is locked"}, ttl=5)
        store.put(("users", "tom"), "k1", {"memory": "Tom repairs sails"})
        store.put(("users", "tom"), "k3", {"text": "gone"})
        store.delete(("users", "tom"), "k3")
        async with remanence.open(tmp_path / "agent.db") as memory:
            done = await memory.ingest(path)
            again = await memory.ingest(path)
            found = {str(one.key): one for one in await memory.list(status="any")}

    assert ("langgraph", 3, 3) == (done.format, done.stored, again.known)
    assert {"users.ines/k1", "users.ines/k2", "users.tom/k1"} == {key.partition("@")[0] for key in found}
    assert {"sure": True, "namespace": ["users", "ines"]} == found["users.ines/k1"].attributes
    assert "Tom repairs sails" == found["users.tom/k1"].text
    assert found["users.ines/k2"].valid_to is not None
    assert found["users.tom/k1"].valid_to is None
