"""Two memories that say the same become one, or two entities that are one, because somebody says so.

What merges memories is a plan with one merge, so that guards, audit and undoing are those of a policy.
"""

from remanence.core.change import Change
from remanence.core.errors import Conflict, InvalidInput, NotFound
from remanence.core.model import STANDING, Memory, OneMemory, Relation, link_values, short_id
from remanence.core.receipt import Receipt
from remanence.curate.policy.compiled import load
from remanence.flows.base.context import RACES_MAX, Core, refuse_moved, wait_before_retry
from remanence.flows.base.naming import plain_name
from remanence.flows.curate.curating import carry_out, plan
from remanence.flows.entities.entities import find_entity, merge_entities
from remanence.read.entity import is_entity, name_of

_POLICY = """
version = 1
name = "by-hand"

[[rule]]
name = "say-the-same"
every = "deep"
phase = "deduplicate"
over = "pairs"
min = 0.0
where = "True"
do = "merge"
survivor = "{order}"
because = "a person says that the two say the same"
"""


async def merge(core: Core, a: OneMemory, b: OneMemory, if_revision: int | None = None) -> Receipt:
    """Merge two memories, or two entities where both names mean one; a memory and an entity are refused."""
    memories = await core.find_memories([plain_name(a), plain_name(b)])
    if all(one is not None and not is_entity(one) for one in memories):
        return await _merge_memories(core, a, b, if_revision)
    kinds = [await _find_kind(core, name) for name in (a, b)]
    if kinds[0] != kinds[1]:
        raise InvalidInput(
            f"of the two one is {kinds[0]} and the other {kinds[1]}",
            recovery="name two memories that say the same, or two entities that are one",
        )
    if if_revision is not None:
        raise InvalidInput(
            "`if_revision` is for memories", recovery="leave it out where two entities are merged"
        )
    one, other = await find_entity(core, a), await find_entity(core, b)
    if one.seq == other.seq:
        raise InvalidInput(
            f"both are {short_id(one.seq)} {name_of(one)}", recovery="name two different entities"
        )
    return await merge_entities(core, one, other)


async def _find_kind(core: Core, name: OneMemory) -> str:
    """Tell whether a name means a memory or an entity; raise NotFound where it means nothing."""
    memory = (await core.find_memories([plain_name(name)]))[0]
    if memory is not None and not is_entity(memory):
        return "a memory"
    try:
        await find_entity(core, name)
    except NotFound:
        await core.one(name)  # what is nothing at all is told as a memory that is not there
        raise
    return "an entity"


async def _merge_memories(
    core: Core, keep: OneMemory, other: OneMemory, if_revision: int | None = None
) -> Receipt:
    """Merge a memory into the one to keep, whatever embedder and policy say; what is protected stays."""
    for attempt in range(RACES_MAX):
        kept, gone = await core.one(keep), await core.one(other)
        _refuse_pair(kept, gone)
        _refuse_moved(gone, if_revision)
        policy = load(_POLICY.format(order="seq" if kept.seq < gone.seq else "seq desc"))
        core.refuse_action(gone, "merge")
        try:
            await _link_duplicates(core, kept, gone)
        except Conflict as conflict:
            await wait_before_retry(attempt, conflict)
            continue
        pair = (min(kept.seq, gone.seq), max(kept.seq, gone.seq))
        proposed = await plan(core, policy, only=pair)
        # What was planned with is no newer than what stands now, and the commit compares with what was planned with.
        _refuse_moved(await core.one(gone.seq), if_revision)
        done = await carry_out(core, proposed)
        if done.counts.get("merge"):
            return done
    raise Conflict((), "the two kept changing while they were to become one")


def _refuse_moved(memory: Memory, if_revision: int | None) -> None:
    refuse_moved(f"memory {short_id(memory.seq)}", memory.revision, if_revision, ("memories", memory.seq))


def _refuse_pair(kept: Memory, gone: Memory) -> None:
    if kept.seq == gone.seq:
        raise InvalidInput(
            f"both names mean {short_id(kept.seq)}", recovery="name two memories that say the same"
        )
    fallen = next((one for one in (kept, gone) if one.status not in STANDING), None)
    if fallen is not None:
        raise InvalidInput(
            f"memory {short_id(fallen.seq)} is {fallen.status.label}, and only active memories can be merged",
            recovery=f"bring it back first: restore {fallen.seq}",
        )


async def _link_duplicates(core: Core, kept: Memory, gone: Memory) -> None:
    """Link the two as near duplicates, or as surer ones, since a person says so."""
    key = (min(kept.seq, gone.seq), max(kept.seq, gone.seq), int(Relation.NEAR_DUPLICATE))
    links = await core.store.neighbours(core.scope, [kept.seq], Relation.NEAR_DUPLICATE)
    link = next((one for one in links if one.key == key), None)
    if link is not None and link.confidence == 1:
        return
    if link is None:
        change = Change("links", key, None, link_values(core.clock.now(), 1.0, 1.0))
    else:
        change = Change("links", key, {"confidence": link.confidence}, {"confidence": 1.0})
    await core.commit([change], core.cause("link"))
