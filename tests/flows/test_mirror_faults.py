"""Whatever stops a mirror, the next sync finds it whole: kills at each step, a full disk, two processes, a clock."""

import asyncio
import os
import resource
import shutil
import signal
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import remanence
from remanence.core.clock import ManualClock
from remanence.core.errors import StoreUnavailable
from tests.flows.conftest import hear
from tests.flows.test_mirror import ROPES, files
from tests.models import Naming

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="a mirror needs handles of folders")
STEPS = ("open", "write", "rename", "unlink", "mkdir", "ftruncate", "rmdir")
EVERY = 5  # of the steps, each of which is one more process
CLEAN = 7  # how a process ends that nobody killed
ROUNDS = 4


def test_a_mirror_killed_at_any_step_is_whole_after_the_next_sync(tmp_path: Path) -> None:
    """No file is half, none is taken for edited, and what left the memory has left the folder."""
    asyncio.run(_prepared(tmp_path))
    shutil.copytree(tmp_path / "before", tmp_path / "clean")
    assert CLEAN == _child(lambda: _sync(tmp_path, "clean"))
    expected = _tree(tmp_path / "clean")
    step, code, kills = 1, 0, 0
    while code != CLEAN:
        shutil.copytree(tmp_path / "before", tmp_path / f"{step}")
        code = _child(partial(_sync, tmp_path, f"{step}", killed_at=step))
        done = asyncio.run(_sync(tmp_path, f"{step}"))

        assert () == done.edits
        assert expected == _tree(tmp_path / f"{step}")
        step, kills = step + EVERY, kills + 1
    assert kills > 8


async def _prepared(folder: Path) -> None:
    """Mirror some memories, and change, add and forget some since."""
    writer = Naming(("Mia", "person"))
    async with remanence.open(folder / "a.db", embedder="none", clock=ManualClock(), writer=writer) as memory:
        for number in range(4):
            await memory.learn(f"{ROPES} {number}", category="decision", confidence=0.9)
        await memory.note("My sister Mia lives in Tartu.", speaker="Ines", later=True)
        await hear(memory)
        await memory.mirror.sync(folder / "before")
        await memory.entities.alias("Mia", "Mimi")
        await memory.update(1, text="The ropes are in the boathouse.")
        await memory.correct(2, "The ropes are on the pier.")
        await memory.update(3, category="fact")
        await memory.forget(4)


async def _sync(folder: Path, name: str, killed_at: int = 0) -> Any:
    async with remanence.open(folder / "a.db", embedder="none", clock=ManualClock()) as memory:
        if killed_at:
            _kill_at(killed_at)
        return await memory.mirror.sync(folder / name)


def _kill_at(step: int) -> None:
    """Let this process be killed before the so many-th call by which the mirror changes the folder or opens a file."""
    left = step

    class _Counted:
        def __getattr__(self, name: str) -> Any:
            real = getattr(os, name)
            if name not in STEPS:
                return real

            def counted(*given: Any, **more: Any) -> Any:
                nonlocal left
                left -= 1
                if not left:
                    os.kill(os.getpid(), signal.SIGKILL)
                if name == "write" and left == 1:  # the next one never comes: half of this one was written
                    real(given[0], given[1][: len(given[1]) // 2])
                    os.kill(os.getpid(), signal.SIGKILL)
                return real(*given, **more)

            counted.__name__ = name
            return counted

    counted_os: Any = _Counted()
    counted_os.supports_dir_fd = _Every()
    pytest.MonkeyPatch().setattr("remanence.flows.mirror.folder.os", counted_os)


class _Every(set[Any]):
    """All that a system can do."""

    def __contains__(self, _: object) -> bool:
        return True


def _child(work: Callable[[], Any]) -> int:
    """Do something in a process of its own; return CLEAN, or the signal that ended it as a negative number."""
    child = os.fork()
    if child == 0:
        code = 1
        try:
            asyncio.run(work())
            code = CLEAN
        finally:
            os._exit(code)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def _tree(folder: Path) -> dict[str, bytes]:
    """Return all that stands in a mirror but how far it has come."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and folder / ".remanence" not in path.parents
    }


def test_a_full_disk_is_said_and_made_good(tmp_path: Path) -> None:
    """What had room is whole, nothing half is left, and with room again the next sync writes the rest."""

    async def work() -> None:
        async with remanence.open(tmp_path / "a.db", embedder="none") as memory:
            await memory.learn(ROPES)
            await memory.mirror.sync(tmp_path / "mirror")
            await memory.learn("word " * 2_000)
            await memory.learn("Soup is served at noon.")
            limits = resource.getrlimit(resource.RLIMIT_FSIZE)
            resource.setrlimit(resource.RLIMIT_FSIZE, (4_000, limits[1]))
            with pytest.raises(StoreUnavailable, match="cannot use"):
                await memory.mirror.sync(tmp_path / "mirror")
            assert not list((tmp_path / "mirror").rglob(".remanence-tmp-*"))
            resource.setrlimit(resource.RLIMIT_FSIZE, limits)
            memory._mirrorings.clear()  # as another process, which knows what was written down alone
            done = await memory.mirror.sync(tmp_path / "mirror")
            assert (3, ()) == (done.files, done.edits)

    assert CLEAN == _child(work)
    assert 3 == len(files(tmp_path / "mirror"))


async def test_what_a_kill_left_half_is_taken_away(memory: remanence.Engine, tmp_path: Path) -> None:
    """In the folder itself, in those of the months, and beside what is known of it."""
    await memory.learn(ROPES)
    await memory.mirror.sync(tmp_path)
    for folder in (tmp_path, tmp_path / ".remanence", files(tmp_path)[0].parent):
        (folder / ".remanence-tmp-1-1").write_text("half")
    await memory.mirror.sync(tmp_path)

    assert [] == list(tmp_path.rglob(".remanence-tmp-*"))


def test_two_processes_share_a_folder(tmp_path: Path) -> None:
    """One is in it at a time; what both learn is there once, and nothing is taken for edited."""

    async def work(name: str) -> None:
        async with remanence.open(tmp_path / "a.db", embedder="none") as memory:
            for number in range(ROUNDS):
                await memory.learn(f"{name} says {number}")
                done = await memory.mirror.sync(tmp_path / "mirror")
                assert () == done.edits

    asyncio.run(work("nobody"))
    children = [os.fork() or _exit(work(name)) for name in ("Ana", "Ben")]
    codes = [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children]
    asyncio.run(work("nobody"))

    assert [CLEAN, CLEAN] == codes
    assert 3 * ROUNDS == len(files(tmp_path / "mirror"))


def _exit(work: Any) -> int:
    code = 1
    try:
        asyncio.run(work)
        code = CLEAN
    finally:
        os._exit(code)


async def test_a_clock_that_is_set_back_moves_no_file(
    memory: remanence.Engine, clock: ManualClock, tmp_path: Path
) -> None:
    """What is said then stands under its own day, and what stood stays."""
    await memory.learn(ROPES)
    await memory.mirror.sync(tmp_path)
    clock.advance(days=-400)
    await memory.learn("Soup is served at noon.")
    await memory.update(1, importance=0.5)
    await memory.mirror.sync(tmp_path)

    assert ["2024-11", "2026-01"] == [path.parent.name for path in files(tmp_path)]
