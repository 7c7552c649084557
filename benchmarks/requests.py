"""What a question asks of its store: `python -m benchmarks.requests [PATH] [--n 2000] [--embedder none auto]`.

Requests are calls of a method of the store, one trip each to a store behind a socket; statements are what SQLite runs
for them, the marks of transactions left out. Counted are the first question after opening, the mean of the next fifty,
and the mean and the most once the words of all questions were asked for before. PATH is a LoCoMo file, of which the
first conversation is ingested, with its facts, and its questions are asked; without it a generated store is filled with
n memories.
"""

import argparse
import asyncio
import json
import sqlite3
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import mean
from typing import Any
from unittest.mock import patch

import remanence
from benchmarks.corpus import Maker
from benchmarks.locomo import questions
from benchmarks.report import figure, settings
from remanence.core.model import Turn
from remanence.store.sqlite import database_file, sqlite_store
from remanence.store.sqlite.threads import Answer, Work, Worker
from remanence.write.transcripts.formats import parse

ASKED = 50  # questions after the first, whose words nobody asked for before
WORDS = 5  # of a made-up question
_MARKS = ("BEGIN", "COMMIT", "ROLLBACK", "SAVEPOINT", "RELEASE")


class StoreCalls:
    """How much was asked of stores since `take`."""

    def __init__(self) -> None:
        self._requests = self._statements = 0

    def note_request(self) -> None:
        """Count one request."""
        self._requests += 1

    def note_statement(self, statement: str) -> None:
        """Count one statement; what FTS5 asks of its own tables is written as a comment."""
        if not statement.startswith(("--", *_MARKS)):
            self._statements += 1

    def take(self) -> tuple[int, int]:
        """Return how many requests and statements there were, and begin anew."""
        taken = self._requests, self._statements
        self._requests = self._statements = 0
        return taken


@contextmanager
def counted_calls() -> Iterator[StoreCalls]:
    """Count what is asked of every file that is opened from now on."""
    calls = StoreCalls()
    ask, connect = Worker.ask, database_file.connect

    async def counting(worker: Worker, work: Work[Answer], *, reads: bool = False) -> Answer:
        calls.note_request()
        return await ask(worker, work, reads=reads)

    def traced(*given: Any, **more: Any) -> sqlite3.Connection:
        connection = connect(*given, **more)
        connection.set_trace_callback(calls.note_statement)
        return connection

    with patch.object(Worker, "ask", counting), patch.object(sqlite_store, "connect", traced):
        yield calls


@dataclass(frozen=True)
class QuestionCosts:
    """Requests and statements of each question: the first, those after it, and all of them asked again."""

    first: tuple[int, int]
    next: Sequence[tuple[int, int]]
    warm: Sequence[tuple[int, int]]


async def measure_questions(path: Path, questions: Sequence[str], embedder: str) -> QuestionCosts:
    """Ask a file that was closed, uses not counted: counting them is a commit beside the questions."""
    with counted_calls() as calls:
        async with remanence.open(path, embedder=embedder) as memory:
            rounds: list[list[tuple[int, int]]] = []
            for _ in range(2):
                rounds.append([])
                for question in questions:
                    calls.take()
                    await memory.recall(question, count_use=False)
                    rounds[-1].append(calls.take())
    return QuestionCosts(rounds[0][0], rounds[0][1 : ASKED + 1], rounds[1])


async def fill(path: Path, data: Path | None, n: int, embedder: str) -> list[str]:
    """Fill a file and return questions about it."""
    async with remanence.open(path, embedder=embedder) as memory:
        if data is None:
            made = list(Maker().texts(n))
            await memory.learn(Turn(text) for text in made)
            await memory.consolidate()
            return [" ".join(text.split()[:WORDS]) for text in made[: 2 * ASKED]]
        samples = json.loads(data.read_text(encoding="utf-8"))[:1]
        part = path.with_suffix(".json")
        part.write_text(json.dumps(samples), encoding="utf-8")
        await memory.ingest(part, trust="user", extract=True)
        await memory.consolidate()
        turns = parse(part.read_text(encoding="utf-8"), "locomo", part.name).turns
        return [one.text for one in questions(samples, {turn.source for turn in turns if turn.source})]


def main() -> None:
    """Fill a file for each embedder and print what its questions cost."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("path", type=Path, nargs="?")
    parser.add_argument("--n", type=int, default=2_000)
    parser.add_argument("--embedder", nargs="*", default=["none", "auto"])
    given = parser.parse_args()
    settings(path=given.path is not None, n=given.n)
    for embedder in given.embedder:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "memory.db"
            asked = asyncio.run(fill(path, given.path, given.n, embedder))
            costs = asyncio.run(measure_questions(path, asked, embedder))
        for name, some in (("first", [costs.first]), ("next", costs.next), ("warm", costs.warm)):
            for what, values in zip(("requests", "statements"), zip(*some, strict=True), strict=True):
                fields = {"embedder": embedder, "questions": len(values), "most": max(values)}
                figure(f"requests.{name}.{what}", mean(values), "", **fields)


if __name__ == "__main__":
    main()
