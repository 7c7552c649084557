"""LangGraph's `SqliteStore` with its vector index; it has no full text.

Its index is an extension of SQLite, which not every Python may load: pysqlite3 stands in for the library's module.
"""

from collections.abc import Sequence
from pathlib import Path

import pysqlite3
from driver import DEPTH, Item, Prepared, main
from langgraph.store.base import PutOp
from langgraph.store.sqlite import SqliteStore

SPACE = ("notes",)


class Store:
    """One namespace of one file."""

    def __init__(self, folder: Path, vectors: Prepared) -> None:
        index = {"dims": vectors.dimensions, "embed": vectors}
        path = folder / "langgraph.db"
        self._connection = pysqlite3.connect(path, check_same_thread=False, isolation_level=None)
        self._store = SqliteStore(self._connection, index=index)
        self._store.setup()

    def add(self, name: str, text: str) -> None:
        """Learn one text."""
        self._store.put(SPACE, name, {"text": text}, index=["text"])

    def add_many(self, items: Sequence[Item]) -> None:
        """Learn all in one batch."""
        self._store.batch([PutOp(SPACE, name, {"text": text}, index=["text"]) for name, text in items])

    def settle(self) -> None:
        """Leave all as it is."""

    def search(self, question: str) -> list[str]:
        """Return the keys of the nearest."""
        return [item.key for item in self._store.search(SPACE, query=question, limit=DEPTH)]

    def close(self) -> None:
        """Close the file."""
        self._connection.close()


if __name__ == "__main__":
    main(Store)
