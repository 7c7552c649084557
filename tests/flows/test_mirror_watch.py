"""A watched mirror follows the memory and finds edits by itself, and goes on after what kept it from writing."""

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import pytest

import remanence
from remanence.core.clock import DAY
from remanence.core.errors import InvalidInput
from remanence.flows.mirror.mirror_result import MirrorResult
from tests.command_line import typed
from tests.flows.test_mirror import ROPES, files, text_of

ROOT = Path(__file__).parents[2]
HANGS_AFTER_S = 300
POLL_S = 0.02


@asynccontextmanager
async def watched(memory: remanence.Engine, folder: Path, *command: str) -> AsyncIterator[list[MirrorResult]]:
    """Watch a folder for a block; what was told is yielded as it comes."""
    told: list[MirrorResult] = []
    task = asyncio.create_task(memory.mirror.watch(folder, told.append, command=command))
    try:
        yield told
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


async def until(true: Callable[[], object]) -> None:
    """Wait until something is so."""
    async with asyncio.timeout(HANGS_AFTER_S):
        while not true():
            await asyncio.sleep(POLL_S)


async def test_what_changes_is_written_and_what_is_edited_is_told(
    memory: remanence.Engine, tmp_path: Path
) -> None:
    """And an edit that is applied by somebody else is told no more."""
    async with watched(memory, tmp_path) as told:
        await until(lambda: told)
        await memory.learn(ROPES)
        await until(lambda: files(tmp_path))
        (path,) = files(tmp_path)
        path.write_text(path.read_text().replace("shed", "attic"))
        await until(lambda: told[-1].edits)
        await memory.mirror.sync(tmp_path, apply=told[-1].edits)
        await until(lambda: not told[-1].edits)
        (path,) = files(tmp_path)
        path.unlink()
        await until(lambda: told[-1].deleted)
        await memory.update(1, importance=0.7)
        await until(path.exists)

    assert "The ropes are in the attic." == (await memory.get(1)).text == text_of(path)


async def test_topics_are_as_of_a_minute_ago(
    memory: remanence.Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While a folder is watched; the profile is not, and a sync draws both up."""
    monkeypatch.setattr("remanence.flows.mirror.mirroring.TOPICS_EVERY", 1_000 * DAY)
    await memory.learn(ROPES)
    async with watched(memory, tmp_path) as told:
        await until(lambda: told)
        await memory.learn("I prefer linen sails.", category="preference", kind="semantic")
        await until(lambda: "linen" in text_of(tmp_path / "profile.md"))
    before = text_of(tmp_path / "topics.md")
    await memory.mirror.sync(tmp_path)

    assert ("ropes" in before, "linen" in before) == (True, False)
    assert "linen" in text_of(tmp_path / "topics.md")


async def test_a_command_runs_after_what_was_written(memory: remanence.Engine, tmp_path: Path) -> None:
    """One at a time, and not for nothing; that it fails is told, and the watch goes on."""
    log, mirror = tmp_path / "log", tmp_path / "mirror"
    script = (
        "import os, sys; lock = os.open(sys.argv[1] + '.lock', os.O_CREAT | os.O_EXCL);"
        " open(sys.argv[1], 'a').write('ran '); os.remove(sys.argv[1] + '.lock');"
        " sys.exit('no index here')"
    )
    async with watched(memory, mirror, sys.executable, "-c", script, str(log)) as told:
        for number in range(5):
            await memory.learn(f"{ROPES} {number}")
        await until(lambda: 5 == len(files(mirror)))
        await until(lambda: told and told[-1].command)
        ran = log.read_text()
        await until(lambda: told[-1].command and not (tmp_path / "log.lock").exists())

    assert "failed with 1: no index here" in told[-1].command
    assert 1 <= len(ran.split()) <= 5


@pytest.mark.parametrize("command", [("",), ("no such program here",)])
async def test_a_command_that_cannot_run(
    command: tuple[str, ...], memory: remanence.Engine, tmp_path: Path
) -> None:
    """It is refused, or told."""
    await memory.learn(ROPES)
    if not command[0]:
        with pytest.raises(InvalidInput):
            await memory.mirror.watch(tmp_path, command=command)
        return
    async with watched(memory, tmp_path, *command) as told:
        await until(lambda: told and "cannot be run" in told[-1].command)


async def test_a_watch_goes_on_when_its_folder_is_taken_away(
    memory: remanence.Engine, tmp_path: Path
) -> None:
    """All of it is written again."""
    await memory.learn(ROPES)
    async with watched(memory, tmp_path / "mirror") as told:
        await until(lambda: told)
        (tmp_path / "mirror").rename(tmp_path / "elsewhere")
        await until(lambda: files(tmp_path / "mirror"))

    assert [ROPES] == [text_of(path) for path in files(tmp_path / "mirror")]


@pytest.mark.skipif(sys.platform == "win32", reason="signals are those of POSIX")
def test_ctrl_c_ends_the_command(tmp_path: Path) -> None:
    """It prints what it did as it goes along, and leaves well."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    program = [sys.executable, "-c", "from remanence.faces.cli import main; main()"]
    options = ["--db", str(tmp_path / "a.db"), "--embedder", "none"]
    assert 0 == typed("learn", ROPES, *options).exit_code
    watch = [*program, "mirror", "watch", str(tmp_path / "mirror"), "--json", *options]
    with subprocess.Popen(watch, env=environment, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        first = process.stdout.readline()
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=HANGS_AFTER_S)

    assert "{" in first
    assert (0, 1) == (process.returncode, len(files(tmp_path / "mirror")))
