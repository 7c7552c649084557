"""Arguments of the wrong kind are refused before anything is done, in words that say what to pass."""

from collections.abc import Awaitable, Callable
from typing import Any

import pytest

import remanence
from remanence.core.errors import InvalidInput

Call = Callable[[Any], Awaitable[Any]]  # what is typed keeps none of these out: a caller may not check

WRONG: dict[str, Call] = {
    "a number to learn": lambda memory: memory.learn(5),
    "bytes to learn": lambda memory: memory.learn(b"Ropes are in the shed."),
    "a list to put": lambda memory: memory.learn(["text"], key="key", source="s"),
    "nothing to ask": lambda memory: memory.recall(None),
    "a mapping to learn": lambda memory: memory.learn({"text": "abc"}),
    "tags in one string": lambda memory: memory.learn("Ropes.", tags="shed"),
    "a time as text": lambda memory: memory.learn("Ropes.", said_at="2026-01-01"),
    "a time with a fraction": lambda memory: memory.learn("Ropes.", said_at=3.5),
    "a hold until a word": lambda memory: memory.hold(1, "audit", until="spring"),
    "a span of words": lambda memory: memory.recall("ropes", between=("a", "b")),
    "a limit as text": lambda memory: memory.recall("ropes", limit="3"),
    "a limit that is true": lambda memory: memory.recall("ropes", limit=True),
    "a budget as text": lambda memory: memory.recall("ropes", budget="800"),
    "a list without end": lambda memory: memory.list(limit=-1),
    "a list as long as a word": lambda memory: memory.list(limit="all"),
    "a history of nothing": lambda memory: memory.history(limit=0),
    "a list as a name": lambda memory: memory.get([1]),
    "no name": lambda memory: memory.rate(None, "right"),
    "names in a set to forget": lambda memory: memory.forget({1, 2}),
    "a list in a list to forget": lambda memory: memory.forget([[1]]),
    "several to get": lambda memory: memory.get([1, 2]),
    "a mapping to restore": lambda memory: memory.restore({"id": 1}),
    "a list among what is rated": lambda memory: memory.rate([[1]], 0.5),
    "no run to undo": lambda memory: memory.undo(None),
}


@pytest.mark.parametrize("name", WRONG)
async def test_an_argument_of_the_wrong_kind_is_invalid_input(memory: remanence.Engine, name: str) -> None:
    """It says what to pass instead, and nothing is written."""
    await memory.learn("The spare ropes are in the boat shed.")
    before = await memory.history()

    with pytest.raises(InvalidInput) as caught:
        await WRONG[name](memory)

    assert caught.value.recovery
    assert before == await memory.history()
