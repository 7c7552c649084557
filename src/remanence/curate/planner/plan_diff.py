"""A plan that was kept beside one of now: what still holds, what does not any more and why, and what comes besides.

Knows two plans of one scope, and what somebody read of the audit for it; reads nothing itself and decides nothing.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from remanence.core.clock import to_datetime
from remanence.core.model import AffectedMemory, short_id
from remanence.core.results import Result, Time, minute_of, number, visible
from remanence.core.snapshot import Snapshot
from remanence.curate.planner.actions import Action, actions
from remanence.curate.planner.plan import Plan
from remanence.curate.planner.plan_agreement import ExclusionReasons, filter_to_proposed
from remanence.curate.planner.plan_report import (
    WIDTH,
    PlannedAct,
    Preview,
    build_planned_act,
    describe_action,
    memory_line,
)
from remanence.curate.policy.compiled import Policy


@dataclass(frozen=True, slots=True, repr=False)
class Since(Result):
    """What was done to a memory after a plan was made: how often by this verb, the last time by whom in which run."""

    verb: str
    count: int
    at: int
    actor: str | None
    run: str

    time = Time("at")

    def __str__(self) -> str:
        times = f" {self.count:,} times, last" if self.count > 1 else ""
        by = f" by {self.actor}" if self.actor else ""
        return f"{self.verb}{times}{by} {minute_of(self.at)} (run {self.run})"


@dataclass(frozen=True, slots=True, repr=False)
class LeftOut(Result):
    """A change that a plan names and that `apply` would leave out: why, and what was done to the memory `since`.

    Where it is a link that goes, `other` is its other end. What a plan of now would do `again` is due as before.
    """

    memory: AffectedMemory
    why: str
    since: tuple[Since, ...] = ()
    again: bool = False
    other: int | None = None

    def __str__(self) -> str:
        return self.why + "; a plan of now does it again" * self.again


@dataclass(frozen=True, slots=True, repr=False)
class LeftAct(Result):
    """What one rule was to do and is not to any more: to how many memories or links, and the first of them."""

    name: str
    rule: str
    count: int
    memories: tuple[LeftOut, ...]

    def __str__(self) -> str:
        return f"{self.name} {self.count:,} [{self.rule}]"


@dataclass(frozen=True, slots=True, repr=False)
class PlanDiff(Result):
    """A kept plan compared with now: `same` would be done as it says, `left` would not, `added` is due besides.

    `policy_changes` say in words how the policy differs, `applied` names the run that carried the plan out already,
    `held` says what holds a plan of now.
    """

    digest: str
    scope: str
    policy: str
    planned_at: int
    now: int
    same: tuple[PlannedAct, ...]
    left: tuple[LeftAct, ...]
    added: tuple[PlannedAct, ...]
    policy_changes: tuple[str, ...] = ()
    applied: str | None = None
    held: str | None = None

    time = Time("now")

    @property
    def is_same(self) -> bool:
        """Return True if the whole plan would be done, and nothing else is due."""
        return not (self.left or self.added or self.policy_changes or self.applied or self.held)

    @property
    def count(self) -> int:
        """How many changes are compared."""
        return sum(act.count for act in (*self.same, *self.added)) + sum(act.count for act in self.left)

    @property
    def listed(self) -> int:
        """How many of them are listed with their memories."""
        acts = (*self.same, *self.added)
        total = sum(len(act.memories) + len(act.links) for act in acts)
        return total + sum(len(act.memories) for act in self.left)

    def __str__(self) -> str:
        return "\n".join(self.lines(WIDTH))

    def _line(self) -> str:
        """Say in one line how much differs."""
        same, left, added = (sum(act.count for act in acts) for acts in (self.same, self.left, self.added))
        return f"plan {self.digest[:12]} for {self.scope!r}: {same:,} as planned, {left:,} not any more, {added:,} new"

    def lines(self, width: int) -> Iterator[str]:
        """Yield it in lines of about `width` columns; stored text is cut to fit."""
        then, now = (to_datetime(at).strftime("%Y-%m-%d %H:%M UTC") for at in (self.planned_at, self.now))
        yield f"Plan {self.digest[:12]} for {self.scope!r} under {self.policy!r} of {then}, compared with {now}"
        for change in self.policy_changes:
            yield visible(f"Policy: {change}")
        if self.applied is not None:
            yield f"Applied already by run {self.applied}."
        if self.held is not None:
            yield f"HELD now: {self.held}."
        if self.is_same:
            yield "Nothing has changed." if self.same else "Nothing has changed: there is nothing to do."
        yield from _acts("Still as planned:", self.same, self.now, width)
        if self.left:
            yield "No longer due:"
        for act in self.left:
            yield f"  {describe_action(act.name, act.count)}{_rule(act.rule)}"
            for one in act.memories:
                yield memory_line(one.memory, self.now, width) if one.other is None else _link(one)
                yield f"      {one}"
                yield from (visible(f"        {line}") for line in one.since)
            yield from _render_remainder(act.count - len(act.memories))
        yield from _acts("Newly due:", self.added, self.now, width)


@dataclass(frozen=True, slots=True)
class PlanComparison:
    """Two plans compared, by sequence numbers: what of the first is kept and what left, and what the second adds."""

    kept: tuple[Action, ...]
    left: tuple[Action, ...]
    added: tuple[Action, ...]
    why: Callable[[int], str]

    def list_shown_memories(self, listed: int) -> list[int]:
        """Return the memories of which so many are listed of each action."""
        seqs: set[int] = set()
        for action in (*self.kept, *self.left, *self.added):
            seqs.update(action.seqs[:listed])
            seqs.update(end for link in action.links[:listed] for end in link)
        return sorted(seqs)


def compare_plans(plan: Plan, fresh: Plan, snapshot: Snapshot, policy: Policy) -> PlanComparison:
    """Compare a plan with one that was made on a snapshot of now."""
    part = filter_to_proposed(plan, fresh, policy)
    kept = actions(part)
    left, added = _subtract_actions(actions(plan), kept), _subtract_actions(actions(fresh), kept)
    return PlanComparison(kept, left, added, ExclusionReasons(plan, part, snapshot, policy))


def build_diff_acts(
    found: PlanComparison, since: Mapping[int, Sequence[Since]], preview: Preview
) -> tuple[tuple[PlannedAct, ...], tuple[LeftAct, ...], tuple[PlannedAct, ...]]:
    """Say what was compared: the acts that stay, those left out with what was done since, and those that are new."""
    again = {(act.name, seq) for act in found.added for seq in act.seqs}
    return (
        tuple(build_planned_act(act, preview) for act in found.kept),
        tuple(_build_left_act(act, found, since, again, preview) for act in found.left),
        tuple(build_planned_act(act, preview) for act in found.added),
    )


def policy_changes(plan: Plan, policy: Policy) -> Iterator[str]:
    """Say how the policy that judges now differs from that of a plan."""
    then, now = f"{plan.policy!r} ({plan.policy_hash[:12]})", f"{policy.name!r} ({policy.hash[:12]})"
    yield f"it was {then} when the plan was made and is {now} now; `apply` refuses a plan of another policy"
    names = [rule.name for rule in policy.rules]
    for words, some in (("new", set(names) - {*plan.rules}), ("gone", {*plan.rules} - {*names})):
        if some:
            yield f"{number(len(some), 'rule is', 'rules are')} {words}: {', '.join(sorted(some))}"
    if plan.overrides != policy.overrides:
        yield f"overrides were {plan.overrides or 'none'} and are {policy.overrides or 'none'}"


def _subtract_actions(acts: Sequence[Action], done: Sequence[Action]) -> tuple[Action, ...]:
    """Return actions without the memories and links to which the same is done in others."""
    seqs: dict[str, set[int]] = {}
    links: Counter[tuple[int, int]] = Counter()
    for act in done:
        seqs.setdefault(act.name, set()).update(act.seqs)
        links.update(act.links)
    rest = []
    for act in acts:
        cut = [link for link in act.links if not _take_link(links, link)]
        mine = seqs.get(act.name, set())
        rest.append(replace(act, seqs=tuple(seq for seq in act.seqs if seq not in mine), links=tuple(cut)))
    return tuple(act for act in rest if act.count)


def _take_link(links: Counter[tuple[int, int]], link: tuple[int, int]) -> bool:
    """Take one link of many away, and tell whether there was one; two may differ in their relation alone."""
    links[link] -= 1
    return links[link] >= 0


def _build_left_act(
    act: Action,
    found: PlanComparison,
    since: Mapping[int, Sequence[Since]],
    again: set[tuple[str, int]],
    preview: Preview,
) -> LeftAct:
    memories = preview.memories
    rows = [
        LeftOut(
            memories.get(seq, AffectedMemory(seq)),
            found.why(seq),
            tuple(since.get(seq, ())),
            (act.name, seq) in again,
        )
        for seq in act.seqs[: preview.listed]
    ]
    links = [
        LeftOut(
            memories.get(source, AffectedMemory(source)),
            "changed since the plan was made, or the policy does not cut it now",
            other=target,
        )
        for source, target in act.links[: preview.listed]
    ]
    return LeftAct(act.name, act.rule, act.count, (*rows, *links))


def _acts(title: str, acts: Sequence[PlannedAct], now: int, width: int) -> Iterator[str]:
    if acts:
        yield title
    for act in acts:
        yield f"  {describe_action(act.name, act.count)}{_rule(act.rule)}"
        yield from (memory_line(one, now, width) for one in act.memories)
        yield from (f"    {short_id(source)} to {short_id(target)}" for source, target in act.links)
        yield from _render_remainder(act.count - len(act.memories) - len(act.links))


def _link(one: LeftOut) -> str:
    assert one.other is not None
    return f"    {short_id(one.memory.seq)} to {short_id(one.other)}"


def _render_remainder(count: int) -> Iterator[str]:
    if count > 0:
        yield f"    and {count:,} more"


def _rule(name: str) -> str:
    return f"  [{name}]" if name else ""
