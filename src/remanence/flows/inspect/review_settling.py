"""What waits for a person is settled by one of its choices: the item is found by its name, and the choice carried out.

Knows which flow does what a choice says; what waits, and in which order, is in `review`.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass

from remanence.core.errors import InvalidInput, NameUnknown, NotFound
from remanence.core.model import Memory, OneMemory, Status, short_id
from remanence.core.permissions import capability_of
from remanence.core.receipt import Receipt
from remanence.flows.base.context import Core, receipt
from remanence.flows.base.naming import plain_name
from remanence.flows.base.permission_checks import refuse_verb
from remanence.flows.consolidate.merging import merge
from remanence.flows.curate.scheduling import accept_clock, find_held_run
from remanence.flows.edit import editing
from remanence.flows.inspect.contradictions import BOTH, NEITHER, find_open, resolve
from remanence.flows.inspect.review_pages import CLOCK, Place, Sort, read_item
from remanence.flows.undo.runs import find_interrupted_runs, newest, undo_named
from remanence.flows.write import proposals
from remanence.flows.write.proposals import Proposal

VERB = "review.settle"
ACCEPT, DECLINE, FORGET, FORBID, UNDO = "accept", "decline", "forget", "forbid", "undo"
# What may be chosen, by sort; of a contradiction also the memory that stands.
CHOICES: Mapping[Sort, tuple[str, ...]] = {
    "contradiction": (BOTH, NEITHER),
    "quarantine": (ACCEPT, FORGET, FORBID),
    "proposal": (ACCEPT, DECLINE),
    "held plan": (ACCEPT,),
    "clock in doubt": (ACCEPT,),
    "interrupted run": (UNDO,),
}
LIST = "list what waits: remanence review list"


@dataclass(frozen=True, slots=True)
class Settlement:
    """What is to be settled, and how; `only` are tags or older memories of several that are proposed."""

    item: OneMemory | tuple[OneMemory, OneMemory]
    choice: int | str
    only: tuple[OneMemory, ...] = ()
    if_revision: int | None = None


async def settle(core: Core, wish: Settlement) -> Receipt:
    """Settle what waits for a person by one of its choices; raise NotFound where it waits no more."""
    sort, place = await _find_item(core, wish)
    if wish.only and sort != "proposal":
        raise InvalidInput("`only` is for proposals", recovery=f"leave it out for what is a {sort}")
    if sort != "contradiction" and wish.choice not in CHOICES[sort]:
        raise NameUnknown(f"choice for a {sort}", str(wish.choice), CHOICES[sort])
    item = CLOCK if sort in ("clock in doubt", "held plan") else ""
    capability = capability_of(VERB, {"item": item, "choice": wish.choice})
    if capability is not None:
        refuse_verb(VERB, core.denials, capability)
    return await _SETTLE[sort](core, place, wish)


async def _find_item(core: Core, wish: Settlement) -> tuple[Sort, Place]:
    """Return the sort of what is meant, and its place; of a contradiction both ends are in it, behind its weight."""
    if isinstance(wish.item, tuple):
        one, other = [await core.one(name) for name in wish.item]
        return "contradiction", (0.0, one.seq, other.seq)
    name = plain_name(wish.item)
    found = read_item(name) if isinstance(name, str) else None
    return found if found is not None else await _find_item_of(core, await core.one(name), wish.choice)


async def _find_item_of(core: Core, memory: Memory, choice: int | str) -> tuple[Sort, Place]:
    """Return what a memory waits for; a choice that is neither accepting nor declining is of its one contradiction."""
    if memory.status is Status.QUARANTINED or choice in (FORGET, FORBID):
        return "quarantine", (memory.seq,)
    if choice in (ACCEPT, DECLINE):
        proposed = await proposals.find_proposal(core, memory)
        # What was never in quarantine and has no proposal is told as what is not in quarantine.
        return (
            ("quarantine", (memory.seq,))
            if proposed is None and choice == ACCEPT
            else ("proposal", (memory.seq,))
        )
    links = await find_open(core, memory)
    if len(links) == 1:
        return "contradiction", (links[0].weight, links[0].source, links[0].target)
    if not links:
        raise NotFound(f"nothing about {short_id(memory.seq)} waits for this choice", recovery=LIST)
    pairs = ", ".join(f"contradiction/{link.source}/{link.target}" for link in links)
    raise InvalidInput(
        f"{short_id(memory.seq)} contradicts several: {pairs}", recovery="name one of these, or both memories"
    )


async def _settle_contradiction(core: Core, place: Place, wish: Settlement) -> Receipt:
    ends = int(place[1]), int(place[2])
    return await resolve(core, ends, wish.choice, wish.if_revision)


async def _settle_quarantined(core: Core, place: Place, wish: Settlement) -> Receipt:
    seq = int(place[0])
    if wish.choice == ACCEPT:
        return await editing.accept(core, seq, wish.if_revision)
    memory = await core.one(seq)
    if memory.status is not Status.QUARANTINED:
        raise InvalidInput(
            f"memory {short_id(seq)} is not in quarantine: it is {memory.status.label}",
            recovery=f"to delete it all the same: remanence forget {seq}",
        )
    return await editing.forget(core, seq, wish.if_revision, forbid=wish.choice == FORBID)


async def _settle_proposal(core: Core, place: Place, wish: Settlement) -> Receipt:
    """Do what is proposed or decline it: one thing by its place, else all that is proposed for a memory, or some."""
    seq, *rest = place
    kind: int | None = None
    named: Sequence[OneMemory] = wish.only
    if rest:
        kind = int(rest[0])
        named = (str(rest[1]) if kind == proposals.TAG else int(rest[1]),)
    if wish.choice == DECLINE:
        declined = await proposals.decline(core, int(seq), named)
        count = len(declined.tags) + len(declined.replaces) + len(declined.repeats)
        return receipt(core.scope, core.cause("decline"), 0, {"decline": count}, notes=(str(declined),))
    proposed = await proposals.narrow_proposal(core, await core.one(int(seq)), named)
    return await _accept_proposal(core, proposed, kind, wish.if_revision)


async def _accept_proposal(
    core: Core, proposed: Proposal, kind: int | None, if_revision: int | None
) -> Receipt:
    """Do what is proposed in one run: all tags, or one place that is taken, or one memory that is merged."""
    seq = proposed.memory.seq
    tags = proposed.tags if kind in (None, proposals.TAG) else ()
    replaces = proposed.replaces if kind in (None, proposals.REPLACES) else ()
    repeats = proposed.repeats if kind in (None, proposals.REPEATS) else ()
    if bool(tags) + len(replaces) + len(repeats) != 1:
        raise InvalidInput(
            f"several different things are proposed for {short_id(seq)}: {proposed}",
            recovery="accept them one by one: `remanence review list` has the command for each",
        )
    if tags:
        return await editing.tag(core, seq, tags, if_revision)
    if replaces:
        return await editing.supersede(core, replaces[0].seq, seq, if_revision)
    return await merge(core, repeats[0].seq, seq, if_revision)


async def _settle_held(core: Core, place: Place, wish: Settlement) -> Receipt:
    held = await find_held_run(core)
    if held is None or held.at != place[0]:
        raise NotFound("this plan is held no more", recovery=LIST)
    if held.held != "clock":
        raise InvalidInput(
            "a plan that would delete much is applied, not accepted",
            recovery="look at it: remanence plan; then: remanence curate --allow-destroyed COUNT",
        )
    return await _settle_clock(core, place, wish)


async def _settle_clock(core: Core, _place: Place, _wish: Settlement) -> Receipt:
    """Accept the clock; nothing is written to the audit, so that there is nothing to undo."""
    doubt = await accept_clock(core)
    counts = {} if doubt is None else {"clock": 1}
    return receipt(core.scope, core.cause("accept"), 0, counts, notes=(doubt or "nothing was in doubt",))


async def _settle_interrupted(core: Core, place: Place, _wish: Settlement) -> Receipt:
    recent = await newest(core, (await core.store.search(core.scope, ())).position)
    run = next((run for run, at in find_interrupted_runs(recent).items() if at == place[0]), None)
    if run is None:
        raise NotFound("this run has come to its end, or was undone", recovery=LIST)
    return await undo_named(core, run)


_SETTLE: Mapping[Sort, Callable[[Core, Place, Settlement], Awaitable[Receipt]]] = {
    "contradiction": _settle_contradiction,
    "quarantine": _settle_quarantined,
    "proposal": _settle_proposal,
    "held plan": _settle_held,
    "clock in doubt": _settle_clock,
    "interrupted run": _settle_interrupted,
}
