"""What the pages about curation show: a plan before it happens, what is to come, and what waits for a person.

Knows which verbs to ask; must not know how what they answer is rendered.
"""

import shlex
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from remanence.core.errors import RemanenceError
from remanence.core.owner import BY_ENGINE
from remanence.curate.planner.plan import Plan
from remanence.curate.planner.plan_report import PlanReport
from remanence.curate.policy.document import presets
from remanence.engine import Engine
from remanence.faces.dashboard.visits import Visit
from remanence.flows.base.settings import MIRROR_FOLDER
from remanence.flows.entities.joining import MERGE
from remanence.flows.inspect.inspect import Event
from remanence.flows.inspect.review import ReviewItem
from remanence.flows.mirror.hand_edits import FileEdit

LISTED = 8  # memories of each rule, before all are asked for
DAYS, DAYS_MAX = 30, 366
JOINED = 10  # entities that the engine joined last
PLAN = "plan"  # the name under which plans are worked out


@dataclass(frozen=True, slots=True)
class PlanShown:
    """A plan that somebody looks at, and what it says."""

    plan: Plan
    report: PlanReport


async def show_plan(visit: Visit) -> dict[str, Any]:
    """Show what a policy would do now: to what, why, what guards keep, and the tokens before and after."""
    policy = visit.read_policy()
    limit = visit.read_number("limit", LISTED, most=1_000)
    adopted = visit.memory.policy.current
    shown: dict[str, Any] = {
        "policies": presets(),
        "adopted": adopted if adopted.rules else None,
        "policy": policy,
        "limit": limit,
        "computed": None,
        "report": None,
        "totals": {},
    }
    if policy is None and not adopted.rules:
        return shown
    computed = await visit.compute(PLAN, lambda memory: _work_out(memory, policy, limit), policy, limit)
    report = computed.value.report if computed.value else None
    totals: Counter[str] = Counter()
    for act in report.acts if report is not None else ():
        totals[act.name] += act.count
    return {**shown, "computed": computed, "report": report, "totals": totals}


async def _work_out(memory: Engine, policy: str | None, limit: int) -> PlanShown:
    plan = await memory.plan(policy)
    return PlanShown(plan, await memory.describe_plan(plan, limit=limit))


def find_shown_plan(visit: Visit, digest: str, policy: str | None, limit: int) -> Plan | None:
    """Return the plan that was shown, by its digest; None where another one is shown by now."""
    shown = visit.computations.peek((visit.token, (PLAN, visit.scope, policy, limit)))
    return shown.plan if shown is not None and shown.report.digest == digest else None


async def show_forecast(visit: Visit) -> dict[str, Any]:
    """Show what leaves in the days to come if nothing but time passes, and when."""
    days = visit.read_number("days", DAYS, most=DAYS_MAX)
    policy = visit.read_policy()
    adopted = visit.memory.policy.current
    shown: dict[str, Any] = {
        "days": days,
        "policy": policy,
        "policies": presets(),
        "adopted": adopted if adopted.rules else None,
        "computed": None,
        "forecast": None,
    }
    if policy is None and not adopted.rules:
        return shown
    computed = await visit.compute(
        "forecast", lambda memory: memory.forecast(days, policy, limit=100), days, policy
    )
    return {**shown, "computed": computed, "forecast": computed.value}


@dataclass(frozen=True, slots=True)
class Choice:
    """One way to settle something: the form that does it, what it is called, and the fields that it sends."""

    form: str
    label: str
    fields: dict[str, Any]
    is_grave: bool = False


async def show_review(visit: Visit) -> dict[str, Any]:
    """Show all that waits for a person in one list, each with the ways to settle it."""
    limit = visit.read_number("limit", 20, most=200)
    after = visit.query.get("after")
    computed = await visit.compute(
        "review", lambda memory: memory.review.list(limit=limit, after=after), limit, after
    )
    waiting = computed.value
    edits, trouble = await _read_hand_edits(visit)
    unsettled = await visit.memory.erase.show_since() if visit.may("erase.show_since") else None
    return {
        "review": waiting,
        "computed": computed,
        "items": [
            {"item": item, "choices": build_choices(item)}
            for item in (waiting.items if waiting is not None else ())
        ],
        "joined": (await visit.compute("joined", _find_joined_entities)).value,
        "edits": edits,
        "edits_trouble": trouble,
        "unsettled": unsettled,
    }


def build_choices(item: ReviewItem) -> list[Choice]:
    """Return the ways to settle an item, as forms."""
    seqs = [memory.seq for memory in item.memories]
    match item.sort:
        case "contradiction":
            return _settle_contradiction(seqs, is_sure="they are at odds" not in item.commands)
        case "quarantine":
            return [
                Choice("accept", "Let it in", {"name": seqs[0]}),
                Choice("forget", "Delete it", {"name": seqs[0]}, is_grave=True),
                Choice(
                    "forget", "Delete it and refuse it from now on", {"name": seqs[0], "forbid": "yes"}, True
                ),
            ]
        case "proposal":
            return _settle_proposal(item, seqs)
        case "held plan":
            return (
                [Choice("accept-clock", "The clock is right", {})]
                if "the clock is right" in item.commands
                else []
            )
    run = item.what.split()[1]
    return [Choice("undo", "Take it back", {"run": run}, is_grave=True)]


def _settle_contradiction(seqs: Sequence[int], *, is_sure: bool) -> list[Choice]:
    one, other = seqs
    pair = {"a": one, "b": other}
    link = {"name": one, "target": other, "relation": "contradicts", "confidence": 1}
    return [
        Choice("resolve", f"#{one} holds", {**pair, "keep": one}),
        Choice("resolve", f"#{other} holds", {**pair, "keep": other}),
        Choice("resolve", "Both hold", pair),
        *([] if is_sure else [Choice("link", "They are at odds", link)]),
    ]


def _settle_proposal(item: ReviewItem, seqs: Sequence[int]) -> list[Choice]:
    new, *older = seqs
    if not older:
        tag = shlex.split(item.commands["decline it"])[-1]
        return [
            Choice("tag", f"Set {tag}", {"name": new, "tags": tag}),
            Choice("decline", "Decline", {"name": new, "what": tag}),
        ]
    decline = Choice("decline", "Decline", {"name": new, "what": older[0]})
    if "make them one" in item.commands:
        return [Choice("merge", "Make them one", {"keep": older[0], "other": new}), decline]
    return [Choice("supersede", f"Replace #{older[0]}", {"old": older[0], "by": new}), decline]


async def _find_joined_entities(memory: Engine) -> list[Event]:
    """Return what the engine joined by itself and nobody has taken apart since: a guess that a person may undo."""
    joined = await memory.history(verb=MERGE, limit=JOINED)
    undone = {event.detail.get("undoes") for event in await memory.history(verb="undo", limit=10 * JOINED)}
    return [event for event in joined if event.owner == str(BY_ENGINE) and event.run not in undone]


async def _read_hand_edits(visit: Visit) -> tuple[list[FileEdit], str]:
    """Return what was edited by hand in the mirror's files and waits, and why that could not be read."""
    if not visit.may("mirror.sync"):
        return [], ""
    folder = (await visit.memory.settings.get(MIRROR_FOLDER)).value
    if not folder or "edits" not in visit.query:  # a sync writes into the folder: only where it is asked for
        return [], ""
    try:
        return list((await visit.memory.mirror.sync(str(folder))).edits), ""
    except RemanenceError as error:
        return [], str(error)
