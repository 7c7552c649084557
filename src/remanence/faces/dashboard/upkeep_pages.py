"""What the pages of whoever runs the memory show: runs, erasing, settings, access tokens.

Knows which verbs to ask; must not know how what they answer is rendered.
"""

from typing import Any

from remanence.core.permissions import ROLES
from remanence.curate.policy.document import PRESETS
from remanence.engine import Engine
from remanence.faces.dashboard.visits import Visit
from remanence.flows.base.access_tokens import NewToken
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


SCOPES = 200
ERASURES = 20  # the newest


async def show_erasures(visit: Visit) -> dict[str, Any]:
    """Show what erasing would take away, and what was erased."""
    may_erase = visit.may("erase.show")
    erasures = await visit.compute("erasures", lambda memory: memory.history(verb="erase", limit=ERASURES))
    copies = await visit.memory.erase.show(copies=True) if visit.may("erase.show", copies=True) else []
    return {
        "may_erase": may_erase,
        "erasures": erasures.value,
        "copies": copies,
        "preview": await visit.find_shown("erase.show", visit.query.get("shown", "")),
        "proof": await visit.find_shown("erase.apply", visit.query.get("proof", "")),
    }


async def show_settings(visit: Visit) -> dict[str, Any]:
    """Show the numbers that hold for this scope, its policy, its frames, and how well the file is."""
    checks = None
    if "check" in visit.query and visit.may("doctor"):
        checks = await visit.compute("doctor", Engine.doctor)
    return {
        "settings": await visit.memory.settings.get(),
        "policy": visit.memory.policy.current,
        "policies": PRESETS,
        "frames": await visit.memory.frames.get(),
        "timetable": (await visit.memory.status()).schedule,
        "forbidden": await visit.memory.forbidden(),
        "scopes": (await visit.compute("scopes", lambda memory: memory.scopes.list(limit=SCOPES))).value
        if visit.may("scopes.list")
        else None,
        "checks": checks,
        "health": None if checks is None else checks.value,
    }


async def list_tokens(visit: Visit) -> dict[str, Any]:
    """List who may reach which scopes; a token itself is shown once, when it is made."""
    may_change = visit.may("token.add")
    tokens = await visit.memory.token.list() if may_change else [visit.token]
    name = visit.query.get("made", "")
    made = await visit.find_shown("token.add", name)
    if isinstance(made, NewToken):  # once: who loads the page again is told that it is gone
        await visit.shown.keep(visit.shown_by("token.add"), made.token, name=name)
    return {
        "tokens": tokens,
        "may_change": may_change,
        "roles": ROLES,
        "made": made if isinstance(made, NewToken) else None,
        "gone": made if made in tokens else None,
    }
