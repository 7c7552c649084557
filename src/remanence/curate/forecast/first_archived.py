"""What time alone will bring: when a policy is due, and when each decay class is first archived.

Reads clocks at their present pace; decides nothing.
"""

from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from remanence.core.clock import DAY, SECOND, TIME_MAX
from remanence.core.guards import BUILT_IN
from remanence.core.model import Decay, Status
from remanence.core.snapshot import Bools, Floats, Ints, Snapshot, SnapshotRequest
from remanence.curate.language.derived import find_first_true
from remanence.curate.language.view import View
from remanence.curate.planner.protection import build_guard_input
from remanence.curate.policy.compiled import Policy, build_snapshot_request
from remanence.curate.policy.rules import Rule

HORIZON = 200 * 365 * DAY
_SAMPLE = 64


def build_forecast_request(policy: Policy) -> SnapshotRequest:
    """Say what of a scope must be read for `first_archives`."""
    request = build_snapshot_request(policy)
    return replace(request, columns=request.columns | {"decay"})


def first_archives(snapshot: Snapshot, policy: Policy, now: int) -> dict[Decay, int | None]:
    """Return for each decay class that stands when its first memory goes, to the second, if nothing but time passes.

    It goes where the condition of a rule that archives or prunes holds and no guard does. Rules with a window are left
    out: what they select is a matter of how many there are. The inbox counts as active, which it will be after the next
    consolidation. None where nothing goes within 200 years, or before 2255.
    """
    status = snapshot.columns["status"]
    view = View(snapshot, now, {"status": np.where(status == Status.INBOX, Status.ACTIVE, status)})
    decay = view.column("decay")
    standing = np.flatnonzero(
        view.find_standing() & np.isin(decay, list(Decay))
    )  # of no class nothing is foretold
    earliest = np.full(len(Decay), np.inf)
    for rule in policy.rules:
        if rule.effect.takes_reason and rule.over == "memories" and not rule.has_window:
            np.minimum(
                earliest,
                _find_earliest_strikes(_RuleForecast(view, policy, rule), standing, decay),
                out=earliest,
            )
    return {
        Decay(code): int(earliest[code]) if np.isfinite(earliest[code]) else None
        for code in np.unique(decay[standing]).tolist()
    }


@dataclass(frozen=True)
class _RuleForecast:
    """What one rule does to memories at instants to come, if the policy's guards let it."""

    view: View
    policy: Policy
    rule: Rule

    def strikes(self, rows: Ints, at: Floats) -> Bools:
        """Tell which rows the rule takes away, each at an instant of its own."""
        action, view = self.rule.effect.guarded, self.view
        hits: Bools = self.rule.node.run(view.on(self.rule.clock).take(rows, at))
        for guard in self.policy.guards:
            if action in guard.blocks:
                assert guard.node.no is not None
                hits = hits & guard.node.no(view.on(guard.clock).take(rows, at))
        for built_in in (one for one in BUILT_IN if action in one.blocks):
            hits = hits & ~built_in.holds(build_guard_input(view.take(rows, at), self.policy))
        return hits


def _find_earliest_strikes(fate: _RuleForecast, rows: Ints, decay: Ints) -> Floats:
    """Return for each class the first instant at which one of its rows is struck, infinite where none ever is.

    The first of a few rows is a bound for all: only those struck before it are looked at again, and of these a few.
    """
    now = float(fate.view.instant)
    horizon = min(now + HORIZON, float(TIME_MAX))
    earliest = np.full(len(Decay), np.inf)
    earliest[decay[rows[fate.strikes(rows, np.full(len(rows), now))]]] = now
    rows = rows[earliest[decay[rows]] > now]
    until = np.full(len(Decay), horizon)
    while len(rows := rows[fate.strikes(rows, until[decay[rows]])]):
        by_class = (rows[decay[rows] == code] for code in np.unique(decay[rows]))
        some = np.concatenate([own[:: max(1, len(own) // _SAMPLE)] for own in by_class])
        struck = find_first_true(
            partial(fate.strikes, some), np.full(len(some), now), until[decay[some]], SECOND
        )
        np.minimum.at(earliest, decay[some], struck)
        until = np.minimum(until, np.maximum(earliest - SECOND, now))
    return earliest
