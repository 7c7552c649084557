"""What helped and what did not: ratings are counted as evidence, and what helped together is linked more closely."""

from collections.abc import Sequence

from remanence.core.arguments import check_fraction
from remanence.core.change import Change
from remanence.core.effects import VERBS
from remanence.core.errors import Conflict
from remanence.core.model import CONSTITUTIONAL, STANDING, DroppedMemory, Memories, Memory, RateResult
from remanence.core.score import RATING
from remanence.edit.links import strengthen_links
from remanence.edit.one_memory import GUARD
from remanence.flows.base.context import RACES_MAX, Core, wait_before_retry
from remanence.flows.base.naming import list_memory_names

IDENTITY_CATEGORY = "identity"
HELPED_FROM = 0.5  # above, what was rated together grows together (elfmem)


async def rate(core: Core, ids: Memories, signal: float) -> RateResult:
    """Count one rating of each memory, all in one commit; what cannot be rated is reported and holds up nothing.

    All that says who the agent is, its values and goals too, only a person rates.
    """
    names = list_memory_names(ids)
    check_fraction(
        "a signal", signal, "pass 0 (misled) to 1 (helped) first, then the memories: `rate 1 12 40`"
    )
    await core.uses.settle()
    for attempt in range(RACES_MAX):
        memories, skipped = await _split_rateable(core, names)
        if not memories:
            return RateResult((), skipped)
        cause = core.cause("rate", detail={"signal": signal})
        try:
            await core.commit(await _changes(core, list(memories), signal), cause)
        except Conflict as conflict:
            await wait_before_retry(attempt, conflict)
            continue
        return RateResult(tuple(memory.id for memory in memories.values()), skipped, cause.run)
    raise AssertionError("unreachable")


async def _split_rateable(
    core: Core, names: Sequence[int | str]
) -> tuple[dict[int, Memory], tuple[DroppedMemory, ...]]:
    """Tell what can be rated from what cannot; a memory named twice is rated once."""
    by_seq: dict[int, Memory] = {}
    skipped: list[DroppedMemory] = []
    for name, memory in zip(names, await core.find_memories(names), strict=True):
        reason = _describe_immunity(memory)
        if memory is not None and not reason and GUARD in core.find_protections(memory):
            reason = GUARD
        if memory is None or reason:
            skipped.append(
                DroppedMemory(str(name), reason)
                if memory is None
                else DroppedMemory(memory.id, reason, seq=memory.seq)
            )
        else:
            by_seq[memory.seq] = memory
    return by_seq, tuple(skipped)


def _describe_immunity(memory: Memory | None) -> str:
    """Say why a memory is not rated; "" where it is. How a task went says nothing of who the agent is."""
    if memory is None:
        return "unknown"
    if memory.status not in STANDING:
        return memory.status.label
    is_identity = memory.category == IDENTITY_CATEGORY or CONSTITUTIONAL in memory.tags
    return GUARD if is_identity else ""


async def _changes(core: Core, seqs: Sequence[int], signal: float) -> list[Change]:
    helped = round(signal * RATING)
    counts = {name: by for name, by in (("helped", helped), ("failed", RATING - helped)) if by}
    changes = [VERBS["rate"].build_count_change(seq, **counts) for seq in seqs]
    if signal > HELPED_FROM and len(seqs) > 1:
        links = await core.store.neighbours(core.scope, seqs)
        changes += strengthen_links(links, {frozenset(seqs): 1}, core.clock.now())
    return changes
