"""What the pages about curation show: a plan before it happens, what is to come, and what waits for a person.

Knows which verbs to ask; must not know how what they answer is rendered.
"""

from collections import Counter
from dataclasses import dataclass
from typing import Any

from remanence.core.errors import RemanenceError
from remanence.curate.planner.plan import Plan
from remanence.curate.planner.plan_report import PlanReport
from remanence.curate.policy.document import PRESETS
from remanence.engine import Engine
from remanence.faces.dashboard.visits import Visit
from remanence.flows.base.settings import MIRROR_FOLDER
from remanence.flows.curate.curating import describe
from remanence.flows.inspect.review import ReviewItem, SettlingWay
from remanence.flows.mirror.mirror_result import FileEdit

LISTED = 8  # memories of each rule, before all are asked for
DAYS, DAYS_MAX = 30, 366
_OF_LINK = ("target", "relation", "confidence")
_GRAVE = frozenset({"forget", "forbid", "undo"})
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
        "policies": PRESETS,
        "adopted": adopted if adopted.rules else None,
        "policy": policy,
        "limit": limit,
        "computed": None,
        "report": None,
        "totals": {},
    }
    if policy is None and not adopted.rules:
        return shown

    async def work_out(memory: Engine) -> PlanShown:
        done = await _work_out(memory, policy, limit)
        await visit.shown.keep(visit.shown_by(PLAN), done.plan, name=done.report.digest)
        return done

    computed = await visit.compute(PLAN, work_out, policy, limit)
    report = computed.value.report if computed.value else None
    totals: Counter[str] = Counter()
    for act in report.acts if report is not None else ():
        totals[act.name] += act.count
    return {**shown, "computed": computed, "report": report, "totals": totals}


async def _work_out(memory: Engine, policy: str | None, limit: int) -> PlanShown:
    plan = await memory.plan(policy)
    return PlanShown(plan, await describe(memory._core, plan, limit))  # noqa: SLF001 # a part of showing a plan, and no verb


async def show_forecast(visit: Visit) -> dict[str, Any]:
    """Show what leaves in the days to come if nothing but time passes, and when."""
    days = visit.read_number("days", DAYS, most=DAYS_MAX)
    policy = visit.read_policy()
    adopted = visit.memory.policy.current
    shown: dict[str, Any] = {
        "days": days,
        "policy": policy,
        "policies": PRESETS,
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
    """One way to settle something: the form that does it, what it is called, and the fields that it sends.

    Without a form it is a page that is looked at with these fields. `stands` is the memory that it lets hold.
    """

    form: str
    label: str
    fields: dict[str, Any]
    is_grave: bool = False
    stands: int | None = None


async def show_review(visit: Visit) -> dict[str, Any]:
    """Show all that waits for a person in one list, each with the ways to settle it."""
    limit = visit.read_number("limit", 20, most=200)
    after = visit.query.get("after")
    computed = await visit.compute(
        "review", lambda memory: memory.review.list(limit=limit, after=after), limit, after
    )
    waiting = computed.value
    edits, trouble = await _read_hand_edits(visit)
    unsettled = None
    if visit.may("erase.show", since=True):
        unsettled = await visit.memory.erase.show(since=True)
    return {
        "review": waiting,
        "computed": computed,
        "items": [
            {"item": item, "choices": build_choices(item)}
            for item in (waiting.items if waiting is not None else ())
        ],
        "edits": edits,
        "edits_trouble": trouble,
        "unsettled": unsettled,
    }


def build_choices(item: ReviewItem) -> list[Choice]:
    """Return the ways to settle an item, each in its words; a plan is looked at and applied on its own page."""
    return [_build_choice(way, item) for way in item.ways]


def _build_choice(way: SettlingWay, item: ReviewItem) -> Choice:
    given, words = dict(way.arguments), f"{way.words[0].upper()}{way.words[1:]}"
    match way.verb:
        case "review.settle":
            choice = str(given["choice"])
            is_memory = item.sort == "contradiction" and choice.isdigit()
            return Choice("settle", words, given, choice in _GRAVE, int(choice) if is_memory else None)
        case "link":
            fields = {"name": given["source"], **{name: given[name] for name in _OF_LINK}}
            return Choice("link", words, fields)
    policy = given.get("policy")  # the page takes presets alone; what is adopted needs no name
    shown = {"policy": policy if policy in PRESETS else None, "allow_destroyed": given.get("allow_destroyed")}
    return Choice("", words, shown)


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
