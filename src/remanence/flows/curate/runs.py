"""Which runs of a scope still stand, as the audit tells, and how the newest of them is taken back."""

from collections.abc import AsyncIterator
from dataclasses import replace

from remanence.change import Cause, Logged, Receipt
from remanence.clock import to_datetime
from remanence.errors import NotFound
from remanence.flows.core import Core
from remanence.flows.curate.undoing import PAGE, undo


async def undo_last(core: Core) -> Receipt:
    """Take back the newest run that stands; where its rows changed since, it is refused like any other."""
    await core.uses.settle()
    async for part in standing(core):
        done = await undo(core, part.cause.run)
        told = f"this was `{part.cause.verb}` of {to_datetime(part.cause.at):%Y-%m-%d %H:%M} UTC"
        return replace(done, notes=(told,))
    raise NotFound(
        f"no run in scope {core.scope!r} can be undone", recovery="nothing to do; `history` lists the runs"
    )


async def standing(core: Core, down_to: int = 0) -> AsyncIterator[Logged]:
    """Yield the last part of every run above a position that `undo` would take back and that did something.

    An undoing is none, but the undoing of an undoing is: it did a run again, and stands in its place.
    """
    past: set[str] = set()  # runs that are undone, or were looked at
    async for part in _newest_first(core, down_to):
        cause = part.cause
        if cause.verb == "undo" and cause.final:
            past.add(cause.detail["undoes"])
        if cause.run in past or cause.verb == "use":
            continue
        past.add(cause.run)
        if await _does(core, cause):
            yield part


async def _newest_first(core: Core, down_to: int) -> AsyncIterator[Logged]:
    """Yield the parts of all runs above a position, the newest first."""
    end = (await core.store.search(core.scope, ())).position
    while end > down_to:
        start = max(down_to, end - PAGE)
        page = await core.store.history(core.scope, after=start, limit=PAGE, rows=False)
        for part in reversed(page):
            if part.position <= end:
                yield part
        end = start


async def _does(core: Core, cause: Cause) -> bool:
    """Tell whether a run does something: an undoing does not, the undoing of that does again, and so on."""
    does = True
    while cause.verb == "undo":
        (part,) = await core.store.history(core.scope, run=cause.detail["undoes"], limit=1, rows=False)
        cause, does = part.cause, not does
    return does
