"""How long nothing is due where nobody writes: no plan before that instant does anything."""

from collections.abc import Mapping
from random import Random

import numpy as np
import pytest
from hypothesis import given

from remanence.clock import DAY, HOUR, MINUTE
from remanence.curate.language.view import View
from remanence.curate.language.vocabulary import vocabulary
from remanence.curate.plan import plan
from remanence.curate.planner.calm import FADING, HORIZONS, STRAIGHT, calm_until
from remanence.curate.policy.compiled import load
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


@given(SEEDS)
def test_before_that_instant_no_plan_does_anything(seed: int) -> None:
    """Whatever the policy and the scope: looking is of no use until then."""
    tables, world = drawn(seed)
    tables = [table for table in tables if "clock" not in table]
    policy = load(document(tables))
    world.apply(first := plan(frozen(world, policy), policy, NOW))
    snapshot = frozen(world, policy, fired=dict.fromkeys(first.fired, NOW))
    until = calm_until(snapshot, policy, plan(snapshot, policy, NOW))
    random = Random(seed)
    instants = [] if until is None else [until - 1, *(random.randrange(NOW, until) for _ in range(6))]

    assert [] == [at for at in instants if not plan(snapshot, policy, at).empty]


@pytest.mark.parametrize(
    ("left", "hours"),
    [(2 * DAY, 24), (DAY, 24), (DAY - 1, 6), (7 * HOUR, 6), (2 * HOUR, 1), (10 * MINUTE, None)],
)
def test_what_will_be_too_old_ends_it(left: int, hours: int | None) -> None:
    """It lasts for the longest of some times within which nothing becomes so old."""
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

    assert 1 == _calm("uses == 0", young, more=guard)
    assert 6 == _calm("uses == 0", {"hold_until": NOW + 7 * HOUR, "holds": {"legal": NOW + 7 * HOUR}})


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
    assert NOW + 6 * HOUR == calm_until(snapshot, policy, made)


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
    snapshot = World([row(**used), row(**used)]).snapshot(["rejected-path"])
    now, then = (np.asarray(node.run(View(snapshot, at))) for at in (NOW, NOW + 40 * DAY))

    assert (name not in STRAIGHT | FADING) == np.array_equal(now, then, equal_nan=now.dtype.kind == "f")
