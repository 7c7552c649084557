"""A change and its inverse."""

from collections.abc import Sequence

import numpy as np

from remanence.core.change import (
    ABSENT,
    Block,
    Cause,
    Change,
    Entry,
    Increment,
    inverses,
    row_count,
    rows_of,
)
from remanence.core.receipt import Receipt

BLOCK = Block(
    "memories",
    ("status", "confidence", "used_at"),
    np.array([3, 7]),
    np.array([[1, 250_000, ABSENT], [1, ABSENT, 5]]),
    np.array([[3, 250_000, 9], [3, 1_000_000, 9]]),
    revision=np.array([4, 1]),
    touched=np.array([0, 2]),
)
LINKS = Block(
    "links", ("weight", "count"), np.array([[1, 2, 7], [1, 3, 7]]), np.array([[90_000, 1], [5, 2]]), None
)


def test_an_inverse_swaps_the_sides_and_the_revision_still_rises() -> None:
    """So a stale plan can never pass for a fresh one; what merely guards a row is not set back."""
    change = Change(
        "memories",
        7,
        {"state": "a", "revision": 3, "touched": 5},
        {"state": "b", "revision": 4},
    )

    assert (
        Change("memories", 7, {"state": "b", "revision": 4}, {"state": "a", "revision": 5})
        == change.inverse()
    )


def test_an_inverse_without_a_revision_names_none() -> None:
    """Counting revises nothing, and neither do tags."""
    counted = Change("memories", 7, {"uses": Increment(-1)}, {"uses": Increment(1)})
    tag = Change("tags", (7, "x"), None, {})

    assert Change("memories", 7, {"uses": Increment(1)}, {"uses": Increment(-1)}) == counted.inverse()
    assert Change("tags", (7, "x"), {}, None) == tag.inverse()
    assert tag == tag.inverse().inverse()


def test_what_was_destroyed_comes_back_with_a_revision_of_its_own() -> None:
    """One above the last that anybody can have seen."""
    gone = Change("memories", 7, {"text": "a", "revision": 3, "touched": 2}, None)

    assert Change("memories", 7, None, {"text": "a", "revision": 4}) == gone.inverse()
    assert (
        Change("memories", 7, {"text": "a", "revision": 1}, None)
        == Change("memories", 7, None, {"text": "a", "revision": 1}).inverse()
    )


def test_a_list_is_turned_round() -> None:
    """What was done last is taken back first."""
    changes = [Change("tags", (seq, "x"), None, {}) for seq in (1, 2, 3)]

    assert [(3, "x"), (2, "x"), (1, "x")] == [change.key for change in rows_of(inverses(changes))]


def test_only_the_last_of_several_parts_closes_a_run() -> None:
    """A run of one part needs nothing to close it."""
    assert [False, True, False] == [
        Cause("curate", 1, "run", part, final).closes for part, final in ((0, True), (2, True), (2, False))
    ]


def test_a_receipt_names_what_it_counted() -> None:
    """Each word stands for the action that is counted under another name, and for nothing where none was done."""
    done = Receipt("run", "curate", 1, "scope", 9, {"archive": 2, "prune": 3, "unlink": 4, "reinforce": 5})
    none = Receipt("run", "curate", 1, "scope", 0)

    assert (2, 3, 4, 5) == (done.archived, done.pruned, done.edges_pruned, done.reinforced)
    assert (0, 0, 0, 0) == (none.archived, none.pruned, none.edges_pruned, none.reinforced)


def test_a_block_stands_for_one_change_a_row() -> None:
    """Kept numbers become what a change says: fractions, None, the revision that follows."""
    assert [
        Change(
            "memories",
            3,
            {"status": 1, "confidence": 0.25, "used_at": None, "revision": 4, "touched": 0},
            {"status": 3, "confidence": 0.25, "used_at": 9, "revision": 5},
        ),
        Change(
            "memories",
            7,
            {"status": 1, "confidence": None, "used_at": 5, "revision": 1, "touched": 2},
            {"status": 3, "confidence": 1.0, "used_at": 9, "revision": 2},
        ),
    ] == list(BLOCK.changes())
    assert [
        Change("links", (1, 2, 7), {"weight": 0.09, "count": 1}, None),
        Change("links", (1, 3, 7), {"weight": 0.000005, "count": 2}, None),
    ] == list(LINKS.changes())


def test_a_block_is_turned_round_as_its_rows_are() -> None:
    """The inverse of a block is the block of the inverses, whichever comes first."""
    for block in (BLOCK, LINKS, LINKS.inverse()):
        rows = sorted(rows_of(inverses(list(block.changes()))), key=lambda change: str(change.key))

        assert rows == list(block.inverse().changes())
    tag = Change("tags", (7, "x"), None, {})

    assert [tag.inverse(), BLOCK.inverse()] == inverses([BLOCK, tag])


def test_a_change_answers_as_a_block_of_one() -> None:
    """Readers ask an entry, never which of both it is."""
    for block in (BLOCK, BLOCK.inverse(), LINKS, LINKS.inverse()):
        for place, change in enumerate(block.changes()):
            one, row = block.where(np.array([place])), (change.table, change.key)

            assert (len(one), one.row_keys(), {*one.columns}) == (
                len(change),
                change.row_keys(),
                change.columns,
            )
            assert (one.is_revision, one.before is None, one.after is None) == (
                change.is_revision,
                change.before is None,
                change.after is None,
            )
            assert [change] == list(one.changes()) == list(change.changes())
            assert ([change], []) == _rows(one.split({row})) == _rows(change.split({row}))
            assert 0 == len(one.split({row})[1]) == len(change.split({row})[1])
            assert ([], [change]) == _rows(one.split(set())) == _rows(change.split({("tags", change.key)}))
            assert list(one.inverse().changes()) == list(change.inverse().changes())
            assert [1] == [count for _, count in one.kinds(())] == [count for _, count in change.kinds(())]


def _rows(split: tuple[Sequence[Entry], Sequence[Entry]]) -> tuple[list[Change], list[Change]]:
    mine, others = split
    return list(rows_of(mine)), list(rows_of(others))


def test_rows_leave_a_block_as_changes() -> None:
    """The others stay in a block, and the kinds of a block count the rows that change alike."""
    mine, others = LINKS.split({("links", (1, 3, 7)), ("memories", 1)})

    assert ([(1, 3, 7)], [LINKS.where(np.array([0]))]) == ([change.key for change in mine], list(others))
    assert [({"status": 3, "confidence": None, "used_at": None}, 2)] == [
        (change.after, count) for change, count in BLOCK.kinds(("status", "tier"))
    ]


def test_some_rows_of_a_block_are_a_block() -> None:
    """By mask, by place or by slice; equal blocks are equal, whatever made them."""
    one = [change for change in BLOCK.changes() if change.key == 7]
    parts = [BLOCK.where(np.array([False, True])), BLOCK.where(np.array([1])), BLOCK.where(slice(1, 2))]

    assert [one] * 3 == [list(part.changes()) for part in parts]
    assert parts[0] == parts[1] != BLOCK
    assert LINKS != LINKS.inverse() != BLOCK
    assert BLOCK != one


def test_rows_are_counted_and_told_in_order() -> None:
    """Single changes and blocks alike."""
    tag = Change("tags", (7, "x"), None, {})

    assert 5 == row_count([LINKS, tag, BLOCK])
    assert [(1, 2, 7), (1, 3, 7), (7, "x"), 3, 7] == [change.key for change in rows_of([LINKS, tag, BLOCK])]
