"""elfmem with a language model that says nothing; its vectors decide what is found."""

import asyncio
import math
import sqlite3
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
from driver import DEPTH, Item, Prepared, main
from elfmem.adapters.mock import make_mock_llm
from elfmem.api import MemorySystem
from elfmem.config import ElfmemConfig
from elfmem.db.engine import create_engine
from elfmem.db.models import metadata
from elfmem.db.queries import seed_builtin_data

# No text is dropped as a duplicate of a similar one, and the inbox goes in one call.
CONFIG = {
    "memory": {"near_dup_exact_threshold": 1.01, "near_dup_near_threshold": 1.01, "max_inbox_per_run": None}
}

FADED = 0.05  # it archives what has less of its recency left


class Looked:
    """Its embedding service: looks vectors up."""

    model_name = "prepared"

    def __init__(self, vectors: Prepared) -> None:
        self._vectors = vectors

    async def embed(self, text: str) -> Any:
        """Return the vector of a text."""
        return np.array(self._vectors([text])[0], np.float32)

    async def embed_batch(self, texts: Sequence[str]) -> list[Any]:
        """Return the vectors of texts."""
        return [np.array(vector, np.float32) for vector in self._vectors(texts)]


class Store:
    """One file, in a session, without which its clock stands still."""

    def __init__(self, folder: Path, vectors: Prepared) -> None:
        self._path, self._vectors = folder / "elfmem.db", vectors
        self._loop = asyncio.new_event_loop()
        self._system: Any = self._run(self._opened(self._path, vectors))

    async def _opened(self, path: Path, vectors: Prepared) -> MemorySystem:
        engine, is_new = await create_engine(str(path)), not path.exists()
        if is_new:
            async with engine.begin() as connection:
                await connection.run_sync(metadata.create_all)
                await seed_builtin_data(connection)
        system = MemorySystem(
            engine=engine,
            llm_service=make_mock_llm(),
            embedding_service=Looked(vectors),
            config=ElfmemConfig(**CONFIG),
        )
        await system.begin_session()
        return system

    def _run(self, work: Any) -> Any:
        return self._loop.run_until_complete(work)

    def add(self, _: str, text: str) -> None:
        """Learn one text; it takes no id of ours."""
        self._run(self._system.learn(text))

    def add_many(self, items: Sequence[Item]) -> None:
        """Learn all, one by one in one go."""

        async def learn() -> None:
            for _, text in items:
                await self._system.learn(text)

        self._run(learn())

    def settle(self) -> None:
        """Take the inbox up: before that, nothing is found."""
        self._run(self._system.dream(skip_llm=True))

    def search(self, question: str) -> list[str]:
        """Return the texts of the best."""
        return [hit.content for hit in self._run(self._system.recall(question, top_k=DEPTH))]

    def keep(self, share: float) -> list[str]:
        """Curate after so many hours of work, spread evenly over what was learned, that a share has not faded yet.

        Its clock runs only while a session is open, so the hours are set in its tables.
        """
        self.close()
        with sqlite3.connect(self._path) as tables:
            active = "FROM blocks WHERE status = 'active' ORDER BY rowid"
            rows = tables.execute(f"SELECT rowid, decay_lambda {active}").fetchall()
            faded = math.log(1 / FADED) / median(fades for _, fades in rows)
            step = faded / max(1.0, share * len(rows))
            ages = [step * (len(rows) - place - 0.5) for place in range(len(rows))]
            end = step * len(rows)
            tables.executemany(
                "UPDATE blocks SET last_reinforced_at = ? WHERE rowid = ?",
                [(end - age, row) for age, (row, _) in zip(ages, rows, strict=True)],
            )
            tables.execute(
                "INSERT INTO system_config (key, value) VALUES ('total_active_hours', ?)"
                " ON CONFLICT (key) DO UPDATE SET value = excluded.value",
                (str(end),),
            )
        tables.close()
        self._system = self._run(self._opened(self._path, self._vectors))
        self._run(self._system.curate())
        with sqlite3.connect(self._path) as tables:
            kept = [text for (text,) in tables.execute(f"SELECT content {active}")]
        tables.close()
        return kept

    def close(self) -> None:
        """Close the file."""
        self._run(self._system.close())


if __name__ == "__main__":
    main(Store)
