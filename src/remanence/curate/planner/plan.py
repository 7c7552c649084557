"""The plan: what a policy would do to a scope at an instant, as data that is shown, kept, read back and applied.

Knows how a cycle's outcome becomes arrays, changes and JSON; decides nothing itself but through the cycle, and cannot
tell whether a plan may be applied.
"""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

import numpy as np
import orjson

from remanence.core.change import ABSENT, MILLION, Change
from remanence.core.clock import TIME_MAX
from remanence.core.effects import ACTIONS, DESTROYED
from remanence.core.errors import InvalidInput
from remanence.core.guards import BUILT_IN
from remanence.core.model import COLUMN, Relation
from remanence.core.results import Result, Time, format_counts
from remanence.core.snapshot import Ints, Snapshot
from remanence.curate.language.view import View
from remanence.curate.planner import brake, changes, plan_report
from remanence.curate.planner.changes import CommitPart
from remanence.curate.planner.cycle import Cycle
from remanence.curate.planner.diff import (
    FORMAT,
    OPTIONS,
    Deferral,
    Edits,
    LinkEdits,
    MergePairs,
    PlanDecision,
    Refusal,
    collect_merges,
    column_edits,
    combine_rows,
    link_edits,
    unpack_integers,
)
from remanence.curate.planner.plan_report import Action, PlanReport, Preview, count_acts, report
from remanence.curate.planner.protection import Guarding
from remanence.curate.planner.state import GONE, Working, begin
from remanence.curate.policy.compiled import Policy

T = TypeVar("T")
_ACTIONS = frozenset(effect.name for effect in ACTIONS)


def format_of(data: Mapping[str, Any]) -> int:
    """Return the number of the format that a plan is written in; raise like `fields_of`."""
    return _check_range(data["format"], 0, 1 << 31)


def fields_of(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of a plan of this format by name; raise ValueError, TypeError or KeyError where it is none."""
    rules = _texts(data["rules"])
    return {
        "scope": _check_type(str, data["scope"]),
        "policy": _check_type(str, data["policy"]["name"]),
        "policy_hash": _check_type(str, data["policy"]["hash"]),
        "overrides": _check_mapping(data["policy"]["overrides"], dict),
        "now": _check_range(data["now"], -TIME_MAX, TIME_MAX),
        "position": _check_range(data["position"], 0, 1 << 62),
        "automatic": _check_type(bool, data["automatic"]),
        "rules": rules,
        "because": _check_mapping(data["because"], str),
        **_rows(data, len(rules)),
        **_read_links(data, len(rules)),
        **_parse_report_fields(data, rules),
    }


def _rows(data: Mapping[str, Any], rules: int) -> dict[str, Any]:
    memories = data["memories"]
    seq = _check_ascending(unpack_integers(memories["seq"]), 1, 1 << 62)
    states = _texts(data["states"])
    columns = {
        name: _check_edits(name, Edits.read(edits), len(seq), states)
        for name, edits in data["columns"].items()
    }
    return {
        "seq": seq,
        "revision": _check_minimum(1, unpack_integers(memories["revision"], len(seq))),
        "touched": _check_minimum(0, unpack_integers(memories["touched"], len(seq))),
        "purged": _check_ascending(unpack_integers(memories["purged"]), 0, len(seq)),
        "exempt": _check_ascending(unpack_integers(memories["exempt"]), 0, len(seq)),
        "columns": columns,
        "states": states,
        "tags": {
            action: {tag: _check_ascending(unpack_integers(rows), 1, 1 << 62) for tag, rows in tags.items()}
            for action, tags in data["tags"].items()
        },
        "why": {
            group: _numbers(unpack_integers(why, len(seq)), -1, rules) for group, why in data["why"].items()
        },
    }


def _check_edits(name: str, edits: Edits, rows: int, states: tuple[str, ...]) -> Edits:
    """Return what changes in a column, if its places and values can be."""
    _check_ascending(edits.rows, 0, rows)
    kind = COLUMN[name].kind
    for side in (edits.before, edits.after):
        values = side[side != ABSENT]
        if name == "state":
            _numbers(values, 0, len(states))
        elif kind == "time":
            _numbers(values, -TIME_MAX, TIME_MAX)
        elif kind == "fraction":
            _numbers(values, 0, MILLION + 1)
        elif kind == "enum":
            _numbers(values, 0, 1 << 7)
        else:
            _numbers(values, 0, 1 << 62)
    return edits


def _read_links(data: Mapping[str, Any], rules: int) -> dict[str, Any]:
    links = LinkEdits.read(data["links"])
    _numbers(links.source, 1, 1 << 62)
    _numbers(links.target, 1, 1 << 62)
    _numbers(links.relation, 0, len(Relation))
    _numbers(links.why, -1, rules)
    survivor, discard = data["merges"]
    survivors = unpack_integers(survivor)
    return {"links": links, "merges": MergePairs(survivors, unpack_integers(discard, len(survivors)))}


def _parse_report_fields(data: Mapping[str, Any], rules: tuple[str, ...]) -> dict[str, Any]:
    """Return what a plan says for people; nothing is done because it stands there."""
    return {
        "by_rule": tuple(
            (_one_of(_ACTIONS, action), _one_of(rules, rule), _check_range(count, 0, 1 << 62))
            for action, rule, count in data["by_rule"]
        ),
        "refusals": tuple(
            Refusal(
                _check_type(str, guard),
                _check_type(str, rule),
                _check_range(count, 0, 1 << 62),
                tuple(unpack_integers(some).tolist()),
            )
            for guard, rule, count, some in data["refusals"]
        ),
        "deferred": tuple(
            Deferral(_check_type(str, rule), tuple(unpack_integers(seqs).tolist()))
            for rule, seqs in data["deferred"]
        ),
        "held": None if data["held"] is None else _check_type(str, data["held"]),
        "destroyed": _check_range(data["destroyed"], 0, 1 << 62),
        "memories": _check_range(data["of"], 0, 1 << 62),
        "fired": _texts(data["fired"]),
        "notes": _texts(data["notes"]),
    }


def _check_type(kind: type[T], value: Any) -> T:
    if type(value) is not kind:
        raise ValueError(f"{value!r:.40} is no {kind.__name__}")
    return value


def _one_of(names: Collection[str], value: Any) -> str:
    name = _check_type(str, value)
    if name not in names:
        raise ValueError(f"{name!r:.40} is none of those that there are")
    return name


def _check_range(value: Any, low: int, high: int) -> int:
    if not low <= _check_type(int, value) < high:
        raise ValueError(f"{value} is out of range")
    return int(value)


def _texts(values: Any) -> tuple[str, ...]:
    return tuple(_check_type(str, value) for value in _check_type(list, values))


def _check_mapping(values: Any, kind: type[T]) -> dict[str, T]:
    return {name: _check_type(kind, value) for name, value in _check_type(dict, values).items()}


def _numbers(values: Ints, low: int, high: int) -> Ints:
    if len(values) and not (low <= values.min() and values.max() < high):
        raise ValueError("a number is out of range")
    return values


def _check_minimum(low: int, values: Ints) -> Ints:
    return _numbers(values, low, 1 << 62)


def _check_ascending(values: Ints, low: int, high: int) -> Ints:
    if bool((np.diff(values) <= 0).any()):
        raise ValueError("numbers do not ascend")
    return _numbers(values, low, high)


@dataclass(frozen=True, eq=False, repr=False)
class Plan(Result, PlanDecision):
    """Changes that a policy would make to a scope at an instant; none of them is made yet.

    `preview` is shown to a person together with the plan: neither the plan's file nor its digest holds a text.
    """

    preview: Preview | None = field(default=None, repr=False)

    time = Time("now")

    def to_dict(self) -> dict[str, Any]:
        """Return what it would do as data that `json.dumps` takes; `to_json` writes the plan itself down."""
        return self.describe().to_dict()

    def _line(self) -> str:
        """Say in one line under which policy it does what."""
        hold = ", HELD" if self.held is not None else ""
        return (
            f"{self.digest[:12]} for {self.scope!r} under {self.policy!r}{hold}: {format_counts(self.counts)}"
        )

    def actions(self) -> tuple[Action, ...]:
        """Return what would be done, by action and rule, with the memories to which."""
        return plan_report.actions(self)

    def changes(self) -> Iterator[list[Change]]:
        """Yield the changes in groups that belong together, one at a time.

        Of a purged memory only the row itself is listed: the tags, sources and links that go with it are read and
        added when the plan is applied, and so are the tags and sources that a merge gives to the survivor.
        """
        return changes.changes(self)

    def parts(self, changes_max: int) -> Iterator[CommitPart]:
        """Yield the same changes in the parts in which `apply` commits them; like changes are one block."""
        return changes.parts(self, changes_max)

    def describe(self) -> PlanReport:
        """Return what it would do with the memories that it names, of each action the first."""
        return report(self, self.preview or Preview())

    def __str__(self) -> str:
        return str(self.describe())

    def to_json(self) -> str:
        """Write the plan down, exactly."""
        return orjson.dumps({**self.payload(), "digest": self.digest}, option=OPTIONS).decode()

    @classmethod
    def from_json(cls, text: str | bytes) -> "Plan":
        """Read a plan back; raise InvalidInput where it is none, or is not what was written."""
        try:
            data = orjson.loads(text)
            plan_format = format_of(data)
            plan = cls(**fields_of(data)) if plan_format == FORMAT else None
            is_unchanged = plan is not None and bool(data["digest"] == plan.digest)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise InvalidInput(
                "this is no plan", recovery="make one with `remanence plan -o plan.json`"
            ) from error
        if plan is None:
            raise InvalidInput(
                f"the plan is of format {plan_format}, and this version reads format {FORMAT}",
                recovery="make it again: `remanence plan -o`",
            )
        if not is_unchanged:
            raise InvalidInput(
                "the plan was changed after it was made", recovery="make a new one and apply that"
            )
        return plan


def plan(
    snapshot: Snapshot, policy: Policy, now: int, *, automatic: bool = False, sparing: bool = False
) -> Plan:
    """Decide what a policy would do to a scope now; the same arguments give the same plan.

    An automatic plan that is `sparing` leaves all that limits count to another day.
    """
    return decide(snapshot, policy, now, automatic=automatic, sparing=sparing)[0]


def decide(
    snapshot: Snapshot, policy: Policy, now: int, *, automatic: bool = False, sparing: bool = False
) -> tuple[Plan, View | None]:
    """Decide the same, and return the view that the plan leaves where another plan on it would do nothing.

    A summary may be made of what this run archived, and of nothing before; and what waits for another day is left.
    """
    working = begin(snapshot, policy, now)
    allowance = 0 if sparing else brake.allowance(snapshot)
    cycle = Cycle(policy, working, Guarding(policy), merges_left=allowance if automatic else None)
    cycle.run()
    exempt = _find_exempt_rows(cycle)
    ends = np.setdiff1d(_find_destroyed(working), exempt)
    would = 0 if sparing else len(ends) + len(cycle.deferred_merges)
    hold = brake.check_brake(snapshot, now, would, automatic=automatic)
    if hold is not None and cycle.deferred_merges:
        # A plan that is held says all that it would do, so that a yes is a yes to the whole. What is not merged today
        # may be pruned instead, and counts twice: whether it is held, the whole decides.
        whole = plan(snapshot, policy, now)
        hold = brake.check_brake(snapshot, now, whole.destroyed, automatic=automatic)
        if hold is not None:
            return replace(whole, automatic=automatic, held=hold.why), None
    deferrals = _defer_overdue(cycle, ends, allowance) if automatic and hold is None else ()
    outcome = _build_plan(cycle, hold.why if hold is not None else None, deferrals, exempt)
    rests = cycle.rested and hold is None and not (deferrals or cycle.deferred_merges)
    # Another run may make summaries of what this one archived or condensed.
    may_sum_up = any(
        rule.effect.needs_text for rule in policy.rules
    ) and not outcome.columns.keys().isdisjoint({"status", "form"})
    return outcome, working.view if rests and not may_sum_up else None


def _find_destroyed(working: Working) -> Ints:
    """Find the rows that a cycle destroys: made tombstones, purged, or merged into others."""
    status, start = working.view.column("status"), working.start["status"]
    if status is start:
        return np.zeros(0, np.int64)
    is_destroyed = np.logical_or.reduce([status == code for code in (*DESTROYED, GONE)])
    return np.flatnonzero((status != start) & is_destroyed)


def _find_exempt_rows(cycle: Cycle) -> Ints:
    """Find the rows that a cycle destroys and that limits do not count."""
    working, rows = cycle.working, _find_destroyed(cycle.working)
    if not len(rows):
        return rows
    by_age = np.array([rule.expires_by_age for rule in cycle.policy.rules])
    is_tombstone = working.view.column("status")[rows] != GONE
    is_expired = is_tombstone & by_age[working.why["status"][rows]]
    snapshot = working.view.snapshot
    is_merged = np.isin(rows, [merge.discard for merge in working.merges])
    free: Ints = rows[brake.find_exempt_rows(snapshot, working.now, rows, is_expired) & ~is_merged]
    return free


def _defer_overdue(cycle: Cycle, ends: Ints, allowance: int) -> tuple[Deferral, ...]:
    """Let the longest due go first, and give back to the others what they were; merges were counted before."""
    working = cycle.working
    rows: dict[int, list[int]] = {}
    for row, rule in cycle.deferred_merges:
        rows.setdefault(rule, []).append(row)
    discards = {merge.discard for merge in working.merges}
    alone = np.array([row for row in ends.tolist() if row not in discards], np.int64)
    room = max(0, allowance - len(discards))
    if len(alone) > room:
        start = View(working.view.snapshot, working.now)
        rules = working.why["status"][alone]
        due = [(cycle.policy.rules[rule], alone[rules == rule]) for rule in np.unique(rules).tolist()]
        late = brake.longest_due(start, due)[room:]
        for row in np.sort(late).tolist():
            rows.setdefault(int(working.why["status"][row]), []).append(row)
        working.revert(late)
    seq = working.view.snapshot.seq
    return tuple(
        Deferral(cycle.policy.rules[rule].name, tuple(seq[rows[rule]].tolist())) for rule in sorted(rows)
    )


def _build_plan(cycle: Cycle, held: str | None, deferred: tuple[Deferral, ...], exempt: Ints) -> Plan:
    """Put a cycle's net outcome down as a plan."""
    working, policy = cycle.working, cycle.policy
    snapshot = working.view.snapshot
    columns = column_edits(working)
    purges = np.flatnonzero(working.view.column("status") == GONE)
    rows = combine_rows([purges, *(edits.rows for edits in columns.values())], len(snapshot))
    places = np.zeros(len(snapshot), np.int64)
    places[rows] = np.arange(len(rows))
    # Columns that change in the same rows keep sharing them.
    shared_rows = {id(edits.rows): places[edits.rows] for edits in columns.values()}
    made = Plan(
        scope=snapshot.scope,
        policy=policy.name,
        policy_hash=policy.hash,
        overrides=policy.overrides,
        now=working.now,
        position=snapshot.position,
        automatic=cycle.merges_left is not None,
        rules=tuple(rule.name for rule in policy.rules),
        because=_collect_reasons(policy),
        seq=snapshot.seq[rows],
        revision=snapshot.columns["revision"][rows].astype(np.int64),
        touched=snapshot.columns["touched"][rows].astype(np.int64),
        columns={name: replace(edits, rows=shared_rows[id(edits.rows)]) for name, edits in columns.items()},
        states=working.view.names("state"),
        purged=places[purges],
        exempt=places[exempt],
        tags=_tags(working),
        links=link_edits(working),
        merges=collect_merges(working),
        why={
            group: rules[rows].astype(np.int64)
            for group, rules in working.why.items()
            if not group.startswith("tag:")
        },
        refusals=cycle.guarding.refusals(snapshot.seq),
        deferred=deferred,
        held=held,
        destroyed=len(_find_destroyed(working)) - len(exempt),
        memories=snapshot.memories,
        fired=_list_fired_rules(cycle, deferred),
        notes=(
            *brake.notes(snapshot, working.now, automatic=cycle.merges_left is not None),
            *cycle.notes,
            *_left_linked(cycle),
        ),
    )
    return replace(made, by_rule=_count_by_rule(made, working))


def _list_fired_rules(cycle: Cycle, deferred: tuple[Deferral, ...]) -> tuple[str, ...]:
    """Name the rules with a period that have had their turn; one of which all waits for another day has not."""
    waiting = [seq for item in deferred for seq in item.seqs]
    seqs = cycle.working.view.snapshot.seq
    return tuple(sorted(name for name, rows in cycle.fired.items() if not np.isin(seqs[rows], waiting).all()))


def _left_linked(cycle: Cycle) -> Iterator[str]:
    """Say which pairs rules left two because no likeness says that different words mean the same."""
    for rule, pairs in cycle.linked.items():
        which = "1 pair is linked" if pairs == 1 else f"{pairs:,} pairs are linked"
        why = "one word may be the opposite of another"
        yield f"{rule}: {which} and not merged: their words differ, and {why}"


def _collect_reasons(policy: Policy) -> dict[str, str]:
    reasons = {guard.name: guard.because for guard in BUILT_IN}
    reasons |= {guard.name: guard.because for guard in policy.guards}
    reasons |= {rule.name: rule.because for rule in policy.rules}
    return {name: because for name, because in reasons.items() if because}


def _tags(working: Working) -> dict[str, dict[str, Ints]]:
    """Return who gets and who loses a tag, by action and tag."""
    tags: dict[str, dict[str, Ints]] = {}
    # A tag goes with its memory: on one that is purged it is no change.
    stays = working.view.column("status") != GONE
    for name in filter(lambda name: name.startswith("tag:"), working.start):
        start, now = working.start[name], working.view.tag(name[4:])
        for effect in (one for one in ACTIONS if one.table == "tags"):
            mask = (now & ~start if effect.adds_row else start & ~now) & stays
            if mask.any():
                tags.setdefault(effect.name, {})[name[4:]] = working.view.snapshot.seq[mask]
    return tags


def _count_by_rule(made: Plan, working: Working) -> tuple[tuple[str, str, int], ...]:
    """Count what each rule does, by the action that shows in the end."""
    counts = count_acts(made)
    for action, tag, seqs in made.iterate_tag_changes():
        rules = working.why[f"tag:{tag}"][np.searchsorted(working.view.snapshot.seq, seqs)]
        counts.update((action, made.rules[rule]) for rule in rules.tolist())
    return tuple((action, rule, count) for (action, rule), count in sorted(counts.items()))
