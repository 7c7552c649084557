"""How long a scope in which nothing is due stays so, if nobody writes: what lets whoever looks pass it by.

Knows conditions and when the truth of their parts changes; plans nothing. An answer may be too early, never too late.
"""

from collections.abc import Iterable, Iterator

import numpy as np

from remanence.clock import DAY, HOUR, MINUTE
from remanence.curate.language.view import Array, LinkView, Node, View, visible
from remanence.curate.plan import Plan
from remanence.curate.planner.state import shared
from remanence.curate.planner.windows import Sight, select, sort_key
from remanence.curate.policy.compiled import Policy
from remanence.curate.policy.rules import Rule
from remanence.effects import SHRINK
from remanence.guards import RESTORED_FOR
from remanence.snapshot import Ints, Snapshot

HORIZONS = (DAY, 6 * HOUR, HOUR, 15 * MINUTE)  # tried in turn
# Words whose values change as time passes: those that run straight on, and those that fade.
STRAIGHT = frozenset({"age", "idle", "now"})
FADING = frozenset({"recency", "score", "uses", "decayed_weight"})
_ENDS = ("both(", "either(")  # conditions on the memories at the ends of a link


def calm_until(snapshot: Snapshot, policy: Policy, plan: Plan) -> int | None:
    """Say until when time alone makes a policy do nothing, as this plan of it does; None if soon."""
    if not plan.empty or plan.deferred or plan.held or not _foreseeable(policy, plan):
        return None
    now = plan.now
    for horizon in HORIZONS:
        if _stays(snapshot, policy, now, now + horizon):
            return now + horizon
    return None


def _foreseeable(policy: Policy, plan: Plan) -> bool:
    """Tell whether only the wall's clock and the parts of conditions can change what is decided."""
    clocks = {rule.clock for rule in policy.rules} | {guard.clock for guard in policy.guards}
    waits = any(refusal.guard == "dwell" for refusal in plan.refusals)
    return clocks <= {"wall"} and not waits and all(rule.over != "pairs" for rule in policy.rules)


def _stays(snapshot: Snapshot, policy: Policy, now: int, until: int) -> bool:
    """Tell whether nothing that the rules and guards read changes its truth between two instants."""
    holds = snapshot.columns["hold_until"]
    if bool((np.greater(holds, now) & np.less_equal(holds, until)).any()):
        return False
    if any(now < at + RESTORED_FOR <= until for at in snapshot.restored.values()):
        return False
    fired = snapshot.fired
    rested = (fired[rule.name] + (rule.period or 0) for rule in policy.rules if rule.name in fired)
    if any(now < at <= until for at in rested):
        return False
    known = shared(policy)
    views = [View(snapshot, instant, shared=known) for instant in (now, now + (until - now) // 2, until)]
    nodes = [rule.node for rule in policy.rules if rule.over == "memories"]
    if not _same(views, [*nodes, *(guard.node for guard in policy.guards)]):
        return False
    over_links = [rule.node for rule in policy.rules if rule.over == "links"]
    if over_links:
        seen = visible(views[0])
        if not _same([LinkView(view, seen) for view in views], over_links):
            return False
    return all(_keeps_order(rule, views) for rule in policy.rules if rule.windowed)


def _same(views: list[View] | list[LinkView], nodes: Iterable[Node]) -> bool:
    """Tell whether the parts of conditions are as true at each instant as at the first."""
    return all(
        not _crosses_twice(part) and _is_same(part, [_on(view, of_memories) for view in views])
        for part, of_memories in _parts(nodes, isinstance(views[0], View))
    )


def _on(view: View | LinkView, of_memories: bool) -> View | LinkView:
    return view.memories if of_memories and isinstance(view, LinkView) else view


def _parts(nodes: Iterable[Node], of_memories: bool) -> Iterator[tuple[Node, bool]]:
    """Yield once the truths of which conditions are made and that are made of none, and whether of memories."""
    left = [(node, of_memories) for node in nodes]
    seen: set[tuple[str, bool]] = set()
    while left:
        node, outer = left.pop()
        if (node.text, outer) in seen:
            continue
        seen.add((node.text, outer))
        left += [(part, outer or node.text.startswith(_ENDS)) for part in node.parts]
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
    matched = np.flatnonzero(rule.node.run(views[0]))
    seen = views[0].standing()
    if not len(matched):
        return True
    nobody = np.zeros(len(seen), np.bool_)
    # Of a ladder the first rung may take all, the last finds nothing made shorter: more than the cycle selects.
    sight = Sight(~nobody, nobody, ~nobody if rule.effect is SHRINK else nobody)
    if rule.keep is not None and not len(select(rule, views[0], matched, sight).rows):
        return True
    orders = [_order(rule, view, matched) for view in views]
    return all(np.array_equal(orders[0], order) for order in orders[1:])


def _order(rule: Rule, view: View, rows: Ints) -> Ints:
    some = view.take(rows)
    keys = [sort_key(some, node, descending, False) for node, descending in reversed(rule.order)]
    return np.lexsort(keys)
