"""What rules let take another's place: what its speaker says later, surely, where a policy says that it may."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from remanence.core.acts import acts_of
from remanence.core.change import Change
from remanence.core.clock import DAY
from remanence.core.effects import MERGE, SUPERSEDE
from remanence.core.errors import InvalidInput
from remanence.core.model import Reason, Relation, Status, Trust
from remanence.curate.planner.plan import Plan, plan
from remanence.curate.planner.plan_report import Preview, report
from remanence.curate.planner.proposal import refuse_foreign
from remanence.curate.policy.compiled import build_snapshot_request, load
from tests.unit.scopes import NOW, World, link, row

POLICY = load(
    'version = 1\n[[rule]]\nname = "newer"\nevery = "deep"\nphase = "deduplicate"\n'
    'where = "outdated"\ndo = "supersede"\n'
)
NEWER = int(Relation.NEWER)


def _world(*rows: dict[str, Any], sure: float | None = 0.9, pairs: Any = ((2, 1),)) -> World:
    links = {(newer, older, NEWER): link(confidence=sure) for newer, older in pairs}
    return World([dict(row) for row in rows], links)


def _planned(world: World, **more: Any) -> Plan:
    return plan(world.snapshot(build_snapshot_request(POLICY).tags), POLICY, NOW, **more)


def _standing(world: World) -> list[bool]:
    return [one["status"] != Status.SUPERSEDED for one in world.rows.values()]


def test_what_is_surely_newer_takes_the_place_and_is_said_so() -> None:
    """The older one is superseded, as of now; a second run has nothing to do."""
    world = _world(row(), row())
    made = _planned(world)
    world.apply(made)

    assert [False, True] == _standing(world)
    assert Reason.SUPERSEDED == world.rows[1]["reason"]
    assert [("supersede", "newer", 1)] == [*made.by_rule]
    assert "replace 1 memory with what is newer" in str(report(made, Preview()))
    assert 1 == made.destroyed
    assert _planned(world).empty


@pytest.mark.parametrize(
    ("older", "sure"),
    [
        ({}, 0.6),
        ({"pinned": 1}, 0.9),
        ({"hold_until": NOW + DAY}, 0.9),
        ({"tags": {"self/goal"}}, 0.9),
        ({"trust": Trust.USER}, 0.9),
    ],
)
def test_what_is_not_sure_or_is_protected_stands(older: Mapping[str, Any], sure: float) -> None:
    """A guess, a pin, a hold, who the agent is, and what is believed more than what is newer."""
    world = _world(row(**{"trust": Trust.AGENT, **older}), row(trust=Trust.AGENT), sure=sure)
    world.apply(_planned(world))

    assert [True, True] == _standing(world)


def test_of_a_chain_the_newest_stands_and_of_a_circle_all() -> None:
    """However long the chain is; whoever draws links in a circle takes nothing out of sight."""
    chain = _world(row(), row(), row(), pairs=((2, 1), (3, 2)))
    circle = _world(row(), row(), pairs=((2, 1), (1, 2)))
    for world in (chain, circle):
        world.apply(_planned(world))

    assert [False, False, True] == _standing(chain)
    assert [True, True] == _standing(circle)


def test_the_brake_counts_it_as_what_is_destroyed() -> None:
    """A twentieth a day goes through by itself, the rest waits; where a quarter would go, all is held."""
    chain = [(at + 1, at) for at in range(1, 40)]
    many, few = (_world(*(row() for _ in range(count)), pairs=chain) for count in (400, 40))
    made, held = _planned(many, automatic=True), _planned(few)

    assert (20, 19) == (made.destroyed, sum(len(one.seqs) for one in made.deferred))
    assert (39, True) == (held.destroyed, bool(held.held))


def test_a_plan_of_it_is_read_back_and_one_that_says_otherwise_is_refused() -> None:
    """What was merged away no rule of this policy says."""
    made = _planned(_world(row(), row()))
    refuse_foreign(Plan.from_json(made.to_json()), POLICY)
    reason = made.columns["reason"]
    other = replace(reason, after=reason.after * 0 + int(Reason.MERGED))

    with pytest.raises(InvalidInput):
        refuse_foreign(replace(made, columns={**made.columns, "reason": other}), POLICY)


def test_the_audit_tells_it_from_a_merge() -> None:
    """Both lead to one status, each for its own reason."""
    for effect in (SUPERSEDE, MERGE):
        after = {"status": Status.SUPERSEDED, "reason": effect.reason}

        assert [effect.name] == [*acts_of(Change("memories", 1, {"status": Status.ACTIVE}, after))]


def test_under_default_what_is_out_of_date_leaves_the_budget_first() -> None:
    """However much it is worth; nothing is superseded."""
    policy = load(
        'version = 1\nextend = "default"\n[[override]]\nname = "store-budget"\n'
        'keep = { tokens = 100 }\nladder = ["archive"]\n'
    )
    rows = [row(tokens=50, words=40, value=value, learned_at=NOW - 40 * DAY) for value in (90.0, 5.0, 9.0)]
    world = _world(*rows, pairs=((2, 1),))
    world.apply(plan(world.snapshot(build_snapshot_request(policy).tags), policy, NOW))

    assert [Status.ARCHIVED, Status.ACTIVE, Status.ACTIVE] == [one["status"] for one in world.rows.values()]
