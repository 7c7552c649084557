"""A forecast comes true under any policy: drawn rules, guards, clocks, ladders, flags and merges, in drawn worlds."""

import asyncio
from contextlib import suppress
from dataclasses import replace

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from remanence.core.clock import DAY, HOUR, ManualClock
from remanence.core.errors import PolicyError
from remanence.core.model import Status
from remanence.curate.policy.compiled import load
from remanence.curate.schedule import CadenceIntervals, Record
from remanence.engine import Engine
from remanence.flows.base.context import Core
from remanence.flows.base.policy_reading import NO_RULES
from remanence.flows.curate.scheduling import ROW
from remanence.store.base import Bookkeeping
from remanence.store.capabilities import FullStore
from remanence.store.sqlite.sqlite_store import SqliteStore
from remanence_store_kit.builders import NOW
from remanence_store_kit.memory.memory_store import MemoryStore
from remanence_store_kit.policies import PolicyTables, policies
from remanence_store_kit.worlds import World, fill, worlds
from tests.flows.foretold import ticked, told
from tests.laws.lab import SCOPE, Trusting, live

SLOW = CadenceIntervals({"rapid": 4 * HOUR, "standard": 8 * HOUR, "hourly": 12 * HOUR, "deep": 24 * HOUR})
HEADS = (
    "",
    "",
    'interval = "12 hours"\n',
    'interval = "3 days"\n',
    'clock = "active"\ninterval = "5 hours"\n',
    'clock = "turns"\ninterval = "10 turns"\n',
)
FLAGGED = (
    "tagged('flag/*')",
    "tagged('flag/look')",
    "not tagged('flag/*')",
    "age(flagged('look')) > days(2)",
    "tagged('self/*') or decay == 'durable'",
    "age(status_at) > days(3)",
    "recency() < 0.4",
)
# Where each picked condition goes: into the rule of that place, beside its own.
ADDED = st.lists(st.tuples(st.integers(0, 5), st.sampled_from(FLAGGED)), max_size=3)


def _with(rules: PolicyTables, added: list[tuple[int, str]]) -> PolicyTables:
    """Let some rules over memories ask for flags and times besides."""
    tables = [dict(table) for table in rules.rules]
    for place, condition in added:
        table = tables[place % len(tables)]
        if "over" not in table and "share" not in table.get("keep", ()):
            unit = condition.replace("days(", "turns(") if table.get("clock") == "turns" else condition
            table["where"] = f"({table['where']}) and ({unit})"
    return replace(rules, rules=tuple(tables))


async def _comes_true(store: FullStore, world: World, policy: str, *, rested: bool) -> None:
    """Foretell the days to come, let them pass, and compare run by run."""
    clock = ManualClock(NOW)
    engine = Engine(Core(store, SCOPE, clock, Trusting(), load(NO_RULES)))
    async with engine:
        await fill(store, SCOPE, world)
        await live(store)
        await engine.policy.use(policy)
        if not rested:
            await engine.review.settle("clock", "accept")
        paced = Record(intervals=dict[str, int](SLOW.intervals.items())).values()
        await store.bookkeep(SCOPE, Bookkeeping(NOW, put={ROW: paced}))
        foretold = await engine.forecast(20, limit=10_000)
        runs = await ticked(engine, clock, NOW + 20 * DAY)
        state = await engine.status()

    assert told(foretold) == runs
    assert foretold.stands == {name: count for name, count in state.statuses.items() if count}


@pytest.mark.deep
@given(world=worlds(24), rules=policies(), added=ADDED, head=st.sampled_from(HEADS), turn=st.integers(0, 63))
@settings(max_examples=150, deadline=None)
def test_what_any_policy_will_do_comes_true(
    world: World, rules: PolicyTables, added: list[tuple[int, str]], head: str, turn: int
) -> None:
    """The same memories go at the same runs by the same rules; also after a long rest, from an inbox, in a file."""
    policy = _with(rules, added).toml().replace('name = "drawn"\n', f'name = "drawn"\n{head}', 1)
    is_valid = False
    with suppress(PolicyError):
        is_valid = load(policy) is not None
    assume(is_valid)
    if turn % 4:  # what a consolidation finds, no forecast can know
        settled = ({**row, "status": max(row["status"], Status.ACTIVE)} for row in world.memories)
        world = replace(world, memories=tuple(settled))
    store = SqliteStore(":memory:") if turn % 8 == 1 else MemoryStore()
    asyncio.run(_comes_true(store, world, policy, rested=turn % 7 == 0))
