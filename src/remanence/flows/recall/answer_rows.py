"""The rows that an answer is made of, in one request, or in two where the archive has left the index.

Knows what is ranked and what of it is shown; must not know how it was ranked.
"""

from collections.abc import Awaitable, Callable, Sequence
from typing import NamedTuple, TypeAlias

from remanence.core.model import Link, Memory, Relation
from remanence.flows.base.context import Core
from remanence.flows.recall.current_only import KnownRows, MarkedMemories, mark_outdated
from remanence.flows.recall.frame_inputs import collect_fact_turn_pairs
from remanence.store.base import AnswerRequest

# Reads memories as they were at an instant, None for one that is nowhere any more.
ReadPast: TypeAlias = Callable[[Core, Sequence[int]], Awaitable[list[Memory | None]]]

_LASTING = (Relation.LEARNED_FROM,)  # what is today as it was then: a fact is learned once
_LOOKED_AT = (*_LASTING, Relation.CONTRADICTS, Relation.NEWER)


class RankedRows(NamedTuple):
    """The memories of a ranking that may be shown, by number and with what of them holds no more, and all links."""

    seqs: list[int]
    marks: MarkedMemories
    links: list[Link]


async def read_ranked_rows(
    core: Core, ranked: list[int], limit: int | None, read_past: ReadPast | None = None
) -> RankedRows:
    """Read the first `limit` of what was ranked; all of it without a limit, or where facts or turns of any are in it.

    As of an instant, by `read_past`, nobody says what stood above what.
    """
    if read_past is not None:
        links = await core.store.neighbours(core.scope, ranked, *_LASTING)
        seqs = _cut(ranked, links, limit)
        return RankedRows(seqs, MarkedMemories(await read_past(core, seqs)), links)
    shown = ranked[:limit]
    # Where texts of the archive are left alone, those of facts are looked at by columns.
    joining = None if core.index.leaves_archive else Relation.LEARNED_FROM
    request = AnswerRequest(shown, ranked[len(shown) :], _LOOKED_AT, joining)
    read = await core.store.read_answer(core.scope, request)
    by_seq, claims, seqs = {**read.memories}, read.claims, _cut(ranked, read.links, limit)
    if joining is None and len(seqs) > len(shown):
        more = await core.store.read_answer(core.scope, AnswerRequest(seqs[len(shown) :]))
        by_seq |= more.memories
        claims = sorted([*claims, *more.claims], key=lambda claim: claim.key)
    known = KnownRows(claims, read.links, by_seq)
    return RankedRows(seqs, await mark_outdated(core, [by_seq.get(seq) for seq in seqs], known), read.links)


def _cut(seqs: list[int], links: Sequence[Link], limit: int | None) -> list[int]:
    """Return as many as are shown: where one is a fact or the turn of one, others may move up."""
    return seqs[:limit] if collect_fact_turn_pairs(links).none_of(seqs) else seqs
