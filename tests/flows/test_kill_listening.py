"""A process killed at any step of noting, listening and judging loses no turn and hears none of them twice.

Each round forks a process that notes turns, listens to them and consolidates, and ends itself by SIGKILL at a step that
is drawn beforehand: before, inside or after the commit of a verb, or while a writer is asked.
"""

import asyncio
import os
import random
import signal
import sqlite3
from collections import Counter
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import remanence
from remanence.core.change import CommitResult
from remanence.core.clock import MINUTE, Clock, SystemClock
from remanence.core.model import Relation
from remanence.flows.write.pending_turns import buffers
from remanence.llm.base import Judgement
from remanence.read.extraction import ExtractRequest, ExtractResult, ExtractTurn, Fact
from tests.flows.conftest import hear

ROUNDS, ROUNDS_DEEP = 2, 4  # each of eleven steps
LEARNED_ROUNDS, LEARNED_ROUNDS_DEEP = 3, 20
LEARNED, BATCHES = 35, 4
VERBS = ("learn", "extract", "consolidate")
MOMENTS = ("before", "inside", "after")
TURNS_A_ROUND = 23  # of one session: two whole batches and a rest
SESSION = "s"
HIGH = "We decided to stay."


Work = Callable[[Path, int, "Death", int], Coroutine[Any, Any, None]]


class Later:
    """The wall clock, so many minutes ahead: the lease of a process that was killed has run out."""

    def __init__(self, minutes: int) -> None:
        self._minutes = minutes
        self._wall: Clock = SystemClock()

    def now(self) -> int:
        """Return the time."""
        return self._wall.now() + self._minutes * MINUTE


@dataclass
class Death:
    """The step at which a process ends itself: the so-manyth commit of a verb, or question of a writer."""

    verb: str
    moment: str
    left: int
    statements: int
    is_near: bool = False

    def comes(self, verb: str, moment: str) -> None:
        """End the process where its step is reached."""
        if (verb, moment) == (self.verb, self.moment):
            self.left -= 1
            if not self.left:
                end()

    def traced(self, statement: str) -> None:
        """End the process inside of a transaction, some statements in."""
        if statement == "BEGIN IMMEDIATE" and self.is_near:
            self.left -= 1
        if self.is_near and not self.left:
            self.statements -= 1
            if not self.statements or statement == "COMMIT":
                end()


def end() -> None:
    """Kill this process."""
    os.kill(os.getpid(), signal.SIGKILL)


class Writer:
    """A writer that finds one fact in each turn, and may be the last that a process asks."""

    name = "test"

    def __init__(self, death: Death | None = None) -> None:
        self.death = death

    async def judge(self, text: str, identity: str, others: object) -> Judgement:
        """Judge nothing."""
        if self.death is not None:
            self.death.comes("judge", "asked")
        return Judgement(0.5)

    async def extract(self, turns: list[ExtractTurn], wanted: ExtractRequest) -> ExtractResult:
        """Find one fact a turn."""
        if self.death is not None:
            self.death.comes("extract", "asked")
        return ExtractResult(
            tuple(Fact("fact", f"It is said: {turn.text}", turn.id, (0, 3)) for turn in turns)
        )


def _deaths(rounds: int) -> list[Death]:
    chance = random.Random(5)
    steps = [(verb, moment) for verb in VERBS for moment in MOMENTS]
    steps += [("extract", "asked"), ("judge", "asked")]
    most = {"learn": TURNS_A_ROUND, "extract": 3, "consolidate": 4, "judge": 20}
    return [
        Death(verb, moment, chance.randint(1, most[verb]), chance.randint(2, 30))
        for _ in range(rounds)
        for verb, moment in steps
    ]


@pytest.mark.parametrize("rounds", [ROUNDS, pytest.param(ROUNDS_DEEP, marks=pytest.mark.deep)])
def test_a_process_killed_at_any_step_loses_no_turn_and_hears_none_twice(rounds: int, tmp_path: Path) -> None:
    """What was acknowledged is there, each turn has its one fact, and the counters say what waits."""
    path, noted = tmp_path / "m.db", 0
    deaths = _deaths(rounds)
    for number, death in enumerate(deaths):
        told = _killed(path, number, death)
        noted += told
        asyncio.run(_looked_over(path, number, noted))
    asyncio.run(_told_once(path, len(deaths)))

    assert len(deaths) == 11 * rounds
    assert noted > 50 * rounds


@pytest.mark.parametrize(
    "rounds", [LEARNED_ROUNDS, pytest.param(LEARNED_ROUNDS_DEEP, marks=pytest.mark.deep)]
)
def test_killed_inside_a_commit_what_was_learned_is_heard_to_the_end_once(
    rounds: int, tmp_path: Path
) -> None:
    """The file is whole, a second listening hears what the first did not commit, and each text has its one fact."""
    chance = random.Random(11)
    for number in range(rounds):
        path, death = tmp_path / f"{number}.db", Death("extract", "inside", 0, chance.randint(2, 60))
        batch = death.left = chance.randint(1, BATCHES)
        told = _killed(path, 0, death, _hear_learned)
        heard, counts = asyncio.run(_heard_to_the_end(path))

        assert LEARNED == told
        assert LEARNED - 10 * (batch - 1) == heard
        assert [1] * LEARNED == counts


async def _hear_learned(path: Path, number: int, death: Death, told: int) -> None:
    """Learn some texts and listen to them, until the process ends itself."""
    _watched(death)
    async with remanence.open(path, embedder="none", clock=Later(number), writer=Writer()) as memory:
        for text in range(LEARNED):
            await memory.learn(f"Boat {text} is blue.", speaker="Ana")
            os.write(told, b".")
        _end_at_commit(memory, death)
        await memory.consolidate(listen=True)


async def _heard_to_the_end(path: Path) -> tuple[int, list[int]]:
    """Listen a second time and a third; say how much was heard, and how many facts each text has."""
    async with remanence.open(path, embedder="none", clock=Later(2), writer=Writer()) as memory:
        sound = [check for check in await memory.doctor() if not check.ok]
        heard = (await memory.consolidate(listen=True)).heard.turns
        again = (await memory.consolidate(listen=True)).heard.turns
        links = await memory._core.store.neighbours("default", None, Relation.LEARNED_FROM)
        held = await memory.list(status="any", limit=1_000)
        sound += [check for check in await memory.doctor() if not check.ok]

    assert [] == sound
    assert 0 == again
    assert {0} == {one.confirmations for one in held}
    assert 2 * LEARNED == len(held)
    return heard, sorted(Counter(link.target for link in links).values())


def _killed(path: Path, number: int, death: Death, work: Work | None = None) -> int:
    """Let a process work until it ends itself; return how many turns it was told to be noted."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.close(reader)
            asyncio.run((work or _work)(path, number, death, writer))
        finally:
            os._exit(1)
    os.close(writer)
    told = b""
    while more := os.read(reader, 65_536):
        told += more
    os.close(reader)
    (_, how) = os.waitpid(child, 0)

    assert os.WIFSIGNALED(how), death  # else its step was never reached, and nothing was tried
    return len(told)


async def _work(path: Path, number: int, death: Death, told: int) -> None:
    _watched(death)
    async with remanence.open(path, embedder="none", clock=Later(2 * number), writer=Writer(death)) as memory:
        _end_at_commit(memory, death)
        for turn in range(TURNS_A_ROUND):
            said = f"Boat {number}.{turn} is blue. {HIGH * (turn % 3 == 0)}"
            await memory.note(said, session=SESSION, later=True)
            os.write(told, b".")
        await hear(memory)
        await memory.consolidate()


def _end_at_commit(memory: remanence.Engine, death: Death) -> None:
    """Have this process end itself before, inside or after a commit."""
    store = memory._core.store
    commit = store.commit

    async def committed(scope: str, changes: Any, cause: Any) -> CommitResult:
        death.comes(cause.verb, "before")
        death.is_near = (cause.verb, "inside") == (death.verb, death.moment)
        done = await commit(scope, changes, cause)
        death.is_near = False
        death.comes(cause.verb, "after")
        return done

    store.commit = committed  # type: ignore[method-assign]


def _watched(death: Death) -> None:
    """Have this process tell of each statement that it executes."""
    connect = sqlite3.connect

    def traced(*given: Any, **more: Any) -> sqlite3.Connection:
        connection: sqlite3.Connection = connect(*given, **more)
        connection.set_trace_callback(death.traced)
        return connection

    sqlite3.connect = traced  # type: ignore[assignment]


async def _looked_over(path: Path, number: int, noted: int) -> None:
    """Compare what is there with what was acknowledged, and what is said to wait with what does."""
    async with remanence.open(path, embedder="none", clock=Later(2 * number + 1)) as memory:
        core = memory._core
        turns = await memory.list(status="any", tags=("turn",), limit=100_000)
        (buffer,) = await buffers(core, SESSION)
        above = [turn for turn in turns if turn.seq > (buffer.cursor.seq or 0)]

    assert len(turns) >= noted  # one that was stored, and whose process was killed before it said so, is more
    assert len(above) == buffer.turns
    assert sum(HIGH in turn.text for turn in above) == buffer.high


async def _told_once(path: Path, number: int) -> None:
    """Listen to what is left; each turn has one fact, which nothing confirmed, and the file is sound."""
    async with remanence.open(path, embedder="none", clock=Later(2 * number), writer=Writer()) as memory:
        await hear(memory)
        all_ = {one.seq: one for one in await memory.list(status="any", limit=100_000)}
        turns = {one.seq for one in all_.values() if "turn" in one.tags}
        links = await memory._core.store.neighbours("default", None, Relation.LEARNED_FROM)
        facts = Counter(link.target for link in links if link.source not in turns)

        assert turns == facts.keys()
        assert {1} == set(facts.values())
        assert len(all_) == 2 * len(turns)
        assert {0} == {one.confirmations for one in all_.values()}
        assert () == (await memory.status()).waiting
        assert [] == [check for check in await memory.doctor() if not check.ok]
