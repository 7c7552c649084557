"""What a proposed plan and one made now agree on, thing by thing."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from remanence.core.clock import DAY
from remanence.core.model import Tier
from remanence.curate.planner.plan import Plan, plan
from remanence.curate.planner.plan_agreement import filter_to_proposed, left_out
from remanence.curate.policy.compiled import build_snapshot_request, load
from tests.unit.scopes import NOW, World
from tests.unit.test_proposal import (
    ARCHIVED,
    AWAY,
    CUT,
    EVERYTHING,
    FACT,
    KEPT,
    KNOT,
    MOVED,
    PRUNED,
    STORM,
    TALK,
    TASK,
    TOMB,
    Forge,
    a_world,
    column,
    link_edited,
    place_of,
    planned,
)

ALL = {PRUNED, ARCHIVED, KEPT, AWAY, TALK, FACT, TASK, KNOT, TOMB}


def _plan(world: World | None = None, now: int = NOW) -> Plan:
    policy = load(EVERYTHING)
    return plan((world or a_world()).snapshot(build_snapshot_request(policy).tags), policy, now)


def _agreed(forge: Forge) -> Plan:
    """Return what is left of a plan that is proposed otherwise."""
    made, policy = planned()
    return filter_to_proposed(replace(made, **forge(made)), made, policy)


def _reading(name: str, seq: int) -> Forge:
    """Let a plan have read another revision, or another count of uses, of one memory."""
    return lambda made: {name: np.where(made.seq == seq, getattr(made, name) + 1, getattr(made, name))}


def _nothing(_: Plan) -> Mapping[str, Any]:
    return {}


def _not_purged(_: Plan) -> Mapping[str, Any]:
    return {"purged": np.zeros(0, np.int64)}


@pytest.mark.parametrize(
    ("forge", "lost"),
    [
        (_nothing, set()),
        (column("tier", FACT, after=Tier.COLD), {FACT}),
        (column("tier", FACT, before=Tier.WARM), {FACT}),
        (column("state", TASK, after=0), {TASK}),
        (column("lifecycle", KNOT, after=0), {KNOT}),
        (column("status_at", TALK, after=NOW - 1), {TALK}),
        (column("reason", PRUNED, after=0), {PRUNED}),
        (column("uses", FACT, after=1), {FACT}),
        (column("reinforced", FACT, before=5, after=6), set()),
        (column("reinforced", FACT, before=5, after=7), {FACT}),
        (_not_purged, {TOMB}),
        *((_reading("revision", seq), {seq}) for seq in (PRUNED, ARCHIVED, TALK, FACT, TASK, KNOT, TOMB)),
        *((_reading("touched", seq), {seq}) for seq in (PRUNED, ARCHIVED, TOMB)),
        *((_reading("touched", seq), set()) for seq in (TALK, FACT, TASK, KNOT, KEPT)),
        (_reading("touched", AWAY), {KEPT, AWAY}),
        *((_reading("revision", seq), {KEPT, AWAY}) for seq in (KEPT, AWAY)),
        (column("uses", KEPT, after=99), {KEPT, AWAY}),
        (link_edited(MOVED, before=700_000), {KEPT, AWAY}),
        (link_edited(CUT, before=700_000), set()),
    ],
)
def test_what_was_not_proposed_just_so_is_left_out(forge: Forge, lost: set[int]) -> None:
    """A memory by itself, both of a merge together, and nothing else."""
    left = _agreed(forge)
    merged = AWAY not in lost

    assert ALL - lost == set(left.seq.tolist())
    assert merged is bool(len(left.merges.discard))
    assert merged is (
        (KEPT, FACT) in zip(left.links.source.tolist(), left.links.target.tolist(), strict=True)
    )
    assert (TOMB not in lost) is bool(len(left.purged))
    assert (("best",) if FACT not in lost else ()) == left.fired


@pytest.mark.parametrize("side", ["before", "after"])
def test_a_link_that_was_otherwise_is_not_cut(side: str) -> None:
    """All else is done."""
    left = _agreed(link_edited(CUT, **{side: 700_000}))

    assert CUT not in zip(left.links.source.tolist(), left.links.target.tolist(), strict=True)
    assert ALL == set(left.seq.tolist())


def test_a_tag_that_was_not_proposed_is_not_given() -> None:
    """The memory that would get it is left as it is."""
    left = _agreed(lambda _: {"tags": {}})

    assert {} == left.tags
    assert ALL == set(left.seq.tolist())


def test_a_plan_in_other_terms_is_the_same() -> None:
    """States by other numbers, and everything an hour before: the instant of a plan is its own."""
    made, policy = planned()
    (state,) = (made.columns["state"],)
    turned = replace(
        made,
        states=("another", *made.states),
        columns={**made.columns, "state": replace(state, before=state.before + 1, after=state.after + 1)},
    )

    assert made.digest == filter_to_proposed(turned, made, policy).digest

    later = _plan(now=NOW + DAY // 24)

    assert later.digest == filter_to_proposed(made, later, policy).digest
    assert later.now == later.columns["status_at"].after[0]


def test_nothing_proposed_is_nothing_done() -> None:
    """Neither of memories nor of links nor of tags."""
    made, policy = planned()
    nothing = _plan(World([]))

    assert filter_to_proposed(nothing, made, policy).empty


def _left_out(world: World, most: int = 99) -> tuple[list[str], int]:
    """Propose the plan of a whole scope where something has changed since."""
    made, policy = planned()
    now = _plan(world)
    said, more = left_out(
        made,
        filter_to_proposed(made, now, policy),
        world.snapshot(build_snapshot_request(policy).tags),
        policy,
        most,
    )
    return list(said), more


def _changed(seq: int, **values: Any) -> World:
    world = a_world()
    world.rows[seq] |= values
    return world


CHANGED = "changed, used or linked since the plan was made"


@pytest.mark.parametrize(
    ("seq", "values", "said"),
    [
        (FACT, {"pinned": 1, "revision": 2}, [f"#{FACT}: protected: pinned"]),
        (FACT, {"hold_until": NOW + 1, "revision": 2}, [f"#{FACT}: {CHANGED}"]),
        (TALK, {"hold_until": NOW + 1, "revision": 2}, [f"#{TALK}: protected: held"]),
        (TALK, {"hold_until": NOW + 1, "pinned": 1}, [f"#{TALK}: protected: pinned, held"]),
        (PRUNED, {"hold_until": NOW + 1}, [f"#{PRUNED}: protected: held"]),
        (TOMB, {"pinned": 1}, [f"#{TOMB}: protected: pinned"]),
        (KNOT, {"pinned": 1, "revision": 2}, [f"#{KNOT}: {CHANGED}"]),
        (KNOT, {"kind": 1}, [f"#{KNOT}: its policy does not do this now"]),
        (TALK, {"severity": 3, "touched": 1}, [f"#{TALK}: {CHANGED}"]),
        (TALK, {"revision": 5}, [f"#{TALK}: {CHANGED}"]),
        (PRUNED, {"touched": 5}, [f"#{PRUNED}: {CHANGED}"]),
        (TALK, {"touched": 5}, []),
        (STORM, {"severity": 0}, [f"#{STORM}: its policy does not do this now"]),
    ],
)
def test_why_a_memory_is_left_out_is_said(seq: int, values: dict[str, Any], said: list[str]) -> None:
    """By what protects it from just this, else by what changed, else by the policy."""
    assert (said, 0) == _left_out(_changed(seq, **values))


def test_a_memory_that_is_gone_is_said_to_be() -> None:
    """Also where it was the last of the scope."""
    for seq in (TALK, TOMB):
        world = a_world()
        del world.rows[seq]

        assert ([f"#{seq}: it is gone"], 0) == _left_out(world)


def test_a_link_that_is_not_cut_is_said_to_stay() -> None:
    """One that moves with a merge goes with its memories and is not said again."""
    world = a_world()
    key = next(key for key in world.links if key[:2] == CUT)
    world.links[key]["weight"] = 0.2
    (said,), more = _left_out(world)

    assert said.startswith(f"#{key[0]} to #{key[1]}: changed")
    assert 0 == more


def test_so_many_are_said_and_the_rest_is_counted() -> None:
    """Memories first, then links."""
    world = a_world()
    world.links = {
        key: {**values, "weight": 0.2} if key[:2] == CUT else values for key, values in world.links.items()
    }
    for seq in (TALK, TASK):
        world.rows[seq]["revision"] = 9

    assert [(0, 3), (1, 2), (2, 1), (3, 0), (3, 0)] == [
        (len(said), more) for said, more in (_left_out(world, most) for most in range(5))
    ]


def test_a_merge_of_which_one_has_changed_is_left_out_whole() -> None:
    """Each of both is said to be."""
    said, more = _left_out(_changed(AWAY, revision=9))

    assert ({KEPT, AWAY}, 0) == ({int(line.partition(":")[0][1:]) for line in said}, more)
    assert place_of(_plan(), AWAY) >= 0
