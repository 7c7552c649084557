"""A process that keeps all scopes of a file in order: told to stop, killed, two at once, under wrong clocks."""

import asyncio
import os
import signal
import sys
from collections import Counter
from pathlib import Path
from shutil import copyfile
from subprocess import PIPE, Popen
from typing import Any

import pytest

import remanence
from remanence.core.clock import DAY, MINUTE, ManualClock, SystemClock
from remanence.core.errors import InvalidInput, StoreUnavailable
from remanence.core.model import Turn
from remanence.curate.schedule import CadenceIntervals
from remanence.faces.cli.plan_commands import cadences
from remanence.flows.base.policy_reading import POLICY
from remanence.flows.schedule.schedules import Daemon
from remanence.flows.schedule.ticking import LEASE, JobsResult
from remanence.store.base import Bookkeeping
from remanence.store.sqlite.sqlite_store import SqliteStore
from tests.flows.conftest import Opener
from tests.flows.test_ticking import RAPID

ROOT = Path(__file__).parents[2]
DAEMON = "from remanence.faces.cli import main; main()"
START = 20_000 * DAY


async def _filled(path: Path, scope: str, *, adopts: bool = True, at: int | None = None) -> None:
    """Learn what RAPID archives and deletes, half a day ago."""
    clock = ManualClock(SystemClock().now() - DAY // 2 if at is None else at)
    async with remanence.open(path, scope=scope, clock=clock, embedder="none") as memory:
        await memory.learn([Turn(f"message {k} of {scope}", category="message") for k in range(3)])
        await memory.learn([Turn(f"entry {k} of {scope}", category="memory_entry") for k in range(5)])
        await memory.consolidate()
        if adopts:
            await memory.policy.use(RAPID)


def _started(path: Path, *words: str) -> "Popen[str]":
    """Start the daemon."""
    line = [sys.executable, "-c", DAEMON, "--db", str(path), "--embedder", "none", "run", *words]
    return Popen(line, cwd=ROOT, stdout=PIPE, stderr=PIPE, text=True)


async def _line(process: "Popen[str]") -> str:
    """Wait for the next line of a daemon."""
    assert process.stderr is not None
    return await asyncio.to_thread(process.stderr.readline)


async def _statuses(path: Path, scope: str, clock: ManualClock | None = None) -> dict[str, int]:
    async with remanence.open(path, scope=scope, clock=clock or SystemClock(), embedder="none") as memory:
        return dict((await memory.status()).statuses)


@pytest.mark.parametrize("sign", [signal.SIGTERM, signal.SIGINT], ids=["term", "int"])
async def test_a_daemon_keeps_all_scopes_in_order_until_it_is_told_to_stop(
    tmp_path: Path, sign: signal.Signals
) -> None:
    """A line says what it will do, then one each tick; a scope without a policy is left alone; the exit code is 0."""
    path = tmp_path / "m.db"
    for scope, adopts in (("one", True), ("two", True), ("bare", False)):
        await _filled(path, scope, adopts=adopts)
    process = _started(path, "--intervals", "rapid=1s")
    begun, *lines = [await _line(process) for _ in range(3)]
    past = ManualClock(SystemClock().now() - MINUTE * 3)
    async with remanence.open(path, scope="one", clock=past, embedder="none") as memory:
        await memory.learn([Turn(f"later {k}", category="message") for k in range(2)])
    while "archive 2" not in (later := await _line(process)):
        assert process.poll() is None
    process.send_signal(sign)
    out, _ = await asyncio.to_thread(process.communicate)

    assert ["one: deep rules", "two: deep rules"] == [line.split(" UTC ")[1].split(";")[0] for line in lines]
    assert begun.startswith("keeps scope 'one' by policy")
    assert "rapid rules every 1 seconds, standard rules every 15 minutes" in begun
    assert ("'two'" in begun, "'bare'" in begun) == (True, False)
    assert "one: rapid rules" in later
    assert (0, True) == (process.returncode, "told to stop" in out)
    assert {"archived": 5, "pruned": 5} == await _statuses(path, "one")
    assert {"archived": 3, "pruned": 5} == await _statuses(path, "two")
    assert {"active": 8} == await _statuses(path, "bare")


async def test_a_file_without_an_adopted_policy_is_refused(tmp_path: Path) -> None:
    """It says how to look at what a policy would do, and how to adopt it."""
    path = tmp_path / "m.db"
    await _filled(path, "one", adopts=False)
    process = _started(path)
    _, error = await asyncio.to_thread(process.communicate)

    assert 1 == process.returncode
    assert "--dry-run" in error
    assert "remanence policy use" in error
    assert {"active": 8} == await _statuses(path, "one")


async def test_two_daemons_on_one_file_do_the_work_once(tmp_path: Path) -> None:
    """Whoever comes second finds it done, or another process at it."""
    path, scopes = tmp_path / "m.db", [f"scope {k}" for k in range(4)]
    for scope in scopes:
        await _filled(path, scope)
    processes = [_started(path, "--once", "--all-scopes") for _ in range(2)]
    for process in processes:
        await asyncio.to_thread(process.communicate)
    verbs: Counter[str] = Counter()
    for scope in scopes:
        async with remanence.open(path, scope=scope, embedder="none") as memory:
            verbs.update(event.verb for event in await memory.history())
            assert {"archived": 3, "pruned": 5} == dict((await memory.status()).statuses)

    assert [0, 0] == [process.returncode for process in processes]
    assert 4 == verbs["curate"]


async def _looked(memory: remanence.Engine, **more: Any) -> list[JobsResult]:
    """Look once at all scopes; return what was told."""
    told: list[JobsResult] = []
    await memory.run_jobs(stop=asyncio.Event(), tell=told.append, once=True, **more)
    return told


async def test_a_failing_scope_backs_off_alone(opener: Opener, clock: ManualClock) -> None:
    """A policy that cannot be read is told, tried again later each time, and keeps no other scope."""
    for scope in ("broken", "sound"):
        async with opener(scope=scope) as memory:
            await memory.learn("something", category="message")
            await memory.policy.use(RAPID)
    async with opener(scope="sound") as memory:
        wrong = {"name": "wrong", "hash": "", "source": "version = 1\nnonsense = 2\n"}
        await memory._core.store.bookkeep("broken", Bookkeeping(clock.now(), put={POLICY: wrong}))
        told: list[JobsResult] = []
        keeps = Daemon(memory._core, CadenceIntervals(), told.append, asyncio.Event())
        for k in range(8):
            clock.advance(minutes=5)
            await memory.learn(f"message {k}", category="message")
            await keeps.look(promised=True)
    scopes = [one.scope for one in told]

    assert {"broken", "sound"} == set(scopes[:2])
    assert "failed" == told[scopes.index("broken")].ran["tick"].outcome
    assert (8, 4) == (scopes.count("sound"), scopes.count("broken"))
    assert (12, 4) == (keeps.rounds, keeps.unwell)


class _Counted(SqliteStore):
    """A store that counts which scopes are read whole, and committed to."""

    def __init__(self, path: str) -> None:
        super().__init__(path)
        self.calls: Counter[str] = Counter()

    async def snapshot(self, scope: str, *more: Any, **named: Any) -> Any:
        """Count it."""
        self.calls[scope] += 1
        return await super().snapshot(scope, *more, **named)

    async def bookkeep(self, scope: str, asked: Bookkeeping) -> Any:
        """Count it."""
        self.calls[scope] += 1
        return await super().bookkeep(scope, asked)


async def test_only_scopes_that_were_written_to_are_read(tmp_path: Path, clock: ManualClock) -> None:
    """Of many scopes those that are quiet cost one read together."""
    store = _Counted(str(tmp_path / "m.db"))
    async with remanence.open(clock=clock, embedder="none", store=store, scope="base") as memory:
        for k in range(20):
            async with remanence.open(
                clock=clock, embedder="none", scope=f"scope {k}", path=tmp_path / "m.db"
            ) as one:
                await one.learn("something", category="relationship")
                await one.consolidate()
                await one.policy.use(RAPID)
        clock.advance(minutes=20)
        first = await _looked(memory)
        await _looked(memory)  # sees what the first has made active
        for k in (3, 7):
            async with remanence.open(
                clock=clock, embedder="none", scope=f"scope {k}", path=tmp_path / "m.db"
            ) as one:
                await one.learn("more", category="message")
        clock.advance(minutes=6)
        store.calls.clear()
        second = await _looked(memory)

    assert 20 == len(first)
    assert ["scope 3", "scope 7"] == [one.scope for one in second] == sorted(store.calls.keys() - {"base"})


async def test_a_copy_is_made_before_the_first_deletion_of_a_day(tmp_path: Path, clock: ManualClock) -> None:
    """It holds what was deleted; a second run that day makes none, and where none can be made nothing is deleted."""
    path, copies = tmp_path / "m.db", tmp_path / "copies"
    await _filled(path, "default", at=clock.now())
    async with remanence.open(path, clock=clock, embedder="none") as memory:
        clock.advance(days=1)
        await _looked(memory, backup=copies / "m")
        first = sorted(copy.name for copy in copies.iterdir())
        for days in (0.3, 1):
            clock.advance(days=days)
            await memory.learn(f"entry after {days}", category="memory_entry")
            clock.advance(hours=1)
            await _looked(memory, backup=copies / "m")
        clock.advance(days=1)
        await memory.learn("entry that stays", category="memory_entry")
        clock.advance(hours=1)
        folder = copies / "folder"

        def lose(_: object) -> None:
            folder.rmdir()
            folder.write_text("no folder")

        (failed,) = await _looked(memory, backup=folder / "m", begin=lose)
        with pytest.raises(StoreUnavailable, match="cannot be made"):
            await _looked(memory, backup=folder / "m")
        statuses = (await memory.status()).statuses

    assert ["m-2026-01-02.db"] == first
    assert ["m-2026-01-02.db", "m-2026-01-03.db"] == sorted(
        copy.name for copy in copies.iterdir() if copy.suffix == ".db"
    )
    assert {"active": 8} == await _statuses(copies / "m-2026-01-02.db", "default", clock)
    assert "failed" == failed.ran["curate"].outcome
    assert 7 == statuses["pruned"]


@pytest.mark.parametrize("days", [-1, 5 * 365], ids=["back", "ahead"])
async def test_under_a_clock_that_jumped_nothing_is_curated(tmp_path: Path, days: int) -> None:
    """The plan is held until the clock is right; then it goes on as if nothing had been."""
    path, clock = tmp_path / "m.db", ManualClock(START, boot="one")
    await _filled(path, "default", at=START)
    async with remanence.open(path, clock=clock, embedder="none") as memory:
        await memory.learn("seen under this clock")
        clock.jump(days=days)
        held = await _looked(memory)
        clock.advance(hours=7)
        again = await _looked(memory)
        status = await memory.status()
        clock.jump(days=-days)
        right = await _looked(memory)
        clock.advance(hours=7)
        later = await _looked(memory)

    assert ["clock"] * 2 == [one.ran["curate"].held for one in (*held, *again)]
    assert status.schedule is not None
    assert not status.schedule.is_well
    assert "archived" not in status.statuses
    assert "pruned" not in status.statuses
    done = [one.ran["curate"] for one in (*right, *later) if "curate" in one.ran]
    assert {"archive": 3, "prune": 5} == dict(done[0].counts)
    assert not any(one.held for one in done)


class _Killed(SqliteStore):
    """A store whose process dies at one of its writes, before or after it."""

    def __init__(self, path: str, left: int, *, after: bool) -> None:
        super().__init__(path)
        self.left, self.after = left, after

    async def _write_file(self, work: Any) -> Any:
        self.left -= 1
        if self.left == 0 and not self.after:
            os.kill(os.getpid(), signal.SIGKILL)
        done = await super()._write_file(work)
        if self.left == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        return done


async def _daemon(store: SqliteStore, at: int) -> None:
    async with remanence.open(clock=ManualClock(at), embedder="none", store=store) as memory:
        await _looked(memory)


async def _end(path: Path) -> dict[str, Any]:
    """Start the daemon again, later, until nothing is due; tell what is there."""
    clock = ManualClock(START + DAY + LEASE + MINUTE)
    async with remanence.open(path, clock=clock, embedder="none") as memory:
        for _ in range(4):
            await _looked(memory)
            clock.advance(hours=7)
        state = await memory.status()
        found = await memory.list(status=None, limit=100)
        return {
            "memories": [(one.seq, one.text, one.status, one.tier) for one in found],
            "waiting": state.waiting,
            "inbox": state.statuses.get("inbox", 0),
            "interrupted": state.interrupted,
            "damage": [str(check) for check in await memory.doctor() if not check.ok],
            "curated": sum(event.verb == "curate" for event in await memory.history()),
        }


def _killed(path: Path, left: int, *, after: bool) -> bool:
    """Run the daemon in a process of its own that dies at a write; tell whether it came so far."""
    child = os.fork()
    if child == 0:
        code = 1
        try:
            asyncio.run(_daemon(_Killed(str(path), left, after=after), START + DAY))
            code = 0
        finally:
            os._exit(code)
    _, status = os.waitpid(child, 0)
    assert os.WIFSIGNALED(status) or os.WEXITSTATUS(status) == 0
    return os.WIFSIGNALED(status)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
@pytest.mark.parametrize(
    "after", [False, pytest.param(True, marks=pytest.mark.deep)], ids=["before", "after"]
)
def test_a_daemon_that_is_killed_at_any_step_is_started_again(tmp_path: Path, after: bool) -> None:
    """What is there in the end is what one that nobody killed leaves: nothing is lost, nothing done twice."""
    path = tmp_path / "m.db"

    async def fill() -> None:
        await _filled(path, "default", at=START)
        async with remanence.open(path, clock=ManualClock(START), embedder="none") as memory:
            await memory.note("I moved to Lisbon in May.", speaker="Ana", session="one", later=True)

    asyncio.run(fill())
    whole = tmp_path / "whole.db"
    copyfile(path, whole)
    asyncio.run(_daemon(SqliteStore(str(whole)), START + DAY))
    expected, step = asyncio.run(_end(whole)), 1
    while True:
        tried = tmp_path / f"{step}.db"
        copyfile(path, tried)
        if not _killed(tried, step, after=after):
            break
        assert expected == asyncio.run(_end(tried)), f"killed at write {step}"
        step += 1

    assert step > 8
    assert [] == expected["damage"]


@pytest.mark.parametrize("given", ["rapid", "rapid=5", "quick=5s", "rapid=5d", "=5s"])
def test_a_cadence_is_refused_that_says_no_time(given: str) -> None:
    """With what would be right."""
    with pytest.raises(InvalidInput):
        cadences(given)


def test_cadences_are_read_with_their_units() -> None:
    """Seconds, minutes and hours, also fractions of them."""
    assert {"rapid": 1.0, "hourly": 90.0, "deep": 43_200.0} == cadences("rapid=1s, hourly=1.5m,deep=12h")
    assert {} == cadences(None)


async def test_a_cadence_has_bounds(opener: Opener) -> None:
    """No daemon looks without a pause, or never."""
    async with opener() as memory:
        for seconds in (0.0, 1e12):
            with pytest.raises(InvalidInput, match="cadence rapid"):
                await memory.run_jobs(intervals={"rapid": seconds}, stop=asyncio.Event())


async def test_missed_runs_are_told_once_something_had_promised_to_come(
    opener: Opener, clock: ManualClock
) -> None:
    """A daemon that is gone leaves three missed runs behind; a tick by hand promises nothing."""
    async with opener(policy=RAPID) as memory:
        await memory.policy.use(RAPID)
        await memory.learn("something", category="message")
        await memory.run_jobs()
        await memory.learn("something else", category="message")
        clock.advance(minutes=50)
        by_hand = (await memory.status()).schedule
        await Daemon(memory._core, CadenceIntervals(), print, asyncio.Event()).look(promised=True)
        clock.advance(minutes=8)
        few = (await memory.status()).schedule
        clock.advance(hours=30)
        gone = (await memory.status()).schedule
        check = next(check for check in await memory.doctor() if check.name == "schedule")

    assert by_hand is not None
    assert few is not None
    assert gone is not None
    assert (True, True, False) == (by_hand.is_well, few.is_well, gone.is_well)
    assert gone.missed["rapid"] >= 3
    assert "remanence run" in check.advice
    assert check.ok


async def test_a_store_that_fails_is_told_and_tried_again(tmp_path: Path, clock: ManualClock) -> None:
    """A disk that is full for a while ends no daemon."""

    class Full(SqliteStore):
        fails = False

        async def commit(self, *given: Any, **named: Any) -> Any:
            if self.fails:
                raise StoreUnavailable("the disk is full", recovery="make room")
            return await super().commit(*given, **named)

    path = tmp_path / "m.db"
    await _filled(path, "default", at=clock.now())
    store = Full(str(path))
    async with remanence.open(clock=clock, embedder="none", store=store) as memory:
        clock.advance(days=1)
        store.fails = True
        (failed,) = await _looked(memory)
        store.fails = False
        clock.advance(minutes=10)
        (done,) = await _looked(memory)

    assert ("failed", "done") == (failed.ran["curate"].outcome, done.ran["curate"].outcome)
    assert {"archive": 3, "prune": 5} == dict(done.ran["curate"].counts)
