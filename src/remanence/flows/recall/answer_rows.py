"""The rows that an answer is made of, in one request, or in two where the archive has left the index.

Knows what is ranked and what of it is shown; must not know how it was ranked.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple, TypeAlias

from remanence.core.model import STANDING, Link, Memory, Relation
from remanence.core.segment import TURN
from remanence.flows.base.context import Core
from remanence.flows.recall.current_only import MarkedMemories, mark_outdated
from remanence.flows.recall.frame_inputs import collect_fact_turn_pairs
from remanence.store.base import AnswerRequest, AnswerRows

# Makes of memories, with the rows that they have today, what they were at an instant: None for one that is nowhere.
ReadPast: TypeAlias = Callable[[Core, Sequence[int], AnswerRows], Awaitable[list[Memory | None]]]

_LASTING = (Relation.LEARNED_FROM,)  # what is today as it was then: a fact is learned once
_LOOKED_AT = (*_LASTING, Relation.CONTRADICTS, Relation.NEWER)


class RankedRows(NamedTuple):
    """The memories of a ranking that may be shown, by number and with what of them holds no more, and all links.

    `instead` has by the number of one that holds no more what took its place, where that is not among the first.
    """

    seqs: list[int]
    marks: MarkedMemories
    links: list[Link]
    instead: Mapping[int, Memory] = MappingProxyType({})


async def read_ranked_rows(
    core: Core, ranked: list[int], limit: int | None, read_past: ReadPast | None = None
) -> RankedRows:
    """Read the first `limit` of what was ranked; all of it without a limit, or where facts or turns of any are in it.

    As of an instant, by `read_past`, nobody says what stood above what.
    """
    # Where texts of the archive are left alone, those of facts are looked at by columns.
    joins = read_past is None and not core.index.leaves_archive
    joining, relations = (
        Relation.LEARNED_FROM if joins else None,
        _LOOKED_AT if read_past is None else _LASTING,
    )
    shown = ranked[:limit]
    request = AnswerRequest(shown, ranked[len(shown) :], relations, joining)
    memories, links = await core.store.read_answer(core.scope, request)
    # Where one is a fact or the turn of one, others may move up.
    seqs = ranked[:limit] if collect_fact_turn_pairs(links).none_of(ranked) else ranked
    if joining is None and len(seqs) > len(shown):
        more = await core.store.read_answer(core.scope, AnswerRequest(seqs[len(shown) :]))
        memories = {**memories, **more.memories}
    rows = AnswerRows(memories, links)
    if read_past is not None:
        return RankedRows(seqs, MarkedMemories(await read_past(core, seqs, rows)), links)
    marks = await mark_outdated(core, [memories.get(seq) for seq in seqs], rows)
    return RankedRows(seqs, marks, links, await _read_instead(core, marks, seqs[:limit]))


async def _read_instead(core: Core, marks: MarkedMemories, seqs: Sequence[int]) -> dict[int, Memory]:
    """Return what took the place of some memories, by their numbers, where nothing that says it is among them."""
    missing = {
        seq: above for seq in seqs if (above := marks.below.get(seq)) is not None and above.isdisjoint(seqs)
    }
    wanted = sorted({seq for above in missing.values() for seq in above})
    read = [one for one in await core.store.get(core.scope, wanted) if one is not None] if wanted else []
    now = core.clock.now()
    latest = sorted(
        (one for one in read if one.status in STANDING and (one.valid_to is None or one.valid_to > now)),
        key=lambda one: (
            TURN in one.tags,
            -one.last_said_at,
            -one.seq,
        ),  # facts before the turns that say them
    )
    return {
        seq: best
        for seq, above in missing.items()
        if (best := next((one for one in latest if one.seq in above), None)) is not None
    }
