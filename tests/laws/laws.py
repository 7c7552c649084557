"""The laws of curation as functions of one drawn world: each raises AssertionError where it is broken.

They run through the engine, the flows and a store, so that what users run is what is tested; the tests, the deep
campaign and the hunt for planted bugs all call these.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from math import exp
from tempfile import TemporaryDirectory
from typing import Any, cast
from unittest.mock import patch

from remanence.core.change import Cause, Change, CommitResult, Entry, Increment
from remanence.core.clock import DAY, HOUR
from remanence.core.effects import CHANGEABLE, is_flag
from remanence.core.errors import Conflict, InvalidInput
from remanence.core.model import (
    COLUMNS,
    REJECTED_PATH,
    SYMMETRIC,
    UNCOUNTED,
    Decay,
    Form,
    Link,
    Memory,
    Reason,
    Relation,
    Severity,
    Status,
    Tier,
    is_load_bearing,
)
from remanence.core.receipt import Receipt
from remanence.core.score import LAMBDAS, decay
from remanence.curate.language.view import LINKS
from remanence.curate.planner.plan import Plan
from remanence.curate.policy.compiled import load
from remanence.flows.curate import applying
from remanence.llm.offline import NoEmbedder
from remanence.store.capabilities import FullStore
from remanence.store.sqlite.sqlite_store import SqliteStore
from remanence_store_kit.builders import NOW, expect_error, link_change, make_cause, tag_change, update_change
from remanence_store_kit.dump import Dump
from remanence_store_kit.invariants import find_broken_invariants, find_unaccounted_rows, revisions_fallen
from remanence_store_kit.policies import PolicyTables
from remanence_store_kit.worlds import SYSTEM_CATEGORY, UNDECLARED, World
from tests.laws.lab import SCOPE, WORKED, Lab, lab

GONE = frozenset({Status.SUPERSEDED, Status.PRUNED})  # the one who is merged away is superseded
FELL = GONE | {Status.ARCHIVED}
# Conditions of a guard with what they protect, unknowns included, said once more in Python.
PROTECTS: Mapping[str, Callable[[Memory], bool]] = {
    "category == 'task'": lambda memory: memory.category in {"task", None},
    "not declared(category)": lambda memory: memory.category in {UNDECLARED, None},
    "state == 'pending'": lambda memory: memory.state in {"pending", None},
    "severity >= 'high'": lambda memory: memory.severity is None or memory.severity >= Severity.HIGH,
    "confidence > 0.5": lambda memory: memory.confidence is None or memory.confidence > 0.5,
    "tagged('keep')": lambda memory: "keep" in memory.tags,
    "age() < days(14)": lambda memory: NOW - memory.learned_at < 14 * DAY,
    "used_at > status_at": lambda memory: memory.used_at is None or memory.used_at > memory.status_at,
    "tier == 'hot'": lambda memory: memory.tier.label == "hot",
}


RUNS_TO_REST_MAX = 6
TIMES = {column.name for column in COLUMNS if column.kind == "time"} | {
    "created_at",
    "last_at",
    "resolved_at",
}
WORKED_SHARE = 0.75  # of the last thirty days, see WORKED
FIRED_AT = NOW - 2 * DAY  # 48 hours ago, of which 36 were worked: more than a period, and less
HARSH = (
    {"name": "cold", "every": "rapid", "phase": "tiers", "do": "move", "to": "cold", "where": "True"},
    {"name": "away", "every": "rapid", "phase": "budgets", "do": "archive", "where": "True"},
)


async def undo_gives_everything_back(world: World, rules: PolicyTables, pick: int) -> None:
    """After undo, memories, links, tags, sources, vectors, full text and statistics are as before the run."""
    async with lab(world) as it:
        before = await it.dump()
        receipt = await it.curate(rules)
        after = await it.dump()
        if receipt.changes:
            await it.engine.undo(receipt)
        undone = await it.dump()

        assert before.drop_unrestorable() == undone.drop_unrestorable()
        assert [] == revisions_fallen(before, after) + revisions_fallen(after, undone)
        assert [] == find_unaccounted_rows(undone, await it.store.history(SCOPE))


async def undo_happens_once(world: World, rules: PolicyTables, pick: int) -> None:
    """A second undo of the same run is refused; undoing the undo does the run again."""
    async with lab(world) as it:
        receipt = await it.curate(rules)
        if not receipt.changes:
            return
        after = await it.dump()
        undoing = await it.engine.undo(receipt)
        undone = await it.dump()
        await expect_error(InvalidInput, it.engine.undo(receipt))

        assert undone == await it.dump()
        await it.engine.undo(undoing)
        assert after.drop_unrestorable() == (await it.dump()).drop_unrestorable()


async def the_engine_protects(world: World, rules: PolicyTables, pick: int) -> None:
    """Pinned, held and system memories never fall, whatever a policy says; a pinned one keeps its tier or rises."""
    async with lab(world) as it:
        before = await memories(it)
        for order in range(3):
            await it.curate(rules.without_guards().shuffle_rules(order + pick))
        after = await memories(it)

        assert [] == [
            seq
            for seq, memory in before.items()
            if memory.pinned or (memory.hold_until or 0) > NOW or memory.category == SYSTEM_CATEGORY
            if newly(FELL, memory, after.get(seq))
        ]
        assert [] == [
            seq for seq, memory in before.items() if memory.pinned and memory.tier < after[seq].tier
        ]


async def guards_protect(world: World, rules: PolicyTables, pick: int) -> None:
    """What a guard's condition does not exclude for sure is neither archived nor destroyed, unknowns included."""
    where = sorted(PROTECTS)[pick % len(PROTECTS)]
    guard = {"name": "planted", "where": where, "blocks": "archive"}
    async with lab(world) as it:
        before = await memories(it)
        await it.curate(PolicyTables((*rules.guards, guard), (*rules.rules, *HARSH[: pick % 3])))
        after = await memories(it)

        assert [] == [
            seq
            for seq, memory in before.items()
            if PROTECTS[where](memory) and newly(FELL, memory, after.get(seq))
        ]


async def rule_order_does_not_matter(world: World, rules: PolicyTables, pick: int) -> None:
    """The same guards and rules in another order make the same plan."""
    async with lab(world) as it:
        plan, other = await it.plan(rules), await it.plan(rules.shuffle_rules(pick))

        assert changes_of(plan.changes()) == changes_of(other.changes())
        assert plan.counts == other.counts
        assert plan.policy_hash == other.policy_hash


async def rule_names_do_not_matter(world: World, rules: PolicyTables, pick: int) -> None:
    """Rules of other names put every memory in the same place and cut the same links."""
    renamed = tuple({**rule, "name": f"z{len(rules.rules) - n}"} for n, rule in enumerate(rules.rules))
    async with lab(world) as it:
        plan, other = await it.plan(rules), await it.plan(replace(rules, rules=renamed))

        assert places(plan.changes()) == places(other.changes())


async def planning_is_a_function(world: World, rules: PolicyTables, pick: int) -> None:
    """Planning twice gives the same plan, and planning writes nothing."""
    async with lab(world) as it:
        before, log = await it.dump(), await it.store.history(SCOPE)
        plan, again = await it.plan(rules), await it.plan(rules)

        assert list(plan.changes()) == list(again.changes())
        assert plan.digest == again.digest
        assert (before, log) == (await it.dump(), await it.store.history(SCOPE))


async def a_second_run_does_nothing(world: World, rules: PolicyTables, pick: int) -> None:
    """Run twice at one instant, a policy changes nothing the second time, and the empty plan writes nothing.

    Guards are decided on the state before a run, so one that reads what the run changes may let go in the next: of
    such guards the law after this speaks.
    """
    async with lab(world) as it:
        await it.curate(steady(rules))
        once, log = await it.dump(), await it.store.history(SCOPE)
        plan = await it.plan(steady(rules))

        assert [] == list(plan.changes())
        receipt = await it.apply(plan)
        assert (0, {}) == (receipt.changes, {name: n for name, n in receipt.counts.items() if n})
        assert (once, log) == (await it.dump(), await it.store.history(SCOPE))


async def runs_come_to_rest(world: World, rules: PolicyTables, pick: int) -> None:
    """Whatever guards read, after a few runs at one instant nothing changes any more."""
    async with lab(world) as it:
        for _ in range(RUNS_TO_REST_MAX):
            if not (await it.curate(rules)).changes:
                return

        assert [] == list((await it.plan(rules)).changes())


async def what_is_planned_is_what_happens(world: World, rules: PolicyTables, pick: int) -> None:
    """The store ends as the plan's changes predict, and nothing else has changed."""
    async with lab(world) as it:
        before = await it.dump()
        plan = await it.plan(rules)
        expected = predicted(before, plan.changes())
        await it.apply(plan)
        after = await it.dump()

        assert expected[0] == {seq: visible(memory) for seq, memory in after.memories.items()}
        assert expected[1] == after.links.keys()


async def nothing_dangles(world: World, rules: PolicyTables, pick: int) -> None:
    """After a run no link points at a purged memory, reasons are there, and indexes tell what the texts say."""
    async with lab(world) as it:
        receipt = await it.curate(rules)
        content = await it.dump()

        assert [] == find_broken_invariants(content)
        assert [] == find_unaccounted_rows(content, await it.store.history(SCOPE))
        assert [] == [check for check in await it.store.check() if not check.ok]
        assert receipt.changes == sum(part.count for part in await it.store.history(SCOPE, run=receipt.run))


async def what_changed_since_is_spared(world: World, rules: PolicyTables, pick: int) -> None:
    """A memory used, linked, tagged or edited before apply, or while it writes, is not destroyed; the rest goes on."""
    phase, do = ("purge", "purge") if pick % 2 else ("expire", "prune")
    all_go = {"name": "all-go", "every": "deep", "phase": phase, "do": do, "where": "True"}
    async with lab(world) as it:
        plan = await it.plan(replace(rules, rules=(*rules.rules, all_go)))
        doomed = sorted(destroyed(plan.changes()))
        if not doomed:
            return
        seq = doomed[pick // 5 % len(doomed)]
        if pick % 3:
            alone, before, receipt = await applied_late(it, plan, seq, pick)
        else:
            alone, before = await disturb(it, seq, pick), await memories(it)
            receipt = await it.apply(plan)
        after = await memories(it)

        assert seq in after
        assert place(before[seq]) == place(after[seq])
        assert [] == find_broken_invariants(await it.dump())
        assert receipt.skipped
        # What a merge has joined to it is spared with it.
        others = [group for group in plan.changes() if seq not in {change.key for change in group}]
        purged = {change.key for group in others for change in group if change.after is None}
        assert not alone or not purged & after.keys()


async def a_stale_plan_conflicts(world: World, rules: PolicyTables, pick: int) -> None:
    """Committed as they are, the changes of a plan on a row that changed since raise Conflict and write nothing."""
    async with lab(world) as it:
        plan = await it.plan(rules)
        changes = [change for group in plan.changes() for change in group]
        seqs = [
            change.key
            for change in changes
            if change.table == "memories" and "revision" in (change.before or {})
        ]
        if not seqs:
            return
        (memory,) = await it.store.get(SCOPE, [seqs[pick % len(seqs)]])  # type: ignore[list-item]
        assert memory is not None
        await it.store.commit(SCOPE, [update_change(memory, speaker="somebody")], make_cause("update"))
        before = await it.dump()
        conflict = await expect_error(
            Conflict, it.store.commit(SCOPE, changes, make_cause("curate", planned=True))
        )

        assert ("memories", memory.seq) in conflict.keys
        assert before == await it.dump()


async def part_boundaries_do_not_matter(world: World, rules: PolicyTables, pick: int) -> None:
    """Split into parts of three changes, a run ends the same and is undone the same."""
    async with lab(world) as whole:
        await whole.curate(rules)
        expected = await whole.dump()
    async with lab(world) as it:
        before = await it.dump()
        with patch.object(applying, "PART_CHANGES_MAX", 3):
            receipt = await it.curate(rules)

        assert expected.drop_unrestorable() == (await it.dump()).drop_unrestorable()
        log = await it.store.history(SCOPE, run=receipt.run)
        assert [False] * (len(log) - 1) + [True] * bool(log) == [part.cause.final for part in log]
        if receipt.changes:
            await it.engine.undo(receipt)
        assert before.drop_unrestorable() == (await it.dump()).drop_unrestorable()


async def both_stores_agree(world: World, rules: PolicyTables, pick: int) -> None:
    """The same world on SQLite gives the same plan, ends the same, and is undone the same."""
    with TemporaryDirectory() as folder:
        await agree_with_reference(world, rules, SqliteStore(f"{folder}/memory.db"))


async def agree_with_reference(world: World, rules: PolicyTables, store: FullStore) -> None:
    """The same world in a store gives the same plan as in the reference, ends the same, and is undone the same."""
    async with lab(world) as one, lab(world, store) as two:
        plans = await one.plan(rules), await two.plan(rules)
        assert changes_of(plans[0].changes()) == changes_of(plans[1].changes())
        assert plans[0].digest == plans[1].digest
        receipts = await one.apply(plans[0]), await two.apply(plans[1])
        assert (await one.dump()) == (await two.dump())
        assert [] == [check for check in await two.store.check() if not check.ok]
        if receipts[0].changes:
            await one.engine.undo(receipts[0])
            await two.engine.undo(receipts[1])
        assert (await one.dump()) == (await two.dump())


async def a_budget_is_filled_greedily(world: World, rules: PolicyTables, pick: int) -> None:
    """A budget keeps what fits, newest first, passes over what does not and goes on; the pinned count first."""
    tokens = (0, 20, 50, 1_610)[pick % 4]
    rule = {
        "name": "b",
        "every": "rapid",
        "phase": "budgets",
        "where": "tier == 'hot'",
        "do": "move",
        "to": "warm",
    }
    async with lab(world) as it:
        before = await memories(it)
        await it.curate(PolicyTables((), ({**rule, "order": "seq desc", "keep": {"tokens": tokens}},)))
        after = await memories(it)
        hot = [
            memory for memory in before.values() if memory.status <= Status.ACTIVE and memory.tier == Tier.HOT
        ]
        left = tokens - sum(_shown_tokens(memory) for memory in hot if memory.pinned)
        expected = {memory.seq for memory in hot if memory.pinned or left < 0}
        for memory in sorted(hot, key=lambda memory: -memory.seq) if left >= 0 else ():
            if not memory.pinned and _shown_tokens(memory) <= left:
                left -= _shown_tokens(memory)
                expected.add(memory.seq)

        assert expected == {memory.seq for memory in hot if after[memory.seq].tier == Tier.HOT}


def _shown_tokens(memory: Memory) -> int:
    """Return the length of what is shown of a memory, which budgets count."""
    return memory.tokens if memory.form is Form.FULL else memory.short_tokens


async def nothing_is_merged_on_a_guess(world: World, rules: PolicyTables, pick: int) -> None:
    """Where words differ, pairs are linked and not merged, and the plan says so."""
    async with lab(paired(world), embedder=NoEmbedder()) as it, lab(paired(world)) as trusting:
        before = await it.dump()
        plan, whole = await it.plan(MERGING), await trusting.plan(MERGING)
        await it.apply(plan)

        assert before == await it.dump()
        assert bool(whole.counts.get("merge")) == any("their words differ" in note for note in plan.notes)


async def a_merge_loses_nothing(world: World, rules: PolicyTables, pick: int) -> None:
    """Who is merged away stays readable behind its survivor, which takes over its links and counts."""
    async with lab(paired(world)) as it:
        before, seen = await it.dump(), await memories(it)
        await it.curate(MERGING)
        after = await it.dump()
        rows = await memories(it)
        fell = {seq for seq, memory in rows.items() if memory.status == Status.SUPERSEDED != seen[seq].status}
        into = {
            target: source
            for (source, target, relation), link in after.links.items()
            if relation == Relation.MERGED_FROM and target in fell and link.last_at == NOW
        }
        assert fell == into.keys()
        into |= {seq: seq for seq in rows if seq not in into}

        for key, link in before.links.items():
            source, target = into[key[0]], into[key[1]]
            stays = link.relation in {Relation.NEAR_DUPLICATE, Relation.MERGED_FROM} or source == target
            if stays or not all(seen[end].status <= Status.ACTIVE for end in key[:2]):
                continue
            ends = sorted((source, target)) if link.relation in SYMMETRIC else (source, target)
            moved = after.links.get((ends[0], ends[1], key[2]))
            assert moved is not None
            assert (moved.weight, moved.count) >= (link.weight, link.count)
            assert moved.resolved_at is None or link.resolved_at is not None
        for seq, survivor in into.items():
            if seq != survivor:
                assert (Status.SUPERSEDED, Reason.MERGED) == (rows[seq].status, rows[seq].reason)
                assert seen[seq].text == rows[seq].text
                for name in ("uses", "helped", "failed"):
                    counts = getattr(seen[seq], name), getattr(seen[survivor], name)
                    assert sum(counts) == getattr(rows[survivor], name)
                assert max(seen[seq].used_at or 0, seen[survivor].used_at or 0) == (
                    rows[survivor].used_at or 0
                )
        assert sum(row.confirmations for row in seen.values()) == sum(
            rows[seq].confirmations for seq in rows if into[seq] == seq
        )


async def a_clock_is_a_map(world: World, rules: PolicyTables, pick: int) -> None:
    """Rules on the active clock decide what rules on the wall's would decide if the idle time had never been."""
    firing = tuple(str(rule["name"]) for rule in rules.rules if "period" in rule)
    async with lab(world) as it, lab(unpaused(world)) as never_idle:
        for one, at in ((it, FIRED_AT), (never_idle, NOW - worked_since(FIRED_AT))):
            await one.store.commit(SCOPE, [], make_cause("curate", at, fired=firing))
        plan, other = await it.plan(rules.set_clock("active")), await never_idle.plan(rules.set_clock("wall"))

        assert places(plan.changes()) == places(other.changes())
        assert (plan.by_rule, plan.refusals) == (other.by_rule, other.refusals)


async def elfmem_does_what_it_says(world: World, rules: PolicyTables, pick: int) -> None:
    """The preset archives below a twentieth, cuts below a tenth and reinforces five, by formulas of one row."""
    async with lab(world) as it:
        before, links = await memories(it), (await it.dump()).links
        receipt = await it.apply(await it.engine.plan("elfmem"))
        after, kept = await memories(it), (await it.dump()).links

        faded = {
            seq
            for seq, memory in before.items()
            if memory.status is Status.ACTIVE and not protected(memory) and recency(memory) < 0.05
        }
        standing = {seq for seq, memory in before.items() if memory.status <= Status.ACTIVE} - faded
        assert faded == {seq for seq, memory in after.items() if newly(FELL, before[seq], memory)}
        weak = {
            key
            for key, link in links.items()
            if {key[0], key[1]} <= standing and link.relation not in UNCOUNTED
            if faded_weight(link, before[key[0]], before[key[1]]) < 0.10
        }
        assert weak == links.keys() - kept.keys()
        best = [seq for seq in standing if before[seq].status is Status.ACTIVE]
        assert min(5, len(best)) == sum(after[seq].reinforced - before[seq].reinforced for seq in best)
        assert {"archive", "unlink", "reinforce"} >= {name for name, count in receipt.counts.items() if count}


async def the_cap_keeps_the_newest(world: World, rules: PolicyTables, pick: int) -> None:
    """Of the episodes in sight the newest are kept; no other memory that stands is ever compacted."""
    keep = pick % 4
    tags = frozenset((seq, REJECTED_PATH if tag == "x" else tag) for seq, tag in world.tags)
    async with lab(replace(world, tags=tags)) as it:
        before = await memories(it)
        overrides = {"newest-episodes": {"keep": {"rows": keep}}}
        await it.apply(await it.engine.plan("episodic-cap", overrides=overrides))
        after = await memories(it)

        episodes = [
            seq
            for seq, memory in sorted(before.items(), reverse=True)
            if memory.status <= Status.ACTIVE and not is_load_bearing(memory.kind, memory.tags)
        ]
        expected = {seq for seq in episodes[keep:] if not protected(before[seq])}
        fell = {seq for seq, memory in after.items() if newly(FELL, before[seq], memory)}
        assert expected == {seq for seq in fell if before[seq].status is not Status.SUPERSEDED}
        assert not [seq for seq in fell if is_load_bearing(before[seq].kind, before[seq].tags)]


LAWS = (
    undo_gives_everything_back,
    undo_happens_once,
    the_engine_protects,
    guards_protect,
    rule_order_does_not_matter,
    rule_names_do_not_matter,
    planning_is_a_function,
    a_second_run_does_nothing,
    runs_come_to_rest,
    what_is_planned_is_what_happens,
    nothing_dangles,
    what_changed_since_is_spared,
    a_stale_plan_conflicts,
    part_boundaries_do_not_matter,
    a_budget_is_filled_greedily,
    a_merge_loses_nothing,
    nothing_is_merged_on_a_guess,
    a_clock_is_a_map,
    elfmem_does_what_it_says,
    the_cap_keeps_the_newest,
)


def worked_since(at: int) -> int:
    """Add up what was worked since a time of the lab; time ahead counts at the pace of the last thirty days."""
    if at > NOW:
        return -round((at - NOW) * WORKED_SHARE)
    spans = ((NOW - round(began * DAY), NOW - round(ended * DAY)) for began, ended in WORKED)
    return sum(max(0, ended - max(began, at)) for began, ended in spans)


def unpaused(world: World) -> World:
    """Return the world as it were if everything had happened in as much time as was worked since."""

    def moved(values: Mapping[str, Any]) -> dict[str, Any]:
        return {
            name: NOW - worked_since(value) if name in TIMES and value is not None else value
            for name, value in values.items()
        }

    links = tuple((*link[:3], moved(link[3])) for link in world.links)
    return replace(world, memories=tuple(map(moved, world.memories)), links=links)


MERGING = PolicyTables(
    (),
    (
        {
            "name": "m",
            "every": "deep",
            "phase": "deduplicate",
            "do": "merge",
            "over": "pairs",
            "min": 0.5,
            "where": "weight >= 0",
        },
    ),
)


def paired(world: World) -> World:
    """Return the world with its symmetric links as near duplicates."""
    # Without old lineage, who was merged into whom is told by the lineage alone.
    pairs = [
        (
            *link[:2],
            Relation.NEAR_DUPLICATE if link[2] in SYMMETRIC else link[2],
            {**link[3], "confidence": 0.75},
        )
        for link in world.links
        if link[2] != Relation.MERGED_FROM
    ]
    return replace(world, links=tuple({link[:3]: link for link in pairs}.values()))


def protected(memory: Memory) -> bool:
    """Tell whether the engine itself keeps a memory from being archived."""
    held = memory.hold_until is not None and memory.hold_until > NOW
    return bool(memory.pinned) or held or memory.category == SYSTEM_CATEGORY


def recency(memory: Memory) -> float:
    """Fade a memory by its class and ratings since it was last used or reinforced, in hours worked."""
    last = max(memory.learned_at, memory.used_at or 0, memory.reinforced_at or 0)
    rate = LAMBDAS[memory.decay]
    if memory.decay > Decay.DURABLE:
        rate = min(rate * 2 ** max(0, (memory.failed - memory.helped) / 1_000), LAMBDAS[Decay.EPHEMERAL])
    return exp(-rate * worked_since(last) / HOUR)


def faded_weight(link: Link, first: Memory, second: Memory) -> float:
    """Fade a link's weight by half the slower end's rate since it was last seen, a quarter if seen ten times."""
    rate = min(LAMBDAS[first.decay], LAMBDAS[second.decay]) / (4 if link.count >= 10 else 2)
    return link.weight * exp(-rate * worked_since(link.last_at) / HOUR)


def steady(rules: PolicyTables) -> PolicyTables:
    """Leave out the guards that read what rules may change."""
    changing = {guard.name for guard in load(rules.toml()).guards if guard.node.reads & {*CHANGEABLE, LINKS}}
    return replace(rules, guards=tuple(guard for guard in rules.guards if guard["name"] not in changing))


async def memories(it: Lab) -> dict[int, Memory]:
    """Return all memories by number."""
    seqs = sorted((await it.dump()).memories)
    return {memory.seq: memory for memory in await it.store.get(SCOPE, seqs) if memory is not None}


def newly(statuses: Iterable[Status], before: Memory, after: Memory | None) -> bool:
    """Tell whether a memory's row has gone, or has come to one of these statuses."""
    return after is None or (after.status != before.status and after.status in statuses)


def place(memory: Memory) -> tuple[Status, str]:
    """Return where a memory stands."""
    return memory.status, memory.tier.label


def changes_of(groups: Iterable[list[Change]]) -> list[str]:
    """Return the changes of a plan in a comparable order."""
    return sorted(repr(change) for group in groups for change in group)


def places(groups: Iterable[list[Change]]) -> dict[Any, Any]:
    """Return what becomes of each row, without reasons, which name the rule."""
    return {
        (change.table, change.key): change.after
        and tuple(change.after.get(name) for name in ("status", "tier"))
        for group in groups
        for change in group
        if change.table in {"memories", "links"}
    }


def destroyed(groups: Iterable[list[Change]]) -> set[int]:
    """Return which memories a plan prunes, purges or merges away."""
    return {
        change.key
        for group in groups
        for change in group
        if change.table == "memories" and isinstance(change.key, int)
        if change.after is None or change.after.get("status") in {Status.PRUNED, Status.SUPERSEDED}
    }


async def applied_late(it: Lab, plan: Plan, seq: int, pick: int) -> tuple[bool, dict[int, Memory], Receipt]:
    """Apply a plan and disturb a memory when all is judged and nothing written; tell as `disturb`, with what was."""
    commit = it.store.commit
    seen: list[tuple[bool, dict[int, Memory]]] = []

    async def overtaken(scope: str, changes: Sequence[Entry], cause: Cause) -> CommitResult:
        if cause.verb == "curate" and not seen:
            seen.append((await disturb(it, seq, pick), await memories(it)))
        return await commit(scope, changes, cause)

    it.store.commit = overtaken  # type: ignore[method-assign]
    receipt = await it.apply(plan)
    return *seen[0], receipt


async def disturb(it: Lab, seq: int, pick: int) -> bool:
    """Do something to a memory that ought to save it; tell whether it concerns no other memory."""
    content = await it.dump()
    (memory,) = await it.store.get(SCOPE, [seq])
    assert memory is not None
    ways: list[tuple[str, Change]] = [
        ("use", update_change(memory, uses=Increment(1))),
        ("update", update_change(memory, speaker="somebody")),
        ("tag", tag_change(seq, "saved")),
    ]
    drawn = [link_change(other, seq, Relation.LEARNED_FROM) for other in content.memories if other != seq]
    ways += [("link", change) for change in drawn if change.key not in content.links]
    verb, change = ways[pick % len(ways)]
    await it.store.commit(SCOPE, [change], make_cause(verb))
    return verb in {"use", "tag"}


def predicted(before: Dump, groups: Iterable[list[Change]]) -> tuple[dict[int, Any], set[Any]]:
    """Work out from the changes alone which memories and links there will be."""
    rows = {seq: dict(memory) for seq, memory in before.memories.items()}
    links = set(before.links)
    for change in (change for group in groups for change in group):
        if change.table == "memories":
            if change.after is None:
                del rows[change.key]  # type: ignore[arg-type]
                links = {key for key in links if change.key not in key[:2]}
                continue
            row = rows[change.key]  # type: ignore[index]
            for name, value in change.after.items():
                row[name] = row[name] + value.by if isinstance(value, Increment) else value
        elif change.table == "links":
            key = cast("tuple[int, int, int]", change.key)
            (links.discard if change.after is None else links.add)(key)
            if change.before is None and key[2] == Relation.MERGED_FROM:
                take_in(rows, before, *key[:2])
        else:
            owner, name = cast("tuple[int, str]", change.key)
            held = set(rows[owner][change.table]) if owner in rows else set()
            (held.discard if change.after is None else held.add)(name)
            if owner in rows:
                rows[owner][change.table] = tuple(sorted(held))
            if owner in rows and change.table == "tags":
                times = {tag: at for tag, at in rows[owner]["tagged_at"].items() if tag in held}
                rows[owner]["tagged_at"] = {tag: times.get(tag, NOW) for tag in sorted(held)}
    return {seq: visible(row) for seq, row in rows.items()}, {
        key for key in links if {key[0], key[1]} <= rows.keys()
    }


def take_in(rows: dict[int, Any], before: Dump, survivor: int, gone: int) -> None:
    """Add what a survivor is given when the plan is applied: the tags and sources of the other, and what follows."""
    row, theirs = rows[survivor], before.memories[gone]
    row["sources"] = tuple(sorted({*row["sources"], *theirs["sources"]}))
    tags = sorted({*row["tags"], *(tag for tag in theirs["tags"] if not is_flag(tag))})
    row["tagged_at"] = {tag: row["tagged_at"].get(tag, NOW) for tag in tags}
    row["tags"], row["decay"] = tuple(tags), int(decay(tags, row["category"]))


def visible(row: Mapping[str, Any]) -> dict[str, Any]:
    """Leave out what the store keeps by itself."""
    return {name: value for name, value in row.items() if name not in {"revision", "touched"}}
