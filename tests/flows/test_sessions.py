"""Sessions count the hours of work: as they go along, once where they overlap, and up to the last beat of a crash."""

import asyncio
import json
import logging
import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

import remanence
from remanence.core.clock import DAY, HOUR, SECOND, Clock, ManualClock, SystemClock
from remanence.core.errors import InvalidInput, NotFound, StoreUnavailable
from remanence.flows.base import session_heartbeat
from remanence.flows.consolidate import activate, consolidation, sessions
from remanence.store.base import Bookkeeping, BookkeepResult
from tests.command_line import typed
from tests.flows.conftest import Opener

ROOT = Path(__file__).parents[2]
WAIT_SECONDS_MAX = 300


@pytest.fixture
async def two(
    tmp_path: Path, clock: ManualClock, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[tuple[remanence.Engine, remanence.Engine]]:
    """Two engines on one file, whose hearts beat each second."""
    path = tmp_path / "memory.db"
    more: dict[str, Any] = {"clock": clock, "embedder": "none"}
    async with remanence.open(path, **more) as first, remanence.open(path, **more) as second:
        monkeypatch.setattr(sessions, "HEARTBEAT_S", 1)
        yield first, second


async def _hours(memory: remanence.Engine) -> float:
    """Return what the clock of active hours reads."""
    return (await memory.status()).clocks["active"].reading


async def _until(happened: Callable[[], Awaitable[bool]]) -> None:
    """Wait for what a heartbeat does, which beats in real time."""
    async with asyncio.timeout(WAIT_SECONDS_MAX):
        while not await happened():
            await asyncio.sleep(0.05)


async def _forsake(memory: remanence.Engine) -> None:
    """Leave an open session as a crash does: its heart stops and nothing is written."""
    pulse, memory._core.pulse = memory._core.pulse, None
    assert pulse is not None and pulse.task is not None
    pulse.task.cancel()
    await asyncio.wait({pulse.task})


# Begin and end


async def test_beginning_twice_returns_the_open_one(memory: remanence.Engine) -> None:
    """One after the other, and at the same time."""
    both = await asyncio.gather(memory.begin_session("a"), memory.begin_session("b"))
    again = await memory.begin_session()

    assert 1 == len({*both, again}) == len((await memory.status()).sessions)


async def test_a_block_within_a_session_leaves_it_open(memory: remanence.Engine) -> None:
    """What is learned after the inner block still belongs to the session, which ends with the block that began it."""
    async with memory.session("outer") as outer:
        async with memory.session("inner") as inner:
            pass
        after = await memory.learn("The mast is stepped.")
    begun = await memory.begin_session()
    async with memory.session():
        pass

    assert (outer, outer) == (inner, (await memory.get(after.id)).session)
    assert [begun] == [one.id for one in (await memory.status()).sessions]


async def test_the_length_is_what_passed(memory: remanence.Engine, clock: ManualClock) -> None:
    """In hours; the same for one that has ended, nothing where none is open, an error for one that never was."""
    session = await memory.begin_session()
    clock.advance(hours=1.5)
    hours = await memory.end_session()
    clock.advance(hours=1)

    assert (1.5, 0.0, 1.5) == (hours, await memory.end_session(), await memory.end_session(session))
    assert 1.5 == await _hours(memory)
    with pytest.raises(NotFound):
        await memory.end_session("nobody")


async def test_an_open_session_is_told_with_its_task(memory: remanence.Engine, clock: ManualClock) -> None:
    """Status knows since when, for what, and until when it is counted."""
    session = await memory.begin_session("research")
    began = clock.now()
    clock.advance(minutes=10)
    (told,) = (await memory.status()).sessions
    await memory.end_session()

    assert (session, "research", began, clock.now()) == (
        told.id,
        told.task_type,
        told.started_at,
        told.counted_until,
    )
    assert () == (await memory.status()).sessions


@pytest.mark.parametrize("wrong", ["", " ", "x" * 500, "a\nb", None])
async def test_a_task_has_a_plain_name(memory: remanence.Engine, wrong: str) -> None:
    """Anything else is refused, and no session begins."""
    with pytest.raises(InvalidInput):
        await memory.begin_session(wrong)
    assert () == (await memory.status()).sessions


async def test_an_error_inside_ends_the_session_too(memory: remanence.Engine, clock: ManualClock) -> None:
    """The way out of the block is the end of the session, whatever happened in it."""
    with pytest.raises(ZeroDivisionError):
        async with memory.session():
            clock.advance(hours=1)
            raise ZeroDivisionError

    assert (1.0, ()) == (await _hours(memory), (await memory.status()).sessions)


async def test_closing_ends_the_session_and_leaves_the_inbox(opener: Opener, clock: ManualClock) -> None:
    """The time counts; what was learned waits, so that a close is quick."""
    async with opener() as memory:
        await memory.begin_session()
        await memory.learn("It waits.")
        clock.advance(hours=2)
    async with opener() as again:
        state = await again.status()

    assert (2.0, (), {"inbox": 1}) == (state.clocks["active"].reading, state.sessions, state.statuses)


async def test_a_close_that_cannot_write_lets_go_all_the_same(
    tmp_path: Path, clock: ManualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It says so, its heart stops, and the file is free; the session counts until its last beat."""
    memory = remanence.open(tmp_path / "memory.db", clock=clock, embedder="none")
    await memory.__aenter__()
    session = await memory.begin_session()
    clock.advance(hours=1)
    await memory.status()
    clock.advance(hours=1)
    with monkeypatch.context() as broken:
        broken.setattr(memory._core.store, "bookkeep", _unavailable)
        with pytest.raises(StoreUnavailable, match="the disk is away"):
            await memory.close()
    await memory.close()
    async with remanence.open(tmp_path / "memory.db", clock=clock, embedder="none") as again:
        assert 1.0 == await again.end_session(session)
    assert [] == [task for task in asyncio.all_tasks() if "beat" in repr(task)]


# Counting


async def test_a_running_session_counts_up_to_now(memory: remanence.Engine, clock: ManualClock) -> None:
    """Status and plans look at the present, not at the last beat."""
    await memory.begin_session()
    clock.advance(hours=3)
    hours = await _hours(memory)
    clock.advance(hours=1)
    await memory.plan("default")

    assert (3.0, 4.0) == (hours, (await memory.status()).clocks["active"].reading)


async def test_a_heart_beats_by_itself(
    two: tuple[remanence.Engine, remanence.Engine], clock: ManualClock
) -> None:
    """Another process sees the time of a running session, up to its last beat."""
    first, second = two
    await first.begin_session()
    before = await _hours(second)
    clock.advance(hours=1)
    await _until(lambda: _reads(second, 1.0))

    assert 0.0 == before


async def test_a_failed_beat_is_made_up_for(
    two: tuple[remanence.Engine, remanence.Engine],
    clock: ManualClock,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """It is logged, and the next one counts from the last that succeeded."""
    first, second = two
    await first.begin_session()
    store = first._core.store
    with monkeypatch.context() as broken, caplog.at_level(logging.WARNING, "remanence"):
        broken.setattr(store, "bookkeep", _unavailable)
        clock.advance(hours=1)
        await _until(lambda: _is(bool(caplog.messages)))
        lost = await _hours(second)
    clock.advance(hours=1)
    await _until(lambda: _reads(second, 2.0))

    assert 0.0 == lost
    assert "a heartbeat was not counted; the next one counts its time: the disk is away" == caplog.messages[0]


async def _reads(memory: remanence.Engine, hours: float) -> bool:
    return hours == await _hours(memory)


async def _is(so: bool) -> bool:
    return so


async def _counts(memory: remanence.Engine, least: int) -> bool:
    """Tell whether the open session is counted for so long at least."""
    return any(told.counted_until - told.started_at >= least for told in (await memory.status()).sessions)


async def _unavailable(*_: object) -> None:
    raise StoreUnavailable("the disk is away", recovery="wait")


async def test_parallel_sessions_count_once(
    two: tuple[remanence.Engine, remanence.Engine], clock: ManualClock
) -> None:
    """From ten to twelve and from eleven to one are three hours; the hour with nobody there is none."""
    first, second = two
    await first.begin_session()
    clock.advance(hours=1)
    await second.begin_session()
    clock.advance(hours=1)
    ended = await first.end_session()
    clock.advance(hours=1)

    assert (2.0, 2.0) == (ended, await second.end_session())
    clock.advance(hours=1)
    assert 3.0 == await _hours(first)


async def test_a_clock_set_back_takes_nothing_away(memory: remanence.Engine, clock: ManualClock) -> None:
    """No reading falls, no length is negative, and time goes on counting from where the clock now stands."""
    await memory.begin_session()
    clock.advance(hours=2)
    before = await _hours(memory)
    clock.advance(hours=-5)
    back = await _hours(memory)
    clock.advance(hours=1)
    on = await _hours(memory)
    length = await memory.end_session()

    # Of the clock's own past only what had been by now is read; nothing of it is lost.
    assert (2.0, 0.0, 1.0) == (before, back, on)
    assert 0.0 <= length
    clock.advance(days=1)
    assert 3.0 == await _hours(memory)


async def test_idle_days_do_not_count(memory: remanence.Engine, clock: ManualClock) -> None:
    """Ten hours of work around ten idle days are ten hours."""
    for _ in range(2):
        async with memory.session():
            clock.advance(hours=5)
        clock.advance(days=10)

    assert 10.0 == await _hours(memory)


class MovedClock(SystemClock):
    """The machine's clock, which may jump as it does when the machine wakes or somebody sets it."""

    ahead = 0

    def now(self) -> int:
        """Return the wall time, moved."""
        return super().now() + self.ahead


async def test_time_in_which_the_machine_slept_does_not_count(tmp_path: Path) -> None:
    """Nobody worked in it, though the session stayed open; before and after it counts as ever."""
    watch = MovedClock()
    async with remanence.open(tmp_path / "memory.db", clock=watch, embedder="none") as memory:
        await memory.begin_session()
        watch.ahead += 9 * HOUR
        running = await _hours(memory)
        watch.ahead += 9 * HOUR
        length = await memory.end_session()
        ended = await _hours(memory)

    assert 0.0 < running < ended < 0.1
    assert 18.0 <= length


# Ended by others


async def test_a_session_that_outlives_its_engine_counts_as_a_whole(
    opener: Opener, clock: ManualClock
) -> None:
    """It promises no beats: nothing is counted until somebody ends it, then all of it, however long it was silent."""
    async with opener() as memory:
        session = await memory.begin_session("shift", heartbeats=False)
        learned = await memory.learn("on shift")
        belongs = (await memory.get(learned.id)).session
        clock.advance(hours=1)
    async with opener() as memory:
        (told,) = (await memory.status()).sessions
        clock.advance(hours=7)
        before = await _hours(memory)

        assert (session, session, None) == (belongs, told.id, told.every)
        assert (0.0, 8.0) == (before, await memory.end_session(session))
        assert 8.0 == await _hours(memory)


async def test_a_lost_session_counts_until_its_last_beat(
    two: tuple[remanence.Engine, remanence.Engine], clock: ManualClock
) -> None:
    """Who ends it later than two beats after the last one adds nothing."""
    first, second = two
    session = await first.begin_session()
    clock.advance(hours=1)
    await first.status()
    await _forsake(first)
    clock.advance(seconds=2.000001)
    ended = await second.end_session(session)
    clock.advance(hours=9)

    assert (1.0, 1.0) == (ended, await second.end_session(session))
    assert 1.0 == await _hours(second)


async def test_a_session_that_still_beats_is_ended_now(
    two: tuple[remanence.Engine, remanence.Engine], clock: ManualClock
) -> None:
    """Two beats after the last one it may yet be alive; then its engine lets go of it at its next beat."""
    first, second = two
    session = await first.begin_session()
    clock.advance(seconds=2)
    ended = await second.end_session(session)
    clock.advance(hours=1)
    await _until(lambda: _is(first._core.session is None))
    learned = await first.learn("after the end")
    belongs = (await first.get(learned.id)).session

    assert (2 / 3600, None, 0.0) == (ended, belongs, await first.end_session())
    assert 2 / 3600 == pytest.approx(await _hours(first))
    assert session != await first.begin_session()
    assert 1 == len((await second.status()).sessions)


async def test_a_session_of_an_engine_that_is_gone_ends_with_the_next(
    two: tuple[remanence.Engine, remanence.Engine], clock: ManualClock
) -> None:
    """More than a day after its last beat, at that beat; one that promised no beats waits for its end."""
    first, second = two
    lost = await first.begin_session("lost")
    clock.advance(hours=1)
    await first.status()
    await _forsake(first)
    clock.advance(days=1)
    outliving = await first.begin_session("outliving", heartbeats=False)
    before = {told.id for told in (await first.status()).sessions}
    clock.advance(days=1)
    begun = await second.begin_session("begun")

    assert {lost, outliving} == before
    assert {outliving, begun} == {told.id for told in (await second.status()).sessions}
    assert (1.0, 1.0) == (await second.end_session(lost), await _hours(second))


async def test_a_beat_does_not_open_a_session_again(
    two: tuple[remanence.Engine, remanence.Engine], clock: ManualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who ends a session while its heart is beating has the last word."""
    first, second = two
    monkeypatch.setattr(sessions, "HEARTBEAT_S", 3_600)
    session = await first.begin_session()
    store = first._core.store
    looked = store.bookkeep

    async def overtaken(scope: str, asked: Bookkeeping) -> BookkeepResult:
        booked = await looked(scope, asked)
        if asked.get:
            await second.end_session(session)
        return booked

    with monkeypatch.context() as meanwhile:
        meanwhile.setattr(store, "bookkeep", overtaken)
        await session_heartbeat.beat(first._core)

    left = await store.bookkeep("default", Bookkeeping(clock.now(), under=("open/",)))

    assert {} == dict(left.values)


# The inbox


async def test_the_end_empties_the_inbox(memory: remanence.Engine) -> None:
    """What was learned is active, and status tells what was done."""
    async with memory.session():
        await memory.learn(["one boat", "two buoys", "three ropes"])
    state = await memory.status()

    assert {"active": 3} == state.statuses
    assert ("done", 3) == (
        state.automatic["consolidate"].outcome,
        state.automatic["consolidate"].counts["activate"],
    )


@pytest.mark.parametrize(("most", "left"), [(0, 250), (1, 249), (249, 1), (250, 0)])
async def test_so_much_of_the_inbox_and_no_more(
    memory: remanence.Engine, most: int, left: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The end of a session does no more than that; the rest waits in the inbox, the oldest having gone first."""
    monkeypatch.setattr(consolidation, "ACTIVATED_MAX", most)
    async with memory.session():
        await memory.learn([f"boat number {n}" for n in range(250)])
    statuses = (await memory.status()).statuses
    active = [memory.text for memory in await memory.list(status="active", limit=1_000)]

    assert (left, most) == (statuses.get("inbox", 0), statuses.get("active", 0))
    assert {f"boat number {n}" for n in range(most)} == set(active)


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (StoreUnavailable("the disk is away", recovery="wait"), "the disk is away → wait"),
        (ZeroDivisionError("a bug"), "ZeroDivisionError: a bug"),
    ],
)
async def test_what_fails_in_it_keeps_no_session_open(
    memory: remanence.Engine,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    error: Exception,
    reason: str,
) -> None:
    """The session ends, the failure is kept and logged, and a bug is logged with its traceback."""

    async def fails(*_: object) -> None:
        raise error

    monkeypatch.setattr(activate, "consolidate", fails)
    async with memory.session():
        await memory.learn("It waits.")
    state = await memory.status()

    assert ((), {"inbox": 1}) == (state.sessions, state.statuses)
    assert ("failed", reason) == (
        state.automatic["consolidate"].outcome,
        state.automatic["consolidate"].reason,
    )
    (record,) = caplog.records
    assert isinstance(error, ZeroDivisionError) == (record.exc_info is not None)


async def test_the_end_of_nothing_writes_nothing(memory: remanence.Engine) -> None:
    """An empty inbox makes no run, and nothing is said to have been done."""
    async with memory.session():
        pass

    assert ([], {}) == (await memory.history(), (await memory.status()).automatic)


# Real processes

WORKING = """
import asyncio, sys, remanence
from remanence.flows.consolidate import sessions
sessions.HEARTBEAT_S = 1
async def main(path):
    async with remanence.open(path, embedder="none") as memory:
        print(await memory.begin_session("work"), flush=True)
        await asyncio.to_thread(sys.stdin.readline)
        print(await memory.end_session(), flush=True)
asyncio.run(main(*sys.argv[1:]))
"""


class Later:
    """The wall clock, a day ahead."""

    def __init__(self) -> None:
        self._wall: Clock = SystemClock()

    def now(self) -> int:
        """Return the time."""
        return self._wall.now() + DAY


@contextmanager
def _working(path: Path) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """A process with a session open, and its id."""
    process = subprocess.Popen(
        [sys.executable, "-c", WORKING, str(path)],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        yield process, process.stdout.readline().strip()
    finally:
        process.kill()
        process.communicate()


async def _row(memory: remanence.Engine, session: str) -> dict[str, Any]:
    name = f"session/{session}"
    booked = await memory._core.store.bookkeep(memory.scope, Bookkeeping(0, get=(name,)))
    row: dict[str, Any] = booked.values[name]
    return row


async def test_a_killed_session_loses_what_came_after_its_last_beat(tmp_path: Path) -> None:
    """Killed between two beats: what is counted is exactly the time up to the last of them."""
    path = tmp_path / "memory.db"
    async with remanence.open(path, embedder="none", clock=Later()) as memory:
        with _working(path) as (process, session):
            await _until(lambda: _counts(memory, 2 * SECOND))
            process.kill()
            process.wait()
        last = max(told.counted_until for told in (await memory.status()).sessions)
        started = (await _row(memory, session))["started_at"]

        assert last >= started + 2 * SECOND
        assert (last - started) / HOUR == await memory.end_session(session)
        assert (last - started) / HOUR == pytest.approx(await _hours(memory), rel=1e-12)


async def test_two_processes_at_work_count_once(tmp_path: Path) -> None:
    """The hours are the union of what both covered, to the microsecond."""
    path = tmp_path / "memory.db"
    async with remanence.open(path, embedder="none") as memory:
        with _working(path) as (one, first), _working(path) as (other, second):
            for process in (one, other):
                said = await asyncio.to_thread(process.communicate, "end\n")
                assert 0 == process.returncode, said
        rows = [await _row(memory, session) for session in (first, second)]
        began, ended = min(row["started_at"] for row in rows), max(row["ended_at"] for row in rows)
        apart = sum(row["ended_at"] - row["started_at"] for row in rows)

        assert apart > ended - began
        assert (ended - began) / HOUR == pytest.approx(await _hours(memory), rel=1e-12)


def test_the_command_line_begins_and_ends_in_different_processes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A session outlives the command that began it; its end makes the inbox active."""
    monkeypatch.chdir(tmp_path)

    def read(*words: str) -> Any:
        done = typed(*words, "--json")
        assert 0 == done.exit_code, done.output
        return json.loads(done.stdout)

    session = read("session", "--task", "research")["session"]
    read("learn", "It was found.", "--session", session)
    (told,) = read("status")["sessions"]
    shown = typed("status").stdout
    ended = read("session", session, "--off")
    state = read("status")

    assert (session, "research", None) == (told["id"], told["task_type"], told["every"])
    assert f"session    {session} research, begun moments ago" in shown
    assert session == ended["session"]
    assert ({"active": 1}, []) == (state["statuses"], state["sessions"])
