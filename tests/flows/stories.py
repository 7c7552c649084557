"""Memories to which things happen, and cases of a rule: what happens before it fires, and what was wanting."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any

import pytest

import remanence
from remanence.core.clock import DAY, ManualClock
from remanence.core.model import LearnResult, Relation
from remanence.curate.policy.compiled import load

HERON = "The heron nests by the weir"
LONG = " ".join(["The heron nests by the weir and fishes in the shallows of the lower lock"] * 30)
SHOWN = """
[[rule]]
name = "shown"
every = "deep"
phase = "expire"
where = "{where}"
do = "flag"
to = "shown"
"""


@dataclass
class Story:
    """Memories to which things happen under a policy: a preset's name, or a text that begins with a version."""

    memory: remanence.Engine
    clock: ManualClock
    policy: str

    async def learn(self, text: str = HERON, **said: Any) -> str:
        """Learn one more text."""
        learned: LearnResult = await self.memory.learn(text, **said)
        return learned.id

    def wait(self, micros: int) -> None:
        """Let time pass."""
        self.clock.set(self.clock.now() + micros)

    async def recall(self, times: int, agent: str | None = None) -> None:
        """Use what is there so often, and wait until that is written, with the time that it is now."""
        for _ in range(times):
            await self.memory.recall(HERON, agent=agent)
        await self.plan()

    async def only(self, *rules: str, **overrides: dict[str, Any]) -> list[str]:
        """Curate with some rules, changed if so said; return which have acted."""
        without = self.without(*rules) | overrides
        plan = await self.memory.plan(self.policy, overrides=without)
        await self.memory.apply(plan, policy=self.policy, overrides=without, allow_destroyed=99)
        return [action.rule for action in plan.actions()]

    async def plan(self, *rules: str) -> Any:
        """Plan with some rules, under all guards."""
        return await self.memory.plan(self.policy, overrides=self.without(*rules))

    async def until_due(self, rule: str, micros: int = 1) -> int:
        """Wait until so shortly before a rule's condition comes true for the first memory; return the instant."""
        explanation = await self.memory.explain(1, self.policy, overrides=self.without(rule))
        verdict = next((one for one in explanation.verdicts if one.name == rule), None)
        assert verdict is not None
        assert verdict.fires_at is not None
        self.clock.set(verdict.fires_at - micros)
        return verdict.fires_at

    def without(self, *rules: str) -> dict[str, dict[str, Any]]:
        """Return what switches all rules but some off; one that follows from another goes with it."""
        written = {name.partition("/")[0] for name in rules}
        return {name: {"off": True} for name in rules_of(self.policy) if name not in written}

    async def values(self, *names: str, seq: int = 1) -> tuple[float, ...]:
        """Return what a memory has of some abbreviations of the policy."""
        shown = SHOWN.format(where=" or ".join(f"{name} > 1000" for name in names))
        text = self.policy if "\n" in self.policy else f'version = 1\nextend = "{self.policy}"\n'
        explanation = await self.memory.explain(seq, text + shown)
        (verdict,) = [verdict for verdict in explanation.verdicts if verdict.name == "shown"]
        return tuple(verdict.values[name] for name in names)


def rules_of(policy: str) -> list[str]:
    """Return the names of the rules that a policy writes down."""
    return [rule.name for rule in load(policy).rules if "/" not in rule.name]


Step = Callable[[Story], Awaitable[Any]]


@dataclass(frozen=True)
class Case:
    """What happens before a rule fires, and the last thing that is wanting: a microsecond, or what somebody does."""

    rule: str
    before: Sequence[Step]
    last: Step


async def happens(story: Story, case: Case) -> bool:
    """Tell whether a rule fires at its instant and not before, and has nothing more to do afterwards."""
    for step in case.before:
        await step(story)
    early = await story.plan(case.rule)
    await case.last(story)
    acting = await story.only(case.rule)
    again = await story.plan(case.rule)
    return not early.actions() and case.rule in acting and again.empty


async def ends(story: Story, case: Case) -> bool:
    """Tell whether a rule would still act before the last thing, and no more after it."""
    for step in case.before:
        await step(story)
    late = await story.plan(case.rule)
    await case.last(story)
    over = await story.plan(case.rule)
    return case.rule in {action.rule for action in late.actions()} and over.empty


def learned(text: str = HERON, **said: Any) -> Step:
    """Learn a text."""
    return lambda story: story.learn(text, **said)


def becomes(state: str, seq: int = 1) -> Step:
    """Let the state of a memory change."""
    return lambda story: story.memory.update(seq, state=state)


def waits(micros: int) -> Step:
    """Let time pass."""

    async def step(story: Story) -> None:
        story.wait(micros)

    return step


def recalled(times: int) -> Step:
    """Use what is there so often."""
    return lambda story: story.recall(times)


def curated(*rules: str) -> Step:
    """Let other rules have their turn, which they take."""

    async def step(story: Story) -> None:
        assert set(rules) <= set(await story.only(*rules))

    return step


def due(rule: str, days: float) -> Step:
    """Wait until the instant before a rule is due, so many days after the first memory was learned."""

    async def step(story: Story) -> None:
        began = (await story.memory.get(1)).learned_at
        assert pytest.approx(days, abs=0.01) == (await story.until_due(rule) - began) / DAY

    return step


def linked(relation: Relation, confidence: float | None = None) -> Step:
    """Link the first two memories."""
    return lambda story: story.memory.link(1, 2, relation, confidence=confidence)


def filled(tokens: int) -> Step:
    """Learn texts of two or three dozen tokens each for as long as they come to no more than so many."""

    async def step(story: Story) -> None:
        there, number = 0, 0
        while there + (size := await _tokens(story, number)) <= tokens:
            there, number = there + size, number + 1
        await story.memory.forget(number + 1)

    return step


async def _tokens(story: Story, number: int) -> int:
    learned = await story.learn(
        f"Boat {number} carries {' '.join(f'crate{number}x{k}' for k in range(4))} to town"
    )
    return (await story.memory.get(learned)).tokens


def moment(name: str, days: int, category: str, *states: str, **said: Any) -> Case:
    """A memory of some category whose states come one after another, and then so many days."""
    steps = [learned(category=category, **said), *map(becomes, states), waits(days * DAY)]
    return Case(name, steps, waits(1))
