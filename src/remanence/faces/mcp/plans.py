"""Plans that were shown and wait for somebody to say yes.

Knows ids and how many may wait; must not know what is in a plan.
"""

import secrets
from dataclasses import dataclass

from remanence.curate.plan import Plan
from remanence.errors import NotFound

WAITING_MAX = 16  # a plan of a large scope is megabytes; who has shown so many has forgotten the first


@dataclass(frozen=True, slots=True)
class Forgetting:
    """Memories that somebody asked to forget: their ids, each with the revision that was looked at."""

    revisions: dict[str, int]


class Plans:
    """The newest plans by id; each can be taken once."""

    def __init__(self) -> None:
        self._waiting: dict[str, Plan | Forgetting] = {}

    def add(self, plan: Plan | Forgetting) -> str:
        """Keep a plan and return its id; the oldest goes where too many wait."""
        plan_id = f"plan-{secrets.token_hex(4)}"
        self._waiting[plan_id] = plan
        while len(self._waiting) > WAITING_MAX:
            del self._waiting[next(iter(self._waiting))]
        return plan_id

    def take(self, plan_id: str) -> Plan | Forgetting:
        """Return a plan, which is then gone."""
        plan = self._waiting.pop(plan_id, None)
        if plan is None:
            raise NotFound(
                f"no plan {plan_id[:40]!r} waits here: it was applied, is too old, or was never made",
                recovery="plan again (or forget again) and apply the id that it answers",
            )
        return plan
