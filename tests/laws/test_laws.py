"""The laws of curation hold in every world and under every policy that hypothesis can think of."""

import pytest

from tests.laws.lab import Law, search
from tests.laws.ladders import a_ladder_does_the_milder_thing_first
from tests.laws.laws import LAWS, both_stores_agree

ALL = (*LAWS, a_ladder_does_the_milder_thing_first)


@pytest.mark.parametrize("law", ALL, ids=lambda law: law.__name__)
def test_law(law: Law) -> None:
    """Each law of `laws.py`, in 60 worlds; that it can be seen broken at all, the planted bugs show."""
    search(law, max_examples=60)


def test_both_stores_agree() -> None:
    """What holds in memory holds on SQLite, in 25 worlds: a file is made for each."""
    search(both_stores_agree, max_examples=25)


@pytest.mark.deep
def test_both_stores_agree_in_1_000_worlds() -> None:
    """The same deep."""
    search(both_stores_agree, max_examples=1_000)


@pytest.mark.deep
@pytest.mark.parametrize("law", ALL, ids=lambda law: law.__name__)
def test_law_in_3_000_worlds(law: Law) -> None:
    """The same deep: a planner's flaw was once found only beyond 400 worlds."""
    search(law, max_examples=3_000)
