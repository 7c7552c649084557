"""Flags that rules set and take off again."""

import pytest

from remanence.core.errors import InvalidInput, PolicyError
from remanence.curate.planner.plan import Plan, plan
from remanence.curate.planner.plan_report import Preview, report
from remanence.curate.planner.proposal import refuse_foreign
from remanence.curate.policy.compiled import build_snapshot_request, load
from tests.unit.scopes import NOW, World, row

RULE = """
[[rule]]
name = "{do}-{phase}"
every = "deep"
phase = "{phase}"
where = "{where}"
do = "{do}"
to = "look"
"""
FLAG, UNFLAG = (
    RULE.format(do=do, phase="expire", where=where)
    for do, where in (("flag", "uses > 1"), ("unflag", "uses < 1"))
)
POLICY = load("version = 1\n" + FLAG + UNFLAG)


def _world() -> World:
    """Memories of none, one and two uses, each once without and once with the flag."""
    return World([row(uses=uses, tags=tags) for tags in ((), ("flag/look", "red")) for uses in (0, 1, 2)])


def test_a_flag_comes_off_where_its_condition_has_gone() -> None:
    """Who has none loses none, who has one already gets none, and other tags stay."""
    world = _world()
    made = plan(world.snapshot(build_snapshot_request(POLICY).tags), POLICY, NOW)
    world.apply(made)

    assert {"flag": {"flag/look": [3]}, "unflag": {"flag/look": [4]}} == {
        action: {tag: seqs.tolist() for tag, seqs in tags.items()} for action, tags in made.tags.items()
    }
    assert [(), (), ("flag/look",), ("red",), ("flag/look", "red"), ("flag/look", "red")] == [
        one["tags"] for one in world.rows.values()
    ]
    assert plan(world.snapshot(build_snapshot_request(POLICY).tags), POLICY, NOW).empty


def test_a_plan_names_the_flags_that_it_takes_off() -> None:
    """By action and rule, in its report, and read back from a file."""
    made = plan(_world().snapshot(build_snapshot_request(POLICY).tags), POLICY, NOW)

    assert [("flag", "flag-expire", (3,)), ("unflag", "unflag-expire", (4,))] == [
        (item.name, item.rule, item.seqs) for item in made.actions()
    ]
    assert {"flag": 1, "unflag": 1} == made.counts
    assert "take the flag off 1 memory" in str(report(made, Preview()))
    assert made.digest == Plan.from_json(made.to_json()).digest


@pytest.mark.parametrize("phases", [("expire", "expire"), ("expire", "tiers"), ("tiers", "expire")])
def test_rules_that_disagree_about_a_flag_come_to_rest(phases: tuple[str, str]) -> None:
    """Within a phase a flag that is set stays; else the later phase has its way, and a second run does nothing."""
    rules = [
        RULE.format(do=do, phase=phase, where="True")
        for do, phase in zip(("flag", "unflag"), phases, strict=True)
    ]
    policy = load("version = 1\n" + "".join(rules))
    world = _world()
    world.apply(plan(world.snapshot(build_snapshot_request(policy).tags), policy, NOW))

    stays = phases != ("expire", "tiers")
    assert [stays] * 6 == ["flag/look" in one["tags"] for one in world.rows.values()]
    assert plan(world.snapshot(build_snapshot_request(policy).tags), policy, NOW).empty


def test_a_plan_takes_off_no_flag_that_its_policy_does_not() -> None:
    """Who writes a plan by hand cannot make it untag."""
    made = plan(_world().snapshot(build_snapshot_request(POLICY).tags), POLICY, NOW)
    refuse_foreign(made, POLICY)
    lone = load("version = 1\n" + FLAG + UNFLAG.replace('to = "look"', 'to = "other"'))

    with pytest.raises(InvalidInput, match="would unflag 'flag/look'"):
        refuse_foreign(made, lone)


@pytest.mark.parametrize(
    ("to", "message"), [("", "does not say where to unflag"), ('to = "a b"', "cannot be a flag")]
)
def test_what_is_taken_off_is_named(to: str, message: str) -> None:
    """As it is where it is set."""
    with pytest.raises(PolicyError, match=message):
        load("version = 1\n" + UNFLAG.replace('to = "look"', to))
