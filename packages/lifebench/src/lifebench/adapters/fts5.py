"""SQLite's full-text search as anyone would set it up: any word of the question, ranked by BM25."""

import re
import sqlite3

from lifebench.adapter import Adapter


class Memory(Adapter):
    """One virtual table."""

    def open(self, folder: str) -> None:
        self._db = sqlite3.connect(f"{folder}/fts5.db", isolation_level=None)
        self._db.execute(
            "CREATE VIRTUAL TABLE IF NOT EXISTS t USING fts5(text, scope UNINDEXED, tokenize = 'porter')"
        )

    def close(self) -> None:
        self._db.close()

    def write(self, text: str, scope: str, by: str, source: str) -> None:
        self._db.execute("INSERT INTO t VALUES (?, ?)", (text, scope))

    def _find(self, question: str, limit: int, scope: str) -> list[tuple[int, str]]:
        words = " OR ".join(f'"{word}"' for word in re.findall(r"\w+", question))
        sql = "SELECT rowid, text FROM t WHERE t MATCH ? AND scope = ? ORDER BY rank LIMIT ?"
        return self._db.execute(sql, (words or '""', scope, limit)).fetchall()

    def rows(self, question: str, limit: int, scope: str) -> list[str]:
        return [text for _, text in self._find(question, limit, scope)]

    def forget(self, query: str, scope: str) -> None:
        for number, _ in self._find(query, 1, scope):
            self._db.execute("DELETE FROM t WHERE rowid = ?", (number,))

    erase = forget

    def supersede(self, query: str, text: str, scope: str) -> None:
        self.forget(query, scope)
        self.write(text, scope, "user", "")
