"""What something surely newer stands for, and what it said before: for views that have one line a matter.

Follows links; must not know what the views are.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from remanence.core.model import STANDING, Memory, Relation
from remanence.core.results import one_line
from remanence.flows.base.context import Core

FOLLOWED_MAX = 10  # links of a chain; what is further on stands by itself
BEFORE_CHARS_MAX = 120


@dataclass(frozen=True, slots=True)
class NewerChains:
    """Of some memories those that are surely outdated, each with the newest of its chain, None where that is far.

    `before` has by the number of the newest what its matter was before, as a line.
    """

    newest: Mapping[int, Memory | None] = field(default_factory=dict)
    before: Mapping[int, str] = field(default_factory=dict)


async def follow_newer(core: Core, memories: Sequence[Memory]) -> NewerChains:
    """Look which of some memories are outdated by what stands and is believed no less, and by what in the end."""
    known = {one.seq: one for one in memories}
    above: dict[int, int] = {}
    open_ = list(known)
    for _ in range(FOLLOWED_MAX):
        links = await core.store.neighbours(core.scope, sorted(open_), Relation.NEWER) if open_ else []
        pairs = [(link.source, link.target) for link in links if link.is_certain and link.target in open_]
        missing = sorted({newer for newer, _ in pairs} - known.keys())
        known |= {one.seq: one for one in await core.store.get(core.scope, missing) if one is not None}
        for newer, older in pairs:
            if (
                newer in known
                and known[newer].status in STANDING
                and known[newer].trust >= known[older].trust
            ):
                above[older] = max(newer, above.get(older, newer))
        open_ = [newer for newer in missing if newer in known]
    ends = known.keys() - above.keys() - set(open_)  # nobody looked what is newer than these
    newest = {one.seq: _follow(one.seq, above, ends, known) for one in memories if one.seq in above}
    before: dict[int, str] = {}
    for older, newer in sorted(above.items()):
        if newer in ends:
            before[newer] = one_line(" ".join(known[older].text.split()), BEFORE_CHARS_MAX)
    return NewerChains(newest, before)


def _follow(
    seq: int, above: Mapping[int, int], ends: Collection[int], known: Mapping[int, Memory]
) -> Memory | None:
    """Return the end of a chain; None where it goes round in a circle or on beyond what was looked at."""
    seen = {seq}
    while seq in above and above[seq] not in seen:
        seq = above[seq]
        seen.add(seq)
    return known[seq] if seq in ends else None
