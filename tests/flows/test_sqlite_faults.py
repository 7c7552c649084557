"""What goes wrong with a file has one clear error that says what to do, and nothing is lost by it."""

import asyncio
import random
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import closing
from itertools import pairwise
from pathlib import Path

import pytest

from remanence.core.arrival import Segment
from remanence.core.change import Change, inverses
from remanence.core.errors import (
    Conflict,
    InvalidInput,
    ReadOnly,
    RemanenceError,
    StoreDamaged,
    StoreError,
    StoreIncompatible,
    StoreUnavailable,
)
from remanence.core.model import Relation
from remanence.core.snapshot import LINK_COLUMNS, SnapshotRequest
from remanence.store.base import Arriving, Bookkeeping, Find
from remanence.store.sql.scope import OpenScope
from remanence.store.sqlite import database_file
from remanence.store.sqlite.database_file import begin_writing, connect, make_private
from remanence.store.sqlite.sqlite_store import SqliteStore
from remanence_store_kit.builders import create_change, make_cause

SCOPE = "work"
ROOT = Path(__file__).parents[2]


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[SqliteStore]:
    """Yield an open store on a file."""
    store = SqliteStore(str(tmp_path / "memory.db"), busy_ms=100)
    await store.open()
    yield store
    await store.close()


async def refused(path: Path) -> StoreError:
    """Return the error that opening a file gives."""
    with pytest.raises(StoreError) as raised:
        await SqliteStore(str(path), busy_ms=100).open()
    assert raised.value.recovery
    return raised.value


async def learn(store: SqliteStore, *texts: str, first: int = 1) -> Sequence[int]:
    """Keep texts in one commit; return their sequence numbers."""
    changes = [create_change(k, text, id=f"{first + k:032x}") for k, text in enumerate(texts, 1)]
    return (await store.commit(SCOPE, changes, make_cause())).assigned


async def texts(store: SqliteStore) -> list[str]:
    """Return every text in order of arrival."""
    return [memory.text for memory in await store.find(SCOPE, Find(oldest_first=True, limit=100_000))]


async def unsound(store: SqliteStore) -> list[str]:
    """Return what check finds."""
    return [f"{check.name}: {check.detail}" for check in await store.check() if not check.ok]


async def test_what_is_no_database_is_left_alone(tmp_path: Path) -> None:
    """A file that is something else is refused, and not a byte of it changes."""
    path = tmp_path / "notes.txt"
    path.write_bytes(b"dear diary, " * 1_000)
    error = await refused(path)

    assert isinstance(error, StoreIncompatible)
    assert b"dear diary, " * 1_000 == path.read_bytes()


async def test_a_database_of_another_program_is_left_alone(tmp_path: Path) -> None:
    """A database with tables of its own is refused, and not a byte of it changes."""
    path = tmp_path / "other.db"
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("CREATE TABLE memories (text TEXT)")
    connection.close()
    content = path.read_bytes()
    error = await refused(path)

    assert isinstance(error, StoreIncompatible)
    assert content == path.read_bytes()
    assert [path] == list(tmp_path.iterdir())


async def test_a_read_only_file_is_read_alone(tmp_path: Path) -> None:
    """Of a file without the right to write nothing is changed, and nothing is made beside it."""
    path = tmp_path / "memory.db"
    store = SqliteStore(str(path))
    await store.open()
    await store.close()
    path.chmod(0o444)
    await store.open()
    with pytest.raises(ReadOnly):
        await learn(store, "The ferry leaves at nine.")
    await store.close()

    assert [path] == list(tmp_path.iterdir())


async def test_a_missing_directory_is_named(tmp_path: Path) -> None:
    """A path into a directory that is not there says so, and so does the path of a directory."""
    assert isinstance(await refused(tmp_path / "none" / "memory.db"), StoreUnavailable)
    assert isinstance(await refused(tmp_path), StoreUnavailable)


async def test_another_process_at_work_is_an_error_only_after_the_wait(
    store: SqliteStore, tmp_path: Path
) -> None:
    """A lock that does not go away is an error that says so; once it has gone, the same commit works."""
    await learn(store, "before")
    other = sqlite3.connect(tmp_path / "memory.db", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(StoreUnavailable, match="locked"):
        await learn(store, "during", first=100)
    read = await texts(store)
    other.execute("ROLLBACK")
    other.close()
    await learn(store, "after", first=200)

    assert ["before"] == read
    assert ["before", "after"] == await texts(store)


def test_a_writer_that_waits_asks_often(tmp_path: Path) -> None:
    """It gets the lock as soon as it is free, says so where it is not for all the time allowed, and waits as before."""
    path = str(tmp_path / "memory.db")
    make_private(path)
    asked: list[str] = []
    with closing(connect(path, busy_ms=100)) as one, closing(connect(path, busy_ms=100)) as other:
        one.set_trace_callback(asked.append)
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(sqlite3.OperationalError, match="locked"):
            begin_writing(one, 100)
        other.execute("ROLLBACK")
        begin_writing(one, 100)
        (held,) = one.execute("PRAGMA busy_timeout").fetchone()

    assert (7, 100) == (asked.count("BEGIN IMMEDIATE"), held)


async def test_a_file_locked_from_the_start_is_an_error(tmp_path: Path) -> None:
    """Opening waits for the lock, then says that the file is locked."""
    path = tmp_path / "memory.db"
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    error = await refused(path)
    other.close()

    assert isinstance(error, StoreUnavailable)
    assert "locked" in str(error)


async def test_a_full_disk_loses_nothing(store: SqliteStore) -> None:
    """A commit that does not fit is an error, nothing of it is written, and there is work to be done afterwards."""
    await learn(store, "before")
    pages = await limit_pages(store, 3)
    with pytest.raises(StoreUnavailable, match="full") as raised:
        await learn(store, *[f"word{number} " * 1_000 for number in range(50)], first=100)
    await limit_pages(store, 1_000_000)
    await learn(store, "after", first=200)

    assert pages > 0
    assert "make room" in raised.value.recovery
    assert ["before", "after"] == await texts(store)
    assert [] == await unsound(store)


async def limit_pages(store: SqliteStore, more: int) -> int:
    """Let the file grow by so many pages and no further, as a full disk would."""

    def limit(connection: sqlite3.Connection) -> int:
        (pages,) = connection.execute("PRAGMA page_count").fetchone()
        connection.execute(f"PRAGMA max_page_count = {pages + more}")
        return int(pages)

    return await store._write_file(limit)


async def test_a_full_disk_hits_only_who_does_not_fit(store: SqliteStore) -> None:
    """Of requests that share a commit, those that fit are written though one does not."""
    await learn(store, "before")
    await limit_pages(store, 40)
    small = [learn(store, f"small {number}", first=1_000 * number) for number in range(1, 6)]
    big = learn(store, *[f"word{number} " * 1_000 for number in range(100)], first=500)
    answers = await asyncio.gather(*small[:2], big, *small[2:], return_exceptions=True)

    assert isinstance(answers[2], StoreUnavailable)
    assert 5 == sum(isinstance(answer, tuple) for answer in answers)
    assert 6 == len(await texts(store))


async def test_a_disk_that_refuses_loses_nothing(tmp_path: Path) -> None:
    """A file that may not grow (RLIMIT_FSIZE) gives an error, and what was there is there and can be read."""
    program = """
import asyncio, resource, sys
from remanence.core.errors import StoreUnavailable
from tests.flows.test_sqlite_faults import SqliteStore, learn, texts, unsound

async def main():
    store = SqliteStore(sys.argv[1])
    await store.open()
    await learn(store, "before")
    resource.setrlimit(resource.RLIMIT_FSIZE, (400_000, resource.RLIM_INFINITY))
    for number in range(1, 100):
        try:
            await learn(store, *[f"word{number}{k} " * 100 for k in range(20)], first=1_000 * number)
        except StoreUnavailable as error:
            print("refused", error.recovery != "")
            break
    held = await texts(store)
    resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    await learn(store, "after", first=500_000)
    print(len(held) % 20, (await texts(store))[-1], await unsound(store))
    await store.close()

asyncio.run(main())
"""
    done = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path / "memory.db")],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )

    assert ["refused True", "1 after []"] == done.stdout.splitlines(), done.stderr


async def test_one_refused_request_leaves_its_group_alone(store: SqliteStore) -> None:
    """Of requests that share a commit, one that conflicts and one that fails half way fail for their callers only."""
    await learn(store, "before")
    again, half = learn(store, "before", first=7_000), store.commit(SCOPE, half_way("fresh"), make_cause())
    others = [learn(store, f"text {number}", first=1_000 * number) for number in range(1, 31)]
    answers = await asyncio.gather(*others[:15], again, half, *others[15:], return_exceptions=True)

    assert isinstance(answers[15], Conflict)
    assert isinstance(answers[16], InvalidInput)
    assert 30 == sum(isinstance(answer, tuple) for answer in answers)
    assert 31 == len(await texts(store))
    assert [] == await unsound(store)


def half_way(category: str) -> list[Change]:
    """Return changes that are found wrong only when the first of them is written."""
    return [create_change(1, "new", category=category), Change("links", (-1, 999, Relation.CAUSES), None, {})]


async def test_names_made_by_a_refused_request_are_not_remembered(store: SqliteStore) -> None:
    """A category that came and went with a rolled-back request is made anew by the next."""
    await learn(store, "before")
    with pytest.raises(InvalidInput):
        await store.commit(SCOPE, half_way("fresh"), make_cause())
    await store.commit(SCOPE, [create_change(1, "other", category="second")], make_cause())
    await store.commit(SCOPE, [create_change(1, "new", category="fresh")], make_cause())
    found = await store.find(SCOPE, Find(equal={"category": "fresh"}))

    assert ["new"] == [memory.text for memory in found]
    assert [] == await unsound(store)


async def test_a_cancelled_caller_leaves_the_commit_whole(store: SqliteStore) -> None:
    """Cancelling whoever waits neither halves a commit nor harms the next one."""
    task = asyncio.create_task(learn(store, *[f"text {number}" for number in range(500)]))
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await learn(store, "after", first=1_000)

    assert len(await texts(store)) in {1, 501}
    assert [] == await unsound(store)


async def test_a_bug_in_a_request_reaches_its_caller(store: SqliteStore) -> None:
    """An error that nobody foresaw goes to whoever asked, and the threads live on."""

    def stumble(scope: OpenScope) -> None:
        raise ZeroDivisionError(scope.name)

    with pytest.raises(ZeroDivisionError):
        await store.write_scope(SCOPE, stumble)
    with pytest.raises(ZeroDivisionError):
        await store.read_scope(SCOPE, stumble)

    assert (1,) == await learn(store, "after")


async def test_a_closed_store_says_so(store: SqliteStore) -> None:
    """A closed store refuses work, closes again without complaint, and opens again with what it held."""
    await learn(store, "before")
    await store.close()
    await store.close()
    with pytest.raises(StoreUnavailable, match="closed"):
        await store.get(SCOPE, [1])
    await store.open()

    assert ["before"] == await texts(store)
    assert store.closed_cleanly


@pytest.mark.parametrize(
    "columns", [{"tokens": 2**70}, {"text": "lone \ud800 surrogate"}, {"said_at": 2**60}]
)
async def test_what_sqlite_cannot_keep_is_bad_input(store: SqliteStore, columns: dict[str, object]) -> None:
    """A value beyond its range is InvalidInput, whatever SQLite calls it, and nothing is written."""
    change = create_change(1, "text")
    whole = Change("memories", -1, None, {**(change.after or {}), **columns})
    with pytest.raises(InvalidInput):
        await store.commit(SCOPE, [whole], make_cause())

    assert [] == await texts(store)


async def test_a_copy_is_never_written_over_a_file(store: SqliteStore, tmp_path: Path) -> None:
    """A backup refuses a path where something is, and a directory that is not there."""
    await learn(store, "before")
    (tmp_path / "there").write_text("mine", encoding="utf-8")
    with pytest.raises(InvalidInput, match="already"):
        await store.backup(str(tmp_path / "there"))
    with pytest.raises(StoreUnavailable, match="directory"):
        await store.backup(str(tmp_path / "none" / "copy.db"))

    assert "mine" == (tmp_path / "there").read_text(encoding="utf-8")


async def test_a_copy_made_while_others_write_is_whole(store: SqliteStore, tmp_path: Path) -> None:
    """A backup taken in the middle of writing opens, is sound, and holds a prefix of what was written."""
    writing = [learn(store, f"text {number}", first=1_000 * number) for number in range(40)]
    await asyncio.gather(*writing[:20], store.backup(str(tmp_path / "copy.db")), *writing[20:])
    copy = SqliteStore(str(tmp_path / "copy.db"))
    await copy.open()
    held, found = await texts(copy), await unsound(copy)
    await copy.close()

    assert [] == found
    assert held == (await texts(store))[: len(held)]


async def test_no_statement_binds_a_list(
    store: SqliteStore, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """With at most 999 variables a statement, commits and questions of thousands of rows work."""
    configure = database_file._configure

    def limited(connection: sqlite3.Connection, path: str, *, query_only: bool) -> None:
        configure(connection, path, query_only=query_only)
        connection.setlimit(sqlite3.SQLITE_LIMIT_VARIABLE_NUMBER, 999)

    monkeypatch.setattr(database_file, "_configure", limited)
    small = SqliteStore(str(tmp_path / "small.db"))
    await small.open()
    seqs = list(await learn(small, *[f"text number {number}" for number in range(3_000)]))
    tags = [Change("tags", (seq, "all"), None, {}) for seq in seqs]
    pairs = pairwise(seqs)
    links = [Change("links", (low, high, Relation.SIMILAR), None, {}) for low, high in pairs]
    await small.commit(SCOPE, [*tags, *links], make_cause())
    changed = [Change("memories", seq, {"revision": 2}, {"value": 0.5, "revision": 3}) for seq in seqs]
    await small.commit(SCOPE, changed, make_cause("rate"))
    last = (await small.history(SCOPE))[-1]
    await small.commit(SCOPE, inverses(last.changes), make_cause("undo"))
    ids = [memory.id for memory in await small.find(SCOPE, Find(tags=("all",), limit=5_000))]

    assert 3_000 == len(ids) == len(await small.get(SCOPE, ids))
    assert 2_999 == len(await small.neighbours(SCOPE, seqs))
    assert 0 == len((await small.vectors(SCOPE, only=seqs))[0])
    assert 3_000 == len(
        await small.snapshot(
            SCOPE, SnapshotRequest(frozenset({"value"}), frozenset({"all"}), links=LINK_COLUMNS), 0
        )
    )
    prints = [bytes([number % 256]) * 16 for number in range(3_000)]
    runs = [Segment("run", name) for name in ids]
    assert 0 == len((await small.arriving(SCOPE, Arriving(prints, ids, runs, seqs))).keys)
    assert 3_000 == len((await small.search(SCOPE, [f"{number}" for number in range(3_000)])).rows)
    assert {} == (await small.bookkeep(SCOPE, Bookkeeping(0, get=ids))).values
    await small.close()


async def test_check_sees_words_that_changed_places(store: SqliteStore, tmp_path: Path) -> None:
    """Words that the full-text index finds at each other's memories are noticed, though all counts are right."""
    await learn(store, "copper lamp", "harbour wall")
    with closing(sqlite3.connect(tmp_path / "memory.db")) as connection, connection:
        (first,), (second,) = connection.execute("SELECT stems FROM waiting ORDER BY seq").fetchall()
        connection.execute("UPDATE waiting SET stems = CASE seq WHEN 1 THEN ? ELSE ? END", (second, first))

    (found,) = await unsound(store)

    assert found.startswith("full text: ")


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE postings SET seqs = (SELECT seqs FROM postings WHERE stem = 'wall') WHERE stem = 'copper'",
        "UPDATE postings SET count = count + 1 WHERE stem = 'copper'",
        "UPDATE postings SET term = term + 1 WHERE stem = 'copper'",
        "DELETE FROM postings WHERE stem = 'wall'",
    ],
)
async def test_check_sees_an_index_that_was_changed(store: SqliteStore, tmp_path: Path, damage: str) -> None:
    """A word that is found elsewhere, a count, the hash of a word, and a word that is missing."""
    await learn(store, "copper lamp", "harbour wall", *(f"lamp {number}" for number in range(100)))
    before = await unsound(store)
    with closing(sqlite3.connect(tmp_path / "memory.db")) as connection, connection:
        assert connection.execute(damage).rowcount > 0
    (found,) = await unsound(store)

    assert [] == before
    assert found.startswith("full text: ")


@pytest.mark.parametrize(("flips", "changing"), [(80, 8), pytest.param(200, 15, marks=pytest.mark.deep)])
async def test_check_sees_what_decayed(store: SqliteStore, flips: int, changing: int, tmp_path: Path) -> None:
    """Of single bytes that turn in the file, those that change a text, an id or a link are noticed."""
    said = [f"the {number}th apple of {number * 7} trees is red" for number in range(300)]
    seqs = await learn(store, *said)
    pairs = pairwise(seqs)
    links = [Change("links", (low, high, Relation.SIMILAR), None, {"weight": 0.3}) for low, high in pairs]
    await store.commit(SCOPE, links, make_cause())
    whole = await content(store)
    await store.close()
    chance = random.Random(11)
    size = (tmp_path / "memory.db").stat().st_size
    changed, missed = 0, []
    for offset in [chance.randrange(100, size) for _ in range(flips)]:
        path = tmp_path / "flipped.db"
        shutil.copyfile(tmp_path / "memory.db", path)
        flip(path, offset, 1 << chance.randrange(8))
        seen, other = await looked_at(path, whole)
        changed += other
        missed += [offset] if other and not seen else []
    print(f"{changed} of {flips} flipped bits changed memories or links; unnoticed: {missed}")

    assert changed >= changing
    assert [] == missed


def flip(path: Path, offset: int, mask: int) -> None:
    """Turn one bit of a file."""
    with path.open("r+b") as file:
        file.seek(offset)
        byte = file.read(1)[0]
        file.seek(offset)
        file.write(bytes([byte ^ mask]))


async def content(store: SqliteStore) -> object:
    """Return texts, ids and links."""
    memories = await store.find(SCOPE, Find(oldest_first=True, limit=100_000))
    return [(m.seq, m.id, m.text, m.speaker) for m in memories], await store.neighbours(SCOPE, range(1, 301))


async def looked_at(path: Path, whole: object) -> tuple[bool, bool]:
    """Tell whether a damaged file is noticed, and whether its memories or links differ."""
    store = SqliteStore(str(path))
    try:
        await store.open()
        seen = bool(await unsound(store))
        other = await content(store) != whole
    except (StoreDamaged, StoreError, RemanenceError, ValueError, KeyError):
        return True, True
    finally:
        await store.close()
        for suffix in ("", "-wal", "-shm"):
            Path(f"{path}{suffix}").unlink(missing_ok=True)
    return seen, other
