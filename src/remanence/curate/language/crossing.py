"""When something becomes true: halving the time between an instant at which it is not and one at which it is.

Knows time as numbers; knows nothing of what is asked.
"""

from collections.abc import Callable

import numpy as np

from remanence.core.snapshot import Bools, Floats

Test = Callable[[Floats], Bools]  # one instant for each row in, one answer for each row out


def find_first_true(holds: Test, since: Floats, until: Floats, step: int = 1) -> Floats:
    """Return for each row the first instant at which a test holds, to a step of microseconds.

    It is known to hold at `until` and taken not to hold at `since`; once true, it is taken to stay so.
    """
    while np.any(until - since > step):
        middle = since + np.floor((until - since) / 2)
        true = holds(middle)
        until, since = np.where(true, middle, until), np.where(true, since, middle)
    return until
