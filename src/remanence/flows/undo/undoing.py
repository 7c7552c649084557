"""Runs are taken back and fallen memories brought back: the audit read backwards, committed like any other change.

What use alone has changed since a run does not stand in the way of undoing it, and is kept.
"""

import asyncio
import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from typing import Any, cast, overload

import numpy as np

from remanence.core.change import ROWLESS, AuditPart, Block, Cause, Change, Entry, Ints, inverses, rows_of
from remanence.core.effects import VERBS, Effect
from remanence.core.errors import Conflict, Erased, ImagesEnded, InvalidInput, NotFound, format_value
from remanence.core.keywords import Progress
from remanence.core.model import (
    STANDING,
    Form,
    Lifecycle,
    Link,
    Memories,
    Memory,
    Relation,
    Status,
    link_values,
    short_id,
)
from remanence.core.receipt import Receipt
from remanence.core.results import date_of
from remanence.core.snapshot import SnapshotRequest
from remanence.edit.decide import refuse_quarantined
from remanence.edit.images import as_today, find_rewritten
from remanence.edit.links import increase_link_count, increase_link_weight
from remanence.edit.one_memory import act, on_revision
from remanence.flows.base.audit_log import PAGE, iterate_audit_log, list_parts
from remanence.flows.base.context import (
    RACES_MAX,
    Core,
    ignore_progress,
    receipt,
    refuse_moved,
    refuse_several,
    wait_before_retry,
)
from remanence.flows.base.naming import ambiguous, is_ending, list_memory_names, parse_number, refuse_erased
from remanence.flows.undo.conflicts import (
    ASK,
    MEMORY_USE,
    Later,
    columns_of,
    in_the_way,
    may_be_named,
    refuse_another,
    refuse_ended,
    refuse_erased_memories,
    refuse_forbidden_texts,
    refuse_protected,
    takes_all_back,
    undo_box_changes,
)
from remanence.flows.undo.engine_work import hung_on, with_engine_work, without_lasting
from remanence.flows.write import gating
from remanence.flows.write.embedding import update_vectors
from remanence.store.base import Arriving, PurgedMemory
from remanence.store.capabilities import IMAGE_EXPIRY, require
from remanence.store.constraints import APART, BUCKET_BITS, BUCKET_MAX, BUCKETS, memories_of
from remanence.store.erasure import ERASE, KEEP
from remanence.store.undo_data_pruning import EXPIRE
from remanence.text.text_columns import lengths_of

_LinkKey = tuple[int, int, int]


ROWS_NAMED = 5  # in the error of an undo that other runs stand in the way of
TAKEN_AGAIN = "a policy may remove it again after 24 hours: pin it to prevent that"
BROUGHT_BACK = (
    "by hand: restore"  # kept as the time of the last one, as that of rules is; no rule has such a name
)


async def undo(core: Core, run: str, progress: Progress | None = None) -> Receipt:
    """Take a run back: its parts in reverse, each inverted; refuse as a whole if a row changed since.

    What was changed since and taken back has not changed. The undoing run's id follows from the undone one's, so a
    second undo is refused and an interrupted one goes on where it stopped. `progress` hears how many changes are taken
    back, of how many.
    """
    if not isinstance(run, str):
        raise InvalidInput(f"{format_value(run)} names no run", recovery="pass a receipt, or the run's id")
    parts = await list_parts(core, run)
    if not parts:
        way = "list runs with `history`" if takes_all_back(core) else "name a run as it was answered to you"
        raise NotFound(f"no run {run!r} in scope {core.scope!r}", recovery=way)
    refuse_another(core, parts[0].cause)
    if parts[0].cause.verb in ROWLESS:
        raise InvalidInput(
            "a run that only counted uses, or embedded memories again, is not undone",
            recovery="undo the run that changed the memory instead",
        )
    if parts[0].cause.verb == ERASE:
        raise Erased("an erasure is not undone: what it took is kept nowhere")
    if parts[0].cause.verb == KEEP:
        raise InvalidInput("what was kept is not undone", recovery="erase it, if it is to go after all")
    if parts[0].cause.verb == EXPIRE:
        raise ImagesEnded("an end of images is not undone", recovery="nothing: what ended is kept nowhere")
    undoing = undo_id(run)
    back = await list_parts(core, undoing)
    done_parts = {part.cause.part for part in back}
    rest = [part for part in reversed(parts) if part.cause.part not in done_parts]
    if not rest:
        raise _undone_already(core, run, back)
    refuse_ended(run, rest)
    later = Later(core, parts[0].position, {run, undoing})
    if len(rest) > 1 and await _written_since(core, parts[-1].position, {run, undoing}):
        try:
            await _refuse_later_edits(core, run, rest, later)
        except Conflict:
            if len(await list_parts(core, undoing)) == len(back):
                raise
    await refuse_forbidden_texts(core, run, rest)
    await refuse_erased_memories(core, run, rest)
    await refuse_protected(core, run, rest)
    count, done, mine, total = 0, 0, 0, sum(part.count for part in rest)
    tell = progress or ignore_progress
    tell(done, total)
    for part in rest:
        (whole,) = await core.store.history(core.scope, run=run, after=part.position - 1, limit=1)
        final = part is rest[-1]
        detail = {"undoes": run}
        cause = core.cause(
            "undo", run=undoing, part=part.cause.part, final=final, planned=True, detail=detail
        )
        try:
            taken = await _take_back_once(core, whole, cause, later)
        except Conflict as conflict:
            await later.catch_up()
            raise _changed_since(core, parts[-1], later, conflict.keys, _columns(whole.entries)) from conflict
        count += whole.count if taken else 0
        mine += taken is not None
        done += part.count
        tell(done, total)
    if not mine:
        raise _undone_already(core, run, await list_parts(core, undoing))
    cause = core.cause("undo", run=undoing)
    return receipt(core.scope, cause, count, {"undo": count}, parts=mine, undoes=run)


def _undone_already(core: Core, run: str, back: Sequence[AuditPart]) -> InvalidInput:
    again = f"to do it again, undo the undoing: {undo_id(run)}"
    own = may_be_named(core, back[0].cause)
    return InvalidInput(f"run {run} is undone already", recovery=again if own else ASK)


async def _take_back_once(core: Core, part: AuditPart, cause: Cause, later: Later) -> bool | None:
    """Take a part back; None where another call that undoes the same run was faster."""
    try:
        return await _take_back(core, part, cause, later)
    except (Conflict, InvalidInput):
        if all(one.cause.part != cause.part for one in await list_parts(core, cause.run)):
            raise
        return None


async def _take_back(core: Core, part: AuditPart, cause: Cause, later: Later) -> bool | None:
    """Commit the inverse of a part; use since, and changes of other columns, stay.

    Tells whether anything of it was left to take back; None where that was done meanwhile.
    """
    changes = await update_vectors(core, await asyncio.to_thread(inverses, part.entries), part.position)
    if part.cause.verb == "extract":
        changes = await without_lasting(core, changes)
    entries: Sequence[Entry] = await beside_equals(core, await _as_today(core, changes))
    entries = await with_engine_work(core, entries, later)
    stuck = await _hanging(core, entries, set()) + await _missing(core, entries, later)
    if stuck:
        raise Conflict(stuck)
    for _ in range(RACES_MAX):
        try:
            back = await undo_box_changes(core, entries, part.cause.detail)
            written = await core.commit(back, cause)
        except Conflict as conflict:
            if {table for table, _ in conflict.keys} <= {"boxes", "traces"}:
                continue  # turns were heard meanwhile
            entries = await _caught_up(core, entries, later, conflict)
            continue
        return None if written.is_repeated else bool(back)
    raise Conflict((), "the memories of the run were used again and again while it was undone")


async def _as_today(core: Core, entries: Sequence[Entry]) -> Sequence[Entry]:
    """Let changes that images ask for carry what follows from their texts, tags and categories by today's rules."""
    memories = await core.store.get(core.scope, find_rewritten(entries))
    return as_today(entries, {memory.seq: memory for memory in memories if memory is not None})


@overload
async def beside_equals(
    core: Core, entries: Sequence[Change], risen: Sequence[Memory] = ()
) -> Sequence[Change]: ...
@overload
async def beside_equals(
    core: Core, entries: Sequence[Entry], risen: Sequence[Memory] = ()
) -> Sequence[Entry]: ...
async def beside_equals(
    core: Core, entries: Sequence[Entry], risen: Sequence[Memory] = ()
) -> Sequence[Entry]:
    """Link what comes back in sight to the oldest memory that stands and says the same, where nothing links them."""
    changes = [entry for entry in entries if isinstance(entry, Change)]
    marks = {memory.seq: memory.fingerprint for memory in risen}
    for change in changes:
        after = change.after or {}
        stands = after.get("status", Status.INBOX) in STANDING
        if change.table == "memories" and change.before is None and stands:
            marks[cast("int", change.key)] = after["fingerprint"]
    if not marks:
        return entries
    context = await core.store.arriving(core.scope, Arriving(fingerprints=sorted(set(marks.values()))))
    pairs = {
        (min(seq, twin.seq), max(seq, twin.seq))
        for seq, mark in marks.items()
        if (twin := context.twins.get(mark)) is not None and twin.status in STANDING and twin.seq != seq
    }
    link_keys = (
        {link.key for link in await core.store.neighbours(core.scope, sorted(marks))} if pairs else set()
    )
    link_keys |= {
        cast("_LinkKey", change.key) for change in changes if change.table == "links" and change.after
    }
    near, now = int(Relation.NEAR_DUPLICATE), core.clock.now()
    link_pairs = {(min(source, target), max(source, target)) for source, target, _ in link_keys}
    return [
        *entries,
        *(
            Change("links", (*pair, near), None, link_values(now, 1.0, 1.0))
            for pair in sorted(pairs - link_pairs)
        ),
    ]


async def _caught_up(
    core: Core, entries: Sequence[Entry], later: Later, conflict: Conflict
) -> Sequence[Entry]:
    """Let what is in conflict start from what is there now; raise a conflict of all that stands in the way."""
    bad = set(conflict.keys)
    seqs = [key for table, key in bad if table == "memories" and isinstance(key, int)]
    memories = {memory.seq: memory for memory in await core.store.get(core.scope, seqs) if memory is not None}
    links = await _links_now(core, [cast("_LinkKey", key) for table, key in bad if table == "links"])
    await later.catch_up()
    since, engine = later.columns(seqs), later.engine_columns(seqs)
    current: list[Entry] = []
    stuck: list[tuple[str, Any]] = []
    for entry in _split_out_rows(entries, bad):
        if isinstance(entry, Block) or (entry.table, entry.key) not in bad:
            current.append(entry)
            continue
        now = _link_moved(entry, links) or _memory_moved(entry, memories, since, engine)
        if now is None or now == entry:
            stuck.append((entry.table, entry.key))
        else:
            current.append(now)
    if stuck:
        raise Conflict(stuck) from conflict
    return current


def _split_out_rows(entries: Sequence[Entry], keys: AbstractSet[tuple[str, Any]]) -> Iterator[Entry]:
    """Take some rows out of their blocks, as changes of their own."""
    for entry in entries:
        if isinstance(entry, Change):
            yield entry
            continue
        mine = np.array([(entry.table, key) in keys for key in entry.row_keys()], np.bool_)
        yield from entry.where(mine).changes()
        if not mine.all():
            yield entry.where(~mine)


def _link_moved(change: Change, links: Mapping[_LinkKey, Link]) -> Change | None:
    """Let a link's change start from what use made of the link; None where that is not all, or it is no link's."""
    link = links.get(cast("_LinkKey", change.key)) if change.table == "links" else None
    return None if link is None or change.before is None or change.after is None else link_kept(change, link)


def _memory_moved(
    change: Change,
    memories: Mapping[int, Memory],
    since: Mapping[int, frozenset[str]],
    engine: Mapping[int, frozenset[str]],
) -> Change | None:
    """Let a memory's change start from its revision, its uses and what the engine made of it now.

    None where changes of others are in the way.
    """
    memory = memories.get(cast("int", change.key)) if change.table == "memories" else None
    if memory is None or change.before is None:
        return None
    if change.before.get("revision", memory.revision) != memory.revision:
        if in_the_way(columns_of(change), since.get(memory.seq, frozenset())):
            return None
        change = _update_revision(change, {memory.seq: memory.revision})
    before = change.before or {}
    by_engine = (before.keys() & engine.get(memory.seq, frozenset())) - {"vector"}
    change = replace(change, before={**before, **{name: getattr(memory, name) for name in by_engine}})
    return change if change.after is None else memory_kept(change, memory)


async def _hanging(core: Core, entries: Sequence[Entry], gone: set[tuple[str, Any]]) -> list[tuple[str, Any]]:
    """Return the tags, sources and links that memories have got since and that would be left without them.

    `gone` are rows that will be gone by then, to which those of these changes are added.
    """
    going = list(rows_of(entry for entry in entries if entry.after is None))
    gone |= {(change.table, change.key) for change in going}
    seqs = [cast("int", change.key) for change in going if change.table == "memories"]
    return sorted((await hung_on(core, seqs)).keys() - gone) if seqs else []


async def _missing(core: Core, entries: Sequence[Entry], later: Later) -> list[tuple[str, Any]]:
    """Return the memories to which links, tags or sources would come back, and that were purged since."""
    additions = [
        one for one in entries if one.table != "memories" and one.before is None and one.after is not None
    ]
    if not additions:
        return []
    await later.catch_up()
    moved_seqs = later.came_or_went()
    if not moved_seqs:
        return []
    new_seqs = {one.key for one in entries if isinstance(one, Change) and one.table == "memories"}
    owner_seqs = {
        seq for one in rows_of(additions) if one.table not in APART for seq in memories_of(one.table, one.key)
    }
    seqs = sorted((owner_seqs & moved_seqs) - new_seqs)
    there = {memory.seq for memory in await core.store.get(core.scope, seqs) if memory is not None}
    return [("memories", seq) for seq in seqs if seq not in there]


def _update_revision(change: Change, now: Mapping[int, int]) -> Change:
    """Let a change of a memory start from its revision now."""
    if change.table != "memories" or change.key not in now or change.before is None:
        return change
    revision = now[cast("int", change.key)]
    after = None if change.after is None else {**change.after, "revision": revision + 1}
    return Change("memories", change.key, {**change.before, "revision": revision}, after)


def undo_id(run: str) -> str:
    """Return the id of the run that undoes `run`."""
    return hashlib.blake2b(b"undo " + run.encode(), digest_size=16).hexdigest()


async def _written_since(core: Core, position: int, own: set[str]) -> bool:
    """Tell whether anything was written since, by another run; uses count too, since links grow by them."""
    page = await core.store.history(core.scope, after=position, limit=PAGE, rows=False)
    return len(page) == PAGE or any(part.cause.run not in own for part in page)


async def _refuse_later_edits(core: Core, run: str, left: list[AuditPart], later: Later) -> None:
    """Look at all parts before the first is undone, so that a run of many parts is undone whole or not at all."""
    await later.catch_up()
    snapshot = await core.store.snapshot(core.scope, SnapshotRequest(frozenset()), core.clock.now())
    revision = snapshot.columns["revision"]
    stale: list[tuple[str, Any]] = []
    purged_rows: set[tuple[str, Any]] = set()
    mine: frozenset[str] = frozenset()
    for part in left:
        (whole,) = await core.store.history(core.scope, run=run, after=part.position - 1, limit=1)
        back = await with_engine_work(core, inverses(whole.entries), later)
        mine |= _columns(back)
        keys, expected = _revisions(back)
        at = np.searchsorted(snapshot.seq, keys)
        at[at == len(snapshot)] = 0
        there = snapshot.seq[at] == keys
        stale += [("memories", int(key)) for key in keys[~there]]
        moved_keys = keys[there & (revision[at] != expected)]
        stale += _in_the_way(back, later.columns(moved_keys.tolist()))
        stale += await _changed_links(core, back)
        stale += await _hanging(core, back, purged_rows)
    if stale:
        raise _changed_since(core, left[0], later, stale, mine)


def _columns(entries: Iterable[Entry]) -> frozenset[str]:
    """Return the columns of memories that entries change."""
    return frozenset().union(*(columns_of(one) for one in entries if one.table == "memories"))


def _in_the_way(entries: Sequence[Entry], since: Mapping[int, frozenset[str]]) -> list[tuple[str, Any]]:
    """Return the memories of which later runs changed what these entries change, or what belongs to it."""
    return [
        ("memories", key)
        for entry in entries
        if entry.table == "memories"
        for key in (entry.row_keys() if isinstance(entry, Block) else [entry.key])
        if in_the_way(columns_of(entry), since.get(cast("int", key), frozenset()))
    ]


def _revisions(entries: Sequence[Entry]) -> tuple[Ints, Ints]:
    """Return the memories that entries revise, and the revision that each must have."""
    pairs = [
        (change.key, (change.before or {})["revision"])
        for change in entries
        if isinstance(change, Change) and change.table == "memories" and "revision" in (change.before or {})
    ]
    single = np.array(pairs, np.int64).reshape(-1, 2)
    blocks = [(one.keys, one.revision) for one in entries if isinstance(one, Block)]
    complete = [(keys, revision) for keys, revision in blocks if revision is not None]
    keys, revisions = zip((single[:, 0], single[:, 1]), *complete, strict=True)
    return np.concatenate(keys), np.concatenate(revisions)


async def _changed_links(core: Core, entries: Sequence[Entry]) -> list[tuple[str, Any]]:
    """Return the links to change that something else than use has changed since; of a block none is changed."""
    back = {
        cast("_LinkKey", change.key): change
        for change in entries
        if isinstance(change, Change) and change.table == "links" and change.before and change.after
    }
    now = await _links_now(core, list(back))
    return [
        ("links", key)
        for key, change in back.items()
        if key not in now
        or not ((change.before or {}).items() <= now[key].values.items() or link_kept(change, now[key]))
    ]


async def _links_now(core: Core, keys: Sequence[_LinkKey]) -> dict[_LinkKey, Link]:
    """Return links by key as they are now, those that are there."""
    if not keys:
        return {}
    links = await core.store.neighbours(core.scope, sorted({source for source, _, _ in keys}))
    wanted_keys = set(keys)
    return {link.key: link for link in links if link.key in wanted_keys}


def _changed_since(
    core: Core, last: AuditPart, later: Later, keys: Sequence[tuple[str, Any]], mine: AbstractSet[str]
) -> Conflict:
    """Say that rows changed since the last part of a run, of columns `mine`, and which runs to undo before it.

    An agent is told of its own runs alone.
    """
    names = ", ".join(f"{table} {key}" for table, key in keys[:ROWS_NAMED])
    rows = f"{len(keys):,} rows" if len(keys) > 1 else "a row"
    causes = later.runs(keys, mine)
    first = [f"{cause.run} ({cause.verb})" for cause in causes if may_be_named(core, cause)]
    way = f"undo before it: {', '.join(first)}" if first else "change the rows back by hand"
    way = way if len(first) == len(causes) else ASK
    return Conflict(
        keys,
        f"run {last.cause.run} cannot be undone: {rows} changed since, among them {names}",
        recovery=f"nothing was undone; {way}",
        runs=[cause.run for cause in causes if may_be_named(core, cause)],
    )


async def restore(core: Core, names: Memories, if_revision: int | None = None) -> Receipt:
    """Bring memories back whole: those that fell to active, those that were purged from their images in the audit."""
    targets = list_memory_names(names)
    refuse_several(targets, if_revision)
    for attempt in range(RACES_MAX):
        by_name = dict(zip(targets, await core.find_memories(targets), strict=True))
        fallen = {memory.seq: memory for memory in by_name.values() if memory is not None}
        changes = [
            change for memory in fallen.values() for change in await _plan_restore(core, memory, if_revision)
        ]
        missing = [name for name, memory in by_name.items() if memory is None]
        await refuse_erased(core.store, core.scope, missing)
        additions, skipped = await _restore_purged(core, missing, if_revision)
        ids = [*(memory.id for memory in fallen.values()), *_ids(additions)]
        cause = core.cause(
            "restore", detail={"id": ids[0]} if len(ids) == 1 else {"ids": ids}, fired=(BROUGHT_BACK,)
        )
        back = await beside_equals(core, [*changes, *additions], list(fallen.values()))
        try:
            await core.commit(back, cause)
        except Conflict as conflict:
            await wait_before_retry(attempt, conflict)
            continue
        return receipt(
            core.scope, cause, len(back), {"restore": len(ids)}, skipped=tuple(skipped), notes=(TAKEN_AGAIN,)
        )
    raise AssertionError("unreachable")


async def _plan_restore(core: Core, memory: Memory, if_revision: int | None) -> list[Change]:
    """Decide how a memory that fell, or is shown shorter, comes back; one that stands and is shown whole is refused."""
    refuse_moved(f"memory {short_id(memory.seq)}", memory.revision, if_revision, ("memories", memory.seq))
    now, whole = core.clock.now(), lengths_of([memory.text])[0]
    if memory.status in STANDING and memory.form is Form.FULL:
        raise InvalidInput(
            f"memory {short_id(memory.seq)} is {memory.status.label} already, and shown whole",
            recovery="nothing to restore",
        )
    if memory.status in STANDING:
        changes = act(memory, VERBS["restore its text"], now, **whole)
        return changes if if_revision is None else on_revision(memory, changes)
    refuse_quarantined(memory)
    await gating.refuse_forbidden(core, memory.text)
    values = {**whole, **await before_fall(core, memory.seq, memory.valid_to, now)}
    changes = act(memory, await _rises_by(core, memory.seq, memory.status), now, **values)
    return changes if if_revision is None else on_revision(memory, changes)


async def _rises_by(core: Core, seq: int, status: Status) -> Effect:
    """Tell how a memory comes back: a tombstone that was in quarantine comes back there, as the audit tells."""
    if status is not Status.PRUNED:
        return VERBS["restore"]
    was: int | None = None
    async for part in iterate_audit_log(core, None, seq):
        for change in part.changes:
            if change.key == seq and change.before and (change.after or {}).get("status") == Status.PRUNED:
                was = change.before["status"]
    return VERBS["restore to quarantine" if was == Status.QUARANTINED else "restore"]


async def before_fall(core: Core, seq: int, valid_to: int | None, now: int) -> dict[str, Any]:
    """Return the lifecycle and the end of validity that a memory had before it fell, as the audit tells.

    What the audit no longer tells: a candidate, and `valid_to` as it stands. An end that has come is none any more.
    """
    lifecycle = Lifecycle.CANDIDATE
    async for part in iterate_audit_log(core, None, seq):
        for change in part.changes:
            if change.key != seq or not change.before or not change.after:
                continue
            if change.after.get("lifecycle") == Lifecycle.ARCHIVED:
                lifecycle = Lifecycle(change.before["lifecycle"])
            if "valid_to" in change.after:
                valid_to = _held_until(part.cause.verb, change, valid_to)
    return {"lifecycle": lifecycle, "valid_to": None if valid_to is None or valid_to <= now else valid_to}


def _held_until(verb: str, change: Change, known: int | None) -> int | None:
    """Return until when a memory holds after a change of that; what takes its place ends it, but says no such thing."""
    assert change.before is not None and change.after is not None
    if change.after.get("status") == Status.SUPERSEDED:  # whichever verb it was: rules and verdicts, too
        return cast("int | None", change.before["valid_to"])
    return known if verb in VERBS["take its place"].under else cast("int | None", change.after["valid_to"])


async def _restore_purged(
    core: Core, names: Sequence[int | str], if_revision: int | None
) -> tuple[list[Change], list[str]]:
    """Rebuild purged memories, with all that went with them; say which links stay gone."""
    additions: dict[tuple[str, Any], Change] = {}
    seqs: set[int] = set()
    for name in names:
        refuse_moved(f"memory {name!r}", 0, if_revision)
        row = await image(core, name)
        if row is None:
            raise NotFound(
                f"no memory {format_value(name)}, and no image of it in the audit",
                recovery="look at `history`",
            )
        if row.ended_at is not None:
            raise ImagesEnded(
                f"memory {format_value(name)} was deleted on {date_of(row.at)}, and its image ended on"
                f" {date_of(row.ended_at)}: it cannot be restored",
                recovery="take it from a backup of before, or learn it anew",
            )
        seqs.add(row.seq)
        additions |= {
            (change.table, change.key): change for change in await _rebuild_memory(core, row.run, row.seq)
        }
    here = await _standing_ends(core, list(additions.values())) | seqs
    complete = [change for change in additions.values() if _ends(change) <= here]
    whole = cast("list[Change]", as_today(complete, {}))
    skipped = [
        f"link {change.key}: its other end is gone" for change in additions.values() if _ends(change) - here
    ]
    return whole, skipped


async def _rebuild_memory(core: Core, run: str, seq: int) -> list[Change]:
    """Rebuild one purged memory from the run that purged it."""
    now = core.clock.now()
    changes: list[Change] = []
    async for part in iterate_audit_log(core, run, seq):
        purges = [change for change in part.changes if change.after is None and _names(change, seq)]
        changes += rows_of(await update_vectors(core, inverses(purges), part.position))
    return [
        await _stood_up(core, change, now) if change.table == "memories" else change for change in changes
    ]


def _ids(created: Sequence[Change]) -> list[str]:
    return [(change.after or {})["id"] for change in created if change.table == "memories"]


async def image(core: Core, name: int | str) -> PurgedMemory | None:
    """Find a memory whose row has gone, by an index; a short id means what no key does."""
    require(
        core.store,
        IMAGE_EXPIRY,
        f"no memory {format_value(name)} stands; whether it was purged, to find out,",
    )
    number = parse_number(name) if isinstance(name, str) else name
    rows = await core.store.find_purged_memories(
        core.scope, [name, *([number] if isinstance(number, int) else [])]
    )
    exact = [one for one in rows if name in (one.seq, one.id, one.key)]
    short = [one for one in rows if one.seq == number or is_ending(str(name), one.id)]
    if not exact and len(short) > 1:
        raise ambiguous(str(name), [f"{short_id(one.seq)} {one.id}" for one in short])
    return max(exact or short, key=lambda one: one.at, default=None)


async def _standing_ends(core: Core, created: Sequence[Change]) -> set[int]:
    """Return which of the memories that links name still have a row."""
    ends = sorted(set().union(*map(_ends, created)))
    return {memory.seq for memory in await core.store.get(core.scope, ends) if memory is not None}


def _ends(change: Change) -> set[int]:
    """Return the memories that a link joins; none for what is no link."""
    return set() if change.table != "links" else set(cast("tuple[int, int, int]", change.key)[:2])


def _names(change: Change, seq: int) -> bool:
    if change.table in APART:
        return False
    if isinstance(change.key, int):
        return change.key == seq
    return seq == change.key[0] or (change.table == "links" and seq == change.key[1])


async def _stood_up(core: Core, change: Change, now: int) -> Change:
    assert change.after is not None and isinstance(change.key, int)
    values = await before_fall(core, change.key, change.after.get("valid_to"), now)
    effect = await _rises_by(core, change.key, Status(change.after["status"]))
    after = effect.after(change.after, now, values)
    return Change("memories", change.key, None, {**change.after, **after})


_LINK_USE = frozenset({"weight", "count", "last_at"})  # what a use changes in a link


def link_kept(change: Change, link: Link) -> Change | None:
    """Let a link's change start from the link as use left it; None where something else has changed it."""
    before, after = dict(change.before or {}), dict(change.after or {})
    now = {name: getattr(link, name) for name in before}
    if not before.keys() >= _LINK_USE or now["count"] <= before["count"]:
        return None
    times = now["count"] - before["count"]
    used = {
        "weight": increase_link_weight(before["weight"], times),
        "count": now["count"],
        "last_at": now["last_at"],
    }
    if {**before, **used} != now:
        return None
    back = {
        "weight": increase_link_weight(after["weight"], times),
        "count": increase_link_count(after["count"], times),
        "last_at": now["last_at"],
    }
    return replace(change, before=now, after={**after, **back})


def memory_kept(change: Change, memory: Memory) -> Change:
    """Let a memory's change start from its times of use now."""
    before, after = dict(change.before or {}), dict(change.after or {})
    now = {name: getattr(memory, name) for name in MEMORY_USE}
    if not before.keys() >= now.keys() or all(before[name] == value for name, value in now.items()):
        return change
    return replace(change, before={**before, **now}, after={**after, **_merge_use_days(before, after, now)})


def _merge_use_days(
    before: Mapping[str, Any], after: Mapping[str, Any], now: Mapping[str, Any]
) -> dict[str, Any]:
    """Add the days of use between `before` and `now` to those of `after`."""
    day = max(now["use_day"], after["use_day"])
    was, is_, mine = (_days(row, day) for row in (before, now, after))
    counts = [
        min(old + max(0, late - early), BUCKET_MAX) for old, late, early in zip(mine, is_, was, strict=True)
    ]
    use_days = sum(count << BUCKET_BITS * place for place, count in enumerate(counts))
    return {"used_at": now["used_at"], "use_days": use_days, "use_day": day}


def _days(row: Mapping[str, Any], day: int) -> list[int]:
    """Return how often a row was used on a day and on each of the six before it."""
    age = day - row["use_day"]
    return [
        row["use_days"] >> BUCKET_BITS * (place - age) & BUCKET_MAX if place >= age else 0
        for place in range(BUCKETS)
    ]
