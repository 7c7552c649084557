"""Contradictions between memories: which are open, and resolved in favour of one, of both or of neither."""

from collections.abc import Collection, Sequence

from remanence.core.change import Change
from remanence.core.errors import InvalidInput, NotFound
from remanence.core.model import STANDING, Link, Memory, OneMemory, Relation, short_id
from remanence.core.receipt import Receipt
from remanence.edit.one_memory import on_revision
from remanence.flows.base.context import Core, receipt, refuse_moved, retry_conflicts
from remanence.flows.edit.editing import decide_forget, decide_supersession

BOTH, NEITHER = "both", "neither"


async def drop_same_pairs(core: Core, links: Sequence[Link]) -> list[Link]:
    """Return one link of each pair of statements: where two turns and their facts are linked, that of the facts."""
    turns = await _read_turns(core, {seq for link in links for seq in (link.source, link.target)})
    by_pair: dict[frozenset[int], Link] = {}
    for link in sorted(links, key=lambda one: (one.source in turns) + (one.target in turns)):
        by_pair[frozenset(min(turns.get(seq, {seq})) for seq in (link.source, link.target))] = link
    chosen = set(by_pair.values())
    return [link for link in links if link in chosen]


async def _read_turns(core: Core, seqs: Collection[int]) -> dict[int, set[int]]:
    """Return the turns that some memories were learned from; those that were learned from none are left out."""
    turns: dict[int, set[int]] = {}
    for link in await core.store.neighbours(core.scope, sorted(seqs), Relation.LEARNED_FROM) if seqs else ():
        if link.source in seqs:
            turns.setdefault(link.source, set()).add(link.target)
    return turns


async def find_open(core: Core, memory: Memory) -> list[Link]:
    """Return the open contradictions of a memory: not resolved, and both ends stand."""
    links = await core.store.neighbours(core.scope, [memory.seq], Relation.CONTRADICTS)
    links = [link for link in await drop_same_pairs(core, links) if link.resolved_at is None]
    ends = await read_ends(core, links)
    return [link for link in links if link.key in ends and is_open(link, ends[link.key])]


def is_open(link: Link, ends: tuple[Memory, Memory]) -> bool:
    """Tell whether nobody has resolved a contradiction and both memories stand."""
    return link.resolved_at is None and {one.status for one in ends} <= STANDING


async def read_ends(core: Core, links: Sequence[Link]) -> dict[tuple[int, int, int], tuple[Memory, Memory]]:
    """Return the memories at both ends of contradictions, by the key of the link, as far as both are there."""
    seqs = sorted({seq for link in links for seq in (link.source, link.target)})
    by_seq = {memory.seq: memory for memory in await core.store.get(core.scope, seqs) if memory is not None}
    return {
        link.key: (by_seq[link.source], by_seq[link.target])
        for link in links
        if link.source in by_seq and link.target in by_seq
    }


@retry_conflicts
async def resolve(
    core: Core,
    ends: tuple[OneMemory, OneMemory],
    choice: OneMemory,
    if_revision: int | None = None,
) -> Receipt:
    """Mark a contradiction as resolved, in one commit: the memory to keep supersedes the other, or both stay, or none.

    Of neither both are deleted, which undo and `restore` take back.
    """
    one, other = await core.one(ends[0]), await core.one(ends[1])
    winner = None if choice in (BOTH, NEITHER) else await core.one(choice)
    if winner is not None and winner.seq not in (one.seq, other.seq):
        raise InvalidInput(
            f"{short_id(winner.seq)} is not one of the two",
            recovery=f"choose {one.seq} or {other.seq}, {BOTH} or {NEITHER}",
        )
    cause = core.cause("resolve", detail={"ids": [one.id, other.id]})
    changes = await _decide_changes(core, one, other, winner, if_revision)
    if choice == NEITHER:
        changes += [change for memory in (one, other) for change in decide_forget(core, memory)]
    counts = {"resolve": 1} if changes else {}
    notes = () if changes else ("it was resolved so before",)
    if changes:
        await core.commit(changes, cause)
    return receipt(core.scope, cause, len(changes), counts, notes=notes)


async def _decide_changes(
    core: Core, one: Memory, other: Memory, kept: Memory | None, if_revision: int | None
) -> list[Change]:
    """Decide what resolving changes; nothing where it was resolved so before."""
    loser = None if kept is None else other if kept.seq == one.seq else one
    if loser is not None:
        refuse_moved(f"memory {short_id(loser.seq)}", loser.revision, if_revision, ("memories", loser.seq))
    key = (min(one.seq, other.seq), max(one.seq, other.seq), int(Relation.CONTRADICTS))
    turns = await _read_turns(core, {one.seq, other.seq})
    mine, theirs = ({end.seq, *turns.get(end.seq, ())} for end in (one, other))
    links = await core.store.neighbours(core.scope, sorted(mine), Relation.CONTRADICTS)
    if all(link.key != key for link in links):
        raise NotFound(
            f"{short_id(one.seq)} and {short_id(other.seq)} do not contradict each other",
            recovery="list them: remanence review list --sort contradiction",
        )
    # Said in a turn and kept as a fact, it is one pair.
    same = [one for one in links if {one.source, one.target} & mine and {one.source, one.target} & theirs]
    values = {"resolved_at": core.clock.now()}
    changes = [
        Change("links", link.key, {"resolved_at": None}, values) for link in same if link.resolved_at is None
    ]
    if kept is None or loser is None:
        link = next(one for one in links if one.key == key)
        refuse_moved("the link", link.revision, if_revision, ("links", key))
        return changes
    changes += await decide_supersession(core, loser, kept)
    return changes if if_revision is None else on_revision(loser, changes)
