"""A consolidation that is killed at any of its commits, or done by two processes at once, comes to the same in the end.

Each round forks a process that consolidates a copy of one file and ends itself by SIGKILL before, within or after a
commit, or what is kept of guidelines; the next one goes on, and what is stored then is what one that nobody killed
stores.
"""

import asyncio
import os
import signal
import sqlite3
from collections import Counter
from collections.abc import Awaitable, Callable
from pathlib import Path
from shutil import copyfile
from typing import Any

import pytest

import remanence
from remanence.core.clock import MINUTE, SystemClock
from remanence.core.model import Turn
from remanence.flows.consolidate import activate, guidelines
from remanence.llm.base import Judgement
from remanence.store.base import Bookkeeping, BookkeepResult

REFLECTIONS, TOLD = 12, 18
CHUNK = 10  # so that there are several commits
Stored = dict[str, Any]


class Later:
    """The wall clock, some minutes ahead: the lease of a process that was killed has run out."""

    def now(self) -> int:
        """Return the time."""
        return SystemClock().now() + 5 * MINUTE


class Asked:
    """A writer that writes down what it is asked."""

    name = "asked"

    def __init__(self, path: Path) -> None:
        self.path = path

    async def judge(self, text: str, identity: str, others: object) -> Judgement:
        """Judge nothing, after a while in which another process may ask the same."""
        with self.path.open("a") as file:
            file.write(f"{text[:30]}\n")
        await asyncio.sleep(0.01)
        return Judgement(0.5)


async def _fill(path: Path) -> None:
    async with remanence.open(path, embedder="none") as memory:
        entity = await memory.learn("Mia", category="entity")
        turns = [
            Turn(
                f"Therefore Mia tried plan {k}." if k % 4 == 3 else f"Mia had plan {k}.", session=f"s{k % 3}"
            )
            for k in range(TOLD)
        ]
        for one in await memory.learn(turns):
            await memory.link(one, entity, "mentions")
        await memory.learn(
            Turn(f"In week {k} patience {k} paid. ".ljust(800, "x"), category="reflection")
            for k in range(REFLECTIONS)
        )


async def _stored(path: Path) -> Stored:
    """What a file holds, told without times and numbers of runs."""
    async with remanence.open(path, embedder="none", clock=Later()) as memory:
        for _ in range(2):  # the second makes active what the first drew together
            await memory.consolidate()
        found = await memory.list(oldest_first=True)
        links = {(link.key, link.count) for one in found for link in await memory.links(one)}
        state = await memory.status()
        draft = (await memory.guidelines()).draft
        assert draft is not None
        checks = [str(check) for check in await memory.doctor() if not check.ok]
        return {
            "memories": [(one.seq, one.text, one.status, one.state, one.confirmations) for one in found],
            "links": sorted(links),
            "inbox": state.statuses.get("inbox", 0),
            "damage": checks,
            "interrupted": state.interrupted,
            "learned": (draft.events, draft.guidelines),
        }


class _Striking:
    """Ends this process at a statement that writes, once it is told to."""

    def __init__(self) -> None:
        self.left = 0
        connect = sqlite3.connect

        def traced(*given: Any, **more: Any) -> sqlite3.Connection:
            connection: sqlite3.Connection = connect(*given, **more)
            connection.set_trace_callback(self.seen)
            return connection

        sqlite3.connect = traced  # type: ignore[assignment] # of a process that dies

    def seen(self, statement: str) -> None:
        """Count a statement; the last one that was to be let through ends all."""
        if self.left and statement.lstrip()[:6].upper() in ("INSERT", "UPDATE", "DELETE"):
            self.left -= 1
            if not self.left:
                os.kill(os.getpid(), signal.SIGKILL)


async def _killed_in_guidelines(path: Path, moment: str) -> None:
    """Consolidate, and die before, within or after what is kept of the guidelines."""
    striking = _Striking()
    async with remanence.open(path, embedder="none") as memory:
        store = memory._core.store
        bookkeep = store.bookkeep

        async def watched(scope: str, asked: Bookkeeping) -> BookkeepResult:
            if guidelines.SEEN not in asked.put:
                return await bookkeep(scope, asked)
            if moment == "before":
                os.kill(os.getpid(), signal.SIGKILL)
            striking.left = 2 if moment == "within" else 0
            await bookkeep(scope, asked)
            if moment == "within":
                os._exit(1)  # nothing was struck
            os.kill(os.getpid(), signal.SIGKILL)
            raise AssertionError("unreachable")

        store.bookkeep = watched  # type: ignore[method-assign]
        await memory.consolidate()


async def _killed_at(path: Path, left: int, moment: str) -> None:
    """Consolidate, and die before, within or after a commit."""
    striking = _Striking()
    async with remanence.open(path, embedder="none") as memory:
        store = memory._core.store
        commit = store.commit

        async def watched(*given: Any) -> Any:
            nonlocal left
            left -= 1
            if not left and moment == "before":
                os.kill(os.getpid(), signal.SIGKILL)
            striking.left = 5 if not left and moment == "within" else 0
            done = await commit(*given)
            if not left and moment == "within":
                os._exit(1)  # nothing was struck
            if not left:
                os.kill(os.getpid(), signal.SIGKILL)
            return done

        store.commit = watched  # type: ignore[method-assign,assignment]
        await memory.consolidate()


def _forked(work: Callable[[], Awaitable[None]]) -> int:
    """Do work in a process of its own; return its number."""
    child = os.fork()
    if not child:
        try:
            activate.CHUNK = CHUNK
            asyncio.run(work())  # type: ignore[arg-type]
            os._exit(0)
        finally:
            os._exit(1)
    return child


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file with all that a consolidation has to do."""
    path = tmp_path_factory.mktemp("filled") / "m.db"
    asyncio.run(_fill(path))
    return path


@pytest.fixture(scope="module")
def whole(filled: Path) -> Stored:
    """What is stored where nobody is killed."""
    path = filled.with_name("whole.db")
    copyfile(filled, path)
    return asyncio.run(_stored(path))


def test_what_is_to_be_compared_is_there(whole: Stored) -> None:
    """Links by time, entity and cause, and reflections drawn together."""
    relations = Counter(key[2] for key, _ in whole["links"])

    assert {"consolidated"} == {
        state for _, text, _, state, _ in whole["memories"] if text.startswith("In week")
    }
    assert len(relations) >= 4
    assert ([], ()) == (whole["damage"], whole["interrupted"])


@pytest.mark.parametrize(
    ("left", "moment"),
    [(1, "before"), (1, "within"), (2, "after"), (4, "within"), (4, "after"), (5, "before"), (5, "within")],
)
def test_killed_at_any_commit_it_comes_to_the_same(
    filled: Path, whole: Stored, tmp_path: Path, left: int, moment: str
) -> None:
    """Four chunks of the inbox and the reflections: nothing is done twice, and nothing is left out."""
    path = tmp_path / "m.db"
    copyfile(filled, path)
    child = _forked(lambda: _killed_at(path, left, moment))

    assert os.WIFSIGNALED(os.waitpid(child, 0)[1])
    assert whole == asyncio.run(_stored(path))


@pytest.mark.parametrize("moment", ["before", "within", "after"])
def test_killed_while_it_keeps_guidelines_it_learns_each_action_once(
    filled: Path, whole: Stored, tmp_path: Path, moment: str
) -> None:
    """What was seen of the record and what it teaches are kept together or not at all."""
    path = tmp_path / "m.db"
    copyfile(filled, path)
    child = _forked(lambda: _killed_in_guidelines(path, moment))

    assert os.WIFSIGNALED(os.waitpid(child, 0)[1])
    assert whole == asyncio.run(_stored(path))


def test_two_processes_at_once_ask_and_store_everything_once(
    filled: Path, whole: Stored, tmp_path: Path
) -> None:
    """They take turns: each text is judged once, and each link is drawn once."""
    path, asked = tmp_path / "m.db", tmp_path / "asked"
    copyfile(filled, path)

    async def work() -> None:
        async with remanence.open(path, embedder="none", writer=Asked(asked)) as memory:
            await memory.consolidate()

    children = [_forked(work) for _ in range(2)]

    assert [0, 0] == [os.waitpid(child, 0)[1] for child in children]

    found = asyncio.run(_stored(path))
    told = Counter(asked.read_text().splitlines())

    assert whole["links"] == found["links"]
    assert [one[:4] for one in whole["memories"]] == [one[:4] for one in found["memories"]]
    assert 1 + TOLD + REFLECTIONS <= told.total() == len(told) <= 2 + TOLD + REFLECTIONS
