"""mem0 with `infer=False` (no language model) and its default vector store, Qdrant on local disk.

Its extras (spaCy and fastembed, which download models) are not installed: it ranks by vectors alone.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from driver import DEPTH, Item, Prepared, main
from mem0 import Memory

USER = "notes"


class Looked:
    """Its embedder: looks vectors up."""

    def __init__(self, vectors: Prepared) -> None:
        self._vectors = vectors

    def embed(self, text: str, _: Any = None) -> list[float]:
        """Return the vector of a text."""
        return self._vectors([text])[0]

    def embed_batch(self, texts: Sequence[str], _: Any = None) -> list[list[float]]:
        """Return the vectors of texts."""
        return self._vectors(texts)


class Store:
    """One user of one store."""

    def __init__(self, folder: Path, vectors: Prepared) -> None:
        kept = {"path": str(folder / "qdrant"), "on_disk": True, "embedding_model_dims": vectors.dimensions}
        self._memory = Memory.from_config(
            {
                "vector_store": {"provider": "qdrant", "config": kept},
                "history_db_path": str(folder / "history.db"),
            }
        )
        self._memory.embedding_model = Looked(vectors)

    def add(self, name: str, text: str) -> None:
        """Learn one text."""
        self._memory.add(text, user_id=USER, metadata={"name": name}, infer=False)

    def add_many(self, items: Sequence[Item]) -> None:
        """Learn all; one call takes many messages, but one set of metadata, so each text is a call."""
        for item in items:
            self.add(*item)

    def settle(self) -> None:
        """Leave all as it is."""

    def search(self, question: str) -> list[str]:
        """Return the ids of the nearest."""
        found = self._memory.search(question, filters={"user_id": USER}, top_k=DEPTH, threshold=0.0)
        return [hit["metadata"]["name"] for hit in found["results"]]

    def close(self) -> None:
        """Close its files."""
        self._memory.vector_store.client.close()


if __name__ == "__main__":
    main(Store)
