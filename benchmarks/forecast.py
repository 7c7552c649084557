"""How far a forecast comes true, and what it costs: `python -m benchmarks.forecast --n 1000 10000 100000 --days 90`.

`forecast.cost` is the CPU time of one forecast of n memories of many categories and ages. `forecast.true` compares it
with what ticks then do on a clock that is set from tick to tick, under all presets and under policies that are drawn:
of each action the share of changes that were foretold for the very run that made them, and by how many days the others
were off. `forecast.coarse` does the same for ticks that are taken together, against those that are not.
"""

import argparse
import asyncio
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from random import Random

import orjson

import remanence
from benchmarks.corpus import Maker
from benchmarks.report import figure, note, settings, spent
from remanence.core.clock import DAY, HOUR, ManualClock
from remanence.core.errors import PolicyError
from remanence.core.model import Turn
from remanence.curate.forecast.forecast_report import LEAVES, Forecast
from remanence.curate.policy.compiled import load
from remanence.curate.policy.document import PRESETS
from remanence_store_kit.memory.memory_store import MemoryStore
from remanence_store_kit.policies import PolicyTables, rule

STATES: Mapping[str, tuple[str | None, ...]] = {
    "message": (None,),
    "fact": (None,),
    "notification": ("read", "unread"),
    "session_context": ("active", "ended"),
    "task": ("pending", "in_progress", "completed", "failed"),
    "belief": ("held", "retired"),
    "reflection": ("raw", "consolidated"),
    "analysis": ("open", "resolved"),
    "recommendation": ("open", "implemented"),
}
EPHEMERAL = ("notification", "session_context")
NOW = 1_800_000_000_000_000
OLDEST = 60 * DAY
WORLD, WORLD_DAYS = 48, 20
STEPS_H = (1, 6, 24, 168)
# When each memory leaves how.
Leavings = Mapping[tuple[int, str], int]


def main() -> None:
    """Fill stores, foretell, let it come true, and compare."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--n", type=int, nargs="*", default=[1_000, 10_000])
    parser.add_argument("--days", type=int, default=90)
    parser.add_argument("--policies", nargs="*", default=PRESETS)
    parser.add_argument("--drawn", type=int, default=20, help="so many policies are drawn")
    parser.add_argument("--coarse", type=int, default=1_000, help="of so many memories, 0 for none")
    given = parser.parse_args()
    settings(n=given.n, days=given.days)
    with tempfile.TemporaryDirectory() as folder:
        for n in given.n:
            path = Path(folder) / f"{n}.db"
            asyncio.run(_fill(path, n))
            for policy in given.policies:
                asyncio.run(_cost(path, n, given.days, policy))
        if given.coarse:
            path = Path(folder) / "coarse.db"
            asyncio.run(_fill(path, given.coarse))
            for policy in given.policies:
                asyncio.run(_coarse(path, given.coarse, given.days, policy))
    for policy in given.policies:
        asyncio.run(_true(policy, [policy] * 2))
    asyncio.run(_true("drawn", [*_drawn(given.drawn)]))


async def _fill(path: Path, n: int) -> None:
    """Import memories that came in over the last weeks."""
    async with remanence.open(path, clock=ManualClock(NOW), embedder="none") as memory:
        for start in range(0, n, 50_000):
            await memory.import_(_lines(min(50_000, n - start), start), name=f"made {start}")
    note(f"filled: {n}")


def _lines(n: int, salt: int) -> Iterator[bytes]:
    chance = Random(salt)
    head = {"format": "remanence-export", "version": 1, "scope": "made", "embedder": "none"}
    yield orjson.dumps(head) + b"\n"
    for k, text in enumerate(Maker(prose=True).texts(n, salt + 1)):
        yield orjson.dumps(_row(f"{salt:08x}{k:024x}", text, chance)) + b"\n"
    for k in range(n - 1):
        yield orjson.dumps(_link(salt, k, chance)) + b"\n"


def _row(name: str, text: str, chance: Random) -> dict[str, object]:
    at = NOW - chance.randrange(HOUR, OLDEST)
    category = chance.choice([*STATES])
    row: dict[str, object] = {
        "id": name,
        "text": text,
        **dict.fromkeys(("said_at", "learned_at", "status_at", "tier_at", "state_at"), at),
        "status": "active",
        "category": category,
        "state": chance.choice(STATES[category]),
        "kind": "episodic" if category == "message" else "semantic",
        "policy_class": "ephemeral" if category in EPHEMERAL else "durable",
        "confidence": chance.choice((0.2, 0.5, 0.95)),
        "value": chance.choice((3.0, 40.0, 120.0)),
        "tags": [],
        "sources": [],
    }
    return {key: value for key, value in row.items() if value is not None}


def _link(salt: int, k: int, chance: Random) -> dict[str, object]:
    at = NOW - chance.randrange(HOUR, OLDEST)
    return {
        "source": f"{salt:08x}{k:024x}",
        "target": f"{salt:08x}{k + 1:024x}",
        "relation": "similar",
        "weight": round(chance.uniform(0.1, 1.0), 3),
        "confidence": 0.5,
        "count": 1,
        "created_at": at,
        "last_at": at,
    }


async def _cost(path: Path, n: int, days: int, policy: str) -> None:
    async with remanence.open(path, clock=ManualClock(NOW), embedder="none") as memory:
        with spent() as took:
            told = await memory.forecast(days, policy)
    figure("forecast.cost", took.cpu_s, "CPU s", n=n, days=days, policy=policy, **_said(told))


def _said(told: Forecast) -> dict[str, object]:
    coarse = None if told.coarse_at is None else (told.coarse_at - told.at) // DAY
    return {"runs": len(told.runs) + told.runs_more, "coarse_from_day": coarse, "every_s": told.every}


async def _coarse(path: Path, n: int, days: int, policy: str) -> None:
    """Say by how much ticks that are taken together miss the day."""
    async with remanence.open(path, clock=ManualClock(NOW), embedder="none") as memory:
        exact = _left(await memory.forecast(days, policy, limit=1_000_000))
        for hours in STEPS_H:
            told = _left(await memory.forecast(days, policy, every=hours * 3_600, limit=1_000_000))
            _compared("forecast.coarse", [(told, exact)], policy=policy, n=n, every_h=hours)


def _left(told: Forecast) -> Leavings:
    return {(one.memory.seq, one.action): one.at for one in told.leaving}


async def _true(name: str, policies: Sequence[str]) -> None:
    """Foretell, let it come true, and compare, once for each policy in a world of its own."""
    pairs = [await _came_true(policy, number) for number, policy in enumerate(policies)]
    _compared("forecast.true", pairs, policy=name, worlds=len(pairs))


async def _came_true(policy: str, seed: int) -> tuple[Leavings, Leavings]:
    clock, chance = ManualClock(NOW), Random(seed)
    async with remanence.open(store=MemoryStore(), clock=clock, embedder="none") as memory:
        for _ in range(4):
            await memory.learn([_turn(chance) for _ in range(WORLD // 4)])
            clock.set(clock.now() + chance.randrange(HOUR, 9 * DAY))
        await memory.consolidate()
        await memory.policy.use(policy)
        told = await memory.forecast(WORLD_DAYS, limit=1_000_000)
        return _left(told), await _ticked(memory, clock, told.until)


def _turn(chance: Random) -> Turn:
    category = chance.choice([*STATES])
    text = f"The {category} number {chance.randrange(10**9)}. " + "More was said. " * chance.randrange(9)
    return Turn(
        text,
        category=category,
        state=chance.choice(STATES[category]),
        confidence=chance.choice((0.2, 0.5, 0.95)),
    )


async def _ticked(memory: remanence.Engine, clock: ManualClock, until: int) -> Leavings:
    """Tick whenever it is due, and say what left when, as the audit tells it."""
    left: dict[tuple[int, str], int] = {}
    while clock.now() <= until:
        done = await memory.run_jobs()
        ran = done.ran.get("curate")
        if ran is not None and ran.run is not None:
            report = await memory.history(run=ran.run, limit=WORLD)
            acts = [act for act in report.acts if act.name in LEAVES]
            left |= {(one.seq, act.name): report.at for act in acts for one in act.memories}
        clock.set(max(done.next_at, clock.now() + 1))
    return left


def _drawn(count: int) -> Iterator[str]:
    """Draw policies of two to five rules that compile."""
    chance = Random(count)
    while count:
        drawn = PolicyTables(
            (), tuple(rule(f"r{k}", chance.randbytes(12)) for k in range(chance.randrange(2, 6)))
        )
        try:
            load(drawn.toml())
        except PolicyError:
            continue
        count -= 1
        yield drawn.toml()


def _compared(name: str, pairs: Sequence[tuple[Leavings, Leavings]], **fields: object) -> None:
    """Print of each action which share was foretold for the very instant, and how far off the rest was."""
    exact: dict[str, int] = defaultdict(int)
    count: dict[str, int] = defaultdict(int)
    missed: dict[str, int] = defaultdict(int)
    off: dict[str, list[int]] = defaultdict(list)
    for told, happened in pairs:
        for key in told.keys() | happened.keys():
            action = key[1]
            count[action] += 1
            if key not in told or key not in happened:
                missed[action] += 1
                continue
            exact[action] += told[key] == happened[key]
            off[action].append(abs(told[key] - happened[key]))
    for action in sorted(count):
        days = off[action] or [0]
        figure(
            name,
            exact[action] / count[action],
            "share exactly right",
            action=action,
            count=count[action],
            only_one_side=missed[action],
            days_off_mean=round(sum(days) / len(days) / DAY, 3),
            days_off_max=round(max(days) / DAY, 3),
            **fields,
        )


if __name__ == "__main__":
    main()
