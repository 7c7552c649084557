"""Every store keeps the contract; the suite itself is shipped in `remanence.testing`."""

from collections.abc import AsyncIterator

import pytest

from remanence.store.memory import MemoryStore
from remanence.testing.contract import StoreContract


class TestMemoryStore(StoreContract):
    """The reference, in plain dicts."""

    @pytest.fixture
    async def store(self) -> AsyncIterator[MemoryStore]:
        """Yield an empty store."""
        store = MemoryStore()
        await store.open()
        yield store
        await store.close()
