"""What stands for archived memories is packed and unpacked without loss, and what is damaged is not taken for it."""

from collections.abc import Mapping

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from remanence.core.clock import MINUTE
from remanence.recall.corpus import Corpus, Ints, windows_of
from remanence.text.word_hashes import (
    COLUMNS,
    HASHES,
    NO_PART,
    PART_ROWS,
    WordHashPart,
    WordHashRow,
    merge,
    pack,
    part_from,
    rows_of,
    unpack_hash_part,
    worth_of,
)

Memories = Mapping[int, tuple[tuple[int, ...], list[int]]]  # by number: columns and hashes

FIRST, LAST = -62_135_596_800 // 60, 253_402_300_799 // 60  # the minutes of the years 1 and 9999


def rows() -> list[WordHashRow]:
    """Return rows of which each number is once as small and once as large as it can be."""
    columns = (2**31 - 1, 0, 5, 1, 3, LAST, 65_535, 255, 1)
    return [
        WordHashRow(1, (0, 0, 0, 0, 0, FIRST, 0, 0, 0), []),
        WordHashRow(2, columns, [0, 7, HASHES - 1]),
        WordHashRow(PART_ROWS - 1, columns, [*range(HASHES)]),
    ]


PACKED = pack(part_from(rows()))


def test_rows_come_back_as_they_were() -> None:
    """Each column and each hash, also of a part without rows."""
    part = unpack_hash_part(pack(part_from(rows())))

    assert rows() == rows_of(part)
    assert (0, []) == (len(NO_PART), rows_of(NO_PART))


def test_a_part_tells_who_holds_a_hash() -> None:
    """By row, ascending."""
    part = unpack_hash_part(pack(part_from(rows())))

    assert [[1, 2], [2], [1, 2]] == [part.find_rows(number).tolist() for number in (7, 8, HASHES - 1)]
    assert [] == NO_PART.find_rows(7).tolist()


MEMORIES = st.dictionaries(
    st.integers(0, PART_ROWS - 1),
    st.builds(
        lambda values, hashes: (tuple(values), sorted(hashes)),
        st.lists(st.integers(0, 3), min_size=len(COLUMNS), max_size=len(COLUMNS)),
        st.sets(st.integers(0, 5) | st.integers(0, HASHES - 1), max_size=6),
    ),
    max_size=12,
)


@given(MEMORIES, MEMORIES, st.sets(st.integers(0, PART_ROWS - 1), max_size=4))
def test_a_part_changes_by_who_goes_and_who_comes(held: Memories, fresh: Memories, gone: set[int]) -> None:
    """As if it had been made of those that are left; packed and unpacked it is the same."""
    left = {seq: kept for seq, kept in held.items() if seq not in gone | fresh.keys()}
    made = merge(_part(held), gone | fresh.keys(), _part(fresh))

    assert rows_of(_part({**left, **fresh})) == rows_of(made)
    assert pack(_part({**left, **fresh})) == pack(made)
    assert rows_of(made) == rows_of(unpack_hash_part(pack(made)))


def _part(memories: Memories) -> WordHashPart:
    return part_from(WordHashRow(seq, *kept) for seq, kept in memories.items())


@pytest.mark.parametrize("damage", [b"", b"x", PACKED[:-9], PACKED[:40] + b"\0" + PACKED[41:]])
def test_what_is_damaged_is_not_unpacked(damage: bytes) -> None:
    """It raises ValueError."""
    with pytest.raises(ValueError, match="word hashes"):
        unpack_hash_part(damage)


def test_worths_are_kept_in_steps_of_four_percent() -> None:
    """From the code, as close as the steps are."""
    assert [0.0, 1.0] == worth_of(np.array([0, 16], np.uint8)).tolist()


def test_dates_of_few_days_are_those_of_many() -> None:
    """Whether days are worked out once each or for each time."""
    minutes = np.array([0, 1, 31 * 1_440, -1_440, 59 * 1_440, 60 * 1_440, 3], np.int64)
    few = np.concatenate([minutes] * 20)
    one_by_one = [windows_of(_corpus(np.array([one, 10**7]))) for one in few.tolist()]
    found = windows_of(_corpus(few))

    for name in ("day", "month", "year"):
        assert [getattr(one, name)[0] for one in one_by_one] == getattr(found, name).tolist()
    assert [(1, 1), (1, 1), (1, 2), (31, 12), (1, 3), (2, 3)] == list(
        zip(found.day[:6].tolist(), found.month[:6].tolist(), strict=True)
    )


def _corpus(minutes: Ints) -> Corpus:
    count = len(minutes)
    ones = np.ones(count, np.int32)
    yes = np.ones(count, np.bool_)
    return Corpus(
        np.arange(count), ones, ones, ones, minutes * MINUTE, ones.astype(np.float32), yes, yes, yes, yes
    )
