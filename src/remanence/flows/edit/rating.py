"""What helped and what did not: ratings are counted as evidence, and what helped together is linked more closely."""

from collections.abc import Sequence

from remanence.core.arguments import check_fraction
from remanence.core.effects import VERBS
from remanence.core.errors import InvalidInput
from remanence.core.model import (
    CONSTITUTIONAL,
    STANDING,
    DroppedMemory,
    Memories,
    Memory,
    short_id,
)
from remanence.core.receipt import RateResult
from remanence.core.score import RATING
from remanence.edit.links import strengthen_links
from remanence.edit.one_memory import GUARD, on_revision
from remanence.flows.base.context import Core, refuse_moved, retry_conflicts
from remanence.flows.base.naming import list_memory_names
from remanence.flows.edit.editing import confirm, dispute

IDENTITY_CATEGORY = "identity"
_OUTRIGHT = {"right": confirm, "wrong": dispute}
_BY_HELP = {"helped": 1.0, "misled": 0.0}
HELPED_FROM = 0.5  # above, what was rated together grows together (elfmem)


async def rate(
    core: Core, names: Memories, verdict: str | float, if_revision: int | None = None
) -> RateResult:
    """Count one rating of each memory, all in one commit.

    Right and wrong are of all that is named, or of none. By help what cannot be rated is reported and holds up nothing;
    all that says who the agent is, its values and goals too, only a person rates.
    """
    if isinstance(verdict, str) and verdict in _OUTRIGHT:
        plain = list_memory_names(names)
        memories = await core.all_of(plain)  # one read, before the commit: afterwards one may be gone
        done = await _OUTRIGHT[verdict](core, plain, if_revision)
        return RateResult(tuple(one.id for one in memories), run=done.run if done.changes else None)
    signal = _BY_HELP[verdict] if isinstance(verdict, str) else verdict
    return await _rate_help(core, list_memory_names(names), signal, if_revision)


@retry_conflicts
async def _rate_help(
    core: Core, names: Sequence[int | str], signal: float, if_revision: int | None
) -> RateResult:
    check_fraction(
        "a rating", signal, "pass right, wrong, helped, misled or a number from 0 (misled) to 1 (helped)"
    )
    await core.uses.settle()
    memories, skipped = await _split_rateable(core, names)
    _refuse_revisions(list(memories.values()), if_revision)
    if not memories:
        return RateResult((), skipped)
    cause = core.cause("rate", detail={"signal": signal})
    seqs = list(memories)
    helped = round(signal * RATING)
    counts = {name: by for name, by in (("helped", helped), ("failed", RATING - helped)) if by}
    changes = [VERBS["rate"].build_count_change(seq, **counts) for seq in seqs]
    if signal > HELPED_FROM and len(seqs) > 1:
        links = await core.store.neighbours(core.scope, seqs)
        changes += strengthen_links(links, {frozenset(seqs): 1}, core.clock.now())
    if if_revision is not None:
        (memory,) = memories.values()
        changes = on_revision(memory, changes)
    await core.commit(changes, cause)
    return RateResult(tuple(memory.id for memory in memories.values()), skipped, cause.run)


def _refuse_revisions(memories: Sequence[Memory], if_revision: int | None) -> None:
    """Refuse a revision that the one memory has not, and one of several memories."""
    if if_revision is None:
        return
    if len(memories) != 1:
        raise InvalidInput("if_revision is of one memory", recovery="rate one memory, or leave it out")
    (memory,) = memories
    name = f"memory {short_id(memory.seq)}"
    refuse_moved(name, memory.revision, if_revision, ("memories", memory.seq))


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
