"""mem0 with `infer=False` (no language model) on Qdrant in a folder; its embedder counts words."""

from pathlib import Path
from typing import Any

import driver
from mem0 import Memory

PACKAGE = "mem0ai"
ALL = 10_000


class Words:
    """Its embedder."""

    def embed(self, text: str, _: Any = None) -> list[float]:
        """Return the vector of a text."""
        return driver.embed([text])[0]

    def embed_batch(self, texts: list[str], _: Any = None) -> list[list[float]]:
        """Return the vectors of texts."""
        return driver.embed(texts)


def open_memory(folder: Path) -> Any:
    """Open a memory."""
    kept = {"path": str(folder / "qdrant"), "on_disk": True, "embedding_model_dims": driver.DIMENSIONS}
    vectors = {"provider": "qdrant", "config": kept}
    memory = Memory.from_config({"vector_store": vectors, "history_db_path": str(folder / "history.db")})
    memory.embedding_model = Words()
    return memory


def remember(memory: Any, user: str, topic: str, text: str) -> Any:
    """Keep a text."""
    return memory.add(text, user_id=user, metadata={"topic": topic}, infer=False)["results"][0]["id"]


def find(memory: Any, user: str, question: str) -> list[str]:
    """Answer a question."""
    return [hit["memory"] for hit in memory.search(question, filters={"user_id": user})["results"]]


def filter_(memory: Any, user: str, topic: str) -> list[str]:
    """List all of a topic."""
    found = memory.get_all(filters={"user_id": user, "topic": topic}, top_k=ALL)["results"]
    return [one["memory"] for one in found]


def everything(memory: Any, user: str) -> list[str]:
    """List all of a user."""
    return [one["memory"] for one in memory.get_all(filters={"user_id": user}, top_k=ALL)["results"]]


def correct(memory: Any, name: Any, text: str) -> None:
    """Put a right text in place of a wrong one."""
    memory.update(name, text)


def forget(memory: Any, name: Any) -> None:
    """Delete one."""
    memory.delete(name)


def delete_a_user(memory: Any, user: str) -> None:
    """Delete all of a user."""
    memory.delete_all(user_id=user)


def close(memory: Any) -> None:
    """Close its files."""
    memory.vector_store.client.close()


if __name__ == "__main__":
    import sys

    driver.main(sys.modules["__main__"])
