"""Which older memories those that become active are at odds with, and what becomes of claims where a place is taken.

Each is compared with its candidates, so that an update is found that shares no claim with what it changes.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from remanence.core.change import Change
from remanence.core.model import STANDING, Memory, Relation, Status
from remanence.flows.base.context import Core, run_off_loop
from remanence.flows.write.candidates import UpdateCandidates
from remanence.read.outdating import AttributedText, may_outdate, score_outdated
from remanence.store.lineage import REPLACING

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


def worth_comparing(memories: Iterable[Memory]) -> list[Memory]:
    """Return those that may say that something is otherwise; for most, nothing has to be looked up."""
    return [memory for memory in memories if may_outdate(_make_statement(memory))]


async def at_odds(
    core: Core, memories: Sequence[Memory], alike: Mapping[int, UpdateCandidates]
) -> list[tuple[int, int, float]]:
    """Compare some memories with their candidates; return (newer, older, how sure) where they are at odds.

    Each with the likeliest alone. Which of the two holds is for a person or a writer to say: words of change alone were
    measured to be wrong now and then.
    """
    subjects = [memory for memory in memories if memory.seq in alike and alike[memory.seq].seqs]
    if not subjects:
        return []
    seqs = {seq for memory in subjects for seq in alike[memory.seq].seqs}
    others = {
        one.seq: one
        for one in await core.store.get(core.scope, sorted(seqs))
        if one is not None and one.status in STANDING
    }
    links = await _links(core, [memory.seq for memory in subjects])
    chars = sum(len(one.text) for one in (*subjects, *others.values()))
    return await run_off_loop(chars, lambda: list(_find_outdated(subjects, alike, others, links)))


def _find_outdated(
    memories: Sequence[Memory],
    alike: Mapping[int, UpdateCandidates],
    others: Mapping[int, Memory],
    links: Mapping[int, set[int]],
) -> Iterator[tuple[int, int, float]]:
    """Yield each memory that is at odds with an older one, and the likeliest of those."""
    for memory in memories:
        beside, new = alike[memory.seq], _make_statement(memory)
        near: Sequence[float | None] = beside.near or [None] * len(beside.seqs)
        verdicts = [
            (score_outdated(_make_statement(others[seq]), new, cosine, beside.held, beside.of), others[seq])
            for seq, cosine in zip(beside.seqs, near, strict=True)
            if seq in others and not _are_linked(links, memory.seq, seq)
        ]
        likely = [one for one in verdicts if one[0].sure]
        if likely:
            verdict, old = max(likely, key=lambda one: (one[0].near, one[1].seq))
            yield memory.seq, old.seq, verdict.sure


async def _links(core: Core, seqs: Sequence[int]) -> dict[int, set[int]]:
    """Return what each of some memories is linked to, in a way that says more than that they are alike."""
    partners: dict[int, set[int]] = defaultdict(set)
    for link in await core.store.neighbours(core.scope, sorted(seqs)):
        if link.relation in _KNOWN:
            partners[link.source].add(link.target)
            partners[link.target].add(link.source)
    return partners


def _are_linked(links: Mapping[int, set[int]], one: int, other: int) -> bool:
    """Tell whether two are linked, or both to a third: facts of one turn do not outdate each other."""
    return other in links.get(one, ()) or not links.get(one, set()).isdisjoint(links.get(other, ()))


async def claims_ended(core: Core, old: Memory, new: Memory) -> list[Change]:
    """Decide that no claim of an older memory holds any more, by a newer one."""
    ending = {"valid_to": new.said_at, "replaced_by": new.seq}
    return [
        Change("claims", claim.key, {"valid_to": claim.valid_to, "replaced_by": None}, ending)
        for claim in await core.store.claims(core.scope, [old.seq])
        if claim.replaced_by is None
    ]


async def claims_again(core: Core, memory: Memory) -> list[Change]:
    """Decide that what a superseded memory claims holds again, as far as what took its place ended it."""
    if memory.status is not Status.SUPERSEDED:
        return []
    links = await core.store.neighbours(core.scope, [memory.seq])
    by = {link.source for link in links if link.target == memory.seq and link.relation in REPLACING}
    return [
        Change(
            "claims",
            claim.key,
            {"valid_to": claim.valid_to, "replaced_by": claim.replaced_by},
            {"valid_to": None, "replaced_by": None},
        )
        for claim in await core.store.claims(core.scope, [memory.seq])
        if claim.replaced_by in by
    ]


def _make_statement(memory: Memory) -> AttributedText:
    return AttributedText(memory.text, memory.speaker, memory.role, memory.trust)
