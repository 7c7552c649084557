"""An upgrade killed at any moment leaves the old file or the new one, and whoever opens it next has all of it."""

import asyncio
import gzip
import random
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

from remanence.errors import StoreUnavailable
from remanence.store.sqlite import upgrade
from remanence.store.sqlite.dialect import SCHEMA_VERSION
from remanence.store.sqlite.sqlite_store import SqlStore
from remanence.testing.builders import raised
from tests.command_line import typed
from tests.flows.old_files import columns_of, opened, rows, version_of
from tests.flows.test_version_1 import started_with

DATA = Path(__file__).parent / "data"
PROGRAM = """
import asyncio, sys
from remanence.store.migrations import run
from remanence.store.sqlite.sqlite_store import SqlStore

async def main():
    print(flush=True)
    sys.stdin.readline()
    store = SqlStore(sys.argv[1])
    await store.open()
    await store.close()

asyncio.run(main())
"""


async def upgraded(path: Path, until: float | None = None) -> float:
    """Let a process bring a file up, or kill it after so many seconds; return how long it took."""
    process = await started_with(PROGRAM, str(path))
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


async def killed_at(path: Path, old: bytes, moments: list[float]) -> set[int]:
    """Kill an upgrade at each of these moments; return the versions of the files that were left."""
    left = set()
    for moment in moments:
        for found in path.parent.glob("*.db*"):
            found.unlink()
        path.write_bytes(old)
        columns = columns_of(path)
        before, version = rows(path, columns), version_of(path)
        await upgraded(path, moment)
        between = version_of(path)
        left.add(between)
        assert between in {version, SCHEMA_VERSION}
        assert between == SCHEMA_VERSION or before == rows(path, columns)
        backups = [found for found in path.parent.glob("*.before-*") if "partial" not in found.name]
        assert [before] * len(backups) == [rows(backup, columns) for backup in backups]

        async with opened(path) as memory:
            unsound = [check for check in await memory.doctor() if not check.ok]
        assert ([], SCHEMA_VERSION) == (unsound, version_of(path))
        assert [] == [*path.parent.glob("*partial*")]
    return left


@pytest.mark.parametrize("version", [1, 2, 3, 4, 5, 6, 7, 8])
async def test_an_upgrade_killed_at_any_moment_is_before_or_after(tmp_path: Path, version: int) -> None:
    """Its old rows, or all that is new with the old; never a copy beside it that looks whole and is not."""
    old = gzip.decompress((DATA / f"version-{version}.db.gz").read_bytes())
    path = tmp_path / "memory.db"
    path.write_bytes(old)
    whole = await upgraded(path)
    moments = random.Random(version)
    left = await killed_at(path, old, [0.0, *(moments.uniform(0, whole) for _ in range(2))])

    assert left <= {version, SCHEMA_VERSION}


@pytest.mark.deep
@pytest.mark.parametrize("version", [1, 2, 3, 4, 5, 6, 7, 8])
async def test_many_killed_upgrades_are_before_or_after(tmp_path: Path, version: int) -> None:
    """The same at many moments, spread over the whole of it."""
    old = gzip.decompress((DATA / f"version-{version}.db.gz").read_bytes())
    path = tmp_path / "memory.db"
    path.write_bytes(old)
    whole = await upgraded(path)
    left = await killed_at(path, old, [whole * number / 60 for number in range(60)])

    assert {version, SCHEMA_VERSION} == left


async def test_an_upgrade_without_room_does_not_begin(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It says how much it takes and how much there is, and not a byte of the old file changes."""
    old = gzip.decompress((DATA / "version-2.db.gz").read_bytes())
    path = tmp_path / "memory.db"
    path.write_bytes(old)
    monkeypatch.setattr(upgrade, "disk_usage", lambda _: SimpleNamespace(free=len(old) * 2))
    refused = await raised(StoreUnavailable, SqlStore(str(path)).open())

    assert "of room beside it" in str(refused)
    assert (old, []) == (path.read_bytes(), [*tmp_path.glob("*.before-*")])


def test_a_command_says_that_it_brings_a_file_up(tmp_path: Path) -> None:
    """Once, on stderr: from which version to which, how long for how much, and where the old file stays."""
    path = tmp_path / "memory.db"
    path.write_bytes(gzip.decompress((DATA / "version-2.db.gz").read_bytes()))
    first, again = (typed("--db", str(path), "--embedder", "hashed", "status") for _ in range(2))

    assert (0, 0) == (first.exit_code, again.exit_code)
    assert f"{path} has version 2 and is brought to version {SCHEMA_VERSION}, once" in first.stderr
    assert "" == again.stderr
