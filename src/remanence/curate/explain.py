"""Every guard and rule of a policy for one memory: true, false or unknown, with the values, and when it will fire.

Knows how conditions are built; decides nothing. Conditions are judged on the scope as it is now, before any phase.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from math import ceil, isnan
from typing import Any

import numpy as np

from remanence.core.clock import DAY, HOUR, MINUTE, to_datetime
from remanence.core.effects import ACTIONS, NO_SHORTER, NO_SUMMARY, Stage, action, describe_blocks
from remanence.core.errors import NotFound
from remanence.core.guards import BUILT_IN
from remanence.core.model import Form, short_id
from remanence.core.results import Result, Time, fields_of, render_span
from remanence.core.score import Fall, Worth
from remanence.core.snapshot import Bools, Floats, Snapshot
from remanence.curate.language.derived import find_first_true
from remanence.curate.language.view import LinkView, Node, View, visible
from remanence.curate.planner.cycle import Cycle
from remanence.curate.planner.merge import may_merge, pairs
from remanence.curate.planner.plan import plan
from remanence.curate.planner.protection import Guarding
from remanence.curate.planner.state import begin
from remanence.curate.policy.compiled import Policy
from remanence.curate.policy.rules import HOURS, Rule

HORIZON = 10 * 365 * DAY
DIFFERENT_WORDS = "words that differ"
_STEPS = 400  # looks into the future, ever farther apart, between the instants that are known to matter


@dataclass(frozen=True, slots=True)
class RuleVerdict:
    """What one guard or rule says of a memory.

    `truth` is "true", "false" or "unknown". A rule acts where it is true, `seen` (its status is one that the rule
    looks at), `selected` by its window, not `resting` until its period is over, and blocked by no guard. `fires_at` is
    when a condition that is not true now will be, or when a true one's rule has rested, if nothing but time passes, on
    the rule's clock at its present pace; None where that is not within ten years.
    """

    name: str
    what: str
    condition: str
    truth: str
    values: dict[str, Any]
    because: str = ""
    action: str = ""
    seen: bool = True
    selected: bool = True
    resting: bool = False
    blocked_by: tuple[str, ...] = ()
    fires_at: int | None = None

    @property
    def acts(self) -> bool:
        """Tell whether a rule would act, or a guard protects."""
        if self.what == "guard":
            return self.truth != "false"
        ready = self.truth == "true" and self.seen and self.selected
        return ready and not self.resting and not self.blocked_by


@dataclass(frozen=True, slots=True, repr=False)
class Explanation(Result):
    """All verdicts on one memory, what the whole plan would do to it, and which verdicts no longer hold.

    `worth` explains its worth, `fall` why it is no longer active, if it is not. `beside` lists newer statements and
    contradictions, even if nobody has confirmed them.
    """

    seq: int
    now: int
    policy: str
    outcome: str
    verdicts: tuple[RuleVerdict, ...]
    ended: tuple[str, ...] = ()
    worth: Worth | None = None
    fall: Fall | None = None
    beside: tuple[str, ...] = ()

    time = Time("now")

    def to_dict(self) -> dict[str, Any]:
        """Return it as data that `json.dumps` takes; each verdict says whether it `acts`."""
        verdicts = [{**fields_of(verdict), "acts": verdict.acts} for verdict in self.verdicts]
        return {**Result.to_dict(self), "verdicts": verdicts}

    def _line(self) -> str:
        """Say in one line what would become of the memory."""
        return f"{short_id(self.seq)} under {self.policy!r}: {self.outcome}"

    def __str__(self) -> str:
        return "\n".join(_render_explanation(self))


def explain(snapshot: Snapshot, policy: Policy, now: int, seq: int) -> Explanation:
    """Explain one memory of a scope under a policy; raise NotFound where the snapshot has no such memory."""
    row = int(np.searchsorted(snapshot.seq, seq))
    if row >= len(snapshot) or snapshot.seq[row] != seq:
        raise NotFound(f"no memory {seq} in scope {snapshot.scope!r}", recovery="name one that `list` shows")
    cycle = Cycle(policy, begin(snapshot, policy, now), Guarding(policy))
    cycle.guarding.look(cycle.working.view)
    verdicts = [
        *_judge_guards(cycle, row),
        *(_rule(cycle, index, rule, row) for index, rule in enumerate(policy.rules)),
    ]
    return Explanation(seq, now, policy.name, _describe_outcome(snapshot, policy, now, seq), tuple(verdicts))


def _describe_outcome(snapshot: Snapshot, policy: Policy, now: int, seq: int) -> str:
    decision = plan(snapshot, policy, now)
    if seq not in decision.seq and not any(seq in seqs for _, _, seqs in decision.iterate_tag_changes()):
        return "stays as it is"
    effects = [action(act.name) for act in decision.actions() if seq in act.seqs]
    if seq in decision.merges.survivor:
        effects += [effect for effect in ACTIONS if effect.stage is Stage.FOLLOWS]
    effect = min(effects, key=ACTIONS.index)
    return "takes in another" if effect.stage is Stage.FOLLOWS else effect.name


def _judge_guards(cycle: Cycle, row: int) -> Iterator[RuleVerdict]:
    view = cycle.working.view
    for built_in in BUILT_IN:
        holds = bool(cycle.guarding.mask(built_in.name)[row])
        yield RuleVerdict(
            built_in.name,
            "guard",
            "built in",
            _name_truth(holds, not holds),
            {},
            built_in.because,
            describe_blocks(built_in.blocks),
        )
    for guard in cycle.policy.guards:
        one = view.on(guard.clock).take(np.array([row]))
        truth, values = _evaluate_truth(guard.node, one), _read_compared_values(guard.node, one)
        yield RuleVerdict(
            guard.name, "guard", guard.where, truth, values, guard.because, describe_blocks(guard.blocks)
        )


def _rule(cycle: Cycle, index: int, rule: Rule, row: int) -> RuleVerdict:
    view = cycle.working.view.on(rule.clock)
    if rule.over != "memories":
        return _link_rule(view, rule, row)
    one = view.take(np.array([row]))
    truth, resting = _evaluate_truth(rule.node, one), cycle.rests(rule)
    return RuleVerdict(
        rule.name,
        "rule",
        rule.where,
        truth,
        {**_read_compared_values(rule.node, one), **_of_summary(rule, one)},
        rule.because,
        rule.describe(),
        seen=bool(cycle.mark_visible(rule)[row]),
        selected=truth == "true" and row in cycle.window(rule, index).rows,
        resting=resting,
        blocked_by=cycle.guarding.find_row_guards(row, rule.effect.guarded),
        fires_at=_fires_at(view, rule, row)
        if truth != "true"
        else _rested_at(view, rule)
        if resting
        else None,
    )


def _of_summary(rule: Rule, one: View) -> dict[str, Any]:
    """Return what a rule that makes summaries looks at beside its condition."""
    if not rule.effect.needs_text:
        return {}
    refusals = [tag.removeprefix("flag/") for tag in (NO_SHORTER, NO_SUMMARY) if one.tag(tag)[0]]
    return {"form": Form(int(one.column("form")[0])).label, _REFUSED: ", ".join(refusals) or "nothing"}


def _link_rule(view: View, rule: Rule, row: int) -> RuleVerdict:
    """Judge a rule over links by the links of the memory."""
    links, edges = view.edges(), pairs(rule, view) if rule.over == "pairs" else visible(view)
    mine = edges[(links.source[edges] == row) | (links.target[edges] == row)]
    matching = mine[rule.node.run(LinkView(view, mine))] if len(mine) else mine
    count = len(matching)
    values = {"links": len(mine), "matching": count}
    ends = zip(links.source[matching].tolist(), links.target[matching].tolist(), strict=True)
    may = rule.over == "links" or not count or any(may_merge(view.snapshot, *pair) for pair in ends)
    return RuleVerdict(
        rule.name,
        "rule",
        rule.where,
        _name_truth(count > 0, count == 0),
        values,
        rule.because,
        rule.describe(),
        blocked_by=() if may else (DIFFERENT_WORDS,),
    )


def _evaluate_truth(node: Node, one: View) -> str:
    assert node.no is not None
    return _name_truth(bool(node.run(one)[0]), bool(node.no(one)[0]))


def _name_truth(yes: bool, no: bool) -> str:
    return "true" if yes else "false" if no else "unknown"


def _read_compared_values(node: Node, one: View) -> dict[str, Any]:
    """Return the values that a condition compares, by their text, readable."""
    return {
        part.text: _read_node_value(part, one) for part in _iterate_comparisons(node) if part.constant is None
    }


def _iterate_comparisons(node: Node) -> Iterator[Node]:
    if node.type != "truth" or not node.parts:
        yield node
        return
    for part in node.parts:
        yield from _iterate_comparisons(part)


def _read_node_value(node: Node, one: View) -> Any:
    if node.type == "truth":
        return _evaluate_truth(node, one)
    value = np.broadcast_to(np.asarray(node.run(one)), 1)[0].item()
    match node.type:
        case "label":
            return node.labels(value).label if node.labels is not None and value >= 0 else None
        case "name":
            return one.names(node.column)[value] if value >= 0 else None
        case _ if isinstance(value, float) and isnan(value):
            return None
        case "time" if one.clock != "wall":
            return f"{value / HOUR:.4g} {HOURS[one.clock]}"
        case "time":
            return to_datetime(int(value)).isoformat()
        case "duration" if one.clock == "turns":
            return f"{value / HOUR:.4g} {HOURS[one.clock]}"
        case "duration":
            return render_span(value)
    return value


def _fires_at(view: View, rule: Rule, row: int) -> int | None:
    """Find the first instant at which a condition becomes true by time alone."""

    def holds(at: Floats) -> Bools:
        fires: Bools = rule.node.run(view.take(np.full(len(at), row), at))
        return fires

    looks = _choose_instants(rule.node, view.take(np.array([row])))
    true = np.flatnonzero(holds(looks))
    if not len(true):
        return None
    before = np.append(float(view.instant), looks)[true[:1]]
    return int(find_first_true(holds, before, looks[true[:1]])[0])


def _rested_at(view: View, rule: Rule) -> int | None:
    """Find the instant at which a rule's period is over."""
    assert rule.period is not None
    over = float(view.read_clock(view.snapshot.fired[rule.name])) + rule.period
    at = over if view.scale is None else view.scale.find_wall_time(over)
    return None if at is None or at > view.instant + HORIZON else ceil(at)


def _choose_instants(node: Node, one: View) -> Floats:
    """Choose instants to look at: where an age crosses its limit, UTC midnights, and steps ever farther apart."""
    now = int(one.instant)
    crossings = [at + after for at in _find_age_crossings(node, one) for after in (-1, 0, 1)]
    midnights = [(now // DAY + day) * DAY for day in range(1, 9)]
    steps = np.floor(now + np.geomspace(MINUTE, HORIZON, _STEPS))
    looks = np.unique(np.concatenate([np.array([*crossings, *midnights], np.float64), steps]))
    future: Floats = looks[(looks > now) & (looks <= now + HORIZON)]
    return future


def _find_age_crossings(node: Node, one: View) -> Iterator[int]:
    """Yield the instants at which ages reach the limits that they are compared with."""
    for age, limit in (node.parts, node.parts[::-1]) if len(node.parts) == 2 else ():
        if age.since is not None and limit.constant is not None:
            reading = float(np.asarray(age.since.run(one)).reshape(-1)[0]) + limit.constant
            at = reading if one.scale is None else one.scale.find_wall_time(reading)
            yield from () if at is None or isnan(at) else (int(at),)
    for part in node.parts:
        yield from _find_age_crossings(part, one)


_REFUSED = "refused"
_SIGNS = {"true": "✓", "false": "·", "unknown": "?"}


def _render_explanation(explanation: Explanation) -> Iterator[str]:
    yield f"#{explanation.seq} under {explanation.policy!r}: {explanation.outcome}"
    yield from explanation.ended
    yield from explanation.beside
    yield from explanation.fall.lines() if explanation.fall is not None else ()
    yield from explanation.worth.lines() if explanation.worth is not None else ()
    for verdict in explanation.verdicts:
        yield f"{_SIGNS[verdict.truth]} {verdict.what} {verdict.name}: {verdict.truth}  {verdict.action}"
        if verdict.condition != "built in":
            yield f"    {verdict.condition}"
        if verdict.values:
            yield "    " + ", ".join(
                f"{name} = {_format_value(value)}" for name, value in verdict.values.items()
            )
        for line in _render_remarks(verdict):
            yield f"    {line}"


def _format_value(value: Any) -> str:
    return "unknown" if value is None else f"{value:.4g}" if isinstance(value, float) else str(value)


def _format_moment(at: int) -> str:
    return to_datetime(at).strftime("%Y-%m-%d %H:%M:%S UTC")


def _render_remarks(verdict: RuleVerdict) -> Iterator[str]:
    if verdict.what == "rule" and verdict.truth == "true":
        if not verdict.seen:
            summary = "sums up once what is archived, and not where that was refused"
            yield summary if _REFUSED in verdict.values else "does not look at memories of this status"
        elif not verdict.selected:
            yield "the rule's window leaves it out"
        elif verdict.resting:
            at = verdict.fires_at
            yield f"the rule rests {'as long as its clock stands' if at is None else f'until {_format_moment(at)}'}"
        elif verdict.blocked_by:
            yield f"kept by {', '.join(verdict.blocked_by)}"
    if verdict.truth != "true" and verdict.fires_at is not None:
        yield f"will be true at {_format_moment(verdict.fires_at)}"
    if verdict.because and verdict.acts:
        yield f"because {verdict.because}"
