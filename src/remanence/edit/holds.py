"""Named holds and until when they last: what two memories hold together, and when the last of it ends.

Pure; knows nothing of who holds or why.
"""

from collections.abc import Mapping
from typing import Any

from remanence.core.clock import TIME_MAX

Holds = Mapping[str, int | None]  # a reason, and until when; None for good


def hold_until(holds: Holds) -> int | None:
    """Return when the last of some holds ends; None where there is none."""
    return max((TIME_MAX if until is None else until for until in holds.values()), default=None)


def hold_columns(holds: Holds) -> dict[str, Any]:
    """Return the columns of a memory that has these holds."""
    return {"holds": dict(holds) or None, "hold_until": hold_until(holds)}


def with_holds(own: Holds | None, others: Holds | None, now: int) -> dict[str, int | None]:
    """Add another memory's holds that still last to a memory's own; of two of one name the longer one counts."""
    holds = dict(own or {})
    for name, until in (others or {}).items():
        if until is None or until > now:
            mine = holds.get(name, until)
            holds[name] = None if until is None or mine is None else max(mine, until)
    return holds
