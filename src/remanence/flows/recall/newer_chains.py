"""What something surely newer stands for, and what it said before: for views that have one line a matter.

Follows links; must not know what the views are.
"""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

from remanence.core.model import STANDING, Link, Memory, Relation, short_id
from remanence.core.results import one_line
from remanence.flows.base.context import Core
from remanence.flows.recall.current_only import MarkedMemories
from remanence.store.base import AnswerRequest, AnswerRows

FOLLOWED_MAX = 10  # links of a chain; what is further on stands by itself
BEFORE_CHARS_MAX = 120


@dataclass(frozen=True, slots=True)
class NewerChains:
    """Of some memories those that are surely outdated, each with the newest of its chain, None where that is far.

    `before` has by the number of the newest what its matter was before, as a line. Only what is the last said before
    something newer gives up its line to that: of several the others would be named nowhere.
    """

    newest: Mapping[int, Memory | None] = field(default_factory=dict)
    before: Mapping[int, str] = field(default_factory=dict)
    covered: frozenset[int] = frozenset()

    def find_line(self, memory: Memory) -> Memory | None:
        """Return whose line says a memory where a matter has one: the newest of its chain, or itself."""
        return self.newest.get(memory.seq, memory) if memory.seq in self.covered else memory


async def follow_newer(
    core: Core, memories: Sequence[Memory], links: Sequence[Link] | None = None
) -> NewerChains:
    """Look which of some memories are outdated by what stands and is believed no less, and by what in the end.

    `links` are those of the memories, where they were read already.
    """
    known = {one.seq: one for one in memories}
    above: dict[int, int] = {}
    last: dict[int, int] = {}  # by what is newer
    open_ = list(known)
    if links is None:
        links = await core.store.neighbours(core.scope, sorted(open_), Relation.NEWER) if open_ else []
    for _ in range(FOLLOWED_MAX):
        pairs = [
            (link.source, link.target)
            for link in links
            if link.relation is Relation.NEWER and link.is_certain and link.target in open_
        ]
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
            ):
                above[older] = max(newer, above.get(older, newer))
                last[newer] = max(older, last.get(newer, older))
        open_, links = [newer for newer in missing if newer in known], read.links
        if not open_:
            break
    ends = known.keys() - above.keys() - set(open_)  # nobody looked what is newer than these
    newest = {one.seq: _follow(one.seq, above, ends, known) for one in memories if one.seq in above}
    before: dict[int, str] = {}
    for older, newer in sorted(above.items()):
        if newer in ends:
            before[newer] = one_line(" ".join(known[older].text.split()), BEFORE_CHARS_MAX)
    return NewerChains(newest, before, frozenset(last.values()))


async def mark_newer(
    core: Core, marks: MarkedMemories, links: Sequence[Link], *, raises: bool
) -> MarkedMemories:
    """Mark what something surely newer stands for; where it `raises`, let that stand above it and above its turn.

    So do the turns and the facts of what is newer: one of them alone is shown.
    """
    if not any(link.relation is Relation.NEWER for link in links):
        return marks
    standing = [one for one in marks.memories if one is not None and one.status in STANDING]
    newest = (await follow_newer(core, standing, links)).newest
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
