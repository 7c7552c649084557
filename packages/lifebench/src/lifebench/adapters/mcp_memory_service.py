"""mcp-memory-service on SQLite with sqlite-vec; a scope is a store of its own.

In an environment of its own: `pip install mcp-memory-service pysqlite3-binary`.
Its index is an extension of SQLite, which not every Python may load: pysqlite3 stands in for the library's module.
"""

import asyncio
import os
import sys
from typing import Any

import numpy as np
import pysqlite3

sys.modules["sqlite3"] = pysqlite3
os.environ.update(HF_HUB_OFFLINE="1", MCP_MEMORY_ALLOW_HASH_EMBEDDINGS="1")
from mcp_memory_service.models.memory import Memory as Entry
from mcp_memory_service.storage.sqlite_vec import SqliteVecMemoryStorage
from mcp_memory_service.utils.hashing import generate_content_hash

from lifebench.adapter import Adapter, Unsupported


class PaddedEmbedder:
    """Its embedding model: vectors of the adapter, in as many dimensions as it wants."""

    def __init__(self, adapter: Adapter, dimensions: int) -> None:
        self._adapter, self._dimensions = adapter, dimensions

    def encode(self, texts: list[str], **_: Any) -> Any:
        vectors = np.zeros((len(texts), self._dimensions), np.float32)
        words = np.array(self._adapter.embed(texts), np.float32)
        vectors[:, : words.shape[1]] = words
        return vectors


class Memory(Adapter):
    """One file."""

    def open(self, folder: str) -> None:
        self._loop = asyncio.new_event_loop()
        self._storage = SqliteVecMemoryStorage(f"{folder}/memory.db")
        self._run(self._storage.initialize())
        self._storage.embedding_model = PaddedEmbedder(self, self._storage.embedding_dimension)

    def close(self) -> None:
        self._run(self._storage.close())

    def _run(self, work: Any) -> Any:
        return self._loop.run_until_complete(work) if asyncio.iscoroutine(work) else work

    def write(self, text: str, scope: str, by: str, source: str) -> None:
        entry = Entry(text, generate_content_hash(text), tags=[by], metadata={"source": source})
        self._run(self._storage.store(entry, store=scope))

    def _find(self, question: str, limit: int, scope: str) -> list[Any]:
        found = self._run(self._storage.retrieve(question, n_results=limit, store=scope))
        return [hit.memory for hit in found]

    def rows(self, question: str, limit: int, scope: str) -> list[str]:
        return [memory.content for memory in self._find(question, limit, scope)]

    def forget(self, query: str, scope: str) -> None:
        for memory in self._find(query, 1, scope):
            self._run(self._storage.delete(memory.content_hash, store=scope))

    def erase(self, query: str, scope: str) -> None:
        self.forget(query, scope)
        self._run(self._storage.purge_deleted(older_than_days=0))

    def supersede(self, query: str, text: str, scope: str) -> None:
        for memory in self._find(query, 1, scope):
            is_done, why, _ = self._run(self._storage.update_memory_versioned(memory.content_hash, text))
            if not is_done:
                raise Unsupported(why)

    def origins(self, question: str, scope: str) -> list[str]:
        return [str(memory.metadata.get("source")) for memory in self._find(question, 1, scope)]
