"""A database file that is removed, moved or replaced while it is open: every verb says so, nothing takes its place."""

import asyncio
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

import remanence.sync
from remanence.core.errors import FileReplaced
from remanence.core.model import Memory
from tests.flows.test_rest import start, stop

ANSWERED = "The harbour lamp is green."
BACKUP = "backup.db"


def _remove(path: Path) -> None:
    path.unlink()


def _move(path: Path) -> None:
    path.rename(path.parent / "away" / path.name)


def _restore(path: Path) -> None:
    """Move a backup over the file, as a person does who restores one."""
    copy = shutil.copy(path.with_name(BACKUP), path.with_name("restored.db"))
    Path(copy).replace(path)


def _remove_log(path: Path) -> None:
    path.with_name(f"{path.name}-wal").unlink()


WAYS = pytest.mark.parametrize("replace", [_remove, _move, _restore, _remove_log])


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A database with a backup beside it."""
    path = tmp_path / "kept" / "m.db"
    (path.parent / "away").mkdir(parents=True)
    with remanence.sync.open(path, embedder="none") as memory:
        memory.learn("The ferry leaves at nine.")
        memory.backup(path.with_name(BACKUP))
    return path


def _texts(path: Path) -> list[str]:
    with remanence.sync.open(path, embedder="none") as memory:
        assert [] == [check for check in memory.doctor() if not check.ok]
        return [one.text for one in memory.list(status="any")]


def _read_databases(path: Path) -> dict[str, bytes]:
    """Read what lies in the folder, without the log of SQLite."""
    files = [one for one in path.parent.iterdir() if one.is_file()]
    return {one.name: one.read_bytes() for one in files if not one.name.endswith(("-wal", "-shm"))}


@pytest.mark.skipif(os.name == "nt", reason="a file that is open is not removed there")
@WAYS
def test_a_replaced_file_is_noticed_by_every_verb(replace: Callable[[Path], None], path: Path) -> None:
    """Nothing is answered as stored, and what lies at the path afterwards is what somebody put there, sound."""
    with remanence.sync.open(path, embedder="none") as memory:
        said = memory.learn(ANSWERED)
        replace(path)
        before = _read_databases(path)
        reading = (
            lambda: memory.list(),
            memory.status,
            memory.doctor,
            lambda: memory.backup(path.with_name("late.db")),
        )
        for verb in (
            lambda: memory.learn("The violet door is open."),
            lambda: memory.forget(said.id),
            *(() if replace is _remove_log else (*reading, memory.erase.apply)),  # who reads has its log open
        ):
            with pytest.raises(FileReplaced) as refused:
                verb()
            assert "was removed, moved or replaced while it was open" in str(refused.value)
            assert "start again" in refused.value.recovery
        during = _read_databases(path)
    after = {one.name for one in path.parent.iterdir() if one.is_file()}

    assert before == during
    assert before.keys() == after
    if replace is _remove_log:
        assert ANSWERED in _texts(path)
    if replace is _restore:
        assert before == _read_databases(path)
        assert ["The ferry leaves at nine."] == _texts(path)
    if replace is _move:
        assert ANSWERED in _texts(path.parent / "away" / path.name)


@pytest.mark.skipif(os.name == "nt", reason="a file that is open is not moved there")
def test_a_file_that_is_put_back_has_all_that_was_answered(path: Path) -> None:
    """Once it is opened anew."""
    with remanence.sync.open(path, embedder="none") as memory:
        memory.learn(ANSWERED)
        path.rename(aside := path.with_name("aside.db"))
        with pytest.raises(FileReplaced):
            memory.list()
        aside.rename(path)

    assert ANSWERED in _texts(path)


@pytest.mark.skipif(os.name == "nt", reason="a file that is open is not moved there")
@WAYS
def test_a_server_says_so_and_answers_nothing_as_stored(replace: Callable[[Path], None], path: Path) -> None:
    """Its health too; the name of the file stays free, or keeps the backup that was put there, as it is."""
    with remanence.sync.open(path, embedder="none", scope="home") as memory:
        secret = memory.token.add("desk", scopes=["home"], role="curate").secret
    server = start(path)
    server.tokens["home", "curate"] = secret
    try:
        said = server.do("learn", text=ANSWERED)
        replace(path)
        before = _read_databases(path)
        health = server.send("/health", method="GET").status
        problems = [server.ask("learn", text=f"The violet door {number} is open.") for number in range(3)]
        during = _read_databases(path)
    finally:
        code = stop(server)
    after = {one.name for one in path.parent.iterdir() if one.is_file()}

    assert (0, "stored", 200 if replace is _remove_log else 503) == (code, said["status"], health)
    assert [(503, "FileReplaced")] * 3 == [(one.status, one.document["error"]) for one in problems]
    assert before == during
    assert before.keys() == after


async def test_many_that_read_without_the_log_are_told(path: Path) -> None:
    """A connection that is opened for one of them finds the log gone, and makes no other; one may be open for each."""
    async with remanence.open(path, embedder="none") as memory:
        await memory.learn("The mill stands still.")
        _remove_log(path)
        answers = await asyncio.gather(*(memory.get(1) for _ in range(20)), return_exceptions=True)
        with pytest.raises(FileReplaced):  # it opens a connection of its own
            await memory.doctor()
        left = {one.name for one in path.parent.iterdir()}

    assert f"{path.name}-wal" not in left
    assert all(isinstance(one, Memory | FileReplaced) for one in answers)
