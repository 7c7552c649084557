"""An upgrade leaves the old file or the new one, whatever happens, and whoever opens it next has all of it."""

import asyncio
import os
import random
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace

import pytest

from remanence.core.errors import StoreDamaged, StoreUnavailable
from remanence.store.sqlite import upgrade
from remanence.store.sqlite.database_file import SCHEMA_VERSION
from remanence.store.sqlite.sqlite_store import SqliteStore
from remanence_store_kit.builders import expect_error
from tests.command_line import typed
from tests.flows.test_file_versions import tables
from tests.flows.upgrades import (
    NEXT,
    OPEN,
    START,
    STEP,
    columns_of,
    know_next,
    live,
    opened,
    rows,
    started_with,
    version_of,
)

BROKEN = (*STEP, "INSERT INTO vectors (scope, seq, vector, digest) VALUES (1, 999, x'00', 0)")


@pytest.fixture(scope="module")
def content(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """A file of this version that was lived with."""
    path = tmp_path_factory.mktemp("older") / "memory.db"
    asyncio.run(live(path))
    return path.read_bytes()


@pytest.fixture
def path(content: bytes, tmp_path: Path) -> Path:
    """A copy of that file."""
    path = tmp_path / "memory.db"
    path.write_bytes(content)
    path.chmod(0o600)
    return path


@pytest.fixture
def next_known() -> Iterator[None]:
    """This process knows one version more."""
    with pytest.MonkeyPatch.context() as patched:
        know_next(patched.setattr)
        yield


async def test_every_row_is_kept(path: Path, next_known: None) -> None:
    """After an upgrade every column that was there holds what it held; the verified copy beside it is the old file."""
    columns = columns_of(path)
    before, old = rows(path, columns), tables(path)
    async with opened(path) as memory:
        checks = await memory.doctor()
        (found,) = (await memory.recall("ferry", limit=1)).memories
        await memory.undo((await memory.history(limit=1, verb="update"))[0].run)
        undone = await memory.get(found.memory.id)
    (backup,) = path.parent.glob("*.before-*")

    assert f"memory.db.before-v{NEXT}" == backup.name
    assert (NEXT, SCHEMA_VERSION) == (version_of(path), version_of(backup))
    assert (before, old) == (rows(backup, columns), tables(backup))
    assert {"note TEXT" in tables(path)["sources"], "places" in tables(path)} == {True}
    assert ["tables"] == [check.name for check in checks if not check.ok or check.advice]  # the step's own
    assert ("The ferry leaves at one.", "The ferry leaves at noon.") == (found.memory.text, undone.text)


async def test_copies_of_upgrades_do_not_pile_up(
    path: Path, content: bytes, next_known: None, caplog: pytest.LogCaptureFixture
) -> None:
    """The two newest stay, which is said; what somebody made, renamed or linked stays, whatever it is called."""
    folder = path.parent
    old = f"{path.name}.before-v{NEXT}"
    for age, name in enumerate([f"{old}.2", f"{old}.1", f"{path.name}.before-v{SCHEMA_VERSION}"], start=1):
        (folder / name).write_bytes(content)
        os.utime(folder / name, (1_000_000 - age, 1_000_000 - age))
    theirs = {
        "memory.db.before-v9.sql",
        "memory.db.before-v8",
        "memory.db.before-visit",
        "other.db.before-v9",
        "kept.db",
    }
    for name in theirs - {"memory.db.before-v8"}:
        (folder / name).write_bytes(content)
    (folder / "memory.db.before-v8").write_bytes(b"notes of mine")
    (folder / "memory.db.before-v7").symlink_to(folder / "kept.db")
    async with opened(path):
        pass

    assert {"memory.db", old, f"{old}.2", "memory.db.before-v7", *theirs} == {
        file.name for file in folder.iterdir()
    }
    removed = [f"{old}.1", f"{path.name}.before-v{SCHEMA_VERSION}"]
    assert [
        f"removed {folder / name}, the copy of an earlier upgrade; the 2 newest stay" for name in removed
    ] == caplog.messages


async def test_no_copy_goes_where_the_upgrade_fails(
    path: Path, content: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The copies of before are what there is to go back to."""
    names = [f"{path.name}.before-v{NEXT}.{number}" for number in range(1, 4)]
    for name in names:
        (path.parent / name).write_bytes(content)
    know_next(monkeypatch.setattr, BROKEN)
    await expect_error(StoreDamaged, SqliteStore(str(path)).open())

    assert {*names} <= {file.name for file in path.parent.iterdir()}


async def test_nothing_is_changed_but_by_the_step(path: Path, next_known: None) -> None:
    """The rows of all tables are those of before, with references looked at and tables as strict as they were."""
    columns = columns_of(path)
    before = rows(path, columns)
    store = SqliteStore(str(path))
    await store.open()
    await store.close()
    with closing(sqlite3.connect(path)) as connection:
        (strict,) = connection.execute("SELECT strict FROM pragma_table_list('sources')").fetchone()

    assert (before, 1) == (rows(path, columns), strict)


async def test_a_step_that_breaks_a_reference_is_taken_back(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whole, and it says so; the copy stays."""
    know_next(monkeypatch.setattr, BROKEN)
    columns = columns_of(path)
    before, old = rows(path, columns), tables(path)
    refused = await expect_error(StoreDamaged, SqliteStore(str(path)).open())

    assert ("dangling" in str(refused), "backup" in refused.recovery) == (True, True)
    assert (SCHEMA_VERSION, before, old) == (version_of(path), rows(path, columns), tables(path))


async def test_processes_that_open_an_old_file_at_once_all_get_in(path: Path, next_known: None) -> None:
    """One of them brings it up behind one backup, the others wait; every one of them then writes."""
    program = START + "asyncio.run(upgrades.visit(sys.argv[1], f'process {sys.argv[2]} was here'))\n"
    started = [await started_with(program, str(path), str(number)) for number in range(4)]
    said = [
        error for _, error in await asyncio.gather(*(process.communicate(b"go\n") for process in started))
    ]
    async with opened(path) as memory:
        here = [one for one in await memory.list(limit=1_000) if "was here" in one.text]
        checks = await memory.doctor()

    assert ([b""] * 4, 4) == (said, len(here))
    assert 1 == len([*path.parent.glob("*.before-*")])
    assert [] == [check for check in checks if not check.ok]


async def test_an_upgrade_that_is_killed_leaves_the_old_file(path: Path, next_known: None) -> None:
    """A process that dies before the upgrade is committed leaves the old tables; whoever comes next brings them up."""
    dying = "from remanence.store.sqlite import upgrade\nupgrade._finish_steps = lambda _: os._exit(9)\n"
    columns = columns_of(path)
    before = rows(path, columns)
    killed = await started_with(START + dying + OPEN, str(path))
    await killed.communicate(b"go\n")
    between = version_of(path), rows(path, columns)
    async with opened(path) as memory:
        checks = await memory.doctor()

    assert 9 == killed.returncode
    assert (SCHEMA_VERSION, before) == between
    assert (NEXT, []) == (version_of(path), [check for check in checks if not check.ok])


async def upgraded(path: Path, until: float | None = None) -> float:
    """Let a process bring a file up, or kill it after so many seconds; return how long it took."""
    process = await started_with(START + OPEN, str(path))
    assert process.stdin is not None
    began = time.monotonic()
    process.stdin.write(b"go\n")
    await process.stdin.drain()
    if until is not None:
        await asyncio.sleep(until)
        if process.returncode is None:
            process.kill()
    await process.communicate()
    return time.monotonic() - began


async def killed_at(path: Path, moments: list[float]) -> set[int]:
    """Kill an upgrade at each of these moments; return the versions of the files that were left."""
    left, old = set(), path.read_bytes()
    for moment in moments:
        for found in path.parent.glob("*.db*"):
            found.unlink()
        path.write_bytes(old)
        columns = columns_of(path)
        before = rows(path, columns)
        await upgraded(path, moment)
        between = version_of(path)
        left.add(between)
        assert between in {SCHEMA_VERSION, NEXT}
        assert between == NEXT or before == rows(path, columns)
        backups = [found for found in path.parent.glob("*.before-*") if "partial" not in found.name]
        assert [before] * len(backups) == [rows(backup, columns) for backup in backups]

        async with opened(path) as memory:
            unsound = [check for check in await memory.doctor() if not check.ok]
        assert ([], NEXT) == (unsound, version_of(path))
        assert [] == [*path.parent.glob("*partial*")]
    return left


async def test_an_upgrade_killed_at_any_moment_is_before_or_after(
    path: Path, tmp_path: Path, next_known: None
) -> None:
    """Its old rows, or all that is new with the old; never a copy beside it that looks whole and is not."""
    (other := tmp_path / "other.db").write_bytes(path.read_bytes())
    whole = await upgraded(other)
    moments = random.Random(1)
    left = await killed_at(path, [0.0, *(moments.uniform(0, whole) for _ in range(5))])

    assert left <= {SCHEMA_VERSION, NEXT}


@pytest.mark.deep
async def test_many_killed_upgrades_are_before_or_after(path: Path, tmp_path: Path, next_known: None) -> None:
    """The same at many moments, spread over the whole of it."""
    (other := tmp_path / "other.db").write_bytes(path.read_bytes())
    whole = await upgraded(other)
    left = await killed_at(path, [whole * number / 240 for number in range(240)])

    assert {SCHEMA_VERSION, NEXT} == left


async def test_an_old_file_that_is_locked_says_so(path: Path, next_known: None) -> None:
    """Who meets an old file while another writes to it waits, then is told; the file stays as it is."""
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("PRAGMA journal_mode = wal")
        other.execute("BEGIN IMMEDIATE")
        refused = await expect_error(StoreUnavailable, SqliteStore(str(path), busy_ms=50).open())

    assert ("locked" in str(refused), SCHEMA_VERSION) == (True, version_of(path))
    assert [] == [*path.parent.glob("*.before-*")]


async def test_an_upgrade_that_cannot_be_backed_up_does_not_begin(
    path: Path, content: bytes, next_known: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without a verified copy the old file stays as it is, byte for byte."""

    def refused(*_: object, **__: object) -> None:
        raise StoreUnavailable("the disk is full", recovery="make room")

    monkeypatch.setattr(upgrade, "copy", refused)
    await expect_error(StoreUnavailable, SqliteStore(str(path)).open())

    assert content == path.read_bytes()


async def test_an_upgrade_without_room_does_not_begin(
    path: Path, content: bytes, next_known: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It says how much it takes and how much there is, and not a byte of the old file changes."""
    monkeypatch.setattr(upgrade, "disk_usage", lambda _: SimpleNamespace(free=len(content) * 2))
    refused = await expect_error(StoreUnavailable, SqliteStore(str(path)).open())

    assert "of room beside it" in str(refused)
    assert (content, []) == (path.read_bytes(), [*path.parent.glob("*.before-*")])


def test_a_command_says_that_it_brings_a_file_up(path: Path, next_known: None) -> None:
    """Once, on stderr: from which version to which, how long for how much, and where the old file stays."""
    first, again = (
        typed("--db", str(path), "--embedder", "hashed", "--scope", "home", "status") for _ in range(2)
    )

    assert (0, 0) == (first.exit_code, again.exit_code)
    assert f"{path} has version {SCHEMA_VERSION} and is brought to version {NEXT}, once" in first.stderr
    assert "" == again.stderr
