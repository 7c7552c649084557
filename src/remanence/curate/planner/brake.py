"""How much a plan may destroy: what is let through, what waits, what counts for nothing, and when a plan is held.

Knows counts and how long each memory has been due; knows nothing of rules' meaning.
"""

from dataclasses import dataclass

import numpy as np

from remanence.core.clock import DAY, SECOND, ClockReading
from remanence.core.model import PolicyClass, Status
from remanence.core.snapshot import Bools, Floats, Ints, Snapshot
from remanence.core.timekeeping import Doubt, Marks, Present, doubt
from remanence.curate.language.derived import find_first_true
from remanence.curate.language.view import View
from remanence.curate.planner.diff import PlanDecision
from remanence.curate.policy.rules import Rule

DESTROYED_MIN = 10  # an automatic run may always destroy so many a day,
DESTROYED_SHARE = 0.05  # or this share of the scope, whichever is more
HELD_MIN, HELD_SHARE = 10, 0.25  # beyond the greater of these a plan needs a yes
TOMBSTONE_KEPT = 30 * DAY  # purged after that, a tombstone has waited as long as it was promised
_HORIZON = 10 * 365 * DAY


def allowance(snapshot: Snapshot) -> int:
    """Say how many more memories an automatic run may destroy today."""
    most = max(DESTROYED_MIN, int(snapshot.memories * DESTROYED_SHARE))
    return max(0, most - snapshot.destroyed_today)


@dataclass(frozen=True, slots=True)
class Hold:
    """Why a plan must not be applied; to a share of the scope somebody can say yes, to a clock in doubt nobody."""

    why: str
    clock: bool


def check_brake(snapshot: Snapshot, now: int, destroyed: int, *, automatic: bool = False) -> Hold | None:
    """Say what holds a plan, or None: the clock before the share; nobody says yes to an automatic one."""
    finding = _doubt(snapshot, now)
    if finding is not None and finding.cause != "gap":
        return Hold(f"{finding.why}; set it right, or accept it: `review settle clock accept`", clock=True)
    if finding is not None and automatic:
        why = f"{finding.why}; it goes on after a day, or when the clock is accepted: `review settle clock accept`"
        return Hold(why, clock=True)
    return _over_share(destroyed, snapshot.memories)


def find_hold(plan: PlanDecision) -> Hold | None:
    """Say what holds a plan that was made before: its clock, unless it says just what its share would say."""
    share = _over_share(plan.destroyed, plan.memories)
    if plan.held is None:
        return None
    return share if share is not None and share.why == plan.held else Hold(plan.held, clock=True)


def _over_share(destroyed: int, memories: int) -> Hold | None:
    if destroyed <= max(HELD_MIN, memories * HELD_SHARE):
        return None
    most = f"{HELD_SHARE:.0%}" if memories * HELD_SHARE > HELD_MIN else str(HELD_MIN)
    return Hold(f"it would destroy {destroyed} of {memories} memories, more than {most}", clock=False)


def find_exempt_rows(snapshot: Snapshot, now: int, rows: Ints, expired: Bools) -> Bools:
    """Tell which rows that go no limit counts: they go as was foreseen when they came.

    That is what `expired` by age and was ephemeral from arrival, which nothing becomes later; and tombstones that have
    been kept for as long as was promised.
    """
    status, since = (snapshot.columns[name][rows] for name in ("status", "status_at"))
    free: Bools = (status == Status.PRUNED) & np.less_equal(since, now - TOMBSTONE_KEPT)
    if expired.any():
        free |= expired & (snapshot.columns["policy_class"][rows] == PolicyClass.EPHEMERAL)
    return free


def notes(snapshot: Snapshot, now: int, *, automatic: bool = False) -> tuple[str, ...]:
    """Say what somebody who looks at a plan should know of the clock."""
    finding = _doubt(snapshot, now)
    return (finding.why,) if finding is not None and finding.cause == "gap" and not automatic else ()


def _doubt(snapshot: Snapshot, now: int) -> Doubt | None:
    """Say why the clock is in doubt; where nobody looked at the clocks, only the records can tell."""
    reading = ClockReading(now)
    return doubt(snapshot.present or Present(reading, Marks(believed=reading)), snapshot.newest_at)


def due_since(view: View, rule: Rule, rows: Ints) -> Floats:
    """Find, to the second, since when a rule's condition has held for each row, up to ten years back."""
    view, until = view.on(rule.clock), np.full(len(rows), float(view.instant))
    # A condition that held all the time is due since the beginning.
    return find_first_true(lambda at: rule.node.run(view.take(rows, at)), until - _HORIZON, until, SECOND)


def longest_due(view: View, due: list[tuple[Rule, Ints]]) -> Ints:
    """Order all rows by how long they have been due, the longest first, older memories before younger."""
    rows = np.concatenate([rows for _, rows in due])
    since = np.concatenate([due_since(view, rule, rows) for rule, rows in due])
    return rows[np.lexsort((rows, since))]
