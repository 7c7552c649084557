"""elfmem with a language model that says nothing; its embedder counts words. A user is a tag, a topic another."""

import asyncio
from pathlib import Path
from typing import Any

import driver
import numpy as np
from elfmem.adapters.mock import make_mock_llm
from elfmem.api import MemorySystem
from elfmem.config import ElfmemConfig
from elfmem.db.engine import create_engine
from elfmem.db.models import metadata
from elfmem.db.queries import seed_builtin_data

LOOP = asyncio.new_event_loop()
CONFIG = {
    "memory": {"near_dup_exact_threshold": 1.01, "near_dup_near_threshold": 1.01, "max_inbox_per_run": None}
}
PACKAGE = "elfmem"
ALL = 10_000


class Words:
    """Its embedding service."""

    model_name = "words"

    async def embed(self, text: str) -> Any:
        """Return the vector of a text."""
        return np.array(driver.embed([text])[0], np.float32)

    async def embed_batch(self, texts: list[str]) -> list[Any]:
        """Return the vectors of texts."""
        return [np.array(row, np.float32) for row in driver.embed(texts)]


async def _open(path: Path) -> MemorySystem:
    engine = await create_engine(str(path))
    async with engine.begin() as connection:
        await connection.run_sync(metadata.create_all)
        await seed_builtin_data(connection)
    return MemorySystem(
        engine=engine,
        llm_service=make_mock_llm(),
        embedding_service=Words(),
        config=ElfmemConfig(**CONFIG),
    )


def open_memory(folder: Path) -> Any:
    """Open a memory, in a session."""
    memory = LOOP.run_until_complete(_open(folder / "elfmem.db"))
    LOOP.run_until_complete(memory.begin_session())
    return memory


def remember(memory: Any, user: str, topic: str, text: str) -> Any:
    """Keep a text."""
    return LOOP.run_until_complete(memory.learn(text, tags=[user, topic])).block_id


def settle(memory: Any) -> None:
    """Take the inbox up: before that nothing is found."""
    LOOP.run_until_complete(memory.dream(skip_llm=True))


def find(memory: Any, _user: str, question: str) -> list[str]:
    """Answer a question, of whatever user."""
    return [hit.content for hit in LOOP.run_until_complete(memory.recall(question))]


def filter_(memory: Any, user: str, topic: str) -> list[str]:
    """List all of a topic; of a user and a topic by hand."""
    found = LOOP.run_until_complete(memory.ls(tag=topic, limit=ALL))
    return [one.content for one in found if user in one.tags]


def everything(memory: Any, user: str) -> list[str]:
    """List all of a user."""
    return [one.content for one in LOOP.run_until_complete(memory.ls(tag=user, limit=ALL))]


def correct(memory: Any, name: Any, text: str) -> None:
    """Put a right text in place of a wrong one."""
    LOOP.run_until_complete(memory.edit(name, text))


def forget(memory: Any, name: Any) -> None:
    """Archive one."""
    LOOP.run_until_complete(memory.forget(name))


def delete_a_user(memory: Any, user: str) -> None:
    """Archive all of a user: none of its verbs deletes."""
    for one in LOOP.run_until_complete(memory.ls(tag=user, limit=ALL)):
        LOOP.run_until_complete(memory.forget(one.id))


def close(memory: Any) -> None:
    """Close the file."""
    LOOP.run_until_complete(memory.close())


if __name__ == "__main__":
    import sys

    driver.main(sys.modules["__main__"])
