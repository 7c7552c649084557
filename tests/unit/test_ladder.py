"""A budget with a ladder condenses what is worth least for its length until it holds, and archives only then."""

import pytest

from remanence.core.errors import PolicyError
from remanence.core.model import Form, Status
from remanence.core.score import used_value
from remanence.curate.explain import explain
from remanence.curate.planner.plan import Plan, plan
from remanence.curate.policy.compiled import build_snapshot_request, load
from tests.unit.scopes import NOW, Row, World, row

BUDGET = """
version = 1
[[rule]]
name = "b"
every = "deep"
phase = "budgets"
where = "True"
order = "used_value / (shown_words + 5) desc"
keep = { words = 100 }
ladder = ["shrink", "archive"]
"""


def ten(**more: object) -> list[Row]:
    """Return ten memories of ten words, six when condensed, each worth more than the one before."""
    return [row(**{"words": 10, "short_words": 6, "value": float(number), **more}) for number in range(1, 11)]


def run(world: World, keep: str = "{ words = 100 }", more: str = "") -> Plan:
    """Plan with the budget and do it."""
    policy = load(BUDGET.replace("{ words = 100 }", keep) + more)
    made = plan(world.snapshot(build_snapshot_request(policy).tags), policy, NOW)
    world.apply(made)
    assert {} == plan(world.snapshot(build_snapshot_request(policy).tags), policy, NOW).counts
    return made


def condensed(world: World) -> list[int]:
    """Return the numbers of what is condensed and stands."""
    return [
        seq
        for seq, one in world.rows.items()
        if one["form"] == Form.CONDENSED and one["status"] == Status.ACTIVE
    ]


def archived(world: World) -> list[int]:
    """Return the numbers of what is archived."""
    return [seq for seq, one in world.rows.items() if one["status"] == Status.ARCHIVED]


@pytest.mark.parametrize(
    ("keep", "shorter", "away"),
    [
        ("{ words = 100 }", [], []),
        ("{ words = 99 }", [1], []),
        ("{ words = 80 }", [1, 2, 3, 4, 5], []),
        ("{ words = 90, down_to = 0.7 }", [1, 2, 3, 4, 5, 6, 7, 8, 9, 10], []),
        ("{ words = 60 }", [1, 2, 3, 4, 5, 6, 7, 8, 9, 10], []),
        ("{ words = 59 }", [2, 3, 4, 5, 6, 7, 8, 9, 10], [1]),
        ("{ words = 30, down_to = 0.5 }", [9, 10], [1, 2, 3, 4, 5, 6, 7, 8]),
        ("{ words = 0 }", [], [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]),
        ("{ rows = 7 }", [], [1, 2, 3]),
    ],
)
def test_the_least_are_condensed_until_it_holds_and_only_then_archived(
    keep: str, shorter: list[int], away: list[int]
) -> None:
    """What is archived stays as it was; rows are no fewer for being shorter; a second run does nothing."""
    world = World(ten())
    made = run(world, keep)

    assert (shorter, away) == (condensed(world), archived(world))
    rules = {(action, rule): count for action, rule, count in made.by_rule}
    assert {("shrink", "b/shrink"): len(shorter), ("archive", "b/archive"): len(away)} == {
        ("shrink", "b/shrink"): 0, ("archive", "b/archive"): 0, **rules,
    }  # fmt: skip


def test_each_step_obeys_the_guards() -> None:
    """What may not be condensed counts whole, what may not be archived is condensed and counts first."""
    fact = row(words=10, short_words=6, value=0.0, category="fact")
    world = World([*ten(), fact, row(words=10, value=0.0, pinned=1)])
    guard = '\n[[guard]]\nname = "facts"\nwhere = "known(category) and category == \'fact\'"\n'
    run(world, "{ words = 28 }", guard)

    assert ([9, 10, 11], [1, 2, 3, 4, 5, 6, 7, 8]) == (condensed(world), archived(world))


def test_where_the_protected_alone_exceed_it_nothing_is_done_and_said() -> None:
    """To condense some would not help."""
    world = World([*ten(), row(words=50, short_words=30, pinned=1)])
    made = run(world, "{ words = 49 }")

    assert {} == made.counts
    assert [True, True] == ["protected alone exceeds the budget" in note for note in made.notes]


def test_a_budget_that_only_condenses_says_where_it_is_not_enough() -> None:
    """All that may be is condensed, and the plan says that more is there."""
    world = World(ten())
    made = run(world, "{ words = 50 }", '\n[[override]]\nname = "b"\nladder = ["shrink"]\n')

    assert {"shrink": 10} == made.counts
    assert "b/shrink: what is there exceeds the budget also where all of it is condensed" in made.notes


def test_explain_tells_each_step() -> None:
    """A person sees which step takes it, and what the plan does in all."""
    policy = load(BUDGET.replace("100", "59"))
    first, last = (explain(World(ten()).snapshot(), policy, NOW, seq) for seq in (1, 10))

    assert ("archive", "shrink") == (first.outcome, last.outcome)
    assert {"b/archive": True, "b/shrink": True} == {
        one.name: one.acts for one in first.verdicts if one.what == "rule"
    }
    assert {"b/archive": False, "b/shrink": True} == {
        one.name: one.acts for one in last.verdicts if one.what == "rule"
    }
    assert "where to shrink is not enough" in str(first)


def test_what_is_too_large_alone_is_flagged_once() -> None:
    """Under the name of the rule, not of a step."""
    policy = load(BUDGET + 'oversize = "flag"\n')

    assert ["b/archive", "b/oversize", "b/shrink"] == [rule.name for rule in policy.rules]


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ('ladder = ["archive", "shrink"]', "from the mildest on"),
        ('ladder = ["shrink", "shrink"]', "from the mildest on"),
        ('ladder = ["shrink", "prune"]', "'prune' is no rung"),
        ("ladder = []", "from the mildest on"),
        ('do = "archive"\nladder = ["shrink"]', "'do' does not go with a ladder"),
        ('phase = "tiers"\nladder = ["shrink"]', "a ladder is a budget's"),
    ],
)
def test_a_wrong_ladder_says_so(more: str, message: str) -> None:
    """Its steps go from mild to grave, each once, and it is a budget's."""
    written = BUDGET.replace('ladder = ["shrink", "archive"]', "")
    written = written.replace('phase = "budgets"\n', "") if "phase" in more else written

    with pytest.raises(PolicyError, match=message):
        load(written + more)


def test_worth_is_the_keep_value_times_use() -> None:
    """A confirmation counts ten times as much as a use."""
    found = used_value([10.0, 10.0, 10.0, 0.0], [0, 3, 0, 9], [0, 0, 3, 9])

    assert [10.0, 14.1589, 51.5888, 0.0] == [round(value, 4) for value in found.tolist()]
