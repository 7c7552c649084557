"""Bugs for the stories to find: each takes one decision of planner, brake, flow or store away or makes it wrong.

Beside those of `bugs.py`, which a law or a test of the contract notices, these are noticed by no check but the machine.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import count
from typing import Any

import numpy as np

from remanence.core import guards
from remanence.core.change import Block, Change, Entry, Increment, inverses
from remanence.core.errors import Conflict
from remanence.core.model import Form, Lifecycle, Status, Tier
from remanence.core.snapshot import Snapshot
from remanence.curate.planner import brake, cycle
from remanence.curate.planner.plan import Plan
from remanence.edit.fall_history import FallHistory
from remanence.flows.curate import applying
from remanence.flows.indexes.uses import Uses
from remanence.flows.undo import restoring, undoing
from remanence.store import row_rules
from remanence.store.sql import bookkeeping, commits, fulltext
from remanence.store.sql.attached import AttachedChanges
from remanence.store.sql.memories import Memories
from remanence.store.sql.sums import Sums
from remanence.store.sqlite.sqlite_store import SqliteStore
from remanence_store_kit.memory import memory_store
from remanence_store_kit.memory.memory_store import MemoryStore
from remanence_store_kit.policies import PolicyTables
from tests.laws.bugs import Plant, swapped, wrapped

NUMBERS = count()
_ANY = {"every": "deep", "where": "True"}
_KEEP = {"order": "seq desc", "keep": {"words": 6}}
# Where drawn policies seldom show a bug, the stories are told under one of these.
PRUNING = PolicyTables((), ({"name": "a", "phase": "expire", "do": "prune", **_ANY},))
ENDING = PolicyTables((), (*PRUNING.rules, {"name": "b", "phase": "purge", "do": "purge", **_ANY}))
MERGING = PolicyTables(
    (), ({"name": "m", "phase": "deduplicate", "do": "merge", "over": "pairs", "min": 0.0, **_ANY},)
)
SHRINKING = PolicyTables((), ({"name": "s", "phase": "budgets", "do": "shrink", **_ANY, **_KEEP},))
ARCHIVING = PolicyTables((), ({"name": "c", "phase": "budgets", "do": "archive", **_ANY},))


@dataclass(frozen=True)
class StoryBug:
    """What is wrong, how to make it so, and the policy that shows it best."""

    name: str
    plant: Plant
    under: PolicyTables | None = None


def _but(name: str) -> Plant:
    """Leave out a guard of the engine's own."""
    return swapped(guards, "BUILT_IN", tuple(one for one in guards.BUILT_IN if one.name != name))


def _undo_without(table: str) -> Plant:
    """Take back nothing of a table."""
    return swapped(
        undoing, "inverses", lambda said: [change for change in inverses(said) if change.table != table]
    )


def _undo_without_column(name: str) -> Plant:
    """Leave a column of memories as the run had made it."""
    return swapped(undoing, "inverses", lambda said: [_short_of(entry, name) for entry in inverses(said)])


def _short_of(entry: Entry, name: str) -> Entry:
    if isinstance(entry, Block) and name in entry.columns:
        at = entry.columns.index(name)
        assert entry.before is not None
        assert entry.after is not None
        after = entry.after.copy()
        after[:, at] = entry.before[:, at]
        return replace(entry, after=after)
    if isinstance(entry, Change) and entry.before and entry.after and name in entry.after:
        return replace(entry, after={**entry.after, name: entry.before[name]})
    return entry


async def _rebuilt_without_links(inner: Any, *asked: Any) -> Any:
    return [change for change in await inner(*asked) if change.table != "links"]


async def _rebuilt_without_tags(inner: Any, *asked: Any) -> Any:
    return [change for change in await inner(*asked) if change.table != "tags"]


def _as_archived(*_: Any) -> dict[str, Any]:
    return {"lifecycle": Lifecycle.ARCHIVED, "valid_to": None}


def _last_part_is_lost(inner: Any, plan: Any, most: int) -> Any:
    parts = list(inner(plan, most))
    yield from parts[:-1] if len(parts) > 1 else parts


async def _forms_are_full(inner: Any, store: SqliteStore, *asked: Any) -> Snapshot:
    found: Snapshot = await inner(store, *asked)
    if "form" not in found.columns:
        return found
    full = np.full_like(found.columns["form"], int(Form.FULL))
    return replace(found, columns={**found.columns, "form": full})


async def _half_is_written(
    inner: Any, store: MemoryStore, scope: str, said: Sequence[Entry], cause: Any
) -> Any:
    try:
        return await inner(store, scope, said, cause)
    except Conflict as conflict:
        fresh = [one for one in said if isinstance(one, Change) and (one.table, one.key) not in conflict.keys]
        await inner(store, scope, fresh, replace(cause, run=cause.run + "x"))
        raise


def _log_misses_tags(inner: Any, attached: AttachedChanges) -> None:
    taken, attached._taken = (
        attached._taken,
        {table: [] if table == "tags" else rows for table, rows in attached._taken.items()},
    )
    try:
        inner(attached)
    finally:
        attached._taken = taken


async def _recall_is_believed(inner: Any, uses: Uses, batch: Any, agent: Any, at: int) -> None:
    await inner(uses, batch, agent, at)
    more = {"confirmations": Increment(1)}, {"confirmations": Increment(-1)}
    await uses._write([Change("memories", seq, more[1], more[0]) for seq in batch.seqs], agent, at, None)


def _seen_everywhere(inner: Any, self: Any, rule: Any) -> Any:
    return self.working.view.column("status") >= 0


def _links_go_along(inner: Any, rows: Any, change: Change, cause: Any) -> Change:
    logged: Change = inner(rows, change, cause)
    if change.table == "memories" and change.after and change.after.get("status") == Status.PRUNED:
        rows["links"] = {key: row for key, row in rows["links"].items() if change.key not in key[:2]}
    return logged


def _archive_keeps_its_lifecycle(inner: Any, rows: Any, change: Change, values: Any, cause: Any) -> Change:
    if values.get("tier") == Tier.ARCHIVE:
        values = {name: value for name, value in values.items() if name != "lifecycle"}
    logged: Change = inner(rows, change, values, cause)
    return logged


async def _nothing_united(core: Any, merges: Any, groups: Any) -> Any:
    return list(groups)


BUGS = (
    StoryBug("holds are ignored", _but("held"), ARCHIVING),
    StoryBug("pins are ignored", _but("pinned"), ARCHIVING),
    StoryBug("system categories are ignored", _but("system-category"), ARCHIVING),
    StoryBug("a clock is always right", swapped(brake, "_doubt", lambda *_: None)),
    StoryBug("undo forgets tags", _undo_without("tags")),
    StoryBug("undo forgets the lifecycle", _undo_without_column("lifecycle"), ARCHIVING),
    StoryBug("undo forgets links", _undo_without("links")),
    StoryBug("undo forgets sources", _undo_without("sources"), ENDING),
    StoryBug("undo forgets the form", _undo_without_column("form"), SHRINKING),
    StoryBug("undo is done twice", wrapped(undoing, "undo_id", lambda inner, run: f"{next(NUMBERS)}{run}")),
    StoryBug("restore drops links", wrapped(restoring, "_rebuild_memory", _rebuilt_without_links), ENDING),
    StoryBug("restore drops tags", wrapped(restoring, "_rebuild_memory", _rebuilt_without_tags), ENDING),
    StoryBug("restore leaves the lifecycle", swapped(FallHistory, "values", _as_archived), ARCHIVING),
    StoryBug(
        "a merge loses tags and sources", swapped(applying, "complete_merges", _nothing_united), MERGING
    ),
    StoryBug("a run loses its last part", wrapped(Plan, "parts", _last_part_is_lost)),
    StoryBug("forms are not read", wrapped(SqliteStore, "snapshot", _forms_are_full), SHRINKING),
    StoryBug("a conflict writes half", wrapped(MemoryStore, "commit", _half_is_written)),
    StoryBug("a lost lease is good enough", swapped(bookkeeping, "refuse_lost_lease", lambda *_: None)),
    StoryBug("a lost lease is not noticed", swapped(memory_store, "refuse_lost", lambda *_: None)),
    StoryBug("neighbours are not touched", swapped(commits, "_touch", lambda *_: None)),
    StoryBug("tags leave the revision", swapped(commits, "_revise", lambda *_: None)),
    StoryBug("sums stand still", swapped(Sums, "write", lambda *_: None)),
    StoryBug("full text is never cut", swapped(fulltext, "_cut", lambda *_: None), ENDING),
    StoryBug("the audit misses tags", wrapped(AttachedChanges, "images", _log_misses_tags)),
    StoryBug("a row outlives its purge", swapped(Memories, "destroy", lambda _: None), ENDING),
    StoryBug("a rule sees what fell", wrapped(cycle.Cycle, "mark_visible", _seen_everywhere), ARCHIVING),
    StoryBug("a tombstone has no links", wrapped(row_rules, "_write", _links_go_along), PRUNING),
    StoryBug(
        "the archive keeps a lifecycle",
        wrapped(row_rules, "_write_memory", _archive_keeps_its_lifecycle),
        ARCHIVING,
    ),
    StoryBug("a recall is believed", wrapped(Uses, "_commit", _recall_is_believed)),
)
