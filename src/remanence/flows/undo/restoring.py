"""Fallen memories brought back: from their rows, or from their images in the audit once they were purged."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, cast

from remanence.core.change import Change, inverses, rows_of
from remanence.core.effects import VERBS
from remanence.core.errors import Conflict, ImagesEnded, InvalidInput, NotFound, format_value
from remanence.core.model import (
    STANDING,
    Form,
    Memories,
    Memory,
    Status,
    short_id,
)
from remanence.core.receipt import Receipt
from remanence.core.results import date_of
from remanence.edit.decide import refuse_quarantined
from remanence.edit.fall_history import FallHistory
from remanence.edit.images import as_today
from remanence.edit.one_memory import act, on_revision
from remanence.flows.base.audit_log import iterate_audit_log
from remanence.flows.base.context import (
    RACES_MAX,
    Core,
    receipt,
    refuse_moved,
    refuse_several,
    wait_before_retry,
)
from remanence.flows.base.naming import ambiguous, is_ending, list_memory_names, parse_number, refuse_erased
from remanence.flows.write import gating
from remanence.flows.write.embedding import update_vectors
from remanence.flows.write.equal_texts import link_equal_texts
from remanence.store.base import PurgedMemory
from remanence.store.capabilities import IMAGE_EXPIRY, require
from remanence.store.constraints import memories_of
from remanence.text.text_columns import lengths_of

TAKEN_AGAIN = "a policy may remove it again after 24 hours: pin it to prevent that"
BROUGHT_BACK = (
    "by hand: restore"  # kept as the time of the last one, as that of rules is; no rule has such a name
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
        ids = [memory.id for memory in fallen.values()]
        ids += [(one.after or {})["id"] for one in additions if one.table == "memories"]
        cause = core.cause(
            "restore", detail={"id": ids[0]} if len(ids) == 1 else {"ids": ids}, fired=(BROUGHT_BACK,)
        )
        back = [*changes, *additions]
        back += await link_equal_texts(core, back, list(fallen.values()))
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
    fall = await read_fall(core, memory.seq, memory.valid_to)
    changes = act(memory, fall.find_effect(memory.status), now, **whole, **fall.values(now))
    return changes if if_revision is None else on_revision(memory, changes)


async def read_fall(core: Core, seq: int, valid_to: int | None) -> FallHistory:
    """Read in the audit how a memory fell; `valid_to` is the end of its validity as it stands."""
    fall = FallHistory(valid_to)
    async for part in iterate_audit_log(core, None, seq):
        for change in part.changes:
            if change.table == "memories" and change.key == seq:
                fall.take_in(part.cause.verb, change)
    return fall


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
    ends = {key: {*memories_of(*key)} for key in additions}
    found = await core.store.get(core.scope, sorted(set().union(*ends.values()) - seqs))
    here = seqs | {memory.seq for memory in found if memory is not None}
    complete = [change for key, change in additions.items() if ends[key] <= here]
    skipped = [f"link {key}: its other end is gone" for (_, key), its in ends.items() if its - here]
    return cast("list[Change]", as_today(complete, {})), skipped


async def _rebuild_memory(core: Core, run: str, seq: int) -> list[Change]:
    """Rebuild one purged memory from the run that purged it."""
    rebuilt: list[Change] = []
    async for part in iterate_audit_log(core, run, seq):
        purges = [one for one in part.changes if one.after is None and seq in memories_of(one.table, one.key)]
        for change in rows_of(await update_vectors(core, inverses(purges), part.position)):
            if change.table == "memories":
                row = change.after or {}
                fall = await read_fall(core, seq, row.get("valid_to"))
                now = core.clock.now()
                effect = fall.find_effect(Status(row["status"]))
                rebuilt.append(replace(change, after={**row, **effect.after(row, now, fall.values(now))}))
            else:
                rebuilt.append(change)
    return rebuilt


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
