"""Long verbs tell how far they are, and leave nothing half done where they are cancelled: the same call goes on."""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable

import pytest

import remanence
from remanence.core.clock import ManualClock
from remanence.core.errors import InvalidInput
from remanence.core.keywords import Progress
from remanence.core.receipt import Receipt
from remanence.flows.curate import applying
from remanence.flows.exchange import transfer
from tests.flows.conftest import Opener

TEXTS = [f"Buoy {number} of row {number % 3} is painted red." for number in range(10)]
ARCHIVE = """
version = 1
name = "archive-idle"
[[rule]]
name = "idle"
every = "deep"
phase = "value"
where = "status == 'active' and idle > days(1)"
do = "archive"
because = "test"
"""
Told = list[tuple[int, int]]


async def _filled(memory: remanence.Engine, clock: ManualClock) -> None:
    await memory.learn(TEXTS)
    await memory.consolidate()
    clock.advance(days=3)


async def _cancel_midway(verb: Callable[[Progress], Awaitable[object]]) -> Told:
    """Cancel a verb once it has told that something is done; return what it told."""
    told: Told = []

    def hear(done: int, total: int) -> None:
        told.append((done, total))
        if done:
            task.cancel()

    task = asyncio.ensure_future(verb(hear))
    with pytest.raises(asyncio.CancelledError):
        await task
    assert told[0][0] == 0 < told[-1][0] < told[-1][1]
    return told


async def _texts(memory: remanence.Engine) -> list[tuple[str, str]]:
    found = await memory.list(status="any", oldest_first=True)
    return [(one.text, one.status.label) for one in found]


async def test_a_cancelled_plan_is_a_run_and_the_same_plan_does_the_rest(
    opener: Opener, clock: ManualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each is whole and is undone by itself; applied once more, the plan is refused as ever."""
    monkeypatch.setattr(applying, "PART_CHANGES_MAX", 3)
    async with opener(policy=ARCHIVE) as memory:
        await _filled(memory, clock)
        before = await _texts(memory)
        plan = await memory.plan()

        assert (3, 10) == (await _cancel_midway(lambda hear: memory.apply(plan, progress=hear)))[-1]
        assert () == (await memory.status()).interrupted
        left = (await memory.count()).total
        assert left in {4, 7}  # what was being committed is whole as well

        told: Told = []
        rest = await memory.apply(plan, progress=lambda *one: told.append(one))

        assert (left, (0, left), (left, left)) == (rest.archived, told[0], told[-1])
        with pytest.raises(InvalidInput, match="applied already"):
            await memory.apply(plan)
        await memory.undo("last")
        await memory.undo("last")
        assert before == await _texts(memory)


async def test_a_cancelled_undo_goes_on_where_it_stopped(
    opener: Opener, clock: ManualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The run is undone when it is undone again, and not before."""
    monkeypatch.setattr(applying, "PART_CHANGES_MAX", 3)
    async with opener(policy=ARCHIVE) as memory:
        await _filled(memory, clock)
        before = await _texts(memory)
        done = await memory.curate()
        await _cancel_midway(lambda hear: memory.undo(done, progress=hear))

        assert before != await _texts(memory)

        told: Told = []
        await memory.undo(done, progress=lambda *one: told.append(one))

        assert before == await _texts(memory)
        assert () == (await memory.status()).interrupted
        assert told[-1][0] == told[-1][1] < 10


async def test_a_cancelled_import_is_a_run_and_the_same_import_takes_the_rest(
    opener: Opener, clock: ManualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As whole as if it had never been cancelled; a third time there is nothing to do."""
    monkeypatch.setattr(transfer, "PAGE", 3)
    async with remanence.open(embedder="hashed", clock=clock) as source:
        await _filled(source, clock)
        await source.link(1, 2, "refers")
        lines = [line async for line in source.export()]
    async with opener() as memory:

        async def take(hear: Progress | None = None) -> Receipt:
            return await memory.import_(lines, trust="user", progress=hear)

        await _cancel_midway(take)
        assert () == (await memory.status()).interrupted
        assert len(await memory.list()) in {3, 6}
        await take()
        assert 0 == (await take()).changes
        assert [line async for line in memory.export()][1:-1] == lines[1:-1]
        await memory.undo("last")
        await memory.undo("last")
        assert [] == await memory.list()


async def test_an_export_tells_how_far_it_is_and_is_unfinished_where_it_stops(
    opener: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The register says of a copy that it did not come to its end."""
    monkeypatch.setattr(transfer, "PAGE", 3)
    async with opener() as memory:
        await memory.learn(TEXTS)
        told: Told = []
        assert [line async for line in memory.export(progress=lambda *one: told.append(one))]
        assert ((0, 10), (10, 10)) == (told[0], told[-1])

        async def write(tell: Progress) -> None:
            async for _ in memory.export(progress=tell):
                await asyncio.sleep(0)

        await _cancel_midway(write)
        assert {10: 1, None: 1} == Counter(one.memories for one in await memory.erase.show(copies=True))
