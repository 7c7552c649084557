"""Memories copied on purpose from this scope into another one of the store, where others may find them.

They come in as an import does, by the same decisions. Must not know who may read the other scope.
"""

from remanence.core.arguments import check_name
from remanence.core.change import PROMOTE
from remanence.core.errors import InvalidInput, format_value
from remanence.core.model import COLUMNS, STANDING, Memories, Memory, short_id
from remanence.core.receipt import Receipt
from remanence.flows.base import copies
from remanence.flows.base.context import Core, first_remarks, make_id_detail, reach_scope, receipt
from remanence.flows.base.naming import list_memory_names
from remanence.flows.exchange.exported import NOT_EXPORTED, ExportData, ExportRow
from remanence.flows.exchange.overlap import Overlap
from remanence.flows.exchange.transfer import take_in
from remanence.read.entity import is_entity

# What was done with a memory where it is, what it is known by there, and what follows from where it stands.
_LEFT = frozenset(
    {"id", "key", "session", "holds", "hold_until", "pinned", "status", "reason", "tier", "lifecycle", "form"}
    | {"summary", "alignment", "vector", "used_at", "reinforced_at", "text_at", "uses", "use_days", "use_day"}
    | {"confirmations", "disputes", "reinforced", "helped", "failed", "accessors", *NOT_EXPORTED}
)
_CARRIED = tuple(column for column in COLUMNS if column.name not in _LEFT)


async def promote(core: Core, names: Memories, to: str) -> Receipt:
    """Copy active memories into another scope, in one run there; what is there already stays as it is."""
    check_name("a scope", to)
    if to == core.scope:
        raise InvalidInput(f"scope {format_value(to)} is this one", recovery="name the scope that is shared")
    memories = await core.all_of(list_memory_names(names))
    for memory in memories:
        _refuse_to_promote(memory)
    async with reach_scope(core, to) as target:
        cause = target.cause(PROMOTE, detail={"from": core.scope, "memories": len(memories)})
        now = target.clock.now()
        rows = [_make_row(memory, now) for memory in memories]
        overlap = Overlap(target, {row.id for row in rows}, now, False, target.trust, renames=True)
        taking = await take_in(overlap, ExportData(core.embedder.name, rows, ()), cause)
    if taking.parts:
        await _note_copies(core, to, taking.counts["taken"])
        # The last part of the same run, so that the audit here says what went where.
        detail = {**make_id_detail(memories), "to": to}
        await core.commit([], core.cause(PROMOTE, run=cause.run, part=taking.parts, detail=detail))
    counts = {name: count for name, count in taking.counts.items() if name != "link"}
    remarks = first_remarks(taking.remarks)
    return receipt(to, cause, taking.changes, counts, skipped=remarks, parts=taking.parts)


async def _note_copies(core: Core, to: str, count: int) -> None:
    """Register the copies with those of before, so that an erasure here names the scope that holds them."""
    listed = (await copies.register(core)).listed
    before = sum(one.memories or 0 for one in listed if (one.kind, one.path) == (copies.IN_SCOPE, to))
    begun = await copies.begin(core, core.scope, "scope", to)
    await copies.finish(core, core.scope, begun, before + count)


def _refuse_to_promote(memory: Memory) -> None:
    if memory.status not in STANDING:
        raise InvalidInput(
            f"{short_id(memory.seq)} is {memory.status.label}, and is not copied",
            recovery="restore it first, or name what holds instead",
        )
    if is_entity(memory):
        raise InvalidInput(
            f"{short_id(memory.seq)} is an entity", recovery="promote the memories that say something of it"
        )


def _make_row(memory: Memory, now: int) -> ExportRow:
    """Return a memory as it comes in elsewhere: what is said, by whom and when; it arrives there now."""
    columns = {column.name: getattr(memory, column.name) for column in _CARRIED}
    arrived = dict.fromkeys(("learned_at", "status_at", "tier_at"), now)
    columns |= {"id": memory.id, **arrived}
    return ExportRow(
        0, columns, memory.tags, memory.sources, tagged_at=memory.tagged_at, name=short_id(memory.seq)
    )
