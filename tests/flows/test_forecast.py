"""A forecast says what the ticks to come will do, and it comes true on a clock that moves."""

import asyncio
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import remanence
from remanence.core.clock import DAY, MINUTE, ManualClock
from remanence.core.errors import InvalidInput
from remanence.core.model import Turn
from remanence.curate.forecast import ticks_to_come
from remanence.curate.forecast.forecast_report import Forecast, Leaving
from remanence.store.base import Store
from remanence.store.sqlite.sqlite_store import SqliteStore
from remanence_store_kit.memory.memory_store import MemoryStore
from tests.flows.conftest import Opener
from tests.flows.foretold import drawn, peopled, ticked, told
from tests.unit.forecasts import make_forecast

PRESETS = ("default", "janitor", "mvs", "mvs-seed", "engram", "autonomous", "elfmem", "episodic-cap")
OLD = """
version = 1
name = "old"

[[rule]]
name = "old-talk"
every = "deep"
phase = "expire"
where = "category == 'message' and age(learned_at) > days(2)"
do = "prune"

[[rule]]
name = "tombstones"
every = "deep"
phase = "purge"
where = "status == 'pruned' and age(status_at) > days(2)"
do = "purge"
"""


async def _comes_true(
    store: Store, policy: str, seed: int, days: int, count: int = 60, **more: Any
) -> Forecast:
    """Foretell so many days of a random scope, let them pass, and compare run by run."""
    clock, random = ManualClock(), Random(seed)
    async with remanence.open(store=store, clock=clock, embedder="hashed", **more) as memory:
        await peopled(memory, clock, random, count)
        await memory.policy.use(policy)
        for _ in range(random.randrange(3)):
            done = await memory.run_jobs()
            clock.set(max(done.next_at, clock.now() + 1))
        foretold = await memory.forecast(days)
        runs = await ticked(memory, clock, foretold.until)
        state = await memory.status()

    assert told(foretold) == runs
    assert foretold.stands == {name: count for name, count in state.statuses.items() if count}
    return foretold


@pytest.mark.deep
@pytest.mark.parametrize("policy", PRESETS)
@given(seed=st.integers(0, 10_000))
@settings(max_examples=3, deadline=None)
def test_what_a_preset_will_do_comes_true(policy: str, seed: int) -> None:
    """The same memories go at the same runs by the same rules."""
    asyncio.run(_comes_true(_store(seed), policy, seed, 30))


@pytest.mark.parametrize("seed", [2, 4])
def test_what_a_policy_will_do_comes_true(seed: int) -> None:
    """A window with a ladder; turns of a period, links that fade and a prune that limits on deletion count."""
    foretold = asyncio.run(_comes_true(_store(seed), drawn(Random(seed)), seed, 4, 40))

    assert foretold.counts.keys() >= {"archive", "prune"}


@pytest.mark.deep
@given(seed=st.integers(0, 1_000_000))
@settings(max_examples=100, deadline=None)
def test_what_many_policies_will_do_comes_true(seed: int) -> None:
    """The same, for many that are drawn, and longer."""
    asyncio.run(_comes_true(_store(seed), drawn(Random(seed)), seed, 12, 40))


def _store(seed: int) -> Store:
    return MemoryStore() if seed % 2 else SqliteStore(":memory:")


async def test_limits_put_off_what_a_day_may_not_destroy(opener: Opener, clock: ManualClock) -> None:
    """Ten go a day, the longest due first; and tombstones go after their days."""
    async with opener(policy=OLD) as memory:
        for at in range(3):
            await memory.learn([Turn(f"turn {at} {k}", category="message") for k in range(8)])
            clock.advance(hours=1)
        await memory.learn([Turn(f"fact {k}", category="fact") for k in range(76)])
        foretold = await memory.forecast(8)
        runs = await ticked(memory, clock, foretold.until)

    assert told(foretold) == runs
    assert [10, 10, 4] == [counts["prune"] for _, counts, _ in runs if "prune" in counts]
    assert {"prune": 24, "purge": 24} == foretold.counts
    assert ({"inbox": 100}, {"active": 76}) == (foretold.stood, foretold.stands)
    assert {"prune": 10} in foretold.by_day


async def test_a_plan_that_waits_for_a_person_is_told(opener: Opener, clock: ManualClock) -> None:
    """It is held from its first tick on, and nothing of what it destroys is foretold."""
    async with opener(policy=OLD) as memory:
        await memory.learn([Turn(f"turn {k}", category="message") for k in range(40)])
        foretold = await memory.forecast(5)
        runs = await ticked(memory, clock, foretold.until)

    assert ([], {}) == (runs, foretold.counts)
    assert "it would destroy 40 of 40 memories" in foretold.held
    assert foretold.held_at is not None and foretold.held_at > foretold.at + 2 * DAY
    assert "held from" in str(foretold)


async def test_after_a_long_rest_it_goes_on_after_a_day(clock: ManualClock) -> None:
    """Nobody can tell a rest from a clock set wrong: ticks look at it, wait for a day, and a forecast says when."""
    async with remanence.open(store=MemoryStore(), clock=clock, embedder="none", policy=OLD) as memory:
        await memory.learn([Turn(f"turn {k}", category="message") for k in range(3)])
        clock.advance(days=40)
        foretold = await memory.forecast(5)
        held = await memory.run_jobs()
        runs = await ticked(memory, clock, foretold.until)
        state = await memory.status()

    assert held.ran["curate"].held == "clock"
    assert held.next_at > held.at
    assert told(foretold) == runs
    assert [{"prune": 3}, {"purge": 3}] == [counts for _, counts, _ in runs]
    assert DAY <= runs[0][0] - foretold.at < 2 * DAY
    assert foretold.stands == {name: count for name, count in state.statuses.items() if count}


async def test_what_is_held_is_looked_at_at_the_pace_of_ticks(clock: ManualClock) -> None:
    """A policy with an interval stays due while a person is waited for; no tick follows at once."""
    async with remanence.open(
        store=MemoryStore(),
        clock=clock,
        embedder="none",
        policy=OLD.replace("[[rule]]", 'interval = "1 day"\n\n[[rule]]', 1),
    ) as memory:
        await memory.learn([Turn(f"turn {k}", category="message") for k in range(40)])
        clock.advance(days=3)
        foretold = await memory.forecast(2)
        done = await memory.run_jobs()
        runs = await ticked(memory, clock, done.at + DAY // 8)

    assert done.ran["curate"].held == "share"
    assert done.next_at >= done.at + 2 * MINUTE
    assert ([], {"active": 40}) == (runs, foretold.stands)


async def test_the_inbox_settles_after_the_last_run(clock: ManualClock) -> None:
    """What stands in the end is counted in the end, not at the last tick at which rules were judged."""
    async with remanence.open(
        store=MemoryStore(), clock=clock, embedder="none", policy='version = 1\nname = "none"\n'
    ) as memory:
        await memory.learn("The ferry leaves at nine.")
        foretold = await memory.forecast(1)

    assert ({"inbox": 1}, {"active": 1}) == (foretold.stood, foretold.stands)


async def test_holds_end_and_the_lists_are_limited(opener: Opener, clock: ManualClock) -> None:
    """What a hold keeps goes once that has ended; counts are whole whatever is listed."""
    async with opener(policy=OLD) as memory:
        made = await memory.learn([Turn(f"turn {k}", category="message") for k in range(9)])
        await memory.hold(made[0].id, "an audit", until=clock.now() + 3 * DAY)
        whole = await memory.forecast(5)
        part = await memory.forecast(5, limit=2, offset=7)
        runs = await ticked(memory, clock, whole.until)

    assert told(whole) == runs
    assert [8, 1, 8] == [counts.get("prune") or counts["purge"] for _, counts, _ in runs]
    assert whole.counts == part.counts
    assert whole.leaving[7:9] == part.leaving
    assert (15, 3) == (part.leaving_more, part.runs_more)


@pytest.mark.parametrize("name", ["default", "janitor"])
async def test_a_forecast_writes_nothing(tmp_path: Path, clock: ManualClock, name: str) -> None:
    """Not a byte of the file, no run and no lease; the tick after it does what it would have done."""
    path = tmp_path / "memory.db"
    async with remanence.open(path, clock=clock, embedder="none", policy=name) as memory:
        await memory.learn([Turn(f"turn {k}", category="message") for k in range(20)])
        before = _bytes(tmp_path), await memory.history(limit=1_000)
        await memory.forecast(30)
        after = _bytes(tmp_path), await memory.history(limit=1_000)
        known = (await memory.status()).schedule

    assert before == after
    assert known is None


def _bytes(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir() if not path.name.endswith("-shm")}


async def test_without_a_policy_it_says_what_to_do(opener: Opener) -> None:
    """Adopt one, or name one: that works without adopting it."""
    async with opener() as memory:
        with pytest.raises(InvalidInput, match="has adopted no policy") as refused:
            await memory.forecast()
        named = await memory.forecast(3, "default")

    assert "policy='default'" in refused.value.recovery
    assert ("default", 3) == (named.policy, named.days)
    assert any("learned" in one for one in named.unknown)


@pytest.mark.parametrize(
    ("days", "more"),
    [(0, {}), (-1, {}), (3_651, {}), (1.5, {}), (True, {}), ("7", {}), (7, {"limit": -1}), (7, {"every": 1})],
)
async def test_nonsense_is_refused(memory: remanence.Engine, days: Any, more: dict[str, Any]) -> None:
    """With what may be passed."""
    with pytest.raises(InvalidInput) as refused:
        await memory.forecast(days, "default", **more)

    assert refused.value.recovery


async def test_the_picture_needs_nothing_else(opener: Opener) -> None:
    """It is well-formed, says in words what it shows, and a terminal shows the same in characters."""
    async with opener(policy=OLD) as memory:
        await memory.learn([Turn(f"turn {k}", category="message") for k in range(9)])
        foretold = await memory.forecast(90)

    drawn_as = ET.fromstring(foretold.svg())
    texts = [one.text or "" for one in drawn_as.iter()]

    assert any("9 deleted" in text for text in texts)
    assert any("memories" == text for text in texts)
    assert "http" not in foretold.svg().replace("http://www.w3.org/2000/svg", "")
    assert "prefers-color-scheme: dark" in foretold.svg()
    assert "each line 7 days" in foretold.chart()
    assert "max-width" in foretold.svg()
    assert all(len(line) <= 40 for line in foretold.chart(40).splitlines()[1:])


def test_a_picture_has_room_for_any_names_and_figures() -> None:
    """Names are cut, and whole in its words; figures are short; where nothing leaves it says so."""
    foretold = make_forecast({"prune": 1_234_567, "archive": 2}, {})
    named = replace(foretold, scope="a-scope-" * 20, policy="a-policy-" * 20)
    texts = [one.text or "" for one in ET.fromstring(named.svg()).iter() if one.tag.endswith("text")]

    assert {"400k", "1.6M", "deleted 1,234,567"} <= {*texts}
    assert all(len(text) <= 70 for text in texts)
    assert "a-scope-" * 20 in named.svg()
    assert "nothing leaves" in make_forecast({}, {}).svg()


async def test_ticks_taken_together_come_late_and_say_so(
    opener: Opener, clock: ManualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Beyond a limit on the work; what waits for another day waits no longer than that."""
    async with opener(policy=OLD) as memory:
        for _ in range(3):
            await memory.learn([Turn(f"turn {clock.now()} {k}", category="message") for k in range(8)])
            clock.advance(hours=1)
        await memory.learn([Turn(f"fact {k}", category="fact") for k in range(76)])
        exact = await memory.forecast(30)
        monkeypatch.setattr(ticks_to_come, "WORK_MAX", 40_000)
        coarse = await memory.forecast(30)

    late = [
        other.at - one.at
        for one, other in zip(_by_memory(exact), _by_memory(coarse), strict=True)
        if one.action == "prune"
    ]
    assert coarse.every is not None and coarse.coarse_at is not None
    assert (exact.counts, exact.stands) == (coarse.counts, coarse.stands)
    assert all(0 <= one <= coarse.every * 1_000_000 for one in late)
    assert f"rounds are taken {coarse.every / 3_600:g} hours apart" in str(coarse)


def _by_memory(forecast: Forecast) -> list[Leaving]:
    return sorted(forecast.leaving, key=lambda one: (one.memory.seq, one.action))
