"""Which memories a window selects, at each edge."""

from typing import Any

import pytest

from remanence.curate.plan import Plan, plan
from remanence.curate.policy.compiled import load, wanted
from remanence.model import Tier
from tests.unit.scopes import NOW, World, row

MOVE = 'phase = "budgets"\nwhere = "True"\ndo = "move"\nto = "warm"\n'


def _planned(window: str, rows: list[dict[str, Any]]) -> tuple[Plan, list[int]]:
    """Return the plan of one rule with a window, and which memories it moves."""
    policy = load(f'version = 1\n[[rule]]\nname = "r"\nevery = "deep"\n{MOVE}{window}')
    world = World(rows)
    made = plan(world.snapshot(wanted(policy).tags), policy, NOW)
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
