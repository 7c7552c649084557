"""Archived memories that have left the index of recall are found by full text, and few texts are read."""

from collections.abc import AsyncIterator, Awaitable
from pathlib import Path
from typing import Any

import pytest

import remanence
from remanence.core.model import Status, Turn
from remanence.core.segment import TURN
from remanence.flows.indexes import scope_index
from remanence.flows.recall import ranking
from remanence.store.base import AnswerRows
from remanence.store.sqlite.sqlite_store import SqliteStore

ARCHIVE = """version = 1
name = "clear"
[[rule]]
name = "category-fact"
every = "deep"
phase = "expire"
where = "category == 'fact'"
do = "archive"
"""
PICKED = 10  # archived memories that are ranked with what stands, in a file of few
KEY = "The spare key of the boathouse hangs behind the red oar."
QUESTION = "Where is the spare key of the boathouse?"


def opened(path: Path) -> remanence.Engine:
    """Open a file."""
    return remanence.open(path, embedder="hashed")


@pytest.fixture
async def memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[remanence.Engine]:
    """A file of which the index of recall leaves out all that is archived: one fact, beside what stands."""
    async with opened(tmp_path / "memory.db") as memory:
        monkeypatch.setattr(scope_index, "INDEXED_MAX", 0)
        await memory.learn(KEY, category="fact", session="one", speaker="Ada", tags=["boats"])
        await memory.learn("My sister Ines was born in Lagos on 3 May 1990.", session="two")
        await memory.consolidate()
        await memory.curate(ARCHIVE)
        yield memory


async def found(memory: remanence.Engine, question: str = QUESTION, **asking: Any) -> list[tuple[int, bool]]:
    """Return the numbers of the hits, and whether they are archived."""
    return [(hit.seq, hit.archived) for hit in await memory.recall(question, **asking)]


async def sound(memory: remanence.Engine) -> bool:
    """Tell whether doctor finds nothing."""
    return all(check.ok for check in await memory.doctor())


class Spy:
    """Which archived memories the store was asked for with their texts."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.read: set[int] = set()
        for name in ("get", "find", "read_answer"):
            patch.setattr(SqliteStore, name, self._watched(getattr(SqliteStore, name)))

    def _watched(self, asking: Any) -> Any:
        async def watched(*asked: Any) -> Any:
            found = await asking(*asked)
            memories = found.memories.values() if isinstance(found, AnswerRows) else found
            self.read |= {one.seq for one in memories if one is not None and one.status is Status.ARCHIVED}
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
        monkeypatch.setattr(scope_index, "INDEXED_MAX", 0)
        monkeypatch.setattr(ranking, "LOOKED_AT", (PICKED,))
        monkeypatch.setattr(ranking, "ENOUGH", 1)
        facts = [
            Turn(
                f"Key {k} of the boathouse.", category="fact", tags=["a"], session=f"{k}", attributes={"n": 1}
            )
            for k in range(20)
        ]
        turn, *told = await memory.learn([Turn("Ada spoke of keys.", category="fact", tags=[TURN]), *facts])
        for fact in told[: PICKED + 2]:
            await memory.link(fact, turn, "learned_from")
        await memory.learn("The boathouse stands.", session="here")
        await memory.consolidate()
        await memory.curate(ARCHIVE)
        await memory.recall(
            "boathouse"
        )  # what has rows as it goes into the archive is read once, with others
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


async def test_the_best_of_the_archive_are_read_and_no_others(
    many: remanence.Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However many match, and however many are asked for."""
    spy = Spy(monkeypatch)
    answers = [
        [await spy.during(many.recall("key boathouse", limit=50, **asking)) for _ in range(2)]
        for asking, _ in ASKED
    ]

    assert [[(hits, hits > 1 and PICKED)] * 2 for _, hits in ASKED] == [
        [(len(answer), read) for answer, read in twice] for twice in answers
    ]


async def test_facts_of_an_archived_turn_are_not_read(
    many: remanence.Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """That they are as they were said is told by their columns; of one that was edited since, the turn says so."""
    await many.update(2, text="Key 0 of the lighthouse.")
    spy = Spy(monkeypatch)
    answer, read = await spy.during(many.recall("Ada spoke", limit=50))

    assert PICKED >= read
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

    assert PICKED == read
    stays = [k % 3 != 1 for k in range(len(said))]
    assert stays == [one.seq in many._core.index for one in said]
    assert [(hit.seq, hit.parts) for hit in anew] == [(hit.seq, hit.parts) for hit in answer]


async def test_what_is_archived_leaves_the_index_and_comes_back(memory: remanence.Engine) -> None:
    """Restored, forgotten, brought back by undo: recall and index say the same."""
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
    """By columns and tags, as among what stands."""
    assert hits == [seq for seq, _ in await found(memory, QUESTION, **asking) if seq == 1]


async def test_the_number_is_crossed_by_what_is_archived_and_undone(
    memory: remanence.Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Up by a run, down by its undo, up by an import; the same memories are found on either side."""
    monkeypatch.setattr(scope_index, "INDEXED_MAX", 1)
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
    """It is found from the import on, and no more once it is undone."""
    lines = [line async for line in memory.export()]
    async with remanence.open(tmp_path / "other.db", embedder="hashed") as other:
        monkeypatch.setattr(scope_index, "INDEXED_MAX", 0)
        done = await other.import_(iter(lines), name="all")
        hits, leaves = await found(other), other._core.index.leaves_archive
        await other.undo(done.run)

        assert [(1, True)] == [hit for hit in hits if hit[0] == 1]
        assert leaves
        assert [] == await found(other)
        assert await sound(other)


async def test_the_index_takes_the_archive_back_below_the_number(
    memory: remanence.Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It counts when something was written, in each direction, and the same memory is found."""
    seen = []
    for most, berth in ((0, "red"), (1, "blue"), (0, "grey")):
        monkeypatch.setattr(scope_index, "INDEXED_MAX", most)
        await memory.learn(f"The harbour has a {berth} crane.")
        seen.append(((1, True) in await found(memory), memory._core.index.leaves_archive))

    assert [(True, True), (True, False), (True, True)] == seen


async def test_what_another_process_archives_is_found(memory: remanence.Engine, tmp_path: Path) -> None:
    """Wherever it stands when it is asked for."""
    assert [(1, True)] == await found(memory)
    async with opened(tmp_path / "memory.db") as other:
        await other.learn("The green lantern hangs in the lighthouse.", category="fact", session="three")
        await other.consolidate()
        standing = await found(memory, "lighthouse lantern")
        await other.curate(ARCHIVE)

    assert (3, False) == standing[0]
    assert (3, True) == (await found(memory, "lighthouse lantern"))[0]


async def test_what_stands_is_ranked_as_before(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where no archived neighbour lends it words, the order is that of an index that holds everything."""
    path = tmp_path / "memory.db"
    async with opened(path) as memory:
        for number in range(12):
            text = f"Boat {number} has {'a red sail ' * (number % 3)}and {number} oars."
            await memory.learn(text, category="fact" if number % 2 else "moment", session=f"{number}")
        await memory.consolidate()
        await memory.curate(ARCHIVE)
    answers = []
    for most in (100, 0):
        monkeypatch.setattr(scope_index, "INDEXED_MAX", most)
        async with opened(path) as memory:
            answers.append([seq for seq, _ in await found(memory, "red sail boat", archived="closed")])

    assert answers[0]
    assert answers[0] == answers[1]


async def test_few_that_pass_a_filter_are_found_however_many_match_better(
    memory: remanence.Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """More and more is looked at until enough pass, or nothing holds the words."""
    monkeypatch.setattr(ranking, "LOOKED_AT", (2, 4))
    facts = [Turn(f"Key {k} of the boathouse key.", category="fact", session="keys") for k in range(20)]
    await memory.learn([*facts, Turn("A key is in the yard.", category="fact", tags=["yard"])])
    await memory.consolidate()
    await memory.curate(ARCHIVE)

    assert [(23, True)] == await found(memory, "key boathouse", filters={"tags": ["yard"]})
    assert [(23, True)] == [hit for hit in await found(memory, "key yard") if hit[0] == 23]
