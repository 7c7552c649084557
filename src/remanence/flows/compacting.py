"""Episodes beyond a number become tombstones; what later work rests on stays, whatever its age (forge-loop).

What goes is decided by the preset `episodic-cap`; here it is carried out until exactly that is left.
"""

from collections.abc import Mapping
from typing import Any

from remanence.arguments import check_count
from remanence.curate.policy import load
from remanence.errors import Conflict
from remanence.flows import curating
from remanence.flows.core import RACES_MAX, Core

POLICY = "episodic-cap"
KEEP_MAX = 1_000_000_000


async def compact_episodic(core: Core, keep_recent: int) -> int:
    """Prune all episodes but the newest, and return how many really went.

    It is asked for by name, so neither the brake nor the adopted policy holds it; pins and holds do. What another
    process touched in between is judged anew.
    """
    policy = load(POLICY, overrides(keep_recent))
    pruned = 0
    for _ in range(RACES_MAX):
        plan = await curating.plan(core, policy)
        done = await curating.carry_out(core, plan, "compact")
        pruned += done.pruned
        if not done.skipped:
            return pruned
    raise Conflict((), f"episodes kept changing while they were compacted; {pruned} of them were pruned")


def overrides(keep_recent: int) -> Mapping[str, Mapping[str, Any]]:
    """Say to the preset how many episodes stay."""
    check_count("keep_recent", keep_recent, 0, KEEP_MAX)
    return {"newest-episodes": {"keep": {"rows": keep_recent}}}
