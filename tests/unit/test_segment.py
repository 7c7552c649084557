"""Which memories stand side by side."""

from collections.abc import Sequence

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from remanence.core.segment import GAP_MAX, TALK_REACH, count_last_segment, goes_on, segment_of, segments
from remanence.recall.corpus import NEIGHBOUR_WEIGHTS

Row = tuple[int, int, int, int]  # codes of session, thread and agent, time
ROWS = st.lists(
    st.tuples(
        st.integers(-1, 1),
        st.integers(-1, 1),
        st.integers(-1, 1),
        st.sampled_from([0, 1, GAP_MAX, GAP_MAX + 1, 2 * GAP_MAX]),
    ),
    max_size=14,
)


def _codes(rows: list[Row], talks: Sequence[bool] = ()) -> list[int]:
    """Return the segments that are read; every text talks where `talks` does not say otherwise."""
    session, thread, agent = (np.array([row[k] for row in rows], np.int32) for k in range(3))
    said_at = np.array([row[3] for row in rows], np.int64)
    asks = np.array(talks or [True] * len(rows), np.bool_)
    speaker = np.full(len(rows), -1, np.int32)
    codes: list[int] = segments(said_at, asks, session, thread, agent, speaker).tolist()
    return codes


def _name(code: int) -> str | None:
    return None if code < 0 else str(code)


def _begun(rows: list[Row]) -> list[int]:
    """Return for each row the row that began its segment, decided one by one as they arrive."""
    begun: list[int] = []
    for row, (*names, said_at) in enumerate(rows):
        mine = segment_of(*map(_name, names))
        before = [k for k in range(row) if segment_of(*map(_name, rows[k][:3])) == mine]
        on = before and goes_on(mine.kind, rows[before[-1]][3], said_at)
        begun.append(begun[before[-1]] if on else row)
    return begun


@given(ROWS)
def test_what_is_read_stands_together_as_it_arrived(rows: list[Row]) -> None:
    """Arrays of a whole scope and memories one by one are divided alike, where all of them talk."""
    codes, begun = _codes(rows), _begun(rows)

    assert len(set(begun)) == len(set(codes)) == len(set(zip(begun, codes, strict=True)))


@given(ROWS, st.integers(0, 13), st.integers(0, 13))
@example([(-1, -1, 0, 0), (-1, -1, 1, 0), (-1, -1, 1, 0)], 0, 0)  # the talk of another run
@example([(-1, -1, 0, 0), (-1, -1, 0, 0), (-1, -1, 1, 0)], 2, 2)
def test_a_run_without_talk_is_a_list(rows: list[Row], one: int, other: int) -> None:
    """Texts of a run stand together from the fourth before to the fourth after one that talks, the others alone."""
    talks, begun = [row in (one, other) for row in range(len(rows))], _begun(rows)
    expected: list[int] = []
    was_near: dict[int, tuple[bool, int]] = {}  # of the last text of a segment, and where its piece began
    for row, (session, thread, _, _) in enumerate(rows):
        members = [k for k, first in enumerate(begun) if first == begun[row]]
        place = members.index(row)
        around = members[max(0, place - TALK_REACH) : place + TALK_REACH + 1]
        is_near = session >= 0 or thread >= 0 or any(talks[k] for k in around)
        before, piece = was_near.get(begun[row], (False, row))
        expected.append(piece if is_near and before else row)
        was_near[begun[row]] = is_near, expected[-1]
    codes = _codes(rows, talks)

    assert len(set(expected)) == len(set(codes)) == len(set(zip(expected, codes, strict=True)))
    assert len(NEIGHBOUR_WEIGHTS) == TALK_REACH


def test_only_a_run_ends_at_a_gap() -> None:
    """Thirty minutes hold a run together, a moment more ends it; sessions and threads rest as long as they like."""
    rows = [
        (-1, -1, 0, 0),
        (-1, -1, 0, GAP_MAX),
        (-1, -1, 0, 2 * GAP_MAX + 1),
        (-1, 0, 0, 0),
        (-1, 0, 0, 9 * GAP_MAX),
    ]
    first, second, third, fourth, fifth = _codes(rows)

    assert first == second != third
    assert fourth == fifth
    assert (1, 2) == (
        count_last_segment("run", [2 * GAP_MAX + 1, GAP_MAX]),
        count_last_segment("thread", [9 * GAP_MAX, 0]),
    )


def test_a_run_rests_for_half_an_hour_at_most() -> None:
    """In either direction of time, to the microsecond; a session may rest for ever."""
    half = 30 * 60 * 1_000_000

    assert goes_on("run", 0, half)
    assert goes_on("run", half, 0)
    assert not goes_on("run", 0, half + 1)
    assert not goes_on("run", half + 1, 0)
    assert goes_on("session", 0, 9 * half)
    assert 1 == count_last_segment("run", [5 * half, 2 * half, 0])
    assert 0 == count_last_segment("run", [])


def test_every_name_is_of_its_own_kind() -> None:
    """A session, a thread and a run that are numbered alike are three segments, and so are the last of each."""
    codes = _codes([(0, -1, -1, 0), (-1, 0, -1, 0), (-1, -1, 0, 0), (1, 1, 1, 0), (-1, 1, -1, 0)])

    assert 5 == len(set(codes))
    assert ("session", "s") == segment_of("s", "t", "a")
    assert ("thread", "t") == segment_of(None, "t", "a")
    assert ("run", "a") == segment_of(None, None, "a")
    assert ("run", None) == segment_of(None, None, None)


def test_what_interleaves_does_not_end_a_run() -> None:
    """What others learn, or what is in a thread, stands between the turns of a run and is not of it."""
    codes = _codes([(-1, -1, 0, 0), (-1, -1, 1, 0), (-1, 0, 0, 0), (0, -1, 0, 0), (-1, -1, 0, 1)])

    assert (codes[0], 4) == (codes[4], len(set(codes)))
