"""Chroma on disk; a scope is a value of its metadata.

pip install chromadb
"""

from typing import Any
from uuid import uuid4

import chromadb
from chromadb.config import Settings

from lifebench.adapter import Adapter


class Memory(Adapter):
    """One collection."""

    def open(self, folder: str) -> None:
        client = chromadb.PersistentClient(folder, Settings(anonymized_telemetry=False))
        self._texts = client.get_or_create_collection("texts", embedding_function=None)

    def write(self, text: str, scope: str, by: str, source: str) -> None:
        about = {"scope": scope, "by": by, "source": source}
        self._texts.add(
            ids=[str(uuid4())], documents=[text], embeddings=self.embed([text]), metadatas=[about]
        )

    def _find(self, question: str, limit: int, scope: str) -> list[tuple[str, str, dict[str, Any]]]:
        found = self._texts.query(
            query_embeddings=self.embed([question]), n_results=limit, where={"scope": scope}
        )
        return list(zip(found["ids"][0], found["documents"][0], found["metadatas"][0], strict=True))

    def rows(self, question: str, limit: int, scope: str) -> list[str]:
        return [text for _, text, _ in self._find(question, limit, scope)]

    def forget(self, query: str, scope: str) -> None:
        for name, _, _ in self._find(query, 1, scope):
            self._texts.delete(ids=[name])

    erase = forget

    def supersede(self, query: str, text: str, scope: str) -> None:
        for name, _, _ in self._find(query, 1, scope):
            self._texts.update(ids=[name], documents=[text], embeddings=self.embed([text]))

    def origins(self, question: str, scope: str) -> list[str]:
        return [str(about["source"]) for _, _, about in self._find(question, 1, scope)]
