"""How long nothing is due where nobody writes: no plan before that instant does anything."""

from collections.abc import Mapping
from dataclasses import replace
from random import Random

import numpy as np
import pytest
from hypothesis import given

from remanence.core.clock import DAY, HOUR, MINUTE
from remanence.curate.language.view import View
from remanence.curate.language.vocabulary import vocabulary
from remanence.curate.planner.plan import decide, plan
from remanence.curate.planner.snapshot_update import apply_plan_to_snapshot
from remanence.curate.policy.compiled import load
from remanence.curate.schedule import CARRIED, FADING, HORIZONS, STRAIGHT, calm_after, calm_until
from tests.unit.random_policies import document
from tests.unit.scopes import NOW, World, link, row
from tests.unit.test_plan_laws import SEEDS, drawn, frozen

RULE = """
version = 1
[[rule]]
name = "rule"
every = "rapid"
phase = "value"
do = "archive"
where = "{where}"
{more}
"""


def _calm(where: str, *rows: Mapping[str, object], more: str = "") -> int | None:
    """Say for how long a scope stays as it is under one rule, in hours; None for less than any."""
    policy = load(RULE.format(where=where, more=more))
    world = World([row(**values) for values in rows])
    snapshot = frozen(world, policy)
    until = calm_until(snapshot, policy, plan(snapshot, policy, NOW))
    return None if until is None else (until - NOW) // HOUR


def _foreseen(tables: list[str]) -> list[str]:
    """Keep what is by the time of day and compares no pairs: of the rest nothing is foretold."""
    return [table for table in tables if 'clock = "wall"' in table]


@given(SEEDS)
def test_before_that_instant_no_plan_does_anything(seed: int) -> None:
    """Whatever the policy and the scope: looking is of no use until then."""
    tables, world = drawn(seed)
    policy = load(document(_foreseen(tables)))
    world.apply(first := plan(frozen(world, policy), policy, NOW))
    snapshot = frozen(world, policy, fired=dict.fromkeys(first.fired, NOW))
    until = calm_until(snapshot, policy, plan(snapshot, policy, NOW))
    random = Random(seed)
    instants = [] if until is None else [until - 1, *(random.randrange(NOW, until) for _ in range(6))]

    assert [] == [at for at in instants if not plan(snapshot, policy, at).empty]


def test_a_count_of_days_ends_it_at_midnight() -> None:
    """What was used today is not used on the next day, from its first microsecond on."""
    policy = load(RULE.format(where="uses(1) < 1", more=""))
    today = NOW // DAY
    snapshot = frozen(World([row(use_day=today, use_days=1), row(use_day=today, use_days=1)]), policy)
    until = calm_until(snapshot, policy, plan(snapshot, policy, NOW))

    assert (today + 1) * DAY - 1 == until
    assert plan(snapshot, policy, until).empty
    assert {"archive": 2} == plan(snapshot, policy, until + 1).counts


@given(SEEDS)
def test_before_that_instant_no_plan_does_more_than_was_done(seed: int) -> None:
    """Also where the plan did something: what is said of a cadence holds of its rules, and nothing of the others."""
    tables, world = drawn(seed)
    policy = load(document(_foreseen(tables)))
    snapshot = frozen(world, policy)
    first = plan(snapshot, policy, NOW)
    calm = calm_after(snapshot, policy, first)
    world.apply(first)
    left = frozen(world, policy, fired=dict.fromkeys(first.fired, NOW))
    random = Random(seed)
    looks = [
        (replace(policy, rules=tuple(rule for rule in policy.rules if rule.every == name)), at)
        for name, until in calm.items()
        for at in (until - 1, *(random.randrange(NOW, until) for _ in range(4)))
    ]

    assert [] == [at for own, at in looks if not plan(left, own, at).empty]


@given(SEEDS)
def test_what_a_plan_leaves_need_not_be_planned_again(seed: int) -> None:
    """Where it came to rest, another plan does nothing, and as much is foretold by what the first one worked out."""
    tables, world = drawn(seed)
    policy = load(document(tables))
    snapshot = frozen(world, policy)
    made, rest = decide(snapshot, policy, NOW, automatic=True)
    again = plan(apply_plan_to_snapshot(snapshot, made), policy, NOW, automatic=True)
    carried = {action for action, _, _ in made.by_rule} <= CARRIED

    assert rest is None or again.empty or not carried
    assert calm_after(snapshot, policy, made) == calm_after(snapshot, policy, made, rest)


def test_a_summary_of_what_was_just_archived_is_planned_anew() -> None:
    """What a run archives, the next one may sum up: nothing is foretold by the first."""
    policy = load("janitor")
    long = {"category": "task", "state": "completed", "tokens": 900, "words": 700, "short_words": 20}
    snapshot = frozen(World([row(**long, state_at=NOW - 15 * DAY)]), policy)
    made, rest = decide(snapshot, policy, NOW, automatic=True)

    assert {"archive"} == {action for action, _, _ in made.by_rule}
    assert rest is None


def test_what_was_carried_out_is_looked_at_again_when_time_changes_it() -> None:
    """A plan that did all that there was to do foretells like one that found nothing."""
    policy = load(RULE.format(where="age(learned_at) > days(30)", more=""))
    learned = (NOW - 31 * DAY, NOW - 30 * DAY + 3 * HOUR)
    snapshot = frozen(World([row(learned_at=at) for at in learned]), policy)

    foreseen = calm_after(snapshot, policy, plan(snapshot, policy, NOW))

    assert NOW + 3 * HOUR == foreseen["rapid"]
    assert NOW + DAY == foreseen["deep"]  # of which there are no rules


def test_what_has_moved_lately_may_move_again_after_an_hour() -> None:
    """A rule that waits for that acts then."""
    rule = RULE.replace('phase = "value"', 'phase = "tiers"').replace('"archive"', '"move"')
    policy = load(rule.format(where="uses == 0", more='to = "cold"'))
    snapshot = frozen(World([row(tier="hot", tier_at=NOW - 20 * MINUTE)]), policy)

    assert NOW + 40 * MINUTE == calm_until(snapshot, policy, plan(snapshot, policy, NOW))


@pytest.mark.parametrize(
    ("left", "hours"),
    [(2 * DAY, 24), (DAY, 24), (DAY - 1, 23), (7 * HOUR, 7), (2 * HOUR, 2), (10 * MINUTE, 0)],
)
def test_what_will_be_too_old_ends_it(left: int, hours: int | None) -> None:
    """It lasts until the instant at which something becomes so old, and no longer than a day."""
    assert hours == _calm("age(learned_at) > days(30)", {"learned_at": NOW - 30 * DAY + left})


def test_what_no_time_changes_lasts_for_a_day() -> None:
    """After that somebody looks anyhow."""
    assert 24 == _calm("uses > 3", {"uses": 1})
    assert 24 * HOUR == HORIZONS[0]


def test_a_plan_that_does_something_is_no_calm() -> None:
    """Nor one in which what time brings waits for something else."""
    assert _calm("uses > 3", {"uses": 5}) is None


def test_a_guard_that_ends_ends_it() -> None:
    """What is protected for some time goes then, by a policy's guard or a hold."""
    guard = "[[guard]]\nname = 'grace'\nwhere = 'age(learned_at) < days(2)'"
    young = {"learned_at": NOW - 2 * DAY + 2 * HOUR}

    assert 2 == _calm("uses == 0", young, more=guard)
    assert 7 == _calm("uses == 0", {"hold_until": NOW + 7 * HOUR, "holds": {"legal": NOW + 7 * HOUR}})


def test_an_order_that_fades_ends_it_only_where_the_window_is_full() -> None:
    """Who is first changes nothing as long as all may stand."""
    full = "order = 'recency() desc'\nkeep = { rows = 1 }"
    fades = (
        {"used_at": NOW - HOUR, "decay": "ephemeral"},
        {"used_at": NOW - 30 * HOUR, "decay": "durable", "pinned": 1},
    )

    assert 24 == _calm("uses == 0", *fades, more=full.replace("1 }", "2 }"))
    assert _calm("uses == 0", *fades, {"pinned": 1, "used_at": NOW - 29 * HOUR}, more=full) is None


def test_a_period_that_ends_ends_it() -> None:
    """A rule that rests fires again then."""
    policy = load(RULE.format(where="uses == 0", more="top = 1\nperiod = '10 hours'"))
    world = World([row(), row()])
    snapshot = frozen(world, policy, fired={"rule": NOW - 3 * HOUR})
    made = plan(snapshot, policy, NOW)

    assert made.empty
    assert NOW + 7 * HOUR == calm_until(snapshot, policy, made)


def test_links_that_fade_end_it() -> None:
    """A rule over links is foretold like one over memories."""
    cutting = RULE.replace('phase = "value"', 'phase = "links"\nover = "links"').replace("archive", "unlink")
    policy = load(cutting.format(where="decayed_weight < 0.10", more=""))
    world = World([row(), row()], {(1, 2, 0): link(weight=0.1001, last_at=NOW)})
    snapshot = frozen(world, policy)
    until = calm_until(snapshot, policy, plan(snapshot, policy, NOW))

    assert until is None or plan(snapshot, policy, until - 1).empty
    assert not plan(snapshot, policy, NOW + DAY).empty
    assert until is None or until < NOW + DAY


@pytest.mark.parametrize("name", sorted(vocabulary("memories").columns.keys() - {"uses"}))  # a function, too
def test_no_other_word_runs_with_the_clock(name: str) -> None:
    """The words whose values change as time passes are known, so that none is passed over."""
    used = {"used_at": NOW - HOUR, "use_day": NOW // DAY, "use_days": 3, "reinforced_at": NOW}
    node = vocabulary("memories").columns[name].node
    snapshot = World([row(**used), row(**used)]).snapshot(["rejected-path", "self/*"])
    now, then = (np.asarray(node.run(View(snapshot, at))) for at in (NOW, NOW + 40 * DAY))

    assert (name not in STRAIGHT | FADING) == np.array_equal(now, then, equal_nan=now.dtype.kind == "f")
