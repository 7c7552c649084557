"""Archived memories that have left the index of recall are found by hashes of their words, and few texts are read."""

import sqlite3
from collections.abc import AsyncIterator, Awaitable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

import remanence
from remanence.core.model import Memory, Status, Turn
from remanence.core.segment import TURN
from remanence.flows.indexes import archive_index
from remanence.flows.indexes.archive_index import index_words
from remanence.flows.recall.archive_ranking import READ_MOST
from remanence.store.sqlite import archive_words
from remanence.store.sqlite.sqlite_store import SqlStore

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
async def memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[remanence.Engine]:
    """A file of which recall keeps the hashes of all that is archived: one fact, beside what stands."""
    async with opened(tmp_path / "memory.db") as memory:
        monkeypatch.setattr(archive_index, "INDEXED_MAX", 0)
        await memory.learn(KEY, category="fact", session="one", speaker="Ada", tags=["boats"])
        await memory.learn("My sister Ines was born in Lagos on 3 May 1990.", session="two")
        await memory.consolidate()
        await memory.curate(ARCHIVE)
        yield memory


async def indexed(memory: remanence.Engine) -> None:
    """Index the words of all that is archived."""
    assert await index_words(memory._core.store, memory.scope) == 0


async def counted(memory: remanence.Engine) -> tuple[int, int]:
    """Return of how many archived memories the words are indexed, and of how many they wait."""
    held = await memory._core.store.archive_words(memory.scope, None)
    return held.held, held.waiting


async def found(memory: remanence.Engine, question: str = QUESTION, **asking: Any) -> list[tuple[int, bool]]:
    """Return the numbers of the hits, and whether they are archived."""
    return [(hit.seq, hit.archived) for hit in await memory.recall(question, **asking)]


async def sound(memory: remanence.Engine) -> bool:
    """Tell whether doctor finds that the hashes are those of the texts."""
    return all(check.ok for check in await memory.doctor())


class Spy:
    """Which archived memories the store was asked for with their texts."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.read: set[int] = set()
        for name in ("get", "find"):
            patch.setattr(SqlStore, name, self._watched(getattr(SqlStore, name)))

    def _watched(self, asking: Any) -> Any:
        async def watched(*asked: Any) -> list[Memory | None]:
            found: list[Memory | None] = await asking(*asked)
            self.read |= {one.seq for one in found if one is not None and one.status is Status.ARCHIVED}
            return found

        return watched

    async def during(self, asked: Awaitable[Any]) -> tuple[Any, int]:
        """Wait for an answer; return it and how many archived texts were read for it."""
        self.read.clear()
        return await asked, len(self.read)


@pytest.fixture(name="many")
async def _many(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[remanence.Engine]:
    """A file with twenty archived facts that match, told by an archived turn, beside one that stands."""
    async with opened(tmp_path / "memory.db") as memory:
        monkeypatch.setattr(archive_index, "INDEXED_MAX", 0)
        facts = [
            Turn(
                f"Key {k} of the boathouse.", category="fact", tags=["a"], session=f"{k}", attributes={"n": 1}
            )
            for k in range(20)
        ]
        turn, *told = await memory.learn([Turn("Ada spoke of keys.", category="fact", tags=[TURN]), *facts])
        for fact in told[: READ_MOST + 2]:
            await memory.link(fact, turn, "learned_from")
        await memory.learn("The boathouse stands.", session="here")
        await memory.consolidate()
        await memory.curate(ARCHIVE)
        yield memory


ASKED: tuple[tuple[dict[str, Any], int], ...] = (
    ({}, 11),
    ({"budget": 2_000}, 11),
    ({"filters": {"tags": ["a"]}}, 10),
    ({"filters": {"attributes.n": 1}}, 10),
    ({"filters": {"status": "archived"}}, 10),
    ({"between": (0, 2**52)}, 11),
    ({"archived": "closed"}, 1),
)


async def test_at_most_ten_archived_texts_are_read(
    many: remanence.Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However many match, and however many are asked for."""
    spy = Spy(monkeypatch)
    answers = [
        [await spy.during(many.recall("key boathouse", limit=50, **asking)) for _ in range(2)]
        for asking, _ in ASKED
    ]

    assert READ_MOST == 10
    assert [[(hits, hits > 1 and READ_MOST)] * 2 for _, hits in ASKED] == [
        [(len(answer), read) for answer, read in twice] for twice in answers
    ]


async def test_facts_of_an_archived_turn_are_not_read(
    many: remanence.Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """That they are as they were said is told by their columns; of one that was edited since, the turn says so."""
    await many.update(2, text="Key 0 of the lighthouse.")
    spy = Spy(monkeypatch)
    answer, read = await spy.during(many.recall("Ada spoke", limit=50))

    assert READ_MOST >= read
    assert ("out of date: edited since (see #2)",) == answer.memories[0].memory.ended


async def test_frames_read_nothing_of_the_archive(
    many: remanence.Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They show what stands."""
    spy = Spy(monkeypatch)
    asked = [
        many.frame("attention", "key boathouse"),
        many.frame("task", "key boathouse"),
        many.frame("boot"),
    ]

    assert [0, 0, 0] == [(await spy.during(one))[1] for one in asked]


async def test_what_goes_into_the_archive_is_not_read_for_it(
    many: remanence.Engine, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The next recall drops its rows; its scores are those of a file that is opened anew."""
    things = "door roof lamp rope sail oar bench stove shelf hook bucket anchor".split()
    said = []
    for number, thing in enumerate(things):
        category = "fact" if number % 3 == 1 else "moment"
        said.append(
            await many.learn(f"A {thing} in the boathouse was mended.", category=category, session="here")
        )
    await many.consolidate()
    await many.recall("boathouse")
    spy = Spy(monkeypatch)
    await many.curate(ARCHIVE)
    answer, read = await spy.during(many.recall("boathouse door", limit=50))
    async with opened(tmp_path / "memory.db") as other:
        anew = await other.recall("boathouse door", limit=50)

    assert READ_MOST == read
    stays = [k % 3 != 1 for k in range(len(said))]
    assert stays == [one.seq in many._core.index for one in said]
    assert [(hit.seq, hit.parts) for hit in anew] == [(hit.seq, hit.parts) for hit in answer]


async def test_what_is_archived_leaves_the_index_and_comes_back(memory: remanence.Engine) -> None:
    """Restored, forgotten, brought back by undo: recall, index and hashes say the same."""
    archived, index = await found(memory), memory._core.index
    left_out = (index.leaves_archive, 1 in index)
    await memory.rate(1, "right")
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
    await indexed(memory)
    before = await memory._core.store.archive_words("default", -1)
    await memory.erase.apply(await memory.erase.show([1]))
    held = await memory._core.store.archive_words("default", -1)

    assert await sound(memory)
    assert (1, 0) == (before.held, held.held)
    assert [0] == [len(part) for part in held.parts.values()]
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


async def test_the_number_is_crossed_by_what_is_archived_and_undone(
    memory: remanence.Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Up by a run, down by its undo, up by an import; the same memories are found on either side."""
    monkeypatch.setattr(archive_index, "INDEXED_MAX", 1)
    await memory.learn("The lantern of the boathouse is green.", category="fact", session="three")
    await memory.consolidate()
    seen = [(await found(memory, "lantern boathouse"), memory._core.index.leaves_archive)]
    receipt = await memory.curate(ARCHIVE)
    seen.append((await found(memory, "lantern boathouse"), memory._core.index.leaves_archive))
    await memory.undo(receipt)
    seen.append((await found(memory, "lantern boathouse"), memory._core.index.leaves_archive))

    assert [False, True, False] == [left for _, left in seen]
    assert [[(3, False), (1, True)], [(3, True), (1, True)], [(3, False), (1, True)]] == [
        hits for hits, _ in seen
    ]
    assert await sound(memory)


async def test_an_archive_that_is_imported_leaves_the_index(
    memory: remanence.Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its hashes are told from the import on, and no more once it is undone."""
    lines = [line async for line in memory.export()]
    async with remanence.open(tmp_path / "other.db", embedder="hashed") as other:
        monkeypatch.setattr(archive_index, "INDEXED_MAX", 0)
        done = await other.import_(iter(lines), name="all")
        hits, held = await found(other), await counted(other)
        await other.undo(done.run)

        assert [(1, True)] == [hit for hit in hits if hit[0] == 1]
        assert ((0, 1), (0, 0)) == (held, await counted(other))
        assert other._core.index.leaves_archive
        assert await sound(other)


async def test_a_deleted_memory_leaves_no_hashes(memory: remanence.Engine) -> None:
    """As a tombstone it is in no archive; restored it stands, and is back in the index."""
    await indexed(memory)
    before = await counted(memory)
    await memory.forget(1)
    await indexed(memory)
    forgotten = await counted(memory)
    await memory.restore(1)

    assert ((1, 0), (0, 0)) == (before, forgotten)
    assert [(1, False)] == await found(memory)
    assert 1 in memory._core.index
    assert await sound(memory)


async def test_the_index_takes_the_archive_back_below_the_number(
    memory: remanence.Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It counts at the next question, in each direction, and the same memory is found."""
    seen = []
    for most in (0, 1, 0):
        monkeypatch.setattr(archive_index, "INDEXED_MAX", most)
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


async def test_what_stands_is_ranked_as_before(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where no archived neighbour lends it words, the order is that of an index that holds everything."""
    async with opened(tmp_path / "memory.db") as memory:
        for number in range(12):
            text = f"Boat {number} has {'a red sail ' * (number % 3)}and {number} oars."
            await memory.learn(text, category="fact" if number % 2 else "moment", session=f"{number}")
        await memory.consolidate()
        await memory.curate(ARCHIVE)
        answers = []
        for most in (100, 0):
            monkeypatch.setattr(archive_index, "INDEXED_MAX", most)
            answers.append([seq for seq, _ in await found(memory, "red sail boat", archived="closed")])

    assert answers[0]
    assert answers[0] == answers[1]


async def test_hashes_that_other_code_computed_are_computed_anew(tmp_path: Path) -> None:
    """Of all that is archived, in every scope, when the file is opened."""
    path = tmp_path / "memory.db"
    for scope in ("work", "home"):
        async with remanence.open(path, scope=scope, embedder="hashed") as memory:
            await memory.learn(KEY, category="fact")
            await memory.consolidate()
            await memory.curate(ARCHIVE)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("DELETE FROM archive_words")
        connection.execute("DELETE FROM meta WHERE name = 'archive words'")
    async with opened(path) as memory:
        held = [(await memory._core.store.archive_words(scope, -1)).held for scope in ("work", "home")]
        unsound = [check for check in await memory.doctor() if not check.ok]

    assert ([1, 1], []) == (held, unsound)


@pytest.mark.parametrize(
    "edit",
    [
        "UPDATE archive_words SET held = held + 1",
        "DELETE FROM archive_words",
        "DELETE FROM archive_waiting",
        "UPDATE archive_waiting SET held = 0",
    ],
)
async def test_hashes_that_another_program_changed_are_noticed(tmp_path: Path, edit: str) -> None:
    """Doctor compares them with the texts."""
    path = tmp_path / "memory.db"
    async with opened(path) as memory:
        await memory.learn(KEY, category="fact")
        await memory.consolidate()
        await memory.curate(ARCHIVE)
        await indexed(memory)
        await memory.learn("The lantern is green.", category="fact")
        await memory.consolidate()
        await memory.curate(ARCHIVE)
    with closing(sqlite3.connect(path)) as connection, connection:
        assert connection.execute(edit).rowcount == 1
    async with opened(path) as memory:
        wrong = [check.name for check in await memory.doctor() if not check.ok]

    assert ["archive words"] == wrong


async def test_hashes_that_cannot_be_read_are_made_of_the_texts(
    memory: remanence.Engine, tmp_path: Path
) -> None:
    """A flipped byte hides nothing: doctor tells it, and whoever indexes the part next writes it anew."""
    await indexed(memory)
    with closing(sqlite3.connect(tmp_path / "memory.db")) as connection, connection:
        ((packed,),) = connection.execute("SELECT packed FROM archive_words").fetchall()
        place = len(packed) // 2
        damaged = packed[:place] + bytes([packed[place] ^ 1]) + packed[place + 1 :]
        connection.execute("UPDATE archive_words SET packed = ?", (damaged,))
    hits = await found(memory)
    told = [check.name for check in await memory.doctor() if not check.ok]
    await memory.update(1, severity="high")
    unmended = await sound(memory)
    await memory.update(1, text=f"{KEY} It is rusty.")
    await indexed(memory)

    assert [(1, True)] == hits
    assert ["archive words"] == told
    assert not unmended
    assert [(1, True)] == await found(memory)
    assert await sound(memory)


async def test_a_question_reads_few_texts_whole_and_indexes_the_rest(
    memory: remanence.Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The answer is the same however many wait."""
    few = (await found(memory), await counted(memory))
    monkeypatch.setattr(archive_index, "READ_WHOLE_MOST", 0)
    none = (await found(memory), await counted(memory))

    assert ([(1, True)], (0, 1)) == few
    assert ([(1, True)], (1, 0)) == none


async def test_an_archive_of_which_too_many_words_wait_stays_in_the_index(
    memory: remanence.Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Until they are indexed beside the verbs, which a question begins; then the archive leaves it."""
    monkeypatch.setattr(archive_index, "INDEXED_FIRST_MOST", 0)
    with monkeypatch.context() as nobody_indexes:
        nobody_indexes.setattr(memory._core.archive, "begin_indexing", lambda: None)
        first = (await found(memory), memory._core.index.leaves_archive)
    await found(memory)
    indexing = memory._core.archive._indexing
    assert indexing is not None
    await indexing

    assert ([(1, True)], False) == first
    assert ([(1, True)], True) == (await found(memory), memory._core.index.leaves_archive)
    assert (1, 0) == await counted(memory)


async def test_closing_ends_what_indexes_words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the part under way; what still waits is for the next opening."""
    monkeypatch.setattr(archive_index, "INDEXED_FIRST_MOST", 0)
    async with opened(tmp_path / "memory.db") as memory:
        monkeypatch.setattr(archive_index, "INDEXED_MAX", 0)
        await memory.learn(KEY, category="fact")
        await memory.consolidate()
        await memory.curate(ARCHIVE)
        await found(memory)
        memory._core.archive._stopped = True  # as if it closed before the first part
    async with opened(tmp_path / "memory.db") as memory:
        waited = await counted(memory)
        await indexed(memory)

        assert 1 == sum(waited)
        assert ([(1, True)], (1, 0)) == (await found(memory), await counted(memory))
        assert await sound(memory)


async def test_a_tick_indexes_the_words_of_what_it_archived(memory: remanence.Engine) -> None:
    """After the commit, and says of how many memories."""
    await memory.policy.use(ARCHIVE)
    ticked = await memory.run_jobs(cadence="deep")

    assert {"indexed": 1} == ticked.ran["index"].counts
    assert (1, 0) == await counted(memory)


async def test_what_was_archived_and_is_not_indexed_yet_can_be_undone(memory: remanence.Engine) -> None:
    """Nothing waits then; archived again it is found again."""
    (run,) = [one for one in await memory.history() if one.verb == "curate"]
    await memory.undo(run.run)
    undone = (await found(memory), await counted(memory))
    await memory.curate(ARCHIVE)

    assert ([(1, False)], (0, 0)) == undone
    assert ([(1, True)], (0, 1)) == (await found(memory), await counted(memory))
    assert await sound(memory)


async def test_what_was_archived_and_is_not_indexed_yet_can_be_erased(memory: remanence.Engine) -> None:
    """No word of it is told, and nothing of it is left to be indexed."""
    await memory.erase.apply(await memory.erase.show([1]))
    told = await memory._core.store.archive_words(memory.scope, -1)
    await indexed(memory)

    assert [0] == [len(part) for part in told.parts.values()]
    assert (0, 0) == await counted(memory)
    assert await sound(memory)


async def test_a_part_that_a_commit_changed_since_it_was_read_is_not_written(
    memory: remanence.Engine,
) -> None:
    """What was indexed before is then old; the words wait on, as for another process that indexes the same."""
    store = memory._core.store
    assert isinstance(store, SqlStore)
    old = await store._read(lambda connection: archive_words.index_next(connection, store._names, "default"))
    assert old is not None
    await memory.update(1, text="The lantern of the lighthouse is green.")
    left = await store._write(lambda connection: archive_words.write(connection, old))
    new = await store._read(lambda connection: archive_words.index_next(connection, store._names, "default"))
    assert new is not None
    written = [await store._write(lambda connection: archive_words.write(connection, new)) for _ in "ab"]

    assert (1, [0, 0]) == (left, written)
    assert [(1, True)] == await found(memory, "lighthouse lantern")
    assert await sound(memory)


async def test_a_store_that_takes_no_writes_is_read_as_it_stands(
    memory: remanence.Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What waits is read from the texts, however much it is; nothing is indexed."""
    monkeypatch.setattr(archive_index, "READ_WHOLE_MOST", 0)
    store = SqlStore(str(tmp_path / "memory.db"))
    await store.open(read_only=True)
    archive, _ = await archive_index.ArchiveIndex(store, "default").read()
    await store.close()

    assert [1] == archive.seq.tolist()
    assert (0, 1) == await counted(memory)
