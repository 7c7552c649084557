"""LangGraph's `SqliteStore` with its vector index; a scope is a namespace.

In an environment of its own: `pip install langgraph-checkpoint-sqlite pysqlite3-binary`.

Its index is an extension of SQLite, which not every Python may load: pysqlite3 stands in for the library's module.
"""

from typing import Any
from uuid import uuid4

import pysqlite3
from langgraph.store.sqlite import SqliteStore

from lifebench.adapter import Adapter


class Memory(Adapter):
    """One file."""

    def open(self, folder: str) -> None:
        connection = pysqlite3.connect(f"{folder}/store.db", check_same_thread=False, isolation_level=None)
        index: Any = {"dims": self.dimensions, "embed": self.embed, "fields": ["text"]}
        self._store = SqliteStore(connection, index=index)
        self._store.setup()

    def close(self) -> None:
        self._store.conn.close()

    def write(self, text: str, scope: str, by: str, source: str) -> None:
        about = {"text": text, "by": by, "source": source}
        self._store.put((scope or "none",), str(uuid4()), about, index=["text"])

    def rows(self, question: str, limit: int, scope: str) -> list[str]:
        return [
            item.value["text"] for item in self._store.search((scope or "none",), query=question, limit=limit)
        ]

    def forget(self, query: str, scope: str) -> None:
        for item in self._store.search((scope or "none",), query=query, limit=1):
            self._store.delete(item.namespace, item.key)

    erase = forget

    def supersede(self, query: str, text: str, scope: str) -> None:
        for item in self._store.search((scope or "none",), query=query, limit=1):
            self._store.put(item.namespace, item.key, {**item.value, "text": text}, index=["text"])

    def run_jobs(self) -> None:
        self._store.sweep_ttl()

    def origins(self, question: str, scope: str) -> list[str]:
        found = self._store.search((scope or "none",), query=question, limit=1)
        return [str(item.value["source"]) for item in found]
