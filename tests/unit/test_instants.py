"""The moment at which something becomes true."""

import numpy as np

from remanence.curate.language.derived import find_first_true


def test_the_first_instant_is_found_for_each_row() -> None:
    """It is the last at which the test is known to hold, to the microsecond, for rows of their own bounds."""
    turn = np.array([7.0, 100.0, 64.0])
    found = find_first_true(lambda at: at >= turn, np.array([0.0, 50.0, 63.0]), np.array([64.0, 100.0, 64.0]))

    assert turn.tolist() == found.tolist()


def test_a_step_is_how_far_off_it_may_be() -> None:
    """No row is asked for more closely than the step says, and none is taken for true before it is."""
    asked: list[float] = []

    def holds(at: np.ndarray) -> np.ndarray:
        asked.extend(at.tolist())
        return at >= 700.0

    (found,) = find_first_true(holds, np.array([0.0]), np.array([1_024.0]), step=256).tolist()

    assert 768.0 == found
    assert [512.0, 768.0] == asked


def test_nothing_is_asked_where_the_bounds_are_a_step_apart() -> None:
    """What is known need not be asked."""
    assert [9.0] == find_first_true(lambda _: np.array([True]), np.array([8.0]), np.array([9.0])).tolist()
