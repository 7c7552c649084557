"""Clocks in policies: whose time a rule, a guard and an order mean, and what a policy says of them."""

from typing import Any

import numpy as np
import pytest

from remanence.core.clock import DAY, HOUR, MINUTE
from remanence.core.errors import InvalidInput, PolicyError
from remanence.core.model import Relation, Status
from remanence.core.timescale import TURN
from remanence.curate.explain import explain
from remanence.curate.language.view import View
from remanence.curate.planner.plan import Plan, plan
from remanence.curate.policy.compiled import build_snapshot_request, load
from tests.unit.scopes import NOW, World, linked, row, worked

RULE = '[[rule]]\nname = "r"\nevery = "deep"\nphase = "expire"\ndo = "archive"\n'
GUARD = '[[guard]]\nname = "g"\n'
BEST = '[[rule]]\nname = "best"\nevery = "deep"\nphase = "reinforce"\ndo = "reinforce"\n'
LINKS = '[[rule]]\nname = "l"\nevery = "deep"\nphase = "links"\nover = "links"\ndo = "unlink"\n'
PRUNE = RULE.replace("archive", "prune")
# Ten hours of work in the last ten days: an hour a day, the last one just over.
HOUR_A_DAY = worked(*((24 * day + 1, 24 * day) for day in range(9, -1, -1)))
# A turn a minute in the last hour.
A_TURN_A_MINUTE = np.array([[NOW // MINUTE * MINUTE - ago * MINUTE, 1] for ago in range(60, 0, -1)], np.int64)


def policy(*tables: str, top: str = "") -> str:
    """Write a policy."""
    return "version = 1\n" + top + "\n".join(tables)


def planned(text: str, world: World, **more: Any) -> Plan:
    """Plan for a world."""
    compiled = load(text)
    return plan(world.snapshot(build_snapshot_request(compiled).tags, **more), compiled, NOW)


def archived(text: str, world: World, **more: Any) -> list[int]:
    """Return which memories a policy archives."""
    return [int(seq) for seq in planned(text, world, **more).seq]


def test_ages_are_read_on_the_rules_clock() -> None:
    """What was learned ten days ago is ten hours old where an hour a day was worked, to the microsecond."""
    world = World(
        [row(learned_at=NOW - 10 * DAY), row(learned_at=NOW - 9 * DAY - HOUR + 1)], spans=HOUR_A_DAY
    )

    for where, expected in (
        ("age() >= hours(10)", [1]),
        ("age() > hours(10)", []),
        ("idle >= hours(9)", [1, 2]),
        ("learned_at <= now - hours(10)", [1]),
        ("recency(hours(10)) <= 0.5", [1]),
    ):
        assert expected == archived(policy(RULE + f'where = "{where}"', top='clock = "active"\n'), world)
        assert [] == archived(policy(RULE + f'where = "{where} and age() < days(9)"'), world)


def test_a_rule_and_a_guard_may_have_a_clock_of_their_own() -> None:
    """Beside rules on the policy's clock stand others on theirs; each sees its own time."""
    world = World([row(), row(learned_at=NOW - 2 * DAY)], spans=HOUR_A_DAY, heard=A_TURN_A_MINUTE)
    text = policy(
        GUARD + 'clock = "wall"\nwhere = "age() < days(3)"',
        RULE + 'where = "age() >= hours(1)"',
        RULE.replace('"r"', '"t"') + 'clock = "turns"\nwhere = "age() >= turns(60)"',
        top='clock = "active"\n',
    )
    compiled = load(text)

    assert {"active", "turns"} == build_snapshot_request(compiled).clocks
    assert ["active", "turns"] == [rule.clock for rule in compiled.rules]
    assert [1] == archived(text, world)


def test_a_guard_protects_on_its_clock() -> None:
    """A grace of five active hours protects what is five days old where an hour a day is worked."""
    world = World([row(learned_at=NOW - 4 * DAY), row(learned_at=NOW - 6 * DAY)], spans=HOUR_A_DAY)
    guard = GUARD + 'clock = "active"\nwhere = "age() < hours(5)"'

    assert [2] == archived(policy(guard, RULE + 'where = "True"'), world)


def test_an_order_sees_its_rules_clock() -> None:
    """Two that were learned between two sessions are equally old by hours of work; then the newer is kept."""
    keep = 'where = "True"\nkeep = { rows = 1 }\norder = "age() desc"\n'
    world = World(
        [row(learned_at=NOW - 9 * DAY - 2 * HOUR), row(learned_at=NOW - 9 * DAY - 3 * HOUR)], spans=HOUR_A_DAY
    )
    rule = RULE.replace("expire", "keep-recent")

    assert [1] == archived(policy(rule + keep), world)
    assert [1] == archived(policy(rule + 'clock = "active"\n' + keep), world)
    world.rows = {1: world.rows[2], 2: world.rows[1]}
    assert [2] == archived(policy(rule + keep), world)
    assert [1] == archived(policy(rule + 'clock = "active"\n' + keep), world)


def test_rules_over_links_and_their_ends_see_the_rules_clock() -> None:
    """Links, and the memories at their ends, age on the clock of the rule that looks at them."""
    world = World([row(), row()], linked((1, 2), last_at=NOW - 5 * DAY), spans=HOUR_A_DAY)
    for where, cut in (
        ("age(last_at) >= hours(5)", 1),
        ("age(last_at) > hours(5)", 0),
        ("both(age(learned_at) <= hours(10))", 1),
        ("either(age(learned_at) > hours(10))", 0),
    ):
        text = policy(LINKS + f'clock = "active"\nwhere = "{where}"')

        assert cut == planned(text, world).counts.get("unlink", 0)


def test_a_pair_is_judged_on_the_rules_clock() -> None:
    """A rule over pairs reads the ends' ages on its clock too."""
    pairs = '[[rule]]\nname = "m"\nevery = "deep"\nphase = "deduplicate"\nover = "pairs"\nmin = 0.9\ndo = "merge"\n'
    world = World(
        [row() for _ in range(9)],
        linked((1, 2), relation=Relation.NEAR_DUPLICATE, confidence=0.95),
        spans=HOUR_A_DAY,
    )

    for clock, merged in (("active", 1), ("wall", 0)):
        text = policy(pairs + f'clock = "{clock}"\nwhere = "both(age(learned_at) <= hours(10))"')

        assert merged == planned(text, world).counts.get("merge", 0)


def test_a_view_follows_what_the_cycle_changes() -> None:
    """What an earlier phase archived is out of sight on every clock, and its new times are read on each."""
    text = policy(
        RULE + 'where = "uses == 0 and age() >= hours(10)"',
        RULE.replace('"r"', '"t"').replace("expire", "tiers").replace("archive", "move")
        + 'to = "cold"\nwhere = "weighted_degree < 1"',
        top='clock = "active"\n',
    )
    world = World([row(tier="hot"), row(uses=1, tier="hot"), row(uses=1)], linked((1, 2), (2, 3), weight=0.6))
    world.spans = HOUR_A_DAY

    made = planned(text, world)
    world.apply(made)

    assert {"archive": 1, "move": 2} == made.counts
    assert [3, 2, 2] == [one["tier"] for one in world.rows.values()]


def test_a_frame_keeps_its_views_in_step() -> None:
    """Changed columns, times among them, show in a view as in the frame; what did not change is not read again."""
    world = World([row(state_at=NOW - DAY)], spans=HOUR_A_DAY)
    frame = View(world.snapshot(), NOW)
    view = frame.on("active")
    learned = view.column("learned_at")

    moved = frame.evolve({"state_at": np.array([float(NOW)])}).on("active")

    assert [view.now - HOUR] == view.column("state_at").tolist()
    assert [view.now] == moved.column("state_at").tolist()
    assert learned is moved.column("learned_at")
    assert frame is frame.on("wall")


def test_days_of_use_are_the_walls() -> None:
    """uses(7) counts UTC days on every clock."""
    world = World(
        [row(use_days=1, use_day=NOW // DAY), row(use_days=1, use_day=NOW // DAY - 8)], spans=HOUR_A_DAY
    )

    assert [1] == archived(policy(RULE + 'clock = "active"\nwhere = "uses(7) == 1"'), world)


def test_turns_count_as_they_were_heard() -> None:
    """After sixty turns a memory from before them is sixty turns old, one from the middle thirty."""
    world = World([row(), row(learned_at=NOW // MINUTE * MINUTE - 30 * MINUTE)], heard=A_TURN_A_MINUTE)

    assert [1, 2] == archived(policy(RULE + 'where = "age() >= turns(30)"', top='clock = "turns"\n'), world)
    assert [1] == archived(policy(RULE + 'where = "age() > turns(30)"', top='clock = "turns"\n'), world)


def test_recency_is_between_0_and_1_on_any_clock() -> None:
    """Whatever the clocks recorded, and whenever a memory was learned, even after now (elfmem, probe 10)."""
    some = [row(learned_at=NOW + ahead) for ahead in (-400 * DAY, -DAY, 0, 1, DAY, 300 * DAY)]
    for spans, heard in (
        (worked(), np.zeros((0, 2), np.int64)),
        (HOUR_A_DAY, A_TURN_A_MINUTE),
        (worked((9_000, 1), (0.5, -40)), np.array([[NOW // MINUTE * MINUTE + DAY, 10**9]], np.int64)),
    ):
        world = World(some, spans=spans, heard=heard)
        for clock in ("wall", "active", "turns"):
            text = policy(RULE + f'clock = "{clock}"\nwhere = "recency() >= 0 and recency() <= 1"')

            assert list(range(1, 7)) == archived(text, world)


def test_without_sessions_nothing_fades_on_the_active_clock() -> None:
    """Where nobody ever worked no time has passed: nothing is computed against hour 0 (elfmem, probe 10)."""
    world = World([row(learned_at=NOW - 4_000 * DAY, decay="ephemeral")], spans=worked())

    assert [1] == archived(policy(RULE + 'clock = "active"\nwhere = "recency() == 1"'), world)
    assert planned("elfmem", world).counts.keys() <= {"reinforce"}


def test_a_clock_set_back_archives_nothing() -> None:
    """With now before all that was recorded everything is fresh, and the plan is held."""
    world = World([row(learned_at=NOW + 100 * DAY)], spans=worked((-99 * 24, -100 * 24)))

    made = planned("elfmem", world, newest_at=NOW + 100 * DAY)

    assert "archive" not in made.counts
    assert made.held is not None


@pytest.mark.parametrize(
    ("text", "passed"),
    [
        ('clock = "active"\nperiod = "2 hours"', DAY + HOUR),
        ('clock = "turns"\nperiod = "20 turns"', 20 * MINUTE),
    ],
)
def test_a_period_passes_on_the_rules_clock(text: str, passed: int) -> None:
    """Two hours of work, or twenty turns, and not a microsecond less."""
    world = World([row()], spans=HOUR_A_DAY, heard=A_TURN_A_MINUTE)
    whole = NOW // MINUTE * MINUTE if "turns" in text else NOW
    for at, count in ((whole - passed, 1), (whole - passed + 1, 0)):
        made = planned(policy(BEST + text + '\nwhere = "True"'), world, fired={"best": at})

        assert count == made.counts.get("reinforce", 0)


def test_the_brake_takes_the_longest_due_by_the_rules_clock() -> None:
    """Three hours of work after twelve days were over before seven hours after fourteen, at an hour a day."""
    patient = [row(learned_at=NOW - 14 * DAY + index, uses=1) for index in range(7)]
    hasty = [row(learned_at=NOW - 12 * DAY + index) for index in range(7)]
    world = World([*patient, *hasty, *[row(learned_at=NOW)] * 100])
    world.spans = worked(*((24 * day + 1, 24 * day) for day in range(40, -1, -1)))
    where = "age() > hours(3) and (uses == 0 or age() > hours(7))"
    compiled = load(policy(PRUNE + f'where = "{where}"', top='clock = "active"\n'))

    made = plan(world.snapshot(), compiled, NOW, automatic=True)
    world.apply(made)

    assert [1, 2, 3, *range(8, 15)] == [
        seq for seq, one in world.rows.items() if one["status"] == Status.PRUNED
    ]


def test_what_waits_for_work_says_when_at_the_present_pace() -> None:
    """At ten hours in thirty days, two hours more of work are six days away, to the microsecond."""
    world = World([row()], spans=HOUR_A_DAY)
    compiled = load(policy(RULE + 'clock = "active"\nwhere = "age() >= hours(12)"'))

    (verdict,) = [item for item in explain(world.snapshot(), compiled, NOW, 1).verdicts if item.name == "r"]

    # The pace is that of the last thirty days, or since the first session: ten hours in 217 of the clock.
    first = 9 * DAY + HOUR
    assert NOW + 2 * first // 10 == pytest.approx(verdict.fires_at, abs=2)
    assert {"age(learned_at)": "10 hours"} == verdict.values
    assert verdict.action.endswith("on the active clock")


def test_a_clock_that_stands_says_never() -> None:
    """Without sessions a rule on the active clock will never fire by time alone."""
    compiled = load(policy(RULE + 'clock = "active"\nwhere = "age() > hours(1)"'))

    verdicts = explain(World([row()], spans=worked()).snapshot(), compiled, NOW, 1).verdicts

    assert verdicts[-1].fires_at is None


def test_times_of_another_clock_are_shown_as_it_reads_them() -> None:
    """A reading is no date: hours of work, or turns, since the clock began."""
    world = World([row(state_at=NOW - DAY)], spans=HOUR_A_DAY, heard=A_TURN_A_MINUTE)
    for clock, where, values in (
        ("active", "state_at < now", {"state_at": "9 active hours", "now": "10 active hours"}),
        ("turns", "age(state_at) > turns(70)", {"age(state_at)": "60 turns"}),
    ):
        compiled = load(policy(RULE + f'clock = "{clock}"\nwhere = "{where}"'))

        assert values == explain(world.snapshot(), compiled, NOW, 1).verdicts[-1].values


def test_a_policy_on_a_clock_says_so() -> None:
    """Clock and interval are in the description and in the hash."""
    text = policy(
        BEST + 'where = "True"\nperiod = "40 hours"', top='clock = "active"\ninterval = "40 hours"\n'
    )
    compiled = load(text)

    assert ("active", 40 * HOUR) == (compiled.clock, compiled.interval)
    assert {"active"} == build_snapshot_request(
        load(policy(top='clock = "active"\ninterval = "40 hours"\n'))
    ).clocks
    assert "runs by itself every 40 active hours" in compiled.describe()
    assert "once in 40 active hours where True on the active clock" in compiled.describe()
    others = [
        text.replace('clock = "active"', 'clock = "wall"'),
        text.replace('interval = "40', 'interval = "41'),
    ]
    assert 3 == len({compiled.hash, *(load(other).hash for other in others)})


def test_turns_are_named_as_turns() -> None:
    """A policy on the turns clock counts its interval and periods in turns."""
    text = policy(
        BEST + 'where = "True"\nperiod = "200 turns"', top='clock = "turns"\ninterval = "500 turns"\n'
    )

    assert 500 * TURN == load(text).interval
    assert "every 500 turns" in load(text).describe()
    assert "once in 200 turns" in load(text).describe()


def test_what_extends_a_policy_takes_over_its_clock() -> None:
    """Clock and interval are inherited, and overridden at the top."""
    inherited = load('version = 1\nextend = "elfmem"\n')
    own = load('version = 1\nextend = "elfmem"\nclock = "wall"\ninterval = "7 days"\n')

    assert ("active", 40 * HOUR) == (inherited.clock, inherited.interval)
    assert ("wall", 7 * DAY) == (own.clock, own.interval)
    assert {"wall"} == {rule.clock for rule in own.rules}


WRONG = (
    (policy(top='clock = "lunar"\n'), "unknown clock 'lunar'", "active"),
    (policy(top='interval = "soon"\n'), "is not a period", '"40 hours"'),
    (policy(top='interval = "0 hours"\n'), "is not a period", '"40 hours"'),
    (policy(top='interval = "40 turns"\n'), "the wall clock does not count turns", '"40 hours"'),
    (policy(top='clock = "turns"\ninterval = "40 hours"\n'), "does not count hours", '"200 turns"'),
    (policy(RULE + 'clock = "lunar"\nwhere = "True"'), "unknown clock 'lunar'", "active"),
    (
        policy(RULE + 'clock = "turns"\nwhere = "age() > days(3)"'),
        "days(3) is no duration of the turns",
        "turns(200)",
    ),
    (policy(RULE + 'where = "age() > turns(3)"'), "turns(3) is no duration of the wall clock", "hours(12)"),
    (
        policy(GUARD + 'where = "age() > turns(3)"', top='clock = "active"\n'),
        "of the active clock",
        "hours(12)",
    ),
    (
        policy(BEST + 'where = "True"\nperiod = "3 turns"'),
        "the wall clock does not count turns",
        '"40 hours"',
    ),
    (policy(BEST + 'clock = "turns"\nwhere = "True"'), "after how many turns", 'period = "200 turns"'),
    (
        policy(RULE + 'where = "True"\nkeep = { rows = 1 }\norder = "clamp(idle, turns(1), turns(2))"'),
        "turns(1) is no duration of the wall clock",
        "hours(12)",
    ),
)


@pytest.mark.parametrize(("text", "message", "recovery"), WRONG, ids=[message for _, message, _ in WRONG])
def test_a_wrong_clock_is_one_error(text: str, message: str, recovery: str) -> None:
    """Unknown clocks and units of another clock are refused, and say what to write."""
    with pytest.raises(PolicyError) as caught:
        load(text)

    assert message in str(caught.value)
    assert recovery in caught.value.recovery


def test_an_alias_takes_the_clock_of_who_uses_it() -> None:
    """An abbreviation in hours serves rules that count hours, and is refused in one that counts turns."""
    aliases = '[alias]\nold = "age() > hours(5)"\n'
    good = policy(aliases, RULE + 'clock = "active"\nwhere = "old"')

    assert [1] == archived(good, World([row()], spans=HOUR_A_DAY))
    with pytest.raises(PolicyError, match=r"hours\(5\) is no duration of the turns clock"):
        load(good.replace('"active"', '"turns"'))


def test_a_snapshot_without_the_clock_is_refused() -> None:
    """A clock that was not asked for is an error that names it, not a time of 0."""
    with pytest.raises(InvalidInput, match="lacks the active clock"):
        planned("elfmem", World([row()]))


def test_what_says_nothing_of_clocks_reads_none() -> None:
    """A policy on the wall clock asks for no other and has a hash that does not depend on this process."""
    assert frozenset() == build_snapshot_request(load("default")).clocks
    text = policy(RULE + 'where = "uses == 0"')

    assert "50cc9f192c65969d3e161f45f501fcbb" == load(text).hash
