"""elfmem with a language model that says nothing; its embedder is the adapter's. A scope is a file.

In an environment of its own: `pip install elfmem`.

It has no tenants, so each scope is a database of its own.
"""

import asyncio
from pathlib import Path
from typing import Any

import numpy as np
from elfmem.adapters.mock import make_mock_llm
from elfmem.api import MemorySystem
from elfmem.config import ElfmemConfig
from elfmem.db.engine import create_engine
from elfmem.db.models import metadata
from elfmem.db.queries import seed_builtin_data

from lifebench.adapter import Adapter


class Embedder:
    """Its embedding service."""

    model_name = "words"

    def __init__(self, adapter: Adapter) -> None:
        self._adapter = adapter

    async def embed(self, text: str) -> Any:
        return np.array(self._adapter.embed([text])[0], np.float32)

    async def embed_batch(self, texts: list[str]) -> list[Any]:
        return [np.array(row, np.float32) for row in self._adapter.embed(texts)]


class Memory(Adapter):
    """A folder with a database a scope, each in a session."""

    def open(self, folder: str) -> None:
        self._folder = folder
        self._loop = asyncio.new_event_loop()
        self._systems: dict[str, MemorySystem] = {}

    def close(self) -> None:
        for system in self._systems.values():
            self._run(system.end_session())
            self._run(system.close())
        self._systems.clear()

    def _run(self, work: Any) -> Any:
        return self._loop.run_until_complete(work)

    async def _make(self, scope: str) -> MemorySystem:
        path = Path(self._folder) / f"{scope.encode().hex()}.db"
        is_new, engine = not path.exists(), await create_engine(str(path))
        if is_new:
            async with engine.begin() as connection:
                await connection.run_sync(metadata.create_all)
                await seed_builtin_data(connection)
        system = MemorySystem(
            engine=engine,
            llm_service=make_mock_llm(),
            embedding_service=Embedder(self),
            config=ElfmemConfig(memory={"max_inbox_per_run": None}),
        )
        await system.begin_session()
        return system

    def _system(self, scope: str) -> Any:
        if scope not in self._systems:
            self._systems[scope] = self._run(self._make(scope))
        return self._systems[scope]

    def write(self, text: str, scope: str, by: str, source: str) -> None:
        self._run(self._system(scope).learn(text, source=source or by))

    def settle(self) -> None:
        for system in self._systems.values():
            self._run(system.dream(skip_llm=True))

    def _find(self, question: str, limit: int, scope: str) -> list[Any]:
        return list(self._run(self._system(scope).recall(question, top_k=limit)))

    def rows(self, question: str, limit: int, scope: str) -> list[str]:
        return [hit.content for hit in self._find(question, limit, scope)]

    def forget(self, query: str, scope: str) -> None:
        for hit in self._find(query, 1, scope):
            self._run(self._system(scope).forget(hit.id))

    def supersede(self, query: str, text: str, scope: str) -> None:
        for hit in self._find(query, 1, scope):
            self._run(self._system(scope).edit(hit.id, text))

    def run_jobs(self) -> None:
        for system in self._systems.values():
            self._run(system.curate())
