"""Plans that were shown and wait for somebody to say yes.

Knows ids and how many may wait; must not know what is in a plan.
"""

import secrets
from dataclasses import dataclass
from typing import Any

from remanence.core.errors import InvalidInput, NotFound
from remanence.curate.planner.plan import Plan

WAITING_MAX = 16  # a plan of a large scope is megabytes; who has shown so many has forgotten the first


@dataclass(frozen=True, slots=True)
class Forgetting:
    """Memories that somebody asked to forget: their ids, each with the revision that was looked at."""

    revisions: dict[str, int]


class Plans:
    """The newest plans by id; each can be taken once."""

    def __init__(self) -> None:
        self._waiting: dict[str, Plan | Forgetting] = {}
        self._applied: dict[str, list[str]] = {}  # the runs of those that were applied, by the plans' ids

    def add(self, plan: Plan | Forgetting) -> str:
        """Keep a plan and return its id; the oldest goes where too many wait."""
        plan_id = f"plan-{secrets.token_hex(4)}"
        self._waiting[plan_id] = plan
        _shorten(self._waiting)
        return plan_id

    def record_runs(self, plan_id: str, runs: list[str]) -> None:
        """Note which runs did what a plan said."""
        self._applied[plan_id] = runs
        _shorten(self._applied)

    def take(self, plan_id: str) -> Plan | Forgetting:
        """Return a plan, which is then gone."""
        plan = self._waiting.pop(plan_id, None)
        if plan_id in self._applied:
            runs = ", ".join(self._applied[plan_id]) or "a run that had nothing to do"
            raise InvalidInput(
                f"{plan_id} was applied already by {runs}",
                recovery="plan again (or forget again) for what is to be done now, or undo that run",
            )
        if plan is None:
            raise NotFound(
                f"no plan {plan_id[:40]!r} waits here: it is too old, was refused, or was never made",
                recovery="plan again (or forget again) and apply the id that it answers",
            )
        return plan


def _shorten(kept: dict[str, Any]) -> None:
    """Let the oldest go where too many are kept."""
    while len(kept) > WAITING_MAX:
        del kept[next(iter(kept))]
