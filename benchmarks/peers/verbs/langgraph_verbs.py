"""LangGraph's `SqliteStore` with its vector index; a user is a namespace."""

from pathlib import Path
from typing import Any
from uuid import uuid4

import driver
import pysqlite3
from langgraph.store.sqlite import SqliteStore

ALL = 10_000

PACKAGE = "langgraph-checkpoint-sqlite"


def open_memory(folder: Path) -> Any:
    """Open a store."""
    path = folder / "langgraph.db"
    connection = pysqlite3.connect(path, check_same_thread=False, isolation_level=None)
    store = SqliteStore(
        connection, index={"dims": driver.DIMENSIONS, "embed": driver.embed, "fields": ["text"]}
    )
    store.setup()
    return store


def remember(store: Any, user: str, topic: str, text: str) -> Any:
    """Keep a text."""
    name = str(uuid4())
    store.put((user,), name, {"text": text, "topic": topic})
    return user, name, topic


def find(store: Any, user: str, question: str) -> list[str]:
    """Answer a question."""
    return [item.value["text"] for item in store.search((user,), query=question)]


def filter_(store: Any, user: str, topic: str) -> list[str]:
    """List all of a topic."""
    return [item.value["text"] for item in store.search((user,), filter={"topic": topic}, limit=ALL)]


def everything(store: Any, user: str) -> list[str]:
    """List all of a user."""
    return [item.value["text"] for item in store.search((user,), limit=ALL)]


def correct(store: Any, name: Any, text: str) -> None:
    """Put a right text in place of a wrong one."""
    user, key, topic = name
    store.put((user,), key, {"text": text, "topic": topic})


def forget(store: Any, name: Any) -> None:
    """Delete one."""
    user, key, _ = name
    store.delete((user,), key)


def delete_a_user(store: Any, user: str) -> None:
    """Delete all of a user."""
    for item in store.search((user,), limit=ALL):
        store.delete((user,), item.key)


def close(store: Any) -> None:
    """Close the file."""
    store.conn.close()


if __name__ == "__main__":
    import sys

    driver.main(sys.modules["__main__"])
