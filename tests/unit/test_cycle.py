"""How rules, windows and guards meet in one cycle, case by case at each edge."""

from typing import Any

import pytest

from remanence.core.clock import DAY, HOUR
from remanence.core.model import Lifecycle, Relation, Status, Tier
from remanence.curate.planner.plan import Plan, plan
from remanence.curate.policy.compiled import build_snapshot_request, load
from tests.unit.scopes import NOW, World, linked, row


def _policy(*rules: str, more: str = "") -> str:
    return f"version = 1\n{more}\n" + "\n".join(
        f'[[rule]]\nname = "rule-{index}"\nevery = "deep"\n{rule}' for index, rule in enumerate(rules)
    )


def _curated(world: World, *rules: str, more: str = "", automatic: bool = False, **scope: Any) -> Plan:
    """Plan for a world, and do it."""
    policy = load(_policy(*rules, more=more))
    made = plan(
        world.snapshot(build_snapshot_request(policy).tags, **scope), policy, NOW, automatic=automatic
    )
    world.apply(made)
    return made


def _column(world: World, name: str) -> list[Any]:
    return [one[name] for one in world.rows.values()]


def _to(phase: str, where: str, to: str, column: str = "lifecycle") -> str:
    return f'phase = "{phase}"\nwhere = "{where}"\ndo = "transition"\ncolumn = "{column}"\nto = "{to}"'


def _move(where: str, to: str, phase: str = "tiers") -> str:
    return f'phase = "{phase}"\nwhere = "{where}"\ndo = "move"\nto = "{to}"'


def test_actions_on_different_columns_of_one_memory_are_all_done() -> None:
    """Tier, lifecycle, state and tags do not stand in one another's way, whatever rule comes first."""
    flag = 'phase = "value"\nwhere = "True"\ndo = "flag"\nto = "seen"'
    rules = [
        _move("True", "warm", "value"),
        _to("value", "True", "stale"),
        _to("value", "True", "blocked", "state"),
    ]
    for order in ([*rules, flag], [flag, *rules[::-1]]):
        world = World([row(category="task", state="pending")])
        made = _curated(world, *order)

        assert (Tier.WARM, Lifecycle.STALE, "blocked", ("flag/seen",)) == tuple(
            world.rows[1][name] for name in ("tier", "lifecycle", "state", "tags")
        )
        assert {"move": 1, "transition": 2, "flag": 1} == made.counts


def test_the_mildest_transition_is_done_and_of_equals_the_first_by_name() -> None:
    """Each memory has one: what a milder rule takes a harsher one does not."""
    world = World([row(category="task", state="pending", uses=uses) for uses in (0, 1)])
    made = _curated(
        world,
        _to("lifecycle", "True", "stale"),
        _to("lifecycle", "uses > 0", "validated"),
        _to("lifecycle", "uses == 0", "completed", "state"),
        _to("lifecycle", "True", "blocked", "state"),
    )

    assert [Lifecycle.STALE, Lifecycle.VALIDATED] == _column(world, "lifecycle")
    assert ["completed", "blocked"] == _column(world, "state")
    assert {("transition", f"rule-{k}", 1) for k in range(4)} == set(made.by_rule)


STATUSES = ("inbox", "active", "superseded", "archived", "pruned")


@pytest.mark.parametrize(
    ("rule", "seen"),
    [
        (_move("True", "cold"), (1, 2)),
        (_move("status != 'x'", "cold"), (1, 2, 3)),
        (_to("value", "True", "stale"), (1, 2)),
        (_to("value", "status != 'x'", "stale"), (1, 2, 3)),
        ('phase = "value"\nwhere = "True"\ndo = "archive"', (1, 2)),
        ('phase = "value"\nwhere = "status != \'x\'"\ndo = "archive"', (1, 2, 3)),
        ('phase = "purge"\nwhere = "True"\ndo = "purge"', (5,)),
        ('phase = "shrink"\nwhere = "status != \'x\'"\ndo = "flag"\nto = "seen"', (1, 2, 3, 4)),
        ('phase = "shrink"\nwhere = "True"\ndo = "flag"\nto = "seen"', (1, 2)),
    ],
)
def test_each_action_sees_what_it_may_change(rule: str, seen: tuple[int, ...]) -> None:
    """What is in sight; where a rule names the status, all but tombstones, or but the archive."""
    world = World(
        [row(status=status, reason=None if status in STATUSES[:2] else "decayed") for status in STATUSES]
    )
    policy = load(_policy(rule.replace("'x'", "'pruned'")))
    made = plan(world.snapshot(build_snapshot_request(policy).tags), policy, NOW)
    tagged = {seq for _, _, seqs in made.iterate_tag_changes() for seq in seqs.tolist()}

    assert seen == tuple(sorted({*made.seq.tolist(), *tagged}))


def test_what_is_where_it_shall_be_is_not_kept_from_it() -> None:
    """Only what a rule would have moved and could not is told as refused; at an hour it is free."""
    world = World(
        [
            row(tier=tier, tier_at=NOW - ago)
            for tier, ago in (("warm", 1), ("hot", 1), ("hot", HOUR), ("hot", DAY))
        ]
    )
    made = _curated(world, _move("True", "warm"))

    assert [("dwell", 1, (2,))] == [(item.guard, item.count, item.examples) for item in made.refusals]
    assert [Tier.WARM, Tier.HOT, Tier.WARM, Tier.WARM] == _column(world, "tier")


def test_a_guard_of_moves_lets_memories_rise() -> None:
    """What is pinned may come nearer and never goes farther."""
    tiers = ("hot", "warm", "cold")
    world = World([row(tier=tier, pinned=1) for tier in tiers])
    made = _curated(world, _move("True", "warm"))

    assert [Tier.HOT, Tier.WARM, Tier.WARM] == _column(world, "tier")
    assert [("pinned", 1, (1,))] == [(item.guard, item.count, item.examples) for item in made.refusals]


TWINS = 'phase = "deduplicate"\nover = "pairs"\nwhere = "True"\nmin = 0.95\ndo = "merge"'


def _twins(pairs: int, others: int = 60) -> World:
    """A scope with pairs of near duplicates."""
    keys = [(2 * k + 1, 2 * k + 2) for k in range(pairs)]
    links = linked(*keys, relation=Relation.NEAR_DUPLICATE, confidence=0.97)
    return World([row(uses=k % 2) for k in range(2 * pairs)] + [row() for _ in range(others)], links)


def test_merges_stop_at_the_brake_and_the_rest_waits() -> None:
    """Also over rounds: what is left of the day's allowance is not had again."""
    world = _twins(5)
    made = _curated(world, TWINS, automatic=True, destroyed_today=8)

    assert ({"merge": 2}, 2) == (made.counts, made.destroyed)
    assert [("rule-0", 3)] == [(item.rule, len(set(item.seqs))) for item in made.deferred]
    assert 2 == _column(world, "status").count(Status.SUPERSEDED)


def test_two_rules_share_what_the_brake_lets_through() -> None:
    """A second rule over pairs has what the first left."""
    made = _curated(_twins(5), TWINS, TWINS.replace("True", "both(True)"), automatic=True, destroyed_today=7)

    assert {"merge": 3} == made.counts


def test_different_words_are_not_merged() -> None:
    """The plan says of each rule how many pairs stay two."""
    made = _curated(_twins(3), TWINS, same_words=frozenset())

    assert made.empty
    assert any(note.startswith("rule-0: 3 pairs are linked and not merged") for note in made.notes)
    assert any(
        note.startswith("rule-0: 1 pair is linked and not merged")
        for note in _curated(_twins(1), TWINS, same_words=frozenset()).notes
    )


def test_a_memory_is_in_one_merge_and_what_is_milder_keeps_it_out() -> None:
    """What another rule archives in the same phase is not merged, from either end."""
    for archived in ("seq == 1", "seq == 2"):
        world = _twins(1)
        made = _curated(world, TWINS, f'phase = "deduplicate"\nwhere = "{archived}"\ndo = "archive"')

        assert {"archive": 1} == made.counts


PERIODIC = 'phase = "value"\nwhere = "True"\ntop = 1\nperiod = "40 hours"\ndo = "archive"'


@pytest.mark.parametrize(
    ("fired", "acts"),
    [
        (None, True),
        (NOW - 40 * HOUR, True),
        (NOW - 40 * HOUR + 1, False),
        (NOW, False),
        (NOW + HOUR, False),
        (NOW + HOUR + 1, True),
    ],
)
def test_a_period_is_waited_for_to_the_microsecond(fired: int | None, acts: bool) -> None:
    """What fired more than an hour from now fired under a wrong clock, and does not wait until then."""
    made = _curated(World([row(), row()]), PERIODIC, fired={} if fired is None else {"rule-0": fired})

    assert ({"archive": 1} if acts else {}) == made.counts
    assert (("rule-0",) if acts else ()) == made.fired


def test_what_a_rule_with_a_period_changes_is_judged_by_all_others() -> None:
    """They go round once more, and it has had its one turn."""
    world = World([row(value=value) for value in (0.1, 0.2, 0.3)])
    made = _curated(
        world,
        PERIODIC.replace("top = 1", 'order = "value"\ntop = 1'),
        'phase = "shrink"\nwhere = "status == \'archived\'"\ndo = "flag"\nto = "gone"',
    )

    assert {"archive": 1, "flag": 1} == made.counts
    assert [("flag/gone",), (), ()] == _column(world, "tags")


def test_a_state_is_reached_once_and_refused_by_its_category() -> None:
    """What has it already is neither changed nor refused; a last state, and a category without it, are."""
    some = [("task", "blocked"), ("task", "failed"), ("fact", None), (None, None), ("task", "pending")]
    world = World([row(category=category, state=state) for category, state in some])
    made = _curated(world, _to("lifecycle", "True", "blocked", "state"))

    assert ["blocked", "failed", None, None, "blocked"] == _column(world, "state")
    assert [("states", (2, 3, 4))] == [(item.guard, item.examples) for item in made.refusals]


def test_a_link_is_cut_by_the_first_rule_that_chooses_it() -> None:
    """The others have chosen nothing that is left."""
    rules = ['phase = "links"\nover = "links"\nwhere = "weight < 0.5"\ndo = "unlink"'] * 2
    world = World([row() for _ in range(4)], {**linked((1, 2), weight=0.4), **linked((2, 3), weight=0.5)})
    made = _curated(world, *rules)

    assert [("unlink", "rule-0", 1)] == list(made.by_rule)
    assert [(2, 3)] == [key[:2] for key in world.links]


def test_what_a_run_purges_no_rule_prunes_again() -> None:
    """A rule that prunes and names the status does not see it: it would become a tombstone of today, and stay."""
    world = World([row(status="pruned", reason="decayed", status_at=NOW - 40 * DAY), row()])
    made = _curated(
        world,
        'phase = "expire"\nwhere = "status != \'active\'"\ndo = "prune"',
        'phase = "purge"\nwhere = "age(status_at) > days(30)"\ndo = "purge"',
    )

    assert (("purge", "rule-1", 1),) == made.by_rule
    assert [2] == list(world.rows)
