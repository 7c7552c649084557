"""Explanations: every guard and rule for one memory, with values, and when it will fire."""

from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remanence.core.clock import DAY, HOUR, to_datetime
from remanence.core.errors import NotFound
from remanence.core.model import Relation, Status
from remanence.curate.explain import HORIZON, Explanation, RuleVerdict, explain
from remanence.curate.planner.plan import plan
from remanence.curate.policy.compiled import build_snapshot_request, load
from tests.unit.random_policies import condition, document
from tests.unit.random_policies import policy as some_policy
from tests.unit.random_policies import world as some_world
from tests.unit.scopes import NOW, World, linked, row, worked


def policy(where: str, more: str = "", guards: str = "") -> str:
    """Write a policy of one archiving rule."""
    rule = (
        f'[[rule]]\nname = "r"\nevery = "deep"\nphase = "expire"\nwhere = "{where}"\ndo = "archive"\n{more}'
    )
    return "version = 1\n" + guards + rule


def explained(text: str, world: World, seq: int = 1, now: int = NOW) -> Explanation:
    """Explain one memory of a world."""
    compiled = load(text)
    return explain(world.snapshot(build_snapshot_request(compiled).tags), compiled, now, seq)


def verdict(text: str, world: World, name: str = "r", seq: int = 1, now: int = NOW) -> RuleVerdict:
    """Return what one rule or guard says."""
    return next(item for item in explained(text, world, seq, now).verdicts if item.name == name)


def test_values_are_shown_as_they_were_compared() -> None:
    """Labels by name, durations in words, absent things as unknown."""
    where = (
        "category == 'task' and severity >= 'high' and idle > days(3) and uses + 1 < 9 and not tagged('a')"
    )

    found = verdict(policy(where), World([row(category="task", severity=None, learned_at=NOW - 36 * HOUR)]))

    assert "false" == found.truth
    assert {
        "category": "task",
        "severity": None,
        "idle": "1.5 days",
        "(uses + 1)": 1.0,
        "tagged('a')": "false",
    } == found.values


def test_what_is_not_known_is_shown_as_unknown() -> None:
    """An absent label and a number that nobody gave; the sign before the rule says that it cannot be told."""
    where = "severity >= 'high' and age(used_at) > days(1) and uses < 2"
    found = explained(policy(where), World([row(severity=None, used_at=None)]))
    lines = str(found).splitlines()

    assert f"? rule r: unknown  archive where {where}" in lines
    assert "    severity = unknown, age(used_at) = unknown, uses = 0" in lines


@pytest.mark.parametrize(
    ("where", "fires_at"),
    [
        ("age(learned_at) > days(12)", NOW + 2 * DAY + 1),
        ("age(learned_at) >= days(12)", NOW + 2 * DAY),
        ("age(learned_at) > days(12) and idle > days(30)", NOW + 20 * DAY + 1),
        ("age(learned_at) < days(12)", None),
        ("age(learned_at) > days(12) and age(learned_at) < days(12) + hours(1)", NOW + 2 * DAY + 1),
        ("uses > 3 and age(learned_at) > days(12)", None),
        ("uses(7) < 1", (NOW // DAY + 4) * DAY),
        ("age(used_at) > days(1)", None),
        ("recency(days(10)) <= 0.25", NOW + 10 * DAY),
    ],
)
def test_what_waits_for_time_says_when(where: str, fires_at: int | None) -> None:
    """The instant is exact where an age crosses its limit, a day ends, or a curve falls below a bound."""
    world = World([row(use_days=1, use_day=NOW // DAY - 3)])

    found = verdict(policy(where), world)

    assert fires_at == found.fires_at or (where.startswith("age(learned_at) <") and found.truth == "true")


def test_a_rule_that_is_true_waits_for_nothing() -> None:
    """What fires now has no later instant."""
    found = verdict(policy("age(learned_at) > days(3)"), World([row()]))

    assert found.acts
    assert found.fires_at is None


def test_why_a_true_rule_does_not_act() -> None:
    """The status it does not look at, the window that keeps, the guard that forbids: each is said."""
    guards = '[[guard]]\nname = "g"\nwhere = "tagged(\'keep\')"\nbecause = "it is ours"\n'
    window = policy("True", "keep = { rows = 1 }\n", guards)
    world = World([row(tags=("keep",)), row(), row(), row(status="pruned", reason="expired")])

    guarded, done, kept, gone = (verdict(window, world, seq=seq) for seq in (1, 2, 3, 4))

    assert [False, True, False, False] == [item.acts for item in (guarded, done, kept, gone)]
    assert ("g",) == guarded.blocked_by
    assert not kept.selected
    assert not gone.seen
    shown = [str(explained(window, world, seq)) for seq in (1, 3, 4)]
    assert "kept by g" in shown[0]
    assert "because it is ours" in shown[0]
    assert "the rule's window leaves it out" in shown[1]
    assert "does not look at memories of this status" in shown[2]


def test_an_explanation_tells_what_the_plan_would_do() -> None:
    """All rules together: what becomes of the memory in a whole cycle."""
    world = World([row(), row(pinned=1)])

    assert ["archive", "stays as it is"] == [explained(policy("True"), world, seq).outcome for seq in (1, 2)]


def test_rules_over_links_count_the_memorys_own() -> None:
    """Of the links that a memory has, how many a rule would cut or merge."""
    cut = (
        '[[rule]]\nname = "l"\nevery = "deep"\nphase = "links"\nover = "links"\n'
        'where = "weight < 0.3"\ndo = "unlink"\n'
    )
    merge = (
        '[[rule]]\nname = "m"\nevery = "deep"\nphase = "deduplicate"\nover = "pairs"\n'
        'where = "True"\nmin = 0.9\ndo = "merge"\n'
    )
    links = linked((1, 2), weight=0.1) | linked((1, 3), weight=0.8)
    links |= linked((2, 3), relation=Relation.NEAR_DUPLICATE, confidence=0.95, weight=0.8)
    text, world = "version = 1\n" + cut + merge, World([row() for _ in range(9)], links)

    assert {"links": 2, "matching": 1} == verdict(text, world, "l").values
    assert {"links": 0, "matching": 0} == verdict(text, world, "m").values
    assert {"links": 1, "matching": 1} == verdict(text, world, "m", seq=2).values
    assert "merge" == explained(text, world, 3).outcome


def test_an_explanation_is_plain_data_too() -> None:
    """to_dict holds the same as the text, with times as JSON writes them."""
    data = explained(policy("age(learned_at) > days(12)"), World([row()])).to_dict()

    (rule,) = [item for item in data["verdicts"] if item["what"] == "rule"]
    fires_at = to_datetime(NOW + 2 * DAY + 1).isoformat()
    assert (1, to_datetime(NOW).isoformat(), "policy") == (data["seq"], data["now"], data["policy"])
    assert (fires_at, False) == (rule["fires_at"], rule["acts"])


def test_a_memory_that_is_not_there_cannot_be_explained() -> None:
    """An unknown number is NotFound, below, between and above those that are."""
    world = World([row()])
    world.rows = {5: world.rows[1]}

    for seq in (1, 6):
        with pytest.raises(NotFound):
            explained(policy("True"), world, seq)


@given(st.integers(0, 2**48))
def test_an_instant_that_is_named_is_the_first(seed: int) -> None:
    """At fires_at the condition is true, a microsecond before it is not, and until then at no look either."""
    random = Random(seed)
    where, world = condition(random), some_world(random)
    text = policy(where)

    found = verdict(text, world)

    if found.fires_at is None:
        return
    assert found.truth != "true"
    assert NOW < found.fires_at <= NOW + HORIZON
    assert [True, "true"] == [
        _truth(text, world, found.fires_at - 1) != "true",
        _truth(text, world, found.fires_at),
    ]
    early = random.randrange(NOW, found.fires_at)
    assert _truth(text, world, early) != "true"


def _truth(text: str, world: World, now: int) -> str:
    return verdict(text, world, now=now).truth


@given(st.integers(0, 2**48))
def test_explanations_agree_with_the_plan(seed: int) -> None:
    """What the plan of a single rule does to a memory is what the explanation says the rule does."""
    random = Random(seed)
    tables = [table for table in some_policy(random) if table.startswith("[[guard]]")]
    world = some_world(random)
    keep = random.choice(["", "keep = { rows = 2 }\n", "keep = { tokens = 50 }\nper = ['agent']\n"])
    text = document(tables) + "\n" + policy(condition(random), keep).removeprefix("version = 1\n")
    compiled = load(text)
    snapshot = world.snapshot(build_snapshot_request(compiled).tags)
    # An archived memory cannot be archived again.
    before: dict[int, Any] = {seq: one["status"] for seq, one in world.rows.items()}
    acting = {
        seq
        for seq in world.rows
        if next(item for item in explain(snapshot, compiled, NOW, seq).verdicts if item.name == "r").acts
        and before[seq] != Status.ARCHIVED
    }

    # One round only: what is archived changes facts, so that a second round may find more.
    world.apply(plan(snapshot, compiled, NOW))

    assert acting <= {seq for seq, one in world.rows.items() if one["status"] != before[seq]}


def test_what_waits_says_so_in_words() -> None:
    """The text names the instant, and shows times as dates; a flag needs no guard's leave."""
    rule = '[[rule]]\nname = "r"\nevery = "deep"\nphase = "shrink"\ndo = "flag"\nto = "old"\n'
    text = "version = 1\n" + rule + "where = \"status_at < now - days(30) and state != 'pending'\"\n"
    world = World([row(state="completed", pinned=1)])

    found = verdict(text, world)

    assert () == found.blocked_by
    assert {"status_at", "(now - days(30))", "state"} == found.values.keys()
    assert str(found.values["status_at"]).endswith("+00:00")
    assert "will be true at" in str(explained(text, world))
    assert "flag" == explained(text, world, now=NOW + 40 * DAY).outcome


def test_a_survivor_of_a_merge_only_gains() -> None:
    """Another memory's merge changes the counters of the survivor, which is not being done away with."""
    rule = '[[rule]]\nname = "m"\nevery = "deep"\nphase = "deduplicate"\nover = "pairs"\nmin = 0.9\ndo = "merge"\n'
    links = linked((1, 2), relation=Relation.NEAR_DUPLICATE, confidence=0.95)
    world = World([row(), row(uses=2), *[row() for _ in range(6)]], links)

    assert ["takes in another", "merge"] == [
        explained(f'version = 1\n{rule}where = "True"\n', world, seq).outcome for seq in (1, 2)
    ]


def test_a_rule_that_rests_says_until_when() -> None:
    """What fired less than its period ago does not act, on its clock at the present pace; the plan agrees."""
    rule = (
        'version = 1\n[[rule]]\nname = "r"\nevery = "deep"\nphase = "reinforce"\nwhere = "True"\n'
        'do = "reinforce"\nperiod = "40 hours"\n'
    )

    def told(text: str, **more: Any) -> tuple[bool, bool, int | None, str]:
        compiled, world = load(text), World([row()])
        found = explain(world.snapshot(build_snapshot_request(compiled).tags, **more), compiled, NOW, 1)
        (said,) = [item for item in found.verdicts if item.name == "r"]
        return said.acts, said.resting, said.fires_at, found.outcome

    fired = {"r": NOW - 10 * HOUR}
    active = rule.replace("[[rule]]", 'clock = "active"\n[[rule]]')
    half = worked(*((hours, hours - 12) for hours in range(720, 0, -24)))

    assert (True, False, None, "reinforce") == told(rule)
    assert (False, True, NOW + 30 * HOUR, "stays as it is") == told(rule, fired=fired)
    assert (True, False, None, "reinforce") == told(rule, fired={"r": NOW - 40 * HOUR})
    assert (False, True, None, "stays as it is") == told(active, fired=fired, spans=worked())
    assert (False, True, NOW + 80 * HOUR, "stays as it is") == told(active, fired=fired, spans=half)


@pytest.mark.parametrize(
    ("confidence", "relation", "links"),
    [
        (0.95, Relation.NEAR_DUPLICATE, 1),
        (0.949, Relation.NEAR_DUPLICATE, 0),
        (0.99, Relation.SIMILAR, 0),
        (None, Relation.NEAR_DUPLICATE, 0),
    ],
)
def test_a_rule_over_pairs_judges_what_is_sure_enough(
    confidence: float | None, relation: Relation, links: int
) -> None:
    """From the rule's confidence on, and of near duplicates alone; it acts where one matches."""
    rule = 'phase = "deduplicate"\nover = "pairs"\nwhere = "True"\nmin = 0.95\ndo = "merge"'
    text = f'version = 1\n[[rule]]\nname = "twins"\nevery = "deep"\n{rule}'
    world = World([row() for _ in range(9)], linked((1, 2), relation=relation, confidence=confidence))
    mine, other = (verdict(text, world, "twins", seq) for seq in (1, 5))

    assert {"links": links, "matching": links} == mine.values
    assert ("true" if links else "false", bool(links)) == (mine.truth, mine.acts)
    assert ("false", False, {"links": 0, "matching": 0}) == (other.truth, other.acts, other.values)


_TWO_ACTS = """
version = 1
[[rule]]
name = "mark"
every = "deep"
phase = "lifecycle"
where = "category == 'fact'"
do = "flag"
to = "seen"
[[rule]]
name = "cool"
every = "deep"
phase = "tiers"
where = "category == 'fact'"
do = "move"
to = "cold"
[[rule]]
name = "one"
every = "deep"
phase = "deduplicate"
over = "pairs"
where = "True"
min = 0.95
do = "merge"
"""


def test_the_outcome_is_the_gravest_action() -> None:
    """What is moved and flagged is moved; of two that become one, the other takes it in."""
    pair = linked((2, 3), relation=Relation.NEAR_DUPLICATE, confidence=0.97)
    world = World([row(category="fact"), row(), row(uses=2), row()], pair)

    outcomes = [explained(_TWO_ACTS, world, seq).outcome for seq in (1, 2, 3, 4)]

    assert ["move", "takes in another", "merge", "stays as it is"] == outcomes
