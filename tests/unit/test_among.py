"""Numbers among others that ascend."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from remanence.core.snapshot import is_among

NUMBERS = st.lists(st.integers(-5, 30), max_size=12)


@given(NUMBERS, NUMBERS)
def test_what_is_among_others_is_found(numbers: list[int], others: list[int]) -> None:
    """What is found among others that ascend is what numpy finds among any."""
    some, ascending = np.array(numbers, np.int64), np.array(sorted(others), np.int64)

    assert np.isin(some, ascending).tolist() == is_among(some, ascending).tolist()
