"""A world in a store, curated through the same flows that users run; and a search for a world that breaks a law."""

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from hypothesis import Phase, given, seed, settings
from hypothesis import strategies as st

from remanence.core.clock import DAY, ManualClock
from remanence.core.model import Relation
from remanence.core.receipt import Receipt
from remanence.core.snapshot import Snapshot
from remanence.curate.planner.plan import Plan
from remanence.curate.policy.compiled import load
from remanence.engine import Engine
from remanence.flows.base.context import Core
from remanence.flows.base.policy_reading import NO_RULES
from remanence.flows.curate import curating
from remanence.flows.curate.plan_inputs import same_words_of
from remanence.llm.base import Embedder
from remanence.llm.offline import NoEmbedder
from remanence.store.base import Bookkeeping
from remanence.store.capabilities import FullStore
from remanence_store_kit.builders import NOW, make_cause
from remanence_store_kit.dump import Dump, dump
from remanence_store_kit.memory.memory_store import MemoryStore
from remanence_store_kit.policies import PolicyTables, policies
from remanence_store_kit.worlds import World, fill, worlds

SCOPE = "lab"
ANY_NUMBER = 10**9
RUNNER = asyncio.Runner()
# When somebody worked, from and to so many days ago, and when how many turns were heard.
WORKED = ((500.0, 490.0), (30.0, 13.0), (6.0, 1.0), (0.5, 0.0))
HEARD = ((400, 90), (20, 30), (5, 7), (0, 2))

Law = Callable[[World, PolicyTables, int], Coroutine[Any, Any, None]]


# Compiling a policy takes longer than planning a small world with it.
loaded = lru_cache(maxsize=64)(load)


@dataclass
class Lab:
    """An engine on a store that holds a world, at a moment."""

    engine: Engine
    store: FullStore
    clock: ManualClock

    async def plan(self, rules: PolicyTables) -> Plan:
        """Decide what the policy would do now."""
        return await curating.plan(self.engine._core, loaded(rules.toml()))

    async def apply(self, plan: Plan) -> Receipt:
        """Do what a plan says, the brake lifted."""
        return await self.engine.apply(plan, allow_destroyed=ANY_NUMBER)

    async def curate(self, rules: PolicyTables) -> Receipt:
        """Plan and apply."""
        return await self.apply(await self.plan(rules))

    async def dump(self) -> Dump:
        """Read everything."""
        return await dump(self.store, SCOPE)


class Trusting(NoEmbedder):
    """Stands for texts that say the same wherever two are linked as near duplicates: random ones never do."""


async def _find_same_words(core: Core, snapshot: Snapshot) -> frozenset[tuple[int, int]]:
    links = snapshot.links
    if links is None or not isinstance(core.embedder, Trusting):
        return await same_words_of(core, snapshot)
    edges = np.flatnonzero(links.relation == Relation.NEAR_DUPLICATE)
    ends = snapshot.seq[np.sort([links.source[edges], links.target[edges]], axis=0)]
    return frozenset((one, other) for one, other in ends.T.tolist())


setattr(curating, "same_words_of", _find_same_words)  # noqa: B010  # no name that it exports


@asynccontextmanager
async def lab(
    world: World, store: FullStore | None = None, embedder: Embedder | None = None
) -> AsyncIterator[Lab]:
    """Open an engine on a world."""
    store = store or MemoryStore()
    clock = ManualClock(NOW)
    engine = Engine(Core(store, SCOPE, clock, embedder or Trusting(), loaded(NO_RULES)))
    async with engine:
        await fill(store, SCOPE, world)
        await live(store)
        yield Lab(engine, store, clock)


async def live(store: FullStore) -> None:
    """Let the scope's clocks run."""
    for began, ended in WORKED:
        span = (NOW - round(began * DAY), NOW - round(ended * DAY))
        await store.bookkeep(SCOPE, Bookkeeping(NOW, cover=span))
    for days, turns in HEARD:
        await store.commit(SCOPE, [], make_cause("learn", NOW - days * DAY, turns=turns))


def search(law: Law, start: int | None = None, under: PolicyTables | None = None, **options: Any) -> None:
    """Try a law in many worlds, from a seed if one is given; raise what the first failing one raises.

    Policies are drawn as well, unless one is given.
    """

    @settings(**options)
    @given(worlds(), policies() if under is None else st.just(under), st.integers(0, 255))
    def holds(world: World, rules: PolicyTables, pick: int) -> None:
        RUNNER.run(law(world, rules, pick))

    (holds if start is None else seed(start)(holds))()


def hunt(law: Law, under: PolicyTables | None = None, examples: int = 600, seeds: int = 8) -> None:
    """Search without shrinking, for a bug that is known to be there.

    Several seeds, because one alone depends on which modules are loaded: hypothesis draws on their constants.
    """
    options: dict[str, Any] = {"database": None, "phases": [Phase.generate], "report_multiple_bugs": False}
    for number in range(seeds):
        search(law, number, under, max_examples=examples, derandomize=False, **options)
