"""Plans in which rules meet: flags on what is merged, links that nothing explains, merges without links, holds."""

from dataclasses import replace
from typing import Any

import numpy as np
import orjson
import pytest

from remanence.core.change import Change
from remanence.core.clock import DAY, HOUR
from remanence.core.effects import owned_by
from remanence.core.errors import InvalidInput
from remanence.core.model import COLUMN, Form, Relation
from remanence.curate.explain import explain
from remanence.curate.planner import diff
from remanence.curate.planner.diff import Edits, MergePairs
from remanence.curate.planner.plan import Plan, plan
from remanence.curate.planner.plan_agreement import filter_to_proposed
from remanence.curate.planner.proposal import refuse_foreign
from remanence.curate.policy.compiled import Policy, build_snapshot_request, load
from remanence.curate.schedule import calm_until
from tests.unit.scopes import NOW, LinkKey, Row, World, linked, row
from tests.unit.test_proposal import KEPT, column, planned

NEAR = linked((1, 2), relation=Relation.NEAR_DUPLICATE, confidence=0.97)


def _policy(*rules: str) -> Policy:
    return load("version = 1\n" + "\n".join(f'[[rule]]\nevery = "deep"\n{rule}' for rule in rules))


MERGE = 'name = "m"\nphase = "deduplicate"\nover = "pairs"\nwhere = "True"\nmin = 0.9\ndo = "merge"'
FLAG = 'name = "f"\nphase = "expire"\nwhere = "uses > 2"\ndo = "flag"\nto = "look"'
PRUNE = 'name = "p"\nphase = "value"\nwhere = "True"\ndo = "prune"'


def _planned(policy: Policy, rows: list[Row], links: dict[LinkKey, Any] | None = None, **more: Any) -> Plan:
    automatic = more.pop("automatic", False)
    world = World(rows, links or {})
    return plan(world.snapshot(build_snapshot_request(policy).tags, **more), policy, NOW, automatic=automatic)


def _group_of(made: Plan, key: object) -> list[Change]:
    (group,) = [group for group in made.changes() if any(change.key == key for change in group)]
    return group


def test_a_guard_called_like_a_built_in_one_adds_to_it() -> None:
    """No policy switches a guard of the engine off by giving another one its name."""
    guard = '[[guard]]\nname = "pinned"\nwhere = "uses > 2"\nblocks = ["merge"]\nbecause = "it is used"\n'
    policy = load(f'version = 1\n{guard}[[rule]]\nevery = "deep"\n{PRUNE}')
    made = _planned(policy, [row(pinned=1), row(uses=3), row()])

    assert [3] == made.seq.tolist()
    assert [("pinned", "p", 2)] == [(one.guard, one.rule, one.count) for one in made.refusals]


def test_what_a_run_cuts_links_nothing_in_its_next_round() -> None:
    """A condition on links reads those that are left, also where it was judged before they were cut."""
    cut = 'name = "c"\nphase = "links"\nover = "links"\nwhere = "weight < 0.5"\ndo = "unlink"'
    lonely = 'name = "l"\nphase = "expire"\nwhere = "not linked(\'*\')"\ndo = "flag"\nto = "lonely"'
    made = _planned(_policy(cut, lonely), [row(), row(), row()], linked((1, 2), (2, 3), weight=0.1))

    assert {"flag": 3, "unlink": 2} == made.counts


def test_a_flag_goes_with_the_merge_of_its_memory() -> None:
    """What is merged and flagged in one run is one group: it is done whole or not at all."""
    made = _planned(_policy(FLAG, MERGE), [row(uses=3), row(uses=3), row(uses=3)], NEAR)
    group = _group_of(made, 2)

    assert {("tags", (1, "flag/look")), ("tags", (2, "flag/look"))} <= {(one.table, one.key) for one in group}
    assert {1, 2} <= {one.key for one in group}
    assert [("tags", (3, "flag/look"))] == [(one.table, one.key) for one in _group_of(made, (3, "flag/look"))]


def test_a_link_that_no_merge_explains_stands_alone() -> None:
    """Were the merges of a plan left out, its other links would be groups of their own."""
    made = _planned(_policy(MERGE), [row(), row(), row()], NEAR | linked((2, 3)))
    none = np.zeros(0, np.int64)
    alone = replace(made, merges=MergePairs(none, none))
    moved = [group for group in alone.changes() if group[0].table == "links"]

    assert moved
    assert {1} == {len(group) for group in moved}


def test_where_there_is_no_link_none_is_found() -> None:
    """Links are looked up by their keys, also where there are none."""
    none = World([row(), row()]).snapshot().links
    assert none is not None

    assert [-1, -1] == diff._rows(none, np.zeros(0, np.int64), np.array([3, 5])).tolist()


def test_a_held_plan_says_all_that_it_would_do() -> None:
    """The merges that a day would put off are in it, too, so that a yes is a yes to the whole."""
    rows = [row() for _ in range(40)]
    links = {key: one for k in range(1, 40, 2) for key, one in _near(k).items()}
    policy = _policy(MERGE, PRUNE.replace("True", "uses == 0"))
    made = _planned(policy, rows, links, automatic=True)

    assert made.held is not None
    assert made.automatic
    assert 20 == made.counts["merge"]
    assert "HELD" in made._line()
    assert made.describe().to_dict() == made.to_dict()


def _near(k: int) -> dict[LinkKey, Any]:
    return linked((k, k + 1), relation=Relation.NEAR_DUPLICATE, confidence=0.97)


def test_a_merge_that_is_put_off_does_not_hold_what_is_left() -> None:
    """Counted twice, as merged and as pruned, a memory would hold a plan that destroys few enough."""
    rows = [row() for _ in range(24)]
    links = {key: one for k in range(1, 24, 2) for key, one in _near(k).items()}
    made = _planned(_policy(MERGE), rows, links, automatic=True, destroyed_today=9)

    assert made.held is not None


def test_what_would_count_twice_holds_nothing() -> None:
    """Merges that wait for another day leave memories that are pruned instead: the whole decides, not the sum."""
    pairs = {key: one for k in range(1, 14, 2) for key, one in _near(k).items()}
    rows = [row(uses=0 if k < 14 and k % 2 else 1) for k in range(44)]
    policy = _policy(MERGE, PRUNE.replace("True", "uses == 0"))
    made = _planned(policy, rows, pairs, automatic=True, destroyed_today=9)

    assert made.held is None
    assert 7 == _planned(policy, rows, pairs).destroyed


def test_a_plan_makes_no_memory_less_sure() -> None:
    """A survivor takes over the greater confidence; one that says otherwise is refused."""
    made, policy = planned()
    forged = replace(made, **column("confidence", KEPT, before=900_000, after=100_000)(made))

    with pytest.raises(InvalidInput, match="makes a memory less sure"):
        refuse_foreign(forged, policy)


def test_links_that_are_not_what_a_plan_read_are_left_alone() -> None:
    """A plan that was made without what its policy now reads of a link agrees with none of them."""
    made, policy = planned()
    before = {name: values for name, values in made.links.before.items() if name != "confidence"}
    less = filter_to_proposed(replace(made, links=replace(made.links, before=before)), made, policy)

    assert len(made.links.source) > len(less.links.source)


def test_a_rule_over_links_is_foreseen() -> None:
    """A scope whose links stay as they are rests as long as its memories do."""
    policy = _policy('name = "w"\nphase = "links"\nwhere = "weight < 0.3"\nover = "links"\ndo = "unlink"')
    world = World([row(), row()], linked((1, 2), weight=0.9))
    snapshot = world.snapshot(build_snapshot_request(policy).tags)

    assert (calm_until(snapshot, policy, plan(snapshot, policy, NOW)) or NOW) >= NOW + HOUR


def test_a_window_over_nothing_keeps_its_order() -> None:
    """Where no memory matches, no instant chooses another."""
    policy = _policy(
        'name = "k"\nphase = "keep-recent"\nwhere = "uses > 90"\norder = "recency() desc"\n'
        'keep = { rows = 1 }\ndo = "archive"'
    )
    snapshot = World([row(), row()]).snapshot(build_snapshot_request(policy).tags)

    assert (calm_until(snapshot, policy, plan(snapshot, policy, NOW)) or NOW) >= NOW + HOUR


@pytest.mark.parametrize("weights", ["no list", [0.5], [0.5, 2.0, 0.5, 0.5], [0.5, "1", 0.5, 0.5]])
def test_a_plan_whose_links_are_no_fractions_is_none(weights: object) -> None:
    """It is refused before anything of it is looked at."""
    made, _ = planned()
    data = orjson.loads(made.to_json())
    data["links"]["before"][0] = weights

    with pytest.raises(InvalidInput, match="this is no plan"):
        Plan.from_json(orjson.dumps(data))


def test_a_plan_makes_nothing_shorter_than_its_policy_does() -> None:
    """One that says so is refused."""
    policy = _policy('name = "s"\nphase = "value"\nwhere = "True"\ndo = "shrink"')
    world = World([row(words=9, tokens=9, short_words=2, short_tokens=2)])
    made = plan(world.snapshot(build_snapshot_request(policy).tags), policy, NOW)
    edits = made.columns["form"]
    forged = replace(
        made,
        columns={
            **made.columns,
            "form": Edits(edits.rows, edits.before, np.full_like(edits.after, int(Form.SUMMARY))),
        },
    )

    with pytest.raises(InvalidInput, match="makes a memory shorter than its policy does"):
        refuse_foreign(forged, policy)


def test_actions_refusals_and_what_waits_are_told_in_words() -> None:
    """Each in a line."""
    policy = load(
        'version = 1\n[[guard]]\nname = "g"\nwhere = "uses > 0"\n[[rule]]\nevery = "deep"\n' + PRUNE
    )
    rows = [row(uses=k // 12, learned_at=NOW - 9 * DAY) for k in range(60)]
    made = _planned(policy, rows, automatic=True)
    report = made.describe()

    assert "prune 10 [p]" in [str(action) for action in made.actions()]
    assert ["g keeps 48 from [p]"] == [str(one) for one in report.kept]
    assert "2 of [p] on another day" == str(report.deferred[0])


def test_an_explanation_has_a_line() -> None:
    """It says what would become of the memory."""
    policy = _policy(FLAG)
    found = explain(World([row(uses=3)]).snapshot(build_snapshot_request(policy).tags), policy, NOW, 1)

    assert found._line().endswith(": flag")


def test_undoing_may_set_every_column() -> None:
    """What any verb has changed it gives back."""
    assert frozenset(COLUMN) == owned_by("undo")
