"""Images of the audit end after the time that a setting says: runs stay by a line, undo and restore say why not."""

import asyncio
import json
import shutil
import sqlite3
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

import remanence
import remanence.sync
from remanence.core.clock import DAY, ManualClock
from remanence.core.errors import ImagesEnded, InvalidInput, PlanHeld
from remanence.flows.base.undo_data_expiry import expire, find_due_images
from remanence_store_kit.builders import expect_error
from tests.command_line import Typed, typed

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
        await memory.review.settle("clock", "accept")
        done = await expire(memory._core)
        refused = await expect_error(ImagesEnded, memory.undo(pinned))
        ending = await expect_error(ImagesEnded, memory.undo(done.runs[0]))
        report = await memory.history(run=pinned)
        told = await memory.history()
        checks = {check.name: check for check in await memory.doctor()}

        assert (2, True) == (done.parts, done.changes > 0)
        assert "is of 2024-10-04 and cannot be undone: its images ended on 2024-12-04" in str(refused)
        assert "is not undone" in str(ending)
        assert None is report.undo
        assert ["learn", "pin", "tag", "expire"] == [event.verb for event in told]
        assert checks["audit"].ok
        assert "images are proven from after part 2" in checks["audit"].detail
        assert late.run == (await memory.undo("last")).undoes


async def test_what_the_first_tick_would_end_is_told_before(tmp_path: Path) -> None:
    """How many of how many parts, and from when; none where nothing is old enough, nor once some have ended."""
    clock = ManualClock(NOW)
    async with remanence.open(tmp_path / "memory.db", clock=clock, embedder="hashed") as memory:
        for number in range(5):
            await memory.learn(f"Crane {number} is out of order.")
            clock.advance(days=10)
        await memory.review.settle("clock", "accept")
        early = await find_due_images(memory._core)
        clock.advance(days=31)
        await memory.review.settle("clock", "accept")
        due = await find_due_images(memory._core)
        done = await expire(memory._core)
        clock.advance(days=30)
        await memory.review.settle("clock", "accept")
        after = await find_due_images(memory._core)

    assert (None, None) == (early, after)
    assert due is not None
    assert (done.parts, done.changes) == (due.parts, due.changes)
    assert "of 3 parts of the audit, from 2024-10-04 00:00 UTC to" in str(due)
    assert "remanence settings audit_days DAYS" in str(due)


def test_adopting_a_policy_in_an_old_file_says_what_that_ends(tmp_path: Path) -> None:
    """On stderr, before it is adopted and in a dry run; a new file has nothing to say."""
    path, new = str(tmp_path / "old.db"), str(tmp_path / "new.db")
    clock = ManualClock(int((datetime.now(UTC) - timedelta(days=90)).timestamp()) * 1_000_000)
    with remanence.sync.open(path, clock=clock, embedder="hashed") as memory:
        memory.learn("Crane four is out of order.")
    with remanence.sync.open(new, embedder="hashed") as memory:
        memory.learn("Crane four is out of order.")
    words = "--embedder", "hashed", "curate", "--policy", "default", "--dry-run"
    said = [typed("--db", one, *words).stderr for one in (path, new)]
    adopted = [typed("--db", one, *words[:2], "policy", "use", "default") for one in (path, new)]

    assert [True, False] == ["the first run of due jobs ends up to" in one for one in said]
    assert [True, False] == ["the first run of due jobs ends up to" in one.stderr for one in adopted]
    assert [0, 0] == [one.exit_code for one in adopted]


@pytest.mark.parametrize("policy", [None, "default"])
async def test_a_tick_ends_images_where_it_is_told_to(policy: str | None, clock: ManualClock) -> None:
    """Under a policy or without one; without one a tick does nothing else, and is refused where nothing is pending."""
    async with remanence.open(":memory:", clock=clock, embedder="hashed", policy=policy) as memory:
        await memory.learn("The crane on quay four is out of order.")
        clock.advance(days=61)
        await memory.review.settle("clock", "accept")
        if policy is None:
            refused = await expect_error(InvalidInput, memory.run_jobs())
            assert "has adopted no policy" in str(refused)
        done = await memory.run_jobs(expire=True)
        verbs = [event.verb for event in await memory.history()]

    assert done.expired is not None
    assert ("of 1 part ended" in str(done)) == (policy is None)  # a deep tick under a policy has ended them
    assert ["expire"] == [verb for verb in verbs if verb == "expire"]
    assert (policy is None) == (verbs == ["learn", "expire"])


async def test_restore_finds_a_purged_memory_until_its_image_ends() -> None:
    """By id, number and key; past that it says when, and not that there is none."""
    clock = ManualClock(NOW)
    async with opened(":memory:", clock) as memory:
        said = await memory.learn("The guest network is heron-42.", key="wifi", agent="desk", source="manual")
        await memory.forget(said.id)
        clock.advance(days=31)
        await memory.review.settle("clock", "accept")
        await memory.curate()
        clock.advance(days=40)
        await memory.review.settle("clock", "accept")
        kept = await expire(memory._core)
        receipt = await memory.restore("wifi")
        back = await memory.get(said.id)
        await memory.undo(receipt)
        clock.advance(days=61)
        await memory.review.settle("clock", "accept")
        await expire(memory._core)
        refused = [
            await expect_error(ImagesEnded, memory.restore(name)) for name in (said.id, "wifi", back.seq)
        ]

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
            await expect_error(PlanHeld, expire(memory._core))
            told = await memory.history()

        assert ["learn"] == [event.verb for event in told]


async def test_a_deep_tick_ends_images(tmp_path: Path) -> None:
    """And no quicker one."""
    clock = ManualClock(NOW)
    async with opened(tmp_path / "memory.db", clock) as memory:
        await memory.learn("The ferry leaves at six.")
        clock.advance(days=61)
        await memory.review.settle("clock", "accept")
        rapid = await memory.run_jobs("rapid")
        deep = await memory.run_jobs("deep")

        assert "expire" not in rapid.ran
        assert 1 == deep.ran["expire"].counts["parts ended"]


async def test_ticks_end_images_once_a_day(tmp_path: Path) -> None:
    """Those of a whole day together: each end of images is a line that stays."""
    clock = ManualClock(NOW)
    async with opened(tmp_path / "memory.db", clock) as memory:
        for text in ("The ferry leaves at six.", "The crane is out of order.", "The slipway is swept."):
            await memory.learn(text)
            clock.advance(hours=6)
        clock.advance(days=60)
        await memory.review.settle("clock", "accept")
        ended = []
        for _ in range(8):
            ran = (await memory.run_jobs("deep")).ran.get("expire")
            ended.append(0 if ran is None else ran.counts["parts ended"])
            clock.advance(hours=6)

    assert [0, 3, 0, 0, 0, 0, 0, 0] == ended


async def test_ticks_look_once_a_day_for_images_that_nothing_keeps_any_more(tmp_path: Path) -> None:
    """What a hold kept ends with the first deep tick of the day after the hold was taken off."""
    clock = ManualClock(NOW)
    async with opened(tmp_path / "memory.db", clock) as memory:
        held = await memory.learn("The ledger lies in the blue cabinet.")
        await memory.hold(held.id, "case")
        clock.advance(days=61)
        await memory.review.settle("clock", "accept")
        await memory.run_jobs("deep")
        await memory.hold(held.id, "case", off=True)
        ended = []
        for _ in range(5):
            clock.advance(hours=6)
            ran = (await memory.run_jobs("deep")).ran.get("expire")
            ended.append(ran is not None)

    assert [False, False, False, True, False] == ended


_FIRST = "(SELECT min(position) FROM runs WHERE verb = 'expire')"
_SECOND = _FIRST.replace("min", "max")
FORGERIES = {
    "by whom an ended part was done": "UPDATE runs SET actor = 'eve' WHERE position = 3",
    "when": "UPDATE runs SET at = at + 1 WHERE position = 3",
    "a line less": "DELETE FROM runs WHERE position = 3",
    "a checkpoint less": f"DELETE FROM runs WHERE position = {_FIRST}",
    "the last checkpoint less": f"DELETE FROM runs WHERE position = {_SECOND}",
    "a checkpoint that is none": f"UPDATE runs SET verb = 'tag' WHERE position = {_SECOND}",
    "up to which part": f"UPDATE runs SET detail = json_set(detail, '$.through', 1) WHERE position = {_SECOND}",
    "what stays": f"UPDATE runs SET detail = json_set(detail, '$.left', 'ab') WHERE position = {_SECOND}",
    "how many ended": f"UPDATE runs SET detail = json_set(detail, '$.changes', 9) WHERE position = {_FIRST}",
    "two checkpoints changed over": """
        CREATE TEMP TABLE said AS SELECT position, detail FROM runs WHERE verb = 'expire';
        UPDATE runs SET detail = (SELECT detail FROM said WHERE said.position != runs.position)
        WHERE verb = 'expire'
    """,
    "an old image put back": """
        INSERT INTO changes SELECT * FROM old.changes WHERE position = 3
    """,
    "a line of uses put back": "INSERT INTO runs SELECT * FROM old.runs WHERE verb = 'use'",
    "a line where uses were": "UPDATE runs SET position = 4 WHERE position = 3",
    "which lines stay": f"UPDATE runs SET detail = json_set(detail, '$.heads', 'ab') WHERE position = {_SECOND}",
    "from where the chain is proven": f"""
        UPDATE runs SET detail = json_set(detail, '$.chain', hex(zeroblob(32))) WHERE position = {_SECOND}
    """,
    "that lines of uses are gone": f"""
        UPDATE runs SET detail = json_remove(detail, '$.chain', '$.heads') WHERE position = {_SECOND}
    """,
    "a kept image less": "DELETE FROM changes WHERE position = 1",
    "a kept image changed": "UPDATE changes SET after = replace(after, 'case', 'cape') WHERE position = 2",
}


@pytest.fixture(scope="module")
def ended_twice(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A file of which images ended twice, all but those of what is held, with a line of uses, and a copy of before."""
    folder = tmp_path_factory.mktemp("ended")
    path, before = folder / "memory.db", folder / "before.db"

    async def filled() -> None:
        clock = ManualClock(NOW)
        async with opened(path, clock) as memory:
            held = await memory.learn("The ledger lies in the blue cabinet.")
            await memory.hold(held.id, "case")
            said = await memory.learn("The ferry leaves at six.")
            await memory.recall("ferry")
            await memory._core.uses.settle()
            await memory.tag(said.id, "harbour")
            await memory.backup(before)
            for days in (61, 61):
                clock.advance(days=days)
                await memory.review.settle("clock", "accept")
                await expire(memory._core)
                await memory.tag(said.id, f"after-{clock.now()}")

    asyncio.run(filled())
    return path, before


@pytest.mark.parametrize("forged", [*FORGERIES, ""])
async def test_what_was_forged_is_found(ended_twice: tuple[Path, Path], tmp_path: Path, forged: str) -> None:
    """A cause or a checkpoint that is another or gone, an image that was kept, one that came back; of none, nothing."""
    whole, before = ended_twice
    path = tmp_path / "memory.db"
    shutil.copy(whole, path)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("ATTACH ? AS old", (str(before),))
        was = connection.total_changes
        connection.executescript(FORGERIES.get(forged, ""))
        done = connection.total_changes - was
        connection.commit()
    async with opened(path, ManualClock(NOW + 122 * DAY)) as memory:
        audit = next(check for check in await memory.doctor() if check.name == "audit")

    assert (bool(forged), not forged) == (done > 0, audit.ok), audit.detail


async def test_the_command_tells_what_ended_and_offers_no_way_back(tmp_path: Path) -> None:
    """In a line; neither by its run nor as the newest is it taken back, nor what it took images of."""
    clock, path = ManualClock(datetime.now(UTC) - timedelta(days=70)), tmp_path / "memory.db"
    async with opened(path, clock) as memory:
        said = await memory.learn("The ferry leaves at six.")
        pinned = await memory.pin(said.id)
    given = ("--db", str(path), "--embedder", "hashed")

    def told(*words: str) -> Typed:
        return typed(*given, *words)

    def walk() -> tuple[Typed, ...]:
        told("review", "settle", "clock", "accept")
        done, listed = told("run", "--once", "--expire"), told("history", "--json")
        run = json.loads(listed.stdout)[-1]["run"]
        return done, told("history", run), told("undo", run), told("undo", pinned.run), told("undo", "last")

    done, report, ending, ended, last = await asyncio.to_thread(walk)
    async with opened(path, ManualClock(datetime.now(UTC))) as memory:
        still = (await memory.get(said.id)).pinned

    assert (0, True) == (done.exit_code, "2 images of 2 parts ended" in done.stdout), done
    assert not any("take it back" in one.stdout or "remanence undo" in one.stdout for one in (done, report))
    assert (1, True) == (ending.exit_code, "an end of images is not undone" in ending.stderr), ending
    assert (1, True) == (ended.exit_code, "its images ended on" in ended.stderr), ended
    assert (1, True) == (last.exit_code, still), last
