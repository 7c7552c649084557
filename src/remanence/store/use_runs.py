"""Which commits of uses are parts of one run: those that follow each other within a minute, by one agent.

The same in every store. Knows causes; knows nothing of how parts are kept.
"""

from remanence.core.change import Cause
from remanence.core.clock import MINUTE

PARTS_MAX = 64
USED_MAX = 1_000  # memories that the parts of one run name, so that a store can keep them in one page
USE = "use"


def goes_on(cause: Cause, last: Cause, began: int, used: int) -> bool:
    """Tell whether a commit is one more part of the run whose `last` part is the last of the scope.

    `began` is when that run began, `used` how many memories its parts name with this one.
    """
    return (
        cause.verb == USE
        and cause.extends == (last.run, last.part + 1)
        and _cause_key(cause) == _cause_key(last)
        and last.at <= cause.at < began + MINUTE
        and last.part + 1 < PARTS_MAX
        and used <= USED_MAX
    )


def _cause_key(cause: Cause) -> tuple[object, ...]:
    return (
        cause.verb,
        cause.final,
        cause.actor,
        cause.policy,
        dict(cause.detail),
        cause.destroyed,
        cause.fired,
        cause.planned,
    )
