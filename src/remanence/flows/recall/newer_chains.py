"""What something surely newer stands for: for views that show only what holds now.

Follows links; must not know what the views are.
"""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from remanence.core.model import STANDING, Link, Memory, Relation, short_id
from remanence.core.segment import TURN
from remanence.flows.base.context import Core
from remanence.flows.recall.current_only import MarkedMemories
from remanence.read.extraction import EXTRACTED_BY
from remanence.store.base import AnswerRequest, AnswerRows

FOLLOWED_MAX = 10  # links of a chain; what is further on stands by itself


async def follow_newer(
    core: Core, memories: Sequence[Memory], links: Sequence[Link] | None = None, *, hides: bool = False
) -> dict[int, Memory | None]:
    """Map those of some memories that are surely outdated to the newest of their chain, None where that is far.

    What outdates a memory stands and is believed no less. `links` are those of the memories, where they were read. For
    a view that `hides` what is outdated, a model's verdict counts of what a model extracted alone: a person's own words
    stay in sight until a person settles the proposal.
    """
    known = {one.seq: one for one in memories}
    above: dict[int, int] = {}
    open_ = list(known)
    if links is None:
        links = await core.store.neighbours(core.scope, sorted(open_), Relation.NEWER) if open_ else []
    for _ in range(FOLLOWED_MAX):
        pairs = [
            (link.source, link.target)
            for link in links
            if link.relation is Relation.NEWER and link.is_certain and link.target in open_
        ]
        by_hand = {(link.source, link.target) for link in links if link.confidence is None}
        missing = sorted({newer for newer, _ in pairs} - known.keys())
        read = AnswerRows({}, [])
        if missing:
            read = await core.store.read_answer(core.scope, AnswerRequest(missing, (), (Relation.NEWER,)))
        known |= read.memories
        for newer, older in pairs:
            if (
                newer in known
                and known[newer].status in STANDING
                and known[newer].trust >= known[older].trust
                and (not hides or (newer, older) in by_hand or _is_extracted(known[older]))
            ):
                above[older] = max(newer, above.get(older, newer))
        open_, links = [newer for newer in missing if newer in known], read.links
        if not open_:
            break
    ends = known.keys() - above.keys() - set(open_)  # nobody looked what is newer than these
    return {one.seq: _follow(one.seq, above, ends, known) for one in memories if one.seq in above}


def _is_extracted(memory: Memory) -> bool:
    """True if a memory is as a model extracted it, or a turn."""
    return memory.text_at is None and (TURN in memory.tags or EXTRACTED_BY in (memory.attributes or {}))


async def mark_newer(
    core: Core, marks: MarkedMemories, links: Sequence[Link], *, raises: bool
) -> MarkedMemories:
    """Mark what something surely newer stands for; where it `raises`, let that stand above it and above its turn.

    So do the turns and the facts of what is newer: one of them alone is shown.
    """
    if not any(link.relation is Relation.NEWER for link in links):
        return marks
    standing = [one for one in marks.memories if one is not None and one.status in STANDING]
    newest = await follow_newer(core, standing, links)
    turns: dict[int, set[int]] = defaultdict(set)
    facts: dict[int, set[int]] = defaultdict(set)
    for link in links:
        if link.relation is Relation.LEARNED_FROM:
            turns[link.source].add(link.target)
            facts[link.target].add(link.source)
    below = dict(marks.below)
    for older, newer in newest.items() if raises else ():
        above = set() if newer is None else {newer.seq, *turns[newer.seq], *facts[newer.seq]} - {older}
        for seq in {older, *turns[older]} - above:
            below[seq] = below.get(seq, set()) | above
    memories = [
        replace(one, ended=(*one.ended, f"newer: {short_id(newer.seq)}"))
        if one is not None and (newer := newest.get(one.seq)) is not None
        else one
        for one in marks.memories
    ]
    return MarkedMemories(memories, below)


def _follow(
    seq: int, above: Mapping[int, int], ends: Collection[int], known: Mapping[int, Memory]
) -> Memory | None:
    """Return the end of a chain; None where it goes round in a circle or on beyond what was looked at."""
    seen = {seq}
    while seq in above and above[seq] not in seen:
        seq = above[seq]
        seen.add(seq)
    return known[seq] if seq in ends else None
