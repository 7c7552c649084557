"""Images of the audit that are past their time end, some parts at once: by a verb, and by the deep tick.

Decides how long they are kept; must not know how a store takes them away.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import takewhile

from remanence.core.change import Fence
from remanence.core.clock import DAY
from remanence.core.errors import PlanHeld
from remanence.core.results import Result, Time, minute_of, number, visible
from remanence.core.snapshot import SnapshotRequest
from remanence.curate.planner import brake
from remanence.flows.base import settings
from remanence.flows.base.context import Core
from remanence.store.base import Bookkeeping
from remanence.store.capabilities import IMAGE_EXPIRY, can
from remanence.store.undo_data_pruning import EXPIRE

_PAGE = 1_000
_ENDED = "expire/before"  # value: of before which day ticks have ended all images
PIECES_MAX = 10_000  # each of up to a thousand parts


@dataclass(frozen=True, slots=True, repr=False)
class ExpireResult(Result):
    """Result of deleting expired undo data: of audit parts older than `before`, except those that a memory keeps.

    `kept` counts the parts that still have some; `more` says that there was no time for all. `runs` log it.
    """

    at: int
    before: int
    parts: int = 0
    changes: int = 0
    kept: int = 0
    more: bool = False
    runs: tuple[str, ...] = ()

    time, before_time = Time("at"), Time("before")

    def __str__(self) -> str:
        keeps = f"; {number(self.kept, 'part', 'parts')} keep some" if self.kept else ""
        tail = "; more are due" if self.more else ""
        what = f"{number(self.changes, 'image', 'images')} of {number(self.parts, 'part', 'parts')} ended"
        return visible(f"{what}, older than {minute_of(self.before)}{keeps}{tail}")


@dataclass(frozen=True, slots=True, repr=False)
class DueImages(Result):
    """Undo data that the first round in a scope deletes at most: of audit parts since `first_at`, before `before`.

    Memories that are held, deleted or were purged recently keep theirs. `days` is how long undo data are kept.
    """

    parts: int
    changes: int
    first_at: int
    before: int
    days: int

    first_time, before_time = Time("first_at"), Time("before")

    def __str__(self) -> str:
        return visible(
            f"the first run of due jobs ends up to {number(self.changes, 'image', 'images')} of"
            f" {number(self.parts, 'part', 'parts')} of the audit, from {minute_of(self.first_at)} to"
            f" {minute_of(self.before)}: what they changed can then not be undone any more; to keep them longer than"
            f" {self.days} days: remanence settings audit_days DAYS"
        )


async def find_due_images(core: Core) -> DueImages | None:
    """Return which images the first tick ends; None where none is due, or some have ended before.

    Walks the old parts of the audit a thousand at a time, without what they changed.
    """
    if not can(core.store, IMAGE_EXPIRY):
        return None
    days = await settings.number(core, "audit_days")
    before = core.clock.now() - days * DAY
    before -= before % DAY
    due, after = DueImages(0, 0, 0, before, days), 0
    while True:
        page = await core.store.history(core.scope, after=after, limit=_PAGE, rows=False)
        old = list(takewhile(lambda part: part.cause.at < before, page))
        if any(part.ended_at is not None for part in old):
            return None
        if old:
            after = old[-1].position
            first_at = due.first_at or old[0].cause.at
            changes = due.changes + sum(part.count for part in old)
            due = replace(due, parts=due.parts + len(old), changes=changes, first_at=first_at)
        if len(old) < _PAGE:
            return due if due.changes else None


async def expire(
    core: Core, over: Callable[[], bool] = lambda: False, fence: Fence | None = None
) -> ExpireResult:
    """End the images that are past their time, until none is due or time is up.

    A tick, which has a `fence`, ends those of whole days, once a day: what came due since the tick before would leave a
    line each time, and to look for images that nothing keeps any more reads all that are kept. Raises PlanHeld where
    the clock is in doubt: nothing ends too early.
    """
    now = core.clock.now()
    # Of no memory: how many there are and the newest record are all that the brake asks for here.
    snapshot = await core.store.snapshot(core.scope, SnapshotRequest(frozenset(), only=()), now)
    snapshot = replace(snapshot, present=await core.watch.read_present())
    hold = brake.check_brake(snapshot, now, 0, automatic=True)
    if hold is not None:
        raise PlanHeld(
            f"no image ends: {hold.why}",
            recovery="set the clock right, or accept it: `remanence review settle clock accept`",
            destroyed=0,
            clock=True,
        )
    before = now - await settings.number(core, "audit_days") * DAY
    before -= before % DAY if fence is not None else 0
    total = ExpireResult(now, before)
    if fence is not None:
        ended = await core.store.bookkeep(core.scope, Bookkeeping(now, get=(_ENDED,)))
        if ended.values.get(_ENDED) == before:
            return total
    for _ in range(PIECES_MAX):
        cause = core.cause(EXPIRE, fence=fence)
        batch = await core.store.end_images(core.scope, before, cause)
        if not batch.position:
            total = replace(total, more=False)
            break
        total = replace(
            total,
            parts=total.parts + batch.parts,
            changes=total.changes + batch.changes,
            kept=total.kept + batch.kept,
            more=batch.left,
            runs=(*total.runs, cause.run),
        )
        if not batch.left or over():
            break
    if fence is not None and not total.more:
        await core.store.bookkeep(core.scope, Bookkeeping(now, put={_ENDED: before}, fence=fence))
    return total
