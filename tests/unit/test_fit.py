"""Of a fact, the turn it was learned from and its other facts one alone takes a place."""

from collections.abc import Sequence

import pytest

from remanence.recall.fit import LINE_TOKENS, SAID, TOO_LONG_MAX, FactTurnPairs, fit, select_places_to_read

# Rank 0 and 2 are facts of the turn at rank 3; rank 4 is a fact of the turn at rank 1.
TOLD = FactTurnPairs(turns={0: [3], 2: [3], 4: [1]}, facts={3: [0, 2], 1: [4]})


def test_the_better_of_a_fact_and_its_turn_is_kept() -> None:
    """A turn above its fact stays, a fact above its turn too, and others move up."""
    told = FactTurnPairs(turns={0: [1], 3: [2]}, facts={1: [0], 2: [3]})

    assert ([0, 2, 4], [(1, SAID), (3, SAID)]) == fit([0] * 5, 3, None, told)


def test_two_facts_of_a_turn_become_the_turn() -> None:
    """It stands where the better fact stood, also where it is found below both."""
    assert ([3, 1, 5], [(0, SAID), (2, SAID), (4, SAID)]) == fit([0] * 6, 3, None, TOLD)


def test_a_turn_that_was_passed_over_is_dropped_no_more_once_it_stands_for_two() -> None:
    """What has a place is not listed as left out."""
    told = FactTurnPairs(turns={0: [1], 2: [1]}, facts={1: [0, 2]})

    assert ([1, 3], [(0, SAID), (2, SAID)]) == fit([0] * 4, 2, None, told)


@pytest.mark.parametrize(("budget", "kept"), [(70, [3, 1]), (59, [0, 1, 2])])
def test_a_turn_stands_for_two_facts_only_where_it_fits(budget: int, kept: list[int]) -> None:
    """Else both facts have places, as far as there is room."""
    assert kept == fit([10, 10, 10, 50, 10], 10, budget, TOLD)[0]


def test_a_second_turn_of_a_fact_says_it_already() -> None:
    """A fact never stands for two turns that say more."""
    told = FactTurnPairs(turns={2: [0, 1]}, facts={0: [2], 1: [2]})

    assert ([0, 1, 3], [(2, SAID)]) == fit([0] * 4, 4, None, told)


@pytest.mark.parametrize(
    ("tokens", "budget", "read"),
    [
        ([], 100, []),
        ([8] * 9, 400, range(9)),
        ([8] * 100, 200, range(10 + TOO_LONG_MAX + 1)),
        ([500, *[8] * 100], 200, range(10 + TOO_LONG_MAX + 1)),
        ([500] * 100, 200, range(TOO_LONG_MAX + 1)),
        ([*[500] * 100, 8, 500, 8], 200, [*range(TOO_LONG_MAX + 1), 100, 102]),
    ],
)
def test_a_ranking_is_read_as_far_as_it_fills_the_budget(
    tokens: list[int], budget: int, read: Sequence[int]
) -> None:
    """Of what is too long for the room that is left a few are read; all of them hold back nothing that is short."""
    assert LINE_TOKENS == 12
    assert [*read] == select_places_to_read(tokens, budget)
