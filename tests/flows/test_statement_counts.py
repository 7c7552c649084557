"""How many statements a verb needs, on a file and on a server, once it is warm: what makes it more is seen here.

On a server each question is a trip, and each transaction one more; what is written goes with its end.
"""

from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest

import remanence
from remanence import Engine
from remanence.core.clock import ManualClock
from remanence.store.postgres import pg_database
from remanence.store.postgres.pg_database import PgDatabase
from remanence.store.sql.dialect import Statement
from remanence.store.sqlite.sqlite_database import SqliteDatabase

ASKING, TELLING = ("rows", "row", "stream"), ("run", "run_many")
WARMING = 4  # times that each verb is done before it is counted
# Statements of each verb, and its trips to a server.
MOST = {
    "learn": (17, 9),  # two transactions: what a write must know, and the commit
    "get": (15, 19),  # with history and links
    "recall": (8, 11),
    "plan": (11, 14),
}


@dataclass
class Counts:
    """What was asked of databases since `reset`."""

    statements: int = 0
    trips: int = 0

    def reset(self) -> None:
        """Begin anew."""
        self.statements = self.trips = 0


@contextmanager
def counted(database: type[Any]) -> Iterator[Counts]:
    """Count what is asked of every database of a kind."""
    counts = Counts()

    def counting(name: str) -> Callable[..., Any]:
        method = getattr(database, name)

        def call(self: Any, statement: Statement, values: Sequence[Any] = ()) -> Any:
            counts.statements += 1
            counts.trips += name in ASKING
            return method(self, statement, values)

        return call

    def transact(*given: Any) -> Any:
        counts.trips += 1
        return transacted(*given)

    transacted = pg_database._transact
    methods: dict[str, Any] = {name: counting(name) for name in (*ASKING, *TELLING)}
    with patch.multiple(database, **methods), patch.object(pg_database, "_transact", transact):
        yield counts


VERBS: dict[str, Callable[[Engine, int], Awaitable[Any]]] = {
    "learn": lambda memory, number: memory.learn(f"House {number} of the harbour has {number + 4} windows."),
    "get": lambda memory, number: memory.get(1 + number),
    "recall": lambda memory, number: memory.recall(f"How many windows has house {number}?", count_use=False),
    "plan": lambda memory, _: memory.plan("default"),
}


async def measure(address: str, database: type[Any], verb: str) -> Counts:
    """Return what a verb costs once it was done a few times."""
    with counted(database) as counts:
        async with remanence.open(address, embedder="hashed", clock=ManualClock(0)) as memory:
            for number in range(20):
                await memory.learn(f"House {number} of the harbour has {number + 4} windows.")
            for number in range(20, 20 + WARMING):
                await VERBS[verb](memory, number if verb == "learn" else number - 20)
            counts.reset()
            await VERBS[verb](memory, 30 if verb == "learn" else 9)
            return Counts(counts.statements, counts.trips)


@pytest.mark.parametrize("verb", VERBS)
async def test_a_verb_asks_a_file_for_few_statements(verb: str, tmp_path: Path) -> None:
    """No more statements than were needed when this was written."""
    counts = await measure(str(tmp_path / "memory.db"), SqliteDatabase, verb)
    assert counts.statements <= MOST[verb][0]


@pytest.mark.parametrize("verb", VERBS)
async def test_a_verb_asks_a_server_for_few_statements_in_few_trips(verb: str, postgres_address: str) -> None:
    """The same statements, and of those that write none is waited for."""
    counts = await measure(postgres_address, PgDatabase, verb)
    statements, trips = MOST[verb]
    assert counts.statements <= statements
    assert counts.trips <= trips
