"""The eight scenarios that the Jochi design ends with, each in a scope of its own, told through public verbs.

Knows the verbs and a manual clock; how each must end is judged by the checker, from rows.
"""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import remanence
from benchmarks.simulate.checker import Checker
from remanence.core.clock import ManualClock
from remanence.engine import Engine

FOUND = "What stood by the mill at dusk?"


@dataclass(frozen=True)
class Stage:
    """A memory, and the clock that its scenario goes by."""

    memory: Engine
    clock: ManualClock

    async def learn(
        self, key: str, text: str = "A grey heron stood by the mill at dusk.", **more: Any
    ) -> None:
        """Keep something under a key."""
        await self.memory.learn(text, key=key, agent="alva", **more)

    async def later(self, **span: float) -> None:
        """Let time pass, and tick."""
        self.clock.advance(**span)
        await self.memory.run_jobs("deep")


async def too_much(stage: Stage) -> None:
    """2,000 tokens of one agent come in at once."""
    for number in range(100):
        text = f"Round {number}: the kiln no. {number * 7} was looked at, and is to be oiled before round {number + 9}."
        await stage.learn(f"fact {number}", text, category="fact")
    await stage.later(minutes=5)


async def read_notice(stage: Stage) -> None:
    """A notice was read eight days ago."""
    await stage.learn("notice", category="notification")
    await stage.memory.update("notice", state="read")
    await stage.later(days=8)


async def an_agent(stage: Stage) -> None:
    """Who an agent is has been there for two years, and nobody asked."""
    await stage.learn("identity", category="identity")
    for _ in range(8):
        await stage.later(days=90)


async def cold_used(stage: Stage) -> None:
    """What is cold is found five times."""
    await stage.learn("fact", category="fact")
    await stage.later(days=2, minutes=1)
    for _ in range(5):
        stage.clock.advance(minutes=10)
        await stage.memory.recall(FOUND, agent="alva")
    await stage.later(minutes=10)


async def hot_unused(stage: Stage) -> None:
    """What is hot was not used for thirteen hours."""
    await stage.learn("fact", category="fact")
    await stage.later(hours=13)


async def belief(stage: Stage) -> None:
    """A belief of 0.8 was not used for fourteen days."""
    await stage.learn("belief", category="belief", confidence=0.8)
    await stage.later(days=14)


async def orphan(stage: Stage) -> None:
    """A small analysis hangs on nothing for seven days, and a day more."""
    await stage.learn("analysis", category="analysis", severity="low")
    await stage.later(days=7, minutes=1)
    await stage.later(days=1, minutes=1)


async def young(stage: Stage) -> None:
    """An entry is twelve hours old."""
    await stage.learn("entry", category="memory_entry")
    await stage.later(hours=12)


SCENARIOS: Mapping[str, Callable[[Stage], Awaitable[None]]] = {
    "too much": too_much,
    "read notice": read_notice,
    "an agent": an_agent,
    "cold, used": cold_used,
    "hot, unused": hot_unused,
    "belief": belief,
    "orphan": orphan,
    "young": young,
}


async def told(folder: Path, policy: str, checker: Checker) -> None:
    """Tell all eight, each on a clock of its own, and have their ends judged."""
    path = folder / "scenarios.db"
    for name, tell in SCENARIOS.items():
        clock = ManualClock()
        options: dict[str, Any] = {"policy": policy, "clock": clock, "embedder": "hashed"}
        async with remanence.open(path, scope=name, **options) as memory:
            await tell(Stage(memory, clock))
            believed = (
                [
                    verdict.values.get("belief_confidence")
                    for verdict in (await memory.explain("belief", policy)).verdicts
                ]
                if name == "belief"
                else []
            )
        checker.ended(path, name, next((one for one in believed if one is not None), None))
