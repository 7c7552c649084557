"""A person makes one memory of two: a plan with one merge, so that guards, audit and undoing are those of a policy."""

from remanence.core.change import Change
from remanence.core.errors import Conflict, InvalidInput, Protected
from remanence.core.guards import protecting
from remanence.core.model import STANDING, Memory, OneMemory, Relation, link_values, short_id
from remanence.core.receipt import Receipt
from remanence.curate.policy.compiled import Policy, load
from remanence.flows.base.context import RACES_MAX, Core, overtaken
from remanence.flows.curate.curating import CURATE, carry_out, plan

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


async def merge(core: Core, keep: OneMemory, other: OneMemory) -> Receipt:
    """Merge a memory into the one to keep, whatever embedder and policy say; what is protected stays."""
    for attempt in range(RACES_MAX):
        kept, gone = await core.one(keep), await core.one(other)
        _refuse(kept, gone)
        policy = load(_POLICY.format(order="seq" if kept.seq < gone.seq else "seq desc"))
        _refuse_protected(gone, policy, core.clock.now())
        try:
            await _link_duplicates(core, kept, gone)
        except Conflict as conflict:
            await overtaken(attempt, conflict)
            continue
        pair = (min(kept.seq, gone.seq), max(kept.seq, gone.seq))
        proposed = await plan(core, policy, only=pair)
        done = await carry_out(core, proposed, CURATE)
        if done.counts.get("merge"):
            return done
    raise Conflict((), "the two kept changing while they were to become one")


def _refuse(kept: Memory, gone: Memory) -> None:
    if kept.seq == gone.seq:
        raise InvalidInput(
            f"both names mean {short_id(kept.seq)}", recovery="name two memories that say the same"
        )
    fallen = next((one for one in (kept, gone) if one.status not in STANDING), None)
    if fallen is not None:
        raise InvalidInput(
            f"memory {fallen.id} is {fallen.status.label}, and only what stands can be merged",
            recovery=f"bring it back first: restore {fallen.id}",
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


def _refuse_protected(gone: Memory, policy: Policy, now: int) -> None:
    """Refuse before anything is written; what is protected only now is found so at the next try."""
    guards = protecting(gone, system=policy.is_system(gone.category), now=now, action="merge")
    if guards:
        raise Protected(
            f"memory {gone.id} is protected from being merged: {', '.join(guards)}",
            recovery="keep this one and merge the other into it, or take the protection off first",
            guards=guards,
        )
