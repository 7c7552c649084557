"""A memory is closed: its session ends, its uses are written, its store is let go, whatever the disk says to that.

Knows what may be left undone at the end and what that loses.
"""

from collections.abc import Awaitable

from remanence.errors import StoreUnavailable
from remanence.flows import sessions
from remanence.flows.core import Core


async def close(core: Core) -> None:
    """Close a memory; what could not be written is said once it is closed."""
    unended = uncounted = None
    try:
        try:
            unended = await _refused(sessions.leave(core))
        finally:
            uncounted = await _refused(core.uses.settle())
    finally:
        await core.store.close()
    why = unended or uncounted
    if why is not None:
        lost = f"{core.uses.give_up():,} uses are not counted" if uncounted else "no use is lost"
        raise StoreUnavailable(
            f"the memory is closed; at its end {lost}: {why}",
            recovery="all that a verb has answered is kept; make room, and open it again: a session that was open"
            " ends where it was last counted",
        ) from why


async def _refused(work: Awaitable[None]) -> StoreUnavailable | None:
    """Do something; return why the store did not let it."""
    try:
        await work
    except StoreUnavailable as error:
        return error
    return None
