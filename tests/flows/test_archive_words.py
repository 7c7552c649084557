"""Archived memories that have left the index of recall are found by hashes of their words, and few texts are read."""

import sqlite3
from collections.abc import AsyncIterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

import remanence
from remanence.flows.recall.archive_ranking import READ_MOST
from remanence.model import Memory, Status
from remanence.store.sqlite.sqlite_store import SqlStore
from tests.flows.old_files import old_file
from tests.flows.old_files import opened as old_opened

ARCHIVE = """version = 1
name = "clear"
[[rule]]
name = "category-fact"
every = "deep"
phase = "expire"
where = "category == 'fact'"
do = "archive"
"""
KEY = "The spare key of the boathouse hangs behind the red oar."
QUESTION = "Where is the spare key of the boathouse?"


def opened(path: Path) -> remanence.Engine:
    """Open a file."""
    return remanence.open(path, embedder="hashed")


@pytest.fixture
async def memory(tmp_path: Path) -> AsyncIterator[remanence.Engine]:
    """A file of which recall keeps the hashes of all that is archived: one fact, beside what stands."""
    async with opened(tmp_path / "memory.db") as memory:
        await memory.settings.set("archive_indexed_most", 0)
        await memory.learn(KEY, category="fact", session="one", speaker="Ada", tags=["boats"])
        await memory.learn("My sister Ines was born in Lagos on 3 May 1990.", session="two")
        await memory.consolidate()
        await memory.curate(ARCHIVE)
        yield memory


async def found(memory: remanence.Engine, question: str = QUESTION, **asking: Any) -> list[tuple[int, bool]]:
    """Return the numbers of the hits, and whether they are archived."""
    return [(hit.seq, hit.archived) for hit in await memory.recall(question, **asking)]


async def sound(memory: remanence.Engine) -> bool:
    """Tell whether doctor finds that the hashes are those of the texts."""
    return all(check.ok for check in await memory.doctor())


async def test_at_most_ten_archived_texts_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """However many match, and however many are asked for."""
    read: set[int] = set()
    get, find = SqlStore.get, SqlStore.find

    def spied(memories: Sequence[Memory | None]) -> None:
        read.update(one.seq for one in memories if one is not None and one.status is Status.ARCHIVED)

    async def spy_get(self: SqlStore, *asked: object) -> list[Memory | None]:
        memories = await get(self, *asked)  # type: ignore[arg-type]
        spied(memories)
        return memories

    async def spy_find(self: SqlStore, *asked: object) -> list[Memory]:
        memories = await find(self, *asked)  # type: ignore[arg-type]
        spied(memories)
        return memories

    async with opened(tmp_path / "memory.db") as memory:
        await memory.settings.set("archive_indexed_most", 0)
        for number in range(30):
            await memory.learn(
                f"Key {number} of the boathouse.", category="fact", tags=["a"], session=f"{number}"
            )
        await memory.learn("The boathouse stands.", session="here")
        await memory.consolidate()
        await memory.curate(ARCHIVE)
        monkeypatch.setattr(SqlStore, "get", spy_get)
        monkeypatch.setattr(SqlStore, "find", spy_find)
        hits = [await memory.recall("key boathouse", limit=50) for _ in range(2)]
        tagged = await memory.recall("key boathouse", limit=50, filters={"tags": ["a"]})

    assert (READ_MOST, 10) == (10, len(read))
    assert [11, 11, 10] == [len(answer) for answer in (*hits, tagged)]


async def test_what_is_archived_leaves_the_index_and_comes_back(memory: remanence.Engine) -> None:
    """Restored, forgotten, brought back by undo: recall, index and hashes say the same."""
    archived, index = await found(memory), memory._core.index
    left_out = (index.leaves_archive, 1 in index)
    await memory.confirm(1)
    restored = (await found(memory), 1 in memory._core.index)
    await memory.curate(ARCHIVE)
    again = await found(memory)
    receipt = await memory.forget(1)
    forgotten = await found(memory)
    await memory.undo(receipt.run)
    back = await found(memory)

    assert [(1, True)] == archived
    assert (True, False) == left_out
    assert ([(1, False)], True) == restored
    assert ([(1, True)], [(1, True)]) == (again, back)
    assert 1 not in [seq for seq, _ in forgotten]
    assert await sound(memory)


async def test_an_edited_text_is_found_by_its_new_words(memory: remanence.Engine) -> None:
    """And no more by those that are gone."""
    await memory.update(1, text="The lantern of the lighthouse is green.")

    assert 1 not in [seq for seq, _ in await found(memory, "spare key boathouse")]
    assert [(1, True)] == await found(memory, "lighthouse lantern")
    assert await sound(memory)


async def test_an_erased_memory_leaves_no_hashes(memory: remanence.Engine) -> None:
    """Its part is packed anew without it."""
    await memory.erase.apply(await memory.erase.show([1]))
    held = await memory._core.store.archive_words("default", -1)

    assert await sound(memory)
    assert 0 == held.held
    assert 1 not in [seq for seq, _ in await found(memory)]


@pytest.mark.parametrize(
    ("asking", "hits"),
    [
        ({}, [1]),
        ({"archived": "closed"}, []),
        ({"filters": {"tags": ["boats"]}}, [1]),
        ({"filters": {"tags": ["other"]}}, []),
        ({"filters": {"speaker": "Ada"}}, [1]),
        ({"filters": {"speaker": "Bo"}}, []),
        ({"filters": {"category": "fact"}}, [1]),
        ({"filters": {"category": "task"}}, []),
        ({"filters": {"status": "archived"}}, [1]),
        ({"filters": {"status": "active"}}, []),
        ({"filters": {"attributes.n": 1}}, []),
        ({"thread": "elsewhere"}, []),
    ],
)
async def test_filters_hold_in_the_archive(
    memory: remanence.Engine, asking: dict[str, Any], hits: list[int]
) -> None:
    """What hashes tell is told by them, the rest by columns and tags."""
    assert hits == [seq for seq, _ in await found(memory, QUESTION, **asking) if seq == 1]


async def test_the_index_takes_the_archive_back_below_the_number(memory: remanence.Engine) -> None:
    """The setting counts at the next question, in each direction, and the same memory is found."""
    seen = []
    for most in (0, 1, 0):
        await memory.settings.set("archive_indexed_most", most)
        seen.append((await found(memory), memory._core.index.leaves_archive))

    assert [([(1, True)], True), ([(1, True)], False), ([(1, True)], True)] == seen


async def test_what_another_process_archives_is_found(memory: remanence.Engine, tmp_path: Path) -> None:
    """Its hashes and its leave are read at one position."""
    assert [(1, True)] == await found(memory)
    async with opened(tmp_path / "memory.db") as other:
        await other.learn("The green lantern hangs in the lighthouse.", category="fact", session="three")
        await other.consolidate()
        standing = await found(memory, "lighthouse lantern")
        await other.curate(ARCHIVE)

    assert [(3, False)] == standing
    assert [(3, True)] == await found(memory, "lighthouse lantern")


async def test_what_stands_is_ranked_as_before(tmp_path: Path) -> None:
    """Where no archived neighbour lends it words, the order is that of an index that holds everything."""
    async with opened(tmp_path / "memory.db") as memory:
        for number in range(12):
            text = f"Boat {number} has {'a red sail ' * (number % 3)}and {number} oars."
            await memory.learn(text, category="fact" if number % 2 else "moment", session=f"{number}")
        await memory.consolidate()
        await memory.curate(ARCHIVE)
        answers = []
        for most in (100, 0):
            await memory.settings.set("archive_indexed_most", most)
            answers.append([seq for seq, _ in await found(memory, "red sail boat", archived="closed")])

    assert answers[0]
    assert answers[0] == answers[1]


async def test_older_files_get_hashes_when_they_are_brought_up(tmp_path: Path) -> None:
    """Of what is archived in them, as of what is archived later; and so do files in which others were computed."""
    (path := tmp_path / "memory.db").write_bytes(old_file(7))
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(
            "UPDATE states SET status = 3, tier = 3, reason = 0 WHERE seq IN (SELECT min(seq)"
            " FROM states WHERE status = 1 GROUP BY scope)"
        )
        (wanted,) = connection.execute("SELECT count(*) FROM states WHERE status = 3").fetchone()
    held = []
    for _ in range(2):
        async with old_opened(path) as memory:
            kept = [
                await memory._core.store.archive_words(scope, -1)
                for scope in await memory._core.store.scopes()
            ]
            held.append(sum(one.held for one in kept))
        with closing(sqlite3.connect(path)) as connection, connection:
            connection.execute("DELETE FROM archive_words")
            connection.execute("DELETE FROM meta WHERE name = 'archive words'")

    assert wanted > 0
    assert [wanted, wanted] == held


@pytest.mark.parametrize("edit", ["UPDATE archive_words SET held = held + 1", "DELETE FROM archive_words"])
async def test_hashes_that_another_program_changed_are_noticed(tmp_path: Path, edit: str) -> None:
    """Doctor compares them with the texts."""
    path = tmp_path / "memory.db"
    async with opened(path) as memory:
        await memory.learn(KEY, category="fact")
        await memory.consolidate()
        await memory.curate(ARCHIVE)
    with closing(sqlite3.connect(path)) as connection, connection:
        assert connection.execute(edit).rowcount == 1
    async with opened(path) as memory:
        wrong = [check.name for check in await memory.doctor() if not check.ok]

    assert ["archive words"] == wrong
