"""What a plan may say at all under a policy: one that says more was not made by it, and is refused whole.

Knows plans, policies and what their actions do; knows nothing of the scope, so it cannot tell what is right to do now.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import chain

import numpy as np

from remanence.core.change import ABSENT, MILLION
from remanence.core.effects import ACTIONS, TAKE_IN, DynamicValue, Effect, Stage, Where
from remanence.core.errors import InvalidInput
from remanence.core.model import COLUMN, COUNTERS, SYMMETRIC, TRANSITIONS, Form, Status, Tier
from remanence.core.snapshot import Bools
from remanence.core.stamps import STAMPS
from remanence.curate.planner.diff import Edits, PlanDecision
from remanence.curate.planner.plan_agreement import destroyed_count
from remanence.curate.planner.plan_report import count_acts
from remanence.curate.policy.compiled import Policy

# Of these columns the checks of falls and forms say more than that some rule leads to the value.
_CHECKED_APART = frozenset({"status", "form"})
_FALLS = tuple(effect for effect in ACTIONS if "status" in effect.sets)


def refuse_foreign(plan: PlanDecision, policy: Policy) -> None:
    """Raise InvalidInput for a plan that no cycle of this policy could have made."""
    if plan.rules != tuple(rule.name for rule in policy.rules):
        raise _plan_error("names other rules than its policy has")
    acts = _Acts(plan, policy)
    checks = (_names, _rows, _check_values, _check_falls, _check_merges, _check_links, _check_counts)
    for what in chain.from_iterable(check(plan, acts) for check in checks):
        raise _plan_error(what)


def _plan_error(what: str) -> InvalidInput:
    return InvalidInput(f"the plan {what}", recovery="make a new one and apply that")


class _Acts:
    """What the rules that a plan follows do, and which of its memories they do it to."""

    def __init__(self, plan: PlanDecision, policy: Policy) -> None:
        self.rules = policy.rules
        self.each = [rule.effect for rule in policy.rules]
        self.unites = any(effect.unites for effect in self.each)
        self.all = {*self.each, *([TAKE_IN] if self.unites else [])}
        self.survives = np.isin(plan.seq, plan.merges.survivor)
        self.ends = np.isin(plan.seq, plan.merges.discard)
        nobody = np.zeros(len(plan.seq), np.bool_)
        self.blamed: Mapping[str, Bools] = {
            effect.group: plan.why[effect.group] >= 0 if effect.group in plan.why else nobody
            for effect in ACTIONS
        }

    def find_affected(self, effect: Effect) -> Bools:
        """Tell to which memories an action may have been done, last or before another of its group."""
        return self.survives if effect.stage is Stage.FOLLOWS else self.blamed[effect.group]

    def leads(self, name: str) -> set[int]:
        """Return what the rules may set a column of labels to."""
        found: set[int] = set()
        for rule, effect in zip(self.rules, self.each, strict=True):
            value = effect.sets.get(name)
            value = value.becomes if isinstance(value, Where) else value
            if value is DynamicValue.GIVEN:
                value = rule.reason if name == "reason" else rule.target
            found |= set() if value is None else {int(value)}
        return found

    def times(self, name: str) -> int:
        """Return how often the rules may count one more on a column."""
        return sum(effect.sets.get(name) is DynamicValue.ONE_MORE for effect in self.each)


def _names(plan: PlanDecision, acts: _Acts) -> Iterator[str]:
    """Look at what it names: columns, tags, rules that have fired."""
    if plan.automatic:
        yield "says that nobody asked for it, and yet was handed over"
    columns: frozenset[str] = frozenset().union(*(effect.columns for effect in acts.all))
    for name in sorted(plan.columns.keys() - columns):
        yield f"changes {name}, which no rule of its policy does"
    pairs = {(rule.do, rule.tag) for rule in acts.rules if rule.tag}
    for does, tag in sorted({(does, tag) for does, tag, _ in plan.iterate_tag_changes()} - pairs):
        yield f"would {does:.20} {tag!r:.80}, which no rule of its policy does"
    if not set(plan.fired) <= {rule.name for rule in acts.rules if rule.period is not None}:
        yield "says that a rule has fired which never does"


def _rows(plan: PlanDecision, acts: _Acts) -> Iterator[str]:
    """Look whether every changed memory has a rule that does such a thing to it."""
    for group, rules in plan.why.items():
        # The last stands for -1, where no rule did anything.
        acting = np.array([*(effect.group == group for effect in acts.each), True])
        if not acting[rules].all():
            yield f"follows a rule in {group!r:.40} that does no such thing"
    for name, edits in plan.columns.items():
        masks = [acts.find_affected(effect) for effect in acts.all if name in effect.columns]
        if masks and not np.logical_or.reduce(masks)[edits.rows].all():
            yield f"changes {name} of a memory to which no rule does that"
    is_changed = np.zeros(len(plan.seq), np.bool_)
    for rows in (plan.purged, *(edits.rows for edits in plan.columns.values())):
        is_changed[rows] = True
    if not is_changed.all():
        yield "names a memory that it does not change"


def _check_values(plan: PlanDecision, acts: _Acts) -> Iterator[str]:
    """Look whether each value is one that the rules lead to."""
    for name, edits in plan.columns.items():
        # The confidence that a survivor takes over was said when it was said.
        now = edits.after <= plan.now if name == STAMPS["confidence"] else edits.after == plan.now
        if name in STAMPS.values() and not now.all():
            yield f"sets {name} to another time than its own"
        is_label = COLUMN[name].kind == "enum" and name not in _CHECKED_APART
        if is_label and not np.isin(edits.after, list(acts.leads(name))).all():
            yield f"sets {name} to what no rule of its policy leads to"
        if name in COUNTERS and (edits.after <= edits.before).any():
            yield f"counts {name} down"
        if name == "confidence" and (edits.after <= edits.before).any():
            yield "makes a memory less sure"
    yield from _forms(plan, acts)
    yield from _check_improvements(plan, acts)
    tos = {str(rule.to) for rule in acts.rules if rule.effect.known_by == "state"}
    states = plan.columns.get("state", Edits.none()).after.tolist()
    if any(state < 0 or plan.states[state] not in tos for state in set(states)):
        yield "sets state to what no rule of its policy leads to"
    for effect in (one for one in ACTIONS if one.sets.get(one.known_by) is DynamicValue.ONE_MORE):
        reinforcement = plan.columns.get(effect.known_by, Edits.none())
        if (reinforcement.after - reinforcement.before > acts.times(effect.known_by)).any():
            yield f"{effect.name}s more than its policy does"


def _check_improvements(plan: PlanDecision, acts: _Acts) -> Iterator[str]:
    """Look whether what is filled in was missing, and is what the policy fills in."""
    for effect in (one for one in ACTIONS if one.known_by == "confidence"):
        sure = plan.columns.get(effect.known_by, Edits.none())
        rows = plan.find_action_rows(effect)
        filled = np.isin(sure.rows, rows) & ~acts.survives[sure.rows]
        if (filled & ((sure.before != ABSENT) | (sure.after != round(effect.leads_to * MILLION)))).any():
            yield "says how sure a memory is otherwise than its policy does"


def _forms(plan: PlanDecision, acts: _Acts) -> Iterator[str]:
    """Look whether what is shown less of is so by a rule that leads to that form, and was shown more of."""
    form = plan.columns.get("form", Edits.none())
    rules = plan.why.get("form", np.full(len(plan.seq), -1))[form.rows]
    # The last stands for -1, where no rule did anything.
    leads = np.array([*(effect.form or Form.FULL for effect in acts.each), Form.FULL])
    if (
        (form.after <= form.before).any()
        or (form.before < Form.FULL).any()
        or (leads[rules] != form.after).any()
    ):
        yield "makes a memory shorter than its policy does"


def _check_falls(plan: PlanDecision, acts: _Acts) -> Iterator[str]:
    """Look whether what falls does so by a rule that says so, from where it can, to the tier that goes with it."""
    status, tier = (plan.columns.get(name, Edits.none()) for name in ("status", "tier"))
    rules = plan.why.get("status", np.full(len(plan.seq), -1))
    for row, was, becomes in zip(
        *(side.tolist() for side in (status.rows, status.before, status.after)), strict=True
    ):
        leading = [effect for effect in _FALLS if effect.sets["status"] == becomes]
        by_rule = acts.each[rules[row]] if rules[row] >= 0 else None
        if not any(acts.ends[row] if effect.unites else effect is by_rule for effect in leading):
            yield f"makes a memory {_format_status(becomes)} without a rule that does"
        if was not in set(Status) or becomes not in TRANSITIONS[Status(was)]:
            yield f"makes a memory {_format_status(becomes)} that was {_format_status(was)}"
    archive_rows = set(status.rows[status.after == Status.ARCHIVED].tolist())
    if set(tier.rows[tier.after == Tier.ARCHIVE].tolist()) - archive_rows:
        yield "puts a memory into the archive that it does not archive"
    purging = np.array([effect.removes for effect in acts.each] + [False])
    edit_rows = np.concatenate([np.zeros(0, np.int64), *(edits.rows for edits in plan.columns.values())])
    if not purging[rules[plan.purged]].all() or np.isin(plan.purged, edit_rows).any():
        yield "destroys a memory without a rule that does"


def _format_status(status: int) -> str:
    return Status(status).label if status in set(Status) else str(status)


def _check_merges(plan: PlanDecision, acts: _Acts) -> Iterator[str]:
    """Look whether a memory is in one merge only, and what is merged away is put out of sight."""
    members = np.r_[plan.merges.survivor, plan.merges.discard]
    if len(members) and (not acts.unites or len(np.unique(members)) < len(members)):
        yield "merges what its policy does not"
    fallen = plan.seq[plan.columns.get("status", Edits.none()).rows]
    if not np.isin(plan.merges.discard, [*fallen.tolist(), *plan.seq[plan.purged].tolist()]).all():
        yield "merges a memory away and leaves it in sight"


def _check_links(plan: PlanDecision, acts: _Acts) -> Iterator[str]:
    """Look whether links are cut by a rule, or moved by a merge of one of their ends."""
    links = plan.links
    keys = links.list_keys()
    if len(set(keys)) < len(keys) or any(
        source == target or (relation in SYMMETRIC and source > target) for source, target, relation in keys
    ):
        yield "names a link twice, or one that cannot be"
    was, is_ = links.was, links.stays
    cutting = np.array([effect.stage is Stage.LINKS for effect in acts.each] + [True])
    cut = links.why >= 0
    if not cutting[links.why].all() or (cut & (is_ | ~was)).any():
        yield "cuts a link by a rule that does not"
    members = np.r_[plan.merges.survivor, plan.merges.discard]
    is_moved = np.isin(links.source, members) | np.isin(links.target, members)
    if (~cut & ~(is_moved & (was | is_))).any():
        yield "changes a link that no merge moves"


def _check_counts(plan: PlanDecision, _: _Acts) -> Iterator[str]:
    """Look whether what it says of itself is what it does."""
    counts: Counter[str] = Counter()
    for (does, _rule), count in count_acts(plan).items():
        counts[does] += count
    for does, _tag, seqs in plan.iterate_tag_changes():
        counts[does] += len(seqs)
    if {name: count for name, count in plan.counts.items() if count} != dict(+counts):
        yield "counts otherwise than it acts"
    if plan.destroyed != destroyed_count(plan):
        yield "would destroy another number of memories than it says"
