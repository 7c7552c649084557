"""Takes one memory through its life and looks whether each step did what it says: `NAME_verbs.py FOLDER`.

Needs the standard library alone. A step is a function of the engine's file, whose lines are counted; one that is
missing cannot be done by a call of the engine.
"""

import inspect
import json
import sys
import time
import zlib
from collections.abc import Callable, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

USERS = ("ada", "bert")
NOTES = 200  # of each
TOPICS = ("boats", "tides", "tools", "crew")
WORDS = "harbour winch rope lantern keel pontoon ferry engine paint mast".split()
DIMENSIONS = 256
READING = frozenset({"find", "filter", "plan", "within a budget"})
Note = tuple[str, str, str]  # user, topic, text
Check = Callable[[Any, Any], bool]


def notes() -> list[Note]:
    """Return what is remembered: of each user as much, of each topic as much; no two texts are alike."""
    return [
        (
            user,
            TOPICS[n % 4],
            f"{user} checked {WORDS[n % 10]} and {WORDS[n // 10 % 10]} at berth {n}, mark {user}{n}x",
        )
        for user in USERS
        for n in range(NOTES)
    ]


def embed(texts: Sequence[str]) -> list[list[float]]:
    """Return a vector a text by its words, so that nobody needs a model: each word counts in one of 256 places."""
    rows = []
    for text in texts:
        row = [0.0] * DIMENSIONS
        for word in text.lower().replace(",", " ").split():
            row[zlib.crc32(word.encode()) % DIMENSIONS] += 1.0
        length = sum(value * value for value in row) ** 0.5 or 1.0
        rows.append([value / length for value in row])
    return rows


def main(engine: Any) -> None:
    """Print a JSON line a step: its lines of code, what it took and whether it did what it says."""
    folder = Path(sys.argv[1])
    print(json.dumps({"step": "version", "version": version(engine.PACKAGE)}), flush=True)
    memory = engine.open_memory(folder)
    _tell("open", engine.open_memory, 0.0, 1, is_right=True)
    begun = time.process_time()
    names = [engine.remember(memory, *note) for note in notes()]
    _tell("remember", engine.remember, time.process_time() - begun, len(names), is_right=True)
    if hasattr(engine, "settle"):
        engine.settle(memory)
    _Life(engine, memory, names).live()
    if hasattr(engine, "close"):
        engine.close(memory)
    held = b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())
    left = sum(f"mark ada{n}x".encode() in held for n in range(NOTES))
    print(json.dumps({"step": "left in the files", "texts": left, "of": NOTES}), flush=True)


class _Life:
    """One memory that has 200 notes of each of two users."""

    def __init__(self, engine: Any, memory: Any, names: Sequence[Any]) -> None:
        self._engine, self._memory, self._names = engine, memory, names

    def live(self) -> None:
        """Take every step that the engine has."""
        asked, fresh = "ada berth 17, mark ada17x", "ada sold the rope of berth 17, mark ada17y"
        self._step("find", lambda found: any("mark ada17x" in text for text in found), "ada", asked)
        self._step("filter", lambda found: len(found) == NOTES // 4, "ada", "tides")
        self._step(
            "correct",
            lambda _: self._has("mark ada17y") and not self._has("mark ada17x"),
            self._names[17],
            fresh,
        )
        self._step("forget", lambda _: not self._has("mark ada18x"), self._names[18])
        self._step("undo", lambda _: self._has("mark ada18x"), self._names[18])
        self._step("plan", lambda told: bool(told))
        self._step("within a budget", lambda text: 0 < len(text) / 4 < 250, "ada", asked)
        self._step("delete a user", lambda _: not self._all("ada") and len(self._all("bert")) == NOTES, "ada")

    def _step(self, name: str, is_right: Callable[[Any], bool], *given: Any) -> None:
        verb = getattr(self._engine, name.replace(" ", "_") + "_" * (name == "filter"), None)
        if verb is None:
            print(json.dumps({"step": name, "lines": None}), flush=True)
            return
        if name in READING:  # the first call opens what the others find open
            verb(self._memory, *given)
        begun = time.process_time()
        answer = verb(self._memory, *given)
        took = time.process_time() - begun
        _tell(name, verb, took, 1, is_right=is_right(answer))

    def _has(self, mark: str) -> bool:
        return any(mark in text for text in self._all("ada"))

    def _all(self, user: str) -> list[str]:
        """Return all that is in sight of a user, by whatever call the engine has."""
        texts: list[str] = self._engine.everything(self._memory, user)
        return texts


def _tell(step: str, verb: Callable[..., Any], cpu_s: float, times: int, *, is_right: bool) -> None:
    told = {"step": step, "lines": count_lines(verb), "cpu_ms": 1_000 * cpu_s / times, "is_right": is_right}
    print(json.dumps(told), flush=True)


def count_lines(verb: Callable[..., Any]) -> int:
    """Count the lines of a function without its head and docstring."""
    lines = [line for line in inspect.getsource(verb).splitlines() if line.strip()]
    end = next(k for k, line in enumerate(lines) if line.rstrip().endswith(":"))
    return sum(not line.strip().startswith(('"""', "#")) for line in lines[end + 1 :])
