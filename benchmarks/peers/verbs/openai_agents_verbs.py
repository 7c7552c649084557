"""The `SQLiteSession` of the OpenAI Agents SDK; a user is a session. It keeps what was said, in its order."""

import asyncio
from pathlib import Path
from typing import Any

import driver
from agents import SQLiteSession

PACKAGE = "openai-agents"


def open_memory(folder: Path) -> Any:
    """Open the sessions of two users."""
    return {user: SQLiteSession(user, folder / "sessions.db") for user in driver.USERS}


def remember(sessions: Any, user: str, _topic: str, text: str) -> Any:
    """Keep a text."""
    asyncio.run(sessions[user].add_items([{"role": "user", "content": text}]))


def everything(sessions: Any, user: str) -> list[str]:
    """List all of a user."""
    return [item["content"] for item in asyncio.run(sessions[user].get_items())]


def delete_a_user(sessions: Any, user: str) -> None:
    """Delete all of a user."""
    asyncio.run(sessions[user].clear_session())


def close(sessions: Any) -> None:
    """Close the file."""
    for session in sessions.values():
        session.close()


if __name__ == "__main__":
    import sys

    driver.main(sys.modules["__main__"])
