"""Which older memories those that become active may outdate, and what becomes of claims where a place is taken.

Each is compared with its candidates, so that an update is found that shares no claim with what it changes.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from remanence.core.change import Change
from remanence.core.model import STANDING, Memory, Relation, Status
from remanence.core.segment import TURN, goes_on, segment_of
from remanence.flows.base.context import Core, run_off_loop
from remanence.flows.write.candidates import UpdateCandidates
from remanence.read.outdating import (
    AttributedText,
    OutdatedScore,
    corrects,
    may_outdate,
    score_corrected,
    score_outdated,
)
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
SAID_BEFORE_MAX = 3  # memories back: between a slip and its correction somebody may have answered
Outdated = tuple[int, int, OutdatedScore]  # (newer, older, how sure)


def worth_comparing(memories: Iterable[Memory]) -> list[Memory]:
    """Return those that may say that something is otherwise; for most, nothing has to be looked up."""
    return [memory for memory in memories if may_outdate(_make_statement(memory))]


async def find_outdated(
    core: Core, memories: Sequence[Memory], alike: Mapping[int, UpdateCandidates]
) -> list[Outdated]:
    """Compare some memories with their candidates; return which may outdate which, each the likeliest alone.

    An older turn of which facts were found is left to these.
    """
    subjects = [
        memory
        for memory in memories
        if memory.seq in alike and (alike[memory.seq].seqs or corrects(memory.text))
    ]
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
    # What says that something changed and what holds now often stand in two sentences, of which a fact has one: where
    # no fact of a turn tells it, the turn may.
    subjects = sorted(
        (memory for memory in subjects if memory.seq in standing), key=lambda one: one.seq in learned
    )
    corrected = await _read_corrected(core, subjects)
    chars = sum(len(one.text) for one in free.values())
    return await run_off_loop(
        chars, lambda: list(_compare(subjects, (alike, corrected), free, partners, (outdated, learned)))
    )


async def _read_corrected(core: Core, memories: Sequence[Memory]) -> dict[int, Memory]:
    """Return by the number of what corrects something what its speaker said right before, which it may not name."""
    correcting = [one for one in memories if corrects(one.text)]
    numbers = {one.seq - back for one in correcting for back in range(1, min(SAID_BEFORE_MAX, one.seq) + 1)}
    read = await core.store.get(core.scope, sorted(numbers)) if numbers else []
    standing = [one for one in read if one is not None and one.status in STANDING]
    return {
        new.seq: old
        for new in correcting
        for old in standing  # the last one stays
        if new.seq - SAID_BEFORE_MAX <= old.seq < new.seq and _is_of_one_segment(old, new)
    }


def _is_of_one_segment(old: Memory, new: Memory) -> bool:
    """Tell whether one speaker said both in one session, thread or run."""
    mine, other = (segment_of(one.session, one.thread, one.agent) for one in (new, old))
    return old.speaker == new.speaker and mine == other and goes_on(mine.kind, old.said_at, new.said_at)


def _compare(
    memories: Sequence[Memory],
    compared: tuple[Mapping[int, UpdateCandidates], Mapping[int, Memory]],
    others: Mapping[int, Memory],
    partners: Mapping[int, set[int]],
    known: tuple[set[int], set[int]],
) -> Iterator[Outdated]:
    """Yield each memory that may outdate an older one, and the likeliest of those; no turn of which a fact does.

    Each is `compared` with its candidates and, where it corrects, with what was said right before. `known` are memories
    that are outdated, and turns of which facts were found. Nobody is at odds with what its speaker said otherwise
    since: that is added to what is outdated.
    """
    (alike, corrected), (outdated, learned) = compared, known
    told: set[int] = set()
    for memory in memories:
        if memory.seq in told:
            continue
        beside, new = alike[memory.seq], _make_statement(memory)
        near: Sequence[float | None] = beside.near or [None] * len(beside.seqs)
        verdicts = [
            (score_outdated(_make_statement(others[seq]), new, cosine, beside.held, beside.of), others[seq])
            for seq, cosine in zip(beside.seqs, near, strict=True)
            if seq in others and not _are_linked(partners, memory.seq, seq)
        ]
        if memory.seq in corrected:
            before = corrected[memory.seq]
            verdicts.append((score_corrected(_make_statement(before), new), before))
        likely = [one for one in verdicts if one[0].sure and not (one[0].odds and one[1].seq in outdated)]
        if likely:
            verdict, old = max(likely, key=lambda one: (one[0].near, one[1].seq))
            outdated |= set() if verdict.odds else {old.seq}
            told |= partners.get(memory.seq, set()) & learned
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
