"""The laws of curation hold in every world and under every policy that hypothesis can think of."""

import pytest

from tests.laws.lab import Law, search
from tests.laws.laws import LAWS


@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.__name__)
def test_law(law: Law) -> None:
    """Each law of `laws.py`, in 300 worlds."""
    search(law, max_examples=300)


@pytest.mark.deep
@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.__name__)
def test_law_in_8_000_worlds(law: Law) -> None:
    """The same deep: a planner's flaw was once found only beyond 400 worlds."""
    search(law, max_examples=8_000)
