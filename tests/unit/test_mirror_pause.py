"""How long a watched folder is left alone between two looks at it."""

import pytest

from remanence.core.clock import SECOND
from remanence.flows.mirror.mirror import LOOK, LOOK_LEAST, pause


@pytest.mark.parametrize("taken", [0, SECOND // 100, SECOND // 4, SECOND // 2, SECOND, 12 * SECOND // 10])
def test_an_edit_is_seen_within_three_seconds(taken: int) -> None:
    """After the look that just missed it, the pause and the next look, as long as a look takes up to 1.2 seconds."""
    assert pause(taken) + 2 * taken < 3 * SECOND
    assert pause(taken) >= LOOK_LEAST


def test_short_looks_are_a_second_apart_and_long_ones_never_follow_at_once() -> None:
    """So that a small folder costs next to nothing, and the largest leaves room for the rest."""
    assert (LOOK, LOOK_LEAST) == (pause(SECOND // 100), pause(20 * SECOND))
