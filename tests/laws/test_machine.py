"""The invariants hold in every story that hypothesis can think of, on both stores."""

from pathlib import Path

import pytest
from hypothesis import seed, settings
from hypothesis.stateful import run_state_machine_as_test

from tests.laws.invariants import ELSEWHERE, NOT_YET, TABLE
from tests.laws.machine import Machine

PIECES, STORIES = 10, 500  # 5,000 worlds
INVARIANTS = 34
VERBS = 16  # of a story; with all that they entail several times as many steps


def test_the_invariants_hold_in_any_order_of_verbs() -> None:
    """Twenty worlds, each with a story of its own."""
    run_state_machine_as_test(Machine, settings=settings(max_examples=20, stateful_step_count=VERBS))


@pytest.mark.deep
@pytest.mark.parametrize("piece", range(PIECES))
def test_the_invariants_hold_in_5_000_worlds(piece: int) -> None:
    """The same deep, a tenth at a time."""
    machine = seed(piece)(Machine)
    run_state_machine_as_test(
        machine, settings=settings(max_examples=STORIES, stateful_step_count=VERBS, derandomize=False)
    )


def test_every_invariant_is_looked_after() -> None:
    """Each is a predicate of the table, or has tests of its own, or is of something that is not there yet."""
    here = {one.number for one in TABLE}
    files = [Path(__file__).parents[1] / path for paths in ELSEWHERE.values() for path in paths]

    assert set(range(1, INVARIANTS + 1)) == here | ELSEWHERE.keys() | NOT_YET
    assert [] == [path for path in files if not path.is_file()]
    assert len(TABLE) == len({one.name for one in TABLE})
