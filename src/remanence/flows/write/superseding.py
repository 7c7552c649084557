"""What rules find of memories that become active: older ones that no longer hold, or that they are at odds with.

Each is compared with its candidates, so that an update is found that shares no claim with what it changes.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from remanence.change import Change
from remanence.edit.decide import replaced
from remanence.edit.one_memory import update
from remanence.flows.core import Core, aside
from remanence.flows.write.candidates import Alike
from remanence.flows.write.claiming import may_replace
from remanence.model import STANDING, Link, Memory, Relation
from remanence.write.outdating import Outdated, Said, may_outdate, outdated

# Who is linked so already is known to belong together.
_KNOWN = frozenset(
    {
        Relation.LEARNED_FROM,
        Relation.SUPERSEDES,
        Relation.CONTRADICTS,
        Relation.ELABORATES,
        Relation.NEAR_DUPLICATE,
    }
)


@dataclass(slots=True)
class Ruled:
    """Pairs at odds (newer, older, how sure), and the changes by which older memories give up their place."""

    at_odds: list[tuple[int, int, float]] = field(default_factory=list)
    gone: dict[int, list[Change]] = field(default_factory=dict)
    taking: list[Change] = field(default_factory=list)


def worth_comparing(memories: Iterable[Memory]) -> list[Memory]:
    """Return those that may say that something is otherwise; for most, nothing has to be looked up."""
    return [memory for memory in memories if may_outdate(_said(memory))]


async def ruled(core: Core, memories: Sequence[Memory], alike: Mapping[int, Alike]) -> Ruled:
    """Compare some memories with their candidates, each with the likeliest alone, and decide what becomes of that."""
    compared = [memory for memory in memories if memory.seq in alike and alike[memory.seq].seqs]
    if not compared:
        return Ruled()
    seqs = {seq for memory in compared for seq in alike[memory.seq].seqs}
    others = {
        one.seq: one
        for one in await core.store.get(core.scope, sorted(seqs))
        if one is not None and one.status in STANDING
    }
    links = await _links(core, [memory.seq for memory in compared])
    chars = sum(len(one.text) for one in (*compared, *others.values()))
    found = await aside(chars, lambda: list(_found(compared, alike, others, links)))
    return await _decided(core, found)


def _found(
    memories: Sequence[Memory],
    alike: Mapping[int, Alike],
    others: Mapping[int, Memory],
    links: Mapping[int, set[int]],
) -> Iterator[tuple[Memory, Memory, Outdated]]:
    """Yield each memory that is at odds with an older one, and the likeliest of those."""
    for memory in memories:
        beside, new = alike[memory.seq], _said(memory)
        near: Sequence[float | None] = beside.near or [None] * len(beside.seqs)
        verdicts = [
            (outdated(_said(others[seq]), new, cosine, beside.held, beside.of), others[seq])
            for seq, cosine in zip(beside.seqs, near, strict=True)
            if seq in others and not _connected(links, memory.seq, seq)
        ]
        likely = [one for one in verdicts if one[0].sure]
        if likely:
            verdict, old = max(likely, key=lambda one: (one[0].near, one[1].seq))
            yield memory, old, verdict


async def _links(core: Core, seqs: Sequence[int]) -> dict[int, set[int]]:
    """Return what each of some memories is linked to, in a way that says more than that they are alike."""
    found: dict[int, set[int]] = defaultdict(set)
    for link in await core.store.neighbours(core.scope, sorted(seqs)):
        if link.relation in _KNOWN:
            found[link.source].add(link.target)
            found[link.target].add(link.source)
    return found


def _connected(links: Mapping[int, set[int]], one: int, other: int) -> bool:
    """Tell whether two are linked, or both to a third: facts of one turn do not outdate each other."""
    return other in links.get(one, ()) or not links.get(one, set()).isdisjoint(links.get(other, ()))


async def _decided(core: Core, found: Sequence[tuple[Memory, Memory, Outdated]]) -> Ruled:
    """Let older memories give up their place where that is sure and allowed; else the two are at odds."""
    ruled = Ruled()
    for memory, old, verdict in found:
        mine = may_replace(core, old, memory.trust, memory.speaker)
        if verdict.replaces and mine and old.seq not in ruled.gone and memory.said_at >= old.said_at:
            ruled.gone[old.seq] = await given_up(core, old, memory)
            if memory.valid_from is None:
                ruled.taking += update(memory, {"valid_from": memory.said_at})
        else:
            ruled.at_odds.append((memory.seq, old.seq, verdict.sure))
    return ruled


async def given_up(core: Core, old: Memory, new: Memory) -> list[Change]:
    """Decide how an older memory gives up its place to a newer one, and that none of its claims holds any more."""
    links: Sequence[Link] = await core.store.neighbours(core.scope, [old.seq])
    ended = {"valid_to": new.said_at, "replaced_by": new.seq}
    claims = [
        Change("claims", claim.key, {"valid_to": claim.valid_to, "replaced_by": None}, ended)
        for claim in await core.store.claims(core.scope, [old.seq])
        if claim.replaced_by is None
    ]
    return [*replaced(old, links, new.seq, None, core.clock.now(), ends=new.said_at), *claims]


def _said(memory: Memory) -> Said:
    return Said(memory.text, memory.speaker, memory.role, memory.trust)
