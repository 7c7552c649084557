"""A change and its inverse."""

from remanence.change import Cause, Change, Increment, Receipt, inverse, inverses


def test_an_inverse_swaps_the_sides_and_the_revision_still_rises() -> None:
    """So a stale plan can never pass for a fresh one; what merely guards a row is not set back."""
    change = Change(
        "memories",
        7,
        {"state": "a", "revision": 3, "touched": 5},
        {"state": "b", "revision": 4},
    )

    assert Change("memories", 7, {"state": "b", "revision": 4}, {"state": "a", "revision": 5}) == inverse(
        change
    )


def test_an_inverse_without_a_revision_names_none() -> None:
    """Counting revises nothing, and neither do tags."""
    counted = Change("memories", 7, {"uses": Increment(-1)}, {"uses": Increment(1)})
    tag = Change("tags", (7, "x"), None, {})

    assert Change("memories", 7, {"uses": Increment(1)}, {"uses": Increment(-1)}) == inverse(counted)
    assert Change("tags", (7, "x"), {}, None) == inverse(tag)
    assert tag == inverse(inverse(tag))


def test_what_was_destroyed_comes_back_with_a_revision_of_its_own() -> None:
    """One above the last that anybody can have seen."""
    gone = Change("memories", 7, {"text": "a", "revision": 3, "touched": 2}, None)

    assert Change("memories", 7, None, {"text": "a", "revision": 4}) == inverse(gone)
    assert Change("memories", 7, {"text": "a", "revision": 1}, None) == inverse(
        Change("memories", 7, None, {"text": "a", "revision": 1})
    )


def test_a_list_is_turned_round() -> None:
    """What was done last is taken back first."""
    changes = [Change("tags", (seq, "x"), None, {}) for seq in (1, 2, 3)]

    assert [(3, "x"), (2, "x"), (1, "x")] == [change.key for change in inverses(changes)]


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
