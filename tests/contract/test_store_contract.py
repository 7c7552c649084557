"""All stores keep the contract; the suite itself is shipped in `remanence_store_kit`."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from remanence.store.folder.folder_store import FolderStore
from remanence.store.neo4j.neo_store import Neo4jStore
from remanence.store.postgres.pg_store import PgStore
from remanence.store.sqlite.sqlite_store import SqliteStore
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
    async def store(self, tmp_path: Path) -> AsyncIterator[SqliteStore]:
        """Yield a store on a new file."""
        store = SqliteStore(str(tmp_path / "memory.db"))
        await store.open()
        yield store
        await store.close()

    @pytest.fixture
    async def other(self, store: SqliteStore, tmp_path: Path) -> AsyncIterator[SqliteStore]:
        """Yield a second store on the same file, with a thread of its own that writes."""
        other = SqliteStore(str(tmp_path / "memory.db"))
        await other.open()
        yield other
        await other.close()


class TestFolderStore(StoreContract):
    """A folder, with a file for each scope."""

    @pytest.fixture
    async def store(self, tmp_path: Path) -> AsyncIterator[FolderStore]:
        """Yield a store on a new folder."""
        store = FolderStore(str(tmp_path / "memories"))
        await store.open()
        yield store
        await store.close()

    @pytest.fixture
    async def other(self, store: FolderStore, tmp_path: Path) -> AsyncIterator[FolderStore]:
        """Yield a second store on the same folder, with files of its own that are open."""
        other = FolderStore(str(tmp_path / "memories"))
        await other.open()
        yield other
        await other.close()


class TestPgStore(StoreContract):
    """PostgreSQL, on a real server."""

    @pytest.fixture
    async def store(self, postgres_address: str) -> AsyncIterator[PgStore]:
        """Yield a store on an empty database."""
        store = PgStore(postgres_address)
        await store.open()
        yield store
        await store.close()

    @pytest.fixture
    async def other(self, store: PgStore, postgres_address: str) -> AsyncIterator[PgStore]:
        """Yield a second store on the same database, with connections of its own."""
        other = PgStore(postgres_address)
        await other.open()
        yield other
        await other.close()


class TestNeo4jStore(StoreContract):
    """Neo4j, on a real server."""

    @pytest.fixture
    async def store(self, neo4j_address: str) -> AsyncIterator[Neo4jStore]:
        """Yield a store on an empty database."""
        store = Neo4jStore(neo4j_address)
        await store.open()
        yield store
        await store.close()

    @pytest.fixture
    async def other(self, store: Neo4jStore, neo4j_address: str) -> AsyncIterator[Neo4jStore]:
        """Yield a second store on the same database, with connections of its own."""
        other = Neo4jStore(neo4j_address)
        await other.open()
        yield other
        await other.close()
