"""What is written to a disk is for its owner only."""

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

import remanence
from remanence.core.errors import StoreIncompatible
from remanence.store.sqlite.sqlite_store import SqliteStore
from tests.command_line import typed
from tests.flows.upgrades import NEXT, know_next, live

pytestmark = pytest.mark.skipif(os.name == "nt", reason="modes are those of POSIX")
OWNER_ONLY = 0o600


@pytest.fixture(autouse=True)
def usual_mask() -> Iterator[None]:
    """New files are readable for all, unless who makes them says otherwise."""
    before = os.umask(0o022)
    yield
    os.umask(before)


def modes(folder: Path) -> dict[str, int]:
    """Return the mode of each file of a folder."""
    return {file.name: file.stat().st_mode & 0o777 for file in folder.iterdir()}


async def test_a_new_database_and_its_copy_are_private(tmp_path: Path) -> None:
    """So is what SQLite lays beside it while it is open."""
    async with remanence.open(tmp_path / "a.db", embedder="hashed") as memory:
        await memory.learn("The night watch changes at four.")
        await memory.backup(tmp_path / "copy.db")
        found = modes(tmp_path)

    assert dict.fromkeys(("a.db", "a.db-wal", "a.db-shm", "copy.db"), OWNER_ONLY) == found


async def test_the_copy_before_an_upgrade_is_private(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """So is the file itself from then on."""
    path = tmp_path / "old.db"
    await live(path)
    path.chmod(0o644)
    know_next(monkeypatch.setattr)
    async with remanence.open(path, scope="work", embedder="hashed"):
        pass

    assert {"old.db": OWNER_ONLY, f"old.db.before-v{NEXT}": OWNER_ONLY} == modes(tmp_path)


async def test_a_database_that_others_could_read_is_taken_from_them(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """With what lies beside it, and said once; who only looks changes nothing, and a group that may write stays."""
    path, link, shared = tmp_path / "a.db", tmp_path / "link.db", tmp_path / "shared.db"
    for one in (path, shared):
        async with remanence.open(one, embedder="hashed") as memory:
            await memory.learn("The night watch changes at four.")
    link.symlink_to(path)
    path.chmod(0o644)
    shared.chmod(0o664)
    await (store := SqliteStore(str(path))).open(read_only=True)
    await store.close()
    looked_at, beside = modes(tmp_path)["a.db"], {}
    for _ in range(2):
        async with remanence.open(link, embedder="hashed") as memory:
            await memory.learn("The ferry leaves at nine.")
            beside = modes(tmp_path)
    async with remanence.open(shared, embedder="hashed"):
        pass

    assert 0o644 == looked_at
    assert dict.fromkeys(("a.db", "a.db-wal", "a.db-shm"), OWNER_ONLY).items() <= beside.items()
    assert 0o660 == modes(tmp_path)["shared.db"]
    assert [
        f"others could read {link} (mode 0644); they no longer can",
        f"others could read {shared} (mode 0664); they no longer can",
    ] == caplog.messages


async def test_a_file_of_another_program_keeps_its_mode(tmp_path: Path) -> None:
    """It is refused before anything is changed."""
    path = tmp_path / "other.db"
    with closing(sqlite3.connect(path)) as other:
        other.execute("CREATE TABLE theirs (one TEXT)")
    path.chmod(0o644)
    with pytest.raises(StoreIncompatible):
        await SqliteStore(str(path)).open()

    assert {"other.db": 0o644} == modes(tmp_path)


def test_exports_and_plans_are_private(tmp_path: Path) -> None:
    """They hold what the memories say."""
    for words in (
        ("learn", "The night watch changes at four."),
        ("backup", str(tmp_path / "copy.db")),
        ("export", str(tmp_path / "out.jsonl")),
        ("plan", "--policy", "default", "-o", str(tmp_path / "plan.json")),
    ):
        done = typed("--db", str(tmp_path / "a.db"), *words)
        assert 0 == done.exit_code, done.output

    assert dict.fromkeys(("a.db", "copy.db", "out.jsonl", "plan.json"), OWNER_ONLY) == modes(tmp_path)
