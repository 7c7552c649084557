"""What a plan does, case by case."""

from dataclasses import replace
from typing import Any

import pytest

from remanence.core.acts import action_of
from remanence.core.change import Increment
from remanence.core.clock import DAY, HOUR
from remanence.core.effects import ACTIONS
from remanence.core.errors import InvalidInput
from remanence.core.guards import find_protecting_guards
from remanence.core.model import Lifecycle, Memory, Reason, Relation, Status, Tier
from remanence.curate.planner.plan import Plan, plan
from remanence.curate.policy.compiled import build_snapshot_request, load
from tests.unit.scopes import NOW, World, linked, row


def policy(*rules: str, guards: str = "") -> str:
    """Write a policy of rules given as lines of keys."""
    tables = [
        f'[[rule]]\nname = "rule-{index}"\nevery = "deep"\n{rule}\n' for index, rule in enumerate(rules)
    ]
    return "version = 1\n" + guards + "\n".join(tables)


def curated(text: str, world: World, *, automatic: bool = False, now: int = NOW, **more: Any) -> Plan:
    """Plan for a world, and apply what was planned to it."""
    compiled = load(text)
    made = plan(
        world.snapshot(build_snapshot_request(compiled).tags, **more), compiled, now, automatic=automatic
    )
    if made.held is None:
        world.apply(made)
    return made


def seen(world: World, seq: int) -> tuple[Any, ...]:
    """Return where one memory stands, and why."""
    return tuple(world.rows[seq][name] for name in ("status", "tier", "reason"))


def column(world: World, name: str) -> list[Any]:
    """Return one column of all memories."""
    return [one[name] for one in world.rows.values()]


HOT = 'phase = "budgets"\nwhere = "tier == \'hot\'"\ndo = "move"\nto = "warm"\n'
ARCHIVE = 'phase = "expire"\nwhere = "uses == 0"\ndo = "archive"'
PRUNE = 'phase = "expire"\nwhere = "uses == 0"\ndo = "prune"'
MERGE = 'phase = "deduplicate"\nover = "pairs"\nwhere = "True"\nmin = 0.95\ndo = "merge"'


def test_an_archived_memory_says_why_and_since_when() -> None:
    """Archiving sets status, tier, reason, lifecycle and both times, and nothing else."""
    world = World([row(), row(uses=1)])
    before = dict(world.rows[1])

    made = curated(policy(ARCHIVE), world)

    changed = {name: value for name, value in world.rows[1].items() if before[name] != value}
    assert {
        "status": Status.ARCHIVED,
        "tier": Tier.ARCHIVE,
        "reason": Reason.EXPIRED,
        "lifecycle": Lifecycle.ARCHIVED,
        "status_at": NOW,
        "tier_at": NOW,
        "revision": 2,
    } == changed
    assert {"archive": 1} == made.counts
    assert 0 == made.destroyed


def test_a_tombstone_of_an_archived_memory_leaves_the_archive_tier() -> None:
    """Only what is archived may have the archive tier, so pruning it moves it to cold."""
    world = World([row(status="archived", reason="budget")] + [row(uses=1) for _ in range(9)])

    curated(
        policy('phase = "expire"\nwhere = "status == \'archived\'"\ndo = "prune"\nreason = "forgotten"'),
        world,
    )

    assert (Status.PRUNED, Tier.COLD, Reason.FORGOTTEN) == tuple(
        world.rows[1][name] for name in ("status", "tier", "reason")
    )


def test_destructive_changes_name_what_was_seen() -> None:
    """A change that destroys compares revision and touched, any other the revision alone."""
    for rule, guards in ((PRUNE, {"revision", "touched"}), (ARCHIVE, {"revision"})):
        world = World([row()] + [row(uses=1) for _ in range(9)])
        compiled = load(policy(rule))
        ((change,),) = plan(world.snapshot(), compiled, NOW).changes()

        assert guards == (change.before or {}).keys() & {"revision", "touched"}


def test_a_rule_sees_only_what_is_in_sight() -> None:
    """Inbox and active are judged; the rest only by a rule that names the status."""
    statuses = ("inbox", "active", "superseded", "archived", "pruned")
    world = World(
        [
            row(status=status, reason=None if status in {"inbox", "active"} else "decayed")
            for status in statuses
        ]
    )

    curated(policy('phase = "tiers"\nwhere = "True"\ndo = "archive"'), world)

    assert [3, 3, 2, 3, 4] == column(world, "status")


def test_the_safest_action_of_a_phase_wins() -> None:
    """Of move, archive and prune on one memory in one phase the mildest is done, whatever the order."""
    rules = [
        'phase = "value"\nwhere = "True"\ndo = "prune"',
        'phase = "value"\nwhere = "True"\ndo = "archive"',
    ]
    move = 'phase = "value"\nwhere = "True"\ndo = "move"\nto = "cold"'
    for some, expected in (
        (rules, Status.ARCHIVED),
        (rules[::-1], Status.ARCHIVED),
        ([*rules, move], Status.ACTIVE),
    ):
        world = World([row()])

        curated(policy(*some), world)

        assert [expected] == column(world, "status")


def test_a_memory_that_is_destroyed_is_out_of_later_phases() -> None:
    """What expires does not count against a budget, and is not reinforced."""
    world = World(
        [row(tokens=30), row(tokens=30, uses=1), *[row(tokens=0, uses=1, tier="cold") for _ in range(8)]]
    )
    budget = 'phase = "budgets"\nwhere = "tier == \'hot\'"\nkeep = { tokens = 30 }\ndo = "move"\nto = "warm"'
    best = 'phase = "reinforce"\nwhere = "True"\ntop = 99\ndo = "reinforce"'

    made = curated(policy(PRUNE, budget, best), world)

    assert {"prune": 1, "reinforce": 9} == made.counts
    assert Tier.HOT == world.rows[2]["tier"]


def test_guards_keep_and_are_named() -> None:
    """What a guard forbids is left, counted by guard and rule, with examples."""
    guards = '[[guard]]\nname = "mine"\nwhere = "tagged(\'mine\')"\n'
    world = World([row(tags=("mine",)), row(pinned=1), row(hold_until=NOW + 1), row(category="audit"), row()])

    made = curated(policy(ARCHIVE, guards=guards), world)

    assert [1, 1, 1, 1, 3] == column(world, "status")
    assert [("held", 1, (3,)), ("mine", 1, (1,)), ("pinned", 1, (2,)), ("system-category", 1, (4,))] == [
        (item.guard, item.count, item.examples) for item in made.refusals
    ]


def test_a_guard_blocks_what_it_says_and_all_that_is_worse() -> None:
    """Blocks = "prune" lets archiving through; blocks = "move" stops even a demotion, but no promotion."""
    down = 'phase = "tiers"\nwhere = "tier == \'hot\'"\ndo = "move"\nto = "cold"'
    up = 'phase = "tiers"\nwhere = "tier == \'warm\'"\ndo = "move"\nto = "hot"'
    for blocks, rule, expected in (("prune", ARCHIVE, (3, 3)), ("move", down, (1, 0)), ("move", up, (1, 0))):
        guards = f'[[guard]]\nname = "all"\nwhere = "True"\nblocks = "{blocks}"\n'
        world = World([row(tier="warm" if rule == up else "hot")])

        curated(policy(rule, guards=guards), world)

        assert expected == (world.rows[1]["status"], world.rows[1]["tier"])


def test_user_verbs_obey_the_built_in_guards() -> None:
    """`protecting` names the built-in guards that hold for one memory."""
    plain = Memory(
        1,
        "a",
        "s",
        "text",
        Status.ACTIVE,
        Tier.HOT,
        NOW,
        NOW,
        NOW,
        NOW,
        b"",
        pinned=1,
        hold_until=NOW + 1,
        category="audit",
    )
    compiled = load("default")

    assert ("pinned", "held", "system-category") == find_protecting_guards(
        plain, system=compiled.is_system("audit"), now=NOW
    )
    assert () == find_protecting_guards(
        replace(plain, pinned=0, hold_until=NOW), system=compiled.is_system("fact"), now=NOW
    )


def test_a_budget_passes_over_what_does_not_fit() -> None:
    """The newest that fit are kept: one that is too big is moved, and those after it are still tried."""
    world = World([row(tokens=tokens) for tokens in (10, 20, 500, 60, 30)])

    curated(
        policy(HOT + "keep = { tokens = 100 }"),
        world,
    )

    assert [Tier.HOT, Tier.WARM, Tier.WARM, Tier.HOT, Tier.HOT] == column(world, "tier")


def test_the_newest_stay_in_a_budget() -> None:
    """Five entries of 400 tokens in a budget of 1,600: the oldest goes, not the newest."""
    world = World([row(tokens=400, used_at=NOW - (5 - index) * HOUR) for index in range(5)])

    curated(
        policy(HOT + 'order = "last_used desc"\nkeep = { tokens = 1600 }'),
        world,
    )

    assert [Tier.WARM, *[Tier.HOT] * 4] == column(world, "tier")


def test_what_is_pinned_is_counted_first() -> None:
    """A pinned memory takes its share of a budget before any other; alone beyond it, nothing is moved."""
    budget = policy(HOT + "keep = { tokens = 100 }")
    world = World([row(tokens=80, pinned=1), row(tokens=30), row(tokens=20)])
    full = World([row(tokens=180, pinned=1), row(tokens=30)])

    curated(budget, world)
    made = curated(budget, full)

    assert [Tier.HOT, Tier.WARM, Tier.HOT] == column(world, "tier")
    assert [Tier.HOT, Tier.HOT] == column(full, "tier")
    assert ("rule-0: what is protected alone exceeds the budget; nothing is moved there",) == made.notes


def test_budgets_are_per_partition() -> None:
    """Each agent has its own budget; memories of nobody share one."""
    rule = HOT + 'per = ["agent"]\nkeep = { rows = 1 }'
    world = World([row(agent=agent) for agent in ("a", "b", "a", None, None)])

    curated(policy(rule), world)

    assert [Tier.WARM, Tier.HOT, Tier.HOT, Tier.WARM, Tier.HOT] == column(world, "tier")


def test_a_share_is_rounded_up() -> None:
    """A share, `keep = { share = 0.5 }`, of three keeps two."""
    world = World([row() for _ in range(3)])

    curated(policy('phase = "keep-recent"\nwhere = "True"\nkeep = { share = 0.5 }\ndo = "archive"'), world)

    assert [3, 1, 1] == column(world, "status")


def test_what_falls_from_hot_is_judged_again_in_warm() -> None:
    """One cycle goes down all the tiers; there is one change to each memory."""
    tiers = ("hot", "warm"), ("warm", "cold")
    rules = [
        f'phase = "budgets"\nwhere = "tier == \'{tier}\'"\nkeep = {{ rows = 1 }}\ndo = "move"\nto = "{below}"'
        for tier, below in tiers
    ]
    world = World([row() for _ in range(4)])

    made = curated(policy(*rules), world)

    assert [Tier.COLD, Tier.COLD, Tier.WARM, Tier.HOT] == column(world, "tier")
    assert {"move": 3} == made.counts


def test_a_move_of_taste_waits_an_hour() -> None:
    """A memory whose tier changed less than an hour ago moves only where a budget forces it."""
    taste = 'phase = "tiers"\nwhere = "tier == \'hot\'"\ndo = "move"\nto = "warm"'
    forced = 'phase = "budgets"\nwhere = "tier == \'hot\'"\nkeep = { rows = 0 }\ndo = "move"\nto = "warm"'
    for rule, expected in ((taste, [Tier.HOT, Tier.WARM]), (forced, [Tier.WARM, Tier.WARM])):
        world = World([row(tier_at=NOW - HOUR + 1), row(tier_at=NOW - HOUR)])

        curated(policy(rule), world)

        assert expected == column(world, "tier")


def test_a_promotion_that_does_not_fit_is_no_move() -> None:
    """What is lifted and thrown back in one cycle has not moved: only the net move is a change."""
    up = 'phase = "tiers"\nwhere = "tier == \'warm\'"\ndo = "move"\nto = "hot"'
    budget = HOT + 'order = "value desc"\nkeep = { rows = 1 }'
    world = World([row(value=0.9), row(value=0.1, tier="warm")])

    made = curated(policy(up, budget), world)

    assert made.empty


def test_transitions_obey_the_category() -> None:
    """A state is reached only where the category has it, and left only where it is not a last one."""
    rule = 'phase = "lifecycle"\nwhere = "True"\ncolumn = "state"\nto = "blocked"\ndo = "transition"'
    some = [("task", "pending"), ("task", None), ("task", "failed"), ("fact", None), (None, None)]
    world = World([row(category=category, state=state) for category, state in some])

    made = curated(policy(rule), world)

    assert ["blocked", "blocked", "failed", None, None] == column(world, "state")
    assert [NOW, NOW, None, None, None] == column(world, "state_at")
    assert [("states", 3)] == [(item.guard, item.count) for item in made.refusals]


def test_a_flag_is_a_tag_and_set_once() -> None:
    """Flag adds the tag flag/…, and nothing where it is there already."""
    rule = 'phase = "shrink"\nwhere = "tokens > 5"\nto = "long"\ndo = "flag"'
    world = World([row(), row(tokens=1), row(tags=("flag/long",))])

    made = curated(policy(rule), world)

    assert [("flag/long",), (), ("flag/long",)] == column(world, "tags")
    assert {"flag": 1} == made.counts


def test_a_rule_reinforces_once_a_period() -> None:
    """The best are reinforced when the period since the last time has passed, and not a microsecond before."""
    rule = 'phase = "reinforce"\nwhere = "True"\norder = "value desc"\ntop = 1\nperiod = "40 hours"\ndo = "reinforce"'
    for fired, count in ((NOW - 40 * HOUR + 1, 0), (NOW - 40 * HOUR, 1), (None, 1)):
        world = World([row(value=0.2), row(value=0.7)])
        made = curated(policy(rule), world, fired={} if fired is None else {"rule-0": fired})

        assert [0, count] == column(world, "reinforced")
        assert (("rule-0",) if count else ()) == made.fired


def test_weak_links_are_cut_and_lineage_is_not() -> None:
    """A rule over links sees links that count: both ends in sight, no lineage, no contradiction."""
    rule = 'phase = "links"\nover = "links"\nwhere = "decayed_weight < 0.10"\ndo = "unlink"'
    links = {
        **linked((1, 2), weight=0.05),
        **linked((1, 2), relation=Relation.SUPPORTS, weight=0.9),
        **linked((2, 1), relation=Relation.SUPERSEDES, weight=0.05),
        **linked((1, 3), weight=0.05),
    }
    world = World([row(), row(), row(status="archived", reason="decayed")], links)

    made = curated(policy(rule), world)

    assert {(1, 2, 5), (2, 1, 8), (1, 3, 0)} == set(world.links)
    assert {"unlink": 1} == made.counts


def test_a_purge_takes_tombstones_only() -> None:
    """Purge destroys what has been a tombstone long enough, and never anything in sight."""
    rule = 'phase = "purge"\nwhere = "age(status_at) > days(3)"\ndo = "purge"'
    world = World(
        [
            row(),
            row(status="pruned", reason="expired"),
            row(status="pruned", reason="expired", status_at=NOW - DAY),
            row(),
        ]
    )

    made = curated(policy(rule), world, automatic=True)

    assert [1, 3, 4] == list(world.rows)
    assert (1, {"purge": 1}) == (made.destroyed, made.counts)


def test_a_merge_carries_everything_over() -> None:
    """The more valuable survives; links move without loops or doubles, counts add up, the other is superseded."""
    near = linked((1, 2), relation=Relation.NEAR_DUPLICATE, confidence=0.97)
    links = {
        **near,
        **linked((1, 2), weight=0.4),
        **linked((1, 3), weight=0.6, count=2),
        **linked((2, 3), weight=0.3, count=3),
        **linked((4, 1), relation=Relation.SUPPORTS),
    }
    world = World(
        [
            row(value=0.2, uses=3, confirmations=1, used_at=NOW - DAY, use_days=3, use_day=NOW // DAY - 1),
            row(value=0.8, uses=4, used_at=NOW - 5 * DAY, use_days=4, use_day=NOW // DAY),
            row(),
            row(),
            *[row() for _ in range(4)],
        ],
        links,
    )

    made = curated(policy(MERGE), world)

    survivor, gone = world.rows[2], world.rows[1]
    assert (Status.SUPERSEDED, Reason.MERGED, NOW) == (gone["status"], gone["reason"], gone["status_at"])
    assert (7, 1, NOW - DAY) == (survivor["uses"], survivor["confirmations"], survivor["used_at"])
    assert (0x0304, NOW // DAY) == (survivor["use_days"], survivor["use_day"])
    assert {(1, 2, 1), (2, 3, 0), (4, 2, 5), (2, 1, 10)} == set(world.links)
    assert (0.6, 5) == (world.links[2, 3, 0]["weight"], world.links[2, 3, 0]["count"])
    assert ({"merge": 1}, 1) == (made.counts, made.destroyed)


def test_a_merge_is_one_group() -> None:
    """All that a merge touches is done together or not at all, other merges that share a link included."""
    links = linked((1, 2), (3, 4), relation=Relation.NEAR_DUPLICATE, confidence=0.97) | linked((2, 4))
    world = World([row() for _ in range(10)], links)
    compiled = load(policy(MERGE))

    (group,) = plan(world.snapshot(), compiled, NOW).changes()

    assert "merge" == min(map(action_of, group), key=ACTIONS.index).name
    assert {("memories", 2), ("memories", 4), ("links", (2, 4, 0)), ("links", (1, 3, 0))} <= {
        (change.table, change.key) for change in group
    }


def test_merges_make_no_chains() -> None:
    """Of three alike one pair is merged; the third waits, also in a run at the same instant."""
    links = linked((1, 2), (2, 3), (1, 3), relation=Relation.NEAR_DUPLICATE, confidence=0.97)
    world = World([row() for _ in range(12)], links)

    first = curated(policy(MERGE), world)
    second = curated(policy(MERGE), world)

    assert {"merge": 1} == first.counts
    assert second.empty


def test_a_pair_that_is_not_sure_enough_stays() -> None:
    """Below the rule's confidence, or where nobody said how sure, nothing is merged."""
    links = linked((1, 2), relation=Relation.NEAR_DUPLICATE, confidence=0.94) | linked(
        (3, 4), relation=Relation.NEAR_DUPLICATE
    )

    assert curated(policy(MERGE), World([row() for _ in range(9)], links)).empty


def test_counters_change_by_increments() -> None:
    """A survivor's uses grow by what it took in; its times of use are said, so that no use is counted now."""
    links = linked((1, 2), relation=Relation.NEAR_DUPLICATE, confidence=0.97)
    world = World([row(), row(uses=2, used_at=NOW - DAY), *[row() for _ in range(6)]], links)

    ((*changes,),) = plan(world.snapshot(), load(policy(MERGE)), NOW).changes()

    after = next(change.after for change in changes if change.key == 1)
    assert after is not None
    assert Increment(2) == after["uses"]
    assert {"used_at", "use_days", "use_day"} <= after.keys()


def test_an_automatic_run_is_braked() -> None:
    """At most ten or a twentieth a day are destroyed, the longest due first; the rest is deferred and said so."""
    rule = 'phase = "expire"\nwhere = "age(learned_at) > days(7)"\ndo = "prune"'
    some = [row(learned_at=NOW - (8 + index) * DAY) for index in range(14)] + [
        row(learned_at=NOW) for _ in range(100)
    ]
    world = World(some)

    made = curated(policy(rule), world, automatic=True, destroyed_today=4)

    assert 6 == made.destroyed
    assert [9, 10, 11, 12, 13, 14] == [
        seq for seq, one in world.rows.items() if one["status"] == Status.PRUNED
    ]
    assert [("rule-0", (1, 2, 3, 4, 5, 6, 7, 8))] == [(item.rule, item.seqs) for item in made.deferred]
    assert "deferred to another day: 8 memories" in str(made)


def test_what_waits_for_a_merge_is_not_counted_twice() -> None:
    """A merge that the brake puts off lets the memory be pruned instead; held or not, the whole plan decides."""
    prune = PRUNE.replace("expire", "lifecycle")
    links = linked((1, 2), relation=Relation.NEAR_DUPLICATE, confidence=0.97)
    world = World([row(uses=1), *[row() for _ in range(4)], *[row(uses=1) for _ in range(11)]], links)

    made = curated(policy(MERGE, prune), world, automatic=True, destroyed_today=10)

    assert (None, 0) == (made.held, made.destroyed)
    assert 4 == len({seq for item in made.deferred for seq in item.seqs})


def test_a_plan_that_destroys_a_quarter_is_held() -> None:
    """More than 25 % is held whole, automatic or not; exactly 25 % is not."""
    for pruned, held in ((12, False), (13, True)):
        for automatic in (False, True):
            world = World([row() for _ in range(pruned)] + [row(uses=1) for _ in range(48 - pruned)])
            made = curated(policy(PRUNE), world, automatic=automatic)

            late = sum(len(one.seqs) for one in made.deferred)
            assert (held, pruned) == (made.held is not None, made.destroyed + late)
            assert ("HELD" in str(made)) == held


def test_a_plan_is_held_when_the_clock_went_back() -> None:
    """A time before the newest record means that the clock cannot be trusted."""
    made = curated(policy(ARCHIVE), World([row()]), newest_at=NOW + 1)

    assert made.held is not None
    assert "clock" in made.held


def test_archiving_counts_for_no_brake() -> None:
    """A plan that archives everything is not held, even an automatic one."""
    world = World([row() for _ in range(40)])

    assert {"archive": 40} == curated(policy(ARCHIVE), world, automatic=True).counts


def test_rules_that_push_to_and_fro_are_reported() -> None:
    """Where two rules undo each other for ever, the memory stays as it is and the plan says so."""
    there = 'phase = "lifecycle"\nwhere = "lifecycle == \'candidate\'"\nto = "stale"\ndo = "transition"'
    back = 'phase = "value"\nwhere = "lifecycle == \'stale\'"\nto = "candidate"\ndo = "transition"'
    again = 'phase = "expire"\nwhere = "lifecycle == \'stale\'"\nto = "validated"\ndo = "transition"'
    once = 'phase = "lifecycle"\nwhere = "lifecycle == \'validated\'"\nto = "candidate"\ndo = "transition"'

    assert curated(policy(there, back), World([row()])).empty
    made = curated(policy(there, again, once), World([row()]))
    assert made.empty
    assert "disagree about 1 memories" in made.notes[0]


def test_an_unknown_status_is_never_touched() -> None:
    """A memory whose status no version of ours knows is guarded from everything."""
    world = World([row()])
    snapshot = world.snapshot()
    snapshot.columns["status"][0] = 9
    compiled = load(policy('phase = "expire"\nwhere = "status != \'inbox\'"\ndo = "prune"'))

    assert plan(snapshot, compiled, NOW).empty


def test_a_snapshot_without_what_the_policy_reads_is_refused() -> None:
    """A column, tag or link that the snapshot lacks is an error that names it."""
    compiled = load(policy(PRUNE.replace("uses == 0", "tagged('a') and degree > 0")))

    with pytest.raises(InvalidInput, match="lacks the tag pattern 'a'"):
        plan(World([row()]).snapshot(), compiled, NOW)
    with pytest.raises(InvalidInput, match="lacks links"):
        plan(replace(World([row(tags=("a",))]).snapshot(["a"]), links=None), compiled, NOW)


def test_a_changed_plan_is_refused() -> None:
    """A plan whose text was edited, or that is none, does not load."""
    text = plan(World([row()]).snapshot(), load(policy(ARCHIVE)), NOW).to_json()

    with pytest.raises(InvalidInput, match="was changed"):
        Plan.from_json(text.replace('"destroyed":0', '"destroyed":1'))
    for wrong in ("", "{}", "[]", text.replace('"format":5', '"format":"5"')):
        with pytest.raises(InvalidInput, match="no plan"):
            Plan.from_json(wrong)


def test_an_empty_scope_has_nothing_to_do() -> None:
    """No memories, no plan, no error."""
    made = plan(World([]).snapshot(["rejected-path"]), load("default"), NOW)

    assert made.empty
    assert "Nothing to do." in str(made)


def test_a_plan_reads_well() -> None:
    """A person sees what, how many, by which rule and why."""
    world = World([row(pinned=1), row(), row()])
    compiled = load(policy(ARCHIVE + '\nbecause = "nobody asked"'))

    lines = str(plan(world.snapshot(), compiled, NOW)).splitlines()

    assert "  archive 2 memories  [rule-0] because nobody asked" == lines[1]
    assert "    #2, #3" == lines[2]
    assert "  kept: 1 memory of [rule-0] by pinned because somebody pinned it" == lines[3]
    assert "    #1" == lines[4]
