"""Which memories a window selects, at each edge."""

from typing import Any

import pytest

from remanence.core.errors import PolicyError
from remanence.core.model import Tier
from remanence.curate.planner.plan import Plan, plan
from remanence.curate.policy.compiled import build_snapshot_request, load
from tests.unit.scopes import NOW, World, row

MOVE = 'phase = "budgets"\nwhere = "True"\ndo = "move"\nto = "warm"\n'


def _planned(window: str, rows: list[dict[str, Any]]) -> tuple[Plan, list[int]]:
    """Return the plan of one rule with a window, and which memories it moves."""
    policy = load(f'version = 1\n[[rule]]\nname = "r"\nevery = "deep"\n{MOVE}{window}')
    world = World(rows)
    made = plan(world.snapshot(build_snapshot_request(policy).tags), policy, NOW)
    world.apply(made)
    return made, [seq for seq, one in world.rows.items() if one["tier"] == Tier.WARM]


@pytest.mark.parametrize(
    ("window", "moved"),
    [
        ("keep = { rows = 0 }", [1, 2, 3, 4]),
        ("keep = { rows = 1 }", [1, 2, 3]),
        ("keep = { rows = 4 }", []),
        ("keep = { rows = 5 }", []),
        ("keep = { share = 0.5 }", [1, 2]),
        ("keep = { share = 0.51 }", [1]),
        ("keep = { share = 0 }", [1, 2, 3, 4]),
        ("keep = { share = 1 }", []),
        ("keep = { tokens = 40 }", []),
        ("keep = { tokens = 39 }", [1]),
        ("keep = { words = 8 }", [1, 2, 3]),
        ("keep = { words = 7 }", [1, 2, 3, 4]),
    ],
)
def test_a_window_keeps_to_its_bound(window: str, moved: list[int]) -> None:
    """The newest first; what just fits is kept, and a share is rounded up."""
    assert moved == _planned(window, [row() for _ in range(4)])[1]


@pytest.mark.parametrize(("top", "moved"), [(0, []), (1, [4]), (3, [2, 3, 4]), (9, [1, 2, 3, 4])])
def test_the_first_so_many(top: int, moved: list[int]) -> None:
    """The newest, where nothing is said about their order."""
    assert moved == _planned(f'top = {top}\nperiod = "1 hours"', [row() for _ in range(4)])[1]


@pytest.mark.parametrize(
    ("window", "moved"),
    [
        ('order = "value"\nkeep = { rows = 1 }', [1, 2]),
        ('order = "value desc"\nkeep = { rows = 1 }', [2, 3]),
        ('order = "value asc"\ntop = 1\nperiod = "1 hours"', [3]),
        ('order = "words, value desc"\nkeep = { rows = 1 }', [2, 3]),
        ('order = "words, seq"\nkeep = { rows = 1 }', [2, 3]),
        ('order = "words, seq desc"\nkeep = { rows = 1 }', [1, 2]),
    ],
)
def test_what_is_kept_stands_first_in_the_order(window: str, moved: list[int]) -> None:
    """By the first key, then by the next, the newest of equals; `desc` turns one round."""
    rows = [row(value=0.9, words=5), row(value=0.5, words=5), row(value=0.1, words=5)]

    assert moved == _planned(window, rows)[1]


@pytest.mark.parametrize(
    ("window", "moved"),
    [
        ('order = "severity"\nkeep = { rows = 1 }', [1, 2]),
        ('order = "severity desc"\nkeep = { rows = 1 }', [1, 2]),
        ('order = "severity"\nkeep = { rows = 2 }', [2]),
        ('order = "severity desc"\nkeep = { rows = 2 }', [1]),
        ('order = "severity"\ntop = 1\nperiod = "1 hours"', [1]),
        ('order = "severity desc"\ntop = 1\nperiod = "1 hours"', [2]),
        ('order = "severity"\ntop = 3\nperiod = "1 hours"', [1, 2, 3]),
    ],
)
def test_what_is_unknown_is_protected(window: str, moved: list[int]) -> None:
    """It is kept before all others by `keep`, and comes last in `top`; the least degree is no unknown."""
    rows = [row(severity="low"), row(severity="critical"), row(severity=None)]

    assert moved == _planned(window, rows)[1]


def test_what_is_protected_may_fill_a_budget() -> None:
    """To the token: nothing else is kept, and nothing is amiss; a token more, and nothing is moved."""
    rows = [row(tokens=30), row(tokens=10, pinned=1), row(tokens=5)]
    full, moved = _planned("keep = { tokens = 10 }", rows)
    over, none = _planned("keep = { tokens = 9 }", rows)

    assert ([1, 3], ()) == (moved, full.notes)
    assert [] == none
    assert any("exceeds the budget" in note for note in over.notes)


def test_each_partition_has_its_own_budget() -> None:
    """By every name together; nobody's memories are a partition of their own, and one that is over is left alone."""
    rows = [
        row(agent=agent, thread=thread, tokens=10)
        for agent, thread in (("a", "x"), ("a", "x"), ("a", "y"), (None, "x"), ("b", None), (None, None))
    ]
    _, moved = _planned('per = ["agent", "thread"]\nkeep = { rows = 1 }', rows)
    _, by_agent = _planned('per = ["agent"]\nkeep = { tokens = 10 }', rows)
    over, left = _planned(
        'per = ["agent"]\nkeep = { tokens = 10 }', [row(agent="a", tokens=20, pinned=1), *rows]
    )

    assert [1] == moved
    assert [1, 2, 4] == by_agent
    assert [5] == left
    assert 1 == len(over.notes)


def test_a_share_counts_what_has_fallen_and_no_tombstones() -> None:
    """Of ten that match one half is five, however many of these are out of sight already."""
    rule = 'phase = "keep-recent"\nwhere = "True"\nkeep = { share = 0.5 }\ndo = "archive"'
    policy = load(f'version = 1\n[[rule]]\nname = "r"\nevery = "deep"\n{rule}')
    statuses = [("archived", "decayed")] * 4 + [("pruned", "decayed")] * 3 + [("active", None)] * 6
    world = World([row(status=status, reason=reason) for status, reason in statuses])
    made = plan(world.snapshot(), policy, NOW)

    assert [8] == made.seq.tolist()


@pytest.mark.parametrize(
    ("window", "moved"),
    [
        ("keep = { tokens = 40, down_to = 0.5 }", []),
        ("keep = { tokens = 39, down_to = 0.5 }", [1, 2, 3]),
        ("keep = { tokens = 39, down_to = 0.52 }", [1, 2]),
        ("keep = { tokens = 39, down_to = 1 }", [1]),
        ("keep = { tokens = 39, down_to = 0 }", [1, 2, 3, 4]),
        ("keep = { words = 31, down_to = 0.9 }", [1]),
        ("keep = { rows = 4, down_to = 0.5 }", []),
        ("keep = { rows = 3, down_to = 0.67 }", [1, 2]),
        ("keep = { rows = 3, down_to = 0.66 }", [1, 2, 3]),
    ],
)
def test_a_full_window_is_emptied_to_its_lower_mark(window: str, moved: list[int]) -> None:
    """Nothing moves until there is too much; then as much as leaves room, so that the next has its place."""
    assert moved == _planned(window, [row() for _ in range(4)])[1]


def test_each_partition_has_its_own_mark() -> None:
    """One that is not full keeps what it has."""
    rows = [row(agent=agent) for agent in ("ann", "ann", "ann", "bob", "bob")]

    assert [1, 2] == _planned('keep = { rows = 2, down_to = 0.5 }\nper = ["agent"]', rows)[1]


def test_what_is_protected_beyond_the_lower_mark_frees_the_rest() -> None:
    """As long as it fits into the budget itself: all else moves, and nothing where it does not."""
    rows = [row(pinned=1), row(pinned=1), row(), row()]

    assert [3, 4] == _planned("keep = { tokens = 30, down_to = 0.5 }", rows)[1]
    assert [] == _planned("keep = { tokens = 19, down_to = 0.5 }", rows)[1]


@pytest.mark.parametrize(
    ("oversize", "moved", "flagged"),
    [("move", [2, 3], []), ("keep", [2], []), ("flag", [2], [3])],
)
def test_what_is_larger_than_the_budget(oversize: str, moved: list[int], flagged: list[int]) -> None:
    """It moves, or stays and counts for nothing, and is marked where the rule says so."""
    rows = [row(tokens=25), row(tokens=30), row(tokens=50), row(tokens=49, tier="cold")]
    policy = load(
        'version = 1\n[[rule]]\nname = "r"\nevery = "deep"\nphase = "budgets"\nwhere = "tier == \'hot\'"\n'
        f'do = "move"\nto = "warm"\norder = "seq"\nkeep = {{ tokens = 49 }}\noversize = "{oversize}"\n'
    )
    world = World(rows)
    made = plan(world.snapshot(build_snapshot_request(policy).tags), policy, NOW)
    world.apply(made)

    assert moved == [seq for seq, one in world.rows.items() if one["tier"] == Tier.WARM]
    assert flagged == [seq for seq, one in world.rows.items() if one["tags"] == ("flag/oversize",)]
    assert plan(world.snapshot(build_snapshot_request(policy).tags), policy, NOW).empty


@pytest.mark.parametrize(
    ("window", "message"),
    [
        ("keep = { tokens = 40, down_to = 1.5 }", "down_to is a share of the amount"),
        ("keep = { tokens = 40, down_to = true }", "down_to is a share of the amount"),
        ("keep = { share = 0.5, down_to = 0.5 }", "a share of all has no lower mark"),
        ("keep = { down_to = 0.5 }", "keep is one of rows"),
        ("keep = { tokens = 1, rows = 1 }", "keep is one of rows"),
        ("keep = { token = 1, down_to = 0.5 }", "unknown unit 'token'"),
        ('keep = { rows = 40 }\noversize = "keep"', "only tokens and words"),
        ('oversize = "keep"', "only tokens and words"),
        ('keep = { tokens = 40 }\noversize = "kep"', "unknown oversize 'kep'"),
    ],
)
def test_a_window_that_makes_no_sense_is_refused(window: str, message: str) -> None:
    """With what to write instead."""
    with pytest.raises(PolicyError, match=message) as refused:
        _planned(window, [row()])

    assert refused.value.recovery


def test_a_rule_that_follows_from_another_has_a_name_of_its_own() -> None:
    """A policy that has one of that name already does not load."""
    rule = '[[rule]]\nname = "{}"\nevery = "deep"\nphase = "budgets"\nwhere = "True"\n'
    flags = rule.format("r/oversize") + 'do = "flag"\nto = "x"\n'
    keeps = rule.format("r") + 'do = "archive"\nkeep = { tokens = 9 }\noversize = "flag"\n'

    assert ["r", "r/oversize"] == [one.name for one in load("version = 1\n" + keeps).rules]
    with pytest.raises(PolicyError, match="the name 'r/oversize' is taken"):
        load("version = 1\n" + flags + keeps)
