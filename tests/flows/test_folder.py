"""A folder as a store: each scope in a file of its own, which alone is damaged, restored, moved or locked."""

import asyncio
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import remanence
from remanence import Engine
from remanence.core.errors import ErasedSince, ReadOnly, RemanenceError, StoreUnavailable
from remanence.core.model import NAME_CHARS_MAX
from remanence.store.folder import file_pool, survey_cache
from remanence.store.folder.file_pool import FilePool
from remanence.store.folder.folder_store import FolderStore
from remanence.store.folder.scope_files import name_file
from remanence.store.sqlite import database_file
from remanence.store.sqlite.sqlite_store import SqliteStore
from remanence_store_kit.builders import SCOPE, create_change, make_cause
from remanence_store_kit.contract.erasing import erase_one_memory
from tests.command_line import typed

HOSTILE = (
    "../../etc",
    "a/b",
    "Anna",
    "anna",
    "ANNA",
    "con",
    ".hidden",
    "a.db",
    "%41nna",
    "é",
    "e\u0301",
    "'; --",
    "x" * 200,
    "é" * 200,
)


def opened(folder: Path, scope: str, **more: object) -> Engine:
    """Open a scope of a folder."""
    return remanence.open(f"{folder}{os.sep}", scope=scope, embedder="hashed", **more)  # type: ignore[arg-type]


async def keep(folder: Path, scope: str, *texts: str) -> None:
    """Keep texts in a scope."""
    async with opened(folder, scope) as memory:
        await memory.learn([{"text": text} for text in texts])


async def read(folder: Path, scope: str, **more: object) -> list[str]:
    """Return the texts of a scope."""
    async with opened(folder, scope, **more) as memory:
        return sorted(one.text for one in await memory.list(limit=1_000))


async def test_every_name_has_a_file_of_its_own_in_the_folder(tmp_path: Path) -> None:
    """Names that climb, that differ by capitals or by how a letter is composed, and names as long as any may be."""
    folder = tmp_path / "memories"
    for scope in HOSTILE:
        await keep(folder, scope, f"This is said in {scope}.")
    async with opened(folder, HOSTILE[0]) as memory:
        listed = {one.scope for one in await memory.scopes.list()}
    files = [one.name for one in folder.iterdir() if one.suffix == ".db"]

    assert set(HOSTILE) == listed
    assert len(HOSTILE) == len({name.casefold() for name in files})
    assert [folder] == [*tmp_path.iterdir()]
    for scope in HOSTILE:
        assert [f"This is said in {scope}."] == await read(folder, scope)


@given(
    st.lists(st.text(min_size=1, max_size=NAME_CHARS_MAX).filter(str.isprintable), unique=True, max_size=20)
)
def test_no_two_names_are_one_file(scopes: Sequence[str]) -> None:
    """Nor is any a path, hidden, or too long for a file system."""
    names = [name_file(scope) for scope in ["", *scopes]]

    assert len(scopes) + 1 == len({name.casefold() for name in names})
    assert all(len(name) <= 240 and "/" not in name and "\\" not in name and name[0] != "." for name in names)


async def test_a_damaged_file_is_its_tenants_alone(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """The others are read, written and listed; doctor names the file, and so does the log."""
    folder = tmp_path / "memories"
    await keep(folder, "well", "The ferry leaves at nine.")
    await keep(folder, "hurt", "The mill stands still.")
    (folder / name_file("hurt")).write_bytes(b"no database" * 500)
    await keep(folder, "well", "The bridge is open.")
    with pytest.raises(RemanenceError, match=r"hurt\.db"):
        await read(folder, "hurt")
    async with opened(folder, "well") as memory:
        listed = [one.scope for one in await memory.scopes.list()]
        faults = [check for check in await memory.doctor() if not check.ok]

    assert ["well"] == listed
    assert ["The bridge is open.", "The ferry leaves at nine."] == await read(folder, "well")
    assert [True] == ["hurt.db" in one.detail for one in faults]
    assert "left out" in caplog.text


async def test_a_copy_that_is_put_back_is_refused_alone(tmp_path: Path) -> None:
    """What was erased since it was copied is not read again, and the other scopes go on; the way out is of one file."""
    folder, file = tmp_path / "memories", name_file("hers")
    await keep(folder, "hers", "Mara lives in Oslo.", "The ferry leaves at nine.")
    await keep(folder, "others", "The bridge is open.")
    shutil.copy(folder / file, tmp_path / file)
    async with opened(folder, "hers") as memory:
        (gone,) = [one for one in await memory.list() if "Mara" in one.text]
        await memory.erase.apply(await memory.erase.show(gone))
    for end in ("", "-wal", "-shm"):
        (folder / f"{file}{end}").unlink(missing_ok=True)
    shutil.copy(tmp_path / file, folder / file)
    with pytest.raises(ErasedSince, match="hers") as refused:
        await read(folder, "hers")
    others = await read(folder, "others")
    async with remanence.open(folder / file, scope="hers", embedder="hashed", erased_since="erase"):
        pass

    assert str(folder / file) in str(refused.value.recovery)
    assert ["The bridge is open."] == others
    assert ["The ferry leaves at nine."] == await read(folder, "hers")


async def test_an_erasure_cleans_its_own_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where the file was closed since, as others were asked for; other files are not looked into."""
    monkeypatch.setattr(file_pool, "OPEN_MAX", 1)
    store = FolderStore(str(tmp_path / "memories"))
    await store.open()
    await erase_one_memory(store)
    await store.commit("other", [create_change(1, "The bridge is open.")], make_cause("learn"))
    of_other = await store.clean("other")
    cleaned = await store.clean(SCOPE)
    await store.close()

    assert (False, True) == (of_other.is_done, cleaned.is_done)


async def test_a_tenant_moves_as_a_file(tmp_path: Path) -> None:
    """A file that is put into another folder is a scope there; one that is taken out is none any more."""
    here, there = tmp_path / "here", tmp_path / "there"
    await keep(here, "Anna", "The ferry leaves at nine.")
    await keep(there, "bob", "The bridge is open.")
    (here / name_file("Anna")).rename(there / name_file("Anna"))
    async with opened(there, "bob") as memory:
        listed = [one.scope for one in await memory.scopes.list()]
    async with opened(here, "carla") as memory:
        left = [one.scope for one in await memory.scopes.list()]

    assert ["Anna", "bob"] == sorted(listed)
    assert [] == left
    assert ["The ferry leaves at nine."] == await read(there, "Anna")


async def test_a_backup_is_a_folder_that_opens(tmp_path: Path) -> None:
    """It holds a verified copy of each file; over one that is there nothing is written."""
    folder, copy = tmp_path / "memories", tmp_path / "copy"
    await keep(folder, "a", "The ferry leaves at nine.")
    await keep(folder, "b", "The bridge is open.", "The mill stands still.")
    async with opened(folder, "a") as memory:
        await memory.backup(copy)
        with pytest.raises(StoreUnavailable, match="cannot be made"):
            await memory.backup(copy)
    async with opened(folder, "b") as memory:
        await memory.learn("Said since.")

    assert ["The bridge is open.", "The mill stands still."] == await read(copy, "b")


async def test_another_process_is_seen(tmp_path: Path) -> None:
    """What it wrote is read, and its scopes are listed, also where a survey was kept."""
    folder = tmp_path / "memories"
    async with opened(folder, "here") as memory:
        await memory.learn("The ferry leaves at nine.")
        before = {one.scope: one.memories for one in await memory.scopes.list()}
        for scope in ("here", "there"):
            learned = typed(
                "learn", "The bridge is open.", "--scope", scope, "--embedder", "hashed", "--db", f"{folder}/"
            )
            assert "stored" in learned.stdout, learned.stderr
        after = {one.scope: one.memories for one in await memory.scopes.list()}
        texts = [one.text for one in (await memory.recall("bridge")).memories]

    assert {"here": 1} == before
    assert {"here": 2, "there": 1} == after
    assert "The bridge is open." in " ".join(str(one) for one in texts)


async def test_a_survey_is_kept_and_never_older_than_its_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file that did not change is not opened; what is kept may be lost or damaged, and nothing is."""
    monkeypatch.setattr(survey_cache, "_TOLD_APART", -(10**9))  # as if each file had been written long ago
    folder = tmp_path / "memories"
    for scope in ("a", "b"):
        await keep(folder, scope, "The ferry leaves at nine.")
    opens: list[str] = []
    connect = database_file.connect_read_only

    def noting(path: str, *given: object) -> object:
        opens.append(Path(path).name)
        return connect(path, *given)  # type: ignore[arg-type]

    monkeypatch.setattr(survey_cache, "connect_read_only", noting)

    async def survey() -> dict[str, int]:
        async with opened(folder, "a", read_only=False) as memory:
            return {one.scope: one.memories for one in await memory.scopes.list()}

    await survey()
    opens.clear()
    unchanged, read_again = await survey(), [*opens]
    await keep(folder, "b", "The bridge is open.")
    opens.clear()
    changed, changed_reads = await survey(), [*opens]
    (folder / survey_cache.NAME).write_bytes(b"no database" * 100)
    damaged = await survey()

    assert ({"a": 1, "b": 1}, []) == (unchanged, read_again)
    assert ({"a": 1, "b": 2}, ["b.db"]) == (changed, changed_reads)
    assert changed == damaged


async def test_files_that_rest_are_closed(tmp_path: Path) -> None:
    """At most so many are open, the least used closed first, and none that nobody used for a while."""
    few = FilePool(lambda path: SqliteStore(str(path)), open_max=3)
    quick = FilePool(lambda path: SqliteStore(str(path)), idle_s=0.01)
    for number in (1, 2, 3, 4, 1, 5):
        async with few.use(tmp_path / f"{number}.db", read_only=False):
            pass
    left = [path.stem for path in few.list_open()]
    await few.close()
    async with quick.use(tmp_path / "1.db", read_only=False):
        await asyncio.sleep(0.05)
        in_use = len(quick.list_open())
    async with asyncio.timeout(20):
        while quick.list_open():
            await asyncio.sleep(0.01)
    await quick.close()

    assert (["4", "1", "5"], 1) == (left, in_use)


async def test_a_process_that_may_open_few_files_serves_many_scopes(tmp_path: Path) -> None:
    """As many are open as half of its limit allows."""
    folder = tmp_path / "memories"
    for number in range(25):
        await keep(folder, f"s{number}", f"The ferry leaves pier {number} at nine.")
    script = """
import asyncio, resource, sys, remanence
resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))
async def main():
    async with remanence.open(sys.argv[1], scope="s0", embedder="hashed") as memory:
        for number in range(1, 25):
            found = await memory.recall("ferry", scopes=["s0", f"s{number}"])
            assert len(found.memories) == 2, len(found.memories)
asyncio.run(main())
"""
    done = subprocess.run(
        [sys.executable, "-c", script, f"{folder}/"], capture_output=True, text=True, check=False
    )

    assert (0, "") == (done.returncode, done.stderr)


async def test_a_folder_that_cannot_be_written_is_read(tmp_path: Path) -> None:
    """Nothing is made in it."""
    folder = tmp_path / "memories"
    await keep(folder, "a", "The ferry leaves at nine.")
    before = sorted(folder.iterdir())
    async with opened(folder, "a", read_only=True) as memory:
        found = [one.text for one in await memory.list()]
        with pytest.raises(ReadOnly):
            await memory.learn("Said since.")
        listed = [one.scope for one in await memory.scopes.list()]

    assert (["The ferry leaves at nine."], ["a"], before) == (found, listed, sorted(folder.iterdir()))


async def test_a_folder_is_encrypted_file_by_file(tmp_path: Path) -> None:
    """With the key all is read; nothing beside the files tells a scope's settings."""
    folder = tmp_path / "memories"
    async with opened(folder, "a", key="a long passphrase") as memory:
        await memory.learn("The ferry leaves at nine.")
        await memory.scopes.list()

    assert ["The ferry leaves at nine."] == await read(folder, "a", key="a long passphrase")
    assert not any(b"ferry" in one.read_bytes() for one in folder.iterdir())
    assert not (folder / survey_cache.NAME).exists()
    with pytest.raises(RemanenceError):
        await read(folder, "a")


async def test_writers_of_two_processes_lose_nothing(tmp_path: Path) -> None:
    """In one scope and in two, each text is kept once."""
    folder = tmp_path / "memories"
    await keep(folder, "shared", "Begun.")
    jobs = [
        await asyncio.create_subprocess_exec(
            sys.executable, "-c",
            "import asyncio, sys, remanence\n"
            "async def main():\n"
            "    for scope in ('shared', f'own{sys.argv[2]}'):\n"
            "        async with remanence.open(sys.argv[1], scope=scope, embedder='hashed') as memory:\n"
            "            for n in range(20): await memory.learn(f'Text {n} of writer {sys.argv[2]}.')\n"
            "asyncio.run(main())",
            f"{folder}/", str(number),
        )
        for number in range(2)
    ]  # fmt: skip
    codes = [await job.wait() for job in jobs]

    assert [0, 0] == codes
    assert 41 == len(await read(folder, "shared"))
    assert [20, 20] == [len(await read(folder, f"own{number}")) for number in range(2)]


def test_the_command_line_takes_a_folder(tmp_path: Path) -> None:
    """Verbs, the list of scopes and the jobs that are due go over all of it; a key is changed file by file."""
    db = ("--db", f"{tmp_path / 'memories'}/")
    learned = [typed("learn", f"Said in {scope}.", "--scope", scope, *db) for scope in ("Anna", "bob")]
    listed = typed("scopes", "list", *db)
    adopted = typed("policy", "use", "default", "--scope", "bob", *db)
    ran = typed("run", "--once", "--all-scopes", "--scope", "bob", *db)
    refused = typed("change-key", "--decrypt", *db)

    assert [0, 0, 0, 0, 0] == [one.exit_code for one in (*learned, listed, adopted, ran)], ran.stderr
    assert "Anna" in listed.stdout
    assert "bob" in listed.stdout
    assert "name a file" in refused.stderr


def test_a_path_of_a_folder_that_is_a_file_is_refused(tmp_path: Path) -> None:
    """The error says which path it is."""
    (tmp_path / "memories").write_text("a file")
    refused = typed("learn", "Said.", "--db", f"{tmp_path / 'memories'}/")

    assert 1 == refused.exit_code
    assert str(tmp_path / "memories") in refused.stderr
