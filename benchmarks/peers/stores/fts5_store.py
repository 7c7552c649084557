"""SQLite's full-text search with the Porter stemmer, as anyone would set it up: a question's words, any of them."""

import re
import sqlite3
from collections.abc import Sequence
from pathlib import Path

from driver import DEPTH, Item, Prepared, main


class Store:
    """One virtual table, ranked by BM25."""

    def __init__(self, folder: Path, _: Prepared) -> None:
        self._connection = sqlite3.connect(folder / "fts5.db", isolation_level=None)
        self._connection.execute("PRAGMA journal_mode = wal")
        self._connection.execute(
            "CREATE VIRTUAL TABLE IF NOT EXISTS notes USING fts5(id UNINDEXED, text, tokenize = 'porter')"
        )

    def add(self, name: str, text: str) -> None:
        """Learn one text, in a transaction of its own."""
        self._connection.execute("INSERT INTO notes (id, text) VALUES (?, ?)", (name, text))

    def add_many(self, items: Sequence[Item]) -> None:
        """Learn all in one transaction."""
        self._connection.execute("BEGIN")
        self._connection.executemany("INSERT INTO notes (id, text) VALUES (?, ?)", items)
        self._connection.execute("COMMIT")

    def settle(self) -> None:
        """Leave all as it is."""

    def search(self, question: str) -> list[str]:
        """Return the ids of what holds any of the words, the best first."""
        words = " OR ".join(f'"{word}"' for word in re.findall(r"\w+", question))
        rows = self._connection.execute(
            "SELECT id FROM notes WHERE notes MATCH ? ORDER BY rank LIMIT ?", (words or '""', DEPTH)
        )
        return [name for (name,) in rows.fetchall()]

    def close(self) -> None:
        """Close the file."""
        self._connection.close()


if __name__ == "__main__":
    main(Store)
