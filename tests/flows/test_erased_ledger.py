"""An older copy of a database, put in its place, does not bring back what was erased since."""

import asyncio
import errno
import logging
import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import orjson
import pytest

from remanence import Engine, Erased
from remanence.store.sqlite import ledger_file
from remanence_store_kit.builders import expect_error
from tests.flows.test_erasing import OTHER, PURGING, SAID, left_in, opened, unsound

LEFT = (SAID, "Quirkleton", "quirkleton")


async def _erased_since(path: Path, **more: object) -> Path:
    """Keep two memories, copy the database, erase one of the two; return where the copy lies."""
    copy = path.parent / "backups" / "older.db"
    copy.parent.mkdir()
    async with opened(path, **more) as memory:
        said = await memory.learn(SAID, speaker="Wilhelmina")
        await memory.learn(OTHER)
        await memory.backup(copy)
        later = await memory.learn("Wilhelmina paints the lanterns.")
        await memory.erase.apply(await memory.erase.show([said.id, later.id]))
    return copy


def ledger_of(path: Path) -> Path:
    """Return the one ledger beside a database."""
    (found,) = path.parent.glob(f"{path.name}.*.erased")
    return found


async def told(memory: Engine) -> list[str]:
    """Return what every door shows: lists, recall, the frames, an export."""
    listed = [one.text for one in await memory.list(status="any")]
    recalled = [hit.text for hit in await memory.recall("who hides the Quirkleton key", count_use=False)]
    booted = [hit.text for hit in await memory.frame("boot")]
    lines = [orjson.loads(line) async for line in memory.export()]
    exported = [line["text"] for line in lines if "text" in line]
    return sorted({*listed, *recalled, *booted, *exported})


async def test_an_older_copy_in_its_place_brings_nothing_back(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """What was erased is erased again before anything is shown, the rest stands, and it is said."""
    path = tmp_path / "memory.db"
    copy = await _erased_since(path)
    shutil.copy(copy, path)
    assert [SAID] == left_in(path, SAID)
    with caplog.at_level(logging.WARNING):
        async with opened(path, erased_since="erase") as memory:
            assert [OTHER] == await told(memory)
            await expect_error(Erased, memory.get(1))
            await expect_error(Erased, memory.restore(1))
            again = [await memory.learn(one) for one in (SAID, "wilhelmina paints the lanterns")]
            assert ["gated", "gated"] == [one.status for one in again]
            assert 4 == (await memory.get((await memory.learn("The fourth one.")).id)).seq
            assert "erase" in [run.verb for run in await memory.history()]
            assert [] == [one for one in await unsound(memory) if "erased" not in one]
    assert "erased again, as since: 1 memory" in caplog.text
    assert [] == left_in(path, *LEFT)
    async with opened(path) as memory:
        assert [] == await unsound(memory)


async def test_what_was_purged_before_the_copy_has_no_image_left_in_it(tmp_path: Path) -> None:
    """The copy has no row of it, only the image that could bring it back: that goes, too."""
    path = tmp_path / "memory.db"
    copy = tmp_path / "backups" / "older.db"
    copy.parent.mkdir()
    async with opened(path) as memory:
        said = await memory.learn(SAID, speaker="Wilhelmina")
        await memory.learn(OTHER)
        await memory.forget(said.id)
        await memory.apply(await memory.plan(PURGING), allow_destroyed=1)
        await memory.backup(copy)
        await memory.erase.apply(await memory.erase.show(said.id))
    assert ([], [SAID]) == (left_in(path, *LEFT), left_in(copy, SAID))
    shutil.copy(copy, path)
    async with opened(path, erased_since="erase") as memory:
        await expect_error(Erased, memory.restore(said.id))
        assert [] == [one for one in await unsound(memory) if "erased" not in one]
    assert [] == left_in(path, *LEFT)


async def test_the_ledger_is_private_and_says_no_word(tmp_path: Path) -> None:
    """It has hashes only that nobody can test a guess by who has not the database."""
    path = tmp_path / "memory.db"
    await _erased_since(path)
    said = ledger_of(path).read_bytes()
    with closing(sqlite3.connect(path)) as connection:
        (salt,) = connection.execute("SELECT value FROM meta WHERE name = 'database'").fetchone()
    words = [word.encode() for word in f"{SAID} {salt}".split() if len(word) > 5]

    assert 0o600 == ledger_of(path).stat().st_mode & 0o777
    assert [] == [word for word in words if word.lower() in said.lower()]
    assert [] == [one.name for one in tmp_path.iterdir() if "partial" in one.name]


async def test_a_copy_under_another_name_in_the_folder_is_told_too(tmp_path: Path) -> None:
    """Ledgers are found by the origin of a database; other databases of the folder are not concerned."""
    path = tmp_path / "memory.db"
    copy = await _erased_since(path)
    shutil.copy(copy, tmp_path / "of last week.db")
    last_week = opened(tmp_path / "of last week.db", erased_since="erase")
    async with last_week as memory, opened(tmp_path / "another.db") as beside:
        await beside.learn(SAID)
        assert [[OTHER], [SAID]] == [await told(one) for one in (memory, beside)]
        assert [] == await unsound(beside)
    assert [] == left_in(tmp_path / "of last week.db", *LEFT)


async def test_a_database_that_was_renamed_keeps_its_ledger(tmp_path: Path) -> None:
    """It writes one under its new name, and an older copy put there is told of it."""
    path, moved = tmp_path / "memory.db", tmp_path / "moved.db"
    copy = await _erased_since(path)
    path.rename(moved)
    ledger_of(path).unlink()
    async with opened(moved) as memory:
        assert [OTHER] == await told(memory)
    assert ledger_of(moved).exists()
    shutil.copy(copy, moved)
    async with opened(moved, erased_since="erase") as memory:
        assert [OTHER] == await told(memory)


async def test_every_scope_is_told(tmp_path: Path) -> None:
    """Also one that is not opened, one that began since, and what is held in the older copy."""
    path, copy = tmp_path / "memory.db", tmp_path / "older.db"
    async with opened(path) as memory, opened(path, scope="other") as other:
        said = await other.learn(SAID)
        await memory.learn(SAID)
        await other.hold(said.id, "audit")
        await memory.backup(copy)
        await other.hold(said.id, "audit", off=True)
        await other.erase.apply(await other.erase.show(said.id))
        async with opened(path, scope="since") as since:
            await since.erase.apply(await since.erase.show((await since.learn(SAID)).id))
    shutil.copy(copy, path)
    async with (
        opened(path, erased_since="erase") as memory,
        opened(path, scope="other") as other,
        opened(path, scope="since") as since,
    ):
        assert [[SAID], [], []] == [await told(one) for one in (memory, other, since)]
        assert ["gated", "gated"] == [(await one.learn(SAID)).status for one in (other, since)]
        assert [] == await unsound(memory)


async def test_a_ledger_that_is_missing_is_written_anew(tmp_path: Path) -> None:
    """Of what the database knows."""
    path = tmp_path / "memory.db"
    copy = await _erased_since(path)
    ledger_of(path).unlink()
    async with opened(path):
        assert ledger_of(path).exists()
    shutil.copy(copy, path)
    async with opened(path, erased_since="erase") as memory:
        assert [OTHER] == await told(memory)


def _cut(whole: bytes) -> bytes:
    return whole[:-40]


def _added_to(whole: bytes) -> bytes:
    return whole + orjson.dumps(["default", "0" * 32, 0, "erased"]) + b"\n"


def _without_its_first_line(whole: bytes) -> bytes:
    return whole.partition(b"\n")[2]


@pytest.mark.parametrize("change", [_cut, _added_to, _without_its_first_line])
async def test_what_can_be_read_of_a_changed_ledger_is_applied(
    change: Callable[[bytes], bytes], tmp_path: Path
) -> None:
    """It is set aside for one that is whole, and doctor says what may be missing; a line put in names nothing."""
    path = tmp_path / "memory.db"
    shutil.copy(await _erased_since(path), path)
    ledger = ledger_of(path)
    ledger.write_bytes(change(ledger.read_bytes()))
    async with opened(path, erased_since="erase") as memory:
        assert [OTHER] == await told(memory)
        (check,) = [one for one in await memory.doctor() if one.name == "ledger" and one.advice]
        assert f"{ledger}.damaged" in check.detail
        assert "erase again" in check.advice
        Path(f"{ledger}.damaged").unlink()
        assert [] == await unsound(memory)


async def test_a_changed_ledger_beside_a_database_that_knows_all_is_written_anew(tmp_path: Path) -> None:
    """Once it is deleted, as doctor advises, nothing is missing."""
    path = tmp_path / "memory.db"
    await _erased_since(path)
    ledger = ledger_of(path)
    whole = ledger.read_bytes()
    ledger.write_bytes(_cut(whole))
    async with opened(path) as memory:
        (check,) = [one for one in await memory.doctor() if not one.ok]
        assert f"delete {ledger}: this database knows all" in check.advice
    ledger.unlink()
    async with opened(path) as memory:
        assert [] == await unsound(memory)

    assert whole == ledger.read_bytes()


async def test_an_erasure_is_pending_until_its_ledger_is_on_the_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where the ledger cannot be written the answer says why; the next look does it."""
    path = tmp_path / "memory.db"
    with monkeypatch.context() as full:
        full.setattr(ledger_file, "write_whole", _full)
        async with opened(path) as memory:
            said = await memory.learn(SAID)
            done = await memory.erase.apply(await memory.erase.show(said.id))
            assert done.pending
            assert "No space left" in str(done)
    async with opened(path) as memory:
        finished = await memory.erase.apply()
        assert finished is not None
        assert (False, True) == (finished.pending, ledger_of(path).exists())
        assert [] == await unsound(memory)


@pytest.mark.parametrize("restored", [False, True])
async def test_an_export_from_before_brings_nothing_back(restored: bool, tmp_path: Path) -> None:
    """Into the same database and an older copy of it, also with its id, its key or its text in another line."""
    path, copy = tmp_path / "memory.db", tmp_path / "older.db"
    async with opened(path) as memory:
        said = await memory.learn(SAID, key="spare key", tags=["boats"])
        other = await memory.learn(OTHER)
        await memory.link(said.id, other.id, "supports")
        lines = [line async for line in memory.export()]
        await memory.backup(copy)
        await memory.erase.apply(await memory.erase.show(said.id))
    if restored:
        shutil.copy(copy, path)
    head, mine, *_ = map(orjson.loads, lines)
    mine = {name: value for name, value in mine.items() if name not in {"key", "fingerprint", "vector"}}
    rewritten = [
        {**mine, "text": "Somebody hid something somewhere."},
        {**mine, "text": OTHER},
        {**mine, "id": "a" * 32, "text": SAID.upper()},
        {**mine, "id": "b" * 32, "key": "spare key", "speaker": "Ines"},
    ]
    async with opened(path, erased_since="erase") as memory:
        for shape in (lines, *([orjson.dumps(one) for one in (head, two)] for two in rewritten)):
            await memory.import_(shape, edited=True, trust="user")
        kept = [line async for line in memory.export() if b'"erased":' not in line]
        assert [OTHER] == await told(memory)
        assert () == (await memory.get(other.id)).sources
        assert [] == await memory.links(other.id)
        assert [] == [one for one in await unsound(memory) if "erased" not in one]

    assert not any(word in line for line in kept for word in (b"Quirkleton", said.id.encode(), b"Somebody"))


def _full(file: Path, *_: object) -> None:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(file))


OPENS = """
import asyncio, os, sys
import remanence
from remanence.core.clock import ManualClock
from remanence.store.sqlite import ledger
from remanence.store.sqlite.sqlite_store import SqliteStore
from remanence.flows import erase

def killed(*_):
    os.kill(os.getpid(), 9)

async def main():
    at = sys.argv[2]
    if at != "nowhere":
        place, name = {
            "erasing": (erase, "_erase"), "erased": (SqliteStore, "take_ledgers"), "learning": (ledger, "_remember"),
            "cleaning": (SqliteStore, "clean"),
        }[at]
        setattr(place, name, killed)
    async with remanence.open(sys.argv[1], embedder="hashed", clock=ManualClock(), erased_since="erase") as memory:
        print(sorted(one.text for one in await memory.list()))

asyncio.run(main())
"""


@pytest.mark.parametrize(
    "at",
    ["learning", *(pytest.param(at, marks=pytest.mark.deep) for at in ("erasing", "erased", "cleaning"))],
)
async def test_a_kill_while_it_is_told_leaves_it_to_the_next_opening(at: str, tmp_path: Path) -> None:
    """Whatever was done by then, no opening shows what was erased."""
    path = tmp_path / "memory.db"
    shutil.copy(await _erased_since(path), path)
    process = await asyncio.create_subprocess_exec(sys.executable, "-c", OPENS, str(path), at)
    assert -9 == await process.wait()
    async with opened(path, erased_since="erase") as memory:
        assert [OTHER] == await told(memory)
        await memory.erase.apply()
        assert [] == await unsound(memory)
    assert [] == left_in(path, *LEFT)


async def test_processes_that_open_it_together_all_show_nothing(tmp_path: Path) -> None:
    """Each erases it again or finds it erased."""
    path = tmp_path / "memory.db"
    shutil.copy(await _erased_since(path), path)
    processes = [
        await asyncio.create_subprocess_exec(
            sys.executable, "-c", OPENS, str(path), "nowhere", stdout=asyncio.subprocess.PIPE
        )
        for _ in range(2)
    ]
    printed = [(await one.communicate())[0].decode().strip() for one in processes]
    async with opened(path) as memory:
        await memory.erase.apply()
        assert [] == await unsound(memory)

    assert [f"{[OTHER]}"] * 2 == printed
    assert [] == left_in(path, *LEFT)


READ_ONLY = """
import asyncio, os, shutil, sys
from pathlib import Path
import remanence
from remanence import StoreUnavailable
from remanence.core.clock import ManualClock

def opened(path):
    return remanence.open(path, embedder="hashed", clock=ManualClock(), erased_since="erase")

async def refused(path):
    try:
        async with opened(path):
            print("OPENED")
    except StoreUnavailable as error:
        print(error, "|", error.recovery)

async def main(path):
    mirror, copy = path.parent.parent / "mirror", path.parent.parent / "older.db"
    async with opened(path) as memory:
        said = await memory.learn("Wilhelmina hides the Quirkleton key.")
        await memory.mirror.sync(mirror)
        await memory.backup(copy)
        folders = [path.parent, mirror, *(one for one in mirror.rglob("*") if one.is_dir())]
        for folder in folders:
            folder.chmod(0o555)
        print(await memory.erase.apply(await memory.erase.show(said.id)))
        for folder in folders:
            folder.chmod(0o755)
        await memory.mirror.sync(mirror)
        print(await memory.erase.apply())
        print([str(check) for check in await memory.doctor() if not check.ok])
    shutil.copy(copy, path)
    path.parent.chmod(0o555)
    await refused(path)
    path.parent.chmod(0o755)
    async with opened(path) as memory:
        print(await memory.list(status="any"))

asyncio.run(main(Path(sys.argv[1])))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="modes of folders, and who may do without them")
def test_a_read_only_folder_is_said_and_nothing_is_half_done(tmp_path: Path) -> None:
    """The erasure is pending and says why until the ledger can be written; an older copy there is not opened at all."""
    bound = ["setpriv", "--bounding-set=-dac_override,-dac_read_search"]
    if os.geteuid() == 0 and shutil.which(bound[0]) is None:
        pytest.skip("root may write to any folder, and there is no setpriv to keep it from that")
    path = tmp_path / "kept" / "memory.db"
    path.parent.mkdir()
    command = [*(bound if os.geteuid() == 0 else []), sys.executable, "-c", READ_ONLY, str(path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert 0 == done.returncode, done.stderr
    said = done.stdout

    assert "pending: the ledger" in said
    assert "Permission denied" in said
    assert (
        f"this mirror was not reached, or has edits by hand: remanence mirror sync {tmp_path / 'mirror'}"
        in said
    )
    assert "pieces of it is in the files of the database\n[]\n" in said
    assert f"{path} is opened to be read alone; nothing was written | open it without --read-only" in said
    assert said.endswith("[]\n")
    assert (
        ""
        == subprocess.run(
            ["grep", "-rla", "Quirkleton", str(path.parent), str(tmp_path / "mirror")],
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        ).stdout
    )
