"""Images of the audit end after the time that a setting says: runs stay by a line, undo and restore say why not."""

import asyncio
import sqlite3
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

import remanence
from remanence.clock import DAY, ManualClock
from remanence.errors import ImagesEnded, PlanHeld
from remanence.testing.builders import raised
from tests.command_line import typed

NOW = 20_000 * DAY


def opened(path: str | Path, clock: ManualClock) -> remanence.Engine:
    """Open a memory that purges what was forgotten thirty days ago."""
    return remanence.open(path, clock=clock, embedder="hashed", policy="default")


@pytest.mark.parametrize("place", [":memory:", "memory.db"])
async def test_a_run_past_the_window_stays_by_a_line_and_cannot_be_undone(place: str, tmp_path: Path) -> None:
    """Undo names the date; the newest run that stands is found past it, and the audit is proven from there on."""
    clock = ManualClock(NOW)
    path = place if place == ":memory:" else tmp_path / place
    async with opened(path, clock) as memory:
        said = await memory.learn("The crane on quay four is out of order.")
        pinned = await memory.pin(said.id)
        clock.advance(days=30)
        late = await memory.tag(said.id, "harbour")
        clock.advance(days=31)
        await memory.schedule.accept_clock()
        done = await memory.schedule.expire()
        refused = await raised(ImagesEnded, memory.undo(pinned))
        ending = await raised(ImagesEnded, memory.undo(done.runs[0]))
        report = await memory.describe_run(pinned)
        told = await memory.history()
        checks = {check.name: check for check in await memory.doctor()}

        assert (2, True) == (done.parts, done.changes > 0)
        assert "is of 2024-10-04 and cannot be undone: its images ended on 2024-12-04" in str(refused)
        assert "is not undone" in str(ending)
        assert None is report.undo
        assert ["learn", "pin", "tag", "expire"] == [event.verb for event in told]
        assert checks["audit"].ok
        assert "images are proven from after part 2" in checks["audit"].detail
        assert late.run == (await memory.undo_last()).undoes


async def test_restore_finds_a_purged_memory_until_its_image_ends() -> None:
    """By id, number and key; past that it says when, and not that there is none."""
    clock = ManualClock(NOW)
    async with opened(":memory:", clock) as memory:
        said = await memory.put("wifi", "The guest network is heron-42.", agent="desk", source="manual")
        await memory.forget(said.id)
        clock.advance(days=31)
        await memory.schedule.accept_clock()
        await memory.curate()
        clock.advance(days=40)
        await memory.schedule.accept_clock()
        kept = await memory.schedule.expire()
        receipt = await memory.restore("wifi")
        back = await memory.get(said.id)
        await memory.undo(receipt)
        clock.advance(days=61)
        await memory.schedule.accept_clock()
        await memory.schedule.expire()
        refused = [await raised(ImagesEnded, memory.restore(name)) for name in (said.id, "wifi", back.seq)]

        assert kept.kept > 0
        assert "The guest network is heron-42." == back.text
        assert all("it cannot be restored" in str(error) for error in refused)


async def test_nothing_ends_under_a_clock_in_doubt(tmp_path: Path) -> None:
    """A clock that was set ahead would end all at once; one that is behind its own records is as little believed."""
    path = tmp_path / "memory.db"
    async with opened(path, ManualClock(NOW)) as memory:
        await memory.learn("The ferry leaves at six.")
    for now in (NOW - 90 * DAY, NOW + 90 * DAY):
        async with opened(path, ManualClock(now)) as memory:
            await raised(PlanHeld, memory.schedule.expire())
            told = await memory.history()

        assert ["learn"] == [event.verb for event in told]


async def test_a_deep_tick_ends_images(tmp_path: Path) -> None:
    """And no quicker one."""
    clock = ManualClock(NOW)
    async with opened(tmp_path / "memory.db", clock) as memory:
        await memory.learn("The ferry leaves at six.")
        clock.advance(days=61)
        await memory.schedule.accept_clock()
        rapid = await memory.schedule.tick("rapid")
        deep = await memory.schedule.tick("deep")

        assert "expire" not in rapid.ran
        assert 1 == deep.ran["expire"].counts["parts ended"]


async def test_changed_images_and_causes_are_found(tmp_path: Path) -> None:
    """A forged cause of a part whose images ended, and an image less of those that were kept."""
    path, clock = tmp_path / "memory.db", ManualClock(NOW)
    async with opened(path, clock) as memory:
        held = await memory.learn("The ledger lies in the blue cabinet.")
        await memory.hold(held.id, "case")
        await memory.learn("The ferry leaves at six.")
        clock.advance(days=61)
        await memory.schedule.accept_clock()
        await memory.schedule.expire()
    for forged in (
        "UPDATE runs SET actor = 'nobody' WHERE position = 3",
        "DELETE FROM changes WHERE position = 1",
    ):
        with closing(sqlite3.connect(path)) as connection:
            before = connection.execute("SELECT * FROM runs WHERE position = 3").fetchall()
            connection.execute("PRAGMA foreign_keys = OFF")
            connection.execute(forged)
            connection.commit()
        async with opened(path, clock) as memory:
            audit = next(check for check in await memory.doctor() if check.name == "audit")
        with closing(sqlite3.connect(path)) as connection:
            connection.execute("UPDATE runs SET actor = NULL WHERE position = 3")
            connection.commit()

        assert before
        assert not audit.ok


async def test_the_command_tells_what_ended(tmp_path: Path) -> None:
    """In a line, and without a way back: there is none."""
    clock, path = ManualClock(datetime.now(UTC) - timedelta(days=70)), tmp_path / "memory.db"
    async with opened(path, clock) as memory:
        await memory.learn("The ferry leaves at six.")
    given = ("--db", str(path), "--embedder", "hashed")
    await asyncio.to_thread(typed, *given, "accept-clock")
    done = await asyncio.to_thread(typed, *given, "expire")

    assert (0, True) == (done.exit_code, "of 1 part ended" in done.stdout), done.stderr
    assert "take it back" not in done.stdout
