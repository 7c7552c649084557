"""A disk that is full, read-only or gone leaves nothing half made, and what is said is ours: what, and what to do."""

import os
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

import remanence
import remanence.sync
from remanence.core.errors import StoreDamaged, StoreUnavailable
from remanence.store.sqlite import home

ROOT = Path(__file__).parents[2]
HANGS_AFTER_S = 300
# No file of this process may grow beyond a limit, which is what a full disk does to it.
LIMITED = """
import resource, signal, sys
from remanence.faces import cli
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[1]), resource.RLIM_INFINITY))
sys.argv = ["remanence", *sys.argv[2:]]
cli.main()
"""

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="no file size limit there")


@pytest.fixture(scope="module")
def content(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """A database of some hundred kilobytes."""
    path = tmp_path_factory.mktemp("content") / "a.db"
    with remanence.sync.open(path, embedder="hashed") as memory:
        memory.learn([f"Ferry {number} leaves at nine." for number in range(300)])
    return path.read_bytes()


@pytest.fixture
def path(content: bytes, tmp_path: Path) -> Path:
    """A copy of that database, alone in its folder."""
    path = tmp_path / "a.db"
    path.write_bytes(content)
    path.chmod(0o600)  # else its first opening says that others could read it
    return path


def run_limited(bytes_max: int, path: Path, *words: str, **streams: Any) -> subprocess.CompletedProcess[str]:
    """Run a command line whose files cannot grow beyond a limit."""
    return subprocess.run(
        [
            sys.executable,
            "-c",
            LIMITED,
            str(bytes_max),
            "--db",
            str(path),
            "--embedder",
            "hashed",
            *words,
        ],
        env={**os.environ, "PYTHONPATH": str(ROOT / "src")},
        stderr=subprocess.PIPE,
        text=True,
        timeout=HANGS_AFTER_S,
        check=False,
        **{"stdout": subprocess.PIPE, **streams},
    )


@pytest.mark.parametrize("words", ["backup", "export"])
def test_a_copy_that_finds_no_room_is_not_there(words: str, path: Path) -> None:
    """Neither it nor a part of it nor a journal; the error names the copy, not the database, and a way out."""
    target = path.parent / "copy"
    done = run_limited(60_000, path, words, str(target))

    assert (1, "") == (done.returncode, done.stdout)
    assert f"{target}" in done.stderr.splitlines()[0]
    assert 2 == len(done.stderr.splitlines()), done.stderr
    assert "room" in done.stderr.splitlines()[1] or "space" in done.stderr.splitlines()[1]
    assert [] == [file.name for file in path.parent.iterdir() if file.name.startswith("copy")]


async def test_a_disk_that_goes_while_it_is_copied_to_is_said(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What cannot be put in its place is no copy, and no partial one lies there."""
    there = path.parent / "away"
    there.mkdir()
    write_copy = home._write_copy

    def lose(*given: Any, **named: Any) -> int | None:
        memories = write_copy(*given, **named)
        shutil.rmtree(there)
        return memories

    monkeypatch.setattr(home, "_write_copy", lose)
    async with remanence.open(path, embedder="hashed") as memory:
        with pytest.raises(StoreUnavailable, match=r"away/copy\.db cannot be made") as refused:
            await memory.backup(there / "copy.db")
        copies = await memory.erase.show(copies=True)

    assert "nothing is left of the copy" in refused.value.recovery
    assert [] == copies


def test_nothing_lies_beside_a_copy_that_failed(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A journal that SQLite could not take away goes with it, and so does a copy that is not whole."""

    def fail(_: sqlite3.Connection, partial: Path, **__: Any) -> None:
        for suffix in ("-journal", "-wal", "-shm"):
            Path(f"{partial}{suffix}").write_bytes(b"left")

    monkeypatch.setattr(home, "_write_copy", fail)
    with closing(sqlite3.connect(path)) as source, pytest.raises(StoreDamaged, match="was not whole"):
        home.copy(source, str(path.parent / "copy.db"))

    assert ["a.db"] == sorted(file.name for file in path.parent.iterdir())


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a device of Linux")
@pytest.mark.parametrize("words", [("export",), ("backup", "-"), ("doctor",), ("list", "--limit", "1000")])
def test_output_that_finds_no_room_is_said(words: tuple[str, ...], path: Path) -> None:
    """In two lines, with a code of failure, and not a word of the interpreter's."""
    with Path("/dev/full").open("w") as full:
        done = run_limited(1 << 30, path, *words, stdout=full)

    assert 1 == done.returncode
    assert "error: the answer could not be written: No space left on device" == done.stderr.splitlines()[0]
    assert 2 == len(done.stderr.splitlines()), done.stderr
