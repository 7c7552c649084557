"""What the pages about the past show: runs as a timeline, and one run with what it did.

Knows which verbs to ask; must not know how what they answer is rendered.
"""

from typing import Any

from remanence.faces.dashboard.visits import Visit
from remanence.flows.inspect.inspect import AUDITED

LISTED = 40
MEMORIES = 20  # of each action of a run, before all are asked for


async def list_runs(visit: Visit) -> dict[str, Any]:
    """List what was done, newest first."""
    limit = visit.read_number("limit", LISTED, most=1_000)
    runs = await visit.memory.history(
        limit=limit + 1, verb=visit.query.get("verb"), after=visit.query.get("after")
    )
    shown = runs[::-1][:limit]  # the newest are asked for, and come in their order
    return {"verbs": sorted(AUDITED), "runs": shown, "more": shown[-1].run if len(runs) > limit else None}


async def show_run(visit: Visit) -> dict[str, Any]:
    """Show what a run did, to which memories, by which rules and why, and how to take it back."""
    limit = visit.read_number("limit", MEMORIES, most=10_000)
    return {"run": await visit.memory.history(run=visit.names["name"], limit=limit), "limit": limit}
