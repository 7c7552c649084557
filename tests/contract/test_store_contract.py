"""Both stores keep the contract; the suite itself is shipped in `remanence_store_kit`."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from remanence.store.sqlite.sqlite_store import SqlStore
from remanence_store_kit.contract import StoreContract
from remanence_store_kit.memory.memory_store import MemoryStore


class TestMemoryStore(StoreContract):
    """The reference, in plain dicts."""

    @pytest.fixture
    async def store(self) -> AsyncIterator[MemoryStore]:
        """Yield an empty store."""
        store = MemoryStore()
        await store.open()
        yield store
        await store.close()


class TestSqlStore(StoreContract):
    """SQLite, in a real file."""

    @pytest.fixture
    async def store(self, tmp_path: Path) -> AsyncIterator[SqlStore]:
        """Yield a store on a new file."""
        store = SqlStore(str(tmp_path / "memory.db"))
        await store.open()
        yield store
        await store.close()

    @pytest.fixture
    async def other(self, store: SqlStore, tmp_path: Path) -> AsyncIterator[SqlStore]:
        """Yield a second store on the same file, with a thread of its own that writes."""
        other = SqlStore(str(tmp_path / "memory.db"))
        await other.open()
        yield other
        await other.close()
