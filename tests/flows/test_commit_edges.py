"""Commits on SQLite at their edges: what is refused beside what is not, names beyond the cache, damaged images."""

import sqlite3
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from remanence.core.change import Block, Change, Increment
from remanence.core.errors import InvalidInput, StoreDamaged
from remanence.core.model import PolicyClass, Relation
from remanence.store.sql import names, rows, sums
from remanence.store.sql.checksummed_columns import SUMMED
from remanence.store.sqlite.sqlite_store import SqliteStore
from remanence_store_kit.builders import (
    SCOPE,
    create_change,
    expect_error,
    keep,
    link_change,
    make_cause,
    update_change,
)


async def opened(path: Path) -> SqliteStore:
    """Open a store."""
    store = SqliteStore(str(path / "m.db"))
    await store.open()
    return store


async def test_a_link_to_nobody_is_refused_beside_a_sound_one(tmp_path: Path) -> None:
    """The error names the one that is wrong, and neither is written."""
    store = await opened(tmp_path)
    one, two = (await keep(store, create_change(1, "one"), create_change(2, "two"))).assigned
    changes = [link_change(one, two, Relation.SUPPORTS), link_change(two, 99, Relation.SUPPORTS)]
    error = await expect_error(InvalidInput, store.commit(SCOPE, changes, make_cause("link")))
    left = await store.neighbours(SCOPE, [one, two])
    await store.close()

    assert "(2, 99, 5) would name memory 99" in str(error)
    assert [] == left


async def test_history_about_a_memory_counts_its_rows_alone(tmp_path: Path) -> None:
    """Also where the rows themselves are not asked for."""
    store = await opened(tmp_path)
    (one, _) = (await keep(store, create_change(1, "one"), create_change(2, "two"))).assigned
    whole = await store.history(SCOPE, rows=False)
    mine = await store.history(SCOPE, memory=one, rows=False)
    await store.close()

    assert ([2], [1]) == ([part.count for part in whole], [part.count for part in mine])
    assert [()] == [part.changes for part in mine]


async def test_names_beyond_the_cache_are_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Speakers, more than are remembered, keep their names in rows and in the audit."""
    monkeypatch.setattr(names, "CACHED_MAX", 2)
    store = await opened(tmp_path)
    speakers = [f"speaker {k}" for k in range(6)]
    done = await keep(
        store, *(create_change(k, f"text {k}", speaker=who) for k, who in enumerate(speakers, 1))
    )
    for seq in done.assigned:
        (memory,) = await store.get(SCOPE, [seq])
        assert memory is not None
        await store.commit(SCOPE, [update_change(memory, speaker=f"other {seq}")], make_cause("update"))
    found = await store.get(SCOPE, done.assigned)
    said = [
        change.before["speaker"]
        for part in await store.history(SCOPE)
        for change in part.changes
        if change.before and "speaker" in change.before
    ]
    await store.close()

    assert speakers == said
    assert [f"other {seq}" for seq in done.assigned] == [one.speaker for one in found if one is not None]


async def test_a_counter_may_be_set_beside_one_that_counts(tmp_path: Path) -> None:
    """The audit tells the one from the other, in rows of one shape."""
    store = await opened(tmp_path)
    one, two = (await keep(store, create_change(1, "one"), create_change(2, "two"))).assigned
    counted = Change("memories", one, {"uses": Increment(-2)}, {"uses": Increment(2)})
    put = Change("memories", two, {"uses": 0, "revision": 1}, {"uses": 7, "revision": 2})
    await store.commit(SCOPE, [counted], make_cause("rate"))
    await store.commit(SCOPE, [put], make_cause("update"))
    parts = await store.history(SCOPE)
    found = await store.get(SCOPE, [one, two])
    await store.close()

    assert [2, 7] == [memory.uses for memory in found if memory is not None]
    assert [Increment(2), 7] == [(part.changes[0].after or {})["uses"] for part in parts[1:]]


async def test_an_image_that_refers_to_nothing_is_damage(tmp_path: Path) -> None:
    """It is said which part is damaged and what to do; nothing is made up."""
    store = await opened(tmp_path)
    seqs = (await keep(store, *(create_change(k, f"text {k}") for k in range(1, 4)))).assigned
    moved = [
        Change("memories", seq, {"revision": 1, "speaker": None}, {"revision": 2, "speaker": "she"})
        for seq in seqs
    ]
    await store.commit(SCOPE, moved, make_cause("update"))
    await store.close()
    with closing(sqlite3.connect(tmp_path / "m.db")) as connection, connection:
        shared = connection.execute(
            "UPDATE changes SET \"before\" = '77' WHERE \"before\" NOT LIKE '[%' AND \"before\" NOT LIKE '{%'"
        ).rowcount
    store = await opened(tmp_path)
    error = await expect_error(StoreDamaged, store.history(SCOPE))
    await store.close()

    assert shared
    assert "refers to change 77, which is not there" in str(error)


@pytest.mark.parametrize("text", ['{"a": 1}', "[1.5]", '["1"]', "[true]"])
def test_a_list_of_numbers_is_nothing_else(text: str) -> None:
    """Anything else in its place is damage."""
    with pytest.raises(TypeError, match="is no list of numbers"):
        rows.numbers(text)


def test_no_rows_change_no_sum() -> None:
    """Counting nothing counts in no chunk."""
    summing = sums.Sums()
    summing.add_arrays("states", np.zeros((0, len(SUMMED["states"].columns)), np.int64))

    assert set() == summing.chunks


async def test_a_block_of_links_makes_or_cuts(tmp_path: Path) -> None:
    """One that would change links is refused."""
    store = await opened(tmp_path)
    await keep(store, create_change(1, "one"), create_change(2, "two"))
    keys, side = np.array([[1, 2, int(Relation.SUPPORTS)]]), np.array([[500_000]])
    block = Block("links", ("weight",), keys, side, side + 1)
    error = await expect_error(InvalidInput, store.commit(SCOPE, [block], make_cause("curate")))
    await store.close()

    assert "neither makes nor cuts links" in str(error)


@pytest.mark.parametrize("table", ["memories", "links"])
@pytest.mark.parametrize("beside", ["block", "change"])
async def test_a_row_is_named_once_in_a_commit(tmp_path: Path, table: str, beside: str) -> None:
    """Two blocks that name a row, or a block and a change, are refused, and of other rows they are written."""
    store = await opened(tmp_path)
    made = [create_change(1, "one"), create_change(2, "two"), create_change(3, "three")]
    one, two, three = (await keep(store, *made)).assigned
    if table == "links":
        blocks = [_block_of_links((one, two), (one, three)), _block_of_links((one, three), (two, three))]
    else:
        blocks = [_block_of_pins([one, two]), _block_of_pins([two, three])]
    second = [blocks[1]] if beside == "block" else [*blocks[1].changes()]
    error = await expect_error(InvalidInput, store.commit(SCOPE, [blocks[0], *second], make_cause("curate")))
    last = slice(1, None)
    rest = [blocks[1].where(last)] if beside == "block" else second[last]
    count = (await store.commit(SCOPE, [blocks[0], *rest], make_cause("curate"))).changes
    await store.close()

    assert "names a row twice" in str(error)
    assert count == 3


def _block_of_pins(seqs: list[int]) -> Block:
    """Pin some memories."""
    side = np.zeros((len(seqs), 1), np.int64)
    return Block("memories", ("pinned",), np.array(seqs), side, side + 1, np.ones(len(seqs), np.int64))


def _block_of_links(*ends: tuple[int, int]) -> Block:
    """Make links between some memories."""
    keys = np.array([[*pair, int(Relation.SUPPORTS)] for pair in ends])
    now = make_cause("curate").at
    sides = np.array([[500_000, 1, now, now] for _ in ends])
    return Block("links", ("weight", "count", "created_at", "last_at"), keys, None, sides)


async def test_the_class_of_many_may_stay_as_it_is(tmp_path: Path) -> None:
    """A block that names the policy class of memories and changes none of them is written."""
    store = await opened(tmp_path)
    seqs = (await keep(store, create_change(1, "one"), create_change(2, "two"))).assigned
    kept = [int(PolicyClass.DURABLE), 0]
    block = Block(
        "memories",
        ("policy_class", "pinned"),
        np.array(seqs),
        np.array([kept, kept]),
        np.array([[kept[0], 1], [kept[0], 1]]),
        revision=np.array([1, 1]),
    )
    await store.commit(SCOPE, [block], make_cause("curate", planned=True))
    found = await store.get(SCOPE, seqs)
    await store.close()

    assert [1, 1] == [memory.pinned for memory in found if memory is not None]
