"""mem0 without a language model (`infer=False`) on Qdrant in a folder; a scope is a user.

pip install mem0ai
"""

import os
from typing import Any

os.environ.update(MEM0_TELEMETRY="False", OPENAI_API_KEY="nobody is asked")
from mem0 import Memory as Mem0

from lifebench.adapter import Adapter


class Embedder:
    """Its embedder."""

    def __init__(self, adapter: Adapter) -> None:
        self._adapter = adapter

    def embed(self, text: str, _: Any = None) -> list[float]:
        return self._adapter.embed([text])[0]

    def embed_batch(self, texts: list[str], _: Any = None) -> list[list[float]]:
        return self._adapter.embed(texts)


class Memory(Adapter):
    """One folder."""

    def open(self, folder: str) -> None:
        os.environ["MEM0_DIR"] = folder
        kept = {"path": f"{folder}/qdrant", "on_disk": True, "embedding_model_dims": self.dimensions}
        vectors = {"provider": "qdrant", "config": kept}
        self._memory = Mem0.from_config({"vector_store": vectors, "history_db_path": f"{folder}/history.db"})
        self._memory.embedding_model = Embedder(self)

    def close(self) -> None:
        self._memory.vector_store.client.close()

    def write(self, text: str, scope: str, by: str, source: str) -> None:
        self._memory.add(text, user_id=scope, metadata={"by": by, "source": source}, infer=False)

    def _find(self, question: str, limit: int, scope: str) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self._memory.search(question, filters={"user_id": scope}, top_k=limit)[
            "results"
        ]
        return found

    def rows(self, question: str, limit: int, scope: str) -> list[str]:
        return [hit["memory"] for hit in self._find(question, limit, scope)]

    def forget(self, query: str, scope: str) -> None:
        for hit in self._find(query, 1, scope):
            self._memory.delete(hit["id"])

    erase = forget

    def supersede(self, query: str, text: str, scope: str) -> None:
        for hit in self._find(query, 1, scope):
            self._memory.update(hit["id"], text)

    def audit(self, scope: str) -> list[str]:
        rows = self._memory.db.connection.execute(
            "SELECT event, old_memory, new_memory FROM history"
        ).fetchall()
        return [" ".join(str(part) for part in row) for row in rows]

    def origins(self, question: str, scope: str) -> list[str]:
        return [str(hit["metadata"]["source"]) for hit in self._find(question, 1, scope)]
