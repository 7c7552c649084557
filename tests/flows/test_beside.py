"""Files that lie beside a database are opened with care: regular, no link, of a limited size, never waiting."""

import os
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType

import pytest

from remanence.core import beside
from tests.command_line import Typed, typed

WAITS_S = 60  # of what waits for ever; all of a test takes two


@pytest.fixture(autouse=True)
def _nobody_waits() -> Iterator[None]:
    def waited(_number: int, _frame: FrameType | None) -> None:
        raise TimeoutError("something waits for a pipe")

    before = signal.signal(signal.SIGALRM, waited)
    signal.alarm(WAITS_S)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


def _put_pipe(path: Path) -> None:
    path.unlink(missing_ok=True)
    os.mkfifo(path)


def _put_link(path: Path) -> None:
    target = path.with_name("target")
    if path.exists():
        path.rename(target)
    else:
        target.touch()
    path.symlink_to(target)


def _put_folder(path: Path) -> None:
    path.unlink(missing_ok=True)
    path.mkdir()


KINDS = [_put_pipe, _put_link, _put_folder]


def run(db: Path, *words: str) -> Typed:
    """Run a command on a database."""
    return typed(*words, "--db", str(db), "--embedder", "hashed")


@pytest.fixture
def db(tmp_path: Path) -> Path:
    """A database with one memory."""
    path = tmp_path / "memory.db"
    assert 0 == run(path, "learn", "The boathouse is green.").exit_code
    return path


@pytest.mark.parametrize("put", KINDS)
@pytest.mark.parametrize(
    "words",
    [
        ("policy", "check", "{file}.toml"),
        ("plan", "--policy", "{file}.toml"),
        ("apply", "{file}", "--policy", "default"),
    ],
    ids=["policy", "plan under a policy", "plan"],
)
def test_a_document_is_a_regular_file(put: Callable[[Path], None], words: tuple[str, ...], db: Path) -> None:
    """A policy or a plan is refused in one line where they are a pipe, a link or a folder."""
    file = db.with_name("document.toml" if "{file}.toml" in words else "document")
    put(file)
    done = run(db, *(word.format(file=db.with_name("document")) for word in words))

    assert 1 == done.exit_code
    assert "cannot read" in done.stderr
    assert "\n  → " in done.stderr


def test_a_document_has_a_limited_size(db: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is larger is refused before it is read."""
    file = db.with_name("large")
    with file.open("wb") as opened:
        opened.truncate(beside.DOCUMENT_BYTES_MAX + 1)
    done = run(db, "apply", str(file), "--policy", "default")

    assert 1 == done.exit_code
    assert f"more than {beside.DOCUMENT_BYTES_MAX:,}" in done.stderr


@pytest.mark.parametrize("put", KINDS)
@pytest.mark.parametrize("name", ["lock", "state.jsonl"])
def test_what_a_mirror_keeps_is_a_regular_file(
    put: Callable[[Path], None], name: str, db: Path, tmp_path: Path
) -> None:
    """In its place anything else is refused; nothing waits, and nothing outside is written."""
    mirror = tmp_path / "mirror"
    assert 0 == run(db, "mirror", "sync", str(mirror)).exit_code
    put(mirror / ".remanence" / name)
    target = mirror / ".remanence" / "target"
    before = target.read_bytes() if target.exists() else b""
    run(db, "learn", "The pier is long.")
    done = run(db, "mirror", "sync", str(mirror))

    assert 1 == done.exit_code, done.output
    assert "→ take it away" in done.stderr
    assert before == (target.read_bytes() if target.exists() else b"")


@pytest.mark.parametrize("put", [_put_pipe, _put_folder])
def test_a_database_is_a_regular_file(put: Callable[[Path], None], tmp_path: Path) -> None:
    """A pipe in its place is refused at once."""
    path = tmp_path / "memory.db"
    put(path)
    done = run(path, "list")

    assert 1 == done.exit_code


def test_a_backup_writes_through_no_link(db: Path, tmp_path: Path) -> None:
    """Neither at its place nor where it is made before it is whole."""
    victim = tmp_path / "victim"
    victim.write_text("mine")
    (tmp_path / "copy.db").symlink_to(victim)
    (tmp_path / f"other.db.{os.getpid()}.partial").symlink_to(victim)

    assert [1, 0] == [run(db, "backup", str(tmp_path / name)).exit_code for name in ("copy.db", "other.db")]
    assert "mine" == victim.read_text()
    assert 0o600 == (tmp_path / "other.db").stat().st_mode & 0o777
