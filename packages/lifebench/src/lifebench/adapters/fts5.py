"""SQLite's full-text search as anyone would set it up: any word of the question, ranked by BM25."""

import re
import sqlite3

from lifebench.adapter import HITS, Adapter, count_named


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

    def _find(self, question: str, limit: int, scope: str) -> list[tuple[int, str, float]]:
        words = " OR ".join(f'"{word}"' for word in re.findall(r"\w+", question))
        sql = "SELECT rowid, text, -rank FROM t WHERE t MATCH ? AND scope = ? ORDER BY rank LIMIT ?"
        return self._db.execute(sql, (words or '""', scope, limit)).fetchall()

    def rows(self, question: str, limit: int, scope: str) -> list[str]:
        return [text for _, text, _ in self._find(question, limit, scope)]

    def forget(self, query: str, scope: str) -> None:
        self._delete(self._find(query, 1, scope))

    def forget_all(self, query: str, scope: str) -> None:
        hits = self._find(query, HITS, scope)
        self._delete(hits[: count_named([score for _, _, score in hits])])

    def _delete(self, hits: list[tuple[int, str, float]]) -> None:
        self._db.executemany("DELETE FROM t WHERE rowid = ?", [(number,) for number, _, _ in hits])

    erase, erase_all = forget, forget_all

    def supersede(self, query: str, text: str, scope: str) -> None:
        self.forget(query, scope)
        self.write(text, scope, "user", "")
