"""Ours, through the plain face; a user is a speaker."""

from pathlib import Path
from typing import Any

import driver

import remanence.sync

PACKAGE = "remanence"


def open_memory(folder: Path) -> Any:
    """Open a memory."""
    return remanence.sync.open(folder / "agent.db")


def remember(memory: Any, user: str, topic: str, text: str) -> Any:
    """Keep a text."""
    return memory.learn(text, speaker=user, tags=[topic])


def find(memory: Any, user: str, question: str) -> list[str]:
    """Answer a question."""
    return [hit.memory.text for hit in memory.recall(question, filters={"speaker": user}).memories]


def filter_(memory: Any, user: str, topic: str) -> list[str]:
    """List all of a topic."""
    return [one.text for one in memory.list(speaker=user, tags=[topic])]


def everything(memory: Any, user: str) -> list[str]:
    """List all of a user."""
    return [one.text for one in memory.list(speaker=user)]


def correct(memory: Any, name: Any, text: str) -> None:
    """Put a right text in place of a wrong one."""
    memory.correct(name, text)


def forget(memory: Any, name: Any) -> None:
    """Delete one."""
    memory.forget(name)


def undo(memory: Any, name: Any) -> None:
    """Bring it back."""
    memory.restore(name)


def plan(memory: Any) -> str:
    """See what would be done, before it is."""
    return str(memory.plan("default"))


def within_a_budget(memory: Any, user: str, question: str) -> str:
    """Return what answers a question in at most 200 tokens."""
    return str(memory.recall(question, filters={"speaker": user}, budget=200).text)


def delete_a_user(memory: Any, user: str) -> None:
    """Erase all of a user, and the proof that it is gone."""
    memory.erase.apply(memory.erase.show(subject=[user]))


def close(memory: Any) -> None:
    """Close the file."""
    memory.close()


if __name__ == "__main__":
    import sys

    driver.main(sys.modules["__main__"])
