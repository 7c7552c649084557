"""Bugs to plant: each patches one decision of store, planner or flow, and names the check that must notice.

They are the mistakes that this design invites; a check that lets its bug pass tests nothing.
"""

import operator
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import count
from typing import Any

import numpy as np
import pytest

from remanence.core import effects, guards, snapshot
from remanence.core.change import Block, Cause, Change, CommitResult, Entry, Increment, inverses
from remanence.core.clock import MINUTE
from remanence.core.errors import Conflict
from remanence.core.model import Relation, Status
from remanence.core.score import RATES
from remanence.core.snapshot import Snapshot
from remanence.curate.language import array_logic, derived
from remanence.curate.language.view import View
from remanence.curate.planner import changes, cycle, diff, merge, plan, protection, state, windows
from remanence.curate.planner.diff import Edits
from remanence.flows.curate import applying, curating
from remanence.flows.undo import undoing
from remanence.store import constraints, lineage, row_rules
from remanence.store.sql import audit, block_log, blocks, bookkeeping, commits, fulltext
from remanence.store.sql.dialect import Statement
from remanence_store_kit.memory import memory_store
from remanence_store_kit.memory.memory_store import MemoryStore
from remanence_store_kit.policies import PolicyTables
from tests.laws import laws
from tests.laws.lab import Law
from tests.laws.ladders import a_ladder_does_the_milder_thing_first

Plant = Callable[[pytest.MonkeyPatch], None]
NUMBERS = count()
_ANY = {"every": "deep", "where": "True"}
# Two rules that want different things for the same memories.
AT_ODDS = PolicyTables(
    (),
    (
        {"name": "a", "phase": "expire", "do": "archive", **_ANY},
        {"name": "b", "phase": "expire", "do": "prune", **_ANY},
    ),
)
# The one moves what the other archives in a later phase.
IN_TURN = PolicyTables(
    (),
    (
        {"name": "a", "phase": "tiers", "do": "move", "to": "cold", **_ANY},
        {"name": "b", "phase": "budgets", "do": "archive", **_ANY},
    ),
)
_UNLINK = {"name": "a", "every": "deep", "phase": "links", "do": "unlink", "over": "links"}
# A guard that keeps by time what a rule would archive; of the days since a month ago somebody worked 22.
GUARDED = PolicyTables(
    ({"name": "young", "where": "age() < days(23)", "blocks": "archive"},),
    ({"name": "a", "phase": "expire", "do": "archive", **_ANY},),
)
NONE = PolicyTables((), ())  # for laws of a preset
# A round that changes anything, and be it links alone, is followed by another.
BEST_AND_LINKS = PolicyTables(
    (),
    (
        {
            "name": "a",
            "every": "hourly",
            "phase": "value",
            "do": "move",
            "to": "cold",
            "where": "uses(7) >= 2",
        }
        | {"top": 2, "order": "shown_words desc", "per": ["scope", "agent"], "period": "1 day"},
        {**_UNLINK, "name": "b", "where": "True"},
    ),
)
AGING_LINKS = PolicyTables((), ({**_UNLINK, "where": "decayed_weight < 0.1"},))


@dataclass(frozen=True)
class Bug:
    """What is wrong, how to make it so, and who notices: a law, or a test of the contract by its name.

    Where drawn policies seldom show it, worlds are drawn under one that does.
    """

    name: str
    plant: Plant
    noticed_by: Law | str
    sql: bool = False
    under: PolicyTables | None = None


def swapped(owner: object, name: str, replacement: Any) -> Plant:
    """Put something else in the place of an attribute."""
    return lambda patch: patch.setattr(owner, name, replacement)


def wrapped(owner: Any, name: str, around: Callable[..., Any]) -> Plant:
    """Put a function around another, which it gets as its first argument."""
    inner = getattr(owner, name)
    return lambda patch: patch.setattr(owner, name, lambda *args, **more: around(inner, *args, **more))


def said_otherwise(owner: object, name: str, words: str, others: str) -> Plant:
    """Put a statement with other words in the place of one that says the same in every database."""
    statement = getattr(owner, name).sqlite
    assert words in statement
    return swapped(owner, name, Statement(statement.replace(words, others)))


def _parts_are_of_all_scopes(patch: pytest.MonkeyPatch) -> None:
    of_scope, of_any = "runs WHERE scope = ?1", "runs WHERE ?1 > 0"
    said_otherwise(audit, "_WRITTEN", of_scope, of_any)(patch)
    look = commits._look
    patch.setattr(commits, "_look", lambda marks: Statement(look(marks).sqlite.replace(of_scope, of_any)))


def _undo_lowers_revision(inner: Any, rows: Any, change: Change, values: Any, cause: Cause) -> Change:
    logged: Change = inner(rows, change, values, cause)
    if cause.verb == "undo" and change.before is not None:
        rows[change.key] = {**rows[change.key], "revision": rows[change.key]["revision"] - 2}
    return logged


def _touched_is_ignored(inner: Any, change: Change) -> Any:
    return {name: value for name, value in inner(change).items() if name != "touched"}


async def _conflict_writes_half(
    inner: Any, store: MemoryStore, scope: str, said: Sequence[Change], cause: Cause
) -> CommitResult:
    try:
        return await inner(store, scope, said, cause)  # type: ignore[no-any-return]
    except Conflict as conflict:
        fresh = [change for change in said if (change.table, change.key) not in conflict.keys]
        await inner(store, scope, fresh, cause)
        raise


def _archiving_destroys_tags(inner: Any, before: Any, said: Any, cause: Cause) -> Any:
    after, logged = inner(before, said, cause)
    fallen = {seq for seq, row in after["memories"].items() if row["status"] == Status.ARCHIVED}
    after["tags"] = {key: row for key, row in after["tags"].items() if key[0] not in fallen}
    return after, logged


async def _snapshot_misses_a_row(inner: Any, store: MemoryStore, *asked: Any) -> Snapshot:
    found: Snapshot = await inner(store, *asked)
    if len(found) < 2:
        return found
    columns = {name: array[:-1] for name, array in found.columns.items()}
    return replace(found, seq=found.seq[:-1], columns=columns)


def _counter_raises_revision(inner: Any, rows: Any, change: Change, values: Any, cause: Cause) -> Change:
    logged: Change = inner(rows, change, values, cause)
    if any(isinstance(value, Increment) for value in values.values()):
        rows[change.key] = {**rows[change.key], "revision": rows[change.key]["revision"] + 1}
    return logged


def _update_leaves_revision(inner: Any, rows: Any, change: Change, values: Any, cause: Cause) -> Change:
    old = rows.get(change.key)
    logged: Change = inner(rows, change, values, cause)
    if old is not None:
        rows[change.key] = {**rows[change.key], "revision": old["revision"]}
    return logged


async def _numbers_are_used_again(inner: Any, store: MemoryStore, *said: Any) -> CommitResult:
    done: CommitResult = await inner(store, *said)
    for kept in store._scopes.values():
        kept.latest_seq = max(kept.tables["memories"], default=0)
    return done


async def _nothing_is_known_again(inner: Any, store: MemoryStore, *said: Any) -> CommitResult:
    done: CommitResult = await inner(store, *said)
    for kept in store._scopes.values():
        kept.done.clear()
    return done


async def _a_repeated_commit_is_heard(
    inner: Any, store: MemoryStore, scope: str, said: Any, cause: Cause
) -> CommitResult:
    done: CommitResult = await inner(store, scope, said, cause)
    store._scopes[scope].heard[cause.at // MINUTE * MINUTE] += 1
    return done


def _destruction_cascades(inner: Any, after: Any, said: Any) -> None:
    for table in ("tags", "links", "sources"):
        whole = {
            key
            for key in after[table]
            if set(constraints.memories_of(table, key)) <= after["memories"].keys()
        }
        after[table] = {key: row for key, row in after[table].items() if key in whole}


def _planned_run_touches(inner: Any, before: Any, said: Any, cause: Cause) -> Any:
    return inner(before, said, replace(cause, planned=False))


def _log_keeps_what_was_said(inner: Any, before: Any, change: Change, cause: Cause) -> Change:
    logged: Change = inner(before, change, cause)
    return replace(logged, before=change.before) if change.after is not None else logged


def _image_lacks_the_vector(inner: Any, before: Any, change: Change, cause: Cause) -> Change:
    logged: Change = inner(before, change, cause)
    if change.after is None and logged.before is not None:
        return replace(
            logged, before={name: value for name, value in logged.before.items() if name != "vector"}
        )
    return logged


def _lease_is_given_twice(inner: Any, leases: Any, name: str, holder: str, until: int, *, now: int) -> int:
    leases.pop(name, None)
    return int(inner(leases, name, holder, until, now=now))


async def _a_refused_commit_is_heard(
    inner: Any, store: MemoryStore, scope: str, said: Any, cause: Cause
) -> Any:
    state = store._scopes.get(scope)
    if state is not None:
        state.heard[cause.at] += cause.turns
    return await inner(store, scope, said, replace(cause, turns=0 if state else cause.turns))


def _undo_forgets_links(said: Sequence[Entry]) -> list[Entry]:
    return [change for change in inverses(said) if change.table != "links"]


def _unknown_is_false_in_guards(guard: Any, frame: Any) -> Any:
    return guard.node.run(frame)


def _guards_see_working_columns(inner: Any, guarding: Any, frame: Any, changed: Any = None) -> None:
    inner(guarding, frame, changed)
    for guard in guarding.policy.guards if changed is not None else ():
        if guard.node.reads & set(changed):
            guarding.masks[guard.name] = protection._find_guarded_rows(guard, frame)


def _budget_stops_at_the_first_misfit(there: Any, cost: Any, part: Any, first: Any, keep: Any) -> Any:
    spent = np.bincount(part, np.where(first, cost, 0))
    overfull = (keep.amount - spent)[part] < 0
    return ~first & ~overfull & (windows._sum_running_cost(cost, part) > keep.amount), overfull


def _condenses_the_best_first(inner: Any, *columns: Any) -> Any:
    *arrays, keep = columns
    found = inner(*(array[::-1] for array in arrays), keep)
    return tuple(one[::-1] for one in found)


def _reinforcement_forgets_it_fired(inner: Any, snapshot: Snapshot, *asked: Any, **more: Any) -> Any:
    return inner(replace(snapshot, fired={}), *asked, **more)


def _merges_drop_links(inner: Any, frame: Any, merges: Any) -> Any:
    links = inner(frame, merges)
    survivors = np.isin(links.source, [merge.survivor for merge in merges]) & (links.relation < 8)
    return links.without(np.flatnonzero(survivors))


def _merges_forget_uses(inner: Any, frame: Any, merges: Any) -> Any:
    return {name: array for name, array in inner(frame, merges).items() if name != "uses"}


def _merges_forget_ratings(inner: Any, frame: Any, merges: Any) -> Any:
    return {name: array for name, array in inner(frame, merges).items() if name != "failed"}


def _merges_settle_contradictions(inner: Any, links: Any, rows: int) -> Any:
    united = inner(links, rows)
    return replace(united, resolved_at=np.nan_to_num(united.resolved_at, nan=1.0))


def _views_stand_still(inner: Any, frame: View, *changed: Any) -> View:
    after: View = inner(frame, *changed)
    after.views.update(frame.views)
    return after


def _rests_on_the_wall(running: Any, rule: Any) -> bool:
    last = running.working.view.snapshot.fired.get(rule.name)
    return last is not None and running.working.now - last < rule.period


def _guards_look_at_the_wall(inner: Any, guard: Any, frame: Any) -> Any:
    return inner(replace(guard, clock="wall"), frame)


def _plan_omits_touched(inner: Any, decided: Any, rows: Any) -> Iterator[Block]:
    return (replace(block, touched=None) for block in inner(decided, rows))


def _blocks_are_not_compared(inner: Any, some: Any, n: int, block: Block) -> Any:
    return np.zeros_like(inner(some, n, block))


def _changes_nothing(inner: Any, worked: state.Working) -> Any:
    rows = np.arange(len(worked.view))
    times = worked.view.column("tier_at").astype(np.int64)
    return {**inner(worked), "tier_at": Edits(rows, times, times)}


async def _purge_leaves_the_rest(core: Any, groups: Any) -> Any:
    return groups


def _flags_on_what_is_purged(worked: state.Working) -> dict[str, dict[str, Any]]:
    tags = [name[4:] for name in worked.start if name.startswith("tag:")]
    fresh = {tag: worked.view.tag(tag) & ~worked.start[f"tag:{tag}"] for tag in tags}
    return {"flag": {tag: worked.view.snapshot.seq[rows] for tag, rows in fresh.items() if rows.any()}}


def _archive_is_left_by_a_rule(inner: Any, self: Any, rule: Any) -> Any:
    return self.working.view.column("status") >= 0 if rule.sees_all else inner(self, rule)


BUGS = (
    Bug(
        "undo lowers the revision",
        wrapped(row_rules, "_write_memory", _undo_lowers_revision),
        laws.undo_gives_everything_back,
    ),
    Bug(
        "undo forgets links",
        swapped(undoing, "inverses", _undo_forgets_links),
        laws.undo_gives_everything_back,
    ),
    Bug(
        "undo is done twice",
        wrapped(undoing, "undo_id", lambda inner, run: f"{next(NUMBERS)}{run}"),
        laws.undo_happens_once,
    ),
    Bug(
        "touched is ignored",
        wrapped(row_rules, "_expected_values", _touched_is_ignored),
        laws.what_changed_since_is_spared,
    ),
    Bug(
        "a plan omits touched",
        wrapped(changes, "_memory_blocks", _plan_omits_touched),
        laws.what_changed_since_is_spared,
    ),
    Bug(
        "a conflict writes half",
        wrapped(MemoryStore, "commit", _conflict_writes_half),
        laws.a_stale_plan_conflicts,
    ),
    Bug(
        "archiving destroys tags",
        wrapped(memory_store, "apply_changes", _archiving_destroys_tags),
        laws.what_is_planned_is_what_happens,
    ),
    Bug(
        "a planned run touches",
        wrapped(memory_store, "apply_changes", _planned_run_touches),
        laws.part_boundaries_do_not_matter,
    ),
    Bug(
        "a purge leaves the rest",
        swapped(applying, "_complete_purges", _purge_leaves_the_rest),
        laws.nothing_dangles,
    ),
    Bug(
        "a rule leads out of the archive",
        wrapped(cycle.Cycle, "mark_visible", _archive_is_left_by_a_rule),
        laws.nothing_dangles,
    ),
    Bug(
        "a snapshot misses a row",
        wrapped(MemoryStore, "snapshot", _snapshot_misses_a_row),
        laws.both_stores_agree,
    ),
    Bug("pins are ignored", swapped(guards, "BUILT_IN", guards.BUILT_IN[1:]), laws.the_engine_protects),
    Bug(
        "unknown is false in a guard",
        swapped(protection, "_find_guarded_rows", _unknown_is_false_in_guards),
        laws.guards_protect,
    ),
    Bug(
        "guards see working columns",
        wrapped(protection.Guarding, "look", _guards_see_working_columns),
        laws.guards_protect,
        under=IN_TURN,
    ),
    Bug(
        "the order of rules decides",
        swapped(effects.Effect, "safety", lambda *_: 0),
        laws.rule_names_do_not_matter,
        under=AT_ODDS,
    ),
    Bug(
        "a flag stays on what is purged",
        swapped(plan, "_tags", _flags_on_what_is_purged),
        laws.nothing_dangles,
    ),
    Bug(
        "a rule with a period fires in each round",
        swapped(cycle.Cycle, "rests", lambda *_: False),
        laws.a_second_run_does_nothing,
    ),
    Bug(
        "one round is enough",
        swapped(cycle, "ROUNDS_MAX", 1),
        laws.a_second_run_does_nothing,
        under=BEST_AND_LINKS,
    ),
    Bug(
        "what changes nothing is kept",
        wrapped(plan, "column_edits", _changes_nothing),
        laws.a_second_run_does_nothing,
    ),
    Bug(
        "reinforcement fires twice",
        wrapped(curating, "plan_of", _reinforcement_forgets_it_fired),
        laws.a_second_run_does_nothing,
    ),
    Bug(
        "a budget stops early",
        swapped(windows, "_beyond_budget", _budget_stops_at_the_first_misfit),
        laws.a_budget_is_filled_greedily,
    ),
    Bug(
        "a ladder archives at once",
        wrapped(windows, "_shorter", lambda inner, view, shrinks: view),
        a_ladder_does_the_milder_thing_first,
    ),
    Bug(
        "a ladder condenses the best first",
        wrapped(windows, "_until_it_holds", _condenses_the_best_first),
        a_ladder_does_the_milder_thing_first,
    ),
    Bug(
        "merges drop links",
        wrapped(state, "move_merged_links", _merges_drop_links),
        laws.a_merge_loses_nothing,
    ),
    Bug(
        "merges forget uses",
        wrapped(state, "survivors_columns", _merges_forget_uses),
        laws.a_merge_loses_nothing,
    ),
    Bug(
        "merges forget ratings",
        wrapped(state, "survivors_columns", _merges_forget_ratings),
        laws.a_merge_loses_nothing,
    ),
    Bug(
        "merges settle contradictions",
        wrapped(merge, "_combine_parallel_links", _merges_settle_contradictions),
        laws.a_merge_loses_nothing,
    ),
    Bug("a view stands still", wrapped(View, "evolve", _views_stand_still), laws.a_clock_is_a_map),
    Bug(
        "periods pass on the wall",
        swapped(cycle.Cycle, "rests", _rests_on_the_wall),
        laws.a_clock_is_a_map,
    ),
    Bug(
        "links age on the wall",
        swapped(View, "_read_links", lambda self, links: links),
        laws.a_clock_is_a_map,
        under=AGING_LINKS,
    ),
    Bug(
        "guards look at the wall",
        wrapped(protection, "_find_guarded_rows", _guards_look_at_the_wall),
        laws.a_clock_is_a_map,
        under=GUARDED,
    ),
    Bug(
        "a tenth is below a tenth",
        swapped(array_logic, "_COMPARE", {**array_logic._COMPARE, "<": operator.le}),
        laws.elfmem_does_what_it_says,
        under=NONE,
    ),
    Bug(
        "ratings hasten nothing",
        swapped(derived, "_rates", lambda frame: RATES[frame.column("decay")]),
        laws.elfmem_does_what_it_says,
        under=NONE,
    ),
    Bug(
        "a rejected path is an episode",
        swapped(snapshot, "_LOAD_BEARING", snapshot._LOAD_BEARING[:, :1].repeat(2, axis=1)),
        laws.the_cap_keeps_the_newest,
    ),
    Bug(
        "an embedder is trusted that nobody measured",
        swapped(cycle, "may_merge", lambda *_: True),
        laws.nothing_is_merged_on_a_guess,
    ),
    Bug(
        "a merge is a use",
        swapped(diff, "_named_anyway", lambda *_: np.False_),
        laws.a_merge_loses_nothing,
    ),
    Bug(
        "counters raise the revision",
        wrapped(row_rules, "_write_memory", _counter_raises_revision),
        "test_counters_never_raise_the_revision_but_touch",
    ),
    Bug(
        "updates leave the revision",
        wrapped(row_rules, "_write_memory", _update_leaves_revision),
        "test_a_row_changed_since_is_a_conflict",
    ),
    Bug(
        "numbers are used again",
        wrapped(MemoryStore, "commit", _numbers_are_used_again),
        "test_sequence_numbers_are_never_used_again",
    ),
    Bug(
        "a repeated commit is written again",
        wrapped(MemoryStore, "commit", _nothing_is_known_again),
        "test_the_end_of_a_run_may_be_repeated",
    ),
    Bug(
        "a repeated commit counts its turns",
        wrapped(MemoryStore, "commit", _a_repeated_commit_is_heard),
        "test_a_commit_may_be_repeated",
    ),
    Bug(
        "other changes pass for the same",
        swapped(memory_store, "refuse_other", lambda *_: None),
        "test_other_changes_under_the_same_part_are_refused",
    ),
    Bug(
        "parts of all scopes are one",
        _parts_are_of_all_scopes,
        "test_other_changes_under_the_same_part_are_refused",
        sql=True,
    ),
    Bug(
        "a lost lease is not noticed",
        swapped(memory_store, "refuse_lost", lambda *_: None),
        "test_who_has_lost_a_lease_writes_nothing",
    ),
    Bug(
        "an old fence is good enough",
        swapped(bookkeeping, "refuse_lost", lambda *_: None),
        "test_bookkeeping_under_a_lost_lease_is_not_done",
        sql=True,
    ),
    Bug(
        "twins are let in",
        swapped(row_rules, "_claim", lambda *_: True),
        "test_a_twin_in_sight_is_a_conflict",
    ),
    Bug(
        "links are stored both ways",
        swapped(constraints, "_refuse_link", lambda _: None),
        "test_links_are_canonical",
    ),
    Bug(
        "destruction cascades",
        wrapped(row_rules, "_refuse_dangling", _destruction_cascades),
        "test_a_memory_is_not_destroyed_from_under_its_rows",
    ),
    Bug(
        "states move back",
        swapped(row_rules, "refuse_transition", lambda *_: None),
        "test_states_move_forward_only",
    ),
    Bug(
        "the ephemeral is come into",
        swapped(row_rules, "refuse_class", lambda *_: None),
        "test_nothing_becomes_ephemeral",
    ),
    Bug(
        "nobody is an accessor",
        swapped(row_rules, "count_access", lambda accessors, *_: accessors),
        "test_a_use_counts_for_its_agent",
    ),
    Bug(
        "a tag is as new as its row",
        swapped(
            row_rules,
            "defaults",
            lambda table, at: {"tags": {"at": None}}.get(table, constraints.LINK_DEFAULTS),
        ),
        "test_a_tag_knows_when_it_was_set",
    ),
    Bug(
        "there are two archives",
        swapped(row_rules, "refuse_state", lambda *_: None),
        "test_the_archive_is_one",
    ),
    Bug(
        "the log keeps what was said",
        wrapped(row_rules, "_write", _log_keeps_what_was_said),
        "test_old_values_are_logged_even_if_unsaid",
    ),
    Bug(
        "an image lacks the vector",
        wrapped(row_rules, "_write", _image_lacks_the_vector),
        "test_undo_gives_back_a_destruction_byte_for_byte",
    ),
    Bug(
        "a lease is given twice",
        wrapped(row_rules, "lease", _lease_is_given_twice),
        "test_a_lease_is_held_by_one",
    ),
    Bug(
        "spans overlap",
        wrapped(row_rules, "merge_span", lambda _, spans, cover: sorted({*spans, cover})),
        "test_spans_are_the_union_of_what_was_covered",
    ),
    Bug(
        "spans that touch stay two",
        said_otherwise(bookkeeping, "_MEET", "ended_at >= ?2", "ended_at > ?2"),
        "test_touching_spans_are_one",
        sql=True,
    ),
    Bug(
        "a span that began later is not met",
        said_otherwise(bookkeeping, "_MEET", "coalesce(max(began_at), ?2)", "coalesce(max(began_at), ?3)"),
        "test_spans_are_the_union_of_what_was_covered",
        sql=True,
    ),
    Bug(
        "scopes share their spans",
        said_otherwise(bookkeeping, "_MEET", "WHERE scope = ?1 AND began_at <= ?3", "WHERE began_at <= ?3"),
        "test_spans_are_the_union_of_what_was_covered",
        sql=True,
    ),
    Bug(
        "a refused commit is heard",
        wrapped(MemoryStore, "commit", _a_refused_commit_is_heard),
        "test_a_refused_commit_was_not_heard",
    ),
    Bug(
        "a successor's fall is forgiven",
        swapped(lineage, "_FALLEN", frozenset({Status.SUPERSEDED})),
        "test_what_has_no_successor_left_is_advice",
    ),
    Bug(
        "a merged successor is none",
        swapped(memory_store, "SUCCEEDING", frozenset({Relation.SUPERSEDES, Relation.NEWER})),
        "test_successors_in_place_need_no_advice",
    ),
    Bug(
        "uses lose their day",
        swapped(row_rules, "count_use", lambda row, at, by: {"used_at": at}),
        "test_a_use_is_dated_and_counted_by_day",
    ),
    Bug(
        "blocks of memories are not compared",
        wrapped(blocks.Blocks, "_compare_memories", _blocks_are_not_compared),
        "test_a_block_is_refused_with_all_rows_that_changed",
        sql=True,
    ),
    Bug(
        "blocks of links are not compared",
        wrapped(blocks.Blocks, "_compared_links", _blocks_are_not_compared),
        "test_a_block_is_refused_with_all_rows_that_changed",
        sql=True,
    ),
    Bug(
        "a block has no history",
        wrapped(block_log, "positions_about", lambda _, *__: set()),
        "test_history_of_a_memory_holds_its_rows_of_a_block",
        sql=True,
    ),
    Bug(
        "moves of a block are not judged",
        wrapped(blocks, "refuse_moves", lambda _, *__: None),
        "test_a_block_obeys_what_a_memory_may_become",
        sql=True,
    ),
    Bug(
        "statistics never fall",
        said_otherwise(fulltext, "_PUT", "count = excluded.count", "count = postings.count"),
        "test_indexes_stay_true_for_many_texts",
        sql=True,
    ),
    Bug(
        "full text is never cut",
        swapped(fulltext, "_cut", lambda *_: None),
        "test_indexes_stay_true_for_many_texts",
        sql=True,
    ),
)
