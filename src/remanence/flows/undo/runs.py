"""The runs of a scope: which stand, which were interrupted, and how the newest is taken back."""

from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from typing import Any

from remanence.core.change import ROWLESS, AuditPart, Cause
from remanence.core.clock import to_datetime
from remanence.core.errors import InvalidInput, NotFound
from remanence.core.keywords import Progress
from remanence.core.receipt import Receipt
from remanence.flows.base.audit_log import PAGE, newest_first
from remanence.flows.base.context import Core
from remanence.flows.undo.refusals import is_own, takes_all_back
from remanence.flows.undo.undoing import undo
from remanence.store.base import Bookkeeping
from remanence.store.erasure import KEEP
from remanence.store.undo_data_pruning import EXPIRE

LAST = "last"  # what names the newest own run
REFUSED = (
    "undo/refused/"  # what the bookkeeping's name of a refused command begins with; whose it was follows
)
LOOKED_AT = 1_000  # how far back one looks for interrupted runs


async def undo_named(core: Core, run: str, progress: Progress | None = None) -> Receipt:
    """Undo the run of an id, or the newest own one where "last" is said."""
    if run == LAST:
        return await undo_last(core, progress)
    if run == "":
        raise InvalidInput(
            '"" names no run', recovery=f"pass a receipt, a run's id, or {LAST!r} for the newest of yours"
        )
    return await undo(core, run, progress)


async def undo_last(core: Core, progress: Progress | None = None) -> Receipt:
    """Take back the newest own run that stands and changed something; where its rows changed since, it is refused."""
    last = await find_last(core)
    answer = await undo(core, last.run, progress)
    return replace(answer, notes=(f"this was `{last.verb}` of {_minute(last.at)}",))


async def find_last(core: Core) -> Cause:
    """Find the newest own run that stands and changed something, or raise NotFound.

    A person's are all that no agent, no policy and not the engine made. None is older than a command that was refused.
    """
    await core.uses.settle()
    refusal = await _refusal(core)
    async for part in iterate_standing_runs(core):
        if not is_own(core, part.cause) or not await _changed_something(core, part.cause.run):
            continue
        run = part.cause.run
        if refusal is not None:
            raise InvalidInput(
                f"the last command, {refusal}, was refused and changed nothing",
                recovery=f"nothing was undone; to undo `{part.cause.verb}` of {_minute(part.cause.at)}:"
                f" remanence undo {run}",
            )
        return part.cause
    whose = "" if takes_all_back(core) else " of its own"
    raise NotFound(
        f"no run{whose} in scope {core.scope!r} can be undone",
        recovery="nothing is to be done",
    )


def _minute(at: int) -> str:
    return f"{to_datetime(at):%Y-%m-%d %H:%M} UTC"


async def note_refusal(core: Core, command: str) -> None:
    """Remember that a command was refused here: what it was to change is not what was done last."""
    position = (await core.store.search(core.scope, ())).position
    row = {"command": command, "position": position}
    await core.store.bookkeep(core.scope, Bookkeeping(core.clock.now(), put={_refused_by(core): row}))


async def _refusal(core: Core) -> str | None:
    """Return the command that was refused after all own runs, None where something was done since."""
    row = _refused_by(core)
    request = Bookkeeping(core.clock.now(), get=(row,))
    refusal = (await core.store.bookkeep(core.scope, request)).values.get(row)
    if refusal is None:
        return None
    async for part in newest_first(core, refusal["position"]):
        if is_own(core, part.cause):
            return None
    return str(refusal["command"])


def _refused_by(core: Core) -> str:
    return f"{REFUSED}{core.owner}"


async def _changed_something(core: Core, run: str) -> bool:
    """Tell whether any part of a run changed a row, or kept what was to be erased."""
    parts = await core.store.history(core.scope, run=run, limit=PAGE, rows=False)
    return any(part.count or part.cause.verb == KEEP for part in parts)


async def iterate_standing_runs(core: Core, down_to: int = 0) -> AsyncIterator[AuditPart]:
    """Yield the last part of every run above a position that `undo` would take back and that did something.

    An undoing is none, but the undoing of an undoing is: it did a run again, and stands in its place.
    """
    past: set[str] = set()  # runs that are undone, or were looked at
    async for part in newest_first(core, down_to):
        cause = part.cause
        if cause.verb == "undo" and cause.final:
            past.add(cause.detail["undoes"])
        if cause.run in past or cause.verb in ROWLESS | {EXPIRE}:
            continue
        past.add(cause.run)
        if await _does(core, cause):
            yield part


async def _does(core: Core, cause: Cause) -> bool:
    """Tell whether a run does something: an undoing does not, the undoing of that does again, and so on."""
    does = True
    while cause.verb == "undo":
        (part,) = await core.store.history(core.scope, run=cause.detail["undoes"], limit=1, rows=False)
        cause, does = part.cause, not does
    return does


async def newest(core: Core, position: int) -> list[AuditPart]:
    """Return the newest parts up to a position, without their changes."""
    after = max(0, position - LOOKED_AT)
    return await core.store.history(core.scope, after=after, limit=LOOKED_AT, rows=False)


def find_interrupted_runs(recent: Sequence[AuditPart]) -> dict[str, int]:
    """Name the runs whose last part is missing, each with where it is; a finished undo clears a run it took back."""
    final = {part.cause.run for part in recent if part.cause.final}
    undone = {
        part.cause.detail.get("undoes") for part in recent if part.cause.verb == "undo" and part.cause.final
    }
    runs = {part.cause.run: part.position for part in recent}
    return {run: at for run, at in runs.items() if run not in final and run not in undone}


def run_id(run: Any) -> str:
    """Return the id of a run, from itself or from what came of it; what wrote nothing has none."""
    name: str | None = run if isinstance(run, str) else run.run
    if name is None or (isinstance(run, Receipt) and not run.changes):
        raise InvalidInput("nothing was written, so there is no run", recovery="list runs with `history`")
    return name
