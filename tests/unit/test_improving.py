"""What rules fill in: how sure a memory is, where nobody said."""

from dataclasses import replace

import pytest

from remanence.core.acts import action_of, acts_of
from remanence.core.change import MILLION, Change
from remanence.core.effects import IMPROVE, TAKE_IN
from remanence.core.errors import InvalidInput, PolicyError
from remanence.curate.planner.diff import Edits
from remanence.curate.planner.plan import Plan, plan
from remanence.curate.planner.plan_report import Preview, report
from remanence.curate.planner.proposal import refuse_foreign
from remanence.curate.policy.compiled import build_snapshot_request, load
from tests.unit.scopes import NOW, World, row

RULE = (
    '[[rule]]\nname = "fill"\nevery = "deep"\nphase = "{phase}"\nwhere = "uses < 3"\ndo = "improve"\n{more}'
)
POLICY = load("version = 1\n" + RULE.format(phase="value", more=""))


def _world() -> World:
    """One memory that is sure, one that is not, one of which nobody said, and one that the rule passes by."""
    return World(
        [row(confidence=sure, uses=uses) for sure, uses in ((0.9, 0), (0.1, 0), (None, 0), (None, 3))]
    )


def _planned(world: World) -> Plan:
    return plan(world.snapshot(build_snapshot_request(POLICY).tags), POLICY, NOW)


def test_what_nobody_said_is_filled_in_and_nothing_else() -> None:
    """With a half, as of now; a second run has nothing to do."""
    world = _world()
    made = _planned(world)
    world.apply(made)

    assert [0.9, 0.1, 0.5, None] == [one["confidence"] for one in world.rows.values()]
    assert {"confidence", "confidence_at"} == {*made.columns}
    assert [("improve", "fill", 1)] == [*made.by_rule]
    assert [("improve", (3,))] == [(one.name, one.seqs) for one in made.actions()]
    assert "improve 1 memory" in str(report(made, Preview()))
    assert _planned(world).empty


def test_a_plan_of_it_is_read_back_and_one_that_says_otherwise_is_refused() -> None:
    """How sure a memory is, no plan that was written by hand can say, and no policy that does not."""
    made = _planned(_world())
    refuse_foreign(Plan.from_json(made.to_json()), POLICY)
    edits = made.columns["confidence"]
    surer = {**made.columns, "confidence": Edits(edits.rows, edits.before, edits.after + MILLION // 4)}
    said = {**made.columns, "confidence": Edits(edits.rows, edits.before + 1 + MILLION // 4, edits.after)}

    for columns in (surer, said):
        with pytest.raises(InvalidInput, match="how sure a memory is"):
            refuse_foreign(replace(made, columns=columns), POLICY)


@pytest.mark.parametrize(
    ("phase", "more"), [("expire", ""), ("value", 'to = "hot"\n'), ("value", 'column = "state"\n')]
)
def test_a_rule_that_improves_says_no_more(phase: str, more: str) -> None:
    """It stands in phase value, and has no target."""
    with pytest.raises(PolicyError):
        load("version = 1\n" + RULE.format(phase=phase, more=more))


def test_the_audit_tells_it_from_what_a_survivor_takes_over() -> None:
    """Of one that was merged the confidence is another's, or was another before."""
    improved = Change("memories", 1, {"confidence": None}, {"confidence": 0.5})
    taken = Change("memories", 1, {"confidence": 0.5}, {"confidence": 0.88})

    assert (IMPROVE, TAKE_IN) == (action_of(improved), action_of(taken))
    assert (["improve"], []) == ([*acts_of(improved)], [*acts_of(taken)])
