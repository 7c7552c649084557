"""What a memory, or the answer to a question, has to do with others by links: each with the way there, hop by hop."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from remanence.core.arguments import check_count
from remanence.core.errors import InvalidInput
from remanence.core.model import Memory, OneMemory
from remanence.core.recall_explanation import Hop
from remanence.core.results import Result, number
from remanence.flows.base.context import Core
from remanence.flows.recall.link_walk import LinkWalk, walk_links
from remanence.flows.recall.question import LIMIT_MAX, RecallRequest
from remanence.flows.recall.recalling import recall
from remanence.recall.activation import HOPS_MAX

SEEDS = 3  # the answers to a question that links are followed from
LISTED = 10  # memories that are listed where nobody says how many
NOT_FOLLOWED = "not followed"


@dataclass(frozen=True, slots=True, repr=False)
class RelatedMemory(Result):
    """A memory that links lead to, and the way there from where they begin, a hop a link.

    `score` is the share of a walk along the links that is there, `activation` the sum of weight × confidence × 0.7 per
    hop over the links of the last hop.
    """

    memory: Memory
    score: float
    activation: float
    path: tuple[Hop, ...]

    def __str__(self) -> str:
        return f"{self.memory} ({self.score:.3f})"

    def lines(self) -> Iterator[str]:
        """Yield what is said of it, and below that each hop of the way."""
        yield str(self)
        yield from (f"  {hop}" for hop in self.path)


@dataclass(frozen=True, slots=True, repr=False)
class RelatedResult(Result):
    """Memories that links reach from the memories `seeds`, the nearest first.

    `left_out` counts by reason: "limit", and "not followed" for memories at which the search for more ended.
    """

    seeds: tuple[int, ...]
    memories: tuple[RelatedMemory, ...]
    left_out: dict[str, int] = field(default_factory=dict)

    def __str__(self) -> str:
        rest = ", ".join(f"{reason} {count:,}" for reason, count in self.left_out.items())
        left = f"; left out: {rest}" if rest else ""
        start = ", ".join(f"#{seq}" for seq in self.seeds) or "nothing"
        return f"{number(len(self.memories), 'memory', 'memories')} by links from {start}{left}"


def refuse_limit(limit: int | None) -> None:
    """Refuse a limit beside the links of one memory, which are listed whole."""
    if limit is not None:
        raise InvalidInput(
            "`limit` says how many memories are listed that links lead to, and none are asked for",
            recovery="pass `depth` beside it, or leave it out",
        )


async def find_related(
    core: Core, name: OneMemory | None, query: str | None, depth: int | None, limit: int | None
) -> RelatedResult:
    """Follow links from a memory, or from the best answers to a question, and return what they lead to."""
    depth = HOPS_MAX if depth is None else depth
    limit = LISTED if limit is None else limit
    check_count("depth", depth, 1, HOPS_MAX)
    check_count("limit", limit, 1, LIMIT_MAX)
    if (name is None) == (query is None):
        raise InvalidInput(
            "links are followed from a memory or from a question, one of the two",
            recovery="name a memory, or pass `query`",
        )
    if name is not None:
        seeds = {(await core.one(name)).seq: 1.0}
    else:
        assert query is not None
        answer = await recall(core, RecallRequest(query, SEEDS, count_use=False))
        memories = () if answer.is_weak else answer.memories  # what answers badly is no place to begin
        seeds = {hit.seq: hit.score for hit in memories if hit.score > 0}
    if not seeds:
        return RelatedResult((), ())
    async with core.index.hold_rows(core.clock.now()):
        walk = await walk_links(core, seeds, depth)
        # The nearest come first; entities say nothing, they only lie on the way.
        told = core.index.filter_standing(walk.seqs)
        places = sorted(
            (place for place in walk.find_reached() if walk.seqs[place] in told),
            key=lambda place: (-walk.shares[place], -walk.activation.scores[place], -walk.seqs[place]),
        )
    return await _read_related(core, walk, places, tuple(seeds), limit)


async def _read_related(
    core: Core, walk: LinkWalk, places: list[int], seeds: tuple[int, ...], limit: int
) -> RelatedResult:
    """Read the first of what was reached; what is gone since is left out without a word."""
    shown = places[:limit]
    read = await core.store.get(core.scope, [walk.seqs[place] for place in shown]) if shown else []
    found = tuple(
        RelatedMemory(
            memory,
            round(float(walk.shares[place]), 6),
            round(float(walk.activation.scores[place]), 6),
            walk.describe_path(place),
        )
        for place, memory in zip(shown, read, strict=True)
        if memory is not None
    )
    counts = {"limit": len(places) - len(shown), NOT_FOLLOWED: walk.unfollowed}
    return RelatedResult(seeds, found, {reason: count for reason, count in counts.items() if count})
