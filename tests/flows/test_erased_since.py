"""Copies and originals: an erasure binds to the file it was asked for, and hearing of it destroys nothing."""

import asyncio
import os
import shutil
import sqlite3
from collections.abc import AsyncIterator, Callable
from contextlib import closing
from hashlib import sha256
from pathlib import Path

import pytest
import pytest_asyncio

from remanence import ErasedSince, InvalidInput, NotFound, StoreError
from remanence.core.clock import ManualClock
from remanence.store.sqlite import ledger_file
from remanence_store_kit.builders import expect_error
from tests.command_line import Typed, typed
from tests.flows.test_erased_ledger import ledger_of, told
from tests.flows.test_erasing import OTHER, SAID, left_in, opened, unsound

NAMED = "Ruben says that Wilhelmina Quirkleton paints the lanterns."
REDACTED = "Ruben says that [erased] paints the lanterns."
SUBJECT = "Wilhelmina Quirkleton"


def digest(path: Path) -> str:
    """Return by what every byte of a file is known."""
    return sha256(path.read_bytes()).hexdigest()


async def erase(path: Path, **more: object) -> None:
    """Erase what a person said, and take the name out of what others said."""
    async with opened(path, **more) as memory:
        await memory.erase.apply(await memory.erase.show(subject=SUBJECT, mentions=True))


async def command(*words: str, db: Path) -> Typed:
    """Run a command on a file."""
    return await asyncio.to_thread(typed, *words, "--db", str(db), "--embedder", "hashed")


async def texts(path: Path, **more: object) -> list[str]:
    """Return what a file holds."""
    async with opened(path, **more) as memory:
        return await told(memory)


@pytest_asyncio.fixture
async def live(tmp_path: Path) -> AsyncIterator[Path]:
    """Yield a file with what a person said, what another said of her, and something else."""
    path = tmp_path / "here" / "live.db"
    path.parent.mkdir()
    async with opened(path) as memory:
        await memory.learn(SAID, speaker=SUBJECT)
        await memory.learn(NAMED, speaker="Ruben")
        await memory.learn(OTHER)
    yield path


async def refused(path: Path, count: int) -> ErasedSince:
    """Expect a file not to be opened, and not a byte of it or of its folder to change."""
    before = {one: digest(one) for one in sorted(path.parent.iterdir()) if one.is_file()}
    error = await expect_error(ErasedSince, opened(path).__aenter__())
    assert before == {one: digest(one) for one in sorted(path.parent.iterdir()) if one.is_file()}
    assert count == error.count
    return error


async def copied(live: Path, path: Path) -> Path:
    """Copy a file as `cp` does."""
    path.parent.mkdir(exist_ok=True)
    shutil.copy(live, path)
    return path


async def backed_up(live: Path, path: Path) -> Path:
    """Copy a file as `backup` does."""
    path.parent.mkdir(exist_ok=True)
    async with opened(live) as memory:
        await memory.backup(path)
    return path


copies = pytest.mark.parametrize("make", [copied, backed_up])


@copies
async def test_a_copy_beside_hears_the_original_and_the_original_hears_no_copy(
    make: Callable[[Path, Path], object], live: Path
) -> None:
    """The copy is not opened, with two ways out; whatever looks at it changes no byte of either."""
    copy = await make(live, live.parent / "old.db")  # type: ignore[misc]
    await erase(live)
    original = digest(live)
    error = await refused(copy, 2)
    assert "erase --since" in error.recovery
    assert "erase settle --keep" in error.recovery
    for words in ("doctor", "status", "erase --since"):
        before = digest(copy)
        done = await command(*words.split(), db=copy)
        assert (before, original) == (digest(copy), digest(live)), words
        assert "were erased since it was copied" in done.stdout or words == "erase --since"
    assert 3 == (await command("list", db=copy)).exit_code
    async with opened(live) as memory:
        assert [REDACTED, OTHER] == await told(memory)
        assert [] == await unsound(memory)


async def test_what_only_lost_a_name_is_redacted_in_a_copy_where_the_name_is_given_again(live: Path) -> None:
    """Without it it is erased there, and only there."""
    first, second = [await copied(live, live.parent / name) for name in ("first.db", "second.db")]
    await erase(live)
    async with opened(first, erased_since="look") as memory:
        shown = str(await memory.erase.show(since=True))
        assert SAID in shown
        assert NAMED in shown
        await expect_error(ErasedSince, memory.recall("lanterns"))
        await expect_error(ErasedSince, memory.erase.show(1))
        await expect_error(NotFound, memory.erase.apply(subject="Somebody Else"))
    async with opened(first, erased_since="look") as memory:
        done = await memory.erase.apply(subject=SUBJECT)
        assert done is not None
        assert (1, 1, True, str(live)) == (done.erased, done.redacted, done.is_well, done.original)
        assert [REDACTED, OTHER] == await told(memory)
    async with opened(second, erased_since="look") as memory:
        done = await memory.erase.apply()
        assert done is not None
        assert (2, 0) == (done.erased, done.redacted)

    assert [[REDACTED, OTHER], [OTHER], [REDACTED, OTHER]] == [
        await texts(one) for one in (first, second, live)
    ]
    assert [] == left_in(first, SAID, "Quirkleton")


async def test_a_trial_in_a_copy_is_a_trial(live: Path, tmp_path: Path) -> None:
    """Neither the original nor its other copies nor its mirror hear of it; the answer says which file was meant."""
    async with opened(live) as memory:
        await memory.mirror.sync(tmp_path / "mirror")
    mirrored = sorted(one.name for one in (tmp_path / "mirror").rglob("*.md"))
    trial, other = await copied(live, live.parent / "trial.db"), await copied(live, live.parent / "other.db")
    async with opened(trial) as memory:
        done = await memory.erase.apply(await memory.erase.show(subject=SUBJECT, mentions=True))
    assert ((), str(live)) == (done.copies, done.original)
    assert f"this file is a copy: {live} is left as it is" in str(done)

    assert [3, 3] == [len(await texts(one)) for one in (live, other)]
    assert mirrored == sorted(one.name for one in (tmp_path / "mirror").rglob("*.md"))
    assert [REDACTED, OTHER] == await texts(trial)
    async with opened(live) as memory:
        done = await memory.erase.apply(await memory.erase.show(1))
        assert (str(other),) == done.copies


async def test_a_copy_elsewhere_hears_the_ledger_at_its_home(live: Path, tmp_path: Path) -> None:
    """While an original lies there; its own ledger is its own."""
    copy = await copied(live, tmp_path / "there" / "copy.db")
    await erase(live)
    await refused(copy, 2)
    async with opened(copy, erased_since="erase") as memory:
        assert [OTHER] == await told(memory)
    assert [REDACTED, OTHER] == await texts(live)


@pytest.mark.parametrize("ledger_goes", [True, False])
async def test_what_was_moved_is_an_original_and_writes_a_ledger_of_its_own(
    ledger_goes: bool, live: Path, tmp_path: Path
) -> None:
    """Of what it knows; a ledger that was left behind is no database, and an older copy in its new place is told."""
    backup = await backed_up(live, tmp_path / "backups" / "older.db")
    await erase(live)
    moved = tmp_path / "moved" / "renamed.db"
    moved.parent.mkdir()
    ledger = ledger_of(live)
    live.rename(moved)
    if ledger_goes:
        ledger.unlink()
    async with opened(moved) as memory:
        assert [REDACTED, OTHER] == await told(memory)
        done = await memory.erase.apply(await memory.erase.show((await memory.learn("One more.")).id))
        assert "" == done.original
    assert ledger_of(moved).exists()
    shutil.copy(backup, moved)
    await refused(moved, 2)


@copies
async def test_a_backup_in_the_place_of_the_file_waits_for_a_word(
    make: Callable[[Path, Path], object], live: Path, tmp_path: Path
) -> None:
    """Until it is settled every command is refused; settled, the file is as any other."""
    copy = await make(live, tmp_path / "backups" / "older.db")  # type: ignore[misc]
    await erase(live)
    shutil.copy(copy, live)
    await refused(live, 2)
    assert 0 == (await command("erase", "--since", "--subject", SUBJECT, "--yes", db=live)).exit_code
    assert [REDACTED, OTHER] == await texts(live)
    assert [] == left_in(live, SAID, "Quirkleton")
    async with opened(live) as memory:
        assert [] == await unsound(memory)


async def test_a_backup_with_the_ledger_on_another_machine_hears_it_under_any_name(
    live: Path, tmp_path: Path
) -> None:
    """An original wrote it, so every file of its origin in the folder hears it."""
    backup = await backed_up(live, tmp_path / "there" / "restored.db")
    await erase(live)
    shutil.copy(ledger_of(live), backup.parent)
    shutil.rmtree(live.parent)
    await refused(backup, 2)


async def test_a_copys_ledger_is_heard_by_that_copy_alone(live: Path) -> None:
    """Of two copies that erase, each goes its own way; an older state of one is told by its own."""
    first, second = [await copied(live, live.parent / name) for name in ("first.db", "second.db")]
    before = await copied(first, live.parent / "kept" / "before.db")
    await erase(first)
    async with opened(second) as memory:
        await memory.erase.apply(await memory.erase.show(3))
    assert [2, 2, 3] == [len(await texts(one)) for one in (first, second, live)]
    shutil.copy(before, first)
    await refused(first, 2)


async def test_what_is_kept_is_kept_with_its_reason(live: Path, tmp_path: Path) -> None:
    """The history says why, the file opens from then on, and a later erasure takes it all the same."""
    backup = await backed_up(live, tmp_path / "backups" / "older.db")
    await erase(live)
    shutil.copy(backup, live)
    done = await command("erase", "settle", "--keep", "the court asks for it", db=live)
    assert 0 == done.exit_code, done.output
    async with opened(live) as memory:
        assert 3 == len(await told(memory))
        run = (await memory.history())[-1]
        assert ("keep", "the court asks for it") == (run.verb, run.detail["because"])
        assert [] == [str(one) for one in await memory.doctor() if not one.ok]
        assert "confirmed" == (await memory.learn(SAID, speaker=SUBJECT)).status
        await memory.erase.apply(await memory.erase.show(1))
        assert "gated" == (await memory.learn(SAID)).status
        assert [] == [str(one) for one in await memory.doctor() if not one.ok]
    assert [NAMED, OTHER] == await texts(live)


async def test_what_is_kept_is_asked_about_again_once_it_is_erased_again(live: Path, tmp_path: Path) -> None:
    """A backup of the time when it was kept hears of the later erasure."""
    older = await backed_up(live, tmp_path / "backups" / "older.db")
    clock = ManualClock()
    await erase(live, clock=clock)
    shutil.copy(older, live)
    async with opened(live, erased_since="look", clock=clock) as memory:
        receipt = await memory.erase.settle(keep="the court asks for it")
        assert (0, {"keep": 2}) == (receipt.changes, receipt.counts)
        await expect_error(InvalidInput, memory.undo(receipt))
        await expect_error(InvalidInput, memory.undo("last"))
    kept = await copied(live, tmp_path / "backups" / "kept.db")
    clock.advance(days=1)
    await erase(live, clock=clock)
    shutil.copy(kept, live)
    await refused(live, 2)


async def test_a_file_that_may_only_be_read_is_looked_at(live: Path) -> None:
    """And every verb but those that look says what was erased since."""
    copy = await copied(live, live.parent / "copy.db")
    await erase(live)
    copy.chmod(0o444)
    async with opened(copy, erased_since="look") as memory:
        assert 2 == (await memory.status()).erased_since
        assert ["ledger"] == [one.name for one in await memory.doctor() if not one.ok]
        assert await memory.erase.show(since=True) is not None
        await expect_error(ErasedSince, memory.learn("The pier is long."))
        await expect_error(ErasedSince, memory.note("The pier is long."))


async def test_a_ledger_that_is_missing_is_written_anew_and_doctor_says_so(live: Path) -> None:
    """Until the next erasure writes it."""
    await erase(live)
    ledger = ledger_of(live)
    whole = ledger.read_bytes()
    ledger.unlink()
    async with opened(live) as memory:
        (check,) = [one for one in await memory.doctor() if one.name == "ledger"]
        assert "was missing, and was written anew" in check.detail
    assert whole == ledger.read_bytes()


async def test_a_ledger_of_another_origin_is_not_heard_and_doctor_says_so(live: Path, tmp_path: Path) -> None:
    """It has the name of the file, and names nothing of it."""
    await erase(live)
    foreign = live.parent / "live.db.0a1b2c3d.erased"
    shutil.copy(ledger_of(live), foreign)
    async with opened(live) as memory:
        (check,) = [one for one in await memory.doctor() if one.name == "ledger" and one.advice]
        assert "of another origin" in check.detail
        assert str(foreign) in check.detail


def cut(file: Path) -> None:
    """Leave the first 60 bytes."""
    file.write_bytes(file.read_bytes()[:60])


def empty(file: Path) -> None:
    """Leave nothing."""
    file.write_bytes(b"")


def garble(file: Path) -> None:
    """Leave what nobody wrote."""
    file.write_bytes(b"\0\xff" * 400)


def cut_lines(file: Path) -> None:
    """Leave the first line, and one more."""
    file.write_bytes(b"".join(file.read_bytes().splitlines(keepends=True)[:2]))


def pipe(file: Path) -> None:
    """Put a pipe there, to which nobody writes."""
    file.unlink()
    os.mkfifo(file)


def link(file: Path) -> None:
    """Put a link there, to the very ledger."""
    moved = file.rename(file.parent / "elsewhere")
    file.symlink_to(moved)


@pytest.mark.parametrize("damage", [cut, empty, garble, cut_lines, pipe, link])
async def test_a_damaged_ledger_of_an_original_waits_for_a_word(
    damage: Callable[[Path], None], live: Path, tmp_path: Path
) -> None:
    """It never blocks, and never shows what it may have named; what can be read of it is shown, and of how many."""
    backup = await backed_up(live, tmp_path / "backups" / "older.db")
    await erase(live)
    ledger = ledger_of(live)
    damage(ledger)
    shutil.copy(backup, live)
    done = await command("list", db=live)
    assert 3 == done.exit_code
    assert "Quirkleton" not in done.output
    shown = (await command("erase", "--since", db=live)).stdout
    assert "NOT WHOLE" in shown
    assert (" lines of it can be read" in shown) and ("1 of " in shown) is (damage is cut_lines), shown
    assert 1 == (await command("doctor", db=live)).exit_code
    async with opened(live, erased_since="erase") as memory:
        assert ledger.with_name(f"{ledger.name}.damaged").exists() or Path(f"{ledger}.damaged").is_symlink()
        assert [] == [str(one) for one in await memory.doctor() if not one.ok]
    assert ledger_file.read_header(ledger)[0]
    await texts(live)


async def test_a_damaged_ledger_of_a_copy_concerns_that_copy(live: Path) -> None:
    """The original and other copies are opened as ever."""
    copy, other = [await copied(live, live.parent / name) for name in ("copy.db", "other.db")]
    await erase(copy)
    garble(ledger_of(copy))
    assert [3, 3] == [len(await texts(one)) for one in (live, other)]
    error = await refused(copy, 0)
    assert "its first line is not what was written" in str(error)


async def test_an_original_at_whose_home_another_file_lies_stays_an_original(
    live: Path, tmp_path: Path
) -> None:
    """A database of another origin there is none of its own."""
    moved = live.rename(tmp_path / "moved.db")
    async with opened(live) as memory:
        await memory.learn("Another origin.")
    async with opened(moved) as memory:
        done = await memory.erase.apply(await memory.erase.show(1))
        assert "" == done.original


async def test_the_home_is_noted_by_the_next_write(live: Path, tmp_path: Path) -> None:
    """Reading notes nothing; then a file of its origin that comes back to the old place is a copy of this one."""

    def home(path: Path) -> str:
        with closing(sqlite3.connect(path)) as connection:
            return str(connection.execute("SELECT value FROM meta WHERE name = 'home'").fetchone()[0])

    before = await copied(live, tmp_path / "kept.db")
    moved = live.rename(tmp_path / "moved.db")
    async with opened(moved) as memory:
        await memory.list()
    assert str(live) == home(moved)
    async with opened(moved) as memory:
        await memory.learn("Here now.")
    assert str(moved) == home(moved)
    shutil.copy(before, live)
    await erase(moved)
    assert 3 == len(
        await texts(live)
    )  # an original of the same origin in another folder: its home is its own


@pytest.mark.parametrize("name", ["home", "database", "erased_ledgers"])
async def test_a_damaged_row_of_the_file_is_an_error_of_ours(name: str, live: Path) -> None:
    """Whatever the look before the opening reads of it."""
    await erase(live)
    with closing(sqlite3.connect(live)) as connection, connection:
        connection.execute("UPDATE meta SET value = CAST(x'ff22' AS TEXT) WHERE name = ?", (name,))
    await expect_error(StoreError, opened(live).__aenter__())
