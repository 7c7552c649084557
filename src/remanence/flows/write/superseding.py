"""Which older memories those that become active may outdate, and what becomes of claims where a place is taken.

Each is compared with its candidates, so that an update is found that shares no claim with what it changes.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from remanence.core.change import Change
from remanence.core.model import STANDING, Memory, Relation, Status
from remanence.core.segment import TURN
from remanence.flows.base.context import Core, run_off_loop
from remanence.flows.write.candidates import UpdateCandidates
from remanence.read.outdating import AttributedText, OutdatedScore, may_outdate, score_outdated
from remanence.store.lineage import REPLACING

# Who is linked so already is known to belong together.
_KNOWN = (
    Relation.LEARNED_FROM,
    Relation.SUPERSEDES,
    Relation.CONTRADICTS,
    Relation.NEWER,
    Relation.ELABORATES,
    Relation.NEAR_DUPLICATE,
)
Outdated = tuple[int, int, OutdatedScore]  # (newer, older, how sure)


def worth_comparing(memories: Iterable[Memory]) -> list[Memory]:
    """Return those that may say that something is otherwise; for most, nothing has to be looked up."""
    return [memory for memory in memories if may_outdate(_make_statement(memory))]


async def find_outdated(
    core: Core, memories: Sequence[Memory], alike: Mapping[int, UpdateCandidates]
) -> list[Outdated]:
    """Compare some memories with their candidates; return which may outdate which, each the likeliest alone.

    A turn of which facts were found is left to these.
    """
    subjects = [memory for memory in memories if memory.seq in alike and alike[memory.seq].seqs]
    if not subjects:
        return []
    seqs = sorted({seq for memory in subjects for seq in (memory.seq, *alike[memory.seq].seqs)})
    partners: dict[int, set[int]] = defaultdict(set)
    learned: set[int] = set()
    outdated: set[int] = set()
    for link in await core.store.neighbours(core.scope, seqs, *_KNOWN):
        partners[link.source].add(link.target)
        partners[link.target].add(link.source)
        learned |= {link.target} if link.relation is Relation.LEARNED_FROM else set()
        outdated |= {link.target} if link.relation is Relation.NEWER else set()
    found = await core.store.get(core.scope, seqs)
    standing = {one.seq: one for one in found if one is not None and one.status in STANDING}
    free = {seq: one for seq, one in standing.items() if seq not in learned or TURN not in one.tags}
    subjects = [memory for memory in subjects if memory.seq in free]
    chars = sum(len(one.text) for one in free.values())
    return await run_off_loop(chars, lambda: list(_compare(subjects, alike, free, partners, outdated)))


def _compare(
    memories: Sequence[Memory],
    alike: Mapping[int, UpdateCandidates],
    others: Mapping[int, Memory],
    partners: Mapping[int, set[int]],
    outdated: set[int],
) -> Iterator[Outdated]:
    """Yield each memory that may outdate an older one, and the likeliest of those.

    Nobody is at odds with what its speaker said otherwise since: that is added to what is `outdated`.
    """
    for memory in memories:
        beside, new = alike[memory.seq], _make_statement(memory)
        near: Sequence[float | None] = beside.near or [None] * len(beside.seqs)
        verdicts = [
            (score_outdated(_make_statement(others[seq]), new, cosine, beside.held, beside.of), others[seq])
            for seq, cosine in zip(beside.seqs, near, strict=True)
            if seq in others and not _are_linked(partners, memory.seq, seq)
        ]
        likely = [one for one in verdicts if one[0].sure and not (one[0].odds and one[1].seq in outdated)]
        if likely:
            verdict, old = max(likely, key=lambda one: (one[0].near, one[1].seq))
            outdated |= set() if verdict.odds else {old.seq}
            yield memory.seq, old.seq, verdict


def _are_linked(partners: Mapping[int, set[int]], one: int, other: int) -> bool:
    """Tell whether two are linked, or both to a third: facts of one turn do not outdate each other."""
    return other in partners.get(one, ()) or not partners.get(one, set()).isdisjoint(partners.get(other, ()))


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
