"""When the rules of a scope are due, how cadences stretch and back off, and until when nothing will be due.

Knows when rules were judged, what work goes on beside and when the parts of conditions change their truth; plans
nothing itself, and reads no clock and no store. How long a scope rests may be said too early, never too late.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import lru_cache, partial
from typing import Any, Literal, TypeAlias, get_args

import numpy as np

from remanence.core.clock import DAY, HOUR, MINUTE, SECOND, TIME_MAX
from remanence.core.effects import ACTIONS
from remanence.core.errors import InvalidInput
from remanence.core.guards import RESTORED_FOR
from remanence.core.keywords import CadenceName
from remanence.core.model import STANDING, Severity
from remanence.core.snapshot import Bools, Floats, Ints, Snapshot
from remanence.core.timescale import ClockName, Timescale
from remanence.curate.language.derived import find_first_true
from remanence.curate.language.view import TAGGED_AT, Array, LinkView, Node, View, visible
from remanence.curate.planner.cycle import DWELL, dwells
from remanence.curate.planner.plan import Plan, plan
from remanence.curate.planner.snapshot_update import apply_plan_to_snapshot
from remanence.curate.planner.state import find_shared_conditions
from remanence.curate.planner.windows import Sight, select, sort_key
from remanence.curate.policy.compiled import Policy
from remanence.curate.policy.rules import EVERY, Rule

Mode = Literal["idle", "background", "minimal"]
CADENCES: Sequence[CadenceName] = get_args(CadenceName)
assert list(CADENCES) == sorted(EVERY, key=lambda name: EVERY[name])
# How long one tick may take, looked at between parts (A.5 of the Jochi design).
WITHIN: Mapping[CadenceName, int] = {
    "rapid": 2 * SECOND,
    "standard": 5 * SECOND,
    "hourly": 10 * SECOND,
    "deep": 30 * SECOND,
}
STRETCH: Mapping[Mode, float] = {"idle": 0.5, "background": 1.0, "minimal": 3.0}  # 2.5, 5 and 15 minutes
SWITCH_AFTER = 5 * MINUTE  # so long a mode stays, and
SWITCH_SEEN = 2  # so many looks in a row must ask for another
QUIET_FOR = 10 * MINUTE  # without agents and tasks it is idle
AGENT_SEEN = 90 * SECOND  # an agent is at work whose heart beat within that time
AGENTS_MANY = 4
MEMORY_MOST = 0.7  # of the machine's
DIRTY_MIN, DIRTY_SHARE = 50, 0.2  # so many changes, and so much of the scope, make a tick due before its time
MISSED_MANY = 3
DOUBLINGS_MAX = 8  # of the time between two tries


@dataclass(frozen=True, slots=True)
class Load:
    """What goes on in a scope: agents at work, whether a task is in progress or a grave one is pending.

    `memory` is the share of the machine's memory that this process takes, None where nobody knows; `overran` whether
    the last tick took longer than it may.
    """

    agents: int = 0
    working: bool = False
    urgent: bool = False
    memory: float | None = None
    overran: bool = False


@dataclass(frozen=True, slots=True)
class ModeState:
    """Which mode a scope is in and since when, which one was asked for last, how often in a row, and the last work."""

    mode: Mode = "background"
    since: int = 0
    wish: Mode = "background"
    seen: int = 0
    busy_at: int | None = None

    def after(self, load: Load, now: int) -> "ModeState":
        """Return the mode after another look: another one only if it is asked for twice, and this one has lasted."""
        is_busy = bool(load.agents or load.working or self.busy_at is None or self.busy_at > now)
        busy_at = now if is_busy or self.busy_at is None else self.busy_at
        wish: Mode
        if load.agents >= AGENTS_MANY or load.urgent or load.overran or (load.memory or 0.0) > MEMORY_MOST:
            wish = "minimal"
        elif not load.agents and not load.working and now - busy_at >= QUIET_FOR:
            wish = "idle"
        else:
            wish = "background"
        seen = self.seen + 1 if wish == self.wish else 1
        since = min(self.since, now)
        if wish != self.mode and seen >= SWITCH_SEEN and now - since >= SWITCH_AFTER:
            return ModeState(wish, now, wish, seen, busy_at)
        return replace(self, since=since, wish=wish, seen=seen, busy_at=busy_at)


@dataclass(frozen=True, slots=True)
class CadenceIntervals:
    """How long after it was judged last the rules of each cadence are due again, in microseconds."""

    intervals: Mapping[CadenceName, int] = field(
        default_factory=lambda: {name: EVERY[name] for name in CADENCES}
    )

    def scale_to_mode(self, mode: Mode) -> "CadenceIntervals":
        """Return the pace of a mode."""
        return CadenceIntervals({name: int(every * STRETCH[mode]) for name, every in self.intervals.items()})

    def due(self, last: Mapping[str, int], now: int) -> CadenceName | None:
        """Return the slowest cadence that is due; what was judged at a later time than now is."""
        for name in reversed(CADENCES):
            at = last.get(name)
            if at is None or not at <= now < at + self.intervals[name]:
                return name
        return None

    def next_at(self, last: Mapping[str, int], name: CadenceName) -> int:
        """Return when a cadence is due again."""
        return last.get(name, -self.intervals[name]) + self.intervals[name]

    def count_missed_runs(self, name: CadenceName, expected: int, now: int) -> int:
        """Count how many runs have not taken place that were due from some instant on."""
        return max(0, (now - expected) // self.intervals[name])


def with_quicker(cadence: CadenceName) -> tuple[CadenceName, ...]:
    """Return a cadence and those that are quicker: their rules are judged together."""
    return tuple(CADENCES[: CADENCES.index(cadence) + 1])


def pick_slower(one: CadenceName | None, other: CadenceName | None) -> CadenceName | None:
    """Return the slower of two cadences, either of which may be none."""
    return max((name for name in (one, other) if name is not None), key=CADENCES.index, default=None)


def is_dirty(changes: int, memories: int) -> bool:
    """Tell whether so much has changed that a tick is due before its time."""
    return changes > DIRTY_MIN + DIRTY_SHARE * memories


def retry_at(now: int, failures: int, pace: CadenceIntervals) -> int:
    """Say when something that failed so often in a row is tried again: later each time, within the slowest cadence."""
    return now + min(pace.intervals["rapid"] << min(failures, DOUBLINGS_MAX), pace.intervals["deep"])


@dataclass(frozen=True, slots=True)
class Failure:
    """Work that failed: how often in a row, when last and why, and when it is tried again."""

    count: int
    at: int
    until: int
    reason: str


@dataclass(frozen=True, slots=True)
class Calm:
    """Until when rules do nothing, as long as the scope stands at a position."""

    position: int
    until: int


@dataclass(frozen=True, slots=True)
class Record:
    """What ticks keep of a scope.

    `last` is when the rules of each cadence were judged, `position` where the scope stood when any were judged last,
    `cursor` the work that the next tick begins with where time was up, `unfinished` the cadence whose plan was not
    carried out to its end. `promised` tells whether something ticks by itself, so that a run can be missed.
    """

    at: int = 0
    position: int = 0
    memories: int = 0
    last: Mapping[str, int] = field(default_factory=dict)
    intervals: Mapping[str, int] = field(default_factory=dict)
    moded: ModeState = field(default_factory=ModeState)
    calm: Mapping[str, Calm] = field(default_factory=dict)
    failures: Mapping[str, Failure] = field(default_factory=dict)
    cursor: str = ""
    unfinished: CadenceName | None = None
    deferred: int = 0
    overran: bool = False
    mirrored: int = 0
    promised: bool = False

    @classmethod
    def read(cls, kept: Mapping[str, Any] | None) -> "Record":
        """Read back what `values` wrote; a scope that no tick has come to has nothing."""
        if kept is None:
            return cls()
        parts = {
            "moded": ModeState(**kept["moded"]),
            "calm": {name: Calm(**one) for name, one in kept["calm"].items()},
            "failures": {name: Failure(**one) for name, one in kept["failures"].items()},
        }
        return cls(**{**kept, **parts})

    def values(self) -> dict[str, Any]:
        """Return the same as plain values."""
        return asdict(self)

    @property
    def pace(self) -> CadenceIntervals:
        """The pace at which it was ticked last, in the mode that it is in."""
        by_cadence = {name: self.intervals[name] for name in CADENCES if name in self.intervals}
        return (CadenceIntervals(by_cadence) if by_cadence else CadenceIntervals()).scale_to_mode(
            self.moded.mode
        )

    def compute_due_at(self, pace: CadenceIntervals, name: CadenceName, position: int) -> int:
        """Return when the rules of a cadence are to be judged next, given where the scope stands."""
        due, calm = pace.next_at(self.last, name), self.calm.get(name)
        return due if calm is None or calm.position != position else max(due, calm.until)

    def record_failure(self, name: str, at: int, reason: str, until: int) -> "Record":
        """Return it with one more failure of some work."""
        count = self.failures[name].count + 1 if name in self.failures else 1
        return replace(self, failures={**self.failures, name: Failure(count, at, until, reason)})

    def remove_failures(self, name: str) -> "Record":
        """Return it without failures of some work."""
        if name not in self.failures:
            return self
        return replace(self, failures={one: failure for one, failure in self.failures.items() if one != name})

    def record_judgement(
        self, names: Sequence[CadenceName], now: int, plan: Plan, calm: Mapping[CadenceName, Calm]
    ) -> "Record":
        """Return it once the rules of some cadences were judged by a plan, and for how long each do nothing more."""
        last: dict[str, int] = {**self.last, **dict.fromkeys(names, now)}
        calms = {name: one for name, one in self.calm.items() if name not in names}
        calms |= {name: calm[name] for name in names if name in calm}
        return replace(self, last=last, calm=calms, deferred=sum(len(one.seqs) for one in plan.deferred))


def tasks(snapshot: Snapshot) -> tuple[bool, bool]:
    """Tell whether a task is in progress, and whether a grave one is pending."""
    columns, names = snapshot.columns, snapshot.names
    if "task" not in names["category"]:
        return False, False
    is_task = columns["category"] == names["category"].index("task")
    is_task &= np.logical_or.reduce([columns["status"] == status for status in STANDING])
    states = {name: code for code, name in enumerate(names["state"])}
    grave = np.greater_equal(columns["severity"], Severity.HIGH)
    working = is_task & (columns["state"] == states.get("in_progress", -2))
    urgent = is_task & (columns["state"] == states.get("pending", -2)) & grave
    return bool(working.any()), bool(urgent.any())


def due(policy: Policy, scales: Mapping[ClockName, Timescale], last_curate_at: int | None, now: int) -> bool:
    """Tell whether a policy's interval has passed on its clock; a policy without one runs only when asked.

    What never ran is due at once. `scales` are those of `timescale.scales`.
    """
    if policy.interval is None:
        return False
    return last_curate_at is None or bool(
        _measure_elapsed(policy, scales, last_curate_at, now) >= policy.interval
    )


def due_at(
    policy: Policy, scales: Mapping[ClockName, Timescale], last_curate_at: int | None, now: int
) -> int | None:
    """Return when a policy is next due at its clock's present pace: now if it is, None if never before 2255."""
    if due(policy, scales, last_curate_at, now):
        return now
    if not due(policy, scales, last_curate_at, TIME_MAX):
        return None

    def holds(at: Floats) -> Bools:
        return np.array([due(policy, scales, last_curate_at, int(at[0]))])

    return int(find_first_true(holds, np.array([float(now)]), np.array([float(TIME_MAX)]))[0])


def _measure_elapsed(policy: Policy, scales: Mapping[ClockName, Timescale], since: int, until: int) -> float:
    if policy.clock == "wall":
        return until - since
    scale = scales.get(policy.clock)
    if scale is None:
        raise InvalidInput(
            f"the {policy.clock} clock was not read", recovery="take a snapshot with wanted(policy)"
        )
    return float(scale.at(until) - scale.at(since))


# How far ahead it looks; what has no single instant is tried in turn.
HORIZONS = (DAY, 6 * HOUR, HOUR, 15 * MINUTE)
# Words whose values change as time passes: those that run straight on, and those that fade.
STRAIGHT = frozenset({"age", "idle", "now"})
FADING = frozenset({"recency", "score", "uses", "decayed_weight"})
_MOVING = STRAIGHT | FADING
_ENDS = ("both(", "either(")  # conditions on the memories at the ends of a link
_PAST = 1  # microsecond: what is as true as now up to an instant may be otherwise from the next one on
_BY_DAY = frozenset({"uses"})  # of those that fade, what changes at midnight alone, UTC
# Actions of which a plan says all that they write.
CARRIED = frozenset(effect.name for effect in ACTIONS if effect.is_foreseen)
# Rows, and for each up to when a part is as true of it as now.
Crossings: TypeAlias = list[tuple[Ints, Floats]]
# Of which rows something is true, and of which false.
Truth: TypeAlias = tuple[Bools, Bools]


def calm_until(snapshot: Snapshot, policy: Policy, made: Plan) -> int | None:
    """Say until when time alone makes a policy do nothing, as this plan of it does; None if nobody can tell."""
    if not made.empty or made.deferred or made.held:
        return None
    return _calm_until(_Outlook(View(snapshot, made.now, shared=find_shared_conditions(policy))), policy)


def calm_after(
    snapshot: Snapshot, policy: Policy, made: Plan, rest: View | None = None
) -> dict[CadenceName, int]:
    """Say the same of the rules of each cadence, once a plan was done whole and if nobody else writes.

    `rest` is the view that it leaves, where `decide` knew that another plan on it does nothing.
    """
    if made.deferred or made.held or not {action for action, _, _ in made.by_rule} <= CARRIED:
        return {}
    outcome = apply_plan_to_snapshot(snapshot, made)
    if rest is None:
        made = plan(outcome, policy, made.now, automatic=True)
        if not made.empty or made.deferred or made.held:
            return {name: made.now + HORIZONS[0] for name in CADENCES if not _select_rules(policy, name)}
        outlook = _Outlook(View(outcome, made.now, shared=find_shared_conditions(policy)))
    else:
        outlook = _Outlook(
            rest.replace_snapshot(outcome, {f"{TAGGED_AT}{tag}" for _, tag, _ in made.iterate_tag_changes()})
        )
    calm: dict[CadenceName, int | None] = {}
    for name in CADENCES:
        rules = _select_rules(policy, name)
        # Of a cadence without rules it is known that it does nothing.
        calm[name] = _calm_until(outlook, replace(policy, rules=rules)) if rules else made.now + HORIZONS[0]
    return {name: until for name, until in calm.items() if until is not None}


def _select_rules(policy: Policy, cadence: CadenceName) -> tuple[Rule, ...]:
    return tuple(rule for rule in policy.rules if rule.every == cadence)


@lru_cache(maxsize=1_024)
def _may_cross_twice(node: Node) -> bool:
    """True if a part of a condition may change its truth twice."""
    return any(_crosses_twice(part) for part in _find_moving_parts(node))


@dataclass(frozen=True, eq=False)
class _Outlook:
    """A scope now and at later instants, which rules of several cadences are asked at; each is looked at once."""

    now: View
    later: dict[int, View] = field(default_factory=dict)
    truths: dict[str, Truth] = field(default_factory=dict)
    crossings: dict[tuple[int, str], Crossings] = field(default_factory=dict)

    def at(self, instant: int) -> View:
        """Return the scope as it stands at an instant."""
        if instant == self.now.instant:
            return self.now
        if instant not in self.later:
            self.later[instant] = View(self.now.snapshot, instant, shared=self.now.shared)
        return self.later[instant]

    def views_until(self, instant: int) -> tuple[View, View, View]:
        """Return the scope as it stands now, at an instant and halfway."""
        now = int(self.now.instant)
        return self.now, self.at(now + (instant - now) // 2), self.at(instant)

    def truth(self, node: Node) -> Truth:
        """Return where a condition is true now and where it is false."""
        if node.text not in self.truths:
            self.truths[node.text] = _evaluate_truth(node, self.now)
        return self.truths[node.text]

    def any_holds(self, rules: Iterable[Rule]) -> Bools:
        """Tell of which memories the condition of any of some rules is true now."""
        nobody = np.zeros(len(self.now), np.bool_)
        mask: Bools = np.logical_or.reduce([nobody, *(self.truth(rule.node)[0] for rule in rules)])
        return mask

    def find_change(self, node: Node, span: tuple[int, int], among: Callable[[], Bools] | None = None) -> int:
        """Return up to when a condition is as true as now, of all memories or of some; the first of a span at most.

        The parts of conditions are looked at up to the second.
        """
        until, horizon = span
        crossings = list[tuple[Ints, Floats]]()
        for rows, instants in (
            one for part in _find_moving_parts(node) for one in self._find_crossings(part, horizon)
        ):
            early = instants < until
            if early.any():
                crossings.append((rows[early], instants[early]))
        if not crossings:
            return until
        rows, instants = (np.concatenate(both) for both in zip(*crossings, strict=True))
        if among is not None:
            mask = among()[rows]
            rows, instants = rows[mask], instants[mask]
        then, (yes, no) = self.now.take(rows, instants + _PAST), self.truth(node)
        differs = node.run(then) != yes[rows]
        if node.no is not None:
            differs |= node.no(then) != no[rows]
        return int(min(instants[differs].min(initial=np.inf), until))

    def _find_crossings(self, part: Node, horizon: int) -> Crossings:
        if (horizon, part.text) not in self.crossings:
            self.crossings[horizon, part.text] = list(
                _find_crossings_between(part, self.views_until(horizon))
            )
        return self.crossings[horizon, part.text]


def _calm_until(outlook: _Outlook, policy: Policy) -> int | None:
    """Say until when time alone makes a policy do nothing that does nothing now; None if nobody can tell."""
    clocks = {rule.clock for rule in policy.rules} | {guard.clock for guard in policy.guards}
    if not (clocks <= {"wall"} and all(rule.over != "pairs" for rule in policy.rules)):
        return None
    now = int(outlook.now.instant)
    until = horizon = min([now + HORIZONS[0], *_iterate_ends(outlook, policy)])
    rules = [rule for rule in policy.rules if rule.over == "memories"]
    nodes = [*(rule.node for rule in rules), *(guard.node for guard in policy.guards)]
    if any(map(_may_cross_twice, nodes)):
        return None
    for rule in rules:
        until = outlook.find_change(rule.node, (until, horizon))
    for guard in policy.guards:
        if guard.node.mentions & _MOVING:
            blocked_rules = [rule for rule in rules if not _list_guarded_acts(rule).isdisjoint(guard.blocks)]
            until = outlook.find_change(
                guard.node, (until, horizon), partial(outlook.any_holds, blocked_rules)
            )
    return _as_far(outlook, policy, (now, until))


def _iterate_ends(outlook: _Outlook, policy: Policy) -> Iterator[int]:
    """Yield when holds and the rest of what was restored end, when rules may fire again and what has moved may move."""
    view = outlook.now
    now, holds, fired_at = view.instant, view.column("hold_until"), view.snapshot.fired
    coming = holds[np.greater(holds, now)]
    yield from [int(coming.min())] if len(coming) else []
    yield from (at + RESTORED_FOR for at in view.snapshot.restored.values() if at + RESTORED_FOR > now)
    times = (fired_at[rule.name] + (rule.period or 0) for rule in policy.rules if rule.name in fired_at)
    yield from (at for at in times if at > now)
    for rule in filter(dwells, policy.rules):
        elsewhere = outlook.truth(rule.node)[0] & (view.column("tier") != rule.target)
        free = np.sort(view.column("tier_at")[elsewhere] + DWELL)
        yield from (int(at) for at in free[free > now][:1])


def _list_guarded_acts(rule: Rule) -> set[str]:
    """Name what guards must let pass for a rule to act, or to count what it may not touch."""
    shrinks = {rule.shortening.guarded} if rule.shortening is not None else set()
    return {rule.effect.guarded, rule.last_effect.guarded} | shrinks


def _as_far(outlook: _Outlook, policy: Policy, span: tuple[int, int]) -> int | None:
    """Look how far windows keep their order and conditions on links stay as they are, up to an instant."""
    now, until = span
    over_links = [rule.node for rule in policy.rules if rule.over == "links"]
    windows = [
        rule
        for rule in policy.rules
        if rule.has_window and any(node.mentions & _MOVING for node, _ in rule.order)
    ]
    if not over_links and not windows:
        return until if until > now else None
    for horizon in HORIZONS:
        end = min(until, now + horizon)
        views = list(outlook.views_until(end))
        edges = visible(views[0]) if over_links else None
        on_links = [LinkView(view, edges) for view in views] if edges is not None else []
        if (not on_links or _has_same_parts(on_links, over_links)) and all(
            _keeps_order(rule, views) for rule in windows
        ):
            return end if end > now else None
    return None


def _find_crossings_between(part: Node, views: tuple[View, View, View]) -> Iterator[tuple[Ints, Floats]]:
    """Yield which memories a part changes its truth of, and up to when it does not."""
    begin, *later = views
    if part.turns is not None:
        at = part.turns(begin)
        (rows,) = ((at >= begin.instant) & (at < later[-1].instant)).nonzero()
        yield rows, at[rows]
        return
    if part.mentions & _MOVING == _BY_DAY:
        if begin.instant // DAY == later[-1].instant // DAY:
            return
        (rows,) = _mark_differing(_evaluate_truth(part, begin), _evaluate_truth(part, later[-1])).nonzero()
        yield rows, np.full(len(rows), (begin.instant // DAY + 1) * DAY - _PAST, np.float64)
        return
    before, since = _evaluate_truth(part, begin), begin
    for view in later:
        after = _evaluate_truth(part, view)
        (rows,) = _mark_differing(before, after).nonzero()
        if len(rows):
            there = before[0][rows], before[1][rows]
            yield rows, _find_change_times(part, begin, rows, there, (since.instant, view.instant))
        before, since = after, view


def _find_change_times(part: Node, view: View, rows: Ints, before: Truth, span: tuple[int, int]) -> Floats:
    """Find by halving up to when a part is as true as before."""
    since, until = (np.full(len(rows), at, np.float64) for at in span)
    times = find_first_true(
        lambda at: _mark_differing(_evaluate_truth(part, view.take(rows, at)), before), since, until
    )
    return times - _PAST


def _evaluate_truth(part: Node, view: View) -> Truth:
    """Return where a part is true and where it is false."""
    yes = part.run(view)
    return yes, ~yes if part.no is None else part.no(view)


def _mark_differing(one: Truth, other: Truth) -> Bools:
    """Tell of which rows a part is not as true or as false."""
    different: Bools = (one[0] != other[0]) | (one[1] != other[1])
    return different


def _has_same_parts(views: list[View] | list[LinkView], nodes: Iterable[Node]) -> bool:
    """Tell whether the parts of conditions are as true at each instant as at the first."""
    return all(
        not _crosses_twice(part)
        and _is_same(
            part,
            [view.memories if of_memories and isinstance(view, LinkView) else view for view in views],
        )
        for part, of_memories in _iterate_parts(nodes, isinstance(views[0], View))
    )


@lru_cache(maxsize=1_024)  # conditions of a few policies
def _find_moving_parts(node: Node) -> tuple[Node, ...]:
    """Return the parts of a condition on memories that time may turn."""
    return tuple(part for part, _ in _iterate_parts([node], True) if part.mentions & _MOVING)


def _iterate_parts(nodes: Iterable[Node], of_memories: bool) -> Iterator[tuple[Node, bool]]:
    """Yield once the truths of which conditions are made and that are made of none, and whether of memories."""
    stack = [(node, of_memories) for node in nodes]
    seen: set[tuple[str, bool]] = set()
    while stack:
        node, outer = stack.pop()
        if (node.text, outer) in seen:
            continue
        seen.add((node.text, outer))
        stack += [(part, outer or node.text.startswith(_ENDS)) for part in node.parts]
        if node.type == "truth" and not any(part.type == "truth" for part in node.parts):
            yield node, outer


def _crosses_twice(part: Node) -> bool:
    """Tell whether a comparison may change its truth twice: something that fades against anything else that moves."""
    fading = sum(part.text.count(word) for word in part.mentions & FADING)
    return fading > 1 or bool(fading and part.mentions & STRAIGHT)


def _is_same(part: Node, views: list[View | LinkView]) -> bool:
    first, *later = ((part.run(view), part.no(view) if part.no is not None else None) for view in views)
    return all(_equal_arrays(first[0], yes) and _equal_arrays(first[1], no) for yes, no in later)


def _equal_arrays(one: Array | None, other: Array | None) -> bool:
    return one is other or (one is not None and other is not None and bool(np.array_equal(one, other)))


def _keeps_order(rule: Rule, views: list[View]) -> bool:
    """Tell whether a window chooses the same at each instant, as it does where it lets all stand."""
    matches = np.flatnonzero(rule.node.run(views[0]))
    standing = views[0].find_standing()
    if not len(matches):
        return True
    nobody = np.zeros(len(standing), np.bool_)
    # Of a ladder the first rung may take all, the last finds nothing made shorter: more than the cycle selects.
    sight = Sight(~nobody, nobody, ~nobody if rule.effect.form is not None else nobody)
    if rule.keep is not None and not len(select(rule, views[0], matches, sight).rows):
        return True
    orders = [
        np.lexsort([sort_key(some, node, descending, False) for node, descending in reversed(rule.order)])
        for some in (view.take(matches) for view in views)
    ]
    return all(np.array_equal(orders[0], order) for order in orders[1:])
