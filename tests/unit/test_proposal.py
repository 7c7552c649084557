"""What no cycle of a policy could have made is refused, each time by what is wrong with it."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from remanence.core.change import ABSENT
from remanence.core.clock import DAY
from remanence.core.errors import InvalidInput
from remanence.core.model import Lifecycle, Reason, Relation, Status, Tier
from remanence.curate.planner.diff import Edits, MergePairs, PlanDecision
from remanence.curate.planner.plan import Plan, plan
from remanence.curate.planner.proposal import refuse_foreign
from remanence.curate.policy.compiled import Policy, build_snapshot_request, load
from tests.unit.scopes import NOW, World, linked, row

Forge = Callable[[Plan], Mapping[str, Any]]


def _rule(name: str, phase: str, do: str, where: str, *more: str) -> str:
    return "\n".join(
        [
            "[[rule]]",
            f'name = "{name}"\nevery = "deep"\nphase = "{phase}"\ndo = "{do}"\nwhere = "{where}"',
            *more,
        ]
    )


EVERYTHING = "\n".join(
    [
        "version = 1",
        _rule("notes", "expire", "prune", "status != 'pruned' and category == 'knowledge'"),
        _rule("twins", "deduplicate", "merge", "both(category == 'preference')", 'over = "pairs"\nmin = 0.9'),
        _rule("tried", "lifecycle", "transition", "kind == 'procedural'", 'to = "validated"'),
        _rule("done", "lifecycle", "transition", "category == 'task'", 'column = "state"\nto = "completed"'),
        _rule("talk", "value", "archive", "category == 'observation' and severity == 'low'"),
        _rule("warm", "tiers", "move", "category == 'fact'", 'to = "warm"'),
        _rule("weak", "links", "unlink", "weight < 0.3", 'over = "links"'),
        _rule("odd", "value", "flag", "severity >= 'high'", 'to = "look"'),
        _rule("tombs", "purge", "purge", "status == 'pruned' and age(status_at) > days(30)"),
        _rule("best", "reinforce", "reinforce", "category == 'fact'", 'period = "40 hours"'),
    ]
)
MOVING = "version = 1\n" + "\n".join(
    [
        _rule("warm", "tiers", "move", "category == 'fact'", 'to = "warm"'),
        _rule("tried", "lifecycle", "transition", "kind == 'procedural'", 'to = "validated"'),
    ]
)
PRUNED, ARCHIVED, KEPT, AWAY, TALK, FACT, TASK, KNOT, STORM, TOMB = range(1, 11)


def a_world() -> World:
    """A scope in which every rule has something to do."""
    return World(
        [
            row(category="knowledge"),
            row(category="knowledge", status="archived", reason="decayed"),
            row(category="preference", uses=3),
            row(category="preference", uses=1),
            row(category="observation", severity="low"),
            row(category="fact", reinforced=3),
            row(category="task", state="pending"),
            row(kind="procedural"),
            row(category="observation", severity="critical"),
            row(status="pruned", reason="forgotten", status_at=NOW - 40 * DAY),
        ],
        {
            **linked((KEPT, AWAY), relation=Relation.NEAR_DUPLICATE, weight=0.99, confidence=0.99),
            **linked((AWAY, FACT), relation=Relation.SUPPORTS, weight=0.6),
            **linked((STORM, FACT), relation=Relation.SUPPORTS, weight=0.1),
        },
    )


def planned(text: str = EVERYTHING) -> tuple[Plan, Policy]:
    """Plan for the scope by a policy."""
    policy = load(text)
    return plan(a_world().snapshot(build_snapshot_request(policy).tags), policy, NOW), policy


def place_of(made: Plan, seq: int) -> int:
    """Return the place of a memory in a plan."""
    return int(np.flatnonzero(made.seq == seq)[0])


def edited(made: Plan, name: str, seq: int, **sides: int) -> Mapping[str, Any]:
    """Let a column of one memory be another before or after; one that it does not change yet it changes."""
    edits, place = made.columns.get(name, Edits.none()), place_of(made, seq)
    if place not in edits.rows:
        edits = Edits(
            *(
                np.append(each, more)
                for each, more in zip((edits.rows, edits.before, edits.after), (place, 0, 0), strict=True)
            )
        )
    values = {
        side: np.where(edits.rows == place, sides.get(side, getattr(edits, side)), getattr(edits, side))
        for side in ("before", "after")
    }
    return {"columns": {**made.columns, name: replace(edits, **values)}}


def column(name: str, seq: int, **sides: int) -> Forge:
    """Let a column of one memory be another before or after."""
    return lambda made: edited(made, name, seq, **sides)


def _why(group: str, seq: int, rule: str) -> Forge:
    def forge(made: Plan) -> Mapping[str, Any]:
        rules = made.why[group].copy()
        rules[place_of(made, seq)] = made.rules.index(rule)
        return {"why": {**made.why, group: rules}}

    return forge


def _without(*names: str) -> Forge:
    return lambda made: {
        "columns": {name: edits for name, edits in made.columns.items() if name not in names}
    }


def _purged(seq: int) -> Forge:
    return lambda made: {"purged": np.append(made.purged, place_of(made, seq))}


def _merged(*pairs: tuple[int, int]) -> Forge:
    def forge(made: Plan) -> Mapping[str, Any]:
        kept, away = np.array(pairs, np.int64).T
        return {"merges": MergePairs(kept, away)}

    return forge


CUT, MOVED = (STORM, FACT), (AWAY, FACT)


def link_edited(link: tuple[int, int], **values: Any) -> Forge:
    """Let one link say something else."""

    def forge(made: Plan) -> Mapping[str, Any]:
        links = made.links
        here = (links.source == link[0]) & (links.target == link[1])
        assert here.any()
        changed: dict[str, Any] = {}
        for name, value in values.items():
            if name in {"before", "after"}:
                side = getattr(links, name)
                changed[name] = {**side, "weight": np.where(here, value, side["weight"])}
            else:
                number = made.rules.index(value) if isinstance(value, str) else value
                changed[name] = np.where(here, number, getattr(links, name))
        return {"links": replace(links, **changed)}

    return forge


def _all(*forges: Forge) -> Forge:
    def forge(made: Plan) -> Mapping[str, Any]:
        changes: dict[str, Any] = {}
        for one in forges:
            changes |= one(replace(made, **changes))
        return changes

    return forge


def _counting(action: str, by: int) -> Forge:
    return lambda made: {
        "by_rule": tuple((act, rule, n + by * (act == action)) for act, rule, n in made.by_rule)
    }


FORGED: list[tuple[Forge, str]] = [
    (lambda made: {"rules": (*made.rules[1:], "notes")}, "names other rules than its policy has"),
    (lambda _: {"automatic": True}, "says that nobody asked for it, and yet was handed over"),
    (column("pinned", FACT), "changes pinned, which no rule of its policy does"),
    (
        lambda made: {"tags": {"flag": {**made.tags["flag"], "flag/other": np.array([FACT])}}},
        "would flag 'flag/other', which no rule of its policy does",
    ),
    (lambda _: {"fired": ("best", "notes")}, "says that a rule has fired which never does"),
    (_why("lifecycle", KNOT, "notes"), "follows a rule in 'lifecycle' that does no such thing"),
    (
        column("reinforced", KNOT, after=1),
        "changes reinforced of a memory to which no rule does that",
    ),
    (column("uses", FACT, after=1), "changes uses of a memory to which no rule does that"),
    (_without("state", "state_at"), "names a memory that it does not change"),
    (column("status_at", TALK, after=NOW + 1), "sets status_at to another time than its own"),
    (column("tier", FACT, after=Tier.HOT), "sets tier to what no rule of its policy leads to"),
    (
        column("lifecycle", KNOT, after=Lifecycle.STALE),
        "sets lifecycle to what no rule of its policy leads to",
    ),
    (column("reason", TALK, after=Reason.FORGOTTEN), "sets reason to what no rule of its policy leads to"),
    (column("reinforced", FACT, before=7, after=6), "counts reinforced down"),
    (column("reinforced", FACT, before=7, after=7), "counts reinforced down"),
    (
        lambda made: {"states": tuple(f"{name} again" for name in made.states)},
        "sets state to what no rule of its policy leads to",
    ),
    (column("state", TASK, after=-1), "sets state to what no rule of its policy leads to"),
    (column("state", TASK, after=ABSENT), "sets state to what no rule of its policy leads to"),
    (column("reinforced", FACT, before=0, after=2), "reinforces more than its policy does"),
    (column("status", TALK, after=Status.PRUNED), "makes a memory pruned without a rule that does"),
    (
        _all(column("status", PRUNED, after=Status.ARCHIVED), column("reason", PRUNED)),
        "makes a memory archived without a rule that does",
    ),
    (column("status", TALK, after=Status.SUPERSEDED), "makes a memory superseded without a rule that does"),
    (column("status", AWAY, after=Status.PRUNED), "makes a memory pruned without a rule that does"),
    (column("status", TALK, after=Status.ACTIVE), "makes a memory active without a rule that does"),
    (column("status", TALK, after=9), "makes a memory 9 without a rule that does"),
    (column("status", TALK, before=Status.PRUNED), "makes a memory archived that was pruned"),
    (column("status", TALK, before=9), "makes a memory archived that was 9"),
    (column("tier", FACT, after=Tier.ARCHIVE), "puts a memory into the archive that it does not archive"),
    (column("tier", TOMB, after=Tier.WARM), "destroys a memory without a rule that does"),
    (_all(_purged(TALK), column("tier", TALK)), "destroys a memory without a rule that does"),
    (_merged((KEPT, AWAY), (KEPT, AWAY)), "merges what its policy does not"),
    (_merged((KEPT, AWAY), (AWAY, KEPT)), "merges what its policy does not"),
    (_merged((KEPT, AWAY), (STORM, FACT)), "merges a memory away and leaves it in sight"),
    (
        link_edited(CUT, source=AWAY, relation=int(Relation.SUPPORTS)),
        "names a link twice, or one that cannot be",
    ),
    (link_edited(CUT, source=FACT), "names a link twice, or one that cannot be"),
    (link_edited(CUT, relation=int(Relation.SIMILAR)), "names a link twice, or one that cannot be"),
    (link_edited(CUT, why="notes"), "cuts a link by a rule that does not"),
    (link_edited(CUT, after=500_000), "cuts a link by a rule that does not"),
    (link_edited(CUT, before=ABSENT), "cuts a link by a rule that does not"),
    (link_edited(CUT, why=-1), "changes a link that no merge moves"),
    (link_edited(MOVED, before=ABSENT, after=ABSENT), "changes a link that no merge moves"),
    *(
        (_counting(action, by), "counts otherwise than it acts")
        for by in (1, -1)
        for action in (
            "archive",
            "flag",
            "merge",
            "move",
            "prune",
            "purge",
            "reinforce",
            "transition",
            "unlink",
        )
    ),
    (lambda made: {"destroyed": made.destroyed - 1}, "would destroy another number of memories than it says"),
]


def _refused(made: PlanDecision, policy: Policy) -> str:
    with pytest.raises(InvalidInput) as refused:
        refuse_foreign(made, policy)

    assert "make a new one and apply that" == refused.value.recovery
    return str(refused.value)


def test_what_its_policy_made_is_no_forgery() -> None:
    """A plan that does something of every sort is taken as it is."""
    made, policy = planned()
    refuse_foreign(made, policy)

    assert {
        "archive": 1,
        "flag": 1,
        "merge": 1,
        "move": 1,
        "prune": 2,
        "purge": 1,
        "reinforce": 1,
        "transition": 2,
        "unlink": 1,
    } == made.counts
    assert ("best",) == made.fired


@pytest.mark.parametrize(("forge", "complaint"), FORGED)
def test_each_forgery_is_refused_by_what_is_wrong_with_it(forge: Forge, complaint: str) -> None:
    """One thing is forged at a time, all else is as the policy made it; the error says which."""
    made, policy = planned()

    assert f"the plan {complaint}" in _refused(replace(made, **forge(made)), policy)


@pytest.mark.parametrize(
    ("forge", "complaint"),
    [
        (column("tier", FACT, after=Tier.COLD), "sets tier to what no rule of its policy leads to"),
        (column("tier", FACT, after=Tier.ARCHIVE), "sets tier to what no rule of its policy leads to"),
        (
            column("lifecycle", KNOT, after=Lifecycle.ARCHIVED),
            "sets lifecycle to what no rule of its policy leads to",
        ),
        (_merged((FACT, KNOT)), "merges what its policy does not"),
    ],
)
def test_a_policy_that_takes_nothing_away_leads_nowhere_else(forge: Forge, complaint: str) -> None:
    """Where no rule archives, prunes or merges, no memory comes to where those lead."""
    made, policy = planned(MOVING)
    refuse_foreign(made, policy)

    assert f"the plan {complaint}" in _refused(replace(made, **forge(made)), policy)


@pytest.mark.parametrize(
    "rule",
    [
        _rule("only", "links", "unlink", "weight < 0.3", 'over = "links"'),
        _rule("only", "expire", "prune", "category == 'knowledge'"),
        _rule("only", "purge", "purge", "status == 'pruned'"),
        _rule("only", "lifecycle", "transition", "kind == 'procedural'", 'to = "validated"'),
    ],
)
def test_the_only_rule_of_a_policy_is_one(rule: str) -> None:
    """What the first rule does is done by a rule; a plan of it is no forgery."""
    made, policy = planned(f"version = 1\n{rule}")
    refuse_foreign(made, policy)

    assert not made.empty


def test_what_is_merged_away_may_be_purged_in_the_same_run() -> None:
    """It is out of sight either way."""
    policy = load(
        "version = 1\n"
        + _rule(
            "twins", "deduplicate", "merge", "both(category == 'preference')", 'over = "pairs"\nmin = 0.9'
        )
        + "\n"
        + _rule("tombs", "purge", "purge", "status == 'superseded'")
    )
    made = plan(a_world().snapshot(build_snapshot_request(policy).tags), policy, NOW)
    refuse_foreign(made, policy)

    assert [AWAY] == made.merges.discard.tolist()
