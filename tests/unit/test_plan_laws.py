"""Laws of the planner, held against random policies in random scopes."""

from collections import Counter
from dataclasses import replace
from itertools import chain
from random import Random
from typing import Any

import numpy as np
from hypothesis import assume, given
from hypothesis import strategies as st

from remanence.core.acts import acts_of, kinds_of
from remanence.core.change import row_count, rows_of
from remanence.core.model import STANDING, Status
from remanence.core.snapshot import LINK_COLUMNS, TAG, LinkColumns, Snapshot
from remanence.curate.explain import explain
from remanence.curate.planner.plan import Plan, plan
from remanence.curate.planner.plan_agreement import destroyed_count, filter_to_proposed, left_out
from remanence.curate.planner.proposal import refuse_foreign
from remanence.curate.policy.compiled import Policy, build_affected_filter, build_snapshot_request, load
from remanence.curate.schedule import calm_until
from remanence.store.block_rules import refuse_malformed_entries
from tests.unit.random_policies import ATOMS, GUARD_ATOMS, RULES, condition, document, table
from tests.unit.random_policies import policy as some_policy
from tests.unit.random_policies import world as some_world
from tests.unit.scopes import NOW, Row, World

# A seed, because drawing each value on its own makes worlds too small to break anything.
SEEDS = st.integers(0, 2**48)


def drawn(seed: int, guards: tuple[str, ...] = GUARD_ATOMS) -> tuple[list[str], World]:
    """Draw a policy's tables and a scope."""
    random = Random(seed)
    return some_policy(random, guards), some_world(random)


def frozen(world: World, policy: Policy, **more: object) -> Snapshot:
    """Freeze of a world what a policy asks for, and nothing else."""
    asked = build_snapshot_request(policy)
    whole = world.snapshot(asked.tags, **more)
    kept = asked.columns | {"revision", "touched"}
    columns = {name: column for name, column in whole.columns.items() if name in kept}
    return replace(whole, columns=columns, links=_asked(whole.links, asked.links))


def _asked(links: LinkColumns | None, columns: frozenset[str] | None) -> LinkColumns | None:
    """Leave out the columns of links that a policy does not ask for."""
    if links is None or columns is None:
        return None
    unread: dict[str, Any] = dict.fromkeys(LINK_COLUMNS - columns)
    return replace(links, **unread)


@given(SEEDS)
def test_a_second_run_at_the_same_instant_does_nothing(seed: int) -> None:
    """What a plan leaves behind gives that plan nothing more to do."""
    tables, world = drawn(seed)
    policy = load(document(tables))
    first = plan(frozen(world, policy), policy, NOW)

    world.apply(first)
    second = plan(frozen(world, policy, fired=dict.fromkeys(first.fired, NOW)), policy, NOW)

    assert [] == list(second.changes())
    assert second.empty


LABELS = (
    "True",
    "category in ('task', 'message')",
    "agent == 'a' and not category == 'fact'",
    "(kind == 'episodic' or kind == 'semantic' and thread == 's')",
    "category == 'task' and category in ('task', 'fact')",
)


SEEN = ("status in ('archived', 'active')", "category == 'fact' and linked('*', status='archived')")


def _is(one: Row, name: str, values: frozenset[int | str]) -> bool:
    """Tell whether a memory holds a label, or bears a tag."""
    return bool(values & {*one["tags"]}) if name == TAG else one[name] in values


def _labelled(random: Random) -> Policy:
    """Draw a policy whose rules each name labels or names, and no links but a memory's own."""
    plain = tuple(atom for atom in ATOMS if not any(word in atom for word in ("score", "dangling")))
    rules = []
    for index in range(random.randint(1, 5)):
        phase, do, more = random.choice([one for one in RULES if "top" not in one[2]])
        fixed = "share" in more.get("keep", ())  # of what rules themselves change there is no share
        atoms, begins = (GUARD_ATOMS, LABELS) if fixed else (plain, (*LABELS, *SEEN))
        values = {
            "name": f"rule-{index}",
            "every": "deep",
            "phase": phase,
            "where": f"{random.choice(begins)} and ({condition(random, atoms)})",
            **({} if do == "ladder" else {"do": do}),
            **({"order": "tokens asc, seq desc"} if "keep" in more else {}),
            **more,
        }
        rules.append(table("rule", values))
    return load(document([*rules, table("guard", {"name": "guard", "where": "uses > 4", "blocks": "prune"})]))


@given(SEEDS)
def test_what_no_rule_concerns_need_not_be_read(seed: int) -> None:
    """A plan on the memories that rules can concern is the plan on all of them, and stays calm for as long."""
    random = Random(seed)
    world, policy = some_world(random), _labelled(random)
    among = build_affected_filter(policy)
    assume(among is not None)
    assert among is not None
    some = World([])
    mine = {
        seq
        for seq, one in world.rows.items()
        if any(all(_is(one, name, values) for name, values in holds.items()) for holds in among)
    }
    some.links = {key: link for key, link in world.links.items() if mine & {*key[:2]}}
    some.rows = {seq: world.rows[seq] for seq in mine.union(*(key[:2] for key in some.links))}
    whole = plan(frozen(world, policy), policy, NOW)
    less = replace(frozen(some, policy), whole=len(world.rows))
    part = plan(less, policy, NOW)

    assert list(whole.changes()) == list(part.changes())
    said = ("by_rule", "refusals", "deferred", "held", "destroyed", "memories", "notes")
    assert [getattr(whole, name) for name in said] == [getattr(part, name) for name in said]
    until = calm_until(less, policy, part)
    assert until is None or plan(frozen(world, policy), policy, until - 1).empty


def _concerns(where: str) -> object:
    """Say which memories one rule that archives concerns."""
    graded = table("category.analysis", {"numbers": {"grade": 2}}).replace("[[", "[").replace("]]", "]")
    rule = {"name": "rule", "every": "deep", "phase": "value", "where": where, "do": "archive"}
    return build_affected_filter(load(document([graded, table("rule", rule)])))


def test_a_number_of_categories_concerns_those_that_declare_it() -> None:
    """And links of a memory's own change nothing in that; what looks further has all of them read."""
    analyses = {"category": frozenset({"analysis"}), "status": STANDING}

    assert (analyses,) == _concerns("of_category('grade') >= 2 and linked('*')")
    assert (analyses | {"category": frozenset()},) == _concerns("of_category('grade') > 2 and degree > 1")
    assert [None, None] == [_concerns("score('self') < 0.1"), _concerns("dangling")]


@given(SEEDS)
def test_the_order_of_a_policy_does_not_matter(seed: int) -> None:
    """Rules and guards in another order are the same policy and give the same plan."""
    tables, world = drawn(seed)
    policy = load(document(tables))
    shuffled = Random(seed).sample(tables, len(tables))
    other = load(document(shuffled))

    assert policy.hash == other.hash
    assert plan(frozen(world, policy), policy, NOW).digest == plan(frozen(world, other), other, NOW).digest


@given(SEEDS)
def test_what_is_guarded_stays(seed: int) -> None:
    """No plan archives or destroys what a guard holds for, or where it cannot tell."""
    tables, world = drawn(seed, ATOMS)
    policy = load(document(tables))
    snapshot = frozen(world, policy)
    before = {seq: Status(one["status"]) for seq, one in world.rows.items()}
    forms = {seq: one["form"] for seq, one in world.rows.items()}
    alone = load(document([table for table in tables if table.startswith("[[guard]]")]))
    guarded = _guarded(snapshot, alone)

    world.apply(plan(snapshot, policy, NOW))

    for seq, blocks in guarded.items():
        worst = {"prune": Status.ARCHIVED}.get(blocks, before[seq])
        assert world.rows[seq]["status"] in {before[seq], worst}
        assert blocks not in {"move", "shrink"} or forms[seq] == world.rows[seq]["form"]


# The word of a policy by the mildest action that it blocks, as an explanation says it.
MILDEST = {"demote": "move", "compress": "shrink", "archive": "archive", "merge": "prune"}


def _guarded(snapshot: Snapshot, policy: Policy) -> dict[int, str]:
    """Evaluate guards row by row on the frozen scope: what each memory is guarded from, the strictest of all."""
    found = {}
    for seq in snapshot.seq.tolist():
        blocks = [
            MILDEST[item.action.split()[1].strip(",")]
            for item in explain(snapshot, policy, NOW, seq).verdicts
            if item.acts
        ]
        if blocks:
            found[seq] = min(blocks, key=["move", "shrink", "archive", "prune"].index)
    return found


@given(SEEDS, st.integers(1, 40))
def test_parts_hold_every_change_once(seed: int, changes_max: int) -> None:
    """However large a part may be, groups stay whole, and blocks have keys that ascend and one set of columns."""
    tables, world = drawn(seed)
    policy = load(document(tables))
    made = plan(frozen(world, policy), policy, NOW)
    parts = list(made.parts(changes_max))
    groups = [group for part in parts for group in part.groups]
    blocks = [block for part in parts for block in part.blocks]

    assert sorted(map(repr, rows_of([change for group in made.changes() for change in group]))) == sorted(
        map(repr, rows_of([*(change for group in groups for change in group), *blocks]))
    )
    assert all(
        len(part.groups) == 1 or row_count([*part.blocks, *chain(*part.groups)]) <= changes_max
        for part in parts
    )
    for part in parts:
        refuse_malformed_entries([*chain(*part.groups), *part.blocks])


@given(SEEDS)
def test_kinds_of_a_block_are_those_of_its_rows(seed: int) -> None:
    """Counted by arrays or row by row, the actions are the same."""
    tables, world = drawn(seed)
    policy = load(document(tables))
    blocks = [
        block for part in plan(frozen(world, policy), policy, NOW).parts(1_000) for block in part.blocks
    ]
    for block in blocks:
        counted: Counter[str] = Counter()
        for change, count in kinds_of(block):
            counted.update(dict.fromkeys(acts_of(change), count))

        assert Counter(name for change in block.changes() for name in acts_of(change)) == counted


@given(SEEDS, st.booleans())
def test_a_plan_survives_json(seed: int, automatic: bool) -> None:
    """A plan read back is the plan that was written: same digest, same words, same changes."""
    tables, world = drawn(seed)
    policy = load(document(tables))
    made = plan(frozen(world, policy), policy, NOW, automatic=automatic)

    read = Plan.from_json(made.to_json())

    assert made.digest == read.digest
    assert str(made) == str(read)
    assert list(made.changes()) == list(read.changes())


@given(SEEDS, st.integers(0, 12))
def test_the_brake_counts_over_the_day(seed: int, today: int) -> None:
    """An automatic plan destroys no more than is left of the day's allowance, unless it is held whole."""
    tables, world = drawn(seed)
    policy = load(document(tables))
    made = plan(frozen(world, policy, destroyed_today=today), policy, NOW, automatic=True)
    whole = plan(frozen(world, policy), policy, NOW)

    if made.held is None:
        assert made.destroyed <= max(0, 10 - today)
        assert made.destroyed + sum(len(item.seqs) for item in made.deferred) <= len(world.rows)
        world.apply(made)
    else:
        assert whole.destroyed == made.destroyed


@given(SEEDS)
def test_what_a_cycle_plans_passes_for_a_plan_of_its_policy(seed: int) -> None:
    """No plan that a policy makes is taken for a forged one, and planned again it is agreed on whole."""
    tables, world = drawn(seed)
    policy = load(document(tables))
    snapshot = frozen(world, policy)
    made = plan(snapshot, policy, NOW)
    refuse_foreign(made, policy)
    again = filter_to_proposed(Plan.from_json(made.to_json()), plan(snapshot, policy, NOW), policy)

    assert list(made.changes()) == list(again.changes())
    assert made.destroyed == destroyed_count(again)
    assert ((), 0) == left_out(made, again, snapshot, policy, 9)


@given(SEEDS, st.integers(0, 100))
def test_what_is_not_proposed_is_not_agreed_on(seed: int, left: int) -> None:
    """Without one of its memories a plan does less, and never anything that it would not have done."""
    tables, world = drawn(seed)
    policy = load(document(tables))
    snapshot = frozen(world, policy)
    made = plan(snapshot, policy, NOW)
    if not len(made.seq):
        return
    gone = made.seq[left % len(made.seq)]
    less = filter_to_proposed(
        replace(made, revision=np.where(made.seq == gone, 99, made.revision)), made, policy
    )
    groups = list(made.changes())

    assert gone not in less.seq
    assert all(group in groups for group in less.changes())
    assert any(f"#{gone}:" in said for said in left_out(made, less, snapshot, policy, 100)[0])
