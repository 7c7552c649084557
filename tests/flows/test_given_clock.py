"""What is done beside the verbs goes by the clock that the memory was opened with, as the verbs do (law 4)."""

import asyncio
import re
import sqlite3
from collections.abc import Awaitable, Callable, Iterator
from contextlib import closing
from pathlib import Path

import remanence
from remanence.core.clock import DAY, HOUR, ManualClock, SystemClock
from remanence.faces.mcp.tools import Tools
from tests.flows.conftest import Opener
from tests.sentences import Sentences

LONG_AGO = 1_000_000_000_000_000  # September 2001
_MICROS = re.compile(r"(?<!\d)\d{16}(?!\d)")


def _values(path: Path) -> Iterator[tuple[str, str, object]]:
    """Yield (table, column, value) of all that a file holds."""
    with closing(sqlite3.connect(path)) as file:
        plain = "SELECT name FROM sqlite_master WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'"
        tables = [name for (name,) in file.execute(plain)]
        for table in tables:
            found = file.execute(f"SELECT * FROM {table}")
            columns = [column[0] for column in found.description]
            for row in found:
                yield from ((table, column, value) for column, value in zip(columns, row, strict=True))


def _times(value: object) -> list[int]:
    """Return what may be a time in microseconds, also within a text."""
    said = value.decode("latin-1") if isinstance(value, bytes) else str(value)
    return [int(digits) for digits in _MICROS.findall(said)]


async def _until(is_so: Callable[[], Awaitable[bool]]) -> None:
    async with asyncio.timeout(30):
        while not await is_so():
            await asyncio.sleep(0.02)


async def test_no_row_holds_a_time_of_the_machine(tmp_path: Path) -> None:
    """Extraction in the background, boxes, guidelines, leases, uses, ticks, a mirror and copies: 25 years before it."""
    clock, path = ManualClock(LONG_AGO), tmp_path / "memory.db"
    async with remanence.open(
        path, clock=clock, embedder="hashed", policy="default", writer=Sentences()
    ) as memory:
        await memory.policy.use("default")
        await memory.settings.set("mirror_folder", str(tmp_path / "mirror"))
        async with memory.session("work"):
            for text in (
                "I moved to Bergen, and my sister Ingrid lives in Oslo.",
                "Remember: I am allergic to nuts.",
            ):
                await memory.note(text, speaker="Ana")
                clock.advance(minutes=1)
            await _until(lambda: _extracted(memory))
        await memory.recall("nuts", agent="desk")
        await memory.run_jobs()
        await memory.consolidate()
        draft = (await memory.guidelines()).draft
        assert draft is not None
        await memory.backup(tmp_path / "copy.db")
        assert [line async for line in memory.export()]
        clock.advance(days=3)
        await memory.run_jobs()
    latest, machine = clock.now() + DAY, SystemClock().now()
    late = [
        (table, column, value)
        for table, column, value in _values(path)
        if any(latest < time <= machine + DAY for time in _times(value))
    ]

    assert LONG_AGO <= draft.at <= latest
    assert [] == late


async def _extracted(memory: remanence.Engine) -> bool:
    return any(event.verb == "extract" for event in await memory.history())


async def test_turns_that_wait_are_listened_to_once_they_are_due_by_the_given_clock(
    opener: Opener, clock: ManualClock
) -> None:
    """The next turn tells that the oldest waited for a quarter of an hour, however short the machine lived."""
    async with opener() as memory:
        await memory.note("Mia lives in Bergen.", speaker="Mia", session="s")
        await _until(lambda: _looked(memory, 1))
        clock.advance(hours=1)
        await memory.note("Mia keeps a boat.", speaker="Mia", session="s")
        await _until(lambda: _looked(memory, 0))


async def _looked(memory: remanence.Engine, turns: int) -> bool:
    await asyncio.sleep(0.1)  # the engine had its turn
    return turns == sum(one.turns for one in (await memory.status()).waiting)


async def test_a_tool_judges_a_hold_by_the_given_clock(tmp_path: Path) -> None:
    """One that ends in an hour of the memory's own time protects, though the machine's is long past it."""
    clock = ManualClock(LONG_AGO)
    async with remanence.open(tmp_path / "memory.db", clock=clock, embedder="none") as memory:
        await memory.learn("The lease of the shed ends in May.")
        await memory.hold(1, "legal", until=clock.now() + HOUR)

        assert "protected: held" in await Tools(memory).forget(["#1"])

        clock.advance(hours=2)

        assert "protected" not in await Tools(memory).forget(["#1"])
