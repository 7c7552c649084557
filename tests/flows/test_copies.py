"""Exports and backups that were made here are registered, and an erasure names them."""

import logging
from pathlib import Path

import orjson
import pytest

import remanence
from remanence import NotFound, StoreUnavailable
from remanence.core.clock import ManualClock
from remanence.flows.base import copies
from remanence.store.base import Bookkeeping, BookkeepResult
from remanence.store.sqlite.sqlite_store import SqliteStore
from remanence_store_kit.builders import expect_error
from tests.command_line import typed
from tests.flows.conftest import Opener
from tests.flows.test_erasing import OTHER, SAID, opened


async def test_an_erasure_names_the_copies_that_were_made_before(tmp_path: Path) -> None:
    """Of its scope, and backups of the whole file; those whose file is gone are said so."""
    path, clock = tmp_path / "memory.db", ManualClock()
    async with (
        opened(path) as memory,
        remanence.open(path, scope="other", embedder="hashed", clock=clock) as other,
    ):
        said, _ = await memory.learn([SAID, OTHER])
        await other.learn(OTHER)
        await memory.backup(tmp_path / "one.db")
        await other.backup(tmp_path / "two.db")
        assert 4 == len([line async for line in memory.export(to=tmp_path / "out.jsonl")])
        assert 3 == len([line async for line in other.export(to="others.jsonl")])
        (tmp_path / "two.db").unlink()
        shown = await memory.erase.show(said.id)
        done = await memory.erase.apply(shown)
        listed = await memory.erase.show(copies=True)
        of_other = [(one.kind, Path(one.path).name) for one in await other.erase.show(copies=True)]

    named = [(one.kind, Path(one.path).name, one.memories, one.is_gone) for one in listed]
    assert sorted(named) == [
        ("backup", "one.db", 3, False),
        ("backup", "two.db", 3, True),
        ("export", "out.jsonl", 2, True),
    ]
    assert [("backup", "one.db"), ("backup", "two.db"), ("export", "others.jsonl")] == sorted(of_other)
    assert tuple(listed) == done.registered == shown.registered
    assert (
        f"not rewritten, delete it: backup of {listed[0].time:%Y-%m-%d %H:%M} UTC: {tmp_path / 'one.db'}"
        in str(done)
    )
    assert f"{tmp_path / 'two.db'} (3 memories); the file is gone" in str(shown)


async def test_a_copy_is_dismissed_by_where_it_was_put(opener: Opener) -> None:
    """Its file is left alone; what was printed, or handed to a program, is "-"."""
    async with opener() as memory:
        await memory.learn(SAID)
        for to in ("-", "-", "kept.jsonl"):
            assert 3 == len([line async for line in memory.export(to=to)])
        printed = await memory.erase.settle(copies="-")
        left = await memory.erase.show(copies=True)
        dismissed = await memory.erase.settle(copies="kept.jsonl")
        await expect_error(NotFound, memory.erase.settle(copies="kept.jsonl"))

    assert (["-", "-"], left) == ([one.path for one in printed], dismissed)
    assert [str(Path("kept.jsonl").absolute())] == [one.path for one in left]
    assert all(one in str(printed[0]) for one in ("export", "printed", "1 memory"))


async def test_an_export_that_was_left_is_unfinished_and_a_backup_that_failed_is_none(opener: Opener) -> None:
    """What was handed out by then is a copy as well."""
    async with opener() as memory:
        await memory.learn(SAID)
        async for _ in memory.export(to="left.jsonl"):
            break
        await expect_error(remanence.RemanenceError, memory.backup("nowhere/to/be/found.db"))
        (left,) = await memory.erase.show(copies=True)

    assert ("export", None) == (left.kind, left.memories)
    assert "unfinished" in str(left)


async def test_the_register_has_a_limit_and_says_what_is_past_it(
    opener: Opener, clock: ManualClock, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rows whose files are gone make room first, then the oldest, which are counted; a path has one row."""
    monkeypatch.setattr(copies, "REGISTERED_MAX", 3)
    async with opener() as memory:
        said = await memory.learn(SAID)
        for number in (0, 1, 2, 2, 3, 4, 5):
            file = tmp_path / f"{number}.jsonl"
            lines = [line async for line in memory.export(to=file)]
            if number != 2:
                file.write_bytes(b"".join(lines))
            clock.advance(hours=1)
        listed = [Path(one.path).name for one in await memory.erase.show(copies=True)]
        done = await memory.erase.apply(await memory.erase.show(said.id))

    assert ["3.jsonl", "4.jsonl", "5.jsonl"] == listed
    assert 2 == done.unlisted
    assert "and 2 older ones that are listed nowhere any more" in str(done)


async def test_a_path_with_a_secret_is_kept_without_it(opener: Opener) -> None:
    """The register holds a marker in its place."""
    secret = "sk-proj-" + "a1B2c3D4e5F6g7H8i9J0" * 2
    async with opener() as memory:
        await memory.learn(SAID)
        assert [line async for line in memory.export(to=f"{secret}.jsonl")]
        (kept,) = await memory.erase.show(copies=True)

    assert secret not in kept.path


async def test_a_copy_is_made_where_it_cannot_be_registered(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Somebody may make it because the disk is full; a warning says that no erasure will name it."""
    path = tmp_path / "memory.db"
    async with opened(path) as memory:
        await memory.learn(SAID)
    async with remanence.open(store=_Full(str(path)), embedder="hashed") as memory:
        with caplog.at_level(logging.WARNING):
            lines = [line async for line in memory.export(to=tmp_path / "out.jsonl")]

    assert SAID == orjson.loads(lines[1])["text"]
    assert "is not registered, so no erasure will name it" in caplog.text


class _Full(SqliteStore):
    """A store whose disk is full when a copy is to be registered."""

    async def bookkeep(self, scope: str, asked: Bookkeeping) -> BookkeepResult:
        """Refuse to write the register."""
        if any(name.startswith(copies.COPIES) for name in asked.put):
            raise StoreUnavailable("the disk is full", recovery="make room")
        return await super().bookkeep(scope, asked)


def test_the_command_line_registers_what_it_writes(tmp_path: Path) -> None:
    """A backup and an export; they are listed and dismissed."""
    db = ("--db", str(tmp_path / "a.db"))
    for words in (
        ("learn", SAID),
        ("backup", str(tmp_path / "copy.db")),
        ("export", str(tmp_path / "out.jsonl")),
        ("erase", "settle", "--copies", str(tmp_path / "copy.db")),
    ):
        done = typed(*db, *words)
        assert 0 == done.exit_code, done.output
    listed = typed(*db, "erase", "--copies").output
    erased = typed(*db, "erase", "1", "--yes").output

    assert "copy.db" not in listed
    assert all(one in listed for one in ("out.jsonl", "(1 memory)"))
    assert "delete it: export of" in erased
