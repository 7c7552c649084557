"""What a plan does, rule by rule, with the memories that it does it to. Knows plans; reads no memory."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from remanence.core.effects import ACTIONS, UNLINK, Effect, action
from remanence.core.results import Result
from remanence.core.snapshot import Ints
from remanence.curate.planner.diff import PlanDecision, iterate_actions


@dataclass(frozen=True, slots=True, repr=False)
class Action(Result):
    """What one rule does to some memories, by their sequence numbers; for `unlink` the ends of each link that goes.

    `rule` is "" where a plan does not tell which of several rules set a tag.
    """

    name: str
    rule: str
    because: str
    seqs: tuple[int, ...] = ()
    links: tuple[tuple[int, int], ...] = ()

    @property
    def count(self) -> int:
        """How many memories or links."""
        return len(self.seqs) + len(self.links)

    def __str__(self) -> str:
        return f"{self.name} {self.count:,} [{self.rule}]"


def actions(plan: PlanDecision) -> tuple[Action, ...]:
    """Return what a plan does by action and rule, the gravest action first, then by the name of the rule."""
    order = [effect.name for effect in ACTIONS]
    return tuple(sorted(_actions(plan), key=lambda one: (order.index(one.name), one.rule)))


def iterate_first_seqs(plan: PlanDecision, count: int) -> Iterator[int]:
    """Yield the first memories of each action, so many at most: without writing out all of a large plan."""
    for _, _, seqs in _by_rule(plan):
        yield from seqs[:count].tolist()
    for _, _, seqs in plan.iterate_tag_changes():
        yield from seqs[:count].tolist()


def _by_rule(plan: PlanDecision) -> Iterator[tuple[Effect, str, Ints]]:
    """Yield each action on memories with the rule that does it, and their sequence numbers."""
    for effect, places in iterate_actions(plan.columns, plan.why, plan.purged):
        rules = plan.why[effect.group][places] if len(places) else places
        for rule in np.unique(rules[rules >= 0]).tolist():
            yield effect, plan.rules[rule], plan.seq[places[rules == rule]]


def _actions(plan: PlanDecision) -> Iterator[Action]:
    for effect, rule, seqs in _by_rule(plan):
        yield _action(plan, effect, rule, seqs=tuple(seqs.tolist()))
    for name, _, seqs in plan.iterate_tag_changes():
        rules = {rule for action, rule, _ in plan.by_rule if action == name}
        yield _action(plan, action(name), min(rules) if len(rules) == 1 else "", seqs=tuple(seqs.tolist()))
    for rule in np.unique(plan.links.why[plan.links.why >= 0]).tolist():
        cut = plan.links.where(plan.links.why == rule)
        ends = tuple(zip(cut.source.tolist(), cut.target.tolist(), strict=True))
        yield _action(plan, UNLINK, plan.rules[rule], links=ends)


def _action(
    plan: PlanDecision,
    effect: Effect,
    rule: str,
    seqs: tuple[int, ...] = (),
    links: tuple[tuple[int, int], ...] = (),
) -> Action:
    return Action(effect.name, rule, plan.because.get(rule, ""), seqs, links)
