"""How long a scope in which nothing is due stays so, if nobody writes: what lets whoever looks pass it by.

Knows conditions and when the truth of their parts changes; plans nothing. An answer may be too early, never too late.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from typing import TypeAlias

import numpy as np

from remanence.core.clock import DAY, HOUR, MINUTE
from remanence.core.effects import ACTIONS
from remanence.core.guards import RESTORED_FOR
from remanence.core.keywords import CadenceName
from remanence.core.snapshot import Bools, Floats, Ints, Snapshot
from remanence.curate.language.derived import find_first_true
from remanence.curate.language.view import TAGGED_AT, Array, LinkView, Node, View, visible
from remanence.curate.planner.carried import apply_plan_to_snapshot
from remanence.curate.planner.cycle import DWELL, dwells
from remanence.curate.planner.plan import Plan, plan
from remanence.curate.planner.state import find_shared_conditions
from remanence.curate.planner.windows import Sight, select, sort_key
from remanence.curate.policy.compiled import Policy
from remanence.curate.policy.rules import Rule
from remanence.curate.schedule.cadence import CADENCES

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
    return _calm_until(_Instants(View(snapshot, made.now, shared=find_shared_conditions(policy))), policy)


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
        instants = _Instants(View(outcome, made.now, shared=find_shared_conditions(policy)))
    else:
        instants = _Instants(
            rest.replace_snapshot(outcome, {f"{TAGGED_AT}{tag}" for _, tag, _ in made.iterate_tag_changes()})
        )
    calm: dict[CadenceName, int | None] = {}
    for name in CADENCES:
        rules = _select_rules(policy, name)
        # Of a cadence without rules it is known that it does nothing.
        calm[name] = _calm_until(instants, replace(policy, rules=rules)) if rules else made.now + HORIZONS[0]
    return {name: until for name, until in calm.items() if until is not None}


def _select_rules(policy: Policy, cadence: CadenceName) -> tuple[Rule, ...]:
    return tuple(rule for rule in policy.rules if rule.every == cadence)


@lru_cache(maxsize=1_024)
def _may_cross_twice(node: Node) -> bool:
    """True if a part of a condition may change its truth twice."""
    return any(_crosses_twice(part) for part in _find_moving_parts(node))


@dataclass(frozen=True, eq=False)
class _Instants:
    """A scope now and at later instants, which rules of several cadences are asked at."""

    now: View
    later: dict[int, View] = field(default_factory=dict)
    foreseen: dict[int, "_Foreseen"] = field(default_factory=dict)
    truths: dict[str, Bools] = field(default_factory=dict)

    def at(self, instant: int) -> View:
        """Return the scope as it stands at an instant."""
        if instant == self.now.instant:
            return self.now
        if instant not in self.later:
            self.later[instant] = View(self.now.snapshot, instant, shared=self.now.shared)
        return self.later[instant]

    def build_foreseen(self, instant: int) -> "_Foreseen":
        """Return what is foreseen up to an instant."""
        if instant not in self.foreseen:
            now = int(self.now.instant)
            middle = self.at(now + (instant - now) // 2)
            self.foreseen[instant] = _Foreseen((self.now, middle, self.at(instant)))
        return self.foreseen[instant]

    def holds(self, rule: Rule) -> Bools:
        """Tell of which memories the condition of a rule is true now."""
        text = rule.node.text
        if text not in self.truths:
            self.truths[text] = rule.node.run(self.now)
        return self.truths[text]

    def any_holds(self, rules: Iterable[Rule]) -> Bools:
        """Tell of which memories the condition of any of some rules is true now."""
        nobody = np.zeros(len(self.now), np.bool_)
        mask: Bools = np.logical_or.reduce([nobody, *map(self.holds, rules)])
        return mask


def _calm_until(instants: _Instants, policy: Policy) -> int | None:
    """Say until when time alone makes a policy do nothing that does nothing now; None if nobody can tell."""
    if not _foreseeable(policy):
        return None
    now = int(instants.now.instant)
    until = min([now + HORIZONS[0], *_ends(instants, policy)])
    foreseen = instants.build_foreseen(until)
    rules = [rule for rule in policy.rules if rule.over == "memories"]
    nodes = [*(rule.node for rule in rules), *(guard.node for guard in policy.guards)]
    if any(map(_may_cross_twice, nodes)):
        return None
    for rule in rules:
        until = foreseen.changes(rule.node, until)
    for guard in policy.guards:
        if guard.node.mentions & _MOVING:
            blocked_rules = [rule for rule in rules if not _acts(rule).isdisjoint(guard.blocks)]
            until = foreseen.changes(guard.node, until, partial(instants.any_holds, blocked_rules))
    return _as_far(instants, policy, (now, until))


def _ends(instants: _Instants, policy: Policy) -> Iterator[int]:
    """Yield when holds and the rest of what was restored end, when rules may fire again and what has moved may move."""
    view = instants.now
    now, holds, fired_at = view.instant, view.column("hold_until"), view.snapshot.fired
    coming = holds[np.greater(holds, now)]
    yield from [int(coming.min())] if len(coming) else []
    yield from (at + RESTORED_FOR for at in view.snapshot.restored.values() if at + RESTORED_FOR > now)
    times = (fired_at[rule.name] + (rule.period or 0) for rule in policy.rules if rule.name in fired_at)
    yield from (at for at in times if at > now)
    for rule in filter(dwells, policy.rules):
        elsewhere = instants.holds(rule) & (view.column("tier") != rule.target)
        free = np.sort(view.column("tier_at")[elsewhere] + DWELL)
        yield from (int(at) for at in free[free > now][:1])


def _acts(rule: Rule) -> set[str]:
    """Name what guards must let pass for a rule to act, or to count what it may not touch."""
    shrinks = {rule.shortening.guarded} if rule.shortening is not None else set()
    return {rule.effect.guarded, rule.last_effect.guarded} | shrinks


def _as_far(instants: _Instants, policy: Policy, span: tuple[int, int]) -> int | None:
    """Look how far windows keep their order and conditions on links stay as they are, up to an instant."""
    now, until = span
    over_links = [rule.node for rule in policy.rules if rule.over == "links"]
    windows = [rule for rule in policy.rules if rule.has_window and _sorts_by_time(rule)]
    if not over_links and not windows:
        return until if until > now else None
    for horizon in HORIZONS:
        end = min(until, now + horizon)
        views = [instants.at(at) for at in (now, now + (end - now) // 2, end)]
        edges = visible(views[0]) if over_links else None
        on_links = [LinkView(view, edges) for view in views] if edges is not None else []
        if (not on_links or _has_same_parts(on_links, over_links)) and all(
            _keeps_order(rule, views) for rule in windows
        ):
            return end if end > now else None
    return None


def _sorts_by_time(rule: Rule) -> bool:
    return any(node.mentions & _MOVING for node, _ in rule.order)


@dataclass(frozen=True, eq=False)
class _Foreseen:
    """A scope now, later and between, and when the parts of conditions change their truth; each part is asked once."""

    views: tuple[View, View, View]
    found: dict[str, Crossings] = field(default_factory=dict)
    truths: dict[str, Truth] = field(default_factory=dict)

    def changes(self, node: Node, until: int, among: Callable[[], Bools] | None = None) -> int:
        """Return up to when a condition is as true as now, of all memories or of some; an instant at most."""
        view, crossings = self.views[0], list[tuple[Ints, Floats]]()
        for rows, instants in (
            one for part in _find_moving_parts(node) for one in self._find_crossings_once(part)
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
        then, (yes, no) = view.take(rows, instants + _PAST), self._read_truth_now(node)
        differs = node.run(then) != yes[rows]
        if node.no is not None:
            differs |= node.no(then) != no[rows]
        return int(min(instants[differs].min(initial=np.inf), until))

    def _read_truth_now(self, node: Node) -> Truth:
        """Return where a condition is true now and where it is false."""
        if node.text not in self.truths:
            self.truths[node.text] = _truth(node, self.views[0])
        return self.truths[node.text]

    def _find_crossings_once(self, part: Node) -> Crossings:
        if part.text not in self.found:
            self.found[part.text] = list(self._crossings(part))
        return self.found[part.text]

    def _crossings(self, part: Node) -> Iterator[tuple[Ints, Floats]]:
        """Yield which memories a part changes its truth of, and up to when it does not."""
        begin, *later = self.views
        if part.turns is not None:
            at = part.turns(begin)
            (rows,) = ((at >= begin.instant) & (at < later[-1].instant)).nonzero()
            yield rows, at[rows]
            return
        if part.mentions & _MOVING == _BY_DAY:
            if begin.instant // DAY == later[-1].instant // DAY:
                return
            (rows,) = _differ(_truth(part, begin), _truth(part, later[-1])).nonzero()
            yield rows, np.full(len(rows), (begin.instant // DAY + 1) * DAY - _PAST, np.float64)
            return
        before, since = _truth(part, begin), begin
        for view in later:
            after = _truth(part, view)
            (rows,) = _differ(before, after).nonzero()
            if len(rows):
                there = before[0][rows], before[1][rows]
                yield rows, _find_change_times(part, begin, rows, there, (since.instant, view.instant))
            before, since = after, view


def _find_change_times(part: Node, view: View, rows: Ints, before: Truth, span: tuple[int, int]) -> Floats:
    """Find by halving up to when a part is as true as before."""
    since, until = (np.full(len(rows), at, np.float64) for at in span)
    times = find_first_true(lambda at: _differ(_truth(part, view.take(rows, at)), before), since, until)
    return times - _PAST


def _truth(part: Node, view: View) -> Truth:
    """Return where a part is true and where it is false."""
    yes = part.run(view)
    return yes, ~yes if part.no is None else part.no(view)


def _differ(one: Truth, other: Truth) -> Bools:
    """Tell of which rows a part is not as true or as false."""
    different: Bools = (one[0] != other[0]) | (one[1] != other[1])
    return different


def _foreseeable(policy: Policy) -> bool:
    """Tell whether only the wall's clock and the parts of conditions can change what is decided."""
    clocks = {rule.clock for rule in policy.rules} | {guard.clock for guard in policy.guards}
    return clocks <= {"wall"} and all(rule.over != "pairs" for rule in policy.rules)


def _has_same_parts(views: list[View] | list[LinkView], nodes: Iterable[Node]) -> bool:
    """Tell whether the parts of conditions are as true at each instant as at the first."""
    return all(
        not _crosses_twice(part) and _is_same(part, [_select_view(view, of_memories) for view in views])
        for part, of_memories in _parts(nodes, isinstance(views[0], View))
    )


@lru_cache(maxsize=1_024)  # conditions of a few policies
def _find_moving_parts(node: Node) -> tuple[Node, ...]:
    """Return the parts of a condition on memories that time may turn."""
    return tuple(part for part, _ in _parts([node], True) if part.mentions & _MOVING)


def _select_view(view: View | LinkView, of_memories: bool) -> View | LinkView:
    return view.memories if of_memories and isinstance(view, LinkView) else view


def _parts(nodes: Iterable[Node], of_memories: bool) -> Iterator[tuple[Node, bool]]:
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
    return all(_equal(first[0], yes) and _equal(first[1], no) for yes, no in later)


def _equal(one: Array | None, other: Array | None) -> bool:
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
    orders = [_order(rule, view, matches) for view in views]
    return all(np.array_equal(orders[0], order) for order in orders[1:])


def _order(rule: Rule, view: View, rows: Ints) -> Ints:
    some = view.take(rows)
    keys = [sort_key(some, node, descending, False) for node, descending in reversed(rule.order)]
    return np.lexsort(keys)
