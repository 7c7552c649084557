"""A file that may only be read is read, by every verb that reads: nothing is written, and what would write says so."""

import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

import remanence.sync
from remanence.core.errors import NotFound, ReadOnly, StoreUnavailable
from remanence.store.sqlite import database_file, upgrade
from remanence.store.sqlite.database_file import SCHEMA_VERSION
from tests.command_line import typed
from tests.flows.test_rest import ROOT, WAIT, start, stop

FERRY = "The ferry leaves at nine."
READ = (
    ("list",),
    ("recall", "ferry"),
    ("frame", "task"),
    ("get", "1"),
    ("count",),
    ("history",),
    ("explain", "1"),
    ("plan", "--policy", "janitor"),
    ("status",),
    ("doctor",),
)
WRITE = (
    ("learn", "The lamp is green."),
    ("note", "The lamp is green."),
    ("forget", "1"),
    ("consolidate",),
    ("curate", "--policy", "janitor"),
    ("undo", "last"),
    ("erase", "1", "--yes"),
    ("session",),
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A database, alone in its folder."""
    path = tmp_path / "kept" / "m.db"
    path.parent.mkdir()
    with remanence.sync.open(path, embedder="none") as memory:
        memory.learn(FERRY)
        memory.learn("The night watch changes at four.")
        memory.consolidate()
    return path


@pytest.fixture
def medium(path: Path) -> Iterator[Path]:
    """The database on a medium that takes no writes."""
    folder = str(path.parent)
    for words in (("--bind", folder, folder), ("-o", "remount,ro,bind", folder)):
        done = subprocess.run(["mount", *words], capture_output=True, text=True, check=False)
        if done.returncode:
            subprocess.run(["umount", folder], capture_output=True, check=False)
            pytest.skip(f"nothing can be mounted here: {done.stderr.strip()}")
    yield path
    subprocess.run(["umount", folder], check=True)


def _read_folder(path: Path) -> dict[str, tuple[int, bytes]]:
    return {one.name: (one.stat().st_mtime_ns, one.read_bytes()) for one in path.parent.iterdir()}


def _check_reading_alone(path: Path, target: Path, *options: str) -> None:
    """Do every verb that reads, and some that write; nothing may change in the folder."""
    before = _read_folder(path)
    common = ("--db", str(path), "--embedder", "none", *options)
    read = [
        typed(*words, *common) for words in (*READ, ("backup", str(target)), ("export", f"{target}.jsonl"))
    ]
    refused = [typed(*words, *common) for words in WRITE]

    assert [0] * len(read) == [done.exit_code for done in read]
    assert [1] * len(refused) == [done.exit_code for done in refused]
    way_out = "is opened to be read alone; nothing was written\n  → open it without --read-only"
    assert all(way_out in done.stderr for done in refused)
    assert before == _read_folder(path)
    with remanence.sync.open(target, embedder="none") as memory:
        assert 2 == memory.count().total


def test_a_file_that_is_asked_to_be_read_alone_is_not_changed(path: Path, tmp_path: Path) -> None:
    """No byte of it, and nothing comes to lie beside it."""
    _check_reading_alone(path, tmp_path / "copy.db", "--read-only")


def test_a_medium_that_takes_no_writes_is_read(medium: Path, tmp_path: Path) -> None:
    """Without being asked to, and the command line says so once."""
    _check_reading_alone(medium, tmp_path / "copy.db")
    said = typed("--db", str(medium), "--embedder", "none", "list").stderr

    assert f"{medium} cannot be written: it is opened to be read alone\n" == said


def test_a_file_or_a_folder_without_the_right_to_write_is_read(path: Path) -> None:
    """By its mode, also where an administrator could write."""
    path.chmod(0o444)
    with remanence.sync.open(path, embedder="none") as memory:
        texts = [hit.memory.text for hit in memory.recall("ferry").memories]
        with pytest.raises(ReadOnly, match="opened to be read alone"):
            memory.learn("The lamp is green.")
        with pytest.raises(ReadOnly), memory.session("s"):
            pass

    assert FERRY in texts
    assert [path.name] == [one.name for one in path.parent.iterdir()]


def test_what_others_write_meanwhile_is_read(path: Path) -> None:
    """A file that nobody had open to write is taken as it is, until somebody has."""
    with remanence.sync.open(path, embedder="none", read_only=True) as reader:
        counts = [reader.count().total]
        for text in ("The lamp is green.", "The violet door is open."):
            with remanence.sync.open(path, embedder="none") as writer:
                writer.learn(text)
                counts.append(reader.count().total)
            counts.append(reader.count().total)

    assert [2, 3, 3, 4, 4] == counts


def test_a_log_that_cannot_be_read_is_said(path: Path, tmp_path: Path) -> None:
    """Rather than an older state shown; copied to where can be written it is read."""
    crashed = tmp_path / "crashed"
    with remanence.sync.open(path, embedder="none") as memory:
        memory.learn("The lamp is green.")
        shutil.copytree(path.parent, crashed, ignore=lambda *_: ["m.db-shm"])
    done = subprocess.run(["mount", "--bind", str(crashed), str(crashed)], capture_output=True, check=False)
    if done.returncode:
        pytest.skip(f"nothing can be mounted here: {done.stderr.decode()}")
    try:
        subprocess.run(["mount", "-o", "remount,ro,bind", str(crashed)], check=True)
        with (
            pytest.raises(StoreUnavailable, match="has a log") as refused,
            remanence.sync.open(crashed / "m.db", embedder="none"),
        ):
            pass
    finally:
        subprocess.run(["umount", str(crashed)], check=True)

    assert "copy both files" in refused.value.recovery
    with remanence.sync.open(crashed / "m.db", embedder="none", read_only=True) as memory:
        assert 3 == memory.count().total


def test_what_is_not_there_is_not_made(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither a file nor a scope, and an older file stays as old as it is."""
    monkeypatch.setattr(database_file, "BASELINE_VERSION", SCHEMA_VERSION - 1)
    monkeypatch.setattr(upgrade, "BASELINE_VERSION", SCHEMA_VERSION - 1)
    missing = path.with_name("missing.db")
    with pytest.raises(StoreUnavailable, match="there is no"), remanence.sync.open(missing, read_only=True):
        pass
    with pytest.raises(NotFound), remanence.sync.open(path, scope="other", read_only=True, embedder="none"):
        pass
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION - 1}")
        connection.execute("PRAGMA journal_mode = wal")
    before = _read_folder(path)
    with (
        pytest.raises(ReadOnly, match="only a writable file is upgraded"),
        remanence.sync.open(path, embedder="none", read_only=True),
    ):
        pass

    assert before == _read_folder(path)
    assert not missing.exists()


@pytest.mark.parametrize("words", [("learn", FERRY), ("ingest", "turns.txt", "--dry-run")])
def test_a_command_that_only_reads_makes_nothing(path: Path, words: tuple[str, ...]) -> None:
    """It says which file or which scope is missing, a dry run too."""
    before = _read_folder(path)
    missing = path.with_name("missing.db")
    no_file = typed(*words, "--db", str(missing), "--read-only")
    no_scope = typed(*words, "--db", str(path), "--scope", "other", "--read-only")

    assert (1, 1) == (no_file.exit_code, no_scope.exit_code)
    assert f"no database {missing}" in no_file.stderr
    assert "no scope 'other'" in no_scope.stderr
    assert before == _read_folder(path)


def test_a_server_reads_what_it_may_not_write(path: Path) -> None:
    """And answers 503 to what would write."""
    with remanence.sync.open(path, embedder="none") as memory:
        secret = memory.token.add("desk", scopes=["default"], role="curate").secret
    before = _read_folder(path)
    server = start(path, "--read-only")
    server.tokens["home", "curate"] = secret
    try:
        health = server.send("/health", method="GET").status
        found = server.do("recall", query="ferry")["memories"]
        refused = server.ask("learn", text="The lamp is green.")
    finally:
        code = stop(server)

    assert (0, 200, 503, "ReadOnly") == (code, health, refused.status, refused.document["error"])
    assert FERRY in str(found)
    assert before == _read_folder(path)


NO_LOCKS = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
static int call(const char *name, int fd, int command, void *argument) {
    if (command == F_SETLK || command == F_SETLKW) { errno = ENOLCK; return -1; }
    return ((int (*)(int, int, ...)) dlsym(RTLD_NEXT, name))(fd, command, argument);
}
#define LET(name) int name(int fd, int command, ...) { \
    va_list rest; va_start(rest, command); void *argument = va_arg(rest, void *); va_end(rest); \
    return call(#name, fd, command, argument); }
LET(fcntl)
LET(fcntl64)
"""


@pytest.mark.skipif(
    sys.platform != "linux" or not shutil.which("cc"), reason="no way to take locks away here"
)
def test_a_disk_without_locks_is_no_damage(path: Path, tmp_path: Path) -> None:
    """It is named as what it is, also by `doctor`."""
    source, library = tmp_path / "locks.c", tmp_path / "locks.so"
    source.write_text(NO_LOCKS)
    subprocess.run(["cc", "-shared", "-fPIC", "-o", library, source, "-ldl"], check=True)
    command = [sys.executable, "-c", "from remanence.faces.cli import main; main()", "--db", str(path)]
    done = subprocess.run(
        [*command, "--embedder", "none", "doctor"],
        capture_output=True,
        text=True,
        timeout=WAIT,
        check=False,
        env={"PYTHONPATH": str(ROOT / "src"), "LD_PRELOAD": str(library)},
    )

    assert (1, "") == (done.returncode, done.stdout)
    assert f"error: {path} cannot be locked: its disk has no file locks\n" in done.stderr
