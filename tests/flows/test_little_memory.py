"""A machine that gives no more memory, or starts no more threads, is an error of ours, and nothing is lost."""

import os
import subprocess
import sys
from pathlib import Path
from threading import Thread

import pytest

import remanence
import remanence.sync
from remanence.core.errors import StoreUnavailable
from remanence.faces import cli
from remanence.store.sqlite.sqlite_store import SqliteStore

ROOT = Path(__file__).parents[2]
HANGS_AFTER_S = 300
# What is imported counts, which differs between machines: so many megabytes beyond that are left.
LIMITED = """
import resource, sys
from pathlib import Path
import numpy, cyclopts
import remanence.engine, remanence.opening
from remanence.faces import cli
from remanence.faces.cli import commands, plan_commands, running, upkeep_commands
pages = int(Path("/proc/self/statm").read_text().split()[0])
room = pages * resource.getpagesize() + int(sys.argv[1]) * 2**20
resource.setrlimit(resource.RLIMIT_AS, (room, resource.RLIM_INFINITY))
sys.argv = ["remanence", *sys.argv[2:]]
cli.main()
"""
COMMANDS = {
    "status": ("status",),
    "learn": ("learn", "The ferry leaves at ten."),
    "recall": ("recall", "ferry"),
    "plan": ("plan", "--policy", "default"),
}


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="limits of address space are those of Linux")
@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_says_that_memory_ran_out(name: str, tmp_path: Path) -> None:
    """In two lines with a way out, however little there is; the file stays whole, and with more it goes on."""
    path = tmp_path / "a.db"
    with remanence.sync.open(path, embedder="hashed") as memory:
        memory.learn("The ferry leaves at nine.")
    codes = []
    for room in (4, 12, 1 << 12):
        done = subprocess.run(
            [
                sys.executable,
                "-c",
                LIMITED,
                str(room),
                "--db",
                str(path),
                "--embedder",
                "hashed",
                *COMMANDS[name],
            ],
            env={**os.environ, "PYTHONPATH": str(ROOT / "src"), "OPENBLAS_NUM_THREADS": "1"},
            capture_output=True,
            text=True,
            timeout=HANGS_AFTER_S,
            check=False,
        )
        codes.append(done.returncode)
        said = done.stderr.splitlines()
        assert done.returncode == 0 or ["error: memory ran out", 2] == [said[0], len(said)], done.stderr
    with remanence.sync.open(path, embedder="hashed") as memory:
        assert [] == [check for check in memory.doctor() if not check.ok]

    assert [1, 0] == [codes[0], codes[-1]]


async def test_a_store_without_threads_is_not_open(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither half nor whole: what was started ends, and once there are threads it opens."""
    store = SqliteStore(str(tmp_path / "a.db"))
    start, running = Thread.start, []

    def refuse(thread: Thread) -> None:
        if thread.name == "remanence-store-1":
            raise RuntimeError("can't start new thread")
        start(thread)
        running.append(thread)

    with monkeypatch.context() as patched:
        patched.setattr(Thread, "start", refuse)
        with pytest.raises(StoreUnavailable, match="memory ran out"):
            await store.open()
    for thread in running:
        if thread.name.startswith("remanence-"):
            thread.join(timeout=HANGS_AFTER_S)
            assert not thread.is_alive()
    await store.open()
    await store.close()


async def test_memory_that_runs_out_in_a_thread_of_the_store_refuses_that_verb_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The next one is answered."""

    def run_out(*_: object, **__: object) -> None:
        raise MemoryError

    async with remanence.open(tmp_path / "a.db", embedder="hashed") as memory:
        said = await memory.learn("The ferry leaves at nine.")
        with monkeypatch.context() as patched:
            patched.setattr("remanence.store.sql.reading.get", run_out)
            with pytest.raises(StoreUnavailable, match="memory ran out"):
                await memory.get(said.id)
        found = await memory.get(said.id)

    assert "The ferry leaves at nine." == found.text


@pytest.mark.parametrize("error", [MemoryError(), RuntimeError("can't start new thread")])
def test_the_command_line_says_it_wherever_it_happens(
    error: Exception, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """What is no fault of the machine is raised as before."""

    def fail(_: object) -> int:
        raise error

    monkeypatch.setattr(cli, "run", fail)
    monkeypatch.setattr("gc.disable", lambda: None)
    monkeypatch.setattr("sys.excepthook", sys.excepthook)
    with pytest.raises(SystemExit) as ended:
        cli.main()
    said = capsys.readouterr().err
    error = RuntimeError("a fault of ours")
    with pytest.raises(RuntimeError, match="a fault of ours"):
        cli.main()

    assert (1, "error: memory ran out") == (ended.value.code, said.splitlines()[0])
