"""What is cut and asked: an engine behind three verbs, so that others can be measured by the same figures."""

import asyncio
import random
import shutil
from collections.abc import Coroutine, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any, Protocol, TypeVar

import remanence
from benchmarks.budget.policies import DRAWN, LEFT, RANDOM, Budget, cut_of
from remanence.core.clock import ManualClock, to_micros
from remanence.core.model import Memory, Turn
from remanence.flows.indexes import scope_index
from remanence.flows.indexes.scope_index import INDEXED_MAX

T = TypeVar("T")
DEPTH = 10
LISTED_MAX = 1_000_000
FILE = "memory.db"
ENDED = ".ended"  # beside it: when the last turn was taken in
SETTLES_DAYS = 2  # after the last turn, so that no grace of a day keeps the newest
SEED = 11


@dataclass(frozen=True)
class Left:
    """The ids of the turns that what stands is of, and what share of the memories that is."""

    turns: frozenset[str]
    share: float


class Adapter(Protocol):
    """An engine: a folder holds one conversation; texts are named by the ids of their turns."""

    name: str
    archives: tuple[str, ...]  # which of open and closed its search knows
    policies: tuple[str, ...]  # the ways of its own to forget; none where it takes those of this engine

    def counts(self, per: str) -> bool:
        """Tell whether it can keep a share of this: memories, words."""

    def fill(self, folder: Path, turns: Sequence[Turn]) -> None:
        """Take a conversation in, in order."""

    def cut(self, folder: Path, policy: str, budget: Budget) -> Left:
        """Cut it to a budget; return what stands."""

    def ask(self, folder: Path, questions: Sequence[str], archive: str) -> list[list[str]]:
        """Return the ids of the first ten for each question."""


class Ours:
    """This engine, through its public verbs, on a clock that goes with the conversation."""

    name = "remanence"
    archives: tuple[str, ...] = ("closed", "open")
    policies: tuple[str, ...] = ()

    def counts(self, per: str) -> bool:  # noqa: ARG002
        """Any."""
        return True

    def __init__(self, embedder: str) -> None:
        self._embedder = embedder

    def fill(self, folder: Path, turns: Sequence[Turn]) -> None:
        """Learn session by session and consolidate after each, at the time at which it was held."""
        _run(self._filled(folder / FILE, turns))

    async def _filled(self, path: Path, turns: Sequence[Turn]) -> None:
        clock = ManualClock()
        if (first := _last(turns[:1])) is not None:
            clock = ManualClock(first)
        async with remanence.open(path, clock=clock, embedder=self._embedder) as memory:
            for _, together in groupby(turns, lambda turn: turn.session):
                session = list(together)
                held = _last(session)
                if held is not None and held > clock.now():
                    clock.set(held)
                await memory.learn(session)
                await memory.consolidate()
        path.with_suffix(ENDED).write_text(str(clock.now()))

    def cut(self, folder: Path, policy: str, budget: Budget) -> Left:
        """Plan and apply under the policy; what it destroys it may. Where it says so, the archive leaves the index."""
        scope_index.INDEXED_MAX = 0 if budget.per == LEFT else INDEXED_MAX
        return _run(self._cut(folder / FILE, policy, budget))

    async def _cut(self, path: Path, policy: str, budget: Budget) -> Left:
        async with self._opened(path) as memory:
            every = await memory.list(limit=LISTED_MAX)
            amount = budget.amount(every)
            if policy == RANDOM:
                await memory.tag(_drawn(every, budget.unit, amount), DRAWN)
            cut = cut_of(policy, budget, amount)
            plan = await memory.plan(cut.policy, overrides=cut.overrides)
            await memory.apply(plan, policy=cut.policy, overrides=cut.overrides, allow_destroyed=len(every))
            left = await memory.list(limit=LISTED_MAX)
            turns = frozenset(source for one in left for source in one.sources)
            return Left(turns, len(left) / max(1, len(every)))

    def ask(self, folder: Path, questions: Sequence[str], archive: str) -> list[list[str]]:
        """Recall without counting uses."""
        return _run(self._asked(folder / FILE, questions, archive))

    async def _asked(self, path: Path, questions: Sequence[str], archive: Any) -> list[list[str]]:
        async with self._opened(path) as memory:
            answers = [
                await memory.recall(question, limit=DEPTH, archived=archive, count_use=False)
                for question in questions
            ]
        return [[source for hit in answer for source in hit.memory.sources] for answer in answers]

    def _opened(self, path: Path) -> remanence.Engine:
        """Open the file two days after the last turn."""
        clock = ManualClock(int(path.with_suffix(ENDED).read_text()))
        clock.advance(days=SETTLES_DAYS)
        return remanence.open(path, clock=clock, embedder=self._embedder)


def _drawn(memories: Sequence[Memory], unit: str, amount: int) -> list[Memory]:
    """Return what chance lets stand."""
    drawn = []
    for one in random.Random(SEED).sample(memories, len(memories)):
        amount -= 1 if unit == "rows" else one.words
        if amount < 0:
            break
        drawn.append(one)
    return drawn


def copied(folder: Path, into: Path) -> Path:
    """Copy what an engine wrote."""
    return Path(shutil.copytree(folder, into))


def _last(turns: Sequence[Turn]) -> int | None:
    """Return when the last of some turns was said, if that is known."""
    return max([to_micros(turn.said_at) for turn in turns if turn.said_at is not None], default=None)


def _run(work: Coroutine[Any, Any, T]) -> T:
    return asyncio.run(work)
